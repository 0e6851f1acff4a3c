//! The shell that runs one command: the session's own or a copy of it. What both can do.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[cfg(target_os = "linux")]
use super::driven::{self, Running};
use super::frames::{Frame, FrameBody, FrameReader};
use super::main_shell::MainShell;
use crate::stop::ShellTarget;
use crate::supervisor::ChildExit;
use crate::sys::watch;
use crate::tree::{self, ProcessIdentity};

/// How often a copy's life is looked at: it is no child of ours, so nobody tells its end. It
/// matters only for a copy that dies without reporting.
const LIFE_CHECK_INTERVAL: Duration = Duration::from_millis(25);

/// A shell with a command to follow.
pub(super) enum Runner<'a> {
    Main(&'a mut MainShell),
    Copy(&'a mut CopyShell),
    #[cfg(target_os = "linux")]
    Driven(Running<'a>),
}

/// What a shell said.
pub(super) enum Heard {
    Frames(Vec<Frame>),
    #[cfg(target_os = "linux")]
    Answer(driven::Heard),
}

impl Runner<'_> {
    /// Waits for answers; may return none. Cancel-safe.
    pub(super) async fn heard(&mut self) -> Heard {
        match self {
            Self::Main(main) => Heard::Frames(main.frames().await.unwrap_or_default()),
            Self::Copy(copy) => Heard::Frames(copy.frames().await.unwrap_or_default()),
            #[cfg(target_os = "linux")]
            Self::Driven(running) => Heard::Answer(running.heard().await),
        }
    }

    /// The answers that are there already.
    pub(super) fn heard_now(&mut self) -> Heard {
        match self {
            Self::Main(main) => Heard::Frames(main.pending_frames()),
            Self::Copy(copy) => Heard::Frames(copy.pending_frames()),
            #[cfg(target_os = "linux")]
            Self::Driven(running) => {
                running.heard_now().map_or_else(|| Heard::Frames(Vec::new()), Heard::Answer)
            }
        }
    }

    /// How much it wrote outside of its command's redirections. A copy keeps them to its end.
    pub(super) fn noise_bytes(&self) -> usize {
        match self {
            Self::Main(main) => main.noise_bytes(),
            _ => 0,
        }
    }

    /// What that is.
    pub(super) fn take_noise(&mut self) -> Vec<u8> {
        match self {
            Self::Main(main) => main.take_noise(),
            _ => Vec::new(),
        }
    }

    /// Whether it stands outside of a command.
    pub(super) fn is_between_commands(&mut self) -> bool {
        match self {
            Self::Main(main) => main.is_between_commands(),
            _ => false,
        }
    }

    /// Whether the order was not read.
    pub(super) fn has_unread_order(&self) -> bool {
        match self {
            Self::Main(main) => main.has_unread_order(),
            Self::Copy(_) => false,
            #[cfg(target_os = "linux")]
            Self::Driven(running) => running.has_unread_order(),
        }
    }

    /// Whom a stop is told first.
    pub(super) fn target(&self) -> ShellTarget {
        match self {
            Self::Main(main) => ShellTarget::Main(main.child().clone()),
            Self::Copy(copy) => ShellTarget::Copy(copy.identity),
            #[cfg(target_os = "linux")]
            Self::Driven(running) => ShellTarget::Driven(running.target()),
        }
    }
}

/// Waits until the shell is gone. Does not borrow it.
pub(super) async fn ended(target: ShellTarget) -> ChildExit {
    match target {
        ShellTarget::Main(child) => child.exited().await,
        #[cfg(target_os = "linux")]
        ShellTarget::Driven(target) => target.child.exited().await,
        ShellTarget::Copy(identity) => {
            while tree::is_alive(identity) {
                tokio::time::sleep(LIFE_CHECK_INTERVAL).await;
            }
            ChildExit::Lost
        }
    }
}

/// The FIFO on which a copy answers.
pub(super) struct CopyReport {
    fd: AsyncFd<OwnedFd>,
    path: PathBuf,
    reader: FrameReader,
    /// Answers that came together with the copy's first one.
    early: Vec<Frame>,
}

impl CopyReport {
    /// Opens the FIFO; it is held on both sides, since the copy opens it anew for each answer.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = watch(rustix::fs::open(&path, flags, Mode::empty())?, Interest::READABLE)?;
        Ok(Self { fd, path, reader: FrameReader::default(), early: Vec::new() })
    }

    /// Its name, for bash.
    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Waits for the copy's first answer, its process id.
    pub(super) async fn born(&mut self, token: &str) -> io::Result<i32> {
        loop {
            let mut frames = self.frames().await?;
            let at = frames.iter().position(|frame| {
                frame.token == token && matches!(frame.body, FrameBody::Born { .. })
            });
            if let Some(at) = at
                && let FrameBody::Born { pid } = frames.remove(at).body
            {
                self.early = frames;
                return Ok(pid);
            }
        }
    }

    /// Waits until the standby has told that its state is written.
    pub(super) async fn dumped(&mut self, token: &str) -> io::Result<()> {
        let told = |frame: &Frame| frame.token == token && matches!(frame.body, FrameBody::Dumped);
        while !self.frames().await?.iter().any(told) {}
        Ok(())
    }

    /// Waits for answers; may return none. Cancel-safe.
    pub(super) async fn frames(&mut self) -> io::Result<Vec<Frame>> {
        if !self.early.is_empty() {
            return Ok(std::mem::take(&mut self.early));
        }
        let mut buffer = [0_u8; 4096];
        loop {
            let mut ready = self.fd.readable().await?;
            match ready.try_io(|fd| Ok(rustix::io::read(fd.as_fd(), &mut buffer)?)) {
                Ok(Ok(length)) => {
                    return Ok(self.reader.push(buffer.get(..length).unwrap_or_default()));
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
    }

    fn pending_frames(&mut self) -> Vec<Frame> {
        let mut buffer = [0_u8; 4096];
        let mut frames = std::mem::take(&mut self.early);
        while let Ok(length @ 1..) = rustix::io::read(self.fd.get_ref(), &mut buffer) {
            frames.extend(self.reader.push(buffer.get(..length).unwrap_or_default()));
        }
        frames
    }
}

impl Drop for CopyReport {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.path));
    }
}

/// A copy of the session that runs a command.
pub(super) struct CopyShell {
    pub(super) identity: ProcessIdentity,
    pub(super) report: CopyReport,
}

impl CopyShell {
    async fn frames(&mut self) -> io::Result<Vec<Frame>> {
        self.report.frames().await
    }

    fn pending_frames(&mut self) -> Vec<Frame> {
        self.report.pending_frames()
    }
}
