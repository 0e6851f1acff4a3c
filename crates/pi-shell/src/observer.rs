//! How output leaves a run while it is under way: the port that the binding implements.

use std::future::Future;
use std::pin::Pin;

use pi_output::SinkUpdate;

/// Receives what a run writes. Called from one task at a time, in order. Without methods of its own it wants nothing.
pub trait Observer: Send + Sync {
    /// The run has its turn: its time begins, and its command is about to be given to bash. Comes before everything else,
    /// again where a session had to begin again for it, and never where the run was refused.
    fn started(&self) {}

    /// The command is being ended: by its deadline, a cancel or its session's end. From now on its result waits for `room`
    /// no longer than a stop takes, so a consumer that cannot take more at once should leave text out.
    fn stopping(&self) {}

    /// Whether `chunk` wants the text at all; where not, it is neither decoded nor copied.
    fn wants_chunks(&self) -> bool {
        false
    }

    /// Takes the next piece of decoded output, at most 256 KiB of UTF-8. It comes from the buffer
    /// of the read, so that it is copied once, into the form that the consumer needs.
    fn chunk(&self, _text: &str) {}

    /// Whether text may be given by `chunk_read`.
    fn takes_reads(&self) -> bool {
        false
    }

    /// As `chunk` of the first `length` bytes of `buffer`, which are ASCII: a consumer that keeps the
    /// buffer leaves another one of its length there. Called only where `takes_reads`.
    fn chunk_read(&self, buffer: &mut Vec<u8>, length: usize) {
        let bytes = buffer.get(..length).unwrap_or_default();
        self.chunk(std::str::from_utf8(bytes).unwrap_or_default());
    }

    /// What `chunk` was given is all for now. Until this, a consumer may leave pieces lie, so that it
    /// looks at a flood less often. The last pieces of a run may come without it: its end stands for it.
    fn flush(&self) {}

    /// Ends when the consumer may be given more. It is waited for after each read, and until then
    /// nothing is read, so that a consumer that is slow slows the command down and memory stays
    /// bounded.
    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }

    /// Whether `update` wants anything.
    fn wants_updates(&self) -> bool {
        false
    }

    /// Whether `quiet` wants anything.
    #[cfg(unix)]
    fn wants_quiet(&self) -> bool {
        false
    }

    /// Takes what is known of who reads the terminal, which has been quiet for a while. Only programs on a terminal have it.
    /// Never waits; a newer one replaces one that was not yet seen.
    #[cfg(unix)]
    fn quiet(&self, _report: pi_waiting::Report) {}

    /// Takes the newest tail. Never waits; a newer one replaces one that was not yet seen.
    fn update(&self, _update: SinkUpdate) {}
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use pi_process::lock;

    use super::*;

    struct Without;

    impl Observer for Without {}

    #[derive(Default)]
    struct OfText(Mutex<String>);

    impl Observer for OfText {
        fn chunk(&self, text: &str) {
            lock(&self.0).push_str(text);
        }
    }

    #[test]
    fn an_observer_without_methods_of_its_own_wants_nothing() {
        assert!(!Without.wants_chunks() && !Without.takes_reads() && !Without.wants_updates());
        #[cfg(unix)]
        assert!(!Without.wants_quiet());
    }

    #[test]
    fn a_read_comes_as_text_to_who_does_not_keep_its_buffer() {
        let observer = OfText::default();
        observer.chunk_read(&mut b"read, and unread".to_vec(), 4);
        assert_eq!(*lock(&observer.0), "read");
    }
}
