//! The core's sink for output that did not come from a run: a remote terminal, a file, a test.

use std::time::Instant;

use napi::bindgen_prelude::{Either, Uint8Array};
use napi_derive::napi;
use pi_shell::SinkOptions;

use crate::error::{ThrownError, thrown};
use crate::mask::SecretMask;
use crate::outcome::{Summary, Update};
use crate::request::SinkRequest;

/// Keeps the ends of a stream in memory and the whole of it in a file.
#[napi]
pub struct Sink {
    core: pi_shell::output::Sink,
}

#[napi]
impl Sink {
    /// An empty sink; touches no file. `mask`: what is masked in its text.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: SinkRequest, mask: Option<&SecretMask>) -> Result<Self, ThrownError> {
        let mask = mask.and_then(SecretMask::core);
        let options = SinkOptions { mask, ..SinkOptions::try_from(options).map_err(thrown)? };
        Ok(Self { core: pi_shell::output::Sink::new(options) })
    }

    /// Takes the next text or raw bytes. Text and bytes may be mixed; a character may be split
    /// between two pushes of bytes.
    #[napi(catch_unwind)]
    pub fn push(&mut self, chunk: Either<String, Uint8Array>) {
        match chunk {
            Either::A(text) => self.core.push(text.as_bytes()),
            Either::B(bytes) => self.core.push(&bytes),
        }
    }

    /// Shows `text` instead of all that was pushed; totals and the file stay those of the stream.
    #[napi(catch_unwind)]
    pub fn replace(&mut self, text: String) {
        self.core.replace(&text);
    }

    /// The text as it stands, if there is something new and an update is due now.
    #[napi(catch_unwind)]
    pub fn update(&mut self) -> Option<Update> {
        self.core.update(Instant::now()).map(Update::from)
    }

    /// Milliseconds until `update` has something to give; absent when nothing is new.
    #[napi(catch_unwind)]
    pub fn pending_update_ms(&self) -> Option<f64> {
        let due = self.core.pending_update_at()?;
        Some(due.saturating_duration_since(Instant::now()).as_secs_f64() * 1_000.0)
    }

    /// Ends the stream and closes the file, which is complete then. Called again, it returns the
    /// same summary. `notice` stands before the text as a line of its own, in brackets.
    #[napi(catch_unwind)]
    pub fn finish(&mut self, notice: Option<String>) -> Summary {
        self.core.finish(notice.as_deref()).into()
    }
}
