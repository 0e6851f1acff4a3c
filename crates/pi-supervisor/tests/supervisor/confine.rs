//! What a confined supervisor and its programs can do, and what not.
//!
//! A supervisor that is to have namespaces runs in a mount namespace of its own, and as another user where this one is
//! root: one with a defect must not change the mounts of the machine.

use std::io::Read as _;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use pi_supervisor::landlock::Ruleset;
use pi_supervisor::wire::{Confine, ConfineStep, Landlock, Namespaces, PathRule};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::filter::{Refused, refusing};
use crate::host::{Host, PATIENCE, eventually, is_root};

/// A user and a group that have nothing on any system.
const OTHERS: (u32, u32) = (61023, 61024);

/// A shell line that becomes `$0`, in a mount namespace of its own, after `prepare` and as that user where possible.
fn enclosed(user: u32, group: u32, propagation: &str, prepare: &str) -> String {
    let (map, change) = if is_root() {
        ("", format!("setpriv --reuid {user} --regid {group} --clear-groups"))
    } else {
        // It cannot change its user and is root where it can mount.
        ("--user --map-root-user", String::new())
    };
    // By a descriptor: another user may not enter the folder that the executable is in.
    let inner = format!("{prepare}exec {change} /proc/self/fd/3 \"$@\"");
    let outer = format!("exec unshare {map} --mount --propagation {propagation}");
    format!("exec 3<\"$0\"; {outer} sh -c '{inner}' sh \"$@\"")
}

/// Whether a process that was started by such a line can have namespaces and mounts below. Containers and the settings
/// of some systems refuse that.
fn can_enclose(user: u32, group: u32) -> bool {
    let script = "exec unshare --user --map-root-user --mount --ipc --net \
                  sh -c 'mount -t tmpfs none /tmp && mount -t devpts -o newinstance none /dev/pts'";
    let line = enclosed(user, group, "private", "");
    let mut command = Command::new("sh");
    command.args(["-c", &line, "/bin/sh", "-c", script]).stdin(Stdio::null());
    let output = command.output().unwrap();
    output.status.success()
}

fn start_enclosed((user, group): (u32, u32)) -> Option<Host> {
    can_enclose(user, group).then(|| Host::start_through(&enclosed(user, group, "private", "")))
}

/// What a script prints.
fn printed(host: &mut Host, script: &str) -> String {
    let spawn = host.request(&["/bin/bash", "-c", script]);
    host.output_of(spawn)
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

fn namespaces(namespaces: Namespaces) -> Confine {
    Confine { namespaces: Some(namespaces), ..Confine::default() }
}

/// A folder that everyone may use.
fn open_folder(path: &Path) {
    std::fs::create_dir_all(path).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
}

#[test]
fn only_what_was_named_can_be_written_and_no_mount_is_seen_outside() {
    let Some(mut host) = start_enclosed(OTHERS) else { return };
    let yard = tempfile::tempdir().unwrap();
    open_folder(yard.path());
    for name in ["outside", "writable", "writable/pinned", "writable/kept", "writable/free"] {
        open_folder(&yard.path().join(name));
    }
    let path = |name: &str| bytes(&yard.path().join(name));

    let answer = host.confine(namespaces(Namespaces {
        writable: vec![path("writable")],
        pinned: vec![path("writable/pinned")],
        read_only: vec![path("writable/kept")],
        ..Namespaces::default()
    }));
    assert!(answer.unwrap().is_none(), "no listener was asked for");
    let script = format!(
        "cd {} || exit
        try() {{ if \"$@\" 2>/dev/null; then echo \"yes $*\"; else echo \"no $*\"; fi; }}
        try touch outside/made; try touch writable/made; try touch writable/pinned/made
        try touch writable/kept/made; try mv writable/pinned writable/moved
        try mv writable/free writable/moved",
        yard.path().display()
    );
    assert_eq!(
        printed(&mut host, &script),
        "no touch outside/made\nyes touch writable/made\nyes touch writable/pinned/made\n\
         no touch writable/kept/made\nno mv writable/pinned writable/moved\n\
         yes mv writable/free writable/moved\n"
    );
    assert!(yard.path().join("writable/pinned/made").exists());
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains(yard.path().to_str().unwrap()), "{mounts}");
    assert_eq!(host.hang_up().1, Vec::<i32>::new());
}

#[test]
fn a_mount_outside_is_not_seen_inside() {
    if !can_enclose(OTHERS.0, OTHERS.1) {
        return;
    }
    let mut host = Host::start_through(&enclosed(OTHERS.0, OTHERS.1, "shared", ""));
    host.confine(namespaces(Namespaces::default())).unwrap();
    let mounts = printed(&mut host, "cat /proc/self/mountinfo");
    assert!(mounts.contains(" / "), "{mounts}");
    assert!(!mounts.contains(" shared:") && !mounts.contains(" master:"), "{mounts}");
}

#[test]
fn what_is_mounted_below_proc_is_no_obstacle() {
    if !can_enclose(OTHERS.0, OTHERS.1) {
        return;
    }
    // As containers cover what is not for everyone.
    let cover = "mount --bind /dev/null /proc/version || exit 1; ";
    let mut host = Host::start_through(&enclosed(OTHERS.0, OTHERS.1, "private", cover));
    host.confine(namespaces(Namespaces::default())).unwrap();
    assert_eq!(printed(&mut host, "cat /proc/version; echo end"), "end\n");
}

#[test]
fn a_program_has_the_user_and_the_group_that_it_would_have_outside() {
    let identities = [OTHERS, (OTHERS.0, 0), (0, OTHERS.1), (0, 0)];
    // Who is not root is itself only, which is root where it can mount.
    for (user, group) in if is_root() { &identities[..] } else { &identities[3..] } {
        let Some(mut host) = start_enclosed((*user, *group)) else { return };
        host.confine(namespaces(Namespaces::default())).unwrap();
        let script = "id -u; id -g; grep -E '^Cap(Eff|Prm|Bnd)' /proc/self/status";
        let none = "0000000000000000";
        let expected =
            format!("{user}\n{group}\nCapPrm:\t{none}\nCapEff:\t{none}\nCapBnd:\t{none}\n");
        assert_eq!(printed(&mut host, script), expected);
    }
}

/// The namespaces of a program, and the test's own.
fn links(host: &mut Host) -> [Vec<String>; 2] {
    let names = ["user", "mnt", "ipc", "net"];
    let text = printed(host, "cd /proc/self/ns && readlink user mnt ipc net");
    let own = names.map(|name| {
        let link = std::fs::read_link(format!("/proc/self/ns/{name}")).unwrap();
        link.to_str().unwrap().to_owned()
    });
    [text.lines().map(str::to_owned).collect(), own.to_vec()]
}

#[test]
fn a_network_of_its_own_is_one_namespace_more() {
    for network in [false, true] {
        let Some(mut host) = start_enclosed(OTHERS) else { return };
        host.confine(namespaces(Namespaces { network, ..Namespaces::default() })).unwrap();
        let [inside, outside] = links(&mut host);
        let differ: Vec<bool> =
            inside.iter().zip(&outside).map(|(inside, outside)| inside != outside).collect();
        assert_eq!(differ, [true, true, true, network], "{inside:?}");
    }
}

#[test]
fn the_host_takes_connections_inside_by_a_listener_of_its_own() {
    const PORT: u16 = 8123;
    let Some(mut host) = start_enclosed(OTHERS) else { return };
    let confine = Confine {
        listener_port: PORT,
        ..namespaces(Namespaces { network: true, ..Namespaces::default() })
    };
    let listener: OwnedFd = host.confine(confine).unwrap().unwrap();
    let flags = rustix::fs::fcntl_getfl(&listener).unwrap();
    assert!(flags.contains(rustix::fs::OFlags::NONBLOCK), "the host must not hang at it");
    let listener = TcpListener::from(listener);

    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{PORT} && echo hello >&3");
    let spawn = host.request(&["/bin/bash", "-c", &connect]);
    host.try_spawn(spawn, crate::host::null_streams()).unwrap();
    let mut connection = None;
    eventually("it has connected", || {
        connection = listener.accept().ok();
        connection.is_some()
    });
    let (mut connection, _) = connection.unwrap();
    connection.set_nonblocking(false).unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut text = String::new();
    connection.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello\n");

    // The supervisor has none.
    drop(listener);
    assert!(printed(&mut host, &connect).contains("refused"));
}

fn new_terminal() -> (OwnedFd, String) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
    std::fs::set_permissions(&name, std::fs::Permissions::from_mode(0o666)).unwrap();
    (controller, name)
}

#[test]
fn terminals_of_its_own_hide_those_of_the_host_but_for_its_console() {
    let (controller, terminal) = new_terminal();
    for has_console in [false, true] {
        if has_console && !Path::new("/dev/console").exists() {
            // Containers may have none.
            return;
        }
        let Some(mut host) = start_enclosed(OTHERS) else { return };
        let console = if has_console { terminal.clone().into_bytes() } else { Vec::new() };
        let wanted = Namespaces { terminals: true, console, ..Namespaces::default() };
        host.confine(namespaces(wanted)).unwrap();
        assert_eq!(printed(&mut host, "ls /dev/pts"), "ptmx\n");
        assert_eq!(printed(&mut host, "exec 3<>/dev/ptmx && ls /dev/pts"), "0\nptmx\n");
        let mounts = printed(&mut host, "grep ' /dev/pts ' /proc/self/mountinfo | tail -n 1");
        assert!(mounts.contains("nosuid") && mounts.contains("noexec"), "{mounts}");
        if has_console {
            // The console of the machine stays what it is if the other is not in its place.
            let line = "[ \"$(stat -c %t:%T /dev/console)\" != 5:1 ] && echo hello >/dev/console";
            assert_eq!(printed(&mut host, line), "");
        }
        let at_once = Some(&Timespec { tv_sec: 0, tv_nsec: 0 });
        let mut polled = [PollFd::new(&controller, PollFlags::IN)];
        let is_readable = poll(&mut polled, at_once).unwrap() > 0;
        assert_eq!(is_readable, has_console);
    }
    let mut text = [0; 16];
    let count = rustix::io::read(&controller, &mut text).unwrap();
    assert_eq!(&text[..count], b"hello\r\n");
}

#[test]
fn without_namespaces_rights_are_given_up_all_the_same() {
    let mut host = Host::start();
    let uname = [(libc::SYS_uname, Refused::All)];
    host.confine(refusing(&uname)).unwrap();
    let status = "grep -E '^(CapPrm|CapEff|NoNewPrivs|Seccomp):' /proc/self/status";
    let none = "0000000000000000";
    let expected = format!("CapPrm:\t{none}\nCapEff:\t{none}\nNoNewPrivs:\t1\nSeccomp:\t2\n");
    assert_eq!(printed(&mut host, status), expected);
    if is_root() {
        // Who has no capability has not the one either that it takes to bound them.
        let bounds = printed(&mut host, "grep ^CapBnd: /proc/self/status");
        assert_eq!(bounds, format!("CapBnd:\t{none}\n"));
    }
    assert!(printed(&mut host, "uname || echo none").ends_with("none\n"));
    // It has the descriptor of the host's socket.
    let look = "cat /proc/$PPID/environ >/dev/null 2>&1 || echo refused";
    assert_eq!(printed(&mut host, look), "refused\n");
}

#[test]
fn a_domain_allows_what_its_rules_name() {
    const WRITE_FILE: u64 = 1 << 1;
    const MAKE_REG: u64 = 1 << 8;
    let filesystem = WRITE_FILE | MAKE_REG;
    if Ruleset::new(&Landlock { filesystem, ..Landlock::default() }).is_err() {
        // A kernel without Landlock.
        return;
    }
    let yard = tempfile::tempdir().unwrap();
    for name in ["one", "other"] {
        open_folder(&yard.path().join(name));
    }
    // What cannot be opened to be read can be named all the same.
    let socket = yard.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let rule = |path: &Path| PathRule { path: bytes(path), access: filesystem };
    let rules =
        vec![rule(&socket), rule(&yard.path().join("missing")), rule(&yard.path().join("one"))];
    let landlock = Some(Landlock { filesystem, rules, ..Landlock::default() });
    let mut host = Host::start();
    host.confine(Confine { landlock, ..Confine::default() }).unwrap();
    let script = format!("cd {}; : >one/made; : >other/made", yard.path().display());
    printed(&mut host, &script);
    let made = ["one", "other"].map(|name| yard.path().join(name).join("made").exists());
    assert_eq!(made, [true, false]);
}

#[test]
fn the_step_that_fails_is_named() {
    let failure = |mut host: Host, confine| host.confine(confine).map(|_| ()).unwrap_err();

    let endless = Confine { seccomp: vec![0; 8], ..Confine::default() };
    assert_eq!(failure(Host::start(), endless), (ConfineStep::Seccomp, Errno::INVAL));

    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let listener_port = taken.local_addr().unwrap().port();
    let twice = Confine { listener_port, ..Confine::default() };
    assert_eq!(failure(Host::start(), twice), (ConfineStep::Listener, Errno::ADDRINUSE));

    let is_known = |filesystem| Ruleset::new(&Landlock { filesystem, ..Landlock::default() });
    if is_known(1).is_ok() {
        let landlock = Some(Landlock { filesystem: 1 << 63, ..Landlock::default() });
        let unknown = Confine { landlock, ..Confine::default() };
        assert_eq!(failure(Host::start(), unknown), (ConfineStep::Landlock, Errno::INVAL));
    }

    let Some(host) = start_enclosed(OTHERS) else { return };
    let writable = vec![b"/nonexistent/folder".to_vec()];
    let missing = namespaces(Namespaces { writable, ..Namespaces::default() });
    assert_eq!(failure(host, missing), (ConfineStep::Mounts, Errno::NOENT));
}
