//! What is reported of a driver that bash does not load. A test of its own, since the process knows one answer at a time.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;
use std::time::Instant;

use pi_shell::{
    DriverState, RunOptions, SessionKind, Shell, ShellOptions, capabilities, driver_state,
};
use tokio::sync::Mutex;

use crate::support::{PATIENCE, answer, attempt, command, driver, shell_options, skip};

/// Two tests at once would see each other's answers.
static TURN: Mutex<()> = Mutex::const_new(());

/// Any user but root and the one that runs the tests; a group that is not a private one.
const OTHER: u32 = 4242;

/// Runs a session with this driver and returns why it did without.
async fn reason_for(driver: &Path) -> String {
    reason_with(ShellOptions { driver: Some(driver.to_path_buf()), ..shell_options() }).await
}

async fn reason_with(options: ShellOptions) -> String {
    let shell = Shell::new(options).unwrap();
    let (first, _) = answer(&shell, "V=kept; echo $$").await;
    let (next, _) = answer(&shell, "echo $V $$").await;
    let read_only = RunOptions { read_only: true, ..command("echo here") };
    let read_only = attempt(&shell, read_only).await;
    shell.close().await;
    let DriverState::Unfit(reason) = driver_state() else { return "it fits".to_owned() };
    assert_eq!(capabilities().session, SessionKind::PerCommand);
    // Nothing is run without protection because the driver that gives it does not load.
    let refused = read_only.unwrap_err();
    assert_eq!(refused.code(), "PI_READ_ONLY_UNAVAILABLE", "{refused}");
    assert!(next.starts_with("kept ") && next != format!("kept {first}"), "{next}");
    reason
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn the_reason_is_in_the_words_of_bash() {
    let _turn = TURN.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("pi-driver.so");
    std::fs::write(&object, "not an object").unwrap();
    // Another file each time, so that each is tried.
    for _ in 0..5 {
        std::fs::copy(&object, folder.path().join("next")).unwrap();
        std::fs::rename(folder.path().join("next"), &object).unwrap();

        let reason = reason_for(&object).await;
        assert!(reason.contains("cannot open shared object"), "{reason}");
    }
}

#[tokio::test]
async fn what_a_bash_that_ended_has_left_running_is_not_waited_for() {
    let _turn = TURN.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let wrapper = folder.path().join("bash");
    // With the driver it ends without a word, and what it leaves could still say one.
    let text = "#!/bin/sh\n[ \"$3\" != boot ] && exec /bin/bash \"$@\"\nsleep 60 &\nexit 3\n";
    std::fs::write(&wrapper, text).unwrap();
    set_mode(&wrapper, 0o755);

    let begin = Instant::now();
    let driver = Some(driver::object().to_path_buf());
    let options = ShellOptions { shell: Some(wrapper.clone()), driver, ..shell_options() };
    let reason = reason_with(options).await;

    assert_eq!(reason, "bash ended before it took orders");
    assert!(begin.elapsed() < PATIENCE);
}

#[tokio::test]
async fn an_object_that_others_may_write_is_refused_with_the_remedy() {
    let _turn = TURN.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("pi-driver.so");
    std::fs::copy(driver::object(), &object).unwrap();
    let is_root = chown(&object, None, Some(OTHER)).is_ok();
    let refused = |what: &str| format!("{}: {what}", object.display());

    set_mode(&object, 0o646);
    assert_eq!(reason_for(&object).await, refused("can be written by everyone; `chmod go-w` it"));
    if is_root {
        set_mode(&object, 0o664);
        let expected = refused("can be written by its group (4242); `chmod g-w` it");
        assert_eq!(reason_for(&object).await, expected);
        set_mode(&object, 0o644);
        chown(&object, Some(OTHER), None).unwrap();
        let reason = reason_for(&object).await;
        let expected = refused("belongs to another user (4242); have it belong to root or to");
        assert!(reason.starts_with(&expected), "{reason}");
        chown(&object, Some(0), Some(0)).unwrap();
        // Root has no private group.
        set_mode(&object, 0o664);
        let expected = refused("can be written by its group (0); `chmod g-w` it");
        assert_eq!(reason_for(&object).await, expected);
    } else {
        skip("only root gives files to another user or group");
    }

    set_mode(&object, 0o644);
    assert_eq!(reason_for(&object).await, "it fits");
    assert_eq!(capabilities().session, SessionKind::Persistent);
}

#[tokio::test]
async fn what_is_not_a_file_is_refused_at_once() {
    let _turn = TURN.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for path in [folder.path(), &pipe] {
        let expected = format!("{}: is not a regular file", path.display());
        assert_eq!(reason_for(path).await, expected);
    }
}
