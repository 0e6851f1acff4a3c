//! Descriptions of real processes. Their identity and state are tested where they are read, in `pi-supervisor`.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{COMMAND_BYTES, ProcessIdentity, ProcessState, command_line, describe, identity_of};
#[cfg(target_os = "linux")]
use super::{
    EXEC_CLOCK_TIME, EXEC_RUN_TIME, describe_settled, entry_of, inode_of, is_becoming, is_dying,
    pid_in_its_namespace, run_time_of, shows_kill_pending,
};
#[cfg(target_os = "linux")]
use crate::ProcessInfo;

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

#[test]
fn a_command_line_may_have_all_the_bytes_there_are_and_no_more() {
    assert_eq!(command_line(&[b'x'; COMMAND_BYTES]).len(), COMMAND_BYTES);
    // Each invalid byte is shown as three.
    assert_eq!(command_line(&[0xff; COMMAND_BYTES]).len(), COMMAND_BYTES / 3 * 3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_has_its_own_number_as_long_as_it_is_the_same() {
    let running = Running::start(Command::new("sleep").arg("1000"));
    let identity = running.identity();
    let other = ProcessIdentity { start_time: identity.start_time + 1, ..identity };

    assert_eq!(pid_in_its_namespace(identity), Some(identity.pid));
    assert_eq!(pid_in_its_namespace(other), None);
}

#[cfg(target_os = "linux")]
#[test]
fn an_inode_is_read_from_a_link_of_its_kind() {
    for (link, inode) in
        [("pipe:[4711]", Some(4711)), ("socket:[4711]", None), ("pipe:[]", None), ("/a", None)]
    {
        assert_eq!(inode_of(link.as_ref(), "pipe:["), inode, "{link}");
    }
}

/// Whether a process with this command line, forked by the shell `sh x`, is still becoming its program.
#[cfg(target_os = "linux")]
fn becomes(pid: i32, command: &str, state: ProcessState, waited: Duration) -> bool {
    let one = ProcessInfo { pid, command: command.to_owned(), started_at_ms: 0 };
    is_becoming(&one, state, Some("sh x"), waited)
}

#[cfg(target_os = "linux")]
#[test]
fn a_busy_process_with_the_command_line_of_its_shell_or_with_none_is_becoming_its_program() {
    use ProcessState::{Running, Sleeping, Waiting};
    // A process that is gone tells no time.
    let (gone, begun) = (i32::MAX, Duration::ZERO);
    for (command, state, expected) in [
        ("[sh]", Sleeping, true),
        ("sh x", Running, true),
        ("sh x", Waiting, true),
        ("sh x", Sleeping, false),
        ("sleep 1", Running, false),
    ] {
        assert_eq!(becomes(gone, command, state, begun), expected, "{command} {state:?}");
        assert!(!becomes(gone, command, state, EXEC_CLOCK_TIME), "{command} {state:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_has_computed_for_a_while_is_what_it_is_going_to_be() {
    let (begun, waits) = (Duration::ZERO, Duration::from_secs(3600));
    let idle = Running::start(Command::new("sleep").arg("1000"));
    let busy = Running::start(Command::new("sh").args(["-c", "while :; do :; done"]));
    eventually("it computes", || run_time_of(busy.pid()).is_some_and(|time| time > EXEC_RUN_TIME));

    // Its time on a processor counts, and not that of the clock.
    assert!(becomes(idle.pid(), "[sleep]", ProcessState::Sleeping, waits));
    assert!(!becomes(busy.pid(), "[sh]", ProcessState::Running, begun));
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_is_dying_from_its_kill_until_it_is_reaped() {
    let mut running = Running::start(Command::new("sleep").arg("1000"));
    assert!(!is_dying(running.pid()));

    running.0.kill().unwrap();
    // Reaped by its drop only.
    eventually("it has ended", || state_of(running.pid()) == Some(ProcessState::Zombie));
    assert!(is_dying(running.pid()));
    assert!(!is_dying(i32::MAX), "there is none");
}

#[cfg(target_os = "linux")]
#[test]
fn a_kill_is_pending_for_a_thread_or_for_all_of_them() {
    let status = |own: &str, shared: &str, blocked: &str| {
        format!("Name:\tsh\nSigPnd:\t{own}\nShdPnd:\t{shared}\nSigBlk:\t{blocked}\n")
    };
    let (nothing, kill, others) = ("0000000000000000", "0000000000000100", "fffffffffffffeff");
    for (text, expected) in [
        (status(kill, nothing, nothing), true),
        (status(nothing, kill, nothing), true),
        (status(nothing, nothing, kill), false),
        (status(others, others, kill), false),
    ] {
        assert_eq!(shows_kill_pending(&text), expected, "{text}");
    }
}

#[cfg(target_os = "linux")]
fn names(described: &[ProcessInfo]) -> Vec<(i32, &str)> {
    described.iter().map(|one| (one.pid, one.command.as_str())).collect()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_settled_is_described_at_once_however_patient_one_is() {
    let running = Running::start(Command::new("sleep").arg("1000"));
    command_of(&running);
    let found = [entry_of(running.pid()).unwrap()];

    let described = describe_settled(&found, Some("sh x"), Duration::from_secs(3600));
    let described = tokio::time::timeout(Duration::from_secs(30), described).await.unwrap();

    assert_eq!(names(&described), [(running.pid(), "sleep 1000")]);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_never_settles_is_described_once_patience_is_over() {
    let running = Running::start(Command::new("cat").arg0(""));
    eventually("it is named so", || describe(running.identity()).unwrap().command == "[cat]");
    let found = [entry_of(running.pid()).unwrap()];
    let (start, patience) = (Instant::now(), Duration::from_millis(30));

    let described = describe_settled(&found, None, patience);
    let described = tokio::time::timeout(Duration::from_secs(30), described).await.unwrap();

    assert!(start.elapsed() > patience);
    assert_eq!(names(&described), [(running.pid(), "[cat]")]);
}
