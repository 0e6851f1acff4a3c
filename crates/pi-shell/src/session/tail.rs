//! What lies in a command's pipe when it has ended, and what filters still pass on: read for either engine.

use std::io;
use std::time::Duration;

use pi_process::deadline::until;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

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

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::cell::Cell;
    use std::collections::VecDeque;
    use std::future::Future;
    use std::pin::Pin;
    use std::sync::Arc;

    use pi_output::SinkOptions;

    use super::*;
    use crate::observer::Observer;
    use crate::request::RunOptions;

    /// Wants nothing, or text that it never has room for.
    struct Listener {
        is_full: bool,
    }

    impl Observer for Listener {
        fn wants_chunks(&self) -> bool {
            self.is_full
        }
        fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
            Box::pin(std::future::pending())
        }
    }

    /// A pipe with a buffer of four bytes. `None` is a read that finds nothing; behind the last one it is closed.
    struct Pipe {
        reads: VecDeque<Option<&'static [u8]>>,
        buffer: Vec<u8>,
    }

    impl Source for Pipe {
        fn bytes(&self, length: usize) -> &[u8] {
            &self.buffer[..length]
        }
        fn buffer(&mut self) -> &mut Vec<u8> {
            &mut self.buffer
        }
        fn read_now(&mut self) -> io::Result<ReadOutcome> {
            Ok(match self.reads.pop_front() {
                Some(Some(bytes)) => {
                    self.buffer[..bytes.len()].copy_from_slice(bytes);
                    ReadOutcome::Data(bytes.len())
                }
                Some(None) => ReadOutcome::Empty,
                None => ReadOutcome::Closed,
            })
        }
        async fn readable(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Output for Pipe {
        fn waiting_bytes(&self) -> usize {
            self.reads.iter().map_while(|read| *read).map(<[u8]>::len).sum()
        }
        fn file_id(&self) -> io::Result<FileId> {
            Ok((1, 2))
        }
    }

    /// One end of an output, with what is needed for it.
    struct Ending {
        pipe: Pipe,
        delivery: Delivery,
        cancel: CancellationToken,
        limit: Option<Instant>,
    }

    impl Ending {
        fn new(reads: &[Option<&'static [u8]>]) -> Self {
            let sink = Some(SinkOptions::default());
            let options = RunOptions { sink, ..RunOptions::default() };
            Self {
                pipe: Pipe { reads: reads.iter().copied().collect(), buffer: vec![0; 4] },
                delivery: Delivery::new(Arc::new(Listener { is_full: false }), Some(&options)),
                cancel: CancellationToken::new(),
                limit: None,
            }
        }

        fn tail(&mut self) -> Tail<'_, Pipe> {
            let Self { pipe, delivery, cancel, limit } = self;
            Tail { output: pipe, delivery, cancel, limit: *limit }
        }

        async fn drained(mut self, known: Option<usize>) -> String {
            self.tail().drain(known).await;
            self.text()
        }

        fn text(&mut self) -> String {
            self.delivery.summary(false).unwrap().text
        }

        /// How often it is looked, where the looks see these one after the other, and the last one from then on.
        async fn looks(&mut self, sights: &[Sight]) -> usize {
            let looks = Cell::new(0);
            let look = |file| {
                assert_eq!(file, (1, 2));
                looks.set(looks.get() + 1);
                sights[(looks.get() - 1).min(sights.len() - 1)]
            };
            let limit = Duration::from_secs(30);
            tokio::time::timeout(limit, self.tail().await_filters(look)).await.unwrap();
            looks.get()
        }
    }

    #[tokio::test]
    async fn what_was_in_the_pipe_is_read_and_no_more() {
        let two = [Some(&b"ab"[..]), Some(b"cd")];
        assert_eq!(Ending::new(&two).drained(None).await, "ab", "a read that was not full was all");
        let full = [Some(&b"abcd"[..]), Some(b"efgh"), Some(b"i"), None, Some(b"late")];
        assert_eq!(Ending::new(&full).drained(None).await, "abcdefghi");
        assert_eq!(Ending::new(&full).drained(Some(8)).await, "abcdefgh");
        assert_eq!(Ending::new(&full).drained(Some(5)).await, "abcdefgh");
        assert_eq!(Ending::new(&full).drained(Some(0)).await, "");
        assert_eq!(Ending::new(&full).drained(Some(99)).await, "abcdefghi");
        assert_eq!(Ending::new(&[]).drained(None).await, "");
    }

    #[tokio::test]
    async fn a_consumer_without_room_is_waited_for_until_the_limit() {
        let mut ending = Ending::new(&[Some(b"ab")]);
        ending.delivery = Delivery::new(Arc::new(Listener { is_full: true }), None);
        ending.delivery.push(b"before");
        ending.limit = Some(Instant::now() + Duration::from_millis(5));

        assert!(!ending.tail().has_room().await);
        ending.tail().drain(None).await;
        assert_eq!(ending.looks(&[Sight::Filters]).await, 0);
        assert_eq!(ending.pipe.reads.len(), 1, "nothing was read");
    }

    #[tokio::test]
    async fn what_lies_in_the_pipe_is_taken_and_its_end_is_seen() {
        let mut ending = Ending::new(&[Some(b"ab"), Some(b"cd"), None, Some(b"late")]);
        assert!(ending.tail().read_what_is_there());
        assert_eq!(ending.text(), "abcd");
        assert_eq!(ending.pipe.reads.len(), 2);
        assert!(ending.tail().read_what_is_there(), "no one wrote");
        assert!(!Ending::new(&[]).tail().read_what_is_there());
    }

    #[tokio::test]
    async fn filters_are_waited_for_until_two_looks_find_none() {
        use Sight::{Filters, Others, Unheld};
        let held = [None; 40];
        for (sights, looks) in [
            (&[Others][..], 2),
            (&[Filters, Filters, Others], 4),
            (&[Others, Filters, Others, Others], 4),
            (&[Unheld, Unheld, Others], 4),
        ] {
            assert_eq!(Ending::new(&held).looks(sights).await, looks, "{sights:?}");
        }
        let closed_later = [None, Some(&b"ab"[..])];
        let mut ending = Ending::new(&closed_later);
        assert_eq!(ending.looks(&[Unheld]).await, 2, "the pipe is closed with the second look");
        assert_eq!(ending.text(), "ab");
        assert_eq!(Ending::new(&[]).looks(&[Filters]).await, 0, "it was closed before");
    }

    #[tokio::test]
    async fn looks_for_filters_get_rare() {
        let mut ending = Ending::new(&[None; 40]);
        ending.limit = Some(Instant::now() + Duration::from_millis(150));
        let looks = ending.looks(&[Sight::Filters]).await;
        assert!((2..=60).contains(&looks), "{looks} in 150 ms");
    }

    #[tokio::test]
    async fn no_filter_is_waited_for_past_a_cancel_or_the_limit() {
        let held = [None; 40];
        let mut cancelled = Ending::new(&held);
        cancelled.cancel.cancel();
        assert_eq!(cancelled.looks(&[Sight::Filters]).await, 0);
        let mut late = Ending::new(&held);
        late.limit = Some(Instant::now());
        assert_eq!(late.looks(&[Sight::Filters]).await, 0);
    }
}
