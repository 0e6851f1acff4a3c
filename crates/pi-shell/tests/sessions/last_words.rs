//! What a shell's EXIT trap prints after `exit`, when bash has taken the command's redirections back: all
//! of it is the command's output, however much it is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pi_shell::{ExitOutcome, RunOptions, RunResult, execute_shell};
use tokio_util::sync::CancellationToken;

use crate::support::{Recorder, answer, command, run, session, shell_options, status_of};

/// A million bytes of `x`, without an end of line.
const MILLION: &str = "head -c 1000000 /dev/zero | tr '\\0' x";

fn bytes_of(result: &RunResult) -> u64 {
    result.output.as_ref().unwrap().total_bytes
}

/// A command in a new session, with the text that a callback got.
async fn followed(text: &str) -> (RunResult, String) {
    let (shell, seen) = (session(), Arc::new(Recorder::default()));
    let run = shell.run(command(text), Arc::<Recorder>::clone(&seen), CancellationToken::new());
    let result = tokio::time::timeout(crate::support::PATIENCE, run).await.unwrap().unwrap();
    shell.close().await;
    (result, seen.text())
}

#[tokio::test]
async fn a_megabyte_of_an_exit_trap_arrives_to_the_byte_in_callback_and_sink() {
    let (result, text) =
        followed(&format!("echo before; trap '{}' EXIT; exit 7", MILLION.replace('\'', "\"")))
            .await;

    assert_eq!(status_of(&result), 7);
    assert_eq!(text.len(), 1_000_007);
    assert!(text.starts_with("before\nxxx") && text.ends_with('x'));
    assert_eq!(bytes_of(&result), 1_000_007);
}

#[tokio::test]
async fn what_was_written_before_comes_first_and_much_of_both_is_whole() {
    let (result, text) = followed(
        "trap 'seq 1 200000; printf end' EXIT; head -c 3000000 /dev/zero | tr '\\0' x; exit",
    )
    .await;

    assert_eq!(bytes_of(&result), 3_000_000 + 1_288_895 + 3);
    assert_eq!(text.find('1'), Some(3_000_000));
    assert!(text.ends_with("\n199999\n200000\nend"), "{:?}", text.get(text.len() - 30..));
}

#[tokio::test]
async fn bytes_that_look_like_marks_of_the_driver_are_no_loss() {
    let (result, _) =
        followed("trap 'head -c 1000000 /dev/zero | tr \"\\0\" \"\\1\"' EXIT; exit").await;
    assert_eq!(bytes_of(&result), 1_000_000);

    let (result, _) = followed("trap 'printf \"a\\1b\\1\"' EXIT; exit").await;
    assert_eq!(bytes_of(&result), 4);
}

#[tokio::test]
async fn a_one_shot_has_all_of_it_too() {
    let observer = Arc::new(Recorder::default());
    let text = format!("trap '{}' EXIT; exit", MILLION.replace('\'', "\""));
    let run = execute_shell(shell_options(), command(&text), observer, CancellationToken::new());

    let result = tokio::time::timeout(crate::support::PATIENCE, run).await.unwrap().unwrap();

    assert_eq!(bytes_of(&result), 1_000_000);
}

#[tokio::test]
async fn an_exit_trap_that_prints_for_ever_ends_at_the_deadline_with_what_it_printed() {
    let shell = session();
    let options = RunOptions {
        timeout: Some(Duration::from_millis(500)),
        ..command("trap 'yes' EXIT; exit")
    };
    let begin = Instant::now();

    let result = crate::support::attempt(&shell, options).await.unwrap();

    assert_eq!(result.outcome, ExitOutcome::TimedOut);
    assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    assert!(bytes_of(&result) > 1_000_000);
    assert_eq!(answer(&shell, "echo on").await.0, "on\n");
    shell.close().await;
}

#[tokio::test]
async fn what_an_exit_trap_leaves_in_the_background_delays_nothing() {
    let shell = session();

    let result = run(&shell, "trap 'echo bye; yes &' EXIT; exit 3").await;

    assert_eq!(status_of(&result), 3);
    assert_eq!(answer(&shell, "echo on").await.0, "on\n");
    shell.close().await;
}

#[tokio::test]
async fn the_trace_of_a_long_order_is_no_output_of_its_command() {
    let shell = session();
    run(&shell, "set -x").await;
    let long = "x".repeat(600_000);

    let result = run(&shell, &format!(": {long}; trap 'echo bye' EXIT; exit 3")).await;

    assert_eq!(status_of(&result), 3);
    let text = crate::support::output_of(&result);
    assert!(!text.contains("__pi_") && text.ends_with("+ echo bye\nbye\n"), "{:?}", text.len());
    assert!(bytes_of(&result) < 610_000, "{}", bytes_of(&result));
    shell.close().await;
}
