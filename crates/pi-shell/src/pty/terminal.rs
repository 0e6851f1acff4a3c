//! One pseudoterminal: opened, sized, read and written without blocking.
//!
//! Who runs on the terminal is `run`'s business.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::time::Duration;

use pi_process::sys::{open_controller, watch};
use pi_waiting::{Look, TerminalIdentity};
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::termios::{InputModes, OptionalActions, Winsize, tcsetwinsize};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::error::PtyError;
use crate::error::ShellError;
use crate::source::ReadOutcome;

/// Pause after which a full terminal is tried again. The kernel tells when a program read; this
/// is for programs that change the mode of their terminal instead, of which no one is notified.
const RETRY_WRITE: Duration = Duration::from_millis(20);

/// Bytes that a read must have room for; a terminal gives at most 4 KiB at once.
const LEAST_ROOM_BYTES: usize = 4096;

/// Columns and rows of a terminal, within the range that programs draw sensibly in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    cols: u16,
    rows: u16,
}

impl Size {
    /// Columns where none are given.
    pub(super) const DEFAULT_COLS: u32 = 120;
    /// Rows where none are given.
    pub(super) const DEFAULT_ROWS: u32 = 40;

    /// Clamps to 20 to 400 columns and 5 to 200 rows.
    pub(super) fn clamped(cols: u32, rows: u32) -> Self {
        let within = |value: u32, least: u16, most: u16| {
            u16::try_from(value).unwrap_or(u16::MAX).clamp(least, most)
        };
        Self { cols: within(cols, 20, 400), rows: within(rows, 5, 200) }
    }

    fn to_system(self) -> Winsize {
        Winsize { ws_row: self.rows, ws_col: self.cols, ws_xpixel: 0, ws_ypixel: 0 }
    }
}

/// The controller end of a pseudoterminal.
pub(super) struct Terminal {
    descriptor: AsyncFd<OwnedFd>,
}

impl Terminal {
    /// Opens one; returns it with the descriptor that programs get. Both ends are closed on exec.
    pub(super) fn open(size: Size) -> Result<(Self, OwnedFd), PtyError> {
        Self::open_ends(size).map_err(|error| PtyError::Open { reason: error.to_string() })
    }

    fn open_ends(size: Size) -> io::Result<(Self, OwnedFd)> {
        let controller = open_controller()?;
        let programs_end = open_programs_end(&controller)?;
        accept_utf8(&programs_end);
        // By this end: macOS sizes no terminal whose other end was never opened.
        tcsetwinsize(&programs_end, size.to_system())?;
        rustix::io::ioctl_fionbio(&controller, true)?;
        let descriptor = watch(controller, Interest::READABLE | Interest::WRITABLE)?;
        Ok((Self { descriptor }, programs_end))
    }

    /// Changes the size; the kernel tells the programs in the foreground with SIGWINCH.
    pub(super) fn resize(&self, size: Size) -> Result<(), PtyError> {
        tcsetwinsize(self.descriptor.get_ref(), size.to_system())
            .map_err(|errno| ShellError::system("resize the terminal", errno.into()).into())
    }

    /// The process group that the terminal's keys signal, if there is one.
    pub(super) fn foreground_group(&self) -> Option<Pid> {
        rustix::termios::tcgetpgrp(self.descriptor.get_ref()).ok()
    }

    /// Who reads it now, of everything below `root`.
    pub(super) fn look(&self, identity: &TerminalIdentity, root: i32) -> Look {
        pi_waiting::look(self.descriptor.get_ref(), identity, root)
    }

    /// Waits until there is something to read, and reads what is there; `Closed` where everything was read and no process
    /// has the terminal open. Cancel-safe.
    pub(super) async fn read(&self, buffer: &mut [u8]) -> ReadOutcome {
        loop {
            let Ok(mut ready) = self.descriptor.readable().await else {
                return ReadOutcome::Closed;
            };
            let mut filled = 0;
            loop {
                let room = buffer.get_mut(filled..).unwrap_or_default();
                if filled > 0 && room.len() < LEAST_ROOM_BYTES {
                    return ReadOutcome::Data(filled);
                }
                match rustix::io::read(self.descriptor.get_ref(), room) {
                    Ok(count @ 1..) => filled += count,
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => {
                        ready.clear_ready();
                        break;
                    }
                    // Linux says EIO where others say end of file; either comes again next time.
                    Ok(_) | Err(_) if filled > 0 => break,
                    Ok(_) | Err(_) => return ReadOutcome::Closed,
                }
            }
            if filled > 0 {
                return ReadOutcome::Data(filled);
            }
        }
    }

    /// Writes some of `bytes`, which are not empty; waits while the terminal takes none.
    /// Cancel-safe.
    ///
    /// # Errors
    /// `EIO` when no process has the terminal open.
    pub(super) async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match rustix::io::write(self.descriptor.get_ref(), bytes) {
                Ok(0) | Err(Errno::AGAIN) => self.writable().await,
                Ok(taken) => return Ok(taken),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    async fn writable(&self) {
        let room = async {
            if let Ok(mut ready) = self.descriptor.writable().await {
                ready.clear_ready();
            }
        };
        // Late is as good as reported: the next write finds out.
        tokio::time::timeout(RETRY_WRITE, room).await.ok();
    }
}

/// The path of a terminal, where this process sees it at one.
pub(super) fn path_of(programs_end: &OwnedFd) -> Option<PathBuf> {
    let name = rustix::termios::ttyname(programs_end, Vec::new()).ok()?;
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// A descriptor of the programs' end, closed on exec, that becomes no one's controlling terminal
/// by being opened.
#[cfg(target_os = "linux")]
fn open_programs_end(controller: &OwnedFd) -> io::Result<OwnedFd> {
    use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};
    // Not by name: `/dev/pts` may be another mount's here.
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    Ok(ioctl_tiocgptpeer(controller, flags)?)
}

/// See above.
#[cfg(not(target_os = "linux"))]
fn open_programs_end(controller: &OwnedFd) -> io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags, open};
    let name = rustix::pty::ptsname(controller, Vec::new())?;
    Ok(open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Lets the erase key take a whole character where a line is edited by the kernel.
fn accept_utf8(terminal: &OwnedFd) {
    // A terminal that refuses still works, a byte at a time.
    if let Ok(mut modes) = rustix::termios::tcgetattr(terminal) {
        modes.input_modes |= InputModes::IUTF8;
        rustix::termios::tcsetattr(terminal, OptionalActions::Now, &modes).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn py_03_any_size_is_clamped_to_what_programs_draw_in() {
        let shape = |cols, rows| {
            let size = Size::clamped(cols, rows).to_system();
            (size.ws_col, size.ws_row)
        };

        assert_eq!(shape(0, 0), (20, 5));
        assert_eq!(shape(70_000, 70_000), (400, 200));
        assert_eq!(shape(80, 24), (80, 24));
    }

    fn opened(cols: u32, rows: u32) -> (Terminal, OwnedFd) {
        Terminal::open(Size::clamped(cols, rows)).unwrap()
    }

    /// Waits for what an open terminal brings, with a bound.
    async fn within<T>(waited: impl Future<Output = T>) -> T {
        tokio::time::timeout(Duration::from_secs(30), waited).await.unwrap()
    }

    #[tokio::test]
    async fn py_03_a_terminal_has_its_size_from_the_beginning_and_takes_another() {
        let (terminal, programs) = opened(100, 30);
        let shape = || {
            let size = rustix::termios::tcgetwinsize(&programs).unwrap();
            (size.ws_col, size.ws_row)
        };

        assert_eq!(shape(), (100, 30));
        terminal.resize(Size::clamped(50, 10)).unwrap();
        assert_eq!(shape(), (50, 10));
    }

    #[tokio::test]
    async fn a_terminal_edits_whole_characters_and_has_a_path() {
        let (_terminal, programs) = opened(80, 24);
        let modes = rustix::termios::tcgetattr(&programs).unwrap();
        assert!(modes.input_modes.contains(InputModes::IUTF8));
        assert!(modes.input_modes.contains(InputModes::ICRNL), "the others stay");
        assert!(path_of(&programs).is_some_and(|path| path.starts_with("/dev")));
        let file = tempfile::tempfile().unwrap();
        assert_eq!(path_of(&file.into()), None);
    }

    #[tokio::test]
    async fn what_programs_write_is_read_in_order_until_the_last_one_is_gone() {
        let (terminal, programs) = opened(80, 24);
        let mut buffer = vec![0; 2 * LEAST_ROOM_BYTES];
        let written = vec![b'x'; 3000];
        rustix::io::write(&programs, &written).unwrap();

        assert_eq!(within(terminal.read(&mut buffer)).await, ReadOutcome::Data(3000));
        assert_eq!(buffer[..3000], written);
        let nothing = terminal.read(&mut buffer);
        assert!(tokio::time::timeout(Duration::from_millis(1), nothing).await.is_err());
        rustix::io::write(&programs, b"last").unwrap();
        drop(programs);
        assert_eq!(within(terminal.read(&mut buffer)).await, ReadOutcome::Data(4));
        assert_eq!(buffer[..4], *b"last");
        assert_eq!(within(terminal.read(&mut buffer)).await, ReadOutcome::Closed);
    }

    #[tokio::test]
    async fn a_read_leaves_what_its_buffer_may_have_no_room_for() {
        let (terminal, programs) = opened(80, 24);
        rustix::io::write(&programs, &[b'a'; 2000]).unwrap();
        let mut buffer = vec![0; 1000];
        assert_eq!(within(terminal.read(&mut buffer)).await, ReadOutcome::Data(1000));
        assert_eq!(within(terminal.read(&mut buffer)).await, ReadOutcome::Data(1000));
    }

    #[tokio::test]
    async fn what_is_typed_is_read_by_programs_and_refused_without_any() {
        let (terminal, programs) = opened(80, 24);
        assert_eq!(within(terminal.write(b"typed\n")).await.unwrap(), 6);
        let mut buffer = [0; 32];
        assert_eq!(rustix::io::read(&programs, &mut buffer).unwrap(), 6);
        assert_eq!(buffer[..6], *b"typed\n");
        #[cfg(target_os = "linux")]
        assert_eq!(terminal.foreground_group(), None, "no session has it");

        let mut taken = 0;
        let full = async {
            loop {
                taken += terminal.write(&[b'x'; 4096]).await.unwrap();
            }
        };
        let waits: Result<(), _> = tokio::time::timeout(Duration::from_millis(100), full).await;
        assert!(waits.is_err() && taken > 0, "a program that does not read is waited for");
        drop(programs);
    }
}
