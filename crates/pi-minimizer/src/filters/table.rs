//! Tables of the system: ps, df, dpkg -l, lsof, ss, pip list, npm outdated.
//!
//! Columns are padded for eyes. In these tables only the last column has blanks inside a cell, so one
//! blank between columns says the same; rows and cells stay. Tables of docker and kubectl have blanks
//! inside other cells and keep their padding.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};

pub(crate) static FAMILY: Family = Family {
    name: "table",
    prints: |target| {
        let sub = target.subcommand();
        match target.program.as_str() {
            "ps" | "df" | "lsof" | "ss" | "netstat" | "free" | "dpkg" | "dpkg-query" | "rpm"
            | "vmstat" | "lsblk" | "w" => true,
            "pip" | "npm" | "pnpm" | "conda" | "gem" => matches!(sub, "list" | "outdated"),
            _ => false,
        }
    },
    signature: &[],
    // A process may have any command line.
    alone: true,
    policy: Policy::STRICT,
    mark,
};

/// Lines a table has at least; fewer are not worth the change.
const MIN_ROWS: usize = 10;

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len())?;
    if doc.len() < MIN_ROWS {
        return Ok(());
    }
    for at in 0..doc.len() {
        let line = doc.line(at);
        // What hangs below a row is its continuation, and a line without columns is a message.
        if !line.starts_with(' ') && line.trim_start().contains("  ") {
            doc.replace(at, squeeze(line));
        }
    }
    Ok(())
}

/// Runs of blanks become one.
fn squeeze(line: &str) -> String {
    let mut row = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(word);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::squeeze;

    #[test]
    fn padding_shrinks_to_one_blank() {
        assert_eq!(squeeze("root         1  0.2  python -m x   "), "root 1 0.2 python -m x");
    }
}
