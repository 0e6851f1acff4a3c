//! The FIFO that takes a command's output: one pipe for stdout and stderr, in true order.
//!
//! Bash opens it by name around the command, so that nothing of the driver's is in it. A FIFO
//! that no process holds open any more serves the next command too.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::sys::watch;

/// Bytes read at once: a whole pipe of the default size.
pub(super) const READ_BYTES: usize = 64 * 1024;

/// Size that a FIFO grows to when its writer fills it: fewer switches between the processes.
/// The largest that an unprivileged process may ask for (`pipe(7)`, `pipe-max-size`).
#[cfg(target_os = "linux")]
const GROWN_BYTES: usize = 1024 * 1024;

/// What a read found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadOutcome {
    /// So many bytes.
    Data(usize),
    /// Nothing now, but somebody may write.
    Empty,
    /// Nothing, and nobody holds the other side open.
    Closed,
}

/// The reading side of an output FIFO.
pub(super) struct OutputPipe {
    /// Always there; taken out for a moment to be registered anew.
    fd: Option<AsyncFd<OwnedFd>>,
    /// Held during a command, so that the end of file is not seen when bash closes its side:
    /// only a report ends a command, and a pipe that hung up would wake us for ever.
    writer: Option<OwnedFd>,
    path: PathBuf,
    hung_up: bool,
    grown: bool,
}

impl OutputPipe {
    /// Opens the FIFO for reading; does not wait for a writer.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        let fd = watch(open_end(&path, OFlags::RDONLY)?, Interest::READABLE)?;
        Ok(Self { fd: Some(fd), writer: None, path, hung_up: false, grown: false })
    }

    /// Its name, for bash.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A command is about to be ordered that writes here.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        if self.writer.is_none() {
            self.writer = Some(open_end(&self.path, OFlags::WRONLY)?);
        }
        if std::mem::take(&mut self.hung_up)
            && let Some(fd) = self.fd.take()
        {
            // The runtime never forgets a hang-up; a new registration has not seen it.
            self.fd = Some(watch(fd.into_inner(), Interest::READABLE)?);
        }
        Ok(())
    }

    /// The command ended: from now on, the end of file shows that nobody holds the pipe.
    pub(super) fn release(&mut self) {
        self.writer = None;
        self.hung_up = true;
    }

    fn fd(&self) -> io::Result<&AsyncFd<OwnedFd>> {
        self.fd.as_ref().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Waits until there is something to read. Cancel-safe. To be used between `begin` and
    /// `release`.
    pub(super) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<ReadOutcome> {
        loop {
            let mut ready = self.fd()?.readable().await?;
            match ready.try_io(|fd| Ok(rustix::io::read(fd.as_fd(), &mut *buffer)?)) {
                Ok(Ok(0)) => return Ok(ReadOutcome::Closed),
                Ok(Ok(length)) => {
                    drop(ready);
                    self.grow(length);
                    return Ok(ReadOutcome::Data(length));
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {
                    let hung_up = ready.ready().is_read_closed();
                    drop(ready);
                    if hung_up {
                        // It would be reported as readable for ever, without being so.
                        self.hung_up = true;
                        self.begin()?;
                    }
                }
            }
        }
    }

    /// Reads what is there, without waiting.
    pub(super) fn read_now(&mut self, buffer: &mut [u8]) -> io::Result<ReadOutcome> {
        loop {
            match rustix::io::read(self.fd()?.get_ref(), &mut *buffer) {
                Ok(0) => return Ok(ReadOutcome::Closed),
                Ok(length) => {
                    self.grow(length);
                    return Ok(ReadOutcome::Data(length));
                }
                Err(rustix::io::Errno::AGAIN) => return Ok(ReadOutcome::Empty),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Bytes that lie in the pipe now.
    pub(super) fn waiting_bytes(&self) -> usize {
        let waiting = self.fd.as_ref().and_then(|fd| rustix::io::ioctl_fionread(fd.get_ref()).ok());
        waiting.map_or(READ_BYTES, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// Waits until there is something to read or every writer is gone.
    pub(super) async fn read_to_end(&mut self, buffer: &mut [u8]) -> io::Result<ReadOutcome> {
        loop {
            match self.read_now(buffer)? {
                ReadOutcome::Empty => {
                    let mut ready = self.fd()?.readable().await?;
                    ready.clear_ready();
                    drop(ready);
                    match self.read_now(buffer)? {
                        ReadOutcome::Empty => {}
                        found => return Ok(found),
                    }
                }
                found => return Ok(found),
            }
        }
    }

    #[cfg(target_os = "linux")]
    fn grow(&mut self, length: usize) {
        if !self.grown && length >= READ_BYTES {
            self.grown = true;
            // Refused where the user's share of pipe memory is spent: it stays as it is.
            if let Some(fd) = &self.fd {
                rustix::pipe::fcntl_setpipe_size(fd.get_ref(), GROWN_BYTES).ok();
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn grow(&mut self, _length: usize) {
        self.grown = true;
    }
}

/// One end of the FIFO, without waiting for the other.
fn open_end(path: &Path, side: OFlags) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, side | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?)
}

impl Drop for OutputPipe {
    fn drop(&mut self) {
        // The name is of no use without this end; a writer that opens it later would hang.
        drop(std::fs::remove_file(&self.path));
    }
}
