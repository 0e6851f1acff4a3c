//! Much at once, more than the socket takes, too few descriptors, and nothing to do at all.

use std::collections::HashMap;
use std::io::Write as _;
use std::net::Shutdown;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::process::{Command, Stdio};

use pi_supervisor::process::{ProcessState, entry_of, proc_pid};
use pi_supervisor::wire::{Event, Exit, Request, SpawnStep};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use crate::host::{
    Host, captured_streams, eventually, is_waiting, line_in, null, null_streams, wait_for_end,
};

fn state_of(pid: i32) -> Option<ProcessState> {
    entry_of(pid).map(|entry| entry.state)
}

#[test]
fn each_of_many_programs_started_at_once_is_announced_before_its_end_is() {
    let mut host = Host::start();
    let mut bytes = Vec::new();
    let mut expected = HashMap::new();
    for number in 0_u8..40 {
        let script = format!("exit {number}");
        let argv: &[&str] =
            if number % 4 == 3 { &["/nonexistent/program"] } else { &["/bin/sh", "-c", &script] };
        let spawn = host.request(argv);
        expected.insert(spawn.id, (number, argv.len() == 3));
        // It forks them all before it looks after any of them.
        bytes.extend(Request::Spawn(spawn).encode().unwrap());
    }
    host.socket.write_all(&bytes).unwrap();

    let mut running = HashMap::new();
    while !expected.is_empty() {
        match host.event().unwrap() {
            Event::Spawned { id, pid, .. } => {
                assert!(expected[&id].1);
                assert_eq!(running.insert(id, pid), None);
            }
            Event::Exited { id, pid, exit, .. } => {
                assert_eq!(running.remove(&id), Some(pid));
                assert_eq!(expected.remove(&id).map(|(code, _)| Exit::Code(code)), Some(exit));
            }
            Event::SpawnFailed { id, step, errno } => {
                assert_eq!((step, errno), (SpawnStep::Execute, Errno::NOENT.raw_os_error()));
                assert_eq!(expected.remove(&id).map(|(_, runs)| runs), Some(false));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(running.is_empty());
    let ended = host.shell("exit 3");
    assert_eq!(host.exit_of(ended), Exit::Code(3));
}

#[test]
fn a_child_is_adopted_while_another_starts() {
    let mut host = Host::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let parent = host.shell(&format!("sleep 1000 & echo $! >{}", file.display()));
    assert_eq!(host.exit_of(parent), Exit::Code(0));
    let pid: i32 = line_in(&file).parse().unwrap();

    let spawn = host.request(&["/bin/sleep", "1000"]);
    let (spawned, adopted) = (spawn.id, u32::MAX);
    let requests = [Request::Spawn(spawn), Request::Adopt { id: adopted, pid }];
    let bytes = requests.map(|request| request.encode().unwrap()).concat();
    host.socket.write_all(&bytes).unwrap();
    let mut ids: Vec<u32> = (0..2)
        .map(|_| match host.event().unwrap() {
            Event::Spawned { id, .. } => id,
            other => panic!("{other:?}"),
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [spawned, adopted]);
}

/// A supervisor whose socket takes some kilobytes of events, and `count` requests that are refused, each by one.
fn flooded(count: u32) -> Host {
    let (socket, theirs) = UnixStream::pair().unwrap();
    // The kernel takes its least.
    rustix::net::sockopt::set_socket_send_buffer_size(&theirs, 1).unwrap();
    let command = Command::new(env!("CARGO_BIN_EXE_pi-supervisor"));
    let mut host = Host::start_at((socket, theirs), command);
    let requests = (0..count).map(|id| Request::Adopt { id, pid: 0 }.encode().unwrap());
    let bytes: Vec<u8> = requests.flatten().collect();
    host.socket.write_all(&bytes).unwrap();
    host
}

/// Answers to those requests, each once and in their order, as `count` of them.
fn assert_answered(host: &mut Host, count: u32) {
    for expected in 0..count {
        match host.event() {
            Some(Event::SpawnFailed { id, step: SpawnStep::Adopt, .. }) if id == expected => {}
            other => panic!("{expected}: {other:?}"),
        }
    }
}

#[test]
fn what_the_socket_does_not_take_at_once_follows() {
    let mut host = flooded(5_000);
    assert_answered(&mut host, 5_000);
    let running = host.shell("exit 5");
    assert_eq!(host.exit_of(running), Exit::Code(5));
}

#[test]
fn a_host_that_still_reads_hears_the_end() {
    let mut host = flooded(1_000);
    host.socket.shutdown(Shutdown::Write).unwrap();
    // With the socket at its end, it waits for nothing but for the host to read.
    eventually("it says farewell", || {
        let has_ended = state_of(host.pid()).is_none_or(|state| state == ProcessState::Zombie);
        has_ended || is_waiting(host.pid())
    });
    assert_answered(&mut host, 1_000);
    assert_eq!(host.event(), Some(Event::Swept { left: Vec::new() }));
    assert_eq!(host.event(), None);
    assert!(wait_for_end(&mut host.supervisor).success());
}

#[test]
fn a_host_that_never_reads_does_not_keep_it() {
    let mut host = flooded(1_000);
    host.socket.shutdown(Shutdown::Write).unwrap();
    assert!(wait_for_end(&mut host.supervisor).success());
}

#[test]
fn without_anything_to_do_it_waits() {
    let mut host = Host::start();
    eventually("it waits from the beginning", || is_waiting(host.pid()));
    for code in [0, 1, 2] {
        let running = host.shell(&format!("exit {code}"));
        assert_eq!(host.exit_of(running), Exit::Code(code));
    }
    eventually("it waits again", || is_waiting(host.pid()));
}

#[test]
fn stopped_by_a_command_it_goes_on_when_its_host_speaks_or_ends() {
    let mut host = Host::start();
    let stop = |host: &mut Host| {
        let (go, mut say) = std::io::pipe().unwrap();
        let spawn = host.request(&["/bin/sh", "-c", "read line; kill -STOP $PPID; sleep 1000"]);
        host.try_spawn(spawn, vec![go.into(), null(), null()]).unwrap();
        // Not before it has announced the start, for which its host waits without a word.
        say.write_all(b"go\n").unwrap();
        eventually("it is stopped", || state_of(host.pid()) == Some(ProcessState::Stopped));
    };
    stop(&mut host);
    let running = host.shell("exit 5");
    assert_eq!(host.exit_of(running), Exit::Code(5));
    stop(&mut host);
    let (status, left) = host.hang_up();
    assert_eq!((status.success(), left), (true, Vec::new()));
}

#[test]
fn an_end_comes_with_what_was_used() {
    let mut host = Host::start();
    let began = std::time::Instant::now();
    let busy = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; exit 4";
    let running = host.shell(busy);
    let (exit, core, usage) = host.end_of(running);
    assert_eq!((exit, core), (Exit::Code(4), false));
    let used = u128::from(usage.user_us) + u128::from(usage.system_us);
    // A tick more at most, where the kernel counts these.
    assert!(used > 0 && used <= began.elapsed().as_micros() + 20_000, "{usage:?}");
    // A shell needs some hundred KiB, and no GiB.
    assert!((100..1 << 20).contains(&usage.peak_kib), "{usage:?}");

    let killed = host.shell("kill -9 $$");
    let (exit, core, _) = host.end_of(killed);
    assert_eq!((exit, core), (Exit::Signal(9), false));
}

#[test]
fn too_few_descriptors_fail_a_start_and_not_the_supervisor() {
    let mut host = Host::start();
    let pid = Pid::from_raw(host.pid()).unwrap();
    let folder = format!("/proc/{}/fd", proc_pid(host.pid()).unwrap());
    let open = u64::try_from(std::fs::read_dir(folder).unwrap().count()).unwrap();
    let usual = getrlimit(Resource::Nofile);
    let mut failures = Vec::new();
    for more in 0..=8 {
        let limit = Rlimit { current: Some(open + more), maximum: usual.maximum };
        prlimit(Some(pid), Resource::Nofile, limit).unwrap();
        let spawn = host.request(&["/bin/sh", "-c", "exit 0"]);
        match host.try_spawn(spawn, null_streams()) {
            Ok(running) => assert_eq!(host.exit_of(running), Exit::Code(0)),
            Err(failure) => failures.push(failure),
        }
    }
    let errno = Errno::MFILE.raw_os_error();
    assert!(failures.iter().all(|failure| failure.1 == errno), "{failures:?}");
    assert_eq!(failures.first(), Some(&(SpawnStep::Descriptors, errno)));
    assert_eq!(failures.last(), Some(&(SpawnStep::Redirect, errno)));

    prlimit(Some(pid), Resource::Nofile, usual).unwrap();
    let spawn = host.request(&["/bin/echo", "fine"]);
    assert_eq!(host.output_of(spawn), "fine\n");
}

#[test]
fn descriptors_that_did_not_come_are_missed() {
    let mut host = Host::start();
    let mut spawn = host.request(&["/bin/true"]);
    let id = spawn.id;
    spawn.descriptors = 2;
    host.send(&Request::Spawn(spawn), &[]);
    let errno = Errno::MFILE.raw_os_error();
    let failed = Event::SpawnFailed { id, step: SpawnStep::Descriptors, errno };
    assert_eq!(host.event(), Some(failed));
    let (_, streams) = captured_streams();
    let spawn = host.request(&["/bin/true"]);
    let running = host.try_spawn(spawn, streams).unwrap();
    assert_eq!(host.exit_of(running), Exit::Code(0));
}

#[test]
fn a_socket_that_is_no_stream_is_no_host() {
    let (_ours, theirs) = UnixDatagram::pair().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_pi-supervisor"));
    command.stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs))).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    assert_eq!(wait_for_end(&mut child).code(), Some(2));
}
