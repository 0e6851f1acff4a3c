//! `git log --graph`: the same heads as a plain log's, behind the rails of the graph.
//!
//! The rails and every line that draws a fork or a join stay: they are what the flag asks for.

use super::git::short_date;
use crate::doc::Doc;
use crate::marker::Kind;
use crate::text::lines;

/// The drawing at the beginning of a line, and the text behind it.
fn split(line: &str) -> (&str, &str) {
    let body = line.trim_start_matches(['*', '|', '/', '\\', '_', ' ']);
    (lines::upto(line, line.len() - body.len()), body)
}

/// A line that says only that rails go on.
fn is_rails(line: &str) -> bool {
    line.contains('|') && line.bytes().all(|b| matches!(b, b'|' | b' '))
}

/// The full hash of a commit's first line, and what follows it.
fn commit(rail: &str, body: &str) -> Option<(&'static str, usize)> {
    let hash = body.strip_prefix("commit ")?.get(..40)?;
    (rail.contains('*') && hash.bytes().all(|b| b.is_ascii_hexdigit())).then_some(("commit ", 40))
}

/// Commits on one line with short hashes and dates; messages one blank behind their rails.
pub(super) fn mark(doc: &mut Doc<'_>) {
    let mut header = false;
    for at in 0..doc.len() {
        let (rail, body) = split(doc.line(at));
        if let Some((word, digits)) = commit(rail, body) {
            header = true;
            let hash = lines::from(body, word.len());
            let short = lines::upto(hash, 7);
            let refs = lines::from(hash, digits);
            let (author, date) = head(doc, at);
            doc.state(short);
            doc.replace(at, format!("{rail}{word}{short}{refs}{author}{date}"));
        } else if is_rails(doc.line(at)) {
            doc.drop_line(at, Kind::Header);
            header = false;
        } else if header && (is_author(body) || is_date(body)) {
            doc.fold(at);
        } else if rail.ends_with("    ") && rail.contains('|') && !body.is_empty() {
            doc.replace(at, format!("{} {body}", rail.trim_end()));
        }
    }
}

fn is_author(body: &str) -> bool {
    body.starts_with("Author: ")
}

fn is_date(body: &str) -> bool {
    body.starts_with("Date: ")
}

/// ` Author Name Feb 5 09:41:34 2026` from the lines below a commit.
fn head(doc: &Doc<'_>, commit: usize) -> (String, String) {
    let (mut author, mut date) = (String::new(), String::new());
    for at in commit + 1..doc.len().min(commit + 6) {
        let (_, body) = split(doc.line(at));
        if body.is_empty() {
            break;
        }
        if let Some(name) = body.strip_prefix("Author: ") {
            author = format!(" {}", name.split_once(" <").map_or(name, |(name, _)| name));
        } else if let Some(value) = body.strip_prefix("Date: ") {
            date = format!(" {}", short_date(value.trim()));
        }
    }
    (author, date)
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::doc::Doc;

    #[test]
    fn heads_are_one_line_and_rails_stay() {
        let hash = "3f1c0a9be4d2c5f6a7b8091a2b3c4d5e6f708192";
        let text = format!(
            "*   commit {hash} (HEAD -> main)\n|\\  Merge: 1111111 2222222\n| | Author: Ann Lee <ann@x.y>\n\
             | | Date:   Sun Nov 22 13:30:35 2026 +0000\n| | \n| |     parser: keep the order\n| | \n\
             | * commit {hash}\n|/  Author: Bo <b@x.y>\n|   Date:   Sat Nov 21 10:00:00 2026 +0000\n|   \n\
             |       * a list item\n"
        );
        let mut doc = Doc::new(&text);
        mark(&mut doc);
        assert_eq!(
            doc.render(true),
            "*   commit 3f1c0a9 (HEAD -> main) Ann Lee Nov 22 13:30:35 2026\n|\\  Merge: 1111111 2222222\n\
             | | parser: keep the order\n| * commit 3f1c0a9 Bo Nov 21 10:00:00 2026\n|       * a list item\n"
        );
    }
}
