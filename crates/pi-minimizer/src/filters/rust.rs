//! cargo and rustc: build progress, diagnostics, test runs.
//!
//! A passing test is a count; a failing one keeps its block whole. A diagnostic keeps its message,
//! place, labels and suggestions; the gutter, bare carets and advice that follows every lint go.
//! A diagnostic that cargo prints again for another target is said once.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::text::lines;
use crate::text::words::FixedSet;

pub(crate) static FAMILY: Family = Family {
    name: "rust",
    prints: |target| {
        matches!(
            target.program.as_str(),
            "cargo" | "rustc" | "cargo-nextest" | "trunk" | "wasm-pack" | "maturin"
        )
    },
    signature: &["   Compiling ", "\ntest result: ", "\n  --> ", "    Checking ", " --> src/"],
    alone: false,
    policy: Policy::STRICT,
    mark,
};

/// Verbs of cargo's status column for work that leaves no question open.
const PROGRESS: [&str; 12] = [
    "Compiling ",
    "Checking ",
    "Downloading ",
    "Downloaded ",
    "Fresh ",
    "Unpacking ",
    "Building [",
    "Building ",
    "Documenting ",
    "Updating crates.io index",
    "Preparing ",
    "Scraping ",
];

/// Advice that follows every diagnostic of its kind.
const HINTS: [&str; 7] = [
    "note: run with `RUST_BACKTRACE=",
    "note: Some details are omitted, run with `RUST_BACKTRACE=",
    "For more information about this error, try `rustc --explain",
    "For more information about an error, try `rustc --explain",
    "Some errors have detailed explanations: ",
    "= help: for further information visit ",
    "= note: requested on the command line with",
];

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 4)?;
    lines_alone(doc);
    suites(doc);
    diagnostics(doc);
    recaps(doc);
    Ok(())
}

/// Lines that are recognised by themselves.
fn lines_alone(doc: &mut Doc<'_>) {
    for at in 0..doc.len() {
        let line = doc.line(at);
        let body = lines::body(line);
        let depth = line.len() - body.len();
        if (3..=12).contains(&depth) && lines::starts_with_any(body, &PROGRESS) {
            doc.drop_line(at, Kind::Progress);
        } else if lines::starts_with_any(body, &HINTS) {
            doc.drop_line(at, Kind::Hint);
        } else if let Some(lint) = lint_name(body) {
            doc.replace(at, format!("  = {lint}"));
        } else if line.starts_with("test ")
            && (line.ends_with("... ok") || line.ends_with("panic ... ok"))
        {
            doc.drop_line(at, Kind::Passing);
        } else if body.starts_with("PASS [") && depth > 0 {
            doc.drop_line(at, Kind::Passing); // nextest
        }
    }
}

/// The lint of ``= note: `#[warn(unused_mut)]` (part of …) on by default``, which is all a reader needs.
fn lint_name(body: &str) -> Option<&str> {
    let rest = body.strip_prefix("= note: `")?;
    let (lint, _) = rest.split_once('`')?;
    (rest.ends_with("on by default") || rest.contains("` implied by `")).then_some(lint)
}

/// Suites that passed shrink to one line; suites without a test vanish.
fn suites(doc: &mut Doc<'_>) {
    let mut header = None;
    for at in 0..doc.len() {
        let line = doc.line(at);
        let body = lines::body(line);
        if line.starts_with("     Running ") || line.starts_with("   Doc-tests ") {
            header = Some(at);
        } else if line.starts_with("error") || line.starts_with("warning") {
            header = None;
        } else if let Some(counts) = body.strip_prefix("test result: ok. ") {
            let start = header.take();
            let between = start.map_or(at, |start| start + 1)..at;
            let silent = between.clone().all(|i| {
                let line = doc.line(i);
                line.is_empty() || doc.is_gone(i) || is_running(line)
            });
            if !silent {
                continue;
            }
            if counts.starts_with("0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out")
                && start.is_some()
            {
                doc.drop_lines(start.unwrap_or(at)..at + 1, Kind::Passing);
                continue;
            }
            doc.drop_lines(between, Kind::Header);
            if let Some(start) = start {
                let name = suite_name(doc.line(start));
                let counts = counts
                    .split("; ")
                    .filter(|count| !count.starts_with("0 ") || count.contains("failed"))
                    .filter(|count| !count.starts_with("finished in"))
                    .collect::<Vec<_>>()
                    .join("; ");
                doc.replace(start, format!("{name}: test result: ok. {counts}"));
                doc.drop_line(at, Kind::Passing);
                if doc.line(at + 1).is_empty() {
                    doc.drop_line(at + 1, Kind::Header);
                }
            }
        }
    }
    for at in 0..doc.len() {
        if is_running(doc.line(at)) {
            doc.drop_line(at, Kind::Header);
        }
    }
}

fn is_running(line: &str) -> bool {
    line.strip_prefix("running ")
        .is_some_and(|rest| rest.ends_with(" tests") || rest.ends_with(" test"))
}

/// `Running unittests src/lib.rs (target/debug/deps/ledger-0a1b)` is `Running unittests src/lib.rs (ledger)`.
fn suite_name(line: &str) -> String {
    let line = lines::body(line);
    let Some((front, path)) = line.split_once(" (") else { return line.to_owned() };
    let file = path.trim_end_matches(')').rsplit(['/', '\\']).next().unwrap_or(path);
    let name = file.rsplit_once('-').map_or(file, |(name, _)| name);
    format!("{front} ({name})")
}

/// Blocks from `error`/`warning` to a blank line.
fn diagnostics(doc: &mut Doc<'_>) {
    let mut seen: FixedSet<String> = FixedSet::default();
    let mut at = 0;
    while at < doc.len() {
        let line = doc.line(at);
        if !is_diagnostic(line) {
            at += 1;
            continue;
        }
        let end = (at + 1..doc.len()).find(|i| doc.line(*i).is_empty()).unwrap_or(doc.len());
        let block = (at..end).map(|i| doc.line(i)).collect::<Vec<_>>().join("\n");
        if block.contains('\n') && !seen.insert(block) {
            doc.drop_lines(at..end, Kind::Repeat);
        } else {
            frame(doc, at..end, line.starts_with("warning"));
        }
        at = end;
    }
}

fn is_diagnostic(line: &str) -> bool {
    lines::starts_with_any(line, &["error: ", "error[", "warning: ", "warning["])
}

/// Thins the source frame of one diagnostic.
fn frame(doc: &mut Doc<'_>, block: std::ops::Range<usize>, warning: bool) {
    let labelled = block.clone().any(|at| gutter(doc.line(at)).is_some_and(has_label));
    let mut suggestion = false;
    for at in block {
        let line = doc.line(at);
        suggestion |= line.starts_with("help: ") || lines::body(line).starts_with("= help: ");
        if let Some(rest) = gutter(line) {
            if !has_label(rest) {
                doc.drop_line(at, Kind::Excerpt);
            }
        } else if warning && !labelled && !suggestion && is_source(line) || line.trim() == "..." {
            // The place says it all where nothing is written below the line; a suggestion is to be read.
            doc.drop_line(at, Kind::Excerpt);
        }
    }
}

/// What follows the bar of a line without a number: `   |   ^^^ label`.
fn gutter(line: &str) -> Option<&str> {
    let body = lines::body(line);
    (body.starts_with('|') && line.len() > body.len() || body == "|").then(|| lines::from(body, 1))
}

/// True for a line of source with its number: `12 |     let x = 1;`.
fn is_source(line: &str) -> bool {
    lines::number(lines::body(line)).is_some_and(|(_, rest)| lines::body(rest).starts_with('|'))
}

fn has_label(rest: &str) -> bool {
    rest.contains(|c: char| c.is_alphanumeric())
}

/// The list of failed names below the blocks that already carry them.
fn recaps(doc: &mut Doc<'_>) {
    let blocks: FixedSet<&str> = (0..doc.len())
        .filter_map(|at| {
            doc.line(at).strip_prefix("---- ")?.split_once(" stdout ----").map(|(name, _)| name)
        })
        .collect();
    if blocks.is_empty() {
        return;
    }
    let mut inside = false;
    for at in 0..doc.len() {
        let line = doc.line(at);
        if line == "failures:" {
            let named =
                doc.line(at + 1).strip_prefix("    ").is_some_and(|name| blocks.contains(name));
            inside = named;
            if named {
                doc.drop_line(at, Kind::Repeat);
            }
        } else if inside {
            match line.strip_prefix("    ") {
                Some(name) if blocks.contains(name) => doc.drop_line(at, Kind::Repeat),
                _ => inside = false,
            }
        }
    }
}
