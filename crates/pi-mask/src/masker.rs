//! Masks one stream as it comes, and holds back what may be the beginning of a secret.
//!
//! Positions count the bytes of the stream. Text is given out up to the first byte that is undecided; secrets that were
//! found wait as intervals until all that begins before them is decided, because a longer one may begin earlier.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use aho_corasick::automaton::StateID;

use super::Masked;
use super::context::Context;
use super::patterns::{Needle, Patterns, Sought};
use super::pem::{Pem, Progress};
use super::shapes::{Class, SHAPES, Shape, Verdict};
use super::url;

/// Most bytes that are put behind what was held in one go: more are looked at where they are.
const SEAM_BYTES: usize = 4096;

/// So many bytes through the automaton are worth another look at where something may begin.
const LONG_WALK: usize = 16;

/// A secret that was found.
#[derive(Debug, Clone, Copy)]
struct Interval {
    start: u64,
    end: u64,
    name: usize,
}

/// Something that began and is not over.
#[derive(Debug, Clone)]
enum Pending {
    /// It depends on what follows. `at` is the first byte behind the prefix.
    Undecided { sought: Sought, at: u64 },
    /// A token that goes on as long as there are characters of the class.
    Token { interval: Interval, class: Class },
    /// A private key.
    Pem { pem: Box<Pem>, name: usize },
}

/// Masks one stream. Feed it pieces of any length.
#[derive(Clone)]
pub struct Masker {
    patterns: Arc<Patterns>,
    /// The automaton behind the last byte.
    state: StateID,
    /// Bytes that were not given out.
    held: Vec<u8>,
    /// Position of the first of them.
    at: u64,
    /// The last bytes before it.
    context: Context,
    found: Vec<Interval>,
    pending: Vec<Pending>,
    /// Bytes before are masked, unless they were given out.
    masked_until: u64,
    /// Bytes before were given out.
    shown_until: u64,
    count: u64,
    names: Vec<bool>,
}

impl fmt::Debug for Masker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is held may be a secret.
        formatter.debug_struct("Masker").field("count", &self.count).finish_non_exhaustive()
    }
}

impl Masker {
    pub(super) fn new(patterns: Arc<Patterns>) -> Self {
        let names = vec![false; patterns.names.len()];
        Self {
            state: patterns.start(),
            patterns,
            held: Vec::new(),
            at: 0,
            context: Context::default(),
            found: Vec::new(),
            pending: Vec::new(),
            masked_until: 0,
            shown_until: 0,
            count: 0,
            names,
        }
    }

    /// Takes the next bytes, and gives out what is decided. What is plain is given out where it stands.
    pub fn push(&mut self, bytes: &[u8], mut emit: impl FnMut(&[u8])) {
        self.push_to(bytes, &mut emit);
    }

    /// Here and below `emit` is called once for a stretch of text, so that no copy of all this is made for each of its kinds.
    fn push_to(&mut self, bytes: &[u8], emit: &mut dyn FnMut(&[u8])) {
        let mut rest = bytes;
        while !self.held.is_empty() && !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(SEAM_BYTES));
            let mut text = std::mem::take(&mut self.held);
            let fresh = text.len();
            text.extend_from_slice(now);
            let given = self.process(&text, fresh, false, emit);
            text.drain(..given);
            self.held = text;
            rest = later;
        }
        if !rest.is_empty() {
            let given = self.process(rest, 0, false, emit);
            self.held.extend_from_slice(rest.get(given..).unwrap_or_default());
        }
    }

    /// Takes bytes that stand before what is wanted, and gives out nothing of them: a secret that begins in them is masked
    /// to its end.
    pub fn skip(&mut self, bytes: &[u8]) {
        self.push(bytes, |_| {});
        self.shown_until = self.at + self.held.len() as u64;
    }

    /// As `push`, but where all that is given out is the beginning of `bytes`, it is not copied to `emit`: its length is
    /// returned. 0 where everything went to `emit`.
    pub fn push_or_pass(&mut self, bytes: &[u8], mut emit: impl FnMut(&[u8])) -> usize {
        let mut passed = None;
        let mut is_first = true;
        self.push(bytes, |given| {
            if is_first && std::ptr::eq(given.as_ptr(), bytes.as_ptr()) {
                passed = Some(given.len());
            } else {
                if let Some(first) = passed.take() {
                    emit(bytes.get(..first).unwrap_or_default());
                }
                emit(given);
            }
            is_first = false;
        });
        passed.unwrap_or_default()
    }

    /// Gives out what is held as far as it says nothing, because no more comes for now: a prompt ends without a newline.
    /// A secret that began with it is still masked; its marker then stands behind its public beginning.
    pub fn show_begun(&mut self, mut emit: impl FnMut(&[u8])) {
        let end = self.harmless_until();
        let text = std::mem::take(&mut self.held);
        self.give(&text, self.at, end, &mut emit);
        self.held = text;
    }

    /// The stream is over: gives out what is left. A beginning of a secret that was cut off is not one.
    pub fn finish(&mut self, mut emit: impl FnMut(&[u8])) {
        let text = std::mem::take(&mut self.held);
        self.process(&text, text.len(), true, &mut emit);
        self.state = self.patterns.start();
        self.context = Context::default();
    }

    /// What was masked so far.
    pub fn masked(&self) -> Masked {
        let seen = self.patterns.names.iter().zip(&self.names).filter(|(_, seen)| **seen);
        Masked { count: self.count, names: seen.map(|(name, _)| name.clone()).collect() }
    }

    /// Looks at `text`, which begins at `self.at`, from `fresh` on, and gives out what is decided. Returns how much that is.
    fn process(
        &mut self,
        text: &[u8],
        fresh: usize,
        at_end: bool,
        emit: &mut dyn FnMut(&[u8]),
    ) -> usize {
        for pending in std::mem::take(&mut self.pending) {
            self.advance(pending, text, at_end);
        }
        self.scan(text, fresh, at_end);
        let until =
            if at_end { self.at + text.len() as u64 } else { self.decided_until(text.len()) };
        self.give_out(text, until, emit);
        let given = self.index_of(until).min(text.len());
        self.context.add(text.get(..given).unwrap_or_default());
        self.at = until;
        given
    }

    /// Finds what begins in `text` from `fresh` on.
    fn scan(&mut self, text: &[u8], fresh: usize, at_end: bool) {
        let patterns = Arc::clone(&self.patterns);
        let mut lookout = patterns.lookout(text);
        let mut state = self.state;
        let mut index = fresh;
        loop {
            if state == patterns.start() {
                index = lookout.next(index);
            }
            let Some(byte) = text.get(index) else { break };
            state = patterns.next(state, *byte);
            index += 1;
            if index.is_multiple_of(LONG_WALK) && state != patterns.start() {
                // One letter repeated begins something each time: it need not be followed where nothing goes on.
                let begun = index.saturating_sub(patterns.begun(state).length);
                let is_nothing =
                    lookout.next(begun) >= index && patterns.ending(state).next().is_none();
                state = if is_nothing { patterns.start() } else { state };
            }
            for sought in patterns.ending(state) {
                self.hit(sought, text, index, at_end);
            }
        }
        self.state = state;
    }

    /// `sought` ends before `index`.
    fn hit(&mut self, sought: Sought, text: &[u8], index: usize, at_end: bool) {
        let at = self.at + index as u64;
        let start = at - sought.length as u64;
        match sought.needle {
            Needle::Value => self.found.push(Interval { start, end: at, name: sought.name }),
            Needle::Pem => {
                let pem = Box::new(Pem::new(at));
                self.advance(Pending::Pem { pem, name: sought.name }, text, at_end);
            }
            Needle::Url => self.advance(Pending::Undecided { sought, at }, text, at_end),
            Needle::Shape(shape) => {
                let Some(shape) = SHAPES.get(shape) else { return };
                if self.stands_alone(
                    shape,
                    text,
                    index.saturating_sub(sought.length),
                    sought.length > index,
                ) {
                    self.advance(Pending::Undecided { sought, at }, text, at_end);
                }
            }
        }
    }

    /// Goes on with something that began, as far as `text` has it.
    fn advance(&mut self, pending: Pending, text: &[u8], at_end: bool) {
        match pending {
            Pending::Undecided { sought, at } => {
                let index = self.index_of(at);
                let verdict = match sought.needle {
                    Needle::Shape(shape) => SHAPES
                        .get(shape)
                        .map_or(Verdict::No, |shape| shape.matches(text, index, at_end)),
                    _ => url::password(text, index, at_end),
                };
                match verdict {
                    Verdict::No => {}
                    Verdict::Undecided => self.pending.push(Pending::Undecided { sought, at }),
                    Verdict::Token { start, end, open } => {
                        let (start, end) = (self.at + start as u64, self.at + end as u64);
                        let interval = Interval { start, end, name: sought.name };
                        self.found.push(interval);
                        self.pending.extend(open.map(|class| Pending::Token { interval, class }));
                    }
                }
            }
            Pending::Token { mut interval, class } => {
                let rest = text.get(self.index_of(interval.end)..).unwrap_or_default();
                let more = rest.iter().take_while(|byte| class.has(**byte)).count();
                interval.end += more as u64;
                // Where nothing came it is the same again: what overlaps is one marker.
                self.found.push(interval);
                if more == rest.len() && !at_end {
                    self.pending.push(Pending::Token { interval, class });
                }
            }
            Pending::Pem { mut pem, name } => {
                let rest = text.get(self.index_of(pem.at)..).unwrap_or_default();
                let is_over = rest.iter().any(|byte| pem.step(*byte) == Progress::Over);
                if at_end {
                    pem.close();
                }
                self.found.extend(pem.end().map(|end| Interval { start: pem.start, end, name }));
                if !is_over && !at_end {
                    self.pending.push(Pending::Pem { pem, name });
                }
            }
        }
    }

    /// Whether a token that begins at `index` is not the end of something longer. `in_context`: it begins before `text`.
    fn stands_alone(&self, shape: &Shape, text: &[u8], index: usize, in_context: bool) -> bool {
        if in_context {
            // What is undecided is held, so a prefix is never partly given out.
            return false;
        }
        self.context.allows(shape, text.get(..index).unwrap_or_default())
    }

    /// Up to here it is decided what is a secret.
    fn decided_until(&self, length: usize) -> u64 {
        let end = self.at + length as u64;
        let begun = self.patterns.begun(self.state).length as u64;
        let undecided = self.pending.iter().filter_map(|pending| match pending {
            Pending::Undecided { sought, at } => Some(at - sought.length as u64),
            Pending::Pem { pem, .. } => Some(pem.undecided_from()),
            Pending::Token { .. } => None,
        });
        undecided.fold(end - begun, u64::min)
    }

    /// Up to here nothing of what is held says anything about a secret.
    fn harmless_until(&self) -> u64 {
        let end = self.at + self.held.len() as u64;
        let begun = self.patterns.begun(self.state);
        let undecided = self.pending.iter().filter_map(|pending| match pending {
            Pending::Undecided { sought, at } => {
                let rest = self.held.get(self.index_of(*at)..).unwrap_or_default();
                let is_url = matches!(sought.needle, Needle::Url);
                Some(at + if is_url { url::harmless(rest) as u64 } else { 0 })
            }
            Pending::Pem { pem, .. } => Some(pem.harmless_until()),
            Pending::Token { .. } => None,
        });
        let found = self.found.iter().map(|interval| interval.start);
        undecided.chain(found).fold(end - (begun.length - begun.harmless) as u64, u64::min)
    }

    /// Gives out `text` up to `until`, with markers.
    fn give_out(&mut self, text: &[u8], until: u64, emit: &mut dyn FnMut(&[u8])) {
        let mut from = self.at;
        if !self.found.is_empty() {
            let mut found = std::mem::take(&mut self.found);
            found.sort_by_key(|interval| (interval.start, Reverse(interval.end)));
            for interval in found {
                if interval.start >= until.max(self.masked_until) {
                    self.found.push(interval);
                    continue;
                }
                if interval.start >= self.masked_until {
                    self.give(text, from, interval.start, emit);
                    from = interval.start;
                    self.mark(interval.name, emit);
                }
                self.masked_until = self.masked_until.max(interval.end);
            }
        }
        self.give(text, from, until, emit);
    }

    fn mark(&mut self, name: usize, emit: &mut dyn FnMut(&[u8])) {
        self.count += 1;
        if let Some(seen) = self.names.get_mut(name) {
            *seen = true;
        }
        if let Some(name) = self.patterns.names.get(name) {
            emit(format!("[masked: {name}]").as_bytes());
        }
    }

    /// Gives out the bytes from `from` to `until` that were not: of masked ones the newlines.
    fn give(&mut self, text: &[u8], from: u64, until: u64, emit: &mut dyn FnMut(&[u8])) {
        let from = from.max(self.shown_until);
        if from >= until {
            return;
        }
        let plain = self.masked_until.clamp(from, until);
        let slice = |from: u64, until: u64| {
            text.get(self.index_of(from)..self.index_of(until)).unwrap_or_default()
        };
        for _ in memchr::memchr_iter(b'\n', slice(from, plain)) {
            emit(b"\n");
        }
        if plain < until {
            emit(slice(plain, until));
        }
        self.shown_until = until;
    }

    /// Where a position stands in the text that begins at `self.at`.
    fn index_of(&self, position: u64) -> usize {
        usize::try_from(position.saturating_sub(self.at)).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
#[path = "masker_cases.rs"]
mod cases;
