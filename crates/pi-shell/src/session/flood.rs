//! How a flood is read: what came is taken out of the pipe in one go after a short rest, and read
//! from a pipe of our own.
//!
//! # Theory of operation
//! A pipe has one lock, which its reader and its writer hold while they copy. Who reads 248 KiB at a
//! time from a pipe that is being written waits for that lock again and again, and does so
//! spinning. `splice(2)` between two pipes moves pages and copies nothing, so it has the lock for
//! microseconds; then the writer goes on in its pipe while we copy out of ours. See
//! docs/performance.md for what that is worth. Where there is no second pipe (the user's
//! share of pipe memory is spent), and where JavaScript takes the text and so sets the pace, the
//! first one is read as it is.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use pi_process::sys::FineTimer;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};

use crate::source::{self, ReadOutcome};

/// First pause between two looks at a flooded pipe. A writer of 5 GB/s fills the grown pipe in it.
const REST: Duration = Duration::from_micros(200);

/// Bounds of the later pauses: a faster writer is looked at more often, a slower one is let write.
const LEAST_REST: Duration = Duration::from_micros(50);

/// See `LEAST_REST`. What was written is seen that much later.
const LONGEST_REST: Duration = Duration::from_micros(800);

/// What a pause should bring: most of the grown pipe, so that it is seldom looked at, and not all, so that its
/// writer need not wait.
const REST_BYTES: u32 = 768 * 1024;

/// A rest that brought less in each of its `REST` ends the flood (40 MB/s).
const WORTHWHILE_BYTES: usize = 8 * 1024;

/// The pauses of a flood.
pub(super) struct Rests {
    timer: FineTimer,
    /// A rest has begun and not ended.
    is_resting: bool,
    /// Length of the last rest; of the first one, before it.
    length: Duration,
    /// Bytes since the last rest.
    bytes: usize,
    /// The last rest ended with a full pipe.
    was_full: bool,
}

impl Rests {
    /// A flood that begins now, with a rest at the next opportunity.
    ///
    /// # Errors
    /// Where there is no such timer, or no descriptor is left.
    pub(super) fn new() -> io::Result<Self> {
        let bytes = usize::try_from(REST_BYTES).unwrap_or(usize::MAX);
        let timer = FineTimer::new()?;
        Ok(Self { timer, is_resting: false, length: REST, bytes, was_full: false })
    }

    /// Whether a rest has begun and not ended.
    pub(super) fn is_resting(&self) -> bool {
        self.is_resting
    }

    /// Waits until the rest is over, if there is one. Cancel-safe.
    pub(super) async fn ended(&mut self) {
        if self.is_resting {
            self.timer.ended().await;
            self.is_resting = false;
        }
    }

    /// Counts what was read.
    pub(super) fn note(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Notes whether the writer had to wait for us when the last rest was over.
    pub(super) fn note_full(&mut self, was_full: bool) {
        self.was_full = was_full;
    }

    /// Begins the next rest. Says whether it did: one that brought too little was the last, and so it is where
    /// the timer cannot be set.
    pub(super) fn begin(&mut self) -> bool {
        let brought = std::mem::take(&mut self.bytes);
        if let Some(length) = self.next_length(brought)
            && self.timer.set(length).is_ok()
        {
            self.length = length;
            self.is_resting = true;
        }
        self.is_resting
    }

    /// Length of the rest after one that brought `bytes`; none where that was too little.
    fn next_length(&self, bytes: usize) -> Option<Duration> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).max(1);
        let by_now = self.length.as_micros() * WORTHWHILE_BYTES as u128 / REST.as_micros();
        if u128::from(bytes) < by_now {
            return None;
        }
        let enough = self.length.saturating_mul(REST_BYTES) / bytes;
        // Small writes fill the pipe with fewer bytes than it has room for.
        let within = if self.was_full { enough.min(self.length * 7 / 8) } else { enough };
        Some(within.min(2 * self.length).clamp(LEAST_REST, LONGEST_REST))
    }
}

/// A pipe of our own that takes the whole contents of another one.
pub(super) struct Transfer {
    reader: OwnedFd,
    writer: OwnedFd,
    /// Bytes that it has.
    len: usize,
    capacity: usize,
}

impl Transfer {
    /// One that is empty, for the contents of a pipe that was grown to `capacity` bytes.
    pub(super) fn new(capacity: usize) -> io::Result<Self> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        if fcntl_setpipe_size(&writer, capacity)? < capacity {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        Ok(Self { reader, writer, len: 0, capacity })
    }

    /// One that takes nothing: the reading side of a pipe has no writer.
    #[cfg(test)]
    pub(super) fn broken() -> io::Result<Self> {
        let Self { reader, writer, len, capacity } = Self::new(1)?;
        Ok(Self { reader: writer, writer: reader, len, capacity })
    }

    /// Bytes that it has.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Takes what is in `pipe`, once everything before was read.
    pub(super) fn fill(&mut self, pipe: impl AsFd) -> io::Result<ReadOutcome> {
        loop {
            match splice(&pipe, None, &self.writer, None, self.capacity, SpliceFlags::NONBLOCK) {
                Ok(0) => return Ok(ReadOutcome::Closed),
                Ok(length) => {
                    self.len += length;
                    return Ok(ReadOutcome::Data(length));
                }
                Err(rustix::io::Errno::AGAIN) => return Ok(ReadOutcome::Empty),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads from it; `Empty` where all was read.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<ReadOutcome> {
        let outcome = source::read_pipe(self.reader.as_fd(), buffer)?;
        if let ReadOutcome::Data(length) = outcome {
            self.len = self.len.saturating_sub(length);
        }
        Ok(outcome)
    }
}

/// Whether a writer of this pipe has to wait; `writer` is its writing side. Asks without the pipe's
/// lock (`pipe_poll` in Linux).
pub(super) fn is_full(writer: impl AsFd) -> bool {
    let mut side = [PollFd::new(&writer, PollFlags::OUT)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut side, Some(&at_once)).is_ok_and(|ready| ready == 0)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const ENOUGH: usize = REST_BYTES as usize;

    fn micros(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    #[tokio::test]
    async fn a_rest_is_as_long_as_the_writer_needs_to_fill_most_of_the_pipe() {
        let mut rests = Rests::new().unwrap();
        for (length, bytes, next) in [
            (200, ENOUGH, Some(200)),
            (200, ENOUGH / 2, Some(400)),
            (200, 2 * ENOUGH, Some(100)),
            (200, ENOUGH / 8, Some(400)),
            (200, 100 * ENOUGH, Some(50)),
            (500, ENOUGH / 4, Some(800)),
            (200, WORTHWHILE_BYTES, Some(400)),
            (200, 8 * 1024 - 1, None),
            (800, 4 * WORTHWHILE_BYTES, Some(800)),
            (800, 4 * WORTHWHILE_BYTES - 1, None),
            (50, 0, None),
        ] {
            rests.length = micros(length);
            assert_eq!(rests.next_length(bytes), next.map(micros), "{length}, {bytes}");
        }
        rests.length = micros(200);
        rests.note_full(true);
        assert_eq!(rests.next_length(ENOUGH), Some(micros(175)), "the pipe was full of less");
        assert_eq!(rests.next_length(2 * ENOUGH), Some(micros(100)));
    }

    #[tokio::test]
    async fn a_flood_rests_at_once_and_ends_with_a_rest_that_brought_too_little() {
        let mut rests = Rests::new().unwrap();
        assert!(!rests.is_resting());
        assert!(rests.begin() && rests.is_resting());
        assert_eq!(rests.length, REST);
        tokio::time::timeout(Duration::from_secs(30), rests.ended()).await.unwrap();
        assert!(!rests.is_resting());

        rests.note(ENOUGH);
        rests.note(ENOUGH);
        assert!(rests.begin());
        assert_eq!(rests.length, micros(100));
        tokio::time::timeout(Duration::from_secs(30), rests.ended()).await.unwrap();
        assert!(!rests.begin(), "nothing came");
    }

    #[test]
    fn a_transfer_takes_what_is_in_a_pipe_and_gives_it_out() {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).unwrap();
        let mut transfer = Transfer::new(1 << 16).unwrap();
        let mut buffer = [0; 4];
        assert_eq!(transfer.fill(&reader).unwrap(), ReadOutcome::Empty);
        rustix::io::write(&writer, b"abcdef").unwrap();

        assert_eq!(transfer.fill(&reader).unwrap(), ReadOutcome::Data(6));
        assert_eq!(transfer.len(), 6);
        assert_eq!(transfer.read(&mut buffer).unwrap(), ReadOutcome::Data(4));
        assert_eq!((buffer, transfer.len()), (*b"abcd", 2));
        assert_eq!(transfer.read(&mut buffer).unwrap(), ReadOutcome::Data(2));
        assert_eq!(transfer.read(&mut buffer).unwrap(), ReadOutcome::Empty);
        assert_eq!(transfer.len(), 0);
        drop(writer);
        // A program that another test starts has all descriptors until it is executed.
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut outcome = ReadOutcome::Empty;
        while outcome == ReadOutcome::Empty && Instant::now() < deadline {
            outcome = transfer.fill(&reader).unwrap();
        }
        assert_eq!(outcome, ReadOutcome::Closed);
    }

    #[test]
    fn a_pipe_is_full_when_its_writer_would_wait() {
        let (_reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).unwrap();
        assert!(!is_full(&writer));
        while rustix::io::write(&writer, &[b'x'; 4096]).is_ok() {}
        assert!(is_full(&writer));
    }
}
