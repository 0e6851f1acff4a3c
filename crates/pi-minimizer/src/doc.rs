//! A document under the knife: the lines of one output, and what is to become of each.
//!
//! Filters only ever *mark* lines. What no one marked is kept, in its place, word for word; so an
//! unrecognised block cannot be lost, and the order of what is kept cannot change by accident.
//! Rendering, counting and the notice live here, once.

use crate::marker::{self, Kind, Tally};
use crate::text::lines;
use crate::text::repeat;
use crate::text::words::FixedSet;
use std::ops::Range;

/// What becomes of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Stays as it is.
    Keep,
    /// Goes, and is counted under this kind.
    Drop(Kind),
    /// Is said elsewhere: its words stand in the replacement of another line.
    Folded,
    /// Is said like this instead; may hold several lines.
    Replace(Box<str>),
}

/// One output, split into lines.
pub(crate) struct Doc<'a> {
    /// The lines, without line ends and trailing blanks.
    pub(crate) lines: Vec<&'a str>,
    marks: Vec<Mark>,
    /// Items that were dropped inside a replacement, not as lines.
    extra: Tally,
    /// Words that a replacement computed: sums and counts, which no line of the text has.
    stated: FixedSet<String>,
    /// How many marks were set.
    touched: usize,
    /// The text is content, not a report: nothing happens to a line that no filter marked.
    verbatim: bool,
    steps: usize,
}

/// A filter went over its step budget; the caller passes the raw text on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OverBudget;

/// Steps a document may cost per line: far above what any filter needs, far below a quadratic.
const STEPS_PER_LINE: usize = 400;

impl<'a> Doc<'a> {
    /// Splits `text`, which must be free of control sequences; trailing blanks are dropped.
    pub(crate) fn new(text: &'a str) -> Self {
        Self::of(lines::split(text), false)
    }

    /// The lines of a text in which rendering would change nothing: no trailing blanks, no blank runs, no repeats.
    /// Most outputs are like that, and finding out costs a third of rendering them.
    pub(crate) fn settled(text: &'a str) -> Option<Vec<&'a str>> {
        let blank_run = || memchr::memmem::find(text.as_bytes(), b"\n\n\n\n").is_some();
        if !text.ends_with('\n') || text.starts_with('\n') || blank_run() {
            return None;
        }
        let lines = lines::split_exactly(text);
        // Most lines end in a byte that is no blank of any script: only the others are decoded.
        let blank = |line: &&str| {
            line.as_bytes().last().is_some_and(|byte| *byte <= b' ' || *byte >= 0x80)
                && line.ends_with(|c: char| c.is_whitespace())
        };
        let settled = !lines.iter().any(blank)
            && lines.last() != Some(&"")
            && repeat::find(&lines).is_empty();
        settled.then_some(lines)
    }

    /// A document of lines that [`Doc::settled`] found.
    pub(crate) fn of_settled(lines: Vec<&'a str>) -> Self {
        Self::of(lines, false)
    }

    /// Splits a text whose blanks and repeats mean something: a diff, a search result.
    pub(crate) fn verbatim(text: &'a str) -> Self {
        Self::of(lines::split_exactly(text), true)
    }

    fn of(lines: Vec<&'a str>, verbatim: bool) -> Self {
        let marks = vec![Mark::Keep; lines.len()];
        Self {
            steps: (lines.len() + 64) * STEPS_PER_LINE,
            lines,
            marks,
            extra: Tally::default(),
            stated: FixedSet::default(),
            touched: 0,
            verbatim,
        }
    }

    /// Number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The line at `at`, empty past the end.
    pub(crate) fn line(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or("")
    }

    /// True while no one marked the line.
    pub(crate) fn is_kept(&self, at: usize) -> bool {
        matches!(self.marks.get(at), Some(Mark::Keep))
    }

    /// True where the line goes or is said elsewhere.
    pub(crate) fn is_gone(&self, at: usize) -> bool {
        matches!(self.marks.get(at), Some(Mark::Drop(_) | Mark::Folded))
    }

    /// The mark of a line.
    pub(crate) fn mark(&self, at: usize) -> &Mark {
        self.marks.get(at).unwrap_or(&Mark::Keep)
    }

    /// Marks the line as going, unless it was marked before: the first filter to recognise a line owns it.
    pub(crate) fn drop_line(&mut self, at: usize, kind: Kind) {
        self.set(at, Mark::Drop(kind));
    }

    /// Marks a range of lines as going.
    pub(crate) fn drop_lines(&mut self, range: Range<usize>, kind: Kind) {
        for at in range {
            self.drop_line(at, kind);
        }
    }

    /// Marks the line as said elsewhere.
    pub(crate) fn fold(&mut self, at: usize) {
        self.set(at, Mark::Folded);
    }

    /// Says the line differently.
    pub(crate) fn replace(&mut self, at: usize, text: impl Into<Box<str>>) {
        self.set(at, Mark::Replace(text.into()));
    }

    /// Counts `count` items that a replacement left out.
    pub(crate) fn count(&mut self, kind: Kind, count: usize) {
        self.extra.add(kind, count);
    }

    /// Declares a word of a replacement as computed from the text.
    pub(crate) fn state(&mut self, word: impl Into<String>) {
        self.stated.insert(word.into());
    }

    /// True where a replacement computed this word.
    pub(crate) fn states(&self, word: &str) -> bool {
        self.stated.contains(word)
    }

    fn set(&mut self, at: usize, mark: Mark) {
        if let Some(slot @ Mark::Keep) = self.marks.get_mut(at) {
            *slot = mark;
            self.touched += 1;
        }
    }

    /// How many lines were marked so far: tells whether a filter found anything.
    pub(crate) fn touched(&self) -> usize {
        self.touched
    }

    /// Takes `steps` off the budget.
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), OverBudget> {
        match self.steps.checked_sub(steps) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(OverBudget),
        }
    }

    /// What was dropped, by kind. Blank lines are not worth a word.
    pub(crate) fn tally(&self) -> Tally {
        let mut tally = self.extra.clone();
        for (mark, line) in self.marks.iter().zip(&self.lines) {
            if let Mark::Drop(kind) = mark
                && !line.is_empty()
            {
                tally.add(*kind, 1);
            }
        }
        tally
    }

    /// Puts the counts of repeats right whose lines a filter removed: a count of lines that are gone goes with them.
    pub(crate) fn settle_repeats(&mut self) {
        for at in 0..self.len() {
            let Some((period, more)) = marker::read_repeated(self.line(at)) else { continue };
            // No one but the core writes a count, and none about more lines; a program that prints one is not asked.
            if period > repeat::MAX_PERIOD {
                continue;
            }
            let block = at.saturating_sub(period)..at;
            let gone = block.clone().filter(|line| self.is_gone(*line)).count();
            let left =
                block.filter(|line| !self.is_gone(*line) && !self.line(*line).is_empty()).count();
            if gone > 0 && left == 0 {
                self.drop_line(at, Kind::Repeat);
            } else if gone > 0 {
                self.replace(at, marker::repeated(period.saturating_sub(gone), more));
            }
        }
    }

    /// Shortens drawn rules on every line that is kept.
    pub(crate) fn shorten_rules(&mut self) {
        for at in 0..self.len() {
            if self.is_kept(at)
                && let Some(short) = lines::shorten_rules(self.line(at))
            {
                self.replace(at, short);
            }
        }
    }

    /// Renders what is left: adjacent repeats folded, blank runs shrunk.
    ///
    /// `compact` leaves one blank line of a run where a filter removed lines around it; otherwise
    /// only runs of three and more shrink.
    pub(crate) fn render(&self, compact: bool) -> String {
        let mut kept: Vec<&str> = Vec::with_capacity(self.len());
        for (mark, line) in self.marks.iter().zip(&self.lines) {
            match mark {
                Mark::Keep => kept.push(line),
                Mark::Replace(text) => kept.extend(text.split('\n')),
                Mark::Drop(_) | Mark::Folded => {}
            }
        }
        let mut text = String::with_capacity(kept.iter().map(|line| line.len() + 1).sum());
        if self.verbatim {
            push_lines(&mut text, &kept);
            return text;
        }
        shrink_blank_runs(&mut kept, compact);
        let mut at = 0;
        for found in repeat::find(&kept) {
            push_lines(&mut text, kept.get(at..found.start).unwrap_or(&[]));
            if found.period == 1 {
                text.push_str(kept.get(found.start).copied().unwrap_or(""));
                text.push_str(&marker::times(found.times));
                text.push('\n');
            } else {
                push_lines(
                    &mut text,
                    kept.get(found.start..found.start + found.period).unwrap_or(&[]),
                );
                text.push_str(&marker::repeated(found.period, found.times - 1));
                text.push('\n');
            }
            at = found.start + found.period * found.times;
        }
        push_lines(&mut text, kept.get(at..).unwrap_or(&[]));
        text
    }
}

fn push_lines(text: &mut String, lines: &[&str]) {
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
}

/// Leaves one blank line of each run that is too long, and none at either end.
fn shrink_blank_runs(lines: &mut Vec<&str>, compact: bool) {
    let longest = if compact { 1 } else { 2 };
    let (mut length, mut blanks) = (0, 0);
    for at in 0..lines.len() {
        let line = lines.get(at).copied().unwrap_or("");
        if line.is_empty() {
            blanks += 1;
            continue;
        }
        let leads = length == 0;
        let left = if leads {
            0
        } else if blanks > longest {
            1
        } else {
            blanks
        };
        blanks = 0;
        // There is room for them: as many lines were passed.
        for blank in lines.iter_mut().skip(length).take(left) {
            *blank = "";
        }
        length += left;
        if let Some(slot) = lines.get_mut(length) {
            *slot = line;
        }
        length += 1;
    }
    lines.truncate(length);
}

#[cfg(test)]
mod tests {
    use super::Doc;
    use crate::marker::Kind;

    #[test]
    fn what_is_not_marked_stays_in_place() {
        let mut doc = Doc::new("a\nb\nc\n");
        doc.drop_line(1, Kind::Progress);
        assert_eq!(doc.render(true), "a\nc\n");
        assert_eq!(doc.tally().total(), 1);
    }

    #[test]
    fn the_first_mark_of_a_line_stands() {
        let mut doc = Doc::new("a\n");
        doc.replace(0, "A");
        doc.drop_line(0, Kind::Progress);
        assert_eq!(doc.render(true), "A\n");
    }

    #[test]
    fn repeats_are_said_once_with_their_count() {
        assert_eq!(Doc::new("x\nx\nx\ny\n").render(false), "x (x3)\ny\n");
    }

    #[test]
    fn a_count_of_repeats_is_about_the_lines_that_are_left() {
        let text = "a\nb\n[-- last 2 lines repeated 3 more times]\nc\nd\n[-- last 2 lines repeated 4 more times]\n";
        let mut doc = Doc::new(text);
        for at in [0, 1, 3] {
            doc.drop_line(at, Kind::Note);
        }
        doc.settle_repeats();
        assert_eq!(doc.render(true), "d\n[-- last 1 lines repeated 4 more times]\n");
    }

    #[test]
    fn a_filter_that_spends_too_much_is_stopped() {
        let mut doc = Doc::new("a\n");
        assert_eq!(doc.spend(100), Ok(()));
        assert_eq!(doc.spend(usize::MAX), Err(super::OverBudget));
    }

    #[test]
    fn content_keeps_its_blanks_and_repeats() {
        assert_eq!(Doc::verbatim("x \nx \nx \n\n\n\n").render(true), "x \nx \nx \n\n\n\n");
    }
}
