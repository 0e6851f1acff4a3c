//! grep, ripgrep and their kin: hits below their file instead of behind it.
//!
//! Every file, line number and line of text stays as it is, blanks included, because hits are edited;
//! only the path that stands in front of each of them is said once.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::text::lines;

pub(crate) static FAMILY: Family = Family {
    name: "search",
    prints: |target| {
        matches!(
            target.program.as_str(),
            "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "ugrep"
        )
    },
    signature: &[],
    // A hit may look like the output of any tool.
    alone: true,
    policy: Policy::REGROUPED,
    mark,
};

/// Marks runs of hits in one file.
pub(crate) fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 2)?;
    let mut at = 0;
    while at < doc.len() {
        let Some(path) = path_of(doc.line(at)) else {
            at += 1;
            continue;
        };
        let same = |line: &str| {
            line == "--" || line.strip_prefix(path).is_some_and(|rest| rest.starts_with([':', '-']))
        };
        let mut end = at + 1;
        while end < doc.len() && same(doc.line(end)) {
            end += 1;
        }
        // A separator belongs to what follows it.
        while end > at + 1 && doc.line(end - 1) == "--" {
            end -= 1;
        }
        if end - at > 1 {
            for i in at..end {
                let line = doc.line(i);
                if line == "--" {
                    continue;
                }
                let hit = lines::from(line, path.len() + 1);
                doc.replace(i, if i == at { format!("{path}\n{hit}") } else { hit.to_owned() });
            }
        }
        at = end;
    }
    Ok(())
}

/// The path in front of a hit: `src/a.ts:8:text`, `src/a.ts-7-context`, `src/a.ts:text`.
fn path_of(line: &str) -> Option<&str> {
    let at = line.find(':').or_else(|| context_end(line))?;
    let path = match context_end(line) {
        Some(end) if end < at => lines::upto(line, end),
        _ => lines::upto(line, at),
    };
    let named =
        path.contains(['.', '/']) || lines::number(lines::from(line, path.len() + 1)).is_some();
    (named && !path.is_empty() && !path.contains(char::is_whitespace) && path.len() > 2)
        .then_some(path)
}

/// Where the path of a context line ends: before `-12-`.
fn context_end(line: &str) -> Option<usize> {
    line.match_indices('-').map(|(at, _)| at).find(|at| {
        *at > 0
            && lines::number(lines::from(line, at + 1))
                .is_some_and(|(_, rest)| rest.starts_with('-'))
    })
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::doc::Doc;
    use crate::family::Run;

    fn grouped(text: &str) -> String {
        let mut doc = Doc::new(text);
        mark(&mut doc, &Run { target: None, failed: false }).unwrap();
        doc.render(true)
    }

    #[test]
    fn hits_stand_below_their_file() {
        assert_eq!(
            grouped("src/a.ts:8:  x(1)\nsrc/a.ts:9:  x(2)\nsrc/b.ts:1:x\n"),
            "src/a.ts\n8:  x(1)\n9:  x(2)\nsrc/b.ts:1:x\n"
        );
    }

    #[test]
    fn context_lines_and_separators_stay_apart_from_hits() {
        assert_eq!(
            grouped("a/b-c.ts-7-before\na/b-c.ts:8:hit\n--\na/b-c.ts:20:hit\n"),
            "a/b-c.ts\n7-before\n8:hit\n--\n20:hit\n"
        );
    }

    #[test]
    fn lines_without_a_path_stay() {
        assert_eq!(
            grouped("Binary file x matches\n12:foo\n13:foo bar\n"),
            "Binary file x matches\n12:foo\n13:foo bar\n"
        );
    }
}
