//! Who belongs to the supervisor, and that it survives what its programs do.

use pi_supervisor::process::{ProcessIdentity, descendants, entry_of, identity_of, signal};
use pi_supervisor::wire::Exit;

use crate::host::{Host, eventually, is_running, line_in};

/// A daemon: forks, makes a session, forks again, and all but the last end. Writes its pid.
fn start_daemon(host: &mut Host, file: &std::path::Path) -> ProcessIdentity {
    let script = format!("setsid sh -c 'sleep 1000 & echo $! > {}' & wait", file.to_str().unwrap());
    let running = host.shell(&script);
    let pid = line_in(file).parse().unwrap();
    assert_eq!(host.exit_of(running), Exit::Code(0));
    identity_of(pid).unwrap()
}

#[test]
fn a_daemon_of_a_daemon_is_found_below_the_supervisor() {
    let mut host = Host::start();
    let folder = tempfile::tempdir().unwrap();
    let daemon = start_daemon(&mut host, &folder.path().join("pid"));
    eventually("the orphan is adopted", || {
        entry_of(daemon.pid).is_some_and(|entry| entry.parent == host.pid())
    });
    assert!(descendants(host.pid()).iter().any(|entry| entry.identity == daemon));
    assert_eq!(host.hang_up().1, Vec::<i32>::new());
}

#[test]
fn orphans_are_reaped_when_they_end() {
    let mut host = Host::start();
    let folder = tempfile::tempdir().unwrap();
    let daemon = start_daemon(&mut host, &folder.path().join("pid"));
    signal(daemon, 9).unwrap();
    eventually("no zombie stays", || entry_of(daemon.pid).is_none_or(|e| e.identity != daemon));
}

#[test]
fn the_sweep_at_the_end_kills_what_ignores_signals_or_is_stopped() {
    let mut host = Host::start();
    let folder = tempfile::tempdir().unwrap();
    start_daemon(&mut host, &folder.path().join("pid"));
    let stubborn = host.shell("trap '' TERM INT HUP QUIT; while :; do sleep 1000; done");
    let stopped = host.shell("kill -STOP $$; sleep 1000");
    eventually("it has stopped itself", || {
        entry_of(stopped.identity.pid)
            .is_some_and(|entry| entry.state == pi_supervisor::process::ProcessState::Stopped)
    });
    let (status, left) = host.hang_up();
    assert_eq!((status.success(), left), (true, Vec::new()));
    assert!(!is_running(stubborn));
}

#[test]
fn programs_killed_by_a_sweep_are_reported_to_have_ended() {
    let mut host = Host::start();
    let running = host.shell("sleep 1000");
    host.socket.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(host.exit_of(running), Exit::Signal(9));
}

#[test]
fn signals_to_the_supervisor_and_its_group_do_not_end_it() {
    let mut host = Host::start();
    let supervisor = identity_of(host.pid()).unwrap();
    let own = rustix::process::Pid::from_raw(host.pid()).unwrap();
    assert_eq!(entry_of(host.pid()).unwrap().group, host.pid(), "it leads its own group");
    for number in [1, 2, 3, 10, 12, 13, 14, 15] {
        signal(supervisor, number).unwrap();
    }
    rustix::process::kill_process_group(own, rustix::process::Signal::TERM).unwrap();
    let running = host.shell("exit 4");
    assert_eq!(host.exit_of(running), Exit::Code(4));
}

#[test]
fn a_signal_never_reaches_another_process_of_the_same_pid() {
    let mut host = Host::start();
    let running = host.shell("sleep 1000");
    let other =
        ProcessIdentity { pid: running.identity.pid, start_time: running.identity.start_time + 1 };
    assert_eq!(signal(other, 9).unwrap_err().raw_os_error(), Some(libc::ESRCH));
    for no_process in [0, -1, -running.identity.pid] {
        let none = ProcessIdentity { pid: no_process, start_time: 0 };
        assert_eq!(signal(none, 9).unwrap_err().raw_os_error(), Some(libc::EINVAL));
    }
    assert!(is_running(running));
}
