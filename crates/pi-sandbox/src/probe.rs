//! Proves a sandbox before it is relied on: attempts that must fail are made in it.
//!
//! The attempts are made by the supervisor's executable, started once more as a program of a
//! confined supervisor (`crates/pi-supervisor/src/program/probe.rs`). What can be seen from here, a file that
//! was changed, a connection that came, counts whatever that program says.
//!
//! The same attempts prove a read-only copy of a session (`proof`), which makes them by itself.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pi_process::private_dir::PrivateDir;
use pi_process::supervisor::{SpawnRequest, Supervisor};
use pi_process::sys::open_controller;

use super::enclosure::SessionPaths;
use super::sandbox::Sandbox;

/// Time for all attempts; each takes milliseconds, a connection into nowhere a second.
const BOUND: Duration = Duration::from_secs(20);

/// Time for the end of the supervisor.
const CLOSE_BOUND: Duration = Duration::from_secs(5);

/// Text of the file that must not change.
const CANARY: &str = "unchanged\n";

/// The attempts, as the program names them.
pub(super) const ATTEMPTS: [&str; 9] = [
    "write",
    "network",
    "unix-socket",
    "privileges",
    "namespaces",
    "signal",
    "process",
    "other-terminal",
    "terminal",
];

/// The names of the attempts that were not refused; an error when they could not be made.
pub(super) async fn attempts_that_succeed(
    sandbox: &Sandbox,
    executable: &Path,
) -> Result<Vec<String>, String> {
    let failed = |error: io::Error| format!("cannot prepare the proof: {error}");
    let outside_folder = PrivateDir::create().map_err(|error| error.to_string())?;
    let outside = Outside::new(outside_folder.path()).map_err(failed)?;
    let folder = PrivateDir::create().map_err(|error| error.to_string())?;
    let executable = std::path::absolute(executable).map_err(failed)?;
    let enclosure = sandbox.plan(&SessionPaths {
        executable: &executable,
        folder: folder.path(),
        state: &folder.state(),
        temporary: &folder.temporary(),
        visible: vec![outside_folder.path().to_path_buf()],
        terminal: None,
    })?;
    let supervisor =
        Supervisor::launch(&executable, Some(folder.path()), Some(&enclosure.surroundings))
            .await
            .map_err(|error| error.to_string())?;
    let answers = tokio::time::timeout(BOUND, ask(&supervisor, &executable, &outside)).await;
    supervisor.close(CLOSE_BOUND).await;
    let answers = answers
        .map_err(|_elapsed| "the proof took too long".to_owned())?
        .map_err(|error| format!("cannot run the proof: {error}"))?;
    Ok(possible(&ATTEMPTS, &answers, &outside.seen()))
}

/// Every attempt that was not refused for certain.
pub(super) fn possible(attempts: &[&str], answers: &str, seen: &[&'static str]) -> Vec<String> {
    let refused = |name: &str| answers.lines().any(|line| line == format!("{name} refused"));
    attempts
        .iter()
        .copied()
        .filter(|name| seen.contains(name) || !refused(name))
        .map(str::to_owned)
        .collect()
}

async fn ask(supervisor: &Supervisor, executable: &Path, outside: &Outside) -> io::Result<String> {
    let (reader, writer) = pi_process::sys::pipe()?;
    let null: OwnedFd = fs::File::open("/dev/null")?.into();
    let request = SpawnRequest {
        argv: [vec![executable.into(), "--probe-sandbox".into()], outside.arguments()?].concat(),
        descriptors: vec![null, writer],
        ..SpawnRequest::default()
    };
    let child = supervisor.spawn(request).await.map_err(io::Error::other)?;
    child.exited().await;
    answers_in(reader)
}

/// What the program wrote, which has ended: a pipe holds far more than its answers.
pub(super) fn answers_in(reader: OwnedFd) -> io::Result<String> {
    let mut answers = String::new();
    rustix::io::ioctl_fionbio(&reader, true)?;
    match fs::File::from(reader).read_to_string(&mut answers) {
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
        _ => Ok(answers),
    }
}

/// What the attempts are directed at.
pub(super) struct Outside {
    folder: PathBuf,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    abstract_one: Option<UnixListener>,
    socket: PathBuf,
    /// The controller's end of a terminal that no program uses.
    terminal: OwnedFd,
}

impl Outside {
    /// In a folder that is there already.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        let folder = folder.to_path_buf();
        fs::write(folder.join("canary"), CANARY)?;
        let tcp = TcpListener::bind(("127.0.0.1", 0))?;
        let udp = UdpSocket::bind(tcp.local_addr()?)?;
        let socket = folder.join("socket");
        let unix = UnixListener::bind(&socket)?;
        let abstract_one = abstract_listener(&socket)?;
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        unix.set_nonblocking(true)?;
        let terminal = open_controller()?;
        rustix::io::ioctl_fionbio(&terminal, true)?;
        Ok(Self { folder, tcp, udp, unix, abstract_one, socket, terminal })
    }

    /// What the program is given of it, in the order that it reads.
    pub(super) fn arguments(&self) -> io::Result<Vec<OsString>> {
        let host = i32::try_from(std::process::id()).ok().and_then(pi_process::tree::identity_of);
        let host = host.ok_or_else(|| io::Error::other("cannot read the host's start time"))?;
        Ok(vec![
            self.folder.clone().into(),
            self.tcp.local_addr()?.to_string().into(),
            self.socket.clone().into(),
            format!("{}:{}", host.pid, host.start_time).into(),
            self.terminal_path()?,
        ])
    }

    /// Where programs would open it.
    fn terminal_path(&self) -> io::Result<OsString> {
        let name = rustix::pty::ptsname(&self.terminal, Vec::new())?;
        Ok(OsString::from_vec(name.into_bytes()))
    }

    /// What came of the attempts as it is seen from here.
    pub(super) fn seen(&self) -> Vec<&'static str> {
        let path = &self.folder;
        let canary = fs::read_to_string(path.join("canary")).unwrap_or_default();
        let made = ["made", "renamed", "linked"].iter().any(|name| path.join(name).exists());
        let (mut datagram, mut text) = ([0; 16], [0; 16]);
        let abstract_came = self.abstract_one.as_ref().is_some_and(|one| one.accept().is_ok());
        [
            ("write", canary != CANARY || made),
            ("network", self.tcp.accept().is_ok() || self.udp.recv(&mut datagram).is_ok()),
            ("unix-socket", self.unix.accept().is_ok() || abstract_came),
            ("other-terminal", matches!(rustix::io::read(&self.terminal, &mut text), Ok(1..))),
        ]
        .into_iter()
        .filter_map(|(name, came)| came.then_some(name))
        .collect()
    }
}

/// A socket whose name is that of the other one, after an `@`.
#[cfg(target_os = "linux")]
fn abstract_listener(socket: &Path) -> io::Result<Option<UnixListener>> {
    use std::os::linux::net::SocketAddrExt as _;
    let mut name = std::ffi::OsString::from("@");
    name.push(socket);
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name.as_encoded_bytes())?;
    let listener = UnixListener::bind_addr(&address)?;
    listener.set_nonblocking(true)?;
    Ok(Some(listener))
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "making one can fail where there are such sockets")]
fn abstract_listener(_socket: &Path) -> io::Result<Option<UnixListener>> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a user can have namespaces this way is never taken, so it is tried by itself.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn landlock_without_namespaces_refuses_every_attempt() {
        use crate::technique::Technique;
        use crate::{SandboxBackend, SandboxMode, SandboxNetwork, SandboxOptions, SandboxReport};
        let version = crate::sys::landlock_version();
        if version < 6 {
            // The kernel's to have: before version 6 signals are not refused, before 3 nothing is.
            return;
        }
        let (mode, backend) = (SandboxMode::WorkspaceWrite, SandboxBackend::Landlock);
        let scratch = tempfile::tempdir().unwrap();
        let sandbox = Sandbox {
            options: SandboxOptions {
                backend: Some(backend),
                writable_paths: vec![scratch.path().to_path_buf()],
                allow_degraded: true,
                ..SandboxOptions::new(mode, SandboxNetwork::None)
            },
            report: SandboxReport::new(mode, backend, SandboxNetwork::None),
            technique: Technique::Landlock { version, namespaces: false },
        };

        let executable = crate::executable::executable();
        let possible = attempts_that_succeed(&sandbox, executable).await.unwrap();

        assert!(possible.is_empty(), "{possible:?}");
    }

    /// A network with rules is proven as one without: nothing of the host is reached beside the proxy.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_network_with_rules_refuses_every_attempt_and_hands_its_listener_over() {
        use crate::{Egress, SandboxBackend, SandboxMode, SandboxNetwork, SandboxOptions};
        let rules = pi_proxy::Rules::parse(&["a.example".to_owned()]).unwrap();
        let executable = crate::executable::executable();
        for backend in [SandboxBackend::Bubblewrap, SandboxBackend::Landlock] {
            let options = SandboxOptions {
                backend: Some(backend),
                ..SandboxOptions::new(SandboxMode::ReadOnly, SandboxNetwork::Rules(rules.clone()))
            };
            // A machine without it, or on which this user has no namespaces.
            let Ok(sandbox) = Sandbox::open(&options, executable).await else { continue };
            let folder = PrivateDir::create().unwrap();
            let enclosure = sandbox
                .enclose(&SessionPaths {
                    executable,
                    folder: folder.path(),
                    state: &folder.state(),
                    temporary: &folder.temporary(),
                    visible: Vec::new(),
                    terminal: None,
                })
                .unwrap();
            let supervisor =
                Supervisor::launch(executable, None, Some(&enclosure.surroundings)).await.unwrap();

            assert!(Egress::start(&sandbox, &supervisor).unwrap().is_some());
            assert!(supervisor.take_listener().is_none());
            supervisor.close(CLOSE_BOUND).await;
        }
    }

    #[test]
    fn whatever_comes_of_an_attempt_is_seen_from_outside() {
        use std::net::TcpStream;
        use std::os::unix::net::UnixStream;
        /// What it returns is kept open until after the look.
        type Attempt = fn(&Outside) -> io::Result<OwnedFd>;
        let attempts: &[(&str, Attempt)] = &[
            ("write", |at| Ok(fs::File::create(at.folder.join("canary"))?.into())),
            ("write", |at| Ok(fs::File::create(at.folder.join("made"))?.into())),
            ("write", |at| Ok(fs::File::create(at.folder.join("renamed"))?.into())),
            ("write", |at| Ok(fs::File::create(at.folder.join("linked"))?.into())),
            ("network", |at| Ok(TcpStream::connect(at.tcp.local_addr()?)?.into())),
            ("network", |at| {
                let socket = UdpSocket::bind("127.0.0.1:0")?;
                socket.send_to(b"x", at.udp.local_addr()?)?;
                Ok(socket.into())
            }),
            ("unix-socket", |at| Ok(UnixStream::connect(&at.socket)?.into())),
            #[cfg(target_os = "linux")]
            ("unix-socket", |at| {
                use std::os::linux::net::SocketAddrExt as _;
                let name = [b"@", at.socket.as_os_str().as_encoded_bytes()].concat();
                let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
                Ok(UnixStream::connect_addr(&address)?.into())
            }),
            ("other-terminal", |at| {
                let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
                let path = at.terminal_path()?;
                let terminal = rustix::fs::open(path, flags, rustix::fs::Mode::empty())?;
                rustix::io::write(&terminal, b"x")?;
                Ok(terminal)
            }),
        ];
        for (index, (name, attempt)) in attempts.iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let outside = Outside::new(folder.path()).unwrap();
            assert_eq!(outside.seen(), [""; 0], "before attempt {index}");

            let _kept = attempt(&outside).unwrap();

            assert_eq!(outside.seen(), [*name], "attempt {index}");
        }
    }

    #[test]
    fn answers_that_are_not_text_are_an_error_and_those_of_a_pipe_that_is_held_are_not() {
        let (reader, writer) = pi_process::sys::pipe().unwrap();
        rustix::io::write(&writer, b"write refused\n").unwrap();
        assert_eq!(answers_in(reader).unwrap(), "write refused\n");

        let (reader, writer) = pi_process::sys::pipe().unwrap();
        rustix::io::write(&writer, b"write refused\n\xff").unwrap();
        drop(writer);
        assert!(answers_in(reader).is_err());
    }

    #[test]
    fn only_what_was_refused_in_words_and_not_seen_counts_as_refused() {
        let all = ATTEMPTS.map(|name| format!("{name} refused\n")).concat();

        let possible = |answers: &str, seen: &[&'static str]| possible(&ATTEMPTS, answers, seen);
        assert!(possible(&all, &[]).is_empty());
        assert_eq!(possible(&all, &["network"]), ["network"]);
        assert_eq!(possible("", &[]).len(), ATTEMPTS.len());
        assert_eq!(possible(&all.replace("signal refused", "signal possible"), &[]), ["signal"]);
    }
}
