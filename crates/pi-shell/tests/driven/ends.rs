//! The end of a command against what else happens at that moment: a deadline, and a process that has its output.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pi_shell::{Concurrency, ExitOutcome, RunOptions, SinkOptions};
use tokio_util::sync::CancellationToken;

use crate::support::{PATIENCE, Recorder, answer, command, eventually, run, session};

/// Lateness of this thread past the deadline: less than what shows that the host was stopped.
const LATE_BY: Duration = Duration::from_millis(20);

/// Tries, of which one has to be in time on a busy machine.
const TRIES: usize = 20;

#[tokio::test]
async fn a_report_that_came_in_time_counts_though_the_deadline_is_seen_first() {
    let shell = session();
    run(&shell, ":").await;
    let folder = tempfile::tempdir().unwrap();
    let mut was_in_time = false;
    for number in 0..TRIES {
        let (began, ended) =
            (folder.path().join(format!("b{number}")), folder.path().join(format!("e{number}")));
        let text = format!("(: >{}; sleep 0.05); : >{}", began.display(), ended.display());
        let timeout = Duration::from_millis(400);
        let options = RunOptions { timeout: Some(timeout), ..command(&text) };
        let deadline = Instant::now() + timeout;
        let running = tokio::spawn({
            let shell = shell.clone();
            let observer = Arc::new(Recorder::default());
            async move { shell.run(options, observer, CancellationToken::new()).await }
        });
        eventually("the command began", || began.exists()).await;
        // From here on, this thread, which the run is on, sees nothing; the command ends meanwhile.
        while !ended.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        let is_in_time = Instant::now() + 5 * LATE_BY < deadline;
        std::thread::sleep(deadline.saturating_duration_since(Instant::now()) + LATE_BY);
        let result = running.await.unwrap().unwrap();
        if is_in_time {
            assert_eq!(result.outcome, ExitOutcome::Exited { code: 0 });
            was_in_time = true;
            break;
        }
    }
    assert!(was_in_time, "no command ended in time");
    shell.close().await;
}

/// Takes the output of a command whose child it is not, waits until the shell has another one, and writes.
const TAKES_OUTPUT: &str = r#"
(
    until { exec 9>"/proc/$$/fd/1"; } 2>/dev/null && [ -p /proc/self/fd/9 ]; do :; done
    until ! [ "/proc/$$/fd/1" -ef /proc/self/fd/9 ] && [ -p "/proc/$$/fd/1" ]; do :; done
    echo leaked >&9
    : >"$DONE"
) </dev/null >/dev/null 2>&1 &
"#;

#[tokio::test]
async fn a_pipe_that_an_older_process_has_opened_serves_no_later_command() {
    let shell = session();
    let folder = tempfile::tempdir().unwrap();
    let done = folder.path().join("done");
    run(&shell, &format!("DONE='{}'", done.display())).await;
    run(&shell, TAKES_OUTPUT).await;

    // A plain builtin that takes a moment. They follow each other without a rest, so that a pipe is used again.
    let deadline = Instant::now() + PATIENCE;
    let mut after = 0;
    while after < 100 {
        assert!(Instant::now() < deadline, "no output was ever taken");
        assert_eq!(answer(&shell, ": {1..5000}; echo mine").await.0, "mine\n");
        after += usize::from(done.exists());
    }
    eventually("what it wrote is late output", || shell.late_output().contains("leaked\n")).await;
    shell.close().await;
}

#[tokio::test]
async fn late_output_of_what_runs_beside_the_session_has_its_file_though_the_command_wrote_little()
{
    for is_copy in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let [begin, go, spill] = ["begin", "go", "spill"].map(|name| folder.path().join(name));
        let shell = session();
        run(&shell, &format!("cd {}", folder.path().display())).await;
        let text = "until [ -e begin ]; do sleep 0.01; done; \
            (until [ -e go ]; do sleep 0.01; done; echo LATE) & echo now";
        let sink = SinkOptions { spill_path: Some(spill.clone()), ..SinkOptions::default() };
        let concurrency = if is_copy { Concurrency::Clone } else { Concurrency::Queue };
        let options = RunOptions { sink: Some(sink), concurrency, ..command(text) };
        let running = tokio::spawn({
            let shell = shell.clone();
            let observer = Arc::new(Recorder::default());
            async move { shell.run(options, observer, CancellationToken::new()).await }
        });
        if !is_copy {
            assert!(shell.hand_over().await);
        }
        std::fs::write(&begin, "").unwrap();

        let result = tokio::time::timeout(PATIENCE, running).await.unwrap().unwrap().unwrap();
        assert!(result.output.is_some_and(|output| output.spilled), "a copy: {is_copy}");
        std::fs::write(&go, "").unwrap();
        let is_there = || std::fs::read_to_string(&spill).is_ok_and(|text| text == "now\nLATE\n");
        eventually("the late output is in the file", is_there).await;
        shell.close().await;
    }
}
