//! A bash that dies by a fault (SIGSEGV and its like): whether the next sessions have it with the driver. A test of its own,
//! since the process knows one answer at a time.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use pi_shell::{DriverState, RunOptions, RunResult, Shell, ShellOptions, driver_state};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use crate::support::{
    PATIENCE, Recorder, answer, attempt, cancel_when, command, driver, eventually, is_alive,
    output_of, run, shell_options, status_of,
};

/// Tests of one process would see each other's answers.
async fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::const_new(());
    TURN.lock().await
}

/// A bash that no other test has: of itself, or by a wrapper that has it read a file first.
struct OwnBash {
    folder: TempDir,
    path: PathBuf,
}

impl OwnBash {
    fn copied() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bash");
        std::fs::copy("/bin/bash", &path).unwrap();
        Self { folder, path }
    }

    fn that_reads_a_file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bash");
        let text = "#!/bin/sh\nexport BASH_ENV=${0%/*}/env\nexec /bin/bash \"$@\"\n";
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder, path }.with_file("")
    }

    fn with_file(self, text: &str) -> Self {
        std::fs::write(self.folder.path().join("env"), text).unwrap();
        self
    }

    /// A session. Each `number` has another environment, so that no spare shell serves it. Programs in the folder come
    /// before the system's.
    fn session(&self, number: usize) -> Shell {
        Shell::new(self.options(number)).unwrap()
    }

    fn options(&self, number: usize) -> ShellOptions {
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.folder.path().display());
        let base_env = [("PATH".to_owned(), path), ("NUMBER".to_owned(), number.to_string())];
        ShellOptions {
            shell: Some(self.path.clone()),
            driver: Some(driver::object().to_path_buf()),
            base_env: Some(base_env.to_vec()),
            ..shell_options()
        }
    }

    /// Runs a command without a session.
    async fn run_alone(&self, number: usize, text: &str) -> RunResult {
        let (observer, cancel) = (Arc::new(Recorder::default()), CancellationToken::new());
        let run = pi_shell::execute_shell(self.options(number), command(text), observer, cancel);
        tokio::time::timeout(PATIENCE, run).await.unwrap().unwrap()
    }

    /// Whether a new session has one bash for all of its commands.
    async fn is_kept(&self, number: usize) -> bool {
        let shell = self.session(number);
        let (first, _) = answer(&shell, "V=kept; echo $$").await;
        let (next, _) = answer(&shell, "echo $V $$").await;
        shell.close().await;
        assert!(next.starts_with("kept "), "whichever it is, the state goes on: {next}");
        next == format!("kept {first}")
    }
}

/// Kills a session's shell from outside, while no command runs. `is_heard_of`: the runtime has a turn before the next one.
async fn kill_idle(shell: &Shell, signal: &str, is_heard_of: bool) {
    run(shell, "V=kept").await;
    // Before a program, a standby is made with the state that there is.
    let (pid, _) = answer(shell, "/bin/true; echo $$").await;
    let pid: i32 = pid.trim().parse().unwrap();
    let killed = Command::new("kill").arg(signal).arg(pid.to_string()).status().unwrap();
    assert!(killed.success());
    while !is_heard_of && is_alive(pid) {
        std::thread::sleep(Duration::from_millis(1));
    }
    eventually("the shell is dead", || !is_alive(pid)).await;
}

fn reason() -> String {
    let DriverState::Unfit(reason) = driver_state() else { return "it fits".to_owned() };
    reason
}

fn cores_in(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with("core")).count()
}

#[tokio::test]
async fn the_second_time_that_one_dies_by_itself_new_sessions_do_without_the_driver() {
    let _turn = alone().await;
    let bash = OwnBash::copied();
    for (number, signal, is_heard_of) in [(0, "-SEGV", true), (1, "-ABRT", false)] {
        assert!(bash.is_kept(number).await, "before {signal}");
        let shell = bash.session(number);
        run(&shell, &format!("cd {}", bash.folder.path().display())).await;
        kill_idle(&shell, signal, is_heard_of).await;

        let (output, _) = answer(&shell, "echo $V $(ulimit -c)").await;
        assert_eq!(output, "kept 0\n", "the session goes on");
        shell.close().await;
    }

    assert!(!bash.is_kept(2).await);
    let reason = reason();
    let expected = "died of SIGABRT with the driver, 2 times, while it ran no command";
    assert!(reason.contains(expected), "{reason}");
    assert_eq!(cores_in(bash.folder.path()), 0);
    // What the limits of the next session are makes no difference; another file does.
    let limits = pi_shell::ResourceLimits { open_files: Some(500), ..Default::default() };
    let options = ShellOptions { limits, driver: Some(driver::object().into()), ..shell_options() };
    let limited = Shell::new(ShellOptions { shell: Some(bash.path.clone()), ..options }).unwrap();
    let (first, _) = answer(&limited, "echo $$").await;
    assert_ne!(answer(&limited, "echo $$").await.0, first);
    limited.close().await;
    assert!(OwnBash::copied().is_kept(3).await);
}

#[tokio::test]
async fn a_command_that_kills_its_own_shell_does_not_count() {
    let _turn = alone().await;
    let bash = OwnBash::copied();
    for (number, text) in [
        "kill -SEGV $$",
        "kill -ABRT $$",
        "sh -c 'kill -BUS $PPID'",
        "exec sh -c 'kill -SEGV $$'",
        "f() { f; }; ulimit -s 512; f",
    ]
    .into_iter()
    .enumerate()
    {
        let shell = bash.session(number);
        assert!(status_of(&run(&shell, text).await) > 128, "{text}");
        shell.close().await;
    }
    // After its command, by a child that outlived it and is gone when the next command finds the shell dead.
    let shell = bash.session(5);
    for _ in 0..3 {
        let (pid, _) = answer(&shell, "(sleep 0.1; kill -SEGV $$) & echo $$").await;
        let pid = pid.trim().parse().unwrap();
        eventually("the shell is dead", || !is_alive(pid)).await;
    }
    shell.close().await;
    // While it is stopped.
    let shell = bash.session(6);
    for number in 0..2 {
        let ready = bash.folder.path().join(number.to_string());
        let text = format!("trap 'kill -SEGV $$' EXIT; : >{}; sleep 60", ready.display());
        cancel_when(&shell, &text, &ready).await;
    }
    shell.close().await;
    // In a bash that no session has.
    for _ in 0..2 {
        assert!(status_of(&bash.run_alone(7, "kill -SEGV $$").await) > 128);
    }

    assert!(bash.is_kept(8).await);
}

#[tokio::test]
async fn after_a_command_s_fault_the_next_new_shell_is_tried_again() {
    let _turn = alone().await;
    let bash = OwnBash::that_reads_a_file();
    assert!(bash.is_kept(0).await);
    let bash = bash.with_file("readonly V=other\n");
    // The files of bash and driver are the same: what is remembered of them holds.
    let died = bash.run_alone(1, "echo ${V-unset}; kill -SEGV $$").await;
    assert_eq!(output_of(&died), "other\n");

    let shell = bash.session(2);
    let (first, _) = answer(&shell, "echo $$").await;
    assert_ne!(answer(&shell, "echo $$").await.0, first);
    shell.close().await;
    let reason = reason();
    assert!(reason.contains("failed the trial"), "{reason}");
}

#[tokio::test]
async fn only_a_bash_of_which_one_died_is_tried_at_length() {
    let _turn = alone().await;
    let bash = OwnBash::copied();
    // What a trial at length starts, and no other.
    let program = bash.folder.path().join("cat");
    let started = bash.folder.path().join("started");
    std::fs::write(&program, "#!/bin/sh\n: >\"${0%/*}/started\"\nexec /bin/cat\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();

    assert!(bash.is_kept(0).await);
    assert!(!started.exists(), "the first trial is the short one");
    // A program that was started and stopped at once may not have come so far.
    for number in 1.. {
        let shell = bash.session(2 * number);
        run(&shell, "kill -SEGV $$").await;
        shell.close().await;
        assert!(bash.is_kept(2 * number + 1).await);
        if started.exists() {
            break;
        }
        assert!(number < 3, "no trial at length");
    }
}

#[tokio::test]
async fn one_that_dies_in_the_trial_is_not_kept_and_the_signal_is_named() {
    let _turn = alone().await;
    let bash = OwnBash::that_reads_a_file().with_file("exit() { kill -SEGV $$; }\n");

    let shell = bash.session(0);
    let options = RunOptions { env: vec![("X".into(), "1".into())], ..command("echo $X") };
    assert_eq!(status_of(&attempt(&shell, options).await.unwrap()), 0);
    shell.close().await;

    let reason = reason();
    assert!(reason.ends_with("dead of SIGSEGV"), "{reason}");
}
