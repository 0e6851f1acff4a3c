//! `pi-host serve`: an engine that stays when its link is cut, for a time. It is started by `stdio --keep-ms`, with one end
//! of a socket as its standard input, which is its first link; near comes back by the socket in the instance's folder.
//!
//! That socket is reached by this user only: its folder is 0700, it is 0600, and who connects is asked for by the kernel.
//! Programs of sessions are this user as well, so near has to show the token of the first `Hello` besides, which stands in
//! this process's memory and nowhere else on this machine.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::process::DumpableBehavior;
use tokio::signal::unix::SignalKind;
use tokio::sync::Semaphore;

use crate::engine::{Engine, Keep};
use crate::hello::Facts;
use crate::link::{Link, Streams, Trust};
use crate::place::SOCKET_NAME;
use crate::stdio::{end_by_signals, new_engine, runtime};
use crate::threads;

/// Most links at a time that have not shown the token.
const MAX_STRANGERS: usize = 16;

/// How long a link may take to show it.
const GREETING_BOUND: Duration = Duration::from_secs(10);

/// Time between two looks whether it has: near that is cut often must not wait for the bound.
const GREETING_LOOK: Duration = Duration::from_millis(20);

/// Bytes of the token.
const TOKEN_BYTES: usize = 16;

/// Starts such a process. Returns the other end of its first link.
pub(crate) fn start(keep: Duration) -> io::Result<OwnedFd> {
    let (ours, theirs) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    // Not waited for: it outlives this process.
    Command::new(std::env::current_exe()?)
        .args(["serve", "--keep-ms", &keep.as_millis().to_string()])
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(ours)
}

/// Is such a process.
pub(crate) fn run(keep: Duration) -> io::Result<ExitCode> {
    pi_supervisor::program::detach();
    let first = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    if rustix::net::sockopt::socket_type(&first) != Ok(SocketType::STREAM) {
        let text = "`serve` is started by `stdio --keep-ms`, with a socket as its standard input";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let null: OwnedFd = File::options().read(true).write(true).open("/dev/null")?.into();
    rustix::stdio::dup2_stdin(&null)?;
    // Programs of this user must not read the token out of this process's memory.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let facts = Facts::begin();
    let token = crate::random_hex(TOKEN_BYTES)?;
    let status = runtime()?.block_on_and_leave(async {
        let engine = new_engine(facts, Some(Keep { time: keep, token }))?;
        let served = serve(&engine, first).await;
        engine.place().close();
        served
    })?;
    Ok(ExitCode::from(status))
}

async fn serve(engine: &Engine, first: OwnedFd) -> io::Result<u8> {
    let listener = UnixListener::bind(socket_path(engine.place().folder()))?;
    rustix::fs::chmodat(
        engine.place().folder(),
        SOCKET_NAME,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        rustix::fs::AtFlags::empty(),
    )?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::UnixListener::from_std(listener)?;
    end_by_signals(engine, &[SignalKind::terminate(), SignalKind::interrupt()])?;
    // The end of the caller's session does not end this process, which leads a session of its own.
    let _hangups = tokio::signal::unix::signal(SignalKind::hangup())?;
    threads::start(engine, Streams::of_socket(first)?, Trust::Whole)?;
    let accepting = tokio::spawn(accept(engine.clone(), listener));
    let status = engine.serve_until_over().await;
    accepting.abort();
    Ok(status)
}

/// Lets near come back.
async fn accept(engine: Engine, listener: tokio::net::UnixListener) {
    let strangers = Arc::new(Semaphore::new(MAX_STRANGERS));
    loop {
        let accepted = listener.accept().await;
        let Ok((stream, _)) = accepted else {
            // Out of descriptors: the next one may find some.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&strangers).try_acquire_owned() else { continue };
        let Ok(link) = begin(&engine, stream) else { continue };
        tokio::spawn(async move {
            let _permit = permit;
            let deadline = tokio::time::Instant::now() + GREETING_BOUND;
            while !link.has_begun() && !link.has_ended() {
                if tokio::time::Instant::now() >= deadline {
                    link.cut();
                    return;
                }
                tokio::time::sleep(GREETING_LOOK).await;
            }
        });
    }
}

fn begin(engine: &Engine, stream: tokio::net::UnixStream) -> io::Result<Arc<Link>> {
    let stream = stream.into_std()?;
    let peer = rustix::net::sockopt::socket_peercred(&stream)?;
    if peer.uid != rustix::process::getuid() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    stream.set_nonblocking(false)?;
    threads::start(engine, Streams::of_socket(stream.into())?, Trust::Token)
}

/// A path to the socket in a folder that is open. The folder's own may be longer than a socket's may be.
fn socket_path(folder: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}/{SOCKET_NAME}", folder.as_fd().as_raw_fd()))
}

/// Connects to the socket of the instance that has this folder.
pub(crate) fn connect(folder: &OwnedFd) -> io::Result<OwnedFd> {
    Ok(UnixStream::connect(socket_path(folder))?.into())
}
