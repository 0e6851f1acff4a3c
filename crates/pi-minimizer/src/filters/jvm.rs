//! maven, gradle and sbt: the flood of `[INFO]` goes; errors, warnings, failing tests and the verdict stay.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::records::tree;
use crate::text::any_of::AnyOf;
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
static TELLING: AnyOf<17> = AnyOf::new([
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
]);

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
    } else if TELLING.stands_in(text) {
        if text.starts_with("Total time:") {
            doc.drop_line(at, Kind::Progress);
        }
    } else {
        // The root of a dependency tree stands above its first branch.
        let next = doc.line(at + 1);
        let root = next.starts_with("[INFO] +- ") || next.starts_with("[INFO] \\- ");
        let project =
            root || text.starts_with("Building ") || (text.starts_with('-') && text.contains("< "));
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

#[cfg(test)]
mod tests {
    use super::FAMILY;
    use crate::doc::Doc;
    use crate::family::Run;

    fn marked(text: &str) -> String {
        let mut doc = Doc::new(text);
        (FAMILY.mark)(&mut doc, &Run { target: None, failed: true }).unwrap();
        doc.render(true)
    }

    #[test]
    fn a_class_that_passed_goes_and_a_class_that_failed_stays() {
        let text = "[INFO] Running a.OkTest\n[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 0 -- in a.OkTest\n\
                    [ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE! -- in a.BadTest\n\
                    [ERROR]   BadTest.total:21 expected: <12.50> but was: <12.05>\n[INFO] BUILD FAILURE\n";
        assert_eq!(
            marked(text),
            "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE! -- in a.BadTest\n\
             [ERROR]   BadTest.total:21 expected: <12.50> but was: <12.05>\n[INFO] BUILD FAILURE\n"
        );
    }

    #[test]
    fn the_root_of_a_dependency_tree_stays() {
        let branches: String = ["a", "b", "c", "d", "e", "f", "g"]
            .map(|name| format!("[INFO] +- org:{name}:jar:1\n"))
            .concat();
        let text = format!(
            "[INFO] --- dependency:tree @ x ---\n[INFO] com.acme:x:jar:1\n{branches}[INFO] \\- org:h:jar:2\n"
        );
        let out = marked(&text);
        assert!(out.starts_with("[INFO] com.acme:x:jar:1\n org:a:jar:1\n"), "{out}");
        assert!(out.ends_with(" org:h:jar:2\n"), "{out}");
    }
}
