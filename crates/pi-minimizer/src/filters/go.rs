//! go test, build, vet: passing tests, runs and downloads go; failures, panics and package verdicts stay.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::records::diagnostic::{self, Quotes};
use crate::text::lines;

pub(crate) static FAMILY: Family = Family {
    name: "go",
    prints: |target| matches!(target.program.as_str(), "go" | "gotestsum" | "richgo" | "ginkgo"),
    signature: &["=== RUN ", "\n--- FAIL: ", "\n--- PASS: ", "\ngo: downloading "],
    alone: false,
    policy: Policy::STRICT,
    mark,
};

/// Packages that passed stand by name up to this many.
const SHOWN_PACKAGES: usize = 30;

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len())?;
    let mut packages = 0;
    for at in 0..doc.len() {
        let line = doc.line(at);
        let body = lines::body(line);
        if lines::starts_with_any(line, &["=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME "]) {
            doc.drop_line(at, Kind::Progress);
        } else if body.starts_with("--- PASS: ") || line == "PASS" {
            doc.drop_line(at, Kind::Passing);
        } else if line.starts_with("go: downloading ")
            || line.starts_with("go: finding ")
            || line.starts_with("go: extracting ")
        {
            doc.drop_line(at, Kind::Progress);
        } else if line.starts_with("?   \t") && line.ends_with("[no test files]") {
            doc.drop_line(at, Kind::Passing);
        } else if line.starts_with("ok  \t") {
            packages += 1;
            if packages > SHOWN_PACKAGES {
                doc.drop_line(at, Kind::Passing);
            }
        }
    }
    diagnostic::fold(doc, Quotes::Keep)
}
