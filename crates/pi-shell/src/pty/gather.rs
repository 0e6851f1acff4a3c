//! When a consumer is notified of what a terminal brought: at once, or a moment later with more.
//!
//! A terminal gives a few KiB at a time, and to wake JavaScript for each costs a third of what the
//! reading does. A word, an answer and a prompt are reported at once: only a flood is gathered.

use std::time::Duration;

use tokio::time::Instant;

/// Longest that a flood waits: half of a frame, which no one sees.
const SPAN: Duration = Duration::from_millis(8);

/// A flood: so many bytes within `SPAN`, more than a full screen of colours has.
const FLOOD_BYTES: usize = 32_768;

/// What came lately, and whether something waits.
pub(super) struct Gather {
    span_began: Instant,
    /// Bytes since `span_began`.
    bytes: usize,
    /// The span before was a flood.
    goes_on: bool,
    due: Option<Instant>,
}

impl Gather {
    /// Nothing came yet.
    pub(super) fn new(now: Instant) -> Self {
        Self { span_began: now, bytes: 0, goes_on: false, due: None }
    }

    /// Counts bytes that came at `now`. Whether the consumer is to be reported at once; where not, it
    /// is when `due` has come.
    pub(super) fn is_sent_at_once(&mut self, count: usize, now: Instant) -> bool {
        let since = now - self.span_began;
        if since >= SPAN {
            self.goes_on = self.bytes >= FLOOD_BYTES && since < 2 * SPAN;
            self.span_began = now;
            self.bytes = 0;
        }
        self.bytes += count;
        if self.goes_on || self.bytes >= FLOOD_BYTES {
            self.due.get_or_insert(now + SPAN);
            return false;
        }
        self.due = None;
        true
    }

    /// When the consumer is to be notified of what waits.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// The consumer was notified.
    pub(super) fn sent(&mut self) {
        self.due = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sent_at_once_and_a_flood_once_in_a_span() {
        let start = Instant::now();
        let mut gather = Gather::new(start);
        let mut sent = 0;
        for ms in 0..1_000 {
            sent += u32::from(gather.is_sent_at_once(100, start + Duration::from_millis(ms)));
        }
        assert_eq!(sent, 1_000, "a hundred bytes each millisecond are not a flood");

        let flood = start + Duration::from_secs(2);
        let mut sent = 0;
        for ms in 0..1_000 {
            let now = flood + Duration::from_millis(ms);
            sent += u32::from(gather.is_sent_at_once(16 * 1024, now));
            if gather.due().is_some_and(|due| due <= now) {
                gather.sent();
                sent += 1;
            }
        }
        assert!((100..140).contains(&sent), "sent {sent} times in a second");

        let later = flood + Duration::from_secs(2);
        assert!(gather.is_sent_at_once(5, later), "a word after a flood is sent at once");
        assert_eq!(gather.due(), None, "and takes with it what waited");
    }

    #[test]
    fn a_flood_is_so_many_bytes_in_a_span_and_goes_on_while_the_spans_follow_each_other() {
        let start = Instant::now();
        let mut gather = Gather::new(start);
        let at = |half_spans: u32| start + half_spans * SPAN / 2;

        assert!(gather.is_sent_at_once(FLOOD_BYTES - 1, at(0)));
        assert_eq!(gather.due(), None);
        assert!(!gather.is_sent_at_once(1, at(1)), "so many bytes");
        assert_eq!(gather.due(), Some(at(3)));
        assert!(!gather.is_sent_at_once(1, at(2)), "the span before was a flood");
        assert_eq!(gather.due(), Some(at(3)), "that is when the first of them is due");
        gather.sent();
        assert_eq!(gather.due(), None);
        assert!(gather.is_sent_at_once(1, at(4)), "the span before was none");

        assert!(!gather.is_sent_at_once(FLOOD_BYTES, at(5)));
        assert!(gather.is_sent_at_once(1, at(8)), "a pause of a span is not a flood");
        assert_eq!(gather.due(), None);
    }
}
