//! How many shells are booted for sessions that begin together. A test of its own, since a process has one spare.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use pi_shell::{Shell, ShellOptions};
use tokio::task::JoinSet;

use crate::support::{answer, driver, eventually, shell_options};

/// Sessions that begin together.
const SESSIONS: usize = 24;

/// What is booted for them: a bash to try the driver in, one for each, and the spare.
const BOOTED: usize = 1 + SESSIONS + 1;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_begin_together_boot_one_spare_which_the_next_one_has() {
    let folder = tempfile::tempdir().unwrap();
    let (bash, log) = (folder.path().join("bash"), folder.path().join("log"));
    std::fs::write(&bash, "#!/bin/sh\necho >>\"${0%/*}/log\"\nexec /bin/bash \"$@\"\n").unwrap();
    std::fs::set_permissions(&bash, std::fs::Permissions::from_mode(0o755)).unwrap();
    let booted = || std::fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    let options = ShellOptions {
        shell: Some(bash.clone()),
        driver: Some(driver::object().to_path_buf()),
        ..shell_options()
    };
    let session = || Arc::new(Shell::new(options.clone()).unwrap());

    let mut answers = JoinSet::new();
    for _ in 0..SESSIONS {
        let shell = session();
        answers.spawn(async move {
            assert_eq!(answer(&shell, "echo $((6 * 7))").await.0, "42\n");
            shell
        });
    }
    let shells = answers.join_all().await;
    eventually("a spare is booted", || booted() >= BOOTED).await;

    let next = session();
    answer(&next, "echo 1").await;
    eventually("the next spare is booted", || booted() > BOOTED).await;
    next.close().await;
    for shell in shells {
        shell.close().await;
    }
    assert_eq!(booted(), BOOTED + 1);
}
