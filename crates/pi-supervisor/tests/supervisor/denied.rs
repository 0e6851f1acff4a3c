//! Processes that may not be signalled: a sweep names them and does not wait for ever.

use std::time::Instant;

use pi_supervisor::process::{proc_pid, signal};
use pi_supervisor::wire::Event;

use crate::host::{Host, PATIENCE, eventually, is_root, is_waiting, null_streams};

/// A supervisor that may not signal other users, and a program of another user below it.
fn host_with_denied_program() -> (Host, crate::host::Running) {
    let line = "exec setpriv --bounding-set -kill --inh-caps -kill \"$0\"";
    let mut host = Host::start_through(line);
    let user = ["/usr/bin/setpriv", "--reuid", "61023", "--clear-groups", "/bin/sleep", "1000"];
    let spawn = host.request(&user);
    let running = host.try_spawn(spawn, null_streams()).unwrap();
    eventually("it has changed its user", || {
        let shown = proc_pid(running.identity.pid).unwrap();
        let status = std::fs::read_to_string(format!("/proc/{shown}/status"));
        status.is_ok_and(|text| text.contains("Uid:\t61023\t61023\t61023"))
    });
    (host, running)
}

#[test]
fn pt_23_a_process_of_another_user_is_named_and_does_not_hang_the_sweep() {
    if !is_root() {
        // Only root can make a process of another user.
        return;
    }
    let (mut host, denied) = host_with_denied_program();
    let ours = host.shell("sleep 1000");
    let began = Instant::now();
    host.socket.shutdown(std::net::Shutdown::Write).unwrap();
    eventually("it waits for the one it cannot kill", || is_waiting(host.pid()));
    let mut last = None;
    while let Some(event) = host.event() {
        last = Some(event);
    }
    assert_eq!(last, Some(Event::Swept { left: vec![denied.identity.pid] }));
    assert!(began.elapsed() < PATIENCE);
    assert!(!crate::host::is_running(ours));
    assert!(!crate::host::wait_for_end(&mut host.supervisor).success());
    signal(denied.identity, 9).unwrap();
}
