//! JavaScript test runners: jest, vitest, mocha, node:test, ava, playwright, TAP.
//!
//! All of them print a tree of marked names and then the failures. Passing leaves go, a heading goes
//! when all below it went, failing blocks stay with the one source line they point at and the frames
//! of the project.

use crate::check::Policy;
use crate::doc::{Doc, Mark, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::records::frame;
use crate::text::any_of::AnyOf;
use crate::text::lines;
use crate::text::words::{self, FixedMap, FixedSet};

pub(crate) static FAMILY: Family = Family {
    name: "js-test",
    prints: |target| {
        matches!(
            target.program.as_str(),
            "jest"
                | "vitest"
                | "mocha"
                | "ava"
                | "playwright"
                | "tap"
                | "uvu"
                | "jasmine"
                | "cypress"
        ) || (target.program == "node" && target.has_flag(&["--test"]))
            || (matches!(target.program.as_str(), "bun" | "deno") && target.subcommand() == "test")
    },
    signature: &[
        "\nTest Suites: ",
        " Test Files ",
        " passing (",
        "\nℹ pass ",
        "\n# pass ",
        "TAP version 1",
        "Tests:  ",
    ],
    alone: false,
    policy: Policy::STRICT,
    mark,
};

/// Marks of a passing leaf.
const PASS: [&str; 4] = ["✓ ", "✔ ", "√ ", "✅ "];

/// What stands behind the name of a test that was not really run.
const UNDONE: [&str; 4] = ["# TODO", "# SKIP", "# todo", "# skip"];

/// How a heading begins that stands in the first column; the others of these runners are indented.
const UNINDENTED: [&str; 6] = ["▶ ", "PASS ", "ok ", "✓ ", "✔ ", "# Subtest: "];

/// Lines with a check mark that are results of a build, not of a test.
static NO_TEST: AnyOf<7> = AnyOf::new([
    "built in",
    "modules transformed",
    "Compiled",
    "Generated",
    "Generating",
    "Linting",
    "Collecting",
]);

/// Numbers about the run itself.
const TIMINGS: [&str; 8] = [
    "Start at ",
    "Duration ",
    "Time: ",
    "Snapshots:   0 total",
    "Ran all test suites",
    "ℹ duration_ms ",
    "# duration_ms ",
    "Slow test file",
];

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 6)?;
    tap(doc);
    for at in 0..doc.len() {
        let line = doc.line(at);
        let body = lines::body(line);
        if is_pass(body) {
            doc.drop_line(at, Kind::Passing);
        } else if lines::starts_with_any(body, &TIMINGS) {
            doc.drop_line(at, Kind::Progress);
        } else if is_library_frame(body) {
            doc.drop_line(at, Kind::Frame);
        }
    }
    headings(doc);
    summary_blocks(doc);
    frame::thin_everywhere(doc);
    Ok(())
}

fn is_pass(body: &str) -> bool {
    let named = PASS.iter().any(|mark| body.starts_with(mark))
        && !NO_TEST.stands_in(body)
        && !is_undone(body);
    named || body.strip_prefix("ok ").and_then(lines::number).is_some() && body.contains('[')
}

/// True for a test that was not really run.
fn is_undone(body: &str) -> bool {
    // Few names have the sign, and a passing run is all names.
    body.contains('#') && lines::contains_any(body, &UNDONE)
}

/// A frame of the runner, of node itself or of an installed package.
pub(crate) fn is_library_frame(body: &str) -> bool {
    // A frame that opens a brace begins the error's own fields.
    if body.ends_with('{') {
        return false;
    }
    let Some(rest) = body.strip_prefix("at ").or_else(|| body.strip_prefix("❯ ")) else {
        return false;
    };
    lines::contains_any(
        rest,
        &["node:", "node_modules/", "(<anonymous>)", "internal/process", "(native)", "new Promise"],
    ) && rest.contains([':', '<', '('])
}

/// TAP: `ok 1 - name` with its block of numbers.
fn tap(doc: &mut Doc<'_>) {
    let mut results: Option<FixedMap<&str, usize>> = None;
    let mut steps = doc.len() * SUBTEST_STEPS;
    let mut inside = None; // indentation of the block of a passing test
    for at in 0..doc.len() {
        let line = doc.line(at);
        let body = lines::body(line);
        if let Some(depth) = inside {
            let result = body.starts_with("ok ") || body.starts_with("not ok ");
            if lines::indent(line) >= depth && !body.is_empty() && !result {
                doc.drop_line(at, Kind::Passing);
                if body == "..." {
                    inside = None;
                }
                continue;
            }
            inside = None;
        }
        let numbered = body.strip_prefix("ok ").and_then(lines::number);
        if let Some((_, rest)) = numbered
            && (rest.is_empty() || rest.starts_with(" - ") || rest.starts_with(' '))
            && !is_undone(rest)
        {
            doc.drop_line(at, Kind::Passing);
            let block = doc.line(at + 1);
            if block.trim() == "---" && lines::indent(block) > lines::indent(line) {
                inside = Some(lines::indent(doc.line(at + 1)));
            }
        } else if let Some(name) = body.strip_prefix("# Subtest: ") {
            // Said again by its own result line.
            let results = results.get_or_insert_with(|| tap_results(doc));
            let named = results.get(name).is_some_and(|result| *result > at) || {
                // Not by this name alone: a report that is cut, or a name with signs that TAP escapes.
                let ahead = at + 1..doc.len().min(at + 1 + steps);
                let found = ahead.clone().position(|i| doc.line(i).contains(name));
                steps = steps.saturating_sub(found.unwrap_or(ahead.len()) + 1);
                found.is_some()
            };
            if named {
                doc.drop_line(at, Kind::Header);
            }
        } else if is_plan(body)
            || lines::starts_with_any(body, &["duration_ms: ", "type: 'test'", "type: 'suite'"])
                && lines::indent(line) > 0
        {
            doc.drop_line(at, Kind::Header);
        }
    }
}

/// Lines a report may be searched for results of subtests, by its lines: a report that names a thousand and has no
/// result is not read a thousand times.
const SUBTEST_STEPS: usize = 64;

/// The last line of each name in `ok 1 - name` and `not ok 1 - name`.
fn tap_results<'a>(doc: &Doc<'a>) -> FixedMap<&'a str, usize> {
    let named = |at: usize| {
        let body = lines::body(doc.line(at));
        let (_, name) =
            lines::number(body.strip_prefix("not ").unwrap_or(body).strip_prefix("ok ")?)?;
        Some((name.strip_prefix(" - ")?, at))
    };
    (0..doc.len()).filter_map(named).collect()
}

/// `1..24`
fn is_plan(body: &str) -> bool {
    body.strip_prefix("1..")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// Drops a heading when everything indented below it is gone and something passed there.
pub(crate) fn headings(doc: &mut Doc<'_>) {
    struct Open {
        at: usize,
        indent: usize,
        /// Something passed below it.
        passed: bool,
        all_gone: bool,
    }
    let mut open: Vec<Open> = Vec::new();
    let close = |doc: &mut Doc<'_>, open: &mut Vec<Open>, indent: usize| {
        while let Some(last) = open.pop_if(|last| last.indent >= indent) {
            if last.passed && last.all_gone && !is_failure(doc.line(last.at)) {
                doc.drop_line(last.at, Kind::Passing);
            }
            if let Some(parent) = open.last_mut() {
                parent.passed |= *doc.mark(last.at) == Mark::Drop(Kind::Passing);
                parent.all_gone &= last.all_gone && doc.is_gone(last.at);
            }
        }
    };
    for at in 0..doc.len() {
        let line = doc.line(at);
        if line.is_empty() {
            close(doc, &mut open, 0);
            continue;
        }
        let indent = lines::indent(line);
        close(doc, &mut open, indent);
        // What a test printed stands in the first column, between the names and as deep as nothing.
        let printed = indent == 0 && !lines::starts_with_any(line, &UNINDENTED);
        // Indentation can be as deep as there are lines; no real report nests like that.
        if open.len() < 64 && !printed {
            open.push(Open { at, indent, passed: false, all_gone: true });
        }
    }
    close(doc, &mut open, 0);
}

/// A result that failed is no heading, whatever a cut text shows below it.
fn is_failure(line: &str) -> bool {
    lines::starts_with_any(lines::body(line), &["not ok ", "✕ ", "× ", "✖ ", "✗ ", "FAIL "])
}

/// jest with many suites and node:test print every failure a second time, indented differently.
fn summary_blocks(doc: &mut Doc<'_>) {
    let heading =
        |line: &str| line.starts_with("Summary of all failing tests") || line == "✖ failing tests:";
    let Some(start) = (0..doc.len()).find(|at| heading(doc.line(*at))) else { return };
    let seen: FixedSet<u64> = (0..start).map(|at| words::hash(lines::body(doc.line(at)))).collect();
    for at in start + 1..doc.len() {
        let body = lines::body(doc.line(at));
        // Short lines are brackets and say where a block ends; a name says what the place above it is.
        if body.len() > 8 && !body.starts_with(['✖', '●']) && seen.contains(&words::hash(body))
        {
            doc.drop_line(at, Kind::Repeat);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FAMILY;
    use crate::doc::Doc;
    use crate::family::Run;

    fn left(text: &str) -> String {
        let mut doc = Doc::new(text);
        (FAMILY.mark)(&mut doc, &Run { target: None, failed: false }).unwrap();
        doc.render(true)
    }

    #[test]
    fn what_a_test_prints_between_the_names_is_no_heading() {
        let text = "  cart\n    ✔ adds\nloading rates of 2026\n    ✔ takes\n\n  2 passing (4ms)\n";
        assert_eq!(left(text), "loading rates of 2026\n\n  2 passing (4ms)\n");
    }

    #[test]
    fn a_test_that_is_still_to_do_stays() {
        let text = "▶ api\n  ✔ get (1ms)\n  ✔ put (1ms) # TODO\nℹ pass 2\n";
        assert_eq!(left(text), "▶ api\n  ✔ put (1ms) # TODO\nℹ pass 2\n");
    }
}
