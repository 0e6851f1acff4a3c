//! pytest and unittest: passing names, dots and machine descriptions go; failure blocks stay.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::text::lines;

pub(crate) static FAMILY: Family = Family {
    name: "pytest",
    prints: |target| {
        matches!(target.program.as_str(), "pytest" | "py.test" | "unittest" | "tox" | "nox")
    },
    signature: &[
        "= test session starts =",
        "\nRan ",
        " passed in ",
        " failed in ",
        " passed, ",
        " error in ",
    ],
    alone: false,
    policy: Policy::STRICT,
    mark,
};

const HEADERS: [&str; 10] = [
    "platform ",
    "cachedir: ",
    "rootdir: ",
    "configfile: ",
    "plugins: ",
    "hypothesis profile ",
    "asyncio: ",
    "testpaths: ",
    "django: ",
    "Using --randomly-seed=",
];

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 2)?;
    let session =
        doc.lines.iter().any(|line| {
            line.contains("= test session starts =")
                || line.ends_with("s =") && line.contains(" in ")
                || is_quiet_sum(line)
        }) || doc.lines.iter().any(|line| line.starts_with("Ran ") && line.contains(" test"));
    if !session {
        return Ok(());
    }
    let coverage = doc
        .lines
        .iter()
        .any(|line| line.starts_with("Name ") && line.contains("Stmts") && line.contains("Cover"));
    let workers =
        doc.lines.iter().any(|line| line.contains(" workers [") || line.ends_with(" workers"));
    for at in 0..doc.len() {
        let line = doc.line(at);
        if workers && is_scheduled(line) {
            doc.drop_line(at, Kind::Progress);
        } else if lines::starts_with_any(line, &HEADERS) {
            doc.drop_line(at, Kind::Header);
        } else if is_passed(line)
            || coverage && line.ends_with(" 100%") && !line.starts_with("TOTAL")
        {
            doc.drop_line(at, Kind::Passing);
        } else if let Some(result) = result(line) {
            doc.replace(at, result);
        } else if is_carets(line) {
            doc.drop_line(at, Kind::Excerpt);
        } else if line.starts_with("-- Docs: https://docs.pytest.org") {
            doc.drop_line(at, Kind::Hint);
        }
    }
    Ok(())
}

/// The last line of `pytest -q`: `7 failed, 145 passed, 1 skipped in 0.84s`.
fn is_quiet_sum(line: &str) -> bool {
    // Asked of every line of a report; the first count of a sum is all digits.
    if !line.starts_with(|c: char| c.is_ascii_digit() || c == ' ') {
        return false;
    }
    let Some((counts, time)) = line.rsplit_once(" in ") else { return false };
    time.starts_with(|c: char| c.is_ascii_digit())
        && counts.split(", ").all(|count| {
            count.split_once(' ').is_some_and(|(number, what)| {
                number.bytes().all(|b| b.is_ascii_digit())
                    && [
                        "passed",
                        "failed",
                        "skipped",
                        "deselected",
                        "xfailed",
                        "xpassed",
                        "error",
                        "errors",
                        "warning",
                        "warnings",
                        "rerun",
                    ]
                    .contains(&what)
            })
        })
}

/// The line without the progress column: `tests/a.py::b PASSED`.
fn without_progress(line: &str) -> &str {
    match line.strip_suffix("%]").and_then(|front| front.rsplit_once('[')) {
        Some((front, digits)) if digits.trim().bytes().all(|b| b.is_ascii_digit()) => {
            front.trim_end()
        }
        _ => line,
    }
}

fn is_passed(line: &str) -> bool {
    let body = without_progress(line);
    if body.len() < line.len() && (body.ends_with(" PASSED") || is_dots(body)) {
        return true;
    }
    if (body.ends_with(" PASSED") || body.ends_with(".py::")) && body.contains(".py::") {
        return true;
    }
    // xdist: `[gw1] [ 50%] PASSED tests/a.py::b`, and the name alone when it is scheduled.
    if line.starts_with("[gw") && line.contains("] PASSED ") {
        return true;
    }
    // unittest -v: `test_a (mod.Case.test_a) ... ok`, and its dots.
    (line.ends_with(" ... ok") && line.contains('('))
        || (line.len() > 1 && line.bytes().all(|b| b == b'.'))
}

/// xdist names a test when it hands it out: a node id alone on its line.
fn is_scheduled(line: &str) -> bool {
    let (Some((file, _)), false) = (line.split_once("::"), line.starts_with(' ')) else {
        return false;
    };
    let python = file.strip_suffix(".py").is_some();
    python
        && !file.contains(' ')
        && !lines::contains_any(
            line,
            &[" PASSED", " FAILED", " ERROR", " SKIPPED", " XFAIL", " XPASS", ": "],
        )
}

/// `tests/a.py .....` or a continuation `.....`, nothing but passes.
fn is_dots(body: &str) -> bool {
    let dots = body.rsplit(' ').next().unwrap_or(body);
    let path = lines::upto(body, body.len() - dots.len()).trim_end();
    let of_file = [".py", ".rst", ".md", ".txt"].iter().any(|ending| path.ends_with(ending));
    !dots.is_empty() && dots.bytes().all(|b| b == b'.') && (path.is_empty() || of_file)
}

/// A verbose line that did not pass, without its progress column: `tests/a.py::b FAILED`.
fn result(line: &str) -> Option<&str> {
    let body = without_progress(line);
    (body.len() < line.len() && body.contains("::")).then_some(body)
}

/// `        ^^^^^^^` below a quoted line.
fn is_carets(line: &str) -> bool {
    let body = line.strip_prefix('E').unwrap_or(line).trim_start();
    body.len() > 1
        && body.len() < line.len()
        && body.bytes().all(|b| matches!(b, b'^' | b'~' | b' '))
}

#[cfg(test)]
mod tests {
    use super::{is_passed, is_quiet_sum, result};

    #[test]
    fn a_quiet_session_is_known_by_its_sum() {
        assert!(is_quiet_sum(
            "7 failed, 145 passed, 1 skipped, 1 xfailed, 1 warning, 1 error in 3.84s"
        ));
        assert!(is_quiet_sum("80 passed in 61.20s (0:01:01)"));
        assert!(!is_quiet_sum("3 files changed in 2 folders"));
    }

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
        for line in [
            "tests/a.py ..F..  [ 50%]",
            "tests/a.py::b FAILED  [ 1%]",
            "x ..s  [ 9%]",
            ".",
            "a PASSED thing",
        ] {
            assert!(!is_passed(line), "{line}");
        }
    }

    #[test]
    fn a_failing_line_loses_its_progress_column() {
        assert_eq!(result("tests/a.py::b FAILED   [ 97%]"), Some("tests/a.py::b FAILED"));
        assert_eq!(result("FAILED tests/a.py::b - x"), None);
    }
}
