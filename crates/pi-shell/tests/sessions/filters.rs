//! Filters that bash does not wait for: `>(…)` passes on what a command wrote, and all of it is in the
//! command's output.

use std::fmt::Write as _;
use std::time::Duration;

use pi_shell::{Concurrency, RunOptions};

use crate::support::{attempt, command, output_of, run, session};

/// Rounds: without waiting, about one of two loses its text.
const ROUNDS: usize = 20;

#[tokio::test]
async fn what_goes_through_a_process_substitution_is_in_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut lines = String::new();
    for number in 1..=2_000 {
        writeln!(lines, "{number}").unwrap();
    }
    let log = log.display();
    let shell = session();
    for (text, expected) in [
        (format!("exec > >(tee -a {log}) 2>&1; echo one; echo two >&2"), "one\ntwo\n"),
        (format!("{{ echo a; echo b; }} > >(tee {log})"), "a\nb\n"),
        ("echo late > >(sleep 0.2; cat)".to_owned(), "late\n"),
        ("seq 1 2000 > >(cat | cat)".to_owned(), lines.as_str()),
        ("echo deep > >(cat > >(cat > >(cat)))".to_owned(), "deep\n"),
        ("echo last > >(cat); exit 0".to_owned(), "last\n"),
        ("exec > >(cat); echo at the end; exec true".to_owned(), "at the end\n"),
    ] {
        for round in 0..ROUNDS {
            let result = run(&shell, &text).await;
            assert_eq!(output_of(&result), expected, "{text}, round {round}");
        }
    }
    shell.close().await;
}

#[tokio::test]
async fn a_copy_waits_for_its_filters_too() {
    let shell = session();
    run(&shell, "V=kept").await;
    for _ in 0..ROUNDS {
        let text = "{ echo $V; echo b; } > >(cat)";
        let copy = RunOptions { concurrency: Concurrency::Clone, ..command(text) };
        assert_eq!(output_of(&attempt(&shell, copy).await.unwrap()), "kept\nb\n");
    }
    shell.close().await;
}

#[tokio::test]
async fn what_goes_on_in_the_background_is_not_waited_for() {
    for (text, survivors) in [
        ("sleep 30 | cat & echo now", 2),
        ("while :; do sleep 30; done > >(cat) & echo now", 1),
        ("sleep 30 & echo now", 1),
        // Its input is a pipe that the shell itself keeps open; where the shell ends with its command, so does the filter.
        ("exec 7> >(cat); echo now", usize::from(!crate::support::is_per_command())),
        ("coproc cat; echo now", usize::from(!crate::support::is_per_command())),
    ] {
        let shell = session();
        let result = run(&shell, text).await;
        assert_eq!(output_of(&result), "now\n", "{text}");
        assert!(result.wall_time < Duration::from_millis(900), "{text}: {:?}", result.wall_time);
        assert!(result.survivors.len() >= survivors, "{text}: {:?}", result.survivors);
        shell.close().await;
    }
}

#[tokio::test]
async fn a_filter_that_takes_longer_is_a_survivor_and_what_it_writes_is_late() {
    let shell = session();
    let result = run(&shell, "echo slow > >(sleep 3; cat)").await;
    assert_eq!(output_of(&result), "");
    assert!(!result.survivors.is_empty());
    assert!(result.wall_time < Duration::from_millis(2_900), "{:?}", result.wall_time);
    crate::support::eventually("the rest came", || shell.late_output() == "slow\n").await;
    shell.close().await;
}
