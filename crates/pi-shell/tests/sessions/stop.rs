//! How commands are stopped, what they leave, and how runs share a session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pi_shell::{ExitOutcome, RunOptions, Shell, ShellError, SinkOptions, execute_shell};
use tokio_util::sync::CancellationToken;

use crate::support::{
    PATIENCE, Recorder, answer, attempt, cancel_when, command, eventually, is_alive, output_of,
    run, session, shell_options, status_of,
};

/// A command whose whole output goes to `path` when it needs a file.
fn spilling(text: &str, path: &std::path::Path) -> RunOptions {
    let sink = SinkOptions { spill_path: Some(path.to_path_buf()), ..SinkOptions::default() };
    RunOptions { sink: Some(sink), ..command(text) }
}

/// Starts `text` after marking its begin, cancels it, and checks that nothing after it ran, that
/// nothing is left, and that the session kept its state.
async fn check_cancelled(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let (ready, never) = (home.join("ready"), home.join("never"));
    let shell = session();
    run(&shell, &format!("V=kept; cd {}", home.display())).await;
    let before = shell.live_background_job_count().await;
    let script = format!(": >{}; {text}\n: >{}", ready.display(), never.display());

    let start = Instant::now();
    let result = cancel_when(&shell, &script, &ready).await;

    assert_eq!(result.outcome, ExitOutcome::Cancelled, "{text}");
    assert!(start.elapsed() < Duration::from_secs(10), "{text}");
    assert!(!never.exists(), "a later statement ran after {text}");
    assert!(result.survivors.is_empty(), "{text}: {:?}", result.survivors);
    assert_eq!(shell.live_background_job_count().await, before, "{text}");
    let kept = format!("kept\n{}\n", home.display());
    assert_eq!(answer(&shell, "echo $V; pwd").await.0, kept, "after {text}");
    shell.close().await;
}

macro_rules! cancelled {
    ($($name:ident: $text:expr;)*) => {$(
        #[tokio::test]
        async fn $name() {
            check_cancelled($text).await;
        }
    )*};
}

cancelled! {
    a_builtin_loop_is_cancelled: "while :; do :; done";
    a_sleeping_child_is_cancelled: "sleep 1000";
    a_pipeline_is_cancelled: "sleep 1000 | cat | cat";
    a_command_substitution_is_cancelled: "x=$(sleep 1000)";
    a_subshell_is_cancelled_before_its_next_statement: "( sleep 1000; : )";
    a_loop_of_children_is_cancelled: "while :; do sleep 0.01; done";
    a_prolific_writer_is_cancelled: "yes";
    a_child_that_ignores_signals_is_killed: "( trap '' INT TERM; while :; do sleep 1; done )";
    a_shell_that_ignores_signals_is_killed: "trap '' INT TERM; while :; do sleep 1; done";
    a_shell_that_traps_int_is_cancelled: "trap 'echo caught' INT; sleep 1000";
    a_function_is_cancelled: "f(){ local x=1; sleep 1000; }; f";
    a_wait_is_cancelled: "sleep 1000 & wait";
    a_stopped_shell_is_cancelled: "kill -STOP $$";
    a_stopped_child_is_cancelled: "sleep 300 & kill -STOP $!; wait";
    a_daemon_is_swept: "(setsid sleep 1000 & ) ; sleep 1000";
    children_in_groups_of_their_own_are_cancelled: "set -m; sleep 300 | cat & sleep 300";
    a_child_bash_is_cancelled: "bash -c 'sleep 1000; echo next'";
    a_reader_of_a_fifo_is_cancelled: "mkfifo p.$$; cat p.$$";
    a_program_in_place_of_the_shell_is_cancelled: "exec sleep 1000";
}

#[tokio::test]
async fn pt_17_a_trap_cleans_up_and_the_cause_stays() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let shell = session();
    let script =
        format!("trap 'echo cleanup; exit 0' TERM; : >{}; sleep 300 & wait", ready.display());

    let result = cancel_when(&shell, &script, &ready).await;

    assert_eq!(result.outcome, ExitOutcome::Cancelled);
    assert_eq!(output_of(&result), "cleanup\n");
    shell.close().await;
}

#[tokio::test]
async fn older_background_jobs_survive_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let shell = session();
    let job = run(&shell, "sleep 1000 & disown").await;
    let pid = job.survivors.first().unwrap().pid;

    cancel_when(&shell, &format!(": >{}; sleep 1000", ready.display()), &ready).await;

    assert!(is_alive(pid));
    assert_eq!(shell.live_background_job_count().await, 1);
    shell.close().await;
    eventually("the job is gone", || !is_alive(pid)).await;
}

#[tokio::test]
async fn background_children_are_listed_and_their_late_output_is_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let done = folder.path().join("done");
    let shell = session();
    let script = format!(
        "(until [ -e {} ]; do sleep 0.01; done; echo LATE; : >{}) & echo now",
        go.display(),
        done.display()
    );

    let result = run(&shell, &script).await;
    assert_eq!(output_of(&result), "now\n");
    assert!(!result.survivors.is_empty());
    std::fs::write(&go, "").unwrap();
    eventually("the child wrote", || done.exists()).await;

    assert_eq!(answer(&shell, "echo second").await.0, "second\n");
    eventually("late output arrived", || shell.late_output() == "LATE\n").await;
    shell.close().await;
}

#[tokio::test]
async fn late_output_has_its_file_though_the_command_wrote_little() {
    let folder = tempfile::tempdir().unwrap();
    let (go, spill) = (folder.path().join("go"), folder.path().join("spill"));
    let shell = session();
    let script =
        format!("(until [ -e {} ]; do sleep 0.01; done; echo LATE) & echo now", go.display());

    let result = attempt(&shell, spilling(&script, &spill)).await.unwrap();
    assert!(result.output.is_some_and(|output| output.spilled && !output.truncated));
    assert_eq!(std::fs::read_to_string(&spill).unwrap(), "now\n");
    std::fs::write(&go, "").unwrap();

    let is_there = || std::fs::read_to_string(&spill).is_ok_and(|text| text == "now\nLATE\n");
    eventually("the late output is in the file", is_there).await;
    shell.close().await;
}

#[tokio::test]
async fn a_short_output_has_no_file_without_another_writer() {
    let folder = tempfile::tempdir().unwrap();
    let spill = folder.path().join("spill");
    let shell = session();

    let silent = folder.path().join("silent");
    // It has another output before the command ends.
    let background = format!(
        "(exec >/dev/null 2>&1; : >{0}; exec sleep 300) & until [ -e {0} ]; do sleep 0.02; done; echo now",
        silent.display()
    );
    for script in ["echo now", background.as_str()] {
        let result = attempt(&shell, spilling(script, &spill)).await.unwrap();
        assert!(result.output.is_some_and(|output| !output.spilled), "{script}");
        assert!(!spill.exists(), "{script}");
    }
    shell.close().await;
}

#[tokio::test]
async fn bg_01_a_background_child_does_not_hold_the_command() {
    let shell = session();
    let start = Instant::now();

    let result = run(&shell, "sleep 60 & echo done").await;

    assert_eq!(output_of(&result), "done\n");
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(result.survivors.len(), 1);
    assert_eq!(result.survivors[0].command, "sleep 60");
    shell.close().await;
}

/// Two processes that compute for as long as the session lives.
async fn keep_busy(shell: &Shell) {
    let load = "for i in 1 2; do while :; do :; done & done; echo busy";
    assert_eq!(run(shell, load).await.survivors.len(), 2);
}

#[tokio::test]
async fn a_background_child_is_named_by_its_program_on_a_busy_machine() {
    let shell = session();
    keep_busy(&shell).await;
    for round in 0..80 {
        let result = run(&shell, "sleep 60 & echo started").await;
        let names: Vec<&str> = result.survivors.iter().map(|one| one.command.as_str()).collect();
        assert_eq!(names, ["sleep 60"], "round {round}");
    }
    shell.close().await;
}

#[tokio::test]
async fn a_child_that_was_killed_is_no_survivor_on_a_busy_machine() {
    let shell = session();
    keep_busy(&shell).await;
    for round in 0..80 {
        let result = run(&shell, "yes > /dev/null & kill -s KILL $!").await;
        assert_eq!(result.survivors, [], "round {round}");
    }
    shell.close().await;
}

#[tokio::test]
async fn output_larger_than_any_pipe_is_whole() {
    let shell = session();
    let recorder = Arc::new(Recorder::default());
    let run = shell.run(
        command("seq 1 300000"),
        Arc::<Recorder>::clone(&recorder),
        CancellationToken::new(),
    );

    let result = tokio::time::timeout(PATIENCE, run).await.unwrap().unwrap();

    let numbers: Vec<String> = (1..=300_000).map(|number| number.to_string()).collect();
    let expected = numbers.join("\n") + "\n";
    assert!(recorder.text() == expected, "the chunks are not the output");
    let output = result.output.unwrap();
    assert_eq!(output.total_bytes, expected.len() as u64);
    assert_eq!(output.total_lines, 300_000);
    assert!(expected.ends_with(&output.text));
    shell.close().await;
}

#[tokio::test]
async fn cc_01_commands_of_one_session_run_one_after_the_other() {
    let shell = session();
    let script = |letter| format!("for i in 1 2 3 4 5 6; do echo {letter}; sleep 0.01; done");

    let (first, second) = tokio::join!(
        attempt(&shell, command(&script('A'))),
        attempt(&shell, command(&script('B')))
    );

    assert_eq!(output_of(&first.unwrap()), "A\n".repeat(6));
    assert_eq!(output_of(&second.unwrap()), "B\n".repeat(6));
    shell.close().await;
}

#[tokio::test]
async fn cc_03_a_command_that_waits_its_turn_is_cancelled_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (go, never) = (folder.path().join("go"), folder.path().join("never"));
    let shell = session();
    let first = tokio::spawn({
        let (shell, text) =
            (shell.clone(), format!("until [ -e {} ]; do sleep 0.01; done; echo ok", go.display()));
        async move { run(&shell, &text).await }
    });
    let cancel = CancellationToken::new();
    let queued = tokio::spawn({
        let (shell, cancel) = (shell.clone(), cancel.clone());
        let options = command(&format!(": >{}", never.display()));
        async move { shell.run(options, Arc::new(Recorder::default()), cancel).await }
    });
    tokio::task::yield_now().await;
    cancel.cancel();

    let result = tokio::time::timeout(PATIENCE, queued).await.unwrap().unwrap().unwrap();

    assert_eq!(result.outcome, ExitOutcome::Cancelled);
    std::fs::write(&go, "").unwrap();
    assert_eq!(output_of(&first.await.unwrap()), "ok\n");
    assert!(!never.exists());
    shell.close().await;
}

#[tokio::test]
async fn abort_ends_every_run_and_the_session_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let shell = session();
    shell.abort().await;
    let running = tokio::spawn({
        let (shell, text) = (shell.clone(), format!(": >{}; sleep 1000", ready.display()));
        async move { run(&shell, &text).await }
    });
    eventually("it began", || ready.exists()).await;

    shell.abort().await;
    shell.abort().await;

    assert_eq!(running.await.unwrap().outcome, ExitOutcome::Cancelled);
    assert_eq!(answer(&shell, "echo ok").await.0, "ok\n");
    shell.close().await;
}

#[tokio::test]
async fn cc_09_closing_cancels_the_run_and_refuses_later_ones() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let shell = session();
    let running = tokio::spawn({
        let (shell, text) = (shell.clone(), format!(": >{}; sleep 1000", ready.display()));
        async move { run(&shell, &text).await }
    });
    eventually("it began", || ready.exists()).await;

    shell.close().await;
    shell.close().await;

    assert_eq!(running.await.unwrap().outcome, ExitOutcome::Cancelled);
    assert!(matches!(attempt(&shell, command("echo no")).await, Err(ShellError::Closed)));
}

#[tokio::test]
async fn a_one_shot_takes_what_it_started_with_it() {
    let observer = Arc::new(Recorder::default());
    let options = command("sleep 1000 & echo $!");

    let result =
        execute_shell(shell_options(), options, observer, CancellationToken::new()).await.unwrap();

    let pid: i32 = output_of(&result).trim().parse().unwrap();
    assert_eq!(status_of(&result), 0);
    assert!(!is_alive(pid));
}

#[tokio::test]
async fn pt_10_a_run_that_is_cancelled_beforehand_spawns_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let options = command(&format!(": >{}", mark.display()));

    let result = execute_shell(shell_options(), options, Arc::new(Recorder::default()), cancel)
        .await
        .unwrap();

    assert_eq!(result.outcome, ExitOutcome::Cancelled);
    assert!(!mark.exists());
}

#[tokio::test]
async fn dropping_the_last_handle_ends_the_session() {
    let shell = session();
    let result = run(&shell, "sleep 1000 & echo $$").await;
    let bash: i32 = output_of(&result).trim().parse().unwrap();
    let child = result.survivors[0].pid;

    drop(shell);

    eventually("the tree is gone", || !is_alive(bash) && !is_alive(child)).await;
}
