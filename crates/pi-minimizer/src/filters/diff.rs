//! Unified diffs of git: every changed line of source stays, what git says twice goes.
//!
//! Bodies of lock files and bundles are written by tools and read by no one: they are counted.

use crate::doc::Doc;
use crate::marker::Kind;
use crate::text::lines;

/// Names of files that tools write.
const GENERATED_NAMES: [&str; 14] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
    "flake.lock",
];
const GENERATED_ENDINGS: [&str; 7] =
    [".lock", ".min.js", ".min.css", ".map", ".pb.go", "_pb2.py", ".lock.json"];

/// Bodies up to this many lines stay even in a generated file.
const SHORT_BODY: usize = 12;

/// Marks every diff of the text.
pub(crate) fn mark(doc: &mut Doc<'_>) {
    let mut at = 0;
    while at < doc.len() {
        if !doc.line(at).starts_with("diff --git ") {
            at += 1;
            continue;
        }
        let end = (at + 1..doc.len()).find(|i| is_next(doc, *i)).unwrap_or(doc.len());
        file(doc, at, end);
        at = end;
    }
}

/// The next file, or the next commit of a log.
fn is_next(doc: &Doc<'_>, at: usize) -> bool {
    let line = doc.line(at);
    line.starts_with("diff --git ")
        || (line.starts_with("commit ")
            && line.get(7..47).is_some_and(|hash| hash.bytes().all(|b| b.is_ascii_hexdigit())))
}

fn file(doc: &mut Doc<'_>, start: usize, end: usize) {
    let path = doc.line(start).rsplit(" b/").next().unwrap_or("");
    let hunks = (start..end).find(|at| doc.line(*at).starts_with("@@")).unwrap_or(end);
    for at in start + 1..hunks {
        let line = doc.line(at);
        if line.starts_with("index ") && line.contains("..") {
            doc.drop_line(at, Kind::Header);
        } else if let Some(side) = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ ")) {
            // Said by `diff --git`, and by `new file` and `deleted file`.
            let says_nothing = side == "/dev/null"
                || side.strip_prefix(['a', 'b']).is_some_and(|rest| lines::from(rest, 1) == path);
            if says_nothing {
                doc.drop_line(at, Kind::Header);
            }
        }
    }
    if is_generated(path) && end - hunks > SHORT_BODY {
        generated(doc, hunks, end);
    }
}

fn is_generated(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    GENERATED_NAMES.contains(&name)
        || GENERATED_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || path.contains("node_modules/")
        || path.contains("/dist/")
        || path.starts_with("dist/")
}

fn generated(doc: &mut Doc<'_>, hunks: usize, end: usize) {
    let (mut added, mut removed) = (0_usize, 0_usize);
    for at in hunks..end {
        let line = doc.line(at);
        if line.starts_with('+') {
            added += 1;
        } else if line.starts_with('-') {
            removed += 1;
        }
    }
    doc.state(added.to_string());
    doc.state(removed.to_string());
    doc.count(Kind::Generated, 1);
    doc.replace(hunks, format!("@@ +{added} -{removed} @@"));
    doc.drop_lines(hunks + 1..end, Kind::Generated);
}

#[cfg(test)]
#[expect(clippy::format_collect, reason = "a test builds its text the short way")]
mod tests {
    use super::mark;
    use crate::doc::Doc;

    #[test]
    fn changed_lines_stay_even_where_they_look_like_headers() {
        let text = "diff --git a/q.sql b/q.sql\nindex 1..2 100644\n--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@ x\n--- old comment\n+++i;\n ctx\n";
        let mut doc = Doc::new(text);
        mark(&mut doc);
        assert_eq!(
            doc.render(true),
            "diff --git a/q.sql b/q.sql\n@@ -1,2 +1,2 @@ x\n--- old comment\n+++i;\n ctx\n"
        );
    }

    #[test]
    fn a_lock_file_is_counted_and_a_rename_keeps_both_names() {
        let body: String = (0..20).map(|i| format!("-a{i}\n+b{i}\n")).collect();
        let text = format!(
            "diff --git a/x.lock b/x.lock\nindex 1..2\n--- a/x.lock\n+++ b/x.lock\n@@ -1 +1 @@\n{body}diff --git a/o b/n\nsimilarity index 90%\nrename from o\nrename to n\n--- a/o\n+++ b/n\n@@ -1 +1 @@\n-x\n+y\n"
        );
        let mut doc = Doc::new(&text);
        mark(&mut doc);
        assert_eq!(
            doc.render(true),
            "diff --git a/x.lock b/x.lock\n@@ +20 -20 @@\ndiff --git a/o b/n\nsimilarity index 90%\nrename from o\nrename to n\n--- a/o\n@@ -1 +1 @@\n-x\n+y\n"
        );
    }
}
