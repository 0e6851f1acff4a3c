//! What the probe of a sandbox says: each way around a refusal counts, also when it is the only one. One file, since all
//! attempts are at the same things outside, which it sets up.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pi_supervisor::landlock::Ruleset;
use pi_supervisor::process::ProcessIdentity;
use pi_supervisor::wire::{Confine, Landlock};
use rustix::fs::{IFlags, XattrFlags};

use crate::filter::{Refused, refusing};
use crate::host::Host;

const SANDBOX: &str = "--probe-sandbox";
const READ_ONLY_COPY: &str = "--probe-read-only";

/// `TIOCSTI`, which types into a terminal.
const TYPE_INTO: u32 = 0x5412;

/// What the attempts are directed at.
struct Outside {
    folder: tempfile::TempDir,
    address: SocketAddr,
    socket: PathBuf,
    victim: ProcessIdentity,
    controller: OwnedFd,
    terminal: PathBuf,
}

impl Outside {
    /// Of which nothing can be had: modes keep out who has no capability, and no one listens.
    fn new(victim: ProcessIdentity) -> Self {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("canary"), "unchanged").unwrap();
        // Taken, and no one listens at it.
        let unused = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let terminal = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
        let outside = Self {
            address: unused.local_addr().unwrap(),
            socket: folder.path().join("socket"),
            folder,
            victim,
            controller,
            terminal: terminal.into(),
        };
        outside.set_modes(0o555, 0o444, 0);
        outside
    }

    fn canary(&self) -> PathBuf {
        self.folder.path().join("canary")
    }

    fn set_modes(&self, folder: u32, canary: u32, terminal: u32) {
        bar(&self.canary(), canary);
        bar(self.folder.path(), folder);
        bar(&self.terminal, terminal);
    }

    fn argv(&self, subject: &str) -> Vec<String> {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        vec![
            env!("CARGO_BIN_EXE_pi-supervisor").to_owned(),
            subject.to_owned(),
            text(self.folder.path()),
            self.address.to_string(),
            text(&self.socket),
            format!("{}:{}", self.victim.pid, self.victim.start_time),
            text(&self.terminal),
        ]
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        // Its owner has to be able to remove what is in it.
        bar(self.folder.path(), 0o755);
    }
}

fn bar(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The attempts that were said to be possible, of all that were answered.
struct Answers(BTreeMap<String, bool>);

impl Answers {
    fn of(text: &str) -> Self {
        let lines = text.strip_suffix("end\n").unwrap_or_else(|| panic!("{text}")).lines();
        Self(
            lines
                .map(|line| match line.split_once(' ') {
                    Some((name, "possible")) => (name.to_owned(), true),
                    Some((name, "refused")) => (name.to_owned(), false),
                    _ => panic!("{text}"),
                })
                .collect(),
        )
    }

    fn possible(&self) -> Vec<&str> {
        self.0.iter().filter(|(_, possible)| **possible).map(|(name, _)| name.as_str()).collect()
    }
}

fn identity(host: &Host) -> ProcessIdentity {
    pi_supervisor::process::identity_of(host.pid()).unwrap()
}

fn probe(host: &mut Host, outside: &Outside, subject: &str) -> Answers {
    let argv = outside.argv(subject);
    let spawn = host.request(&argv.iter().map(String::as_str).collect::<Vec<_>>());
    Answers::of(&host.output_of(spawn))
}

/// Without `except`, everything is refused that a mode does not refuse.
fn confined(except: &[libc::c_long]) -> Host {
    let mut refused = vec![
        (libc::SYS_connect, Refused::All),
        (libc::SYS_kill, Refused::All),
        (libc::SYS_ptrace, Refused::All),
        (libc::SYS_unshare, Refused::All),
        (libc::SYS_ioctl, Refused::With(1, TYPE_INTO)),
    ];
    refused.retain(|(call, _)| !except.contains(call));
    confined_by(&refused)
}

fn confined_by(refused: &[(libc::c_long, Refused)]) -> Host {
    let mut host = Host::start();
    host.confine(refusing(refused)).unwrap();
    host
}

const ATTEMPTS: [&str; 9] = [
    "namespaces",
    "network",
    "other-terminal",
    "privileges",
    "process",
    "signal",
    "terminal",
    "unix-socket",
    "write",
];

#[test]
fn what_is_refused_is_said_to_be() {
    let mut host = confined(&[]);
    // A confined supervisor lets no one look into it.
    let outside = Outside::new(identity(&host));
    let answers = probe(&mut host, &outside, SANDBOX);
    assert_eq!(answers.possible(), Vec::<&str>::new());
    assert_eq!(answers.0.keys().collect::<Vec<_>>(), ATTEMPTS);
    assert_eq!(std::fs::read_to_string(outside.canary()).unwrap(), "unchanged");
}

#[test]
fn what_is_possible_is_said_to_be() {
    // Its own mounts, should it be able to change some.
    let own = Command::new("unshare").args(["--mount", "true"]).stderr(Stdio::null()).status();
    let has_own = own.is_ok_and(|status| status.success());
    let line = if has_own { "exec unshare --mount \"$0\"" } else { "exec \"$0\"" };
    let mut host = Host::start_through(line);
    let victim = host.shell("sleep 1000");
    let mut outside = Outside::new(victim.identity);
    let tcp = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    outside.address = tcp.local_addr().unwrap();
    outside.set_modes(0o777, 0o666, 0o666);
    let _socket = UnixListener::bind(&outside.socket).unwrap();
    let answers = probe(&mut host, &outside, SANDBOX);
    let mut missing = ATTEMPTS.to_vec();
    missing.retain(|name| !answers.possible().contains(name));
    // In namespaces of its own it has no rights to what is outside. Some systems keep these from users.
    assert!(missing.iter().all(|name| ["namespaces", "process", "terminal"].contains(name)));
    assert!(!missing.contains(&"namespaces") || !has_own, "{missing:?}");
    // What arrived is there for the host to see.
    assert!(tcp.accept().is_ok());
    let mut text = [0; 16];
    assert_eq!(rustix::io::read(&outside.controller, &mut text), Ok(5));
    assert_eq!(&text[..5], b"probe");
}

/// As in a pid namespace, where the host has no id and a program may have the one that it has outside.
#[test]
fn another_process_with_the_id_of_the_host_is_not_the_host() {
    let mut host = Host::start();
    let victim = host.shell("sleep 1000").identity;
    let earlier = ProcessIdentity { start_time: victim.start_time - 1, ..victim };
    for (it, is_reached) in [(victim, true), (earlier, false)] {
        let outside = Outside::new(it);
        let answers = probe(&mut host, &outside, SANDBOX);
        assert_eq!(answers.possible().contains(&"signal"), is_reached);
        assert!(is_reached || !answers.possible().contains(&"process"));
    }
}

#[test]
fn without_its_means_a_probe_says_nothing() {
    for host in ["", "0", "1:", ":1", "a:1", "1:b", "0:1", "-1:1"] {
        let words = [SANDBOX, "/tmp", "127.0.0.1:1", "/tmp/s", host, "/dev/pts/0"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_pi-supervisor"));
        let output = command.args(words).stdin(Stdio::null()).output().unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()), "{host}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_pi-supervisor"));
    let output = command.arg(SANDBOX).stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()));
}

/// Makes of a file that could be changed a folder that could not, and a name that cannot be taken.
fn make_folder(path: &Path) {
    drop(std::fs::remove_file(path));
    std::fs::create_dir_all(path.join("full")).unwrap();
}

#[test]
fn each_way_to_write_counts_by_itself() {
    /// `LANDLOCK_ACCESS_FS_TRUNCATE`.
    const TRUNCATE: u64 = 1 << 14;
    let mut host = confined(&[]);
    let can_write = |host: &mut Host, prepare: &dyn Fn(&Outside)| {
        let outside = Outside::new(identity(host));
        bar(outside.folder.path(), 0o755);
        prepare(&outside);
        let answers = probe(host, &outside, SANDBOX);
        answers.possible() == ["write"]
    };
    let made = |outside: &Outside| outside.folder.path().join("made");
    let renamed = |outside: &Outside| outside.folder.path().join("renamed");

    let new_file = |outside: &Outside| std::fs::remove_file(outside.canary()).unwrap();
    assert!(can_write(&mut host, &new_file));
    // A folder can be renamed, and what is below it not be changed by its name.
    let rename = |outside: &Outside| {
        make_folder(&made(outside));
        make_folder(&outside.canary());
    };
    assert!(can_write(&mut host, &rename));
    let removal = |outside: &Outside| {
        make_folder(&made(outside));
        make_folder(&renamed(outside));
    };
    assert!(can_write(&mut host, &removal));
    let change = |outside: &Outside| outside.set_modes(0o555, 0o644, 0);
    assert!(can_write(&mut host, &change));
    let nothing = |outside: &Outside| outside.set_modes(0o555, 0o444, 0);
    assert!(!can_write(&mut host, &nothing));

    let landlock = Landlock { filesystem: TRUNCATE, ..Landlock::default() };
    if Ruleset::new(&landlock).is_err() {
        // Before version 3 of Landlock who can append can truncate as well.
        return;
    }
    host.confine(Confine { landlock: Some(landlock), ..Confine::default() }).unwrap();
    assert!(can_write(&mut host, &change), "it can append");
}

#[test]
fn each_way_to_change_metadata_counts_by_itself() {
    use Refused::All;
    /// `FS_IOC_SETFLAGS`; its size is that of a word.
    const SET_FLAGS: u32 =
        if cfg!(target_pointer_width = "64") { 0x4008_6602 } else { 0x4004_6602 };
    /// `fchmodat2(2)`, which `libc` has not for every system.
    const FCHMODAT2: libc::c_long = 452;
    #[cfg(target_arch = "x86_64")]
    let old = [&[(libc::SYS_chmod, All)][..], &[(libc::SYS_chown, All), (libc::SYS_lchown, All)]];
    #[cfg(not(target_arch = "x86_64"))]
    let old: [&[(libc::c_long, Refused)]; 2] = [&[], &[]];
    let ways = [
        [&[(libc::SYS_fchmodat, All), (libc::SYS_fchmod, All), (FCHMODAT2, All)][..], old[0]]
            .concat(),
        vec![(libc::SYS_utimensat, All)],
        [&[(libc::SYS_fchownat, All), (libc::SYS_fchown, All)][..], old[1]].concat(),
        vec![(libc::SYS_setxattr, All), (libc::SYS_removexattr, All)],
        vec![(libc::SYS_ioctl, Refused::With(1, SET_FLAGS))],
    ];
    let is_possible = |allowed: Option<usize>, outside: &Outside| {
        let others = ways.iter().enumerate().filter(|(index, _)| Some(*index) != allowed);
        let mut refused: Vec<_> = others.flat_map(|(_, way)| way.iter().copied()).collect();
        // In a namespace of its own it would not be who it is.
        refused.push((libc::SYS_unshare, All));
        let mut host = confined_by(&refused);
        let answers = probe(&mut host, outside, READ_ONLY_COPY);
        assert_eq!(answers.0.len(), ATTEMPTS.len() + 1);
        answers.0["metadata"]
    };
    let new = || {
        let outside = Outside::new(ProcessIdentity { pid: 1, start_time: 0 });
        bar(&outside.canary(), 0o644);
        outside
    };
    let flags = |outside: &Outside| {
        let file = std::fs::File::open(outside.canary()).unwrap();
        rustix::fs::ioctl_getflags(&file)
    };
    assert!(!is_possible(None, &new()));
    for index in 0..3 {
        assert!(is_possible(Some(index), &new()), "{index}");
    }
    // Not every file system has these.
    let trial = new();
    if rustix::fs::setxattr(trial.canary(), "user.probe", b"1", XattrFlags::empty()).is_ok() {
        assert!(is_possible(Some(3), &new()));
    }
    if flags(&trial).is_ok() {
        let changed = new();
        assert!(is_possible(Some(4), &changed));
        assert!(flags(&changed).unwrap().contains(IFlags::NODUMP));
    }
}

#[test]
fn each_way_to_a_socket_counts_by_itself() {
    let mut host = confined(&[libc::SYS_connect]);
    let mut outside = Outside::new(identity(&host));
    assert_eq!(probe(&mut host, &outside, SANDBOX).possible(), Vec::<&str>::new());

    bar(outside.folder.path(), 0o755);
    let by_path = UnixListener::bind(&outside.socket).unwrap();
    bar(outside.folder.path(), 0o555);
    assert_eq!(probe(&mut host, &outside, SANDBOX).possible(), ["unix-socket"]);
    drop(by_path);

    let name = format!("@{}", outside.socket.display());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name).unwrap();
    let by_name = UnixListener::bind_addr(&address).unwrap();
    assert_eq!(probe(&mut host, &outside, SANDBOX).possible(), ["unix-socket"]);
    drop(by_name);

    let tcp = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    outside.address = tcp.local_addr().unwrap();
    assert_eq!(probe(&mut host, &outside, SANDBOX).possible(), ["network"]);
}

#[test]
fn a_datagram_is_sent_for_the_host_to_see() {
    let mut host = confined(&[libc::SYS_connect]);
    let mut outside = Outside::new(identity(&host));
    let udp = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
    udp.set_read_timeout(Some(crate::host::PATIENCE)).unwrap();
    outside.address = udp.local_addr().unwrap();
    assert_eq!(probe(&mut host, &outside, SANDBOX).possible(), Vec::<&str>::new());
    let mut text = [0; 16];
    assert_eq!(udp.recv(&mut text).unwrap(), 5);
}

#[test]
fn a_terminal_that_can_be_written_or_read_is_open() {
    let mut host = confined(&[]);
    for mode in [0o200, 0o400] {
        let outside = Outside::new(identity(&host));
        bar(&outside.terminal, mode);
        assert_eq!(probe(&mut host, &outside, SANDBOX).possible(), ["other-terminal"], "{mode:o}");
        rustix::io::ioctl_fionbio(&outside.controller, true).unwrap();
        let mut text = [0; 16];
        let arrived = rustix::io::read(&outside.controller, &mut text);
        assert_eq!(arrived == Ok(5), mode == 0o200, "{arrived:?}");
    }
}

#[test]
fn typing_signals_and_namespaces_count_by_themselves() {
    let mut host = confined(&[libc::SYS_ioctl]);
    let outside = Outside::new(identity(&host));
    assert_eq!(probe(&mut host, &outside, SANDBOX).possible(), ["terminal"]);

    let mut host = confined(&[libc::SYS_kill]);
    let victim = host.shell("sleep 1000");
    let outside = Outside::new(victim.identity);
    assert!(probe(&mut host, &outside, SANDBOX).possible().contains(&"signal"));

    let unconfined =
        Command::new("unshare").args(["--user", "true"]).stderr(Stdio::null()).status();
    if unconfined.is_ok_and(|status| status.success()) {
        let mut host = confined(&[libc::SYS_unshare]);
        let outside = Outside::new(identity(&host));
        assert_eq!(probe(&mut host, &outside, SANDBOX).possible(), ["namespaces"]);
    }
}

#[test]
fn a_missing_filter_is_a_privilege() {
    let mut host = Host::start();
    host.confine(Confine::default()).unwrap();
    let outside = Outside::new(identity(&host));
    assert!(probe(&mut host, &outside, SANDBOX).0["privileges"]);
}

#[test]
fn capabilities_and_mounts_of_a_namespace_count_whatever_else_is_refused() {
    let user_and_mounts = ["--user", "--keep-caps", "--mount"];
    let trial = Command::new("unshare").args(user_and_mounts).arg("true").status();
    if !trial.is_ok_and(|status| status.success()) {
        // Containers and the settings of some systems refuse namespaces.
        return;
    }
    // User, mount and IPC namespaces at once, as the probe asks for them and unshare(1) here not.
    let at_once = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
    let mut host = confined_by(&[
        (libc::SYS_unshare, Refused::With(0, at_once.cast_unsigned())),
        (libc::SYS_kill, Refused::All),
    ]);
    let outside = Outside::new(identity(&host));
    assert!(!probe(&mut host, &outside, SANDBOX).0["namespaces"]);
    let mut argv = vec!["/usr/bin/unshare".to_owned()];
    argv.extend(user_and_mounts.map(str::to_owned));
    argv.extend(outside.argv(SANDBOX));
    let spawn = host.request(&argv.iter().map(String::as_str).collect::<Vec<_>>());
    let answers = Answers::of(&host.output_of(spawn));
    assert!(answers.0["namespaces"] && answers.0["privileges"], "{:?}", answers.0);
}

#[test]
fn each_way_into_another_process_counts_by_itself() {
    // Its root folder is opened as a folder, its environment is not.
    let mut host = confined_by(&[
        (libc::SYS_openat, Refused::WithBits(2, libc::O_DIRECTORY.cast_unsigned())),
        (libc::SYS_ptrace, Refused::All),
        (libc::SYS_unshare, Refused::All),
    ]);
    let victim = host.shell("sleep 1000");
    let outside = Outside::new(victim.identity);
    assert!(probe(&mut host, &outside, SANDBOX).0["process"]);
    let outside = Outside::new(identity(&host));
    assert!(!probe(&mut host, &outside, SANDBOX).0["process"]);

    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope");
    let trial = Command::new("unshare").args(["--mount", "true"]).stderr(Stdio::null()).status();
    if scope.is_ok_and(|scope| scope.trim() != "0") || !trial.is_ok_and(|one| one.success()) {
        // A system that lets only parents trace, or a user who cannot hide `/proc`.
        return;
    }
    let line = "exec unshare --mount sh -c 'mount -t tmpfs none /proc && exec \"$0\"' \"$0\"";
    let mut host = Host::start_through(line);
    host.confine(refusing(&[(libc::SYS_unshare, Refused::All)])).unwrap();
    let victim = host.shell("sleep 1000");
    let outside = Outside::new(victim.identity);
    assert!(probe(&mut host, &outside, SANDBOX).0["process"], "it can be traced");
}
