//! Where a bash cannot have the driver, or something else has its hand on it: sessions work, and no bound grows.
//!
//! What is reported of a driver that is refused stands in `driver_refused.rs`.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pi_shell::{
    DriverState, ExitOutcome, HARD_TIMEOUT_GRACE, RunOptions, Shell, ShellOptions, driver_state,
};

use crate::support::{
    PATIENCE, answer, attempt, command, eventually, is_alive, output_of, run, session,
    shell_options, skip,
};

/// Longest that a session may take to find out that its bash cannot be kept. A bound of the trial is 5 s; none may be
/// what ends it.
const FOUND_OUT_IN: Duration = Duration::from_secs(4);

/// Longest that a plain command may take after a shell was lost: half of what is waited for one that does not die.
const AT_ONCE: Duration = Duration::from_millis(2_500);

/// Output of a session's second command, which says by the first one's variable that state goes on; and whether both
/// commands had one bash.
async fn is_kept(shell: &Path) -> bool {
    let options = ShellOptions { shell: Some(shell.to_path_buf()), ..shell_options() };
    let shell = Shell::new(options).unwrap();
    let begin = Instant::now();
    let (first, _) = answer(&shell, "V=kept; echo $BASHPID").await;
    assert!(begin.elapsed() < FOUND_OUT_IN, "{:?}", begin.elapsed());
    let (next, _) = answer(&shell, "echo $V $BASHPID").await;
    shell.close().await;
    assert!(next.starts_with("kept "), "{next}");
    next == format!("kept {first}")
}

fn script(path: &Path, text: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Skips a test where a program is missing or the system forbids what it needs.
fn works(program: &str, arguments: &[&str]) -> bool {
    let tried = Command::new(program).args(arguments).output();
    let works = tried.as_ref().is_ok_and(|output| output.status.success());
    if !works {
        skip(&format!("`{program} {}` does not work here: {tried:?}", arguments.join(" ")));
    }
    works
}

#[tokio::test]
async fn a_restricted_bash_is_refused_with_the_remedy_and_the_same_file_by_its_own_name_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (restricted, plain) = (folder.path().join("rbash"), folder.path().join("bash"));
    symlink("/bin/bash", &restricted).unwrap();
    symlink("/bin/bash", &plain).unwrap();

    let options = ShellOptions { shell: Some(restricted.clone()), ..shell_options() };
    let shell = Shell::new(options).unwrap();
    let error = attempt(&shell, command("echo never")).await.unwrap_err();
    shell.close().await;

    assert_eq!(error.code(), "PI_UNUSABLE_SHELL");
    let text = error.to_string();
    let expected = format!("`{}` is a restricted bash by this name; set", restricted.display());
    assert!(text.contains(&expected), "{text}");
    assert!(is_kept(&plain).await);
}

#[tokio::test]
async fn a_static_bash_is_not_kept() {
    let path = Path::new("/bin/bash-static");
    if !path.is_file() {
        skip("Debian's package `bash-static` is not installed");
        return;
    }
    assert!(!is_kept(path).await);
}

#[tokio::test]
async fn a_bash_that_is_process_1_or_another_process_than_was_started_is_not_kept() {
    if !works("unshare", &["--pid", "--fork", "true"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // The same, without a namespace.
    let beside = folder.path().join("beside");
    script(&beside, "/bin/bash \"$@\"; exit $?");
    let first = folder.path().join("first");
    script(&first, "exec unshare --pid --fork --kill-child /bin/bash \"$@\"");
    for shell in [beside, first] {
        let options = ShellOptions { shell: Some(shell.clone()), ..shell_options() };
        let session = Shell::new(options).unwrap();
        let begin = Instant::now();
        assert_eq!(answer(&session, "V=kept; echo here").await.0, "here\n", "{}", shell.display());
        assert!(begin.elapsed() < FOUND_OUT_IN, "{:?}", begin.elapsed());
        assert_eq!(answer(&session, "echo $V").await.0, "kept\n");
        session.close().await;
    }
}

/// Set in the process that has the folder that the test is about.
const NOEXEC: &str = "PI_BASH_TEST_NOEXEC";

#[tokio::test]
async fn a_driver_in_a_folder_without_exec_is_not_loaded_and_the_reason_is_that_of_the_loader() {
    let Some(folder) = std::env::var_os(NOEXEC) else {
        // The mount is seen by that process only.
        let arguments = ["--user", "--map-root-user", "--mount"];
        let mounting = [&arguments[..], &["mount", "-t", "tmpfs", "-o", "noexec", "none", "/mnt"]];
        if !works("unshare", &mounting.concat()) {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let test = std::env::current_exe().unwrap();
        let name = "hazards::a_driver_in_a_folder_without_exec_is_not_loaded_and_the_reason_is_that_of_the_loader";
        let script = "mount -t tmpfs -o noexec none \"$1\" && cp \"$2\" \"$1\" && exec \"$3\" --exact \"$4\"";
        let within = Command::new("unshare")
            .args(arguments)
            .args(["sh", "-c", script, "sh"])
            .args([folder.path(), crate::support::driver::object(), &test, Path::new(name)])
            .env(NOEXEC, folder.path())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&within.stdout);
        assert!(within.status.success() && printed.contains("1 passed"), "{printed}");
        return;
    };
    let driver = Path::new(&folder).join("pi-driver.so");
    let shell = Shell::new(ShellOptions { driver: Some(driver), ..shell_options() }).unwrap();
    let (first, _) = answer(&shell, "V=kept; echo $$").await;
    let (next, _) = answer(&shell, "echo $V $$").await;
    shell.close().await;

    assert!(next.starts_with("kept ") && next != format!("kept {first}"), "{next}");
    let DriverState::Unfit(reason) = driver_state() else { unreachable!("it fits") };
    // In the words of glibc, or of musl.
    let words = ["failed to map segment", "Operation not permitted"];
    assert!(reason.contains("cannot open shared object"), "{reason}");
    assert!(words.iter().any(|words| reason.contains(words)), "{reason}");
}

/// A debugger on a process, until dropped.
struct Debugger(Child);

impl Debugger {
    /// `strace`, which lets it run, or `gdb`, which holds it.
    async fn on(program: &str, pid: i32) -> Self {
        let mut debugger = Command::new(program);
        match program {
            "gdb" => debugger.args(["-q", "-nx", "-p", &pid.to_string()]),
            _ => debugger.args(["-f", "-o", "/dev/null", "-p", &pid.to_string()]),
        };
        let (ours, quiet) = (Stdio::piped(), Stdio::null);
        let child = debugger.stdin(ours).stdout(quiet()).stderr(quiet()).spawn().unwrap();
        let attached = Self(child);
        let own = attached.0.id();
        eventually("the debugger is attached", || tracer_of(pid) == Some(own)).await;
        attached
    }
}

impl Drop for Debugger {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn tracer_of(pid: i32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?.trim().parse().ok()
}

/// Whether a program of this name can attach to a process of ours.
async fn can_attach(program: &str) -> bool {
    if !works(program, &["--version"]) {
        return false;
    }
    let mut target = Command::new("sleep").arg("60").spawn().unwrap();
    let attached = Command::new("strace")
        .args(["-o", "/dev/null", "-p", &target.id().to_string()])
        .stderr(Stdio::null())
        .spawn();
    let mut can = false;
    if let Ok(mut tracer) = attached {
        let pid = i32::try_from(target.id()).unwrap();
        let deadline = Instant::now() + PATIENCE;
        while !can && tracer.try_wait().unwrap().is_none() && Instant::now() < deadline {
            can = tracer_of(pid) == Some(tracer.id());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tracer.kill().unwrap();
        tracer.wait().unwrap();
    }
    target.kill().unwrap();
    target.wait().unwrap();
    if !can {
        skip("the system lets no process trace another (`ptrace_scope`)");
    }
    can
}

#[tokio::test]
async fn a_shell_that_dies_in_a_debugger_s_hands_is_seen_to_be_dead() {
    if !can_attach("gdb").await {
        return;
    }
    let shell = session();
    let (pid, _) = answer(&shell, "V=kept; /bin/true; echo $$").await;
    let pid = pid.trim().parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let began = folder.path().join("began");
    let text = format!(": >{}; sleep 60", began.display());
    let running = tokio::spawn({
        let shell = shell.clone();
        async move { run(&shell, &text).await }
    });
    eventually("the command began", || began.exists()).await;
    let debugger = Debugger::on("gdb", pid).await;
    let killed = Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    assert!(killed.success());

    let result = tokio::time::timeout(PATIENCE, running).await.unwrap().unwrap();
    assert_eq!(result.outcome, ExitOutcome::Signaled { signal: 9 });
    assert!(result.session_reset);
    assert_eq!(answer(&shell, "echo $V").await.0, "kept\n");
    shell.close().await;
    drop(debugger);
}

#[tokio::test]
async fn a_debugger_on_the_shell_makes_no_bound_longer() {
    for program in ["strace", "gdb"] {
        if !can_attach(program).await {
            continue;
        }
        let shell = session();
        let (pid, _) = answer(&shell, "V=kept; /bin/true; echo $$").await;
        let pid = pid.trim().parse().unwrap();
        let debugger = Debugger::on(program, pid).await;

        let limit = Duration::from_millis(300);
        let begin = Instant::now();
        let options = RunOptions { timeout: Some(limit), ..command("while :; do sleep 60; done") };
        let stopped = attempt(&shell, options).await.unwrap();
        let took = begin.elapsed();
        assert_eq!(stopped.outcome, ExitOutcome::TimedOut, "{program}");
        assert!(took < limit + HARD_TIMEOUT_GRACE, "{program}: {took:?}");
        // One that is held had to be killed, and is seen to be dead though its debugger keeps it.
        assert_eq!(stopped.session_reset, program == "gdb");

        let begin = Instant::now();
        let next = run(&shell, "echo $V").await;
        let took = begin.elapsed();
        assert_eq!((output_of(&next).as_str(), next.session_reset), ("kept\n", false), "{program}");
        assert!(took < AT_ONCE, "{program}: {took:?}");

        let begin = Instant::now();
        shell.close().await;
        let took = begin.elapsed();
        assert!(took < HARD_TIMEOUT_GRACE + Duration::from_secs(1), "{program}: {took:?}");
        drop(debugger);
        eventually("the shell is gone", || !is_alive(pid)).await;
    }
}
