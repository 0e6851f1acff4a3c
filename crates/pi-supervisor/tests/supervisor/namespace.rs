//! A pid namespace whose `/proc` still counts as the outer one does, and a mount namespace without `/proc`.

use std::process::Command;
use std::time::{Duration, Instant};

use pi_supervisor::process::ProcessIdentity;
use pi_supervisor::wire::Exit;

use crate::host::{Host, eventually};

/// Containers may refuse new namespaces, and need root for them.
fn can_unshare(options: &[&str]) -> bool {
    let status = Command::new("unshare").args(options).arg("true").status();
    status.is_ok_and(|status| status.success())
}

#[test]
fn behind_a_foreign_proc_it_signals_its_own_processes_only() {
    if !can_unshare(&["--pid", "--fork"]) {
        return;
    }
    // Not as the namespace's first process, whose end would kill everything by itself.
    let line = "exec unshare --pid --fork sh -c 'exec 3<&0; \"$0\" <&3 3<&- & wait' \"$0\"";
    let mut host = Host::start_through(line);
    let running = host.shell("setsid sh -c 'sleep 1000 & sleep 1000 &' & sleep 1000");
    let ProcessIdentity { pid, start_time } = running.identity;
    assert!(pid < 100, "`{pid}` is not counted as the new namespace counts");
    assert_ne!(start_time, 0);
    eventually("the tree is complete", || host.tagged().len() >= 4);
    let running = host.shell("exit 6");
    assert_eq!(host.exit_of(running), Exit::Code(6));
    host.shell("sleep 1000");
    assert_eq!(host.hang_up().1, Vec::<i32>::new());
}

#[test]
fn without_proc_the_groups_of_its_programs_end_with_the_host() {
    if !can_unshare(&["--mount"]) {
        return;
    }
    let line = "exec unshare --mount sh -c 'mount -t tmpfs none /proc && exec \"$0\"' \"$0\"";
    let mut host = Host::start_through(line);
    let running = host.shell("exit 6");
    assert_eq!(host.exit_of(running), Exit::Code(6));
    host.shell("trap '' TERM HUP; sleep 1000 & sleep 1000");
    host.shell("sleep 1000 | sleep 1000");
    eventually("the programs run", || host.tagged().len() >= 6);

    let begin = Instant::now();
    let (status, left) = host.hang_up();

    assert!(status.success());
    assert_eq!(left, Vec::<i32>::new());
    // The bound of a sweep that meets someone whom it cannot kill.
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}
