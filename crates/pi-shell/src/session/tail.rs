//! What lies in a command's pipe when it has ended, and what filters still pass on: read for either engine.

use std::io;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::deadline::until;
use crate::delivery::Delivery;
use crate::source::{ReadOutcome, Source};

/// Most time that `>(…)` gets to pass on what the command wrote. `tee` needs a millisecond; one that takes longer is a
/// survivor, and what it writes is late output.
const FILTER_LIMIT: Duration = Duration::from_secs(1);

/// Looks in a row that find no filter until there is none: a process may fork and end between two lines of one look.
const QUIET_LOOKS: u32 = 2;

/// Time between two looks whether filters are done; doubled up to the second.
const LOOKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(16));

/// Device and inode of a file.
pub(super) type FileId = (u64, u64);

/// The pipe that a command writes to.
pub(super) trait Output: Source {
    /// Bytes that were written and not read yet.
    fn waiting_bytes(&self) -> usize;

    /// Which file it is. An error where processes cannot be asked whether they have it.
    fn file_id(&self) -> io::Result<FileId>;
}

/// What a look at the processes that a command left behind has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// Some end by themselves when they have read what the command wrote: their standard input is a
    /// pipe that has no other writer any more. `sleep 9 | cat &` has none of these: its pipe has a
    /// writer.
    #[cfg_attr(windows, expect(dead_code, reason = "seen in `/proc`"))]
    Filters,
    /// No filter, and another process has the command's output.
    Others,
    /// No process has the command's output. Where one must have it, it was missed, as a walk over
    /// processes that end meanwhile may (`proc_tid_children(5)`).
    #[cfg_attr(windows, expect(dead_code, reason = "seen in `/proc`"))]
    Unheld,
}

/// The end of one command's output.
pub(super) struct Tail<'a, O> {
    pub(super) output: &'a mut O,
    pub(super) delivery: &'a mut Delivery,
    pub(super) cancel: &'a CancellationToken,
    /// When the consumer has had enough time.
    pub(super) limit: Option<Instant>,
}

impl<O: Output> Tail<'_, O> {
    /// Reads what was in the pipe when the command ended. Not more: a background child may write
    /// faster than we read. `known`: how many bytes that is; else a read that does not fill its buffer has them all.
    pub(super) async fn drain(&mut self, known: Option<usize>) {
        let mut rest = known;
        loop {
            tokio::task::coop::consume_budget().await;
            if !self.has_room().await || rest == Some(0) {
                break;
            }
            match self.output.read_now() {
                Ok(ReadOutcome::Data(length)) => {
                    rest = Some(match rest {
                        None if length < self.output.buffer().len() => 0,
                        None => self.output.waiting_bytes(),
                        Some(rest) => rest.saturating_sub(length),
                    });
                    self.delivery.take_rest(self.output, length);
                }
                _ => rest = Some(0),
            }
        }
    }

    /// Reads on while filters of the command still pass its output on, as `look` sees them.
    pub(super) async fn await_filters(&mut self, look: impl Fn(FileId) -> Sight) {
        if !self.has_room().await || !self.read_what_is_there() {
            return;
        }
        let Ok(output) = self.output.file_id() else { return };
        let end = Instant::now() + FILTER_LIMIT;
        let end = self.limit.map_or(end, |limit| limit.min(end));
        let (mut pause, mut quiet_looks) = (LOOKS.0, 0);
        while Instant::now() < end && !self.cancel.is_cancelled() {
            let sight = look(output);
            // What they wrote before that look is there by now.
            let is_held = self.read_what_is_there();
            quiet_looks = match sight {
                // One that has closed the pipe is waited for as well: it is not a survivor.
                Sight::Filters => 0,
                Sight::Others => quiet_looks + 1,
                Sight::Unheld if is_held => 0,
                Sight::Unheld => QUIET_LOOKS,
            };
            if quiet_looks >= QUIET_LOOKS {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LOOKS.1);
            if !self.has_room().await {
                return;
            }
        }
    }

    /// Takes what lies in the pipe now. Returns whether it still has a writer.
    pub(super) fn read_what_is_there(&mut self) -> bool {
        let mut rest = self.output.waiting_bytes();
        loop {
            match self.output.read_now() {
                Ok(ReadOutcome::Data(length)) => {
                    self.delivery.take_rest(self.output, length);
                    rest = rest.saturating_sub(length);
                    if rest == 0 {
                        return true;
                    }
                }
                Ok(ReadOutcome::Closed) => return false,
                _ => return true,
            }
        }
    }

    /// Waits until the consumer took everything, at most until the limit.
    pub(super) async fn has_room(&mut self) -> bool {
        tokio::select! {
            biased;
            () = self.delivery.drained() => true,
            () = until(self.limit), if self.limit.is_some() => false,
        }
    }
}
