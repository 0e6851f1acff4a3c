//! What sessions that begin together share: the spare shell, and the proof of a read-only copy. Tests of their own, since a
//! process has one spare and remembers what it proved.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pi_shell::{RunOptions, Shell, ShellOptions};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::JoinSet;

use crate::support::{answer, attempt, command, driver, eventually, shell_options, status_of};

/// One after the other: each counts what is started for it.
async fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::const_new(());
    TURN.lock().await
}

/// A program that does something first and becomes another one then.
struct Wrapper {
    folder: TempDir,
    path: PathBuf,
}

impl Wrapper {
    /// `first`: text of a shell, with the folder in `$folder`.
    fn before(program: &Path, first: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let program = program.display();
        let text = format!("#!/bin/sh\nfolder=${{0%/*}}\n{first}\nexec {program} \"$@\"\n");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder, path }
    }

    /// Its processes with that argument, at this moment.
    fn running_with(&self, argument: &str) -> usize {
        let is_one = |line: &[u8]| {
            let words = String::from_utf8_lossy(line).into_owned();
            words.contains(self.path.to_str().unwrap()) && words.contains(argument)
        };
        let processes = std::fs::read_dir("/proc").unwrap();
        let lines =
            processes.filter_map(|entry| std::fs::read(entry.unwrap().path().join("cmdline")).ok());
        lines.filter(|line| is_one(line)).count()
    }
}

/// Sessions that begin together.
const SESSIONS: usize = 24;

/// What is booted for them: a bash to try the driver in, one for each, and the spare.
const BOOTED: usize = 1 + SESSIONS + 1;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_begin_together_boot_one_spare_which_the_next_one_has() {
    let _turn = alone().await;
    let bash = Wrapper::before(Path::new("/bin/bash"), "echo >>$folder/log");
    let log = bash.folder.path().join("log");
    let booted = || std::fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    let options = ShellOptions {
        shell: Some(bash.path.clone()),
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_run_their_first_read_only_command_together_prove_it_once() {
    let _turn = alone().await;
    let plain = shell_options();
    // In a read-only copy it can only take its time.
    let slow = "[ \"$1\" != --probe-read-only ] || sleep 0.3";
    let supervisor = Wrapper::before(plain.supervisor.as_deref().unwrap(), slow);
    let options = ShellOptions {
        supervisor: Some(supervisor.path.clone()),
        driver: Some(driver::object().to_path_buf()),
        ..plain
    };

    let mut answers = JoinSet::new();
    for _ in 0..8 {
        let shell = Arc::new(Shell::new(options.clone()).unwrap());
        answers.spawn(async move {
            let looks = RunOptions { read_only: true, ..command("cat /dev/null") };
            assert_eq!(status_of(&attempt(&shell, looks).await.unwrap()), 0);
            shell.close().await;
        });
    }
    let mut most = 0;
    while !answers.is_empty() {
        most = most.max(supervisor.running_with("--probe-read-only"));
        let ended = tokio::time::timeout(Duration::from_millis(5), answers.join_next()).await;
        if let Ok(Some(ended)) = ended {
            ended.unwrap();
        }
    }

    assert_eq!(most, 1);
}
