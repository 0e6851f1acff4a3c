//! Where a command's output is read from: what every kind of pipe can do.

use std::future::Future;
use std::io;

/// Bytes read at once: two pipes of the default size. Less means more system calls, more does not
/// stay in a processor's cache until the sink has gone over it.
pub(crate) const READ_BYTES: usize = 128 * 1024;

/// What a read found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOutcome {
    /// So many bytes, in `Source::bytes`.
    Data(usize),
    /// Nothing now, but somebody may write.
    Empty,
    /// Nothing, and nobody holds the other side open.
    Closed,
}

/// The reading side of a pipe.
pub(crate) trait Source: Send {
    /// The bytes of the last read, which found `length`.
    fn bytes(&self, length: usize) -> &[u8];

    /// Reads what is there, without waiting.
    fn read_now(&mut self) -> io::Result<ReadOutcome>;

    /// Waits until there is something to read or every writer is gone. Cancel-safe.
    fn read_to_end(&mut self) -> impl Future<Output = io::Result<ReadOutcome>> + Send;
}
