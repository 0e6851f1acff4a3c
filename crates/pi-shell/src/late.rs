//! Late output: what background children write after their command ended.
//!
//! It is read on, so that a dev server is not killed by SIGPIPE and does not block; it goes to
//! the sink of the command that started it, never into the next command's output.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::mask::{Mask, Masker};
use crate::output::{LateRing, Sink};
use crate::source::{ReadOutcome, Source};

/// Late outputs that a session remembers. Older ones go on in their spill files only.
const MAX_REMEMBERED: usize = 16;

/// Where late bytes go.
pub(crate) enum LateTarget {
    Sink(Box<Sink>),
    Ring(LateRing, Option<Masker>),
}

impl LateTarget {
    /// The sink, where there is one, else a ring that `mask` masks.
    pub(crate) fn new(sink: Option<Sink>, mask: Option<&Mask>) -> Self {
        match sink {
            Some(sink) => Self::Sink(Box::new(sink)),
            None => Self::Ring(LateRing::new(), mask.map(Mask::masker)),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Sink(sink) => sink.note_late(bytes),
            Self::Ring(ring, None) => ring.push(bytes),
            Self::Ring(ring, Some(masker)) => masker.push(bytes, |bytes| ring.push(bytes)),
        }
    }

    /// No more comes.
    fn end(&mut self) {
        match self {
            Self::Sink(sink) => sink.end_late(),
            Self::Ring(ring, Some(masker)) => masker.finish(|bytes| ring.push(bytes)),
            Self::Ring(_, None) => {}
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Sink(sink) => sink.late_text(),
            Self::Ring(ring, _) => ring.text(),
        }
    }
}

/// The late outputs of a session, newest last.
#[derive(Clone, Default)]
pub(crate) struct LateReaders(Arc<Mutex<VecDeque<Arc<Mutex<LateTarget>>>>>);

impl LateReaders {
    /// Reads `output` to its end in the background; its last read found the `first` bytes.
    pub(crate) fn follow(
        &self,
        mut output: impl Source + 'static,
        mut target: LateTarget,
        first: usize,
    ) {
        target.push(output.bytes(first));
        let target = Arc::new(Mutex::new(target));
        {
            let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            remembered.push_back(Arc::clone(&target));
            if remembered.len() > MAX_REMEMBERED {
                remembered.pop_front();
            }
        }
        // Ends by itself: the pipe is closed when the last of the session's processes is gone.
        drop(tokio::spawn(async move {
            while let Ok(ReadOutcome::Data(length)) = output.read_to_end().await {
                tokio::task::coop::consume_budget().await;
                let mut target = target.lock().unwrap_or_else(PoisonError::into_inner);
                target.push(output.bytes(length));
            }
            target.lock().unwrap_or_else(PoisonError::into_inner).end();
        }));
    }

    /// What was written late, the newest command's last.
    pub(crate) fn text(&self) -> String {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        remembered
            .iter()
            .map(|target| target.lock().unwrap_or_else(PoisonError::into_inner).text())
            .collect()
    }
}
