//! Identity, state, ancestry and signals of real processes.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::*;

/// Killed and reaped at the end of its test.
struct Running(Child);

impl Running {
    fn start(program: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    /// A script that prints a line when it has set itself up.
    fn ready(script: &str) -> Self {
        let mut running = Self::start("sh", &["-c", script]);
        let mut line = String::new();
        BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        running
    }

    fn pid(&self) -> i32 {
        i32::try_from(self.0.id()).unwrap()
    }

    fn identity(&self) -> ProcessIdentity {
        identity_of(self.pid()).unwrap()
    }

    fn state(&self) -> Option<ProcessState> {
        entry_of(self.pid()).map(|entry| entry.state)
    }

    fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        eventually("it ends", || {
            status = self.0.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for below in descendants(self.pid()) {
            signal(below.identity, libc::SIGKILL).ok();
        }
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

#[test]
fn a_process_is_alive_while_it_runs_and_not_as_a_zombie_nor_when_it_is_gone() {
    let mut running = Running::start("sleep", &["1000"]);
    let identity = running.identity();
    assert!(is_alive(identity));

    signal(identity, libc::SIGKILL).unwrap();
    eventually("it is a zombie", || running.state() == Some(ProcessState::Zombie));
    assert!(!is_alive(identity));
    assert_eq!(identity_of(running.pid()), Some(identity), "a zombie still has its pid");

    assert_eq!(running.ended().signal(), Some(libc::SIGKILL));
    assert!(!is_alive(identity));
    assert_eq!(entry_of(identity.pid), None);
}

#[test]
fn another_start_time_is_another_process() {
    let running = Running::start("sleep", &["1000"]);
    let before = running.identity();
    let other = ProcessIdentity { start_time: before.start_time + 1, ..before };

    assert!(!is_alive(other));
    assert_eq!(signal(other, libc::SIGKILL).unwrap_err().raw_os_error(), Some(libc::ESRCH));
    assert!(is_alive(before), "the signal was for a process that had the pid once");
}

#[test]
fn a_signal_is_for_one_process_and_for_no_group() {
    for pid in [0, -1, -own_pid()] {
        let target = ProcessIdentity { pid, start_time: 0 };
        assert_eq!(signal(target, 0).unwrap_err().raw_os_error(), Some(libc::EINVAL), "{pid}");
    }
    #[cfg(target_os = "linux")]
    if let Some(first) = identity_of(1) {
        // Nothing is sent by number 0: it only says whether it could be.
        for answer in [signal(first, 0), queue_signal(first, 0, 1)] {
            let refused = answer.err().and_then(|error| error.raw_os_error());
            assert!(matches!(refused, None | Some(libc::EPERM)), "{refused:?}");
        }
    }
    let running = Running::start("sleep", &["1000"]);
    let wrong = signal(running.identity(), 1_000).unwrap_err();
    assert_eq!(wrong.raw_os_error(), Some(libc::EINVAL));
    assert!(is_alive(running.identity()));
}

#[test]
fn an_entry_has_the_parent_the_group_the_session_and_the_state() {
    let running = Running::start("sleep", &["1000"]);
    let own = entry_of(own_pid()).unwrap();
    eventually("it sleeps", || running.state() == Some(ProcessState::Sleeping));
    let entry = entry_of(running.pid()).unwrap();
    assert_eq!((entry.parent, entry.group, entry.session), (own_pid(), own.group, own.session));

    signal(entry.identity, libc::SIGSTOP).unwrap();
    eventually("it is stopped", || running.state() == Some(ProcessState::Stopped));
    signal(entry.identity, libc::SIGCONT).unwrap();
    eventually("it goes on", || running.state() == Some(ProcessState::Sleeping));
}

#[test]
fn descendants_are_all_that_is_below_parents_first_and_without_the_root() {
    let running = Running::ready("sleep 1000 & sh -c 'sleep 1000 & echo ready; wait' & wait");
    let mut found = Vec::new();
    eventually("three are below it", || {
        found = descendants(running.pid());
        found.len() == 3
    });

    assert!(found.iter().all(|entry| entry.identity.pid != running.pid()));
    let place = |pid: i32| found.iter().position(|entry| entry.identity.pid == pid);
    for (at, entry) in found.iter().enumerate() {
        let parent = place(entry.parent);
        assert!(entry.parent == running.pid() || parent.is_some_and(|before| before < at));
    }
    assert_eq!(descendants(found.last().unwrap().identity.pid), Vec::new());
}

#[cfg(target_os = "linux")]
#[test]
fn the_children_of_a_process_are_those_of_the_descendants_whose_parent_it_is() {
    assert!(lists_children());
    let running = Running::ready("sleep 1000 & sh -c 'sleep 1000 & echo ready; wait' & wait");
    let mut entries = Vec::new();
    eventually("three are below it", || {
        entries = descendants(running.pid());
        entries.len() == 3
    });
    let pids: Vec<i32> = entries.iter().map(|entry| entry.identity.pid).collect();
    assert_eq!(children_of(running.pid()), pids[..2]);
    assert_eq!(children_of(pids[1]), pids[2..]);
    assert_eq!(children_of(pids[2]), Vec::<i32>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn children_of_every_thread_are_found() {
    // The thread that makes a child is its parent as long as it runs.
    let (made, listed) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let running = Running::start("sleep", &["1000"]);
            let pid = running.pid();
            made.wait();
            assert!(children_of(own_pid()).contains(&pid));
            assert!(descendants(own_pid()).iter().any(|entry| entry.identity.pid == pid));
            listed.wait();
        });
        made.wait();
        listed.wait();
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_of_children_may_be_longer_than_one_read() {
    let running = Running::ready("for i in $(seq 300); do sleep 1000 & done; echo ready; wait");
    eventually("all are below it", || children_of(running.pid()).len() == 300);
    assert_eq!(children_of_single_thread(running.pid()), None, "one read may have cut it off");
    assert_eq!(descendants(running.pid()).len(), 300);
}

#[test]
fn everyone_has_this_process_and_its_child_and_no_one_twice() {
    let running = Running::start("sleep", &["1000"]);
    assert!(is_available());
    let mut pids: Vec<i32> = everyone().iter().map(|entry| entry.identity.pid).collect();
    assert!(pids.contains(&own_pid()) && pids.contains(&running.pid()));
    let count = pids.len();
    pids.sort_unstable();
    pids.dedup();
    assert_eq!(pids.len(), count);
}

#[test]
fn arguments_are_those_of_the_program_up_to_the_limit() {
    let mut running = Running::start("sleep", &["1000", "2000"]);
    let mut arguments = None;
    eventually("the program is there", || {
        arguments = arguments_of(running.pid(), 4_096);
        arguments.as_deref() == Some(b"sleep\x001000\x002000\0")
    });
    let cut = arguments_of(running.pid(), 8).unwrap();
    assert!(!cut.is_empty() && cut.len() <= 8 && b"sleep\x001000".starts_with(&cut), "{cut:?}");
    assert_eq!(name_of(running.pid()).as_deref(), Some(&b"sleep"[..]));

    signal(running.identity(), libc::SIGKILL).unwrap();
    eventually("it is a zombie", || running.state() == Some(ProcessState::Zombie));
    assert_eq!(arguments_of(running.pid(), 4_096), None);
    let pid = running.pid();
    running.ended();
    assert_eq!((arguments_of(pid, 4_096), name_of(pid)), (None, None));
}

#[test]
fn a_start_is_known_in_time_since_the_epoch() {
    let now = || u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis());
    let before = now().unwrap();
    let running = Running::start("sleep", &["1000"]);
    let after = now().unwrap();

    let started = started_at_ms(running.identity());
    // A clock tick, and what the two clocks were set apart since the boot.
    let margin = 1_000;
    assert!(started + margin >= before && started <= after + margin, "{before} {started} {after}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_is_known_and_one_with_a_handler_is_not() {
    let running = Running::ready("trap '' TERM; trap : INT; echo ready; read line");
    let ignored = [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGKILL]
        .map(|number| ignores(running.pid(), number));
    assert_eq!(ignored, [false, false, true, false]);
    assert!(!ignores(running.pid(), 0) && !ignores(running.pid(), 1_000));

    let pid = running.pid();
    drop(running);
    assert!(!ignores(pid, libc::SIGTERM));
}

#[cfg(target_os = "linux")]
#[test]
fn a_queued_signal_reaches_the_process_and_no_other() {
    let mut running =
        Running::ready("trap 'exit 7' USR1; echo ready; while :; do sleep 0.01; done");
    let identity = running.identity();
    let other = ProcessIdentity { start_time: identity.start_time + 1, ..identity };

    let refused = queue_signal(other, libc::SIGUSR1, 1).unwrap_err();
    assert_eq!(refused.raw_os_error(), Some(libc::ESRCH));
    let group = ProcessIdentity { pid: 0, ..identity };
    let refused = queue_signal(group, libc::SIGUSR1, 1).unwrap_err();
    assert_eq!(refused.raw_os_error(), Some(libc::EINVAL));
    assert!(is_alive(identity));

    queue_signal(identity, libc::SIGUSR1, 1).unwrap();
    assert_eq!(running.ended().code(), Some(7));
}

/// Calls `attempt` in a thread in which the kernel has no `pidfd_open`, as before Linux 5.3.
#[cfg(target_os = "linux")]
fn without_pidfds<T: Send>(attempt: impl FnOnce() -> T + Send) -> T {
    crate::refused::without_calls(&[libc::SYS_pidfd_open], libc::ENOSYS, || {
        let refused = sys::open_pidfd(own_pid()).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::ENOSYS));
        attempt()
    })
}

#[cfg(target_os = "linux")]
#[test]
fn without_pidfds_a_signal_reaches_the_process_and_no_other() {
    let mut running =
        Running::ready("trap 'exit 7' USR1; echo ready; while :; do sleep 0.01; done");
    let identity = running.identity();
    let other = ProcessIdentity { start_time: identity.start_time + 1, ..identity };

    let refused = without_pidfds(|| {
        [signal(other, libc::SIGKILL), queue_signal(other, libc::SIGKILL, 1)]
            .map(|answer| answer.unwrap_err().raw_os_error())
    });
    assert_eq!(refused, [Some(libc::ESRCH); 2]);
    let wrong = without_pidfds(|| {
        [signal(identity, 1_000), queue_signal(identity, 1_000, 1)]
            .map(|answer| answer.unwrap_err().raw_os_error())
    });
    assert_eq!(wrong, [Some(libc::EINVAL); 2]);
    assert!(is_alive(identity));

    without_pidfds(|| queue_signal(identity, libc::SIGUSR1, 1)).unwrap();
    assert_eq!(running.ended().code(), Some(7));

    let mut running = Running::start("sleep", &["1000"]);
    let identity = running.identity();
    without_pidfds(|| signal(identity, libc::SIGTERM)).unwrap();
    assert_eq!(running.ended().signal(), Some(libc::SIGTERM));
}

#[cfg(target_os = "linux")]
#[test]
fn a_handle_on_no_process_is_an_error() {
    let gone = sys::open_pidfd(i32::MAX).unwrap_err();
    assert!(matches!(gone.raw_os_error(), Some(libc::ESRCH | libc::EINVAL)), "{gone}");
    let running = Running::start("sleep", &["1000"]);
    let handle = sys::open_pidfd(running.pid()).unwrap();
    let wrong = sys::signal_pidfd(&handle, 1_000).unwrap_err();
    assert_eq!(wrong.raw_os_error(), Some(libc::EINVAL));
    let wrong = sys::queue_to_pidfd(&handle, 1_000, 1).unwrap_err();
    assert_eq!(wrong.raw_os_error(), Some(libc::EINVAL));
}

#[cfg(target_os = "linux")]
#[test]
fn a_shell_s_children_are_listed_by_one_read() {
    let running = Running::ready("sleep 1000 & sleep 1000 & echo ready; wait");
    let below: Vec<i32> =
        descendants(running.pid()).iter().map(|entry| entry.identity.pid).collect();
    let Some(mut children) = children_of_single_thread(running.pid()) else {
        return; // A kernel without CONFIG_PROC_CHILDREN.
    };
    children.sort_unstable();
    let mut expected = below;
    expected.sort_unstable();
    assert_eq!(children.len(), 2);
    assert_eq!(children, expected);
    assert_eq!(children_of_single_thread(children[0]), Some(Vec::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_is_found_by_its_own_number_where_it_is_in_no_other_namespace() {
    let running = Running::start("sleep", &["1000"]);
    assert_eq!(proc_pid(running.pid()), Some(running.pid()));
    assert_eq!(find_by_inner_pid(own_pid(), running.pid()), Some(running.identity()));
    assert_eq!(find_by_inner_pid(running.pid(), own_pid()), None, "it is not below the root");
}

#[cfg(target_os = "linux")]
#[test]
fn threads_are_listed_up_to_the_limit_with_what_they_do() {
    let running = Running::start("sleep", &["1000"]);
    eventually("its one thread sleeps", || {
        threads_of(running.pid(), 8) == [(running.pid(), ProcessState::Sleeping)]
    });
    let (stop, waits) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || waits.recv());
    assert!(threads_of(own_pid(), 64).len() >= 2);
    assert_eq!(threads_of(own_pid(), 1).len(), 1);
    drop(stop);
    thread.join().unwrap().unwrap_err();
    assert!(activity_of(running.pid()).is_some());
}
