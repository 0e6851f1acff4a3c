//! Tries, from inside of a sandbox or of a read-only copy of a session, what that has to refuse, and says what came of it.
//!
//! The host starts this executable again as a program of a confined supervisor, or of such a copy, with the means of
//! each attempt as arguments: a file outside, a port and sockets it listens on, which process it is, a terminal. Each
//! attempt is answered by one line, `<name> refused` or `<name> possible`; what the host cannot see
//! for itself it learns from here, and what it can see it looks at as well.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixStream};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::Pid;

use super::sys::confine as sys;
use crate::process::{self, ProcessIdentity};

/// What is tried out, each with the first argument that asks for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Sandbox,
    /// In which files keep their mode and times, too.
    ReadOnlyCopy,
}

impl Subject {
    /// The subject that a first argument asks for.
    pub(crate) fn of(argument: &OsStr) -> Option<Self> {
        match argument.to_str() {
            Some("--probe-sandbox") => Some(Self::Sandbox),
            Some("--probe-read-only") => Some(Self::ReadOnlyCopy),
            _ => None,
        }
    }
}

/// Longest wait for a connection that must not come about.
const CONNECT_BOUND: Duration = Duration::from_secs(1);

/// The means of the attempts, in the order of the arguments.
struct Means {
    /// Folder outside of every writable one, with a file `canary` in it.
    outside: OsString,
    /// Address of a TCP listener and of a UDP socket of the host.
    address: SocketAddr,
    /// Path of a listening Unix socket; its name with an `@` is that of an abstract one.
    unix: OsString,
    /// The host, in its own pid namespace.
    host: ProcessIdentity,
    /// A terminal that the host opened.
    terminal: OsString,
}

impl Means {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        Some(Self {
            outside: arguments.next()?,
            address: arguments.next()?.to_str()?.parse().ok()?,
            unix: arguments.next()?,
            host: identity(arguments.next()?.to_str()?)?,
            terminal: arguments.next()?,
        })
    }
}

/// `PID:START_TIME`.
fn identity(text: &str) -> Option<ProcessIdentity> {
    let (pid, start_time) = text.split_once(':')?;
    let pid = pid.parse().ok().filter(|pid| *pid > 0)?;
    Some(ProcessIdentity { pid, start_time: start_time.parse().ok()? })
}

/// The host's id, unless another process has it here: in a pid namespace of a sandbox the host has none, and where it has a
/// small one outside, as the first process of a container has, some program of the sandbox has the same.
fn pid_here(host: ProcessIdentity) -> Option<Pid> {
    let is_other = process::identity_of(host.pid).is_some_and(|found| found != host);
    Pid::from_raw(host.pid).filter(|_| !is_other)
}

/// Makes every attempt and prints the answers.
pub(crate) fn run(subject: Subject, arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(means) = Means::read(arguments) else { return ExitCode::FAILURE };
    let host = pid_here(means.host);
    let mut attempts = vec![
        ("write", can_write(Path::new(&means.outside))),
        ("network", can_connect(means.address)),
        ("unix-socket", can_reach_unix(&means.unix)),
        ("privileges", has_privileges()),
        ("namespaces", can_make_namespaces()),
        ("signal", host.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())),
        ("process", host.is_some_and(|pid| can_look_into(pid) || sys::can_trace(pid))),
        // Before the next, which opens one of its own.
        ("other-terminal", sys::can_open_terminal(Path::new(&means.terminal))),
        ("terminal", sys::can_type_into_terminal()),
    ];
    if subject == Subject::ReadOnlyCopy {
        attempts.push(("metadata", can_change_metadata(Path::new(&means.outside))));
    }
    let mut text = String::new();
    for (name, possible) in attempts {
        text.push_str(name);
        text.push_str(if possible { " possible\n" } else { " refused\n" });
    }
    text.push_str("end\n");
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn can_write(outside: &Path) -> bool {
    let canary = outside.join("canary");
    fs::write(outside.join("made"), "").is_ok()
        || fs::OpenOptions::new().append(true).open(&canary).is_ok()
        || fs::OpenOptions::new().write(true).truncate(true).open(&canary).is_ok()
        || fs::rename(&canary, outside.join("renamed")).is_ok()
        || fs::remove_file(&canary).is_ok()
        || fs::hard_link(&canary, outside.join("linked")).is_ok()
}

/// Each attempt says by itself whether it was refused, since what it sets may be what there was.
fn can_change_metadata(outside: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, IFlags, Mode, Timespec, Timestamps, XattrFlags};
    let canary = outside.join("canary");
    let time = Timespec { tv_sec: 1, tv_nsec: 0 };
    let times = Timestamps { last_access: time, last_modification: time };
    let flags_of_file = || {
        let file = fs::File::open(&canary).ok()?;
        let flags = rustix::fs::ioctl_getflags(&file).ok()?;
        rustix::fs::ioctl_setflags(&file, flags | IFlags::NODUMP).ok()
    };
    let attribute = || {
        rustix::fs::setxattr(&canary, "user.probe", b"1", XattrFlags::empty())
            .or_else(|_| rustix::fs::removexattr(&canary, "user.probe"))
    };
    rustix::fs::chmod(&canary, Mode::RWXU).is_ok()
        || rustix::fs::utimensat(CWD, &canary, &times, AtFlags::empty()).is_ok()
        || rustix::fs::chown(&canary, Some(rustix::process::getuid()), None).is_ok()
        || attribute().is_ok()
        || flags_of_file().is_some()
}

/// A datagram that was taken says nothing: whether it arrived is the host's to see.
fn can_connect(address: SocketAddr) -> bool {
    if let Ok(socket) = UdpSocket::bind(("127.0.0.1", 0)) {
        socket.send_to(b"probe", address).ok();
    }
    TcpStream::connect_timeout(&address, CONNECT_BOUND).is_ok()
}

fn can_reach_unix(path: &OsStr) -> bool {
    let mut name = OsString::from("@");
    name.push(path);
    let name = UnixAddress::from_abstract_name(name.as_encoded_bytes());
    let abstract_one = name.and_then(|name| UnixStream::connect_addr(&name));
    UnixStream::connect(path).is_ok() || abstract_one.is_ok()
}

/// A capability, or a way to one.
fn has_privileges() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = |name: &str| {
        status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).unwrap_or_default()
    };
    let none = |name: &str| !value(name).is_empty() && value(name).bytes().all(|byte| byte == b'0');
    !(none("CapEff:") && none("CapPrm:") && value("NoNewPrivs:") == "1" && value("Seccomp:") == "2")
}

fn can_make_namespaces() -> bool {
    sys::unshare(false).is_ok() || sys::make_private().is_ok()
}

/// Its environment, or its files by way of its root folder.
fn can_look_into(host: Pid) -> bool {
    let pid = host.as_raw_nonzero();
    fs::read(format!("/proc/{pid}/environ")).is_ok()
        || fs::read_dir(format!("/proc/{pid}/root/")).is_ok()
}
