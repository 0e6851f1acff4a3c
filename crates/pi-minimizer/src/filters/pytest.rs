//! pytest and unittest: passing names, dots and machine descriptions go; failure blocks stay.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::marker::Kind;
use crate::registry::{Family, Run};
use crate::text::lines;
use crate::text::words::FixedSet;

pub(crate) static FAMILY: Family = Family {
    name: "pytest",
    prints: |target| matches!(target.program.as_str(), "pytest" | "py.test" | "unittest" | "tox" | "nox"),
    signature: &["= test session starts =", "\nRan ", " passed in ", " failed in ", " passed, "],
    alone: false,
    policy: Policy::STRICT,
    mark,
};

const HEADERS: [&str; 10] = [
    "platform ", "cachedir: ", "rootdir: ", "configfile: ", "plugins: ", "hypothesis profile ", "asyncio: ", "testpaths: ", "django: ", "Using --randomly-seed=",
];

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 2)?;
    let session = doc.lines.iter().any(|line| line.contains("= test session starts =") || line.contains(" in ") && line.ends_with("s =") || line.contains(" passed in "))
        || doc.lines.iter().any(|line| line.starts_with("Ran ") && line.contains(" test"));
    if !session {
        return Ok(());
    }
    let summary: FixedSet<&str> = doc
        .lines
        .iter()
        .filter_map(|line| line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")))
        .map(|rest| rest.split_once(" - ").map_or(rest, |(id, _)| id))
        .collect();
    let coverage = doc.lines.iter().any(|line| line.starts_with("Name ") && line.contains("Stmts") && line.contains("Cover"));
    for at in 0..doc.len() {
        let line = doc.line(at);
        if lines::starts_with_any(line, &HEADERS) {
            doc.drop_line(at, Kind::Header);
        } else if is_passed(line) || coverage && line.ends_with(" 100%") && !line.starts_with("TOTAL") {
            doc.drop_line(at, Kind::Passing);
        } else if let Some(id) = result_id(line) {
            if summary.contains(id) {
                doc.drop_line(at, Kind::Repeat);
            }
        } else if is_carets(line) {
            doc.drop_line(at, Kind::Excerpt);
        } else if line.starts_with("-- Docs: https://docs.pytest.org") {
            doc.drop_line(at, Kind::Hint);
        }
    }
    Ok(())
}

/// The line without the progress column: `tests/a.py::b PASSED`.
fn without_progress(line: &str) -> &str {
    match line.strip_suffix("%]").and_then(|front| front.rsplit_once('[')) {
        Some((front, digits)) if digits.trim().bytes().all(|b| b.is_ascii_digit()) => front.trim_end(),
        _ => line,
    }
}

fn is_passed(line: &str) -> bool {
    let body = without_progress(line);
    if body.len() < line.len() && (body.ends_with(" PASSED") || is_dots(body)) {
        return true;
    }
    if body.contains(".py::") && (body.ends_with(" PASSED") || body.ends_with(".py::")) {
        return true;
    }
    // xdist: `[gw1] [ 50%] PASSED tests/a.py::b`, and the name alone when it is scheduled.
    if line.starts_with("[gw") && line.contains("] PASSED ") {
        return true;
    }
    // unittest -v: `test_a (mod.Case.test_a) ... ok`, and its dots.
    (line.ends_with(" ... ok") && line.contains('(')) || (line.len() > 1 && line.bytes().all(|b| b == b'.'))
}

/// `tests/a.py .....` or a continuation `.....`, nothing but passes.
fn is_dots(body: &str) -> bool {
    let dots = body.rsplit(' ').next().unwrap_or(body);
    let path = lines::upto(body, body.len() - dots.len()).trim_end();
    !dots.is_empty() && dots.bytes().all(|b| b == b'.') && (path.is_empty() || path.ends_with(".py") || path.ends_with(".rst") || path.ends_with(".md"))
}

/// The id of a verbose line that failed: `tests/a.py::b FAILED  [ 97%]`.
fn result_id(line: &str) -> Option<&str> {
    let body = without_progress(line);
    if line.starts_with("[gw") {
        let (_, id) = line.split_once("] FAILED ").or_else(|| line.split_once("] ERROR "))?;
        return Some(id);
    }
    (body.len() < line.len())
        .then(|| body.strip_suffix(" FAILED").or_else(|| body.strip_suffix(" ERROR")))?
        .map(str::trim_end)
}

/// `        ^^^^^^^` below a quoted line.
fn is_carets(line: &str) -> bool {
    let body = line.strip_prefix('E').unwrap_or(line).trim_start();
    body.len() > 1 && body.len() < line.len() && body.bytes().all(|b| matches!(b, b'^' | b'~' | b' '))
}

#[cfg(test)]
mod tests {
    use super::{is_passed, result_id};

    #[test]
    fn passing_lines_are_known_in_every_mode() {
        for line in [
            "tests/a.py::b[x y] PASSED                   [  0%]",
            "tests/a.py ......          [ 50%]",
            "..............  [100%]",
            "[gw1] [ 50%] PASSED tests/a.py::b",
            "test_a (mod.Case.test_a) ... ok",
            "........",
        ] {
            assert!(is_passed(line), "{line}");
        }
        for line in ["tests/a.py ..F..  [ 50%]", "tests/a.py::b FAILED  [ 1%]", "x ..s  [ 9%]", ".", "a PASSED thing"] {
            assert!(!is_passed(line), "{line}");
        }
    }

    #[test]
    fn the_id_of_a_failing_line_is_read() {
        assert_eq!(result_id("tests/a.py::b FAILED   [ 97%]"), Some("tests/a.py::b"));
        assert_eq!(result_id("FAILED tests/a.py::b - x"), None);
    }
}
