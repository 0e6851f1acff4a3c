//! C and C++ builds: gcc, clang, make, cmake, ninja, ctest and `GoogleTest`.
//!
//! Echoed compiler lines and percentages are progress. A message stays with its place; equal messages
//! share one line; the candidates a C++ compiler lists below an error are counted.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::records::diagnostic::{self, Quotes};
use crate::text::any_of::AnyOf;
use crate::text::lines;

pub(crate) static FAMILY: Family = Family {
    name: "cc",
    prints: |target| {
        matches!(
            target.program.as_str(),
            "gcc"
                | "g++"
                | "cc"
                | "c++"
                | "clang"
                | "clang++"
                | "make"
                | "gmake"
                | "cmake"
                | "ninja"
                | "ctest"
                | "meson"
                | "ld"
                | "bear"
                | "scan-build"
                | "bazel"
                | "scons"
        )
    },
    signature: &[
        ": warning: ",
        ": error: ",
        "\nmake: ",
        "\nmake[",
        "] Building C",
        "[ RUN      ]",
        "\n-- Detecting C",
        "undefined reference to",
    ],
    alone: false,
    policy: Policy::STRICT,
    mark,
};

/// Compilers and archivers that make echoes with all their flags.
const COMPILERS: [&str; 16] = [
    "gcc", "g++", "cc", "c++", "clang", "clang++", "ar", "ranlib", "ld", "libtool", "ccache",
    "nvcc", "as", "strip", "/bin/sh", "install",
];

/// What stands in every echo of a compiler or an archiver.
static COMPILES: AnyOf<8> =
    AnyOf::new([" -c ", " -o ", " rcs ", " cr ", " crs ", " -shared", " rc ", " --mode="]);

/// What stands in every line about a template or a list of candidates.
static TEMPLATES: AnyOf<5> = AnyOf::new([
    ": note: ",
    "required from",
    "In instantiation of",
    "required by substitution",
    "In file included from /usr/",
]);

/// Steps a configuration reports while it finds what it looks for.
const CONFIGURE: [&str; 9] = [
    "-- Check for working ",
    "-- Detecting ",
    "-- Performing Test ",
    "-- Looking for ",
    "-- Check size of ",
    "-- Check if the system ",
    "-- Checking whether ",
    "checking for ",
    "checking whether ",
];

fn mark(doc: &mut Doc<'_>, run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 4)?;
    for at in 0..doc.len() {
        let line = doc.line(at);
        // After a failure a directory says where the files of a message are.
        let directory = line.starts_with("make[") && line.contains("ing directory ") && !run.failed;
        if is_echo(line) || is_step(line) || is_found(line) || is_bookkeeping(line) || directory {
            doc.drop_line(at, Kind::Progress);
        } else if is_passed(line) {
            doc.drop_line(at, Kind::Passing);
        } else if is_context(line) {
            doc.drop_line(at, Kind::Excerpt);
        }
    }
    templates(doc);
    diagnostic::fold(doc, if run.failed { Quotes::Keep } else { Quotes::Drop })
}

/// What the makefiles of cmake say to each other, and where and how long `ctest -V` lets a test run.
fn is_bookkeeping(line: &str) -> bool {
    if let Some(rest) =
        line.strip_prefix("Dependencies file \"").or_else(|| line.strip_prefix("Dependee \""))
    {
        return lines::contains_any(rest, &["\" is newer than depend"]);
    }
    let own = |rest: &str| lines::starts_with_any(rest, &["-E cmake_", "-P CMakeFiles/", "-S"]);
    if line.contains("cmake ")
        && let Some((front, rest)) = line.split_once("cmake ")
        && (front.is_empty() || front.ends_with('/'))
        && own(lines::body(rest))
    {
        return !rest.contains("rror");
    }
    if let Some((_, rest)) = lines::number(line)
        && let Some(rest) = rest.strip_prefix(": ")
    {
        return lines::starts_with_any(
            rest,
            &["Working Directory: ", "Test timeout computed to be: "],
        );
    }
    line.starts_with("make  -f CMakeFiles/")
        || line.starts_with("UpdateCTestConfiguration  from :")
        || line
            .strip_prefix("test ")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// `gcc -O2 … -c a.c -o a.o`
fn is_echo(line: &str) -> bool {
    if !COMPILES.stands_in(line) {
        return false;
    }
    let first = line.split_whitespace().next().unwrap_or("");
    let first = if first == "libtool:" { "libtool" } else { first };
    let base = if first.starts_with("/bin/sh") {
        first
    } else {
        first.rsplit('/').next().unwrap_or(first)
    };
    let base = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    let known = COMPILERS.contains(&base)
        || base.ends_with("-gcc")
        || base.ends_with("-g++")
        || base.ends_with("-ar");
    known && !first.ends_with(':')
}

/// `[ 12%] Building C object x.o`, `[3/10] Linking`, `  CC      a.o`.
fn is_step(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix('[')
        && let Some((counter, rest)) = rest.split_once("] ")
        && counter.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'%' | b'/' | b' '))
        && counter.bytes().any(|b| b.is_ascii_digit())
    {
        return !rest.contains("Failed") && !rest.contains("rror:");
    }
    let body = lines::body(line);
    body.len() < line.len()
        && lines::starts_with_any(
            body,
            &[
                "CC ", "CXX ", "LD ", "AR ", "CCLD ", "CXXLD ", "AS ", "GEN ", "HOSTCC ", "MKDIR ",
                "LINK ",
            ],
        )
        || body.len() < line.len() && body.strip_prefix("Start ").is_some_and(is_numbered)
        || lines::starts_with_any(
            line,
            &["Scanning dependencies of target", "Consolidate compiler generated dependencies"],
        )
}

/// ` 3: name` of ctest's `Start  3: name`.
fn is_numbered(rest: &str) -> bool {
    lines::number(lines::body(rest)).is_some_and(|(_, rest)| rest.starts_with(": "))
}

fn is_found(line: &str) -> bool {
    lines::starts_with_any(line, &CONFIGURE)
        && !lines::contains_any(
            line,
            &["not found", "NOTFOUND", "Failed", "... no", "failed", "missing"],
        )
}

/// Rows of ctest and `GoogleTest`.
fn is_passed(line: &str) -> bool {
    if lines::starts_with_any(line, &["[ RUN      ]", "[       OK ]", "[----------]"]) {
        return true;
    }
    let body = lines::body(line);
    body.contains("   Passed ") && body.contains("Test ") && body.contains(" #")
}

/// `a.c: In function ‘f’:`; the place of the message below it says the same.
fn is_context(line: &str) -> bool {
    line.ends_with(':')
        && (line.contains(": In ")
            && lines::contains_any(line, &["function", "constructor", "destructor", "lambda"])
            || line.ends_with(": At top level:")
            || line.ends_with(": At global scope:"))
}

/// Notes on candidates and instantiations inside system headers.
fn templates(doc: &mut Doc<'_>) {
    let mut at = 0;
    while at < doc.len() {
        let line = doc.line(at);
        if !TEMPLATES.stands_in(line) {
            at += 1;
            continue;
        }
        let system =
            lines::starts_with_any(line, &["/usr/include/", "/usr/lib/gcc/", "/opt/", "/Library/"])
                || line.contains("/c++/");
        let note = line.contains(": note: ")
            && lines::contains_any(
                line,
                &[
                    "candidate",
                    "template argument deduction",
                    "substitution failed",
                    "mismatched types",
                    "is not derived from",
                    "no known conversion",
                    "expects ",
                ],
            );
        let nested = system
            && (line.contains("required from")
                || line.contains("In instantiation of")
                || line.contains(": note: ")
                || line.contains("required by substitution"));
        let includes = line.starts_with("In file included from /usr/");
        if !(note || nested || includes) {
            at += 1;
            continue;
        }
        doc.drop_line(at, Kind::Note);
        at += 1;
        while at < doc.len() && (is_quote(doc.line(at)) || includes && is_chain(doc.line(at))) {
            doc.drop_line(at, Kind::Excerpt);
            at += 1;
        }
    }
}

/// `                 from /usr/include/c++/12/list:65,`, how a library header came to be read.
fn is_chain(line: &str) -> bool {
    line.starts_with("                 from ")
}

/// `  135 |   template<…>` or `      |   ^~~~` below a note.
fn is_quote(line: &str) -> bool {
    let body = lines::body(line);
    body.len() < line.len()
        && (body.starts_with('|')
            || lines::number(body).is_some_and(|(_, rest)| lines::body(rest).starts_with('|')))
}
