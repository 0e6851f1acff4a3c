//! Read-only commands: what they see, what is kept of them, and that the session goes on as before.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::time::Duration;

use pi_shell::{Concurrency, ExitOutcome, RunOptions, RunResult, Shell, ShellOptions};
use tokio_util::sync::CancellationToken;

use crate::support::{
    PATIENCE, Recorder, answer, attempt, command, eventually, output_of, run, session, status_of,
};

pub(crate) fn read_only(text: &str) -> RunOptions {
    RunOptions { read_only: true, ..command(text) }
}

/// Output and status of a read-only command.
pub(crate) async fn read(shell: &Shell, text: &str) -> (String, i32) {
    let result = attempt(shell, read_only(text)).await.unwrap();
    assert!(result.read_only.is_some(), "it was not confined");
    (output_of(&result), status_of(&result))
}

fn drops_state(result: &RunResult) -> bool {
    result.read_only.as_ref().unwrap().state_dropped
}

#[tokio::test]
async fn sees_the_state_and_the_folder_of_the_session() {
    let shell = session();
    run(&shell, "V=1; list=(a 'b c'); f() { echo F; }; shopt -s extglob; cd /usr; set -o pipefail")
        .await;

    let (seen, status) =
        read(&shell, "echo $V ${list[1]} $(f); pwd; shopt -q extglob && true | true").await;

    assert_eq!((seen.as_str(), status), ("1 b c F\n/usr\n", 0));
    run(&shell, "V=2").await;
    assert_eq!(read(&shell, "echo $V").await.0, "2\n");
    shell.close().await;
}

#[tokio::test]
async fn what_a_command_prints_arrives_by_every_name_of_its_output() {
    let shell = session();
    let text = "echo a > /dev/stderr; echo b > /dev/stdout; echo c | tee /dev/stderr; echo d > /dev/fd/2; \
                echo e > /proc/self/fd/1; echo f >&2; cat <<< g; cat <(echo h); echo i > /dev/null; \
                for i in {1..9000}; do echo 0123456789; done | { cat > /dev/null; echo j; }";

    assert_eq!(read(&shell, text).await, ("a\nb\nc\nc\nd\ne\nf\ng\nh\nj\n".to_owned(), 0));
    shell.close().await;
}

#[tokio::test]
async fn has_a_folder_of_its_own_for_temporary_files() {
    let shell = session();
    run(&shell, "export TMPDIR=/usr; readonly TMPDIR").await;

    let (first, _) = read(&shell, "f=$(mktemp) && echo kept > $f && cat $f && echo $TMPDIR").await;
    let folder = first.strip_prefix("kept\n").unwrap().trim();
    // More than a pipe holds, so bash writes it down.
    let document = format!("cat << 'END' | wc -c\n{}\nEND\n", "x".repeat(200_000));

    assert!(folder.ends_with("/read-only"), "{folder}");
    assert_eq!(read(&shell, &document).await, ("200001\n".to_owned(), 0));
    assert_eq!(answer(&shell, "echo $TMPDIR").await.0, "/usr\n");
    shell.close().await;
    assert!(!std::path::Path::new(folder).exists());
}

#[tokio::test]
async fn the_session_follows_to_the_folder_and_keeps_the_status() {
    let shell = session();
    run(&shell, "cd /etc").await;

    let result = attempt(&shell, read_only("cd /usr && cd bin/.. && V=1; exit 3")).await.unwrap();

    assert_eq!(result.working_dir.as_deref(), Some(std::path::Path::new("/usr")));
    assert_eq!(answer(&shell, "echo $? $PWD $OLDPWD ${V-unset}").await.0, "3 /usr /etc unset\n");
    assert_eq!(read(&shell, "false").await.1, 1);
    assert_eq!(answer(&shell, "echo $?").await.0, "1\n");
    assert_eq!(read(&shell, "pwd").await.0, "/usr\n");
    assert_eq!(answer(&shell, "cd - > /dev/null; pwd").await.0, "/etc\n");
    shell.close().await;
}

#[tokio::test]
async fn a_folder_that_is_gone_is_not_followed() {
    let scratch = tempfile::tempdir().unwrap();
    let inner = scratch.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let shell = session();
    run(&shell, "cd /usr").await;
    let go = scratch.path().join("go");
    let text =
        format!("cd {}; until [ -e {} ]; do sleep 0.01; done", inner.display(), go.display());
    let begun = tokio::spawn({
        let shell = shell.clone();
        async move { attempt(&shell, read_only(&text)).await.unwrap() }
    });
    fs::remove_dir(&inner).unwrap();
    fs::write(&go, "").unwrap();

    let result = tokio::time::timeout(PATIENCE, begun).await.unwrap().unwrap();

    assert_eq!(result.working_dir.as_deref(), Some(std::path::Path::new("/usr")));
    assert_eq!(answer(&shell, "pwd").await.0, "/usr\n");
    shell.close().await;
}

#[tokio::test]
async fn beside_the_session_nothing_of_it_is_kept() {
    let shell = session();
    run(&shell, "cd /usr").await;
    let beside = |text: &str| RunOptions { concurrency: Concurrency::Clone, ..read_only(text) };

    let result = attempt(&shell, beside("cd /; pwd; false")).await.unwrap();

    assert_eq!(output_of(&result), "/\n");
    assert_eq!(result.working_dir.as_deref(), Some(std::path::Path::new("/usr")));
    assert_eq!(answer(&shell, "echo $?; pwd").await.0, "0\n/usr\n");
    shell.close().await;
}

#[tokio::test]
async fn a_change_of_the_sessions_state_is_reported_and_what_most_lines_leave_is_not() {
    let shell = session();
    run(&shell, "V=1; export E=1; a=(1 2); f() { :; }; shopt -s expand_aliases; alias l=ls").await;
    for text in [
        "V=2",
        "unset V",
        "export V",
        "export NEW=1",
        "f() { echo; }; true",
        "g() { :; }",
        "unset -f f",
        "set -o noglob",
        "shopt -s nullglob",
        "alias m=ls",
        "unalias l",
        "trap 'echo' USR1",
        "umask 077",
        "export TZ=UTC; date > /dev/null",
    ] {
        let result = attempt(&shell, read_only(text)).await.unwrap();
        assert!(drops_state(&result), "{text}");
    }
    for text in [
        "ls / > /dev/null",
        "for i in a b; do echo $i; done",
        "x=$(echo y); echo ${x}",
        "cd /usr; cd /",
        "V=1; E=1",
        "f; [[ abc =~ b ]]; read < /dev/null",
        "(V=2); V=2 env > /dev/null",
        "set -e; trap 'echo bye' EXIT; true",
    ] {
        let result = attempt(&shell, read_only(text)).await.unwrap();
        assert!(!drops_state(&result), "{text}");
    }
    let with_variables =
        RunOptions { env: vec![("E".into(), "2".into())], ..read_only("echo ${E}") };
    let result = attempt(&shell, with_variables).await.unwrap();
    assert_eq!((output_of(&result).as_str(), drops_state(&result)), ("2\n", false));
    assert_eq!(answer(&shell, "echo $V $E; f; umask").await.0, "1 1\n0022\n");
    shell.close().await;
}

#[tokio::test]
async fn takes_the_directory_and_the_variables_of_its_call() {
    let shell = session();
    let options = RunOptions {
        cwd: Some("/usr".into()),
        env: vec![("A".to_owned(), "it's".to_owned())],
        ..read_only("pwd; echo $A; env | grep ^A=")
    };

    let result = attempt(&shell, options).await.unwrap();

    assert_eq!(output_of(&result), "/usr\nit's\nA=it's\n");
    let missing = RunOptions { cwd: Some("/no/such".into()), ..read_only("pwd") };
    assert_eq!(attempt(&shell, missing).await.unwrap_err().code(), "PI_MISSING_CWD");
    shell.close().await;
}

#[tokio::test]
async fn many_run_at_once() {
    let shell = session();
    run(&shell, "V=kept").await;
    let all: Vec<_> = (0..24)
        .map(|number| {
            let shell = shell.clone();
            let options = RunOptions {
                concurrency: Concurrency::Clone,
                ..read_only(&format!("sleep 0.05; echo $V {number}"))
            };
            tokio::spawn(async move { output_of(&attempt(&shell, options).await.unwrap()) })
        })
        .collect();
    for (number, one) in all.into_iter().enumerate() {
        let output = tokio::time::timeout(PATIENCE, one).await.unwrap().unwrap();
        assert_eq!(output, format!("kept {number}\n"));
    }
    shell.close().await;
}

#[tokio::test]
async fn is_stopped_at_its_deadline_and_when_it_is_cancelled() {
    let shell = session();
    let timed = RunOptions {
        timeout: Some(Duration::from_millis(200)),
        ..read_only("trap 'echo bye' EXIT; echo begun; sleep 60 | cat")
    };
    let result = attempt(&shell, timed).await.unwrap();
    assert_eq!(result.outcome, ExitOutcome::TimedOut);
    assert!(output_of(&result).starts_with("begun\n"), "{}", output_of(&result));
    assert!(result.survivors.is_empty());

    let (recorder, cancel) = (Arc::new(Recorder::default()), CancellationToken::new());
    let begun = tokio::spawn({
        let (shell, recorder, cancel) = (shell.clone(), Arc::clone(&recorder), cancel.clone());
        let text = "echo begun; while :; do :; done";
        async move { shell.run(read_only(text), recorder, cancel).await.unwrap() }
    });
    eventually("it begins", || recorder.text().contains("begun")).await;
    cancel.cancel();
    let result = tokio::time::timeout(PATIENCE, begun).await.unwrap().unwrap();
    assert_eq!(result.outcome, ExitOutcome::Cancelled);
    assert_eq!(answer(&shell, "echo on").await.0, "on\n");
    shell.close().await;
}

#[tokio::test]
async fn a_command_that_ends_its_own_shell_harms_nothing() {
    let shell = session();
    run(&shell, "V=kept").await;

    assert_eq!(read(&shell, "kill -9 $BASHPID").await.1, 137);
    assert_eq!(read(&shell, "exec echo replaced").await, ("replaced\n".to_owned(), 0));
    assert_eq!(
        read(&shell, "exec 3>&-; for f in /proc/self/fd/*; do eval \"exec ${f##*/}>&-\"; done")
            .await
            .0,
        ""
    );
    // All that it may reach: not the copy it was made from, nor the session.
    read(&shell, "kill -9 -1; kill -9 0").await;

    assert_eq!(read(&shell, "echo $V").await.0, "kept\n");
    let result = run(&shell, "echo $V").await;
    assert_eq!((output_of(&result).as_str(), result.session_reset), ("kept\n", false));
    shell.close().await;
}

#[tokio::test]
async fn what_it_leaves_in_the_background_is_reported_and_stays_confined() {
    let scratch = tempfile::tempdir().unwrap();
    let (go, victim) = (scratch.path().join("go"), scratch.path().join("victim"));
    let shell = session();
    let text = format!(
        "(until [ -e {} ]; do sleep 0.01; done; echo late; echo x > {}) & echo begun",
        go.display(),
        victim.display()
    );

    let result = attempt(&shell, read_only(&text)).await.unwrap();

    assert_eq!(output_of(&result), "begun\n");
    assert!(!result.survivors.is_empty());
    fs::write(&go, "").unwrap();
    eventually("it is refused", || shell.late_output().contains("Permission denied")).await;
    assert!(shell.late_output().starts_with("late\n"));
    assert!(!victim.exists());
    shell.close().await;
}

#[tokio::test]
async fn a_command_that_is_handed_over_goes_on_beside_the_session_and_is_not_followed() {
    let scratch = tempfile::tempdir().unwrap();
    let go = scratch.path().join("go");
    let shell = session();
    run(&shell, "V=kept; cd /usr; sleep 60 &").await;
    let text = format!("cd /; until [ -e {} ]; do sleep 0.01; done; echo $V", go.display());
    let begun = tokio::spawn({
        let shell = shell.clone();
        async move { attempt(&shell, read_only(&text)).await.unwrap() }
    });

    assert!(shell.hand_over().await);
    assert_eq!(
        answer(&shell, "pwd; jobs | wc -l").await.0,
        "/usr\n1\n",
        "the shell is the same one"
    );
    fs::write(&go, "").unwrap();
    let result = tokio::time::timeout(PATIENCE, begun).await.unwrap().unwrap();
    assert_eq!(output_of(&result), "kept\n");
    assert_eq!(answer(&shell, "pwd").await.0, "/usr\n");
    shell.close().await;
}

#[tokio::test]
async fn nothing_is_run_where_an_attempt_to_write_succeeds() {
    // A program that makes the attempts and says so of one.
    let scratch = tempfile::tempdir().unwrap();
    let program = scratch.path().join("supervisor");
    let options = crate::support::shell_options();
    let real = options.supervisor.as_ref().unwrap().display();
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --probe-read-only ] || exec {real} \"$@\"\n\
         {real} \"$@\" | sed 's/^write .*/write possible/'\n"
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let shell = Shell::new(ShellOptions { supervisor: Some(program), ..options }).unwrap();

    for _ in 0..2 {
        let refused = attempt(&shell, read_only("echo ran")).await.unwrap_err();
        assert_eq!(refused.code(), "PI_READ_ONLY_UNAVAILABLE", "{refused}");
        assert!(refused.to_string().contains("`write` was possible"), "{refused}");
    }
    assert_eq!(answer(&shell, "echo here").await.0, "here\n", "any other command is");
    shell.close().await;
}

#[tokio::test]
async fn a_one_shot_can_be_read_only() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("file");
    let options = read_only(&format!("echo x > {}; echo done", path.display()));
    let observer = Arc::new(Recorder::default());

    let run = pi_shell::execute_shell(
        crate::support::shell_options(),
        options,
        observer,
        CancellationToken::new(),
    );
    let result = tokio::time::timeout(PATIENCE, run).await.unwrap().unwrap();

    assert!(output_of(&result).ends_with("Permission denied\ndone\n"), "{}", output_of(&result));
    assert!(!path.exists() && result.read_only.is_some());
}

#[tokio::test]
async fn a_shell_that_died_between_two_commands_is_replaced_first() {
    let shell = session();
    let (pid, _) = answer(&shell, "V=kept; echo $$").await;
    attempt(&shell, read_only("true")).await.unwrap();
    let killed = std::process::Command::new("kill").args(["-9", pid.trim()]).status().unwrap();
    assert!(killed.success());

    assert_eq!(read(&shell, "echo $V").await, ("kept\n".to_owned(), 0));
    assert_eq!(answer(&shell, "echo $V").await.0, "kept\n");
    shell.close().await;
}

#[tokio::test]
async fn a_folder_that_a_command_barred_goes_with_the_session() {
    let shell = session();
    let text = "mkdir -p $TMPDIR/a/b; umask 777; mkdir $TMPDIR/a/b/c $TMPDIR/x; echo $TMPDIR";
    let folder = read(&shell, text).await.0;
    let folder = std::path::Path::new(folder.trim()).to_path_buf();
    assert!(folder.join("a/b/c").exists());

    shell.close().await;
    drop(shell);

    eventually("it is removed", || !folder.exists()).await;
}
