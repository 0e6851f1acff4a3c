//! Late output: what background children write after their command ended.
//!
//! It is read on, so that a dev server is not killed by SIGPIPE and does not block; it goes to
//! the sink of the command that started it, never into the next command's output.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use pi_output::{OutputSummary, Sink};
use pi_process::lock;

use crate::delivery::Delivery;
use crate::source::{ReadOutcome, Source};

/// Late outputs that a session remembers. Older ones go on in their spill files only.
const MAX_REMEMBERED: usize = 16;

/// The late outputs of a session, newest last.
#[derive(Clone, Default)]
pub(crate) struct LateReaders(Arc<Mutex<VecDeque<Arc<Mutex<Sink>>>>>);

impl LateReaders {
    /// Ends a command's output. What survivors still write to it is read on, and goes to the spill file, which is there
    /// from now on. Returns the pipe too where it has no writer any more.
    pub(crate) fn put_away<S: Source + 'static>(
        &self,
        mut output: S,
        mut delivery: Delivery,
        has_survivors: bool,
    ) -> (Option<OutputSummary>, Option<S>) {
        // Held by us it would never be seen to have no writer, and be followed until the process ends.
        output.release();
        let read = output.read_now();
        let is_held = !matches!(read, Ok(ReadOutcome::Closed));
        let summary = delivery.summary(is_held && has_survivors);
        if !is_held {
            return (summary, Some(output));
        }
        let first = if let Ok(ReadOutcome::Data(first)) = read { first } else { 0 };
        self.follow(output, delivery.into_late(), first);
        (summary, None)
    }

    /// Reads `output` to its end in the background; its last read found the `first` bytes.
    fn follow(&self, mut output: impl Source + 'static, mut sink: Sink, first: usize) {
        sink.note_late(output.bytes(first));
        let sink = Arc::new(Mutex::new(sink));
        {
            let mut remembered = lock(&self.0);
            remembered.push_back(Arc::clone(&sink));
            if remembered.len() > MAX_REMEMBERED {
                remembered.pop_front();
            }
        }
        // Ends by itself: the pipe is closed when the last of the session's processes is gone.
        drop(tokio::spawn(async move {
            while let Ok(ReadOutcome::Data(length)) = output.read_to_end().await {
                tokio::task::coop::consume_budget().await;
                lock(&sink).note_late(output.bytes(length));
            }
            lock(&sink).end_late();
        }));
    }

    /// What was written late, the newest command's last.
    pub(crate) fn text(&self) -> String {
        let remembered = lock(&self.0);
        remembered.iter().map(|sink| lock(sink).late_text()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::time::{Duration, Instant};

    use pi_output::SinkOptions;

    use super::*;
    use crate::observer::Observer;
    use crate::request::RunOptions;

    /// Wants nothing.
    struct Deaf;

    impl Observer for Deaf {}

    /// A pipe whose reads are known: `None` is one that finds nothing.
    struct Script {
        reads: VecDeque<Option<Vec<u8>>>,
        buffer: Vec<u8>,
        is_released: bool,
    }

    impl Script {
        fn new(reads: &[Option<&str>]) -> Self {
            let reads = reads.iter().map(|read| read.map(|text| text.as_bytes().to_vec()));
            Self { reads: reads.collect(), buffer: Vec::new(), is_released: false }
        }
    }

    impl Source for Script {
        fn bytes(&self, length: usize) -> &[u8] {
            &self.buffer[..length]
        }
        fn buffer(&mut self) -> &mut Vec<u8> {
            &mut self.buffer
        }
        fn release(&mut self) {
            self.is_released = true;
        }
        fn read_now(&mut self) -> io::Result<ReadOutcome> {
            Ok(match self.reads.pop_front() {
                Some(Some(bytes)) => {
                    self.buffer = bytes;
                    ReadOutcome::Data(self.buffer.len())
                }
                Some(None) => ReadOutcome::Empty,
                None => ReadOutcome::Closed,
            })
        }
        async fn readable(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn delivery(sink: SinkOptions) -> Delivery {
        let options = RunOptions { sink: Some(sink), ..RunOptions::default() };
        Delivery::new(Arc::new(Deaf), Some(&options))
    }

    async fn eventually(readers: &LateReaders, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while readers.text() != text {
            assert!(Instant::now() < deadline, "{:?}", readers.text());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[tokio::test]
    async fn a_pipe_without_writers_is_handed_back_and_nothing_is_remembered() {
        let readers = LateReaders::default();

        let (summary, pipe) =
            readers.put_away(Script::new(&[]), delivery(SinkOptions::default()), true);

        assert!(summary.is_some());
        assert!(pipe.is_some_and(|pipe| pipe.is_released));
        assert_eq!(lock(&readers.0).len(), 0);
    }

    #[tokio::test]
    async fn what_survivors_write_is_read_to_its_end_and_is_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spill");
        let sink = || SinkOptions { spill_path: Some(path.clone()), ..SinkOptions::default() };
        let readers = LateReaders::default();
        let script = Script::new(&[Some("first\n"), None, Some("then\n"), Some("last\n")]);

        let (summary, pipe) = readers.put_away(script, delivery(sink()), true);

        assert!(pipe.is_none() && summary.is_some_and(|summary| summary.spilled));
        eventually(&readers, "first\nthen\nlast\n").await;
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first\nthen\nlast\n");

        std::fs::remove_file(&path).unwrap();
        let (summary, pipe) = readers.put_away(Script::new(&[None]), delivery(sink()), false);
        assert!(pipe.is_none() && summary.is_some_and(|summary| !summary.spilled));
        assert!(!path.exists(), "no one was seen to go on");
    }

    #[tokio::test]
    async fn the_newest_late_outputs_are_remembered_in_their_order() {
        let readers = LateReaders::default();
        for number in 0..=MAX_REMEMBERED {
            let script = Script::new(&[Some(&format!("{number}\n"))]);
            readers.put_away(script, delivery(SinkOptions::default()), true);
        }

        let newest: Vec<String> =
            (1..=MAX_REMEMBERED).map(|number| format!("{number}\n")).collect();
        assert_eq!(readers.text(), newest.concat());
    }
}
