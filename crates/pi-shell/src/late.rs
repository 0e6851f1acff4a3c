//! Late output: what background children write after their command ended.
//!
//! It is read on, so that a dev server is not killed by SIGPIPE and does not block; it goes to
//! the sink of the command that started it, never into the next command's output.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::delivery::Delivery;
use crate::locked::lock;
use crate::outcome::OutputSummary;
use crate::output::Sink;
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
