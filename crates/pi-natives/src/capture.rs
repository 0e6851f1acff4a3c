//! The output of one run, kept for the minimizer, which works on a whole text after the fact.

use std::sync::{Mutex, PoisonError};

use pi_minimizer::{Command, Invocation, Minimized, Options};

/// What a run's output will be minimized with.
pub(crate) struct Capture {
    command: String,
    invocation: Option<Invocation>,
    options: Options,
    text: Mutex<Option<String>>,
}

impl Capture {
    /// An empty capture. Its bound is the minimizer's own: past it nothing is kept.
    pub(crate) fn new(command: String, invocation: Option<Invocation>, options: Options) -> Self {
        Self { command, invocation, options, text: Mutex::new(Some(String::new())) }
    }

    /// Takes the next piece of the output.
    pub(crate) fn push(&self, more: &str) {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = text.as_mut() {
            if kept.len() + more.len() <= self.options.max_capture_bytes {
                kept.push_str(more);
            } else {
                *text = None;
            }
        }
    }

    /// The minimized output and the original; nothing where the original is to be used as it is.
    pub(crate) fn minimize(&self, exit_code: u8) -> Option<(Minimized, String)> {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let command =
            self.invocation.as_ref().map_or(Command::Text(&self.command), Command::Invocation);
        let minimized = pi_minimizer::minimize(command, &text, exit_code.into(), &self.options)?;
        Some((minimized, text))
    }
}
