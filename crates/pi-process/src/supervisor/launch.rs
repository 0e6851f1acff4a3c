//! Starts the executable: the socket, the process, the first event. Afterwards it is the driver's.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};
use std::time::Duration;

use pi_supervisor::wire::{Confine, Event, PROGRAM_ARGUMENT, PROGRAM_NAME, Request, VERSION};
use pi_supervisor::{PRIVATE_FOLDER_OPTION, process};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::timeout;

use super::driver::END_BOUND;
use super::surroundings::Surroundings;
use super::transport::{Connection, Frame};
use crate::ProcessError;
use crate::sys::{ProcessHandle, watch};
use crate::tree::ProcessIdentity;

/// Time until the first event. It needs a millisecond; a disk that has to spin up needs seconds.
const READY_BOUND: Duration = Duration::from_secs(5);

/// Bytes kept of what the program around a supervisor complains of.
const MAX_COMPLAINT_BYTES: usize = 512;

/// Stack of the thread that reaps where no runtime does, in bytes.
const REAPER_STACK_BYTES: usize = 65_536;

/// A supervisor that is ready.
pub(super) struct Launched {
    pub(super) identity: ProcessIdentity,
    /// What it listens at in its network namespace, where that was asked for.
    pub(super) listener: Option<OwnedFd>,
    /// First process of the pid namespace that it counts in, where that is not this host's.
    pub(super) namespace: Option<i32>,
    // Closed before the process is waited for.
    pub(super) connection: Connection,
    pub(super) process: SupervisorProcess,
}

/// Starts it, waits until it is ready, and has it give up what its surroundings say.
pub(super) async fn launch(
    executable: &Path,
    folder: Option<&Path>,
    surroundings: Option<&Surroundings>,
) -> Result<Launched, ProcessError> {
    let system = |attempt| move |source: io::Error| ProcessError::System { attempt, source };
    let failed = |source| ProcessError::Supervisor { path: executable.to_path_buf(), source };
    let (ours, theirs) = socket_pair().map_err(system("make a socket for the supervisor"))?;
    let mut connection = Connection::new(ours).map_err(system("watch the supervisor's socket"))?;
    let path = executable.to_path_buf();
    let arguments =
        folder.map_or(Vec::new(), |folder| vec![PRIVATE_FOLDER_OPTION.into(), folder.into()]);
    let Surroundings { wrapper, confine, own_pids } = surroundings.cloned().unwrap_or_default();
    // The exec of a file on a slow disk blocks; a worker of the runtime must not.
    let (mut process, complaints) =
        tokio::task::spawn_blocking(move || start(&path, arguments, wrapper, theirs))
            .await
            .map_err(|error| failed(io::Error::other(error)))?
            .map_err(failed)?;
    let ready = async {
        ready(&mut connection).await?;
        match confine {
            Some(confine) => give_up_rights(&mut connection, confine).await,
            None => Ok(None),
        }
    };
    let listener = match timeout(READY_BOUND, ready).await {
        Ok(Ok(listener)) => listener,
        Ok(Err(error)) => return Err(failed(explain(abandon(&process, error), complaints))),
        Err(_) => {
            let error = io::Error::new(io::ErrorKind::TimedOut, "does not answer");
            return Err(failed(explain(abandon(&process, error), complaints)));
        }
    };
    let outer = process::identity_of(process.pid());
    // Without /proc there is no start time; the pid is ours until it is reaped.
    let outer = outer.unwrap_or(ProcessIdentity { pid: process.pid(), start_time: 0 });
    if !own_pids {
        return Ok(Launched { identity: outer, namespace: None, listener, connection, process });
    }
    // What was started is the program around it; the supervisor is that one's child.
    let below = process::descendants(outer.pid);
    let Some(inner) = below.iter().find(|entry| entry.parent == outer.pid) else {
        let error = io::Error::new(io::ErrorKind::NotFound, "is not seen below its sandbox");
        return Err(failed(abandon(&process, error)));
    };
    process.inner = Some(inner.identity);
    let namespace = Some(inner.identity.pid);
    Ok(Launched { identity: inner.identity, namespace, listener, connection, process })
}

/// Adds what the program around a supervisor complained of.
fn explain(error: io::Error, complaints: Option<ChildStderr>) -> io::Error {
    use std::io::Read as _;
    let Some(mut complaints) = complaints else { return error };
    if rustix::io::ioctl_fionbio(&complaints, true).is_err() {
        return error;
    }
    let mut text = [0; MAX_COMPLAINT_BYTES];
    let length = complaints.read(&mut text).unwrap_or(0);
    let text = String::from_utf8_lossy(text.get(..length).unwrap_or_default()).into_owned();
    match text.trim() {
        "" => error,
        said => io::Error::new(error.kind(), format!("{error}: {said}")),
    }
}

/// Asks for a confinement and waits for the answer, with the listener where one was asked for.
async fn give_up_rights(
    connection: &mut Connection,
    confine: Confine,
) -> io::Result<Option<OwnedFd>> {
    let has_listener = confine.listener_port != 0;
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    let bytes = Request::Confine(confine).encode().map_err(invalid)?;
    connection.queue(0, Frame::new(bytes));
    loop {
        if let Some(event) = connection.next_event()? {
            return match event {
                Event::Confined { .. } => {
                    let listener = connection.take_passed();
                    if has_listener == listener.is_some() {
                        return Ok(listener);
                    }
                    Err(io::Error::new(io::ErrorKind::InvalidData, "hands no listener over"))
                }
                Event::ConfineFailed { step, errno, .. } => {
                    let source = io::Error::from_raw_os_error(errno);
                    Err(io::Error::new(source.kind(), format!("{step:?} failed: {source}")))
                }
                _ => Err(io::Error::new(io::ErrorKind::InvalidData, "answers something else")),
            };
        }
        connection.exchange().await?;
    }
}

/// Kills what did not become a supervisor; its drop reaps it.
fn abandon(process: &SupervisorProcess, error: io::Error) -> io::Error {
    process.kill();
    error
}

/// Waits for the first event.
async fn ready(connection: &mut Connection) -> io::Result<()> {
    loop {
        // Nothing was asked of it yet, so that nothing but its end can fail here.
        connection
            .exchange()
            .await
            .map_err(|error| io::Error::new(error.kind(), "ended before it was ready"))?;
        match connection.next_event()? {
            Some(Event::Ready { version: VERSION }) => return Ok(()),
            Some(_) => {
                let text = "is of another build; install both from one release";
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            None => {}
        }
    }
}

#[cfg(target_os = "linux")]
fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?)
}

/// Not closed on exec from its birth: another thread's spawn in between would keep it open, and
/// the supervisor would not see this host's end before that process's.
#[cfg(not(target_os = "linux"))]
fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::empty();
    let pair = rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    for end in [&pair.0, &pair.1] {
        rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(end, true)?;
    }
    #[cfg(target_os = "macos")]
    rustix::net::sockopt::set_socket_nosigpipe(&pair.0, true)?;
    Ok(pair)
}

/// Executes the supervisor, within the wrapper, with `socket` as its standard input.
///
/// `Command` without a `pre_exec` takes the `posix_spawn` path, which copies no page tables.
fn start(
    executable: &Path,
    arguments: Vec<OsString>,
    wrapper: Vec<OsString>,
    socket: OwnedFd,
) -> io::Result<(SupervisorProcess, Option<ChildStderr>)> {
    // A name without a slash would be looked up in PATH.
    let executable: PathBuf = std::path::absolute(executable)?;
    let is_wrapped = !wrapper.is_empty();
    let mut line = wrapper
        .into_iter()
        .chain([executable.into_os_string(), PROGRAM_ARGUMENT.into()])
        .chain(arguments);
    let program = line.next().unwrap_or_default();
    let mut command = Command::new(program);
    if !is_wrapped {
        // Its file may be another program as well.
        command.arg0(PROGRAM_NAME);
    }
    let mut child = command
        .args(line)
        .env_clear()
        .stdin(Stdio::from(socket))
        .stdout(Stdio::null())
        .stderr(if is_wrapped { Stdio::piped() } else { Stdio::null() })
        .spawn()?;
    let complaints = child.stderr.take();
    let pid = child.id();
    match ProcessHandle::new(pid) {
        Ok(handle) => Ok((SupervisorProcess { handle: Some(handle), inner: None }, complaints)),
        Err(error) => {
            kill_and_wait(child);
            Err(error)
        }
    }
}

/// Its end of the socket is closed by now or about to be, but the error is reported at once.
fn kill_and_wait(mut child: std::process::Child) {
    // It is ours and not reaped, so neither can fail.
    child.kill().ok();
    child.wait().ok();
}

/// The supervisor's process; dropped before it was reaped, it is reaped by a thread.
pub(super) struct SupervisorProcess {
    /// `None` only while it is being dropped.
    handle: Option<ProcessHandle>,
    /// The supervisor, where what was started is a program around it.
    inner: Option<ProcessIdentity>,
}

impl SupervisorProcess {
    fn pid(&self) -> i32 {
        self.handle.as_ref().map_or(0, ProcessHandle::pid)
    }

    /// A descriptor of its own that is readable at the process's end, where there is one.
    pub(super) fn watch(&self) -> Option<AsyncFd<OwnedFd>> {
        let pidfd = self.handle.as_ref()?.pidfd()?.as_fd().try_clone_to_owned().ok()?;
        watch(pidfd, Interest::READABLE).ok()
    }

    /// True when it has ended and was reaped, now or before.
    pub(super) fn try_reap(&mut self) -> bool {
        let reaped = self.handle.as_ref().is_none_or(ProcessHandle::try_reap);
        if reaped {
            self.handle = None;
        }
        reaped
    }

    pub(super) fn kill(&self) {
        if let Some(inner) = self.inner {
            // Gone already is as good.
            process::signal(inner, libc::SIGKILL).ok();
        }
        if let Some(handle) = &self.handle {
            // It is our child and no setuid program: the only error is that it is dead.
            handle.kill().ok();
        }
    }
}

impl Drop for SupervisorProcess {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        if handle.try_reap() {
            return;
        }
        let reap = move || {
            if !handle.reap_within(END_BOUND) {
                handle.kill().ok();
                handle.reap_within(END_BOUND);
            }
        };
        let builder = std::thread::Builder::new().name("pi-bash-reaper".to_owned());
        // Without a thread, the host's own end is what reaps it.
        drop(builder.stack_size(REAPER_STACK_BYTES).spawn(reap));
    }
}
