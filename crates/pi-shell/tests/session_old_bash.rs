//! Sessions on a bash that is too old to be kept. None is to be had here, so it is a stand-in: this
//! machine's bash, which tells another version of itself.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use pi_shell::{
    Concurrency, RunOptions, SandboxMode, SandboxNetwork, SandboxOptions, Shell, ShellOptions,
    execute_shell,
};
use support::{Recorder, answer, attempt, command, output_of, run, shell_options};
use tokio_util::sync::CancellationToken;

/// Runs bash, but for the text that loads the driver: an old one does not greet.
const STAND_IN: &str = r#"#!/bin/sh
case "$*" in
    *boot*) exit 1 ;;
    *) exec bash "$@" ;;
esac
"#;

/// Options of a session on the stand-in in `folder`.
fn old(folder: &std::path::Path) -> ShellOptions {
    let shell = folder.join("bash");
    std::fs::write(&shell, STAND_IN).unwrap();
    std::fs::set_permissions(&shell, std::fs::Permissions::from_mode(0o755)).unwrap();
    ShellOptions { shell: Some(shell), kind: None, ..shell_options() }
}

#[tokio::test]
async fn each_command_has_a_bash_of_its_own_and_the_state_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    // The second session knows from the first, and starts no shell to find out.
    for _ in 0..2 {
        let shell = Shell::new(old(folder.path())).unwrap();

        let (first, _) = answer(&shell, "cd /usr; V=kept; echo $$").await;
        let (next, status) = answer(&shell, "echo $V; pwd; echo $$").await;

        assert_eq!((next.strip_suffix(&first), status), (None, 0), "another process");
        assert!(next.starts_with("kept\n/usr\n"), "{next}");
        assert!(!run(&shell, "true").await.session_reset);
        shell.close().await;
    }
}

#[tokio::test]
async fn a_copy_a_one_shot_and_a_read_only_command_may_be_what_finds_out() {
    let folder = tempfile::tempdir().unwrap();
    let shell = Shell::new(old(folder.path())).unwrap();
    let copy = RunOptions { concurrency: Concurrency::Clone, ..command("echo copy") };
    assert_eq!(output_of(&attempt(&shell, copy).await.unwrap()), "copy\n");
    assert_eq!(answer(&shell, "echo session").await.0, "session\n");
    shell.close().await;

    let folder = tempfile::tempdir().unwrap();
    let (observer, cancel) = (Arc::new(Recorder::default()), CancellationToken::new());
    let once = execute_shell(old(folder.path()), command("echo once"), observer, cancel).await;
    assert_eq!(output_of(&once.unwrap()), "once\n");

    let folder = tempfile::tempdir().unwrap();
    let shell = Shell::new(old(folder.path())).unwrap();
    let read_only = RunOptions { read_only: true, ..command("echo never") };
    let refused = attempt(&shell, read_only).await.unwrap_err();
    assert_eq!(refused.code(), "PI_READ_ONLY_UNAVAILABLE", "{refused}");
    shell.close().await;
}

#[tokio::test]
async fn an_old_bash_has_a_sandbox_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Some(SandboxOptions::new(SandboxMode::ReadOnly, SandboxNetwork::None));
    let shell = Shell::new(ShellOptions { sandbox, ..old(folder.path()) }).unwrap();
    let result = attempt(&shell, command("echo in; : >/var/tmp/pi-bash-never")).await.unwrap();
    assert!(output_of(&result).starts_with("in\n"), "{}", output_of(&result));
    assert!(result.sandbox.is_some() && !std::path::Path::new("/var/tmp/pi-bash-never").exists());
    shell.close().await;
}
