//! Sessions whose commands have a bash each: what goes on from one to the next, and how they end.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::time::Duration;

use pi_shell::{Concurrency, ExitOutcome, RunOptions, SessionKind, Shell, ShellOptions};
use support::{
    answer, attempt, cancel_when, command, eventually, is_alive, output_of, run, shell_options,
};

fn options() -> ShellOptions {
    ShellOptions { kind: Some(SessionKind::PerCommand), ..shell_options() }
}

fn session() -> Shell {
    Shell::new(options()).unwrap()
}

#[tokio::test]
async fn state_goes_on_from_bash_to_bash() {
    let shell = session();
    let first = "cd /usr; export A=1; f(){ echo F$A; }; shopt -s expand_aliases; alias g='echo G'; set -o pipefail; umask 027; l=(a 'b c'); set -- x 'y z'; echo $$";

    let (pid, _) = answer(&shell, first).await;
    let (output, status) =
        answer(&shell, "pwd; f; g; set -o | grep pipefail; umask; echo ${l[1]} $# $2; echo $$")
            .await;

    assert!(output.starts_with("/usr\nF1\nG\npipefail       \ton\n0027\nb c 2 y z\n"), "{output}");
    assert!(!output.ends_with(&pid), "{output}");
    assert_eq!(status, 0);
    assert_eq!(run(&shell, "true").await.working_dir.unwrap(), std::path::Path::new("/usr"));
    shell.close().await;
}

#[tokio::test]
async fn a_variable_of_the_host_that_is_unset_stays_unset() {
    let base_env = Some(vec![
        ("HOSTVAR".to_owned(), "1".to_owned()),
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
    ]);
    let shell = Shell::new(ShellOptions { base_env, ..options() }).unwrap();

    assert_eq!(answer(&shell, "echo $HOSTVAR; unset HOSTVAR").await.0, "1\n");
    assert_eq!(
        answer(&shell, "echo ${HOSTVAR-unset}; env | grep -c HOSTVAR").await.0,
        "unset\n0\n"
    );
    shell.close().await;
}

#[tokio::test]
async fn variables_that_no_bash_can_be_given_are_wrong_input_and_no_wrong_shell() {
    let base_env = Some((0..100).map(|at| (format!("V{at}"), "x".repeat(100_000))).collect());
    let shell = Shell::new(ShellOptions { base_env, ..options() }).unwrap();

    let error = attempt(&shell, command("true")).await.unwrap_err();

    assert_eq!(error.code(), "PI_INVALID_ENV");
    let text = "option `baseEnv` makes an environment of 100 variables and 10000490 bytes";
    assert!(error.to_string().starts_with(text), "{error}");
    shell.close().await;
}

#[tokio::test]
async fn statuses_ends_and_errors_are_those_of_a_script() {
    let shell = session();

    assert_eq!(answer(&shell, "V=1; (exit 37)").await.1, 37);
    assert_eq!(answer(&shell, "echo $?").await.0, "37\n");
    assert_eq!(answer(&shell, "V=2; exit 42").await, (String::new(), 42));
    assert_eq!(answer(&shell, "set -e; V=3; false; echo never").await, (String::new(), 1));
    assert_eq!(answer(&shell, "echo $V; false; echo on").await.0, "3\non\n");
    assert_eq!(
        answer(&shell, "trap 'echo bye $?' EXIT; (exit 3)").await,
        ("bye 3\n".to_owned(), 3)
    );
    assert_eq!(answer(&shell, "echo next").await.0, "next\n");
    let (output, _) = answer(&shell, "\n\nnope_xyz; echo $LINENO").await;
    assert_eq!(output, "bash: line 3: nope_xyz: command not found\n3\n");
    assert_eq!(answer(&shell, "if").await.1, 2);
    assert_eq!(answer(&shell, "exec echo replaced").await, ("replaced\n".to_owned(), 0));
    shell.close().await;
}

#[tokio::test]
async fn a_bash_that_could_not_give_its_state_is_reported_as_a_loss() {
    let shell = session();
    run(&shell, "A=kept").await;

    let killed = run(&shell, "A=lost; kill -9 $$").await;

    assert_eq!(killed.outcome, ExitOutcome::Signaled { signal: 9 });
    assert!(killed.session_reset);
    let next = run(&shell, "echo $A").await;
    assert_eq!(output_of(&next), "kept\n");
    assert!(!next.session_reset);
    shell.close().await;
}

#[tokio::test]
async fn tracing_and_traps_show_only_the_commands() {
    let shell = session();

    assert_eq!(answer(&shell, "set -x; echo a").await.0, "++ echo a\na\n");
    assert_eq!(answer(&shell, "echo b").await.0, "++ echo b\nb\n");
    assert_eq!(answer(&shell, "set +x; trap 'echo D' DEBUG; :").await.0, "++ set +x\nD\n");
    assert_eq!(answer(&shell, "echo c").await.0, "c\n");
    shell.close().await;
}

#[tokio::test]
async fn environment_and_directory_of_a_call() {
    let shell = session();
    let call = |text: &str| RunOptions {
        env: vec![("A".to_owned(), "it's\nso".to_owned())],
        cwd: Some("/usr".into()),
        ..command(text)
    };

    let first = attempt(&shell, call("echo \"$A\"; sh -c 'echo \"$A\"'; pwd")).await.unwrap();
    assert_eq!(output_of(&first), "it's\nso\nit's\nso\n/usr\n");
    assert_eq!(answer(&shell, "echo ${A-unset}; pwd").await.0, "unset\n/usr\n");
    let missing = RunOptions { cwd: Some("/nope".into()), ..command("true") };
    let error = attempt(&shell, missing).await.unwrap_err();
    assert_eq!(error.to_string(), "Working directory does not exist: /nope");
    shell.close().await;
}

#[tokio::test]
async fn a_deadline_keeps_the_state_that_was_reached() {
    let shell = session();
    run(&shell, "A=1").await;

    let options = RunOptions {
        timeout: Some(Duration::from_secs(1)),
        ..command("B=2; echo early; sleep 300; echo never")
    };
    let result = attempt(&shell, options).await.unwrap();

    assert_eq!(result.outcome, ExitOutcome::TimedOut);
    assert_eq!(output_of(&result), "early\n");
    assert_eq!(answer(&shell, "echo $A$B").await.0, "12\n");
    shell.close().await;
}

#[tokio::test]
async fn a_cancel_ends_the_whole_tree_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (ready, pids) = (folder.path().join("ready"), folder.path().join("pids"));
    let shell = session();
    let (older, _) = answer(&shell, "sleep 300 >/dev/null 2>&1 & echo $!").await;
    let text = format!(
        "trap '' INT TERM; setsid sleep 300 & echo $! >{pids}; (trap '' TERM; sleep 300) & echo $! >>{pids}; : >{ready}; sleep 300; echo never",
        pids = pids.display(),
        ready = ready.display()
    );

    let result = cancel_when(&shell, &text, &ready).await;

    assert_eq!(result.outcome, ExitOutcome::Cancelled);
    assert_eq!(output_of(&result), "");
    for pid in std::fs::read_to_string(pids).unwrap().lines() {
        let pid = pid.parse().unwrap();
        eventually("the command's process is gone", || !is_alive(pid)).await;
    }
    let older = older.trim().parse().unwrap();
    assert!(is_alive(older));
    assert_eq!(answer(&shell, "echo on").await.0, "on\n");
    shell.close().await;
    eventually("the older job is gone with the session", || !is_alive(older)).await;
}

#[tokio::test]
async fn background_children_are_listed_and_their_late_output_is_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let shell = session();

    let text = format!(
        "(until [ -e {} ]; do sleep 0.01; done; echo late; exec sleep 300) & echo now",
        go.display()
    );
    let result = run(&shell, &text).await;

    assert_eq!(output_of(&result), "now\n");
    assert!(!result.survivors.is_empty());
    assert!(shell.live_background_job_count().await > 0);
    std::fs::write(&go, "").unwrap();
    eventually("late output", || shell.late_output() == "late\n").await;
    assert_eq!(answer(&shell, "echo next").await.0, "next\n");
    shell.close().await;
}

#[tokio::test]
async fn output_larger_than_any_pipe_is_whole() {
    let shell = session();

    let result = run(&shell, "head -c 3000000 /dev/zero | tr '\\0' x").await;

    assert_eq!(result.output.unwrap().total_bytes, 3_000_000);
    shell.close().await;
}

#[tokio::test]
async fn a_copy_runs_beside_the_session_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (go, there) = (folder.path().join("go"), folder.path().join("there"));
    let shell = session();
    run(&shell, "A=1").await;
    let text =
        format!(": >{}; until [ -e {} ]; do sleep 0.01; done; A=2", there.display(), go.display());
    let running = tokio::spawn({
        let shell = shell.clone();
        async move { run(&shell, &text).await }
    });
    eventually("the command runs", || there.exists()).await;

    let text = "echo $A; A=3; trap -p; sleep 300 >/dev/null 2>&1 &";
    let options = RunOptions { concurrency: Concurrency::Clone, ..command(text) };
    let copy = attempt(&shell, options).await.unwrap();

    assert_eq!(output_of(&copy), "1\n", "it has no trap of ours, since no one reads its state");
    assert_eq!((copy.survivors.len(), copy.lost_with_shell.len()), (1, 0));
    std::fs::write(&go, "").unwrap();
    running.await.unwrap();
    assert_eq!(answer(&shell, "echo $A").await.0, "2\n");
    shell.close().await;
}

#[tokio::test]
async fn a_snapshot_is_sourced_once_and_left_out_where_it_ends_bash() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = folder.path().join("snapshot");
    for (text, expected) in [("hi() { echo hi $N; }; N=1", "hi 1\n"), ("exit 3", "none\n")] {
        std::fs::write(&snapshot, text).unwrap();
        let shell = Shell::new(ShellOptions {
            snapshot_path: Some(snapshot.clone()),
            session_env: vec![("S".to_owned(), "set".to_owned())],
            ..options()
        })
        .unwrap();

        assert_eq!(answer(&shell, "hi 2>/dev/null || echo none").await.0, expected);
        assert_eq!(answer(&shell, "N=2; sh -c 'echo $S'").await.0, "set\n");
        assert_eq!(
            answer(&shell, "hi 2>/dev/null || echo none").await.0,
            expected.replace('1', "2")
        );
        shell.close().await;
    }
}

#[tokio::test]
async fn a_name_that_bash_cannot_have_is_not_run_as_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let base_env = Some(vec![
        (format!("x;: >{}", file.display()), "1".to_owned()),
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
    ]);
    let shell = Shell::new(ShellOptions { base_env, ..options() }).unwrap();

    for _ in 0..2 {
        assert_eq!(answer(&shell, "echo on").await.0, "on\n");
    }
    assert!(!file.exists());
    shell.close().await;
}

/// There is one in `/proc`: a thread of this process is none of bash's.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_directory_that_only_bash_cannot_enter_is_refused_and_the_session_goes_on() {
    let shell = session();
    run(&shell, "A=kept").await;
    let cwd = format!("/proc/self/task/{}", std::process::id());
    let options = RunOptions { cwd: Some(cwd.into()), ..command("A=lost") };

    let error = attempt(&shell, options).await.unwrap_err();

    assert_eq!(error.code(), "PI_CWD_DENIED");
    assert_eq!(answer(&shell, "echo $A").await.0, "kept\n");
    shell.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_bash_that_is_stopped_before_it_took_the_command_is_a_bash_all_the_same() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let slow = folder.path().join("bash");
    std::fs::write(&slow, "#!/bin/sh\nexec sleep 300\n").unwrap();
    std::fs::set_permissions(&slow, std::fs::Permissions::from_mode(0o755)).unwrap();
    let shell = Shell::new(ShellOptions { shell: Some(slow), ..options() }).unwrap();

    let timeout = Some(Duration::from_millis(10));
    let result = attempt(&shell, RunOptions { timeout, ..command("true") }).await.unwrap();

    assert_eq!(result.outcome, ExitOutcome::TimedOut);
    shell.close().await;
}

#[tokio::test]
async fn a_program_that_is_no_bash_is_refused() {
    let shell = Shell::new(ShellOptions { shell: Some("/bin/cat".into()), ..options() }).unwrap();

    let error = attempt(&shell, command("true")).await.unwrap_err();

    assert_eq!(error.code(), "PI_UNUSABLE_SHELL");
    shell.close().await;
}

#[tokio::test]
async fn a_closed_session_runs_nothing() {
    let shell = session();
    run(&shell, "true").await;
    shell.close().await;

    assert_eq!(attempt(&shell, command("true")).await.unwrap_err().code(), "PI_SHELL_CLOSED");
}
