//! maven, gradle and sbt: the flood of `[INFO]` goes; errors, warnings, failing tests and the verdict stay.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::marker::Kind;
use crate::records::tree;
use crate::registry::{Family, Run};
use crate::text::lines;
use crate::text::words::{self, FixedSet};

pub(crate) static FAMILY: Family = Family {
    name: "jvm",
    prints: |target| {
        matches!(
            target.program.as_str(),
            "mvn" | "mvnw" | "mvnd" | "gradle" | "gradlew" | "sbt" | "ant"
        )
    },
    signature: &[
        "[INFO] Scanning for projects",
        "\n[INFO] BUILD ",
        "\n> Task :",
        "\nBUILD SUCCESSFUL in ",
        "\nBUILD FAILED in ",
    ],
    alone: false,
    policy: Policy::STRICT,
    mark,
};

/// What an `[INFO]` line may say and stay: verdicts, counts, modules, trees.
const TELLING: [&str; 17] = [
    "BUILD ",
    "Reactor Summary",
    "Tests run:",
    "SUCCESS",
    "FAILURE",
    "SKIPPED",
    "+- ",
    "\\- ",
    "|  ",
    "Total time:",
    "ERROR",
    "FAIL",
    "Building jar:",
    "Installing ",
    "WARN",
    "Results:",
    "Changes detected",
];

/// Advice maven repeats after each failure.
const HINTS: [&str; 8] = [
    "[ERROR] To see the full stack trace of the errors",
    "[ERROR] Re-run Maven using the -X switch",
    "[ERROR] For more information about the errors and possible solutions",
    "[ERROR] [Help 1] http",
    "[ERROR] [Help 2] http",
    "> Run with --",
    "> Get more help at https://",
    "Use '--warning-mode all' to show",
];

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 3)?;
    let mut seen: FixedSet<u64> = FixedSet::default();
    for at in 0..doc.len() {
        let line = doc.line(at);
        if lines::starts_with_any(line, &HINTS) || line == "[ERROR]" || line == "[WARNING]" {
            doc.drop_line(at, Kind::Hint);
        } else if let Some(text) = line.strip_prefix("[INFO]") {
            info(doc, at, text.trim());
        } else if is_progress(line) {
            doc.drop_line(at, Kind::Progress);
        } else if lines::starts_with_any(line, &["[ERROR] ", "[WARNING] "])
            && !seen.insert(words::hash(line))
        {
            doc.drop_line(at, Kind::Repeat);
        }
    }
    tree::redraw(doc)?;
    Ok(())
}

fn info(doc: &mut Doc<'_>, at: usize, text: &str) {
    if text.is_empty() || text.chars().all(|c| c == '-' || c == '=') {
        doc.drop_line(at, Kind::Header);
    } else if text.starts_with("Running ") && doc.line(at + 1).starts_with("[INFO] Tests run:") {
        doc.drop_line(at, Kind::Passing);
    } else if text.starts_with("Tests run:") && text.contains(" -- in ")
        || text.contains("- in ") && text.starts_with("Tests run:")
    {
        // The line of a class that passed; the sum below counts it.
        doc.drop_line(at, Kind::Passing);
    } else if lines::contains_any(text, &TELLING) {
        if text.starts_with("Total time:") {
            doc.drop_line(at, Kind::Progress);
        }
    } else {
        let project =
            text.starts_with("Building ") || (text.starts_with('-') && text.contains("< "));
        if !project {
            doc.drop_line(at, Kind::Progress);
        }
    }
}

fn is_progress(line: &str) -> bool {
    lines::starts_with_any(
        line,
        &[
            "Downloading from ",
            "Downloaded from ",
            "Downloading: ",
            "Downloaded: ",
            "Progress (",
            "Download https://",
            "Starting a Gradle Daemon",
            "Welcome to Gradle",
            "Daemon will be stopped",
            "Calculating task graph",
        ],
    ) || is_task(line)
}

/// `> Task :app:compileJava UP-TO-DATE`, but not `> Task :app:test FAILED`.
fn is_task(line: &str) -> bool {
    line.starts_with("> Task :") && !line.contains("FAILED")
}
