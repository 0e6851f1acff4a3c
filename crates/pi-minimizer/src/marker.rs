//! The marker grammar: every word of ours that may stand in a rewritten output.
//!
//! ```text
//! notice   = "[-- " item *(", " item) " removed" [ "; full: " reference ] "]"     one, the last line
//! item     = number " " kind
//! repeated = "[-- last " number " lines repeated " number " more times]"
//! times    = " (x" number ")"                                  at the end of a line that repeats
//! ```
//! ASCII alone: a box or a multiplication sign costs more tokens than it saves. A reader who sees no
//! notice sees everything the program said; `reference` is how to get at what is missing.

use std::collections::BTreeMap;

/// What a removed line was. The order is the order in the notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// A test, check or suite that passed.
    Passing,
    /// Something on its way: downloads, compile steps, spinners, timings.
    Progress,
    /// A frame of a library or the language's own runtime.
    Frame,
    /// A quoted line of source around a location that is kept.
    Excerpt,
    /// Advice the tool gives on every run.
    Hint,
    /// Tool and machine descriptions before the work begins.
    Header,
    /// A line whose content stands elsewhere in the text.
    Repeat,
    /// Log lines that follow a template shown once.
    Log,
    /// Names of a listing past its cap.
    Entry,
    /// Lines of lock files, bundles and other generated content in a diff.
    Generated,
    /// Commit trailers and mail addresses.
    Trailer,
    /// Rows of a tree that point at a row shown elsewhere.
    Deduped,
    /// Notes that accompany an error of a C++ template or overload set.
    Note,
    /// Lines of the body of a function in an outline.
    Body,
    /// What a declarative rule removed.
    Line,
}

impl Kind {
    /// The words of the notice.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Passing => "passing lines",
            Self::Progress => "progress lines",
            Self::Frame => "library frames",
            Self::Excerpt => "source excerpts",
            Self::Hint => "hints",
            Self::Header => "header lines",
            Self::Repeat => "repeated lines",
            Self::Log => "similar log lines",
            Self::Entry => "entries",
            Self::Generated => "generated lines",
            Self::Trailer => "trailers",
            Self::Deduped => "deduped entries",
            Self::Note => "notes",
            Self::Body => "body lines",
            Self::Line => "lines",
        }
    }

    /// The kind a rule file names; the names are the first words of the notice.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.words() == name)
    }

    const ALL: [Self; 15] = [
        Self::Passing,
        Self::Progress,
        Self::Frame,
        Self::Excerpt,
        Self::Hint,
        Self::Header,
        Self::Repeat,
        Self::Log,
        Self::Entry,
        Self::Generated,
        Self::Trailer,
        Self::Deduped,
        Self::Note,
        Self::Body,
        Self::Line,
    ];
}

/// How much of each kind was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally(BTreeMap<Kind, usize>);

impl Tally {
    /// Adds `count` items of `kind`.
    pub(crate) fn add(&mut self, kind: Kind, count: usize) {
        if count > 0 {
            *self.0.entry(kind).or_insert(0) += count;
        }
    }

    /// Items of all kinds.
    #[cfg(test)]
    pub(crate) fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// The notice line without a line end; nothing where nothing was removed.
    pub(crate) fn notice(&self, reference: Option<&str>) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let items: Vec<String> =
            self.0.iter().map(|(kind, count)| format!("{count} {}", kind.words())).collect();
        let mut line = format!("[-- {} removed", items.join(", "));
        if let Some(reference) = reference {
            line.push_str("; full: ");
            line.push_str(reference);
        }
        line.push(']');
        Some(line)
    }
}

/// The suffix of a line that stands `count` times.
pub(crate) fn times(count: usize) -> String {
    format!(" (x{count})")
}

/// The line after a block that goes on repeating.
pub(crate) fn repeated(period: usize, more: usize) -> String {
    format!("[-- last {period} lines repeated {more} more times]")
}

/// The period and the count of a line that [`repeated`] wrote.
pub(crate) fn read_repeated(line: &str) -> Option<(usize, usize)> {
    let counts = line.strip_prefix("[-- last ")?.strip_suffix(" more times]")?;
    let (period, more) = counts.split_once(" lines repeated ")?;
    if !is_number(period) || !is_number(more) {
        return None;
    }
    Some((period.parse().ok()?, more.parse().ok()?))
}

/// True for a line of our own: a notice or a count of repeats.
pub(crate) fn is_marker(line: &str) -> bool {
    let Some(body) = line.strip_prefix("[-- ").and_then(|rest| rest.strip_suffix(']')) else {
        return false;
    };
    if body.starts_with("last ") {
        return read_repeated(line).is_some();
    }
    let items = match body.split_once(" removed; full: ") {
        Some((items, reference)) if !reference.is_empty() => items,
        Some(_) => return false,
        None => match body.strip_suffix(" removed") {
            Some(items) => items,
            None => return false,
        },
    };
    items.split(", ").all(|item| {
        item.split_once(' ')
            .is_some_and(|(count, kind)| is_number(count) && Kind::from_name(kind).is_some())
    })
}

/// True where the text ends with a notice, that is, where it was minimized before.
pub(crate) fn is_minimized(text: &str) -> bool {
    let last = text.trim_end().rsplit('\n').next().unwrap_or("");
    is_marker(last)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{Kind, Tally, is_marker, is_minimized, repeated};

    #[test]
    fn a_notice_is_a_marker_with_and_without_a_reference() {
        let mut tally = Tally::default();
        assert_eq!(tally.notice(None), None);
        tally.add(Kind::Progress, 3);
        tally.add(Kind::Passing, 412);
        let notice = tally.notice(Some("artifact://12")).unwrap();
        assert_eq!(notice, "[-- 412 passing lines, 3 progress lines removed; full: artifact://12]");
        assert!(is_marker(&notice));
        assert!(is_marker(&tally.notice(None).unwrap()));
        assert!(is_marker(&repeated(4, 20)));
        assert!(is_minimized(&format!("x\n{notice}\n")));
    }

    #[test]
    fn what_a_program_prints_is_no_marker() {
        for line in [
            "[-- x removed]",
            "[-- 3 apples removed]",
            "[INFO] 3 lines removed",
            "[-- 3 hints removed; full: ]",
        ] {
            assert!(!is_marker(line), "{line}");
        }
    }
}
