//! git: status, transfers, and log. Diffs have a file of their own.

use crate::check::Policy;
use crate::doc::{Doc, Mark, OverBudget};
use crate::family::{Family, Run};
use crate::filters::{diff, graph};
use crate::marker::Kind;
use crate::text::lines;

pub(crate) static FAMILY: Family = Family {
    name: "git",
    prints: |target| target.program == "git",
    signature: &[],
    // A commit message or a diff may look like the output of any tool.
    alone: true,
    policy: Policy::STRICT,
    mark,
};

/// Steps of a transfer; the refs below them are what happened.
const TRANSFER: [&str; 16] = [
    "remote: Enumerating objects:",
    "remote: Counting objects:",
    "remote: Compressing objects:",
    "remote: Total ",
    "Receiving objects:",
    "Resolving deltas:",
    "Unpacking objects:",
    "Enumerating objects:",
    "Counting objects:",
    "Delta compression using",
    "Compressing objects:",
    "Writing objects:",
    "Total ",
    "Updating files:",
    "Auto packing the repository",
    "Filtering content:",
];

fn mark(doc: &mut Doc<'_>, run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 3)?;
    let Some(target) = run.target else { return Ok(()) };
    match target.subcommand() {
        "status" => status(doc),
        "log" | "show" | "whatchanged" | "stash" | "reflog" => {
            if !target.has_flag(&["--graph"]) {
                log(doc);
            } else if !target.has_short('p') && !target.has_flag(&["--patch", "-c", "--cc"]) {
                graph::mark(doc);
            }
            diff::mark(doc);
        }
        "diff" | "range-diff" | "difftool" => diff::mark(doc),
        "grep" => super::search::mark(doc, run)?,
        "clone" | "fetch" | "pull" | "push" | "submodule" | "remote" | "gc" | "checkout"
        | "switch" | "merge" | "rebase" | "worktree" | "lfs" | "cherry-pick" | "am" | "restore" => {
            transfer(doc, run);
        }
        _ => {}
    }
    Ok(())
}

/// `  (use "git add <file>..." to update what will be committed)`
fn status(doc: &mut Doc<'_>) {
    for at in 0..doc.len() {
        let line = doc.line(at);
        if lines::body(line).starts_with("(use \"git ") && line.ends_with(')') {
            doc.drop_line(at, Kind::Hint);
        }
    }
}

fn transfer(doc: &mut Doc<'_>, run: &Run<'_>) {
    for at in 0..doc.len() {
        let line = doc.line(at);
        if lines::starts_with_any(line, &TRANSFER) {
            doc.drop_line(at, Kind::Progress);
        } else if line.starts_with("hint: ") && !run.failed {
            doc.drop_line(at, Kind::Hint);
        } else if line.trim() == "remote:" {
            doc.drop_line(at, Kind::Header);
        }
    }
}

/// Commits with short hashes, names without addresses, dates without weekday and zone.
fn log(doc: &mut Doc<'_>) {
    // Until the first commit, and in a diff, indentation is content.
    let (mut header, mut message) = (false, false);
    for at in 0..doc.len() {
        let line = doc.line(at);
        if let Some(rest) = line.strip_prefix("commit ")
            && let Some(hash) = rest.get(..40)
            && hash.bytes().all(|b| b.is_ascii_hexdigit())
        {
            header = true;
            message = false;
            let short = lines::upto(hash, 7);
            let refs = lines::from(rest, 40);
            let (author, date) = head(doc, at);
            doc.state(short);
            doc.replace(at, format!("commit {short}{refs}{author}{date}"));
            continue;
        }
        if line.is_empty() {
            if header {
                // The blank between head and message; the message is indented.
                doc.drop_line(at, Kind::Header);
                message = true;
            }
            header = false;
            continue;
        }
        if header {
            if line.starts_with("Author: ")
                || line.starts_with("Date: ")
                || line.starts_with("AuthorDate: ")
            {
                doc.fold(at);
            } else if line.starts_with("Commit: ") || line.starts_with("CommitDate: ") {
                doc.drop_line(at, Kind::Trailer);
            }
            continue;
        }
        if !message {
            continue;
        }
        if !line.starts_with("    ") {
            message = false;
            continue;
        }
        let body = lines::body(line);
        if line.starts_with("    ")
            && (lines::starts_with_any(
                body,
                &[
                    "Signed-off-by: ",
                    "Co-authored-by: ",
                    "Reviewed-by: ",
                    "Acked-by: ",
                    "Tested-by: ",
                    "Change-Id: ",
                    "Cc: ",
                    "Reported-by: ",
                    "Co-Authored-By: ",
                ],
            ))
        {
            doc.drop_line(at, Kind::Trailer);
        } else if let Some(body) = line.strip_prefix("    ") {
            if body.trim().is_empty() {
                doc.drop_line(at, Kind::Header);
            } else {
                doc.replace(at, format!(" {body}"));
            }
        }
    }
    // The blank line between two commits: the next `commit` says the same.
    for at in 1..doc.len() {
        if doc.line(at).is_empty()
            && *doc.mark(at + 1) != Mark::Keep
            && doc.line(at + 1).starts_with("commit ")
        {
            doc.drop_line(at, Kind::Header);
        }
    }
}

/// ` Author Name Feb 5 09:41:34 2026` from the lines below a commit.
fn head(doc: &Doc<'_>, commit: usize) -> (String, String) {
    let (mut author, mut date) = (String::new(), String::new());
    for at in commit + 1..doc.len().min(commit + 8) {
        let line = doc.line(at);
        if line.is_empty() {
            break;
        }
        if let Some(name) = line.strip_prefix("Author: ") {
            let name = name.trim();
            author = format!(" {}", name.split_once(" <").map_or(name, |(name, _)| name));
        } else if let Some(value) =
            line.strip_prefix("Date: ").or_else(|| line.strip_prefix("AuthorDate: "))
        {
            date = format!(" {}", short_date(value.trim()));
        }
    }
    (author, date)
}

/// `Thu Feb 5 09:41:34 2026 +0100` is `Feb 5 09:41:34 2026`; other spellings stay.
pub(super) fn short_date(date: &str) -> &str {
    const DAYS: [&str; 7] = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
    let Some(rest) = DAYS.iter().find_map(|day| date.strip_prefix(day)) else { return date };
    match rest.rsplit_once(' ') {
        Some((front, zone)) if zone.starts_with(['+', '-']) && zone.len() == 5 => front,
        _ => rest,
    }
}
