//! Stack traces of Python, Java, Node, Rust, Go and C#: frames of the project stay, frames of libraries go.
//!
//! Exceptions, causes and notes are no frames and stay. The frame on top stays whoever owns it, since
//! it says where it broke; a frame that repeats is folded by the lossless core already.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::filters::js;
use crate::marker::{self, Kind};
use crate::text::lines;
use crate::text::words::{self, FixedSet};

pub(crate) static FAMILY: Family = Family {
    name: "trace",
    prints: |_| false,
    signature: &[
        "Traceback (most recent call last)",
        "\n\tat ",
        "\n    at ",
        "stack backtrace:",
        "\ngoroutine ",
        "  File \"",
        "\n   at ",
        "\n        at ",
    ],
    alone: false,
    policy: Policy::STRICT,
    mark,
};

/// Packages of the Java platform and of the tools that call a test.
const JAVA_LIBRARY: [&str; 20] = [
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "org.junit.",
    "junit.",
    "org.apache.maven.",
    "org.gradle.",
    "org.codehaus.",
    "org.springframework.",
    "org.hibernate.",
    "org.apache.catalina.",
    "org.apache.tomcat.",
    "org.apache.coyote.",
    "io.netty.",
    "reactor.",
    "kotlin.",
    "scala.",
    "org.testng.",
];

/// First words of the import paths of Go's own packages that call a program or wait for it.
const GO_PACKAGES: [&str; 20] = [
    "runtime", "testing", "panic", "net", "internal", "sync", "os", "io", "syscall", "time",
    "reflect", "bufio", "context", "database", "encoding", "bytes", "fmt", "log", "crypto", "sort",
];

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 3)?;
    python(doc);
    goroutines(doc);
    rust(doc);
    let mut top = true;
    for at in 0..doc.len() {
        let body = lines::body(doc.line(at));
        if !body.starts_with("at ") {
            top = true;
            continue;
        }
        let library = js::is_library_frame(body) || is_java_library(lines::from(body, 3));
        if library && !top {
            doc.drop_line(at, Kind::Frame);
        }
        top = false;
    }
    Ok(())
}

fn is_java_library(frame: &str) -> bool {
    // `java.base/java.util.ArrayList.get(ArrayList.java:427)`: the module stands before the slash.
    let name = frame.split('(').next().unwrap_or(frame);
    let name = name.rsplit('/').next().unwrap_or(name);
    frame.contains('(') && lines::starts_with_any(name, &JAVA_LIBRARY)
}

/// `  File "…", line 3, in f`, the quoted line below it, and a line of carets.
fn python(doc: &mut Doc<'_>) {
    let mut at = 0;
    while at < doc.len() {
        let line = doc.line(at);
        let depth = lines::indent(line);
        let frame = lines::body(line).starts_with("File \"") && line.contains(", line ");
        if !frame {
            at += 1;
            continue;
        }
        let end = (at + 1..doc.len().min(at + 8))
            .find(|i| lines::indent(doc.line(*i)) <= depth || doc.line(*i).is_empty())
            .unwrap_or(doc.len().min(at + 8));
        for i in at + 1..end {
            let body = lines::body(doc.line(i));
            if !body.is_empty() && body.bytes().all(|b| matches!(b, b'^' | b'~' | b' ')) {
                doc.drop_line(i, Kind::Excerpt);
            }
        }
        // The last frame before the exception stays, whoever owns it.
        let next = lines::body(doc.line(end));
        let repeated = marker::is_marker(next);
        let last = !(next.starts_with("File \"") || next.starts_with("[Previous line") || repeated);
        if !last
            && lines::contains_any(
                line,
                &["site-packages", "dist-packages", "/lib/python3", "<frozen "],
            )
        {
            // Without its frames the count of their repeats means nothing.
            doc.drop_lines(at..end + usize::from(repeated), Kind::Frame);
        }
        at = end;
    }
}

/// Frames of Go's own packages, and goroutines that have no other.
///
/// Of goroutines that wait at the same places of the project the first stays: a pool of a thousand
/// workers hangs a thousand times at one line. The goroutine that panicked stands first and stays.
fn goroutines(doc: &mut Doc<'_>) {
    let mut seen: FixedSet<u64> = FixedSet::default();
    let mut first = true;
    let mut at = 0;
    while at < doc.len() {
        if !is_goroutine(doc.line(at)) {
            // Another text between them: another program died.
            first |= !doc.line(at).is_empty();
            at += 1;
            continue;
        }
        let end = (at + 1..doc.len()).find(|i| !is_goroutine_frame(doc, *i)).unwrap_or(doc.len());
        let mut places = String::new();
        for i in at + 1..end {
            let place = doc.line(i);
            if place.starts_with('\t') && !is_go_library(doc.line(i - 1), place) {
                places.push_str(place.split(" +0x").next().unwrap_or(place));
            }
        }
        if !first && (places.is_empty() || !seen.insert(words::hash(&places))) {
            doc.drop_lines(at..end, Kind::Frame);
        } else {
            seen.insert(words::hash(&places));
            for i in at + 2..end {
                if doc.line(i).starts_with('\t') && is_go_library(doc.line(i - 1), doc.line(i)) {
                    doc.drop_lines(i - 1..i + 1, Kind::Frame);
                }
            }
        }
        first = false;
        at = end;
    }
}

/// `goroutine 7 [chan receive]:`
fn is_goroutine(line: &str) -> bool {
    line.starts_with("goroutine ") && line.ends_with("]:")
}

/// A call, its place, or who created the goroutine.
fn is_goroutine_frame(doc: &Doc<'_>, at: usize) -> bool {
    let line = doc.line(at);
    let call =
        line.ends_with(')') && line.split_once('(').is_some_and(|(name, _)| !name.contains(' '));
    line.starts_with('\t')
        || line.starts_with("created by ")
        || line.starts_with("...additional frames elided")
        || call && doc.line(at + 1).starts_with('\t')
}

/// A function of Go's own packages, at a place inside Go; or the `main` that `go test` writes.
fn is_go_library(function: &str, place: &str) -> bool {
    let name = function.strip_prefix("created by ").unwrap_or(function);
    let package = name.split(['.', '/', '(']).next().unwrap_or(name);
    place.trim_start().starts_with("_testmain.go:")
        || place.contains("/src/") && GO_PACKAGES.contains(&package)
}

/// `   3: core::panicking::panic_fmt` with its `at /rustc/…` line.
fn rust(doc: &mut Doc<'_>) {
    for at in 0..doc.len() {
        let body = lines::body(doc.line(at));
        let Some((_, name)) =
            lines::number(body).and_then(|(n, rest)| Some((n, rest.strip_prefix(": ")?)))
        else {
            continue;
        };
        // `RUST_BACKTRACE=full` prints addresses in front of the names.
        let name = match lines::body(name).split_once(" - ") {
            Some((address, name)) if address.starts_with("0x") => name,
            _ => name,
        };
        let next = lines::body(doc.line(at + 1));
        let library = next.starts_with("at ./csu/")
            || next.starts_with("at /rustc/")
            || next.contains("/.cargo/registry/")
            || next.contains("/rustlib/src/");
        if next.starts_with("at ") && library {
            doc.drop_line(at, Kind::Frame);
            doc.drop_line(at + 1, Kind::Frame);
        } else if !next.starts_with("at ")
            && lines::starts_with_any(
                name,
                &[
                    "std::",
                    "std[",
                    "core[",
                    "alloc[",
                    "__libc_",
                    "<unknown>",
                    "core::",
                    "__rust_",
                    "rust_begin_unwind",
                    "test::",
                    "<core::",
                    "<alloc::",
                    "_start",
                    "__libc_start",
                    "main",
                ],
            )
            && lines::indent(doc.line(at)) > 0
        {
            doc.drop_line(at, Kind::Frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FAMILY;
    use crate::doc::Doc;
    use crate::family::Run;

    #[test]
    fn a_goroutine_that_waits_in_the_project_stays_once() {
        let waiting = |id: usize| {
            format!(
                "goroutine {id} [select (no cases)]:\nshop/race.TestTimeout(0x{id})\n\t/src/race/r_test.go:4 +0xf\ncreated by testing.(*T).Run in goroutine 1\n\t/usr/local/go/src/testing/testing.go:2101 +0x4c5\n\n"
            )
        };
        let text = format!(
            "panic: test timed out\n\ngoroutine 17 [running]:\ntesting.(*M).startAlarm.func1()\n\t/usr/local/go/src/testing/testing.go:2802 +0x354\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t_testmain.go:48 +0x9b\n\n{}{}FAIL\n",
            waiting(6),
            waiting(7)
        );
        let mut doc = Doc::new(&text);
        (FAMILY.mark)(&mut doc, &Run { target: None, failed: true }).unwrap();
        assert_eq!(
            doc.render(true),
            "panic: test timed out\n\ngoroutine 17 [running]:\n\ngoroutine 6 [select (no cases)]:\nshop/race.TestTimeout(0x6)\n\t/src/race/r_test.go:4 +0xf\n\nFAIL\n"
        );
    }
}
