//! Where a command's output is read from: what every kind of pipe can do.

use std::future::Future;
use std::io;

/// Bytes read at once: nearly four pipes of the default size. Less means more system calls, each of which has to
/// wait for the pipe's lock, more does not stay in a processor's cache until the sink has gone over it. It makes
/// four strings of JavaScript of the length that costs it least (`PIECE_BYTES` of the addon), without a copy in
/// between.
pub const READ_BYTES: usize = 248 * 1024;

/// What a read found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOutcome {
    /// So many bytes, in `Source::bytes`.
    Data(usize),
    /// Nothing now, but someone may write.
    Empty,
    /// Nothing, and no one holds the other side open.
    Closed,
}

/// The reading side of a pipe.
pub(crate) trait Source: Send {
    /// The bytes of the last read, which found `length`.
    fn bytes(&self, length: usize) -> &[u8];

    /// The buffer of the last read. Whoever takes it leaves another one of its length.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// Whether the next read is made at once and most likely finds more. Where it finds nothing, that
    /// is reported as `Empty`, and whoever left bytes lie for it looks at them.
    fn has_more(&self) -> bool {
        false
    }

    /// The command ended: what its reader has of the writing side is closed, and the end of the pipe can be seen.
    fn release(&mut self) {}

    /// Reads what is there, without waiting.
    fn read_now(&mut self) -> io::Result<ReadOutcome>;

    /// Waits until a read may find something or every writer is gone; may be over too soon.
    /// Cancel-safe.
    fn readable(&mut self) -> impl Future<Output = io::Result<()>> + Send;

    /// Waits until there is something to read or every writer is gone. Cancel-safe.
    fn read_to_end(&mut self) -> impl Future<Output = io::Result<ReadOutcome>> + Send {
        async {
            loop {
                match self.read_now()? {
                    ReadOutcome::Empty => self.readable().await?,
                    found => return Ok(found),
                }
            }
        }
    }
}

/// Reads what is in a non-blocking pipe, at most what `buffer` takes.
#[cfg(unix)]
pub(crate) fn read_pipe(
    pipe: impl std::os::fd::AsFd,
    buffer: &mut [u8],
) -> io::Result<ReadOutcome> {
    loop {
        match rustix::io::read(&pipe, &mut *buffer) {
            Ok(0) => return Ok(ReadOutcome::Closed),
            Ok(length) => return Ok(ReadOutcome::Data(length)),
            Err(rustix::io::Errno::AGAIN) => return Ok(ReadOutcome::Empty),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Bytes that lie in a pipe now; a full read's worth where the system does not tell.
#[cfg(unix)]
pub(crate) fn bytes_in_pipe(pipe: impl std::os::fd::AsFd) -> usize {
    let waiting = rustix::io::ioctl_fionread(pipe);
    waiting.map_or(READ_BYTES, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_pipe_is_counted_and_read_until_its_writer_is_gone() {
        let (reader, writer) = pi_process::sys::pipe().unwrap();
        rustix::io::ioctl_fionbio(&reader, true).unwrap();
        let mut buffer = [0; 8];
        assert_eq!(bytes_in_pipe(&reader), 0);
        assert_eq!(read_pipe(&reader, &mut buffer).unwrap(), ReadOutcome::Empty);

        rustix::io::write(&writer, b"bytes").unwrap();
        assert_eq!(bytes_in_pipe(&reader), 5);
        assert_eq!(read_pipe(&reader, &mut buffer).unwrap(), ReadOutcome::Data(5));

        drop(writer);
        // A program that another test is starting has it until it is executed.
        let bound = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while read_pipe(&reader, &mut buffer).unwrap() != ReadOutcome::Closed {
            assert!(std::time::Instant::now() < bound, "it is still open");
            std::thread::yield_now();
        }
    }

    /// A source that cannot tell what comes next.
    struct Unknowing(Vec<u8>);

    impl Source for Unknowing {
        fn bytes(&self, length: usize) -> &[u8] {
            &self.0[..length]
        }
        fn buffer(&mut self) -> &mut Vec<u8> {
            &mut self.0
        }
        fn read_now(&mut self) -> io::Result<ReadOutcome> {
            Ok(ReadOutcome::Closed)
        }
        async fn readable(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_source_that_cannot_tell_whether_more_comes_promises_none() {
        assert!(!Unknowing(Vec::new()).has_more());
    }
}
