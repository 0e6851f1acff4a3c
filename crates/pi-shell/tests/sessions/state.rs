//! What a session keeps from one command to the next, and what is scoped to a command.

use std::path::Path;
use std::time::Duration;

use pi_shell::{Concurrency, ExitOutcome, RunOptions};

use crate::support::{answer, attempt, command, output_of, run, session, shell_options};

#[tokio::test]
async fn a_directory_that_the_session_is_in_already_is_not_changed_to() {
    let shell = session();
    let here = |text: &str| RunOptions { cwd: Some("/usr".into()), ..command(text) };
    attempt(&shell, here("cd /tmp; cd /usr")).await.unwrap();

    for _ in 0..2 {
        let result = attempt(&shell, here("echo $PWD $OLDPWD")).await.unwrap();
        assert_eq!(output_of(&result), "/usr /tmp\n");
    }
    let result = attempt(&shell, here("cd - >/dev/null; pwd")).await.unwrap();
    assert_eq!(output_of(&result), "/tmp\n");
    let result = attempt(&shell, here("pwd")).await.unwrap();
    assert_eq!(output_of(&result), "/usr\n");
    shell.close().await;
}

#[tokio::test]
async fn a_directory_that_was_made_again_is_changed_to() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let shell = session();
    let here = |text: &str| RunOptions { cwd: Some(work.clone()), ..command(text) };
    attempt(&shell, here("rm -rf ../work; mkdir ../work")).await.unwrap();

    let result = attempt(&shell, here("touch file && pwd -P")).await.unwrap();

    assert_eq!(output_of(&result).trim_end(), work.canonicalize().unwrap().to_str().unwrap());
    assert!(work.join("file").exists());
    shell.close().await;
}

#[tokio::test]
async fn directory_variables_functions_aliases_options_and_umask_stay() {
    let shell = session();
    run(
        &shell,
        "cd /usr; export A=1; f(){ echo F$A; }; shopt -s expand_aliases; alias g='echo G'; set -o pipefail; umask 027",
    )
    .await;

    let (output, status) = answer(&shell, "pwd; f; g; set -o | grep pipefail; umask").await;

    assert_eq!(output, "/usr\nF1\nG\npipefail       \ton\n0027\n");
    assert_eq!(status, 0);
    shell.close().await;
}

#[tokio::test]
async fn the_status_of_a_command_is_seen_by_the_next() {
    let shell = session();

    assert_eq!(answer(&shell, "(exit 37)").await.1, 37);
    assert_eq!(answer(&shell, "echo $?").await.0, "37\n");
    assert_eq!(answer(&shell, "echo $?").await.0, "0\n");
    shell.close().await;
}

#[tokio::test]
async fn jobs_go_on_across_commands() {
    if crate::support::is_per_command() {
        // A job table ends with its bash: see `per_command/carrying.rs`.
        return;
    }
    let shell = session();
    run(&shell, "sleep 300 &").await;

    let (output, _) = answer(&shell, "jobs; kill %1; wait %1; echo $?").await;

    assert!(output.contains("Running"), "{output}");
    assert!(output.ends_with("143\n"), "{output}");
    shell.close().await;
}

#[tokio::test]
async fn errexit_redirections_and_exit_traps_end_with_their_command() {
    let shell = session();

    assert_eq!(answer(&shell, "set -e; true").await.1, 0);
    assert_eq!(answer(&shell, "false; echo after").await.0, "after\n");
    run(&shell, "exec >/dev/null 2>&1").await;
    assert_eq!(answer(&shell, "echo visible").await.0, "visible\n");
    assert_eq!(
        answer(&shell, "trap 'echo bye $?' EXIT; (exit 3)").await,
        ("bye 3\n".to_owned(), 3)
    );
    assert_eq!(answer(&shell, "echo next").await.0, "next\n");
    assert_eq!(answer(&shell, "trap 'echo bye' EXIT; exit 4").await, ("bye\n".to_owned(), 4));
    shell.close().await;
}

#[tokio::test]
async fn signal_traps_are_the_users_own_also_after_a_rollback() {
    let shell = session();
    run(&shell, "trap 'echo usr' USR1; trap '' HUP").await;
    run(&shell, "kill -9 $$").await;

    let (output, _) = answer(&shell, "trap; sleep 300 & kill %1; wait %1; echo $?").await;

    assert!(output.contains("trap -- 'echo usr' SIGUSR1\n"), "{output}");
    assert!(output.contains("trap -- '' SIGHUP\n"), "{output}");
    assert!(!output.contains("SIGTERM"), "{output}");
    assert!(output.ends_with("143\n"), "{output}");
    shell.close().await;
}

#[tokio::test]
async fn nounset_and_tracing_stay_and_show_nothing_of_the_driver() {
    let shell = session();
    run(&shell, "PS4='$(echo INJ >&2)+ '; set -x").await;

    let (output, _) = answer(&shell, "echo hi").await;

    assert_eq!(output.lines().filter(|line| line.ends_with("echo hi")).count(), 1, "{output}");
    assert!(!output.contains("__pi"), "{output}");
    run(&shell, "set +x; set -u").await;
    assert_ne!(answer(&shell, "echo $NOPE").await.1, 0);
    shell.close().await;
}

#[tokio::test]
async fn the_environment_of_a_call_is_gone_afterwards() {
    let shell = session();
    let value = "a'b\"c$(touch /tmp/never)\\`id\\`\n é🙂 ";
    let options = RunOptions {
        env: vec![("X".to_owned(), value.to_owned())],
        ..command("printf %s \"$X\"; sh -c 'printf %s \"$X\"'")
    };

    let result = attempt(&shell, options).await.unwrap();

    assert_eq!(output_of(&result), format!("{value}{value}"));
    assert_eq!(answer(&shell, "echo \"[${X-}]\"").await.0, "[]\n");
    shell.close().await;
}

#[tokio::test]
async fn the_environment_of_a_call_is_gone_afterwards_in_posix_mode_too() {
    let shell = session();
    run(&shell, "set -o posix").await;
    for (text, expected) in [("echo $A; sh -c 'echo $A'", "call\ncall\n"), ("exit 3", "")] {
        let options =
            RunOptions { env: vec![("A".to_owned(), "call".to_owned())], ..command(text) };

        assert_eq!(output_of(&attempt(&shell, options).await.unwrap()), expected);
        let (output, _) = answer(&shell, "echo ${A-unset}; set -o | grep posix").await;

        assert_eq!(output, "unset\nposix          \ton\n");
    }
    shell.close().await;
}

#[tokio::test]
async fn a_relative_directory_is_taken_from_one_whose_name_is_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let shell = session();
    let (output, status) = answer(
        &shell,
        &format!("cd {}; mkdir -p $'a\\xff b/sub'; cd $'a\\xff b'", folder.path().display()),
    )
    .await;
    assert_eq!((output.as_str(), status), ("", 0));

    let options = RunOptions { cwd: Some("sub".into()), ..command("pwd | od -An -c") };
    let result = attempt(&shell, options).await.unwrap();

    assert!(output_of(&result).contains("a 377       b   /   s   u   b"), "{}", output_of(&result));
    assert!(result.working_dir.unwrap().ends_with("sub"));
    run(&shell, "exit").await;
    assert!(answer(&shell, "pwd | od -An -c").await.0.contains("377"));
    shell.close().await;
}

#[tokio::test]
async fn arguments_the_directory_stack_and_the_last_directory_outlive_the_shell() {
    for end in ["exit 3", "kill -9 $$"] {
        let shell = session();
        run(&shell, "cd /usr; cd /; set -- 'a b' $'c\\n*' ''; pushd /usr; pushd '/usr/bin'").await;

        run(&shell, end).await;

        let (output, _) =
            answer(&shell, "printf '<%s>' $# \"$@\"; dirs; echo ${OLDPWD}; cd -").await;
        assert_eq!(output, "<3><a b><c\n*><>/usr/bin /usr /\n/usr\n/usr\n", "{end}");
        shell.close().await;
    }
}

#[tokio::test]
async fn pt_13_a_session_whose_shell_stopped_itself_ends_it_at_the_deadline_and_goes_on() {
    let shell = session();
    run(&shell, "A=1; cd /usr").await;

    let options = RunOptions {
        timeout: Some(Duration::from_secs(1)),
        ..command("B=2; kill -STOP $$; echo never")
    };
    let result = attempt(&shell, options).await.unwrap();

    assert_eq!(result.outcome, ExitOutcome::TimedOut);
    assert_eq!(output_of(&result), "");
    assert_eq!(answer(&shell, "echo $A$B; pwd").await.0, "12\n/usr\n");
    shell.close().await;
}

#[tokio::test]
async fn a_directory_given_with_a_call_is_where_the_session_stays() {
    let shell = session();
    let options = RunOptions { cwd: Some("/usr/lib".into()), ..command("pwd") };

    let result = attempt(&shell, options).await.unwrap();

    assert_eq!(output_of(&result), "/usr/lib\n");
    assert_eq!(answer(&shell, "pwd").await.0, "/usr/lib\n");
    assert_eq!(result.working_dir.as_deref(), Some(Path::new("/usr/lib")));
    shell.close().await;
}

#[tokio::test]
async fn a_missing_directory_is_refused_and_the_session_goes_on() {
    let shell = session();
    let options = RunOptions { cwd: Some("/nope".into()), ..command("echo never") };

    let error = attempt(&shell, options).await.unwrap_err();

    assert_eq!(error.to_string(), "Working directory does not exist: /nope");
    assert_eq!(answer(&shell, "echo ok").await.0, "ok\n");
    shell.close().await;
}

#[tokio::test]
async fn errors_name_bash_and_the_line_of_the_command() {
    let shell = session();

    for _ in 0..3 {
        let (output, status) = answer(&shell, "true\ntrue\nnope_xyz").await;

        assert_eq!(output, "bash: line 3: nope_xyz: command not found\n");
        assert_eq!(status, 127);
    }
    shell.close().await;
}

#[tokio::test]
async fn a_command_of_any_size_and_alphabet_runs_as_it_is() {
    let shell = session();
    let long = format!(": '{}'; echo ok", "x".repeat(300_000));

    assert_eq!(answer(&shell, &long).await, ("ok\n".to_owned(), 0));
    assert_eq!(answer(&shell, "echo 'é🙂\u{1}\r'|od -An -c|head -1").await.1, 0);
    assert_eq!(answer(&shell, "x='a!b'; echo \"$x\" '!x' \\!").await.0, "a!b !x !\n");
    assert_eq!(answer(&shell, "printf abc").await.0, "abc");
    assert_eq!(answer(&shell, "").await, (String::new(), 0));
    shell.close().await;
}

#[tokio::test]
async fn a_one_shot_counts_its_lines_from_one_and_loses_nothing() {
    let observer = std::sync::Arc::new(crate::support::Recorder::default());
    let options = command("echo $LINENO\n\necho $LINENO\nnope_xyz\nset -r");
    let cancel = tokio_util::sync::CancellationToken::new();

    let result = pi_shell::execute_shell(shell_options(), options, observer, cancel).await.unwrap();

    assert_eq!(output_of(&result), "1\n3\nbash: line 4: nope_xyz: command not found\n");
    assert!(!result.session_reset, "no command comes that misses the shell");
}

#[tokio::test]
async fn a_one_shot_waits_for_no_session_to_be_copied() {
    let observer = std::sync::Arc::new(crate::support::Recorder::default());
    let options = RunOptions { concurrency: Concurrency::Clone, ..command("echo alone") };
    let cancel = tokio_util::sync::CancellationToken::new();

    let result = pi_shell::execute_shell(shell_options(), options, observer, cancel).await.unwrap();

    assert_eq!(output_of(&result), "alone\n");
}

#[tokio::test]
async fn the_session_begins_with_its_variables_snapshot_and_directory() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = folder.path().join("snapshot.sh");
    std::fs::write(&snapshot, "hello(){ echo hello; }\necho noise\n").unwrap();
    let mut options = shell_options();
    options.session_env = vec![("S".to_owned(), "it's".to_owned())];
    options.snapshot_path = Some(snapshot);
    options.cwd = Some("/usr".into());
    let shell = pi_shell::Shell::new(options).unwrap();

    assert_eq!(answer(&shell, "hello; echo $S; pwd").await.0, "hello\nit's\n/usr\n");
    shell.close().await;
}

#[tokio::test]
async fn rc_01_a_snapshot_that_ends_or_hangs_the_shell_is_left_out() {
    for text in ["exit 3", "exec cat", "sleep 60", "set -e; false"] {
        let folder = tempfile::tempdir().unwrap();
        let snapshot = folder.path().join("snapshot.sh");
        std::fs::write(&snapshot, text).unwrap();
        let mut options = shell_options();
        options.snapshot_path = Some(snapshot);
        let shell = pi_shell::Shell::new(options).unwrap();

        assert_eq!(answer(&shell, "echo ok").await, ("ok\n".to_owned(), 0), "{text}");
        shell.close().await;
    }
}

#[tokio::test]
async fn rs_04_a_shell_that_is_no_bash_is_refused_by_path() {
    for path in ["/bin/cat", "/bin/true", "/bin/dash"] {
        let mut options = shell_options();
        options.shell = Some(path.into());
        let shell = pi_shell::Shell::new(options).unwrap();

        let error = attempt(&shell, command("echo ok")).await.unwrap_err();

        assert_eq!(error.code(), "PI_UNUSABLE_SHELL", "{error}");
        assert!(error.to_string().contains(path), "{error}");
        shell.close().await;
    }
}

#[tokio::test]
async fn a_deadline_ends_the_command_and_keeps_the_state() {
    let shell = session();
    run(&shell, "V=kept").await;
    let options = RunOptions {
        timeout: Some(Duration::from_millis(300)),
        ..command("W=1; for i in 1 2 3; do echo line$i; done; sleep 300; echo never")
    };

    let result = attempt(&shell, options).await.unwrap();

    assert_eq!(result.outcome, ExitOutcome::TimedOut);
    assert_eq!(output_of(&result), "line1\nline2\nline3\n");
    assert_eq!(answer(&shell, "echo $V $W").await.0, "kept 1\n");
    shell.close().await;
}

#[tokio::test]
async fn a_long_text_full_of_quotes_is_read_in_a_moment() {
    let shell = session();
    let body = "some 'text' \"line\" \\ $x\n".repeat(60_000);
    let text = format!("cat <<'END' | wc -c\n{body}END\n");

    assert_eq!(answer(&shell, &text).await.0, format!("{}\n", body.len()));
    shell.close().await;
}
