//! What is needed of the system below `rustix`, by this crate and those above it: a platform is asked for by name here. No
//! policy, no sessions.

#[cfg(target_os = "linux")]
mod fine_timer;
#[cfg(windows)]
pub mod job;
#[cfg(unix)]
mod process_handle;
#[cfg(unix)]
pub mod signals;
#[cfg(unix)]
mod watch;

#[cfg(target_os = "linux")]
pub use fine_timer::FineTimer;
#[cfg(unix)]
pub(crate) use process_handle::ProcessHandle;
#[cfg(target_os = "linux")]
pub use watch::LazyWatch;
#[cfg(unix)]
pub use watch::watch;

/// Whether the other end of a socket between processes has not read all that was sent to it.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the call has no safe wrapper")]
pub fn has_unread_at_peer(socket: std::os::fd::BorrowedFd<'_>) -> bool {
    use std::os::fd::AsRawFd as _;
    let mut unread: libc::c_int = 0;
    // SAFETY: the descriptor is open for the time of the call, and this request (`SIOCOUTQ` of `unix(7)`, which has
    // the number of `TIOCOUTQ`) writes one `int`.
    let asked = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut unread) };
    asked == 0 && unread > 0
}

/// A pipe, reader first, whose ends no program inherits.
#[cfg(unix)]
pub fn pipe() -> std::io::Result<(std::os::fd::OwnedFd, std::os::fd::OwnedFd)> {
    let (reader, writer) = std::io::pipe()?;
    Ok((reader.into(), writer.into()))
}

/// The controller end of a new pseudoterminal, which no program inherits.
///
/// `posix_openpt(3)` opens this name on every system of ours; its form in `rustix` cannot close on exec everywhere, and
/// renames the error of a full table.
#[cfg(unix)]
pub fn open_controller() -> std::io::Result<std::os::fd::OwnedFd> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let controller = rustix::fs::open("/dev/ptmx", flags, Mode::empty())?;
    rustix::pty::grantpt(&controller)?;
    rustix::pty::unlockpt(&controller)?;
    Ok(controller)
}

/// Reads a file that a command may have put there: no link is followed and no FIFO waited for. One of more than `most`
/// bytes is refused, as what is not a file is (`InvalidData`).
#[cfg(unix)]
pub fn read_plain(path: &std::path::Path, most: u64) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;

    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = std::fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let is_file = file.metadata()?.is_file();
    let mut text = Vec::new();
    file.take(most + 1).read_to_end(&mut text)?;
    let is_plain = is_file && text.len() as u64 <= most;
    is_plain.then_some(text).ok_or_else(|| std::io::ErrorKind::InvalidData.into())
}

/// The pipe behind `end` opened once more for writing, so that flags set on the one (`O_NONBLOCK`)
/// do not hold for the other. Where the system cannot open a pipe again, a duplicate, which shares
/// them: macOS, or a Linux without `/proc`.
#[cfg(unix)]
pub fn open_again(end: &std::os::fd::OwnedFd) -> std::io::Result<std::os::fd::OwnedFd> {
    use std::os::fd::AsRawFd as _;
    let name = format!("/proc/self/fd/{}", end.as_raw_fd());
    let opened = std::fs::OpenOptions::new().write(true).open(name);
    opened.map_or_else(|_absent| end.try_clone(), |file| Ok(file.into()))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn what_was_sent_is_unread_until_the_other_end_reads_it() {
        let (mut own, mut peer) = UnixStream::pair().unwrap();
        assert!(!has_unread_at_peer(own.as_fd()));

        own.write_all(b"order").unwrap();
        assert!(has_unread_at_peer(own.as_fd()));

        peer.read_exact(&mut [0; 5]).unwrap();
        assert!(!has_unread_at_peer(own.as_fd()));
    }

    #[test]
    fn only_a_plain_file_of_so_many_bytes_is_read_and_no_other_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "12345").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("fifo"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();

        assert_eq!(read_plain(&at("file"), 5).unwrap(), b"12345");
        assert_eq!(read_plain(&at("file"), 6).unwrap(), b"12345");
        for (name, most) in [("file", 4), ("link", 5), ("fifo", 5), ("missing", 5), (".", 5)] {
            assert!(read_plain(&at(name), most).is_err(), "{name} of {most}");
        }
    }
}
