//! Trees drawn with boxes or ASCII: `npm ls`, `cargo tree`, `mvn dependency:tree`, `gradle`, `tree`.
//!
//! Depth is said by one blank a level instead of a picture of branches. A node that only points at
//! another row (`deduped`, `(*)`) goes where that row is there.

use crate::doc::{Doc, OverBudget};
use crate::marker::Kind;
use crate::text::lines;
use crate::text::words::FixedSet;

/// Fewer nodes than this are not a tree worth redrawing.
const MIN_NODES: usize = 8;

/// Marks at the end of a row that point at another row.
const POINTERS: [&str; 3] = [" deduped", " (*)", " (duplicate)"];

/// One row: the width of its branches in characters, and its text.
fn parse(line: &str) -> Option<(usize, &str)> {
    let line = line.strip_prefix("[INFO] ").unwrap_or(line);
    let text =
        line.trim_start_matches(['│', '├', '└', '─', '┬', '|', '+', '`', '\\', '-', ' ', '\u{a0}']);
    let branches = lines::upto(line, line.len() - text.len());
    let drawn = branches.contains(['├', '└'])
        || branches.contains("+-")
        || branches.contains("\\-")
        || branches.contains("`-")
        || branches.contains("|--");
    (drawn && !text.is_empty()).then(|| (branches.chars().count(), text))
}

/// Redraws every tree of the text. Returns false, and marks nothing, where there is none.
pub(crate) fn redraw(doc: &mut Doc<'_>) -> Result<bool, OverBudget> {
    doc.spend(doc.len())?;
    let mut widths: Vec<usize> = Vec::new();
    let mut rows: Vec<(usize, usize, &str)> = Vec::new(); // line, width, text
    for (at, line) in doc.lines.iter().enumerate() {
        if let Some((width, text)) = parse(line) {
            rows.push((at, width, text));
            if let Err(at) = widths.binary_search(&width)
                && widths.len() < 256
            {
                widths.insert(at, width);
            }
        }
    }
    if rows.len() < MIN_NODES {
        return Ok(false);
    }
    let shown: FixedSet<&str> = rows
        .iter()
        .filter(|(.., text)| pointer(text).is_none())
        .map(|(.., text)| identity(text))
        .collect();
    for &(at, width, text) in &rows {
        if pointer(text).is_some_and(|name| shown.contains(identity(name))) {
            doc.drop_line(at, Kind::Deduped);
            continue;
        }
        let level = widths.binary_search(&width).unwrap_or(0) + 1;
        let mut row = String::with_capacity(level + text.len());
        row.extend(std::iter::repeat_n(' ', level));
        row.push_str(text);
        doc.replace(at, row);
    }
    Ok(true)
}

/// The text before a pointer, where the row is one.
fn pointer(text: &str) -> Option<&str> {
    POINTERS.iter().find_map(|mark| text.strip_suffix(mark))
}

/// What two rows of one node have in common: its first words up to a remark in brackets.
fn identity(text: &str) -> &str {
    let upto = |text, mark: &str| {
        memchr::memmem::find(str::as_bytes(text), mark.as_bytes())
            .map_or(text, |at| lines::upto(text, at))
    };
    upto(upto(text, " ("), " -> ").trim_end()
}

#[cfg(test)]
mod tests {
    use super::redraw;
    use crate::doc::Doc;

    #[test]
    fn branches_become_depth_and_pointers_go() {
        let text = "app@1\n├─┬ a@1\n│ ├── b@1\n│ └── c@1\n├── d@1\n├── e@1\n├─┬ f@1\n│ ├── b@1 deduped\n│ └── UNMET g@1\n└── h@1\n";
        let mut doc = Doc::new(text);
        assert!(redraw(&mut doc).unwrap());
        assert_eq!(
            doc.render(true),
            "app@1\n a@1\n  b@1\n  c@1\n d@1\n e@1\n f@1\n  UNMET g@1\n h@1\n"
        );
    }

    #[test]
    fn a_pointer_to_nowhere_stays() {
        let text = "x v1\n|-- a v1\n|-- b v1\n|-- c v1\n|-- d v1\n|-- e v1\n|-- f v1\n|-- g v1 (*)\n`-- h v1\n";
        let mut doc = Doc::new(text);
        assert!(redraw(&mut doc).unwrap());
        assert!(doc.render(true).contains(" g v1 (*)"));
    }
}
