//! What a driven session keeps where shell text could not: the shell itself after `exit` and stops, and everything in a
//! copy.

use std::sync::Arc;
use std::time::Duration;

use pi_shell::{Concurrency, ExitOutcome, RunOptions};
use tokio_util::sync::CancellationToken;

use crate::support::{
    PATIENCE, Recorder, answer, attempt, cancel_when, command, eventually, output_of, run, session,
};

/// What a shell has besides variables.
const EVERYTHING: &str = "declare -A map=([a]=1); exec 7<<<seven; trap 'echo debug' DEBUG; hash -p /bin/x y; \
    f() { echo F; }; set -o pipefail; umask 027; V=kept";

/// Shows it.
const SHOWN: &str =
    "trap - DEBUG; echo ${map[a]} $V; read -u 7 line; echo $line; hash -t y; f; umask";

const EXPECTED: &str = "debug\n1 kept\nseven\n/bin/x\nF\n0027\n";

#[tokio::test]
async fn what_ends_a_script_does_not_end_the_shell() {
    let shell = session();
    let (pid, _) = answer(&shell, "sleep 300 & echo $$").await;
    for text in
        ["exit 3", "set -e; false", "set -u; echo $nope", "f() { exit 4; }; f", "if", ": ${x:?no}"]
    {
        let result = run(&shell, text).await;
        assert!(!result.session_reset && result.lost_with_shell.is_empty(), "{text}");
    }
    assert_eq!(answer(&shell, "echo $$; jobs | wc -l").await.0, format!("{pid}1\n"));
    shell.close().await;
}

#[tokio::test]
async fn a_stop_leaves_the_shell_with_all_it_had_and_what_the_command_set() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    for text in [
        "while :; do :; done",
        "sleep 300",
        "trap '' {1..64}; sleep 300 | cat",
        "read -r line < <(sleep 300)",
        "wait",
    ] {
        let shell = session();
        run(&shell, EVERYTHING).await;
        run(&shell, "trap - DEBUG").await;
        let (pid, _) = answer(&shell, "sleep 300 & echo $$").await;
        run(&shell, "trap 'echo debug' DEBUG").await;
        let text = format!("W=set; : >{}; {text}", ready.display());
        let result = cancel_when(&shell, &text, &ready).await;
        std::fs::remove_file(&ready).unwrap();

        assert_eq!(result.outcome, ExitOutcome::Cancelled, "{text}");
        assert!(!result.session_reset && result.lost_with_shell.is_empty(), "{text}");
        assert_eq!(answer(&shell, SHOWN).await.0, EXPECTED, "{text}");
        let (output, _) = answer(&shell, "echo $W $$; jobs -r | wc -l").await;
        assert_eq!(output, format!("set {pid}1\n"), "{text}");
        shell.close().await;
    }
}

#[tokio::test]
async fn what_a_subshell_left_running_is_reported_though_the_shell_has_no_child() {
    let shell = session();
    let result = run(&shell, "(sleep 1000 >/dev/null 2>&1 &)").await;
    assert_eq!(result.survivors.len(), 1, "{:?}", result.survivors);
    shell.close().await;
}

#[tokio::test]
async fn what_a_filter_of_a_subshell_passes_on_is_output_of_its_command() {
    let shell = session();
    assert_eq!(answer(&shell, "(echo inner > >(sleep 0.1; cat))").await.0, "inner\n");
    shell.close().await;
}

#[tokio::test]
async fn a_standby_has_all_that_a_shell_has() {
    let shell = session();
    run(&shell, EVERYTHING).await;
    let (before, _) = answer(&shell, ": $(:); echo $$").await;

    let killed = run(&shell, "kill -9 $$").await;

    assert!(killed.session_reset);
    let (output, _) = answer(&shell, SHOWN).await;
    assert_eq!(output, EXPECTED);
    assert_ne!(answer(&shell, "echo $$").await, (before, 0), "it is another process, and says so");
    shell.close().await;
}

#[tokio::test]
async fn what_is_set_after_a_hand_over_lasts_and_what_was_there_is_whole() {
    let shell = session();
    run(&shell, EVERYTHING).await;
    let running = tokio::spawn({
        let shell = shell.clone();
        async move {
            let options = command("sleep 1; echo done");
            shell.run(options, Arc::new(Recorder::default()), CancellationToken::new()).await
        }
    });
    let handed = async {
        while !shell.hand_over().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, handed).await.unwrap();

    assert_eq!(answer(&shell, SHOWN).await.0, EXPECTED);
    run(&shell, "LATER=yes; exec 8<<<eight; trap 'echo usr' USR1").await;
    assert_eq!(output_of(&running.await.unwrap().unwrap()), "debug\ndebug\ndone\n");
    let text = "echo $LATER; read -u 8 line; echo $line; kill -USR1 $$";
    assert_eq!(answer(&shell, text).await.0, "yes\neight\nusr\n");
    shell.close().await;
}

#[tokio::test]
async fn copies_have_everything_and_process_ids_of_their_own() {
    let shell = session();
    run(&shell, EVERYTHING).await;
    let copy = |text: &str| RunOptions { concurrency: Concurrency::Clone, ..command(text) };
    run(&shell, "trap - DEBUG").await;
    let (main, _) = answer(&shell, "echo $$").await;
    run(&shell, "trap 'echo debug' DEBUG").await;

    let copied = attempt(&shell, copy(&format!("{SHOWN}; V=changed; exec 7<&-"))).await.unwrap();
    assert_eq!(output_of(&copied), EXPECTED);
    let own = attempt(&shell, copy("trap - DEBUG; echo $$; kill -9 $$")).await.unwrap();
    assert_eq!(own.outcome, ExitOutcome::Signaled { signal: 9 });
    assert_ne!(output_of(&own), format!("debug\n{main}"));
    assert_eq!(answer(&shell, "trap - DEBUG; echo $V $$").await.0, format!("debug\nkept {main}"));
    shell.close().await;
}

#[tokio::test]
async fn only_the_shell_answers_for_a_command() {
    let shell = session();
    // A subshell, which has the socket too, sends what a report begins with.
    let text = "(for fd in /proc/$BASHPID/fd/*; do [[ $(readlink $fd) == socket:* ]] && \
        printf '\\2\\0\\0\\0%0100d' 0 >&${fd##*/}; done); sleep 0.2; echo all";
    assert_eq!(answer(&shell, text).await, ("all\n".to_owned(), 0));
    assert_eq!(answer(&shell, "echo next").await.0, "next\n");
    shell.close().await;
}

#[tokio::test]
async fn random_stops_leave_the_shell_and_nothing_else() {
    let shell = session();
    let (pid, _) = answer(&shell, "V=kept; echo $$").await;
    let texts = [
        "while :; do /bin/true; done",
        "while :; do x=$(echo a | cat); done",
        "f() { local i; for ((i = 0; ; i++)); do :; done; }; f",
        "trap 'echo bye >/dev/null' EXIT; sleep 300 & wait",
        "cat < <(sleep 300)",
        "coproc cat; sleep 300; exec {COPROC[1]}>&-",
    ];
    for round in 0..120_u64 {
        let cancel = CancellationToken::new();
        let text = texts.get(usize::try_from(round).unwrap() % texts.len()).unwrap();
        let running = tokio::spawn({
            let (shell, cancel, options) = (shell.clone(), cancel.clone(), command(text));
            async move { shell.run(options, Arc::new(Recorder::default()), cancel).await }
        });
        tokio::time::sleep(Duration::from_micros(round * 137 % 6_000)).await;
        cancel.cancel();
        let result = tokio::time::timeout(PATIENCE, running).await.unwrap().unwrap().unwrap();
        assert_eq!(result.outcome, ExitOutcome::Cancelled, "{text}");
        assert!(!result.session_reset, "round {round}: {text}");
        assert!(result.survivors.is_empty(), "round {round}: {text}: {:?}", result.survivors);
        assert_eq!(answer(&shell, "echo $V $$").await.0, format!("kept {pid}"), "{round}: {text}");
    }
    let count = || std::fs::read_dir(format!("/proc/{}/fd", pid.trim())).unwrap().count();
    eventually("few descriptors are left", || count() < 16).await;
    shell.close().await;
}
