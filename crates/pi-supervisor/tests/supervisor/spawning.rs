//! How programs start, what they find, and how their failures and ends are reported.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;

use pi_supervisor::process::{entry_of, identity_of, proc_pid};
use pi_supervisor::wire::{Exit, Limit, Resource, SpawnStep};
use rustix::io::Errno;

use crate::host::{Host, captured_streams, line_in, null, null_streams};

#[test]
fn a_program_leads_its_own_session_and_group_below_the_supervisor() {
    let mut host = Host::start();
    let running = host.shell("sleep 1000");
    let pid = running.identity.pid;
    let entry = entry_of(pid).unwrap();
    assert_eq!((entry.group, entry.session, entry.parent), (pid, pid, host.pid()));
    assert_eq!(identity_of(pid), Some(running.identity));
    assert_eq!(host.hang_up().1, Vec::<i32>::new());
}

#[test]
fn exit_codes_and_signals_are_distinguished() {
    let mut host = Host::start();
    for code in [0, 7, 137, 255] {
        let running = host.shell(&format!("exit {code}"));
        assert_eq!(host.exit_of(running), Exit::Code(code));
    }
    for signal in [1, 2, 9, 15] {
        let running = host.shell(&format!("kill -{signal} $$; sleep 1000"));
        assert_eq!(host.exit_of(running), Exit::Signal(signal));
    }
}

#[test]
fn each_step_that_fails_is_named_and_leaves_the_supervisor_usable() {
    let mut host = Host::start();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let interpreter = file("script", "#!/nonexistent/interpreter\n", 0o755);
    let text = file("text", "no program\n", 0o755);
    let locked = file("locked", "#!/bin/sh\n", 0o644);

    let mut failure = |program: &str, cwd: &str| {
        let mut spawn = host.request(&[program]);
        spawn.cwd = cwd.as_bytes().to_vec();
        let (step, errno) = host.try_spawn(spawn, null_streams()).map(|_| ()).unwrap_err();
        (step, Errno::from_raw_os_error(errno))
    };
    assert_eq!(failure("/nonexistent/program", "/"), (SpawnStep::Execute, Errno::NOENT));
    assert_eq!(failure(&locked, "/"), (SpawnStep::Execute, Errno::ACCESS));
    assert_eq!(failure(&text, "/"), (SpawnStep::Execute, Errno::NOEXEC));
    assert_eq!(failure(&interpreter, "/"), (SpawnStep::Interpreter, Errno::NOENT));
    assert_eq!(failure("/bin/true", "/nonexistent"), (SpawnStep::ChangeDirectory, Errno::NOENT));
    assert_eq!(failure("/bin/true", &text), (SpawnStep::ChangeDirectory, Errno::NOTDIR));

    let spawn = host.request(&["/bin/echo", "fine"]);
    assert_eq!(host.output_of(spawn), "fine\n");
}

#[test]
fn a_terminal_that_is_none_fails_as_that_step() {
    let mut host = Host::start();
    let mut spawn = host.request(&["/bin/true"]);
    spawn.controlling_terminal = true;
    let failure = host.try_spawn(spawn, null_streams()).map(|_| ());
    assert_eq!(failure, Err((SpawnStep::ControllingTerminal, Errno::NOTTY.raw_os_error())));
}

#[test]
fn descriptor_zero_becomes_the_controlling_terminal_when_asked() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let mut host = Host::start();
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
    let terminal = rustix::fs::open(&name, flags, rustix::fs::Mode::empty()).unwrap();

    let mut spawn = host.request(&["/bin/sh", "-c", "exec 3</dev/tty && echo has a terminal"]);
    spawn.controlling_terminal = true;
    let (mut reader, mut streams) = captured_streams();
    streams[0] = terminal;
    let running = host.try_spawn(spawn, streams).unwrap();
    let mut output = String::new();
    reader.read_to_string(&mut output).unwrap();
    assert_eq!(output, "has a terminal\n");
    assert_eq!(host.exit_of(running), Exit::Code(0));
}

#[test]
fn a_program_has_no_terminal_when_none_was_asked_for() {
    let mut host = Host::start();
    let spawn = host.request(&["/bin/sh", "-c", "exec 3</dev/tty"]);
    assert!(host.output_of(spawn).contains("/dev/tty"), "opening the terminal must fail");
}

/// Numbers of the descriptors that `ls` finds in itself; its own, for the folder, is the last.
fn descriptors_of_ls(host: &mut Host, mut descriptors: Vec<OwnedFd>, output: usize) -> String {
    let (mut reader, writer) = std::io::pipe().unwrap();
    descriptors[output] = writer.into();
    let script = format!("exec ls /proc/self/fd >&{output}");
    let spawn = host.request(&["/bin/sh", "-c", &script]);
    host.try_spawn(spawn, descriptors).unwrap();
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_program_has_exactly_the_descriptors_it_was_given() {
    let mut host = Host::start_through("exec 7</dev/null 9</dev/null; exec \"$0\"");
    assert_eq!(descriptors_of_ls(&mut host, null_streams(), 1), "0 1 2 3");
    let many: Vec<OwnedFd> = (0..40).map(|_| null()).collect();
    let all: Vec<String> = (0..=40).map(|number| number.to_string()).collect();
    let mut found: Vec<u32> = descriptors_of_ls(&mut host, many, 1)
        .split(' ')
        .map(|number| number.parse().unwrap())
        .collect();
    found.sort_unstable();
    assert_eq!(found.iter().map(u32::to_string).collect::<Vec<_>>(), all);
}

#[test]
fn descriptors_keep_their_order() {
    let mut host = Host::start();
    let (mut reader, mut streams) = captured_streams();
    for word in ["three", "four", "five"] {
        let (source, mut target) = std::io::pipe().unwrap();
        target.write_all(word.as_bytes()).unwrap();
        streams.push(source.into());
    }
    let spawn = host.request(&["/bin/sh", "-c", "cat <&5; cat <&3; cat <&4"]);
    host.try_spawn(spawn, streams).unwrap();
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "fivethreefour");
}

#[test]
fn signals_are_default_and_unblocked_whatever_the_host_had() {
    // nohup-like hosts hand down ignored signals; SIGCHLD ignored would also lose exit codes.
    let mut host = Host::start_through("trap '' HUP INT QUIT TERM CHLD PIPE USR1; exec \"$0\"");
    let spawn = host.request(&["/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"]);
    let output = host.output_of(spawn);
    assert_eq!(output.lines().count(), 2);
    for line in output.lines() {
        assert!(line.ends_with("\t0000000000000000"), "{line}");
    }
}

#[test]
fn umask_and_limits_are_set_and_never_raise_what_the_host_has() {
    let mut host = Host::start_through("ulimit -n 512; exec \"$0\"");
    let script = "umask; ulimit -Sn; ulimit -Hn; ulimit -t";
    let mut spawn = host.request(&["/bin/bash", "-c", script]);
    spawn.umask = Some(0o137);
    let limit = |resource, value| Limit { resource, soft: value, hard: value };
    spawn.limits = vec![limit(Resource::OpenFiles, 1 << 20), limit(Resource::CpuSeconds, 1234)];
    assert_eq!(host.output_of(spawn), "0137\n512\n512\n1234\n");

    let mut spawn = host.request(&["/bin/bash", "-c", script]);
    spawn.limits = vec![limit(Resource::OpenFiles, 64)];
    assert!(host.output_of(spawn).contains("\n64\n64\n"));
}

/// `count` variables of 100 KB; one string may have 128 KiB.
fn large_environment(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|index| format!("V{index}={}", "x".repeat(100_000)).into_bytes()).collect()
}

#[test]
fn an_environment_of_megabytes_arrives_whole() {
    // The kernel takes a quarter of the stack limit.
    let mut host = Host::start_through("ulimit -S -s 8192; exec \"$0\"");
    let mut spawn = host.request(&["/bin/sh", "-c", "cat /proc/self/environ | wc -c"]);
    spawn.env.extend(large_environment(15));
    let expected: usize = spawn.env.iter().map(|entry| entry.len() + 1).sum();
    let (mut reader, streams) = captured_streams();
    host.try_spawn(spawn, streams).unwrap();
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    let counted: usize = text.trim().parse().unwrap();
    // A shell adds PWD and the like to what it hands on.
    assert!(counted >= expected, "{counted} of {expected} bytes arrived");
}

#[test]
fn an_environment_larger_than_the_kernel_takes_is_a_failed_exec() {
    let mut host = Host::start_through("ulimit -S -s 8192; exec \"$0\"");
    let mut spawn = host.request(&["/bin/true"]);
    spawn.env.extend(large_environment(30));
    let failure = host.try_spawn(spawn, null_streams()).map(|_| ());
    assert_eq!(failure, Err((SpawnStep::Execute, Errno::TOOBIG.raw_os_error())));
    let running = host.shell("exit 3");
    assert_eq!(host.exit_of(running), Exit::Code(3));
}

#[test]
fn the_supervisor_keeps_nothing_of_the_programs_it_started() {
    let mut host = Host::start();
    let path = format!("/proc/{}/fd", proc_pid(host.pid()).unwrap());
    let count = || std::fs::read_dir(&path).unwrap().count();
    let before = count();
    for _ in 0..20 {
        let running = host.shell("exit 0");
        host.exit_of(running);
    }
    // The pipe that an exec closes is closed here before its program is announced.
    assert_eq!(count(), before);
    assert!(std::fs::read_link(format!("{path}/0")).unwrap().ends_with("null"));
}

#[test]
fn a_child_that_a_program_left_is_adopted_and_its_end_reported() {
    let mut host = Host::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let parent = host.shell(&format!("sleep 1000 & echo $! >{}", file.display()));
    assert_eq!(host.exit_of(parent), Exit::Code(0));
    let pid: i32 = line_in(&file).parse().unwrap();

    let adopted = host.adopt(pid).unwrap();
    assert_eq!(Some(adopted.identity), identity_of(pid));
    pi_supervisor::process::signal(adopted.identity, libc::SIGTERM).unwrap();
    assert_eq!(host.exit_of(adopted), Exit::Signal(libc::SIGTERM));
}

#[test]
fn nothing_else_is_adopted() {
    let mut host = Host::start();
    let program = host.shell("sleep 1000");
    let own = i32::try_from(std::process::id()).unwrap();
    // A program of its own, the host, no one, and no pid.
    for pid in [program.identity.pid, own, i32::MAX, 0, -1] {
        let failure = host.adopt(pid).map(|running| running.identity).unwrap_err();
        assert_eq!(failure, (SpawnStep::Adopt, Errno::SRCH.raw_os_error()), "{pid}");
    }
    assert_eq!(host.hang_up().1, Vec::<i32>::new());
}
