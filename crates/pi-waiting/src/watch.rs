//! When to look, and what looks in a row say together.
//!
//! A terminal is looked at only while it is quiet, and less and less often: no look while output flows, and none of a
//! terminal that waits but one each five seconds.

use std::time::{Duration, Instant};

use crate::look::{Look, Modes, Reader};
use crate::program::Program;

/// When a quiet terminal is looked at, in milliseconds after the last byte; then each [`LATER`]. What waits is known after 0.3 s;
/// the later ones are for programs that wake up now and then, and need a longer look.
const LOOKS_MS: [u64; 11] = [100, 200, 300, 500, 700, 1_000, 1_500, 2_200, 3_000, 3_700, 5_000];

/// Time between two looks after those.
const LATER: Duration = Duration::from_secs(5);

/// What is known of a terminal that is quiet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Since the last byte of output or input.
    pub quiet: Duration,
    /// Bytes that were typed when the look began, as its caller counts them; the look knows nothing of it.
    pub typed_bytes: u64,
    /// Since when the readers are in the same calls, as far as it was looked at. Zero without any.
    pub held: Duration,
    /// Since when nothing used a processor, as far as it was looked at. A clock tick is 10 ms.
    pub idle: Duration,
    /// How the terminal treats what is typed.
    pub modes: Option<Modes>,
    /// Who in the foreground reads it.
    pub readers: Vec<Reader>,
    /// Who in the foreground may not be looked at.
    pub denied: Vec<Program>,
    /// Who is stopped outside of the foreground.
    pub stopped: Vec<Program>,
    /// Something below the root runs.
    pub is_busy: bool,
    /// A program below the root listens on a TCP port.
    pub listens: bool,
}

/// Looks in a row.
#[derive(Debug)]
pub struct Watch {
    quiet_since: Instant,
    looks: u32,
    /// The waits of the look before, and when they were first seen.
    held: Option<(Vec<(i32, String)>, Instant)>,
    used: Option<(u64, Instant)>,
    /// The report before named a program.
    has_said: bool,
}

impl Watch {
    /// Begins with something that happened at `now`.
    pub fn new(now: Instant) -> Self {
        Self { quiet_since: now, looks: 0, held: None, used: None, has_said: false }
    }

    /// Something was written or typed at `now`: what was seen before does not count any more.
    pub fn stir(&mut self, now: Instant) {
        *self = Self::new(now);
    }

    /// When to look next.
    pub fn due(&self) -> Instant {
        let at = self.looks as usize;
        let last = LOOKS_MS.last().copied().unwrap_or_default();
        let after = LOOKS_MS.get(at).copied().unwrap_or(last);
        // 0 for those that are listed.
        let more = (at + 1).saturating_sub(LOOKS_MS.len());
        self.quiet_since + Duration::from_millis(after) + LATER * u32::try_from(more).unwrap_or(0)
    }

    /// Takes a look that was begun at `now`, after the last stir. `None` where there is nothing to be said: no program reads,
    /// none is denied or stopped, and that is not news.
    pub fn seen(&mut self, look: Look, now: Instant) -> Option<Report> {
        self.looks = self.looks.saturating_add(1);
        let waits: Vec<(i32, String)> =
            look.readers.iter().map(|reader| (reader.thread, reader.call.clone())).collect();
        let held_since = match self.held.take() {
            Some((same, since)) if same == waits => since,
            _ => now,
        };
        let idle_since = match self.used {
            Some((ticks, since)) if ticks == look.ticks => since,
            _ => now,
        };
        let held = if waits.is_empty() { Duration::ZERO } else { now - held_since };
        self.held = Some((waits, held_since));
        self.used = Some((look.ticks, idle_since));
        let Look { modes, readers, denied, stopped, is_busy, listens, .. } = look;
        let has_programs = !(readers.is_empty() && denied.is_empty() && stopped.is_empty());
        let is_news = has_programs || self.has_said;
        self.has_said = has_programs;
        is_news.then(|| Report {
            quiet: now - self.quiet_since,
            typed_bytes: 0,
            held,
            idle: now - idle_since,
            modes,
            readers,
            denied,
            stopped,
            is_busy,
            listens,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(thread: i32, call: &str) -> Reader {
        Reader {
            program: Program { pid: thread, name: "cat".to_owned() },
            thread,
            is_read: true,
            is_timed: false,
            timer_ms: None,
            is_relay: false,
            is_alone: true,
            call: call.to_owned(),
        }
    }

    fn look(readers: Vec<Reader>, ticks: u64) -> Look {
        Look { readers, ticks, ..Look::default() }
    }

    #[test]
    fn a_wait_is_held_from_the_first_look_that_saw_it_unchanged() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut watch = Watch::new(start);
        let mut held = Vec::new();
        for (ms, call) in [(100, "a"), (200, "a"), (300, "b"), (500, "b")] {
            assert_eq!(watch.due(), at(ms));
            let report = watch.seen(look(vec![reader(7, call)], 1), at(ms)).unwrap();
            held.push(report.held.as_millis());
        }
        assert_eq!(held, [0, 100, 0, 200]);
    }

    #[test]
    fn what_is_written_or_typed_starts_over() {
        let start = Instant::now();
        let mut watch = Watch::new(start);
        watch.seen(look(vec![reader(7, "a")], 1), start + Duration::from_millis(100));
        watch.stir(start + Duration::from_millis(150));
        let report =
            watch.seen(look(vec![reader(7, "a")], 1), start + Duration::from_millis(250)).unwrap();
        assert_eq!((report.held, report.idle), (Duration::ZERO, Duration::ZERO));
        assert_eq!(report.quiet, Duration::from_millis(100));
    }

    #[test]
    fn a_terminal_without_readers_has_no_report_and_is_looked_at_every_five_seconds() {
        let start = Instant::now();
        let mut watch = Watch::new(start);
        for _ in 0..LOOKS_MS.len() {
            assert_eq!(watch.seen(look(Vec::new(), 1), watch.due()), None);
        }
        assert_eq!(watch.due() - start, Duration::from_secs(10));
        watch.seen(look(Vec::new(), 1), watch.due());
        assert_eq!(watch.due() - start, Duration::from_secs(15));
    }

    #[test]
    fn a_reader_that_is_gone_is_reported_once() {
        let mut watch = Watch::new(Instant::now());
        assert!(watch.seen(look(vec![reader(1, "a")], 1), watch.due()).is_some());
        let gone = watch.seen(look(Vec::new(), 1), watch.due()).unwrap();
        assert_eq!((gone.readers.len(), gone.held), (0, Duration::ZERO));
        assert_eq!(watch.seen(look(Vec::new(), 1), watch.due()), None);
    }

    #[test]
    fn a_tree_is_idle_while_its_processor_time_stands() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut watch = Watch::new(start);
        let mut idle = Vec::new();
        for (ms, ticks) in [(100, 5), (200, 6), (300, 6), (700, 6)] {
            let report = watch.seen(look(vec![reader(1, "a")], ticks), at(ms)).unwrap();
            idle.push(report.idle.as_millis());
        }
        assert_eq!(idle, [0, 0, 100, 500]);
    }
}
