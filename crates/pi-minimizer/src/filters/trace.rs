//! Stack traces of Python, Java, Node, Rust, Go and C#: frames of the project stay, frames of libraries go.
//!
//! Exceptions, causes and notes are no frames and stay. The frame on top stays whoever owns it, since
//! it says where it broke; a frame that repeats is folded by the lossless core already.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::filters::js;
use crate::marker::{self, Kind};
use crate::registry::{Family, Run};
use crate::text::lines;

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

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 3)?;
    python(doc);
    goroutines(doc);
    rust(doc);
    let mut top = true;
    for at in 0..doc.len() {
        let body = doc.line(at).trim_start();
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
        let frame = line.trim_start().starts_with("File \"") && line.contains(", line ");
        if !frame {
            at += 1;
            continue;
        }
        let end = (at + 1..doc.len().min(at + 8))
            .find(|i| lines::indent(doc.line(*i)) <= depth || doc.line(*i).is_empty())
            .unwrap_or(doc.len().min(at + 8));
        for i in at + 1..end {
            let body = doc.line(i).trim_start();
            if !body.is_empty() && body.bytes().all(|b| matches!(b, b'^' | b'~' | b' ')) {
                doc.drop_line(i, Kind::Excerpt);
            }
        }
        // The last frame before the exception stays, whoever owns it.
        let next = doc.line(end).trim_start();
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

/// All goroutines but the one that panicked.
fn goroutines(doc: &mut Doc<'_>) {
    let mut seen = 0;
    let mut dropping = false;
    for at in 0..doc.len() {
        let line = doc.line(at);
        if line.starts_with("goroutine ") && line.ends_with("]:") {
            seen += 1;
            dropping = seen > 1;
        } else if line.is_empty() {
            dropping = false;
        } else if !dropping
            && seen > 0
            && line.starts_with('\t')
            && line.contains("/src/")
            && lines::starts_with_any(
                doc.line(at - 1),
                &["runtime.", "testing.", "panic(", "created by testing.", "net/http."],
            )
        {
            doc.drop_line(at - 1, Kind::Frame);
            doc.drop_line(at, Kind::Frame);
        }
        let frame = line.starts_with('\t')
            || line.starts_with("created by ")
            || line.starts_with("goroutine ")
            || line.ends_with(')')
                && line.split_once('(').is_some_and(|(name, _)| !name.contains(' '));
        if dropping && frame {
            doc.drop_line(at, Kind::Frame);
        }
    }
}

/// `   3: core::panicking::panic_fmt` with its `at /rustc/…` line.
fn rust(doc: &mut Doc<'_>) {
    for at in 0..doc.len() {
        let body = doc.line(at).trim_start();
        let Some((_, name)) =
            lines::number(body).and_then(|(n, rest)| Some((n, rest.strip_prefix(": ")?)))
        else {
            continue;
        };
        // `RUST_BACKTRACE=full` prints addresses in front of the names.
        let name = match name.trim_start().split_once(" - ") {
            Some((address, name)) if address.starts_with("0x") => name,
            _ => name,
        };
        let next = doc.line(at + 1).trim_start();
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
