//! Descriptions of real processes. Their identity and state are tested where they are read, in `pi-supervisor`.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{ProcessIdentity, ProcessState, describe, identity_of};

/// The command line once the exec is through: for a moment the new program has none.
fn command_of(running: &Running) -> String {
    let mut command = String::new();
    eventually("it has a command line", || {
        command = describe(running.identity()).unwrap().command;
        !command.starts_with('[')
    });
    command
}

/// Killed and reaped at the end of its test.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }

    fn pid(&self) -> i32 {
        i32::try_from(self.0.id()).unwrap()
    }

    fn identity(&self) -> ProcessIdentity {
        identity_of(self.pid()).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn state_of(pid: i32) -> Option<ProcessState> {
    pi_supervisor::process::entry_of(pid).map(|entry| entry.state)
}

#[test]
fn a_description_has_the_arguments_and_the_time_of_the_start() {
    let running = Running::start(Command::new("sleep").args(["1000", "2000"]));
    assert_eq!(command_of(&running), "sleep 1000 2000");
    let description = describe(running.identity()).unwrap();
    assert_eq!(description.pid, running.pid());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let now = u64::try_from(now).unwrap();
    assert!(description.started_at_ms.abs_diff(now) < 60_000, "{description:?} at {now}");
}

#[test]
fn a_long_command_line_is_cut() {
    let long = "é".repeat(10_000);
    let running = Running::start(Command::new("sh").args(["-c", "read x", &long]));
    let command = command_of(&running);
    assert!(command.starts_with("sh -c read x é"), "{command}");
    assert!((4000..=4096).contains(&command.len()), "{} bytes", command.len());
}

#[test]
fn a_process_without_arguments_is_named_in_brackets() {
    let running = Running::start(Command::new("cat").arg0(""));
    eventually("it is named so", || describe(running.identity()).unwrap().command == "[cat]");
}

#[test]
fn a_zombie_has_no_description() {
    let running = Running::start(&mut Command::new("true"));
    let identity = running.identity();
    eventually("it has ended", || state_of(identity.pid) == Some(ProcessState::Zombie));
    assert_eq!(describe(identity), None);
}

#[test]
fn another_process_of_the_same_pid_has_no_description() {
    let running = Running::start(Command::new("sleep").arg("1000"));
    let identity = running.identity();
    assert!(describe(identity).is_some());
    let other = ProcessIdentity { start_time: identity.start_time + 1, ..identity };
    assert_eq!(describe(other), None);
}
