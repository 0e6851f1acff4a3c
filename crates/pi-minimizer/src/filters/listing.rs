//! Listings: find, fd, ls -l, tree, and the names that tar, unzip, rsync and cp -v print.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::marker::Kind;
use crate::records::{paths, tree};
use crate::registry::{Family, Run};
use crate::text::lines;
use crate::text::words::FixedMap;

pub(crate) static FAMILY: Family = Family {
    name: "listing",
    prints: |target| {
        matches!(target.program.as_str(), "find" | "fd" | "fdfind" | "ls" | "exa" | "eza" | "tree" | "tar" | "bsdtar" | "unzip" | "zip" | "rsync" | "cp" | "mv" | "rm" | "cpio" | "7z" | "locate")
    },
    signature: &[],
    // A file may have any name.
    alone: true,
    policy: Policy::REGROUPED,
    mark,
};

fn mark(doc: &mut Doc<'_>, run: &Run<'_>) -> Result<(), OverBudget> {
    let Some(target) = run.target else { return Ok(()) };
    match target.program.as_str() {
        "find" | "fd" | "fdfind" | "locate" => paths::group(doc, is_path),
        "tree" => tree::redraw(doc).map(|_| ()),
        "ls" | "exa" | "eza" => long(doc),
        "tar" | "bsdtar" | "cpio" => paths::count(doc, archive_name),
        _ => paths::count(doc, transfer_name),
    }
}

/// A line that can only be a path: no message of the tool itself.
fn is_path(line: &str) -> bool {
    !line.is_empty() && !lines::contains_any(line, &[": ", "find:", "‘", "\t"]) && (line.contains('/') || line == ".")
}

fn archive_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix("x ").or_else(|| line.strip_prefix("a ")).unwrap_or(line);
    let plain = !lines::contains_any(name, &[": ", "\t"]) && !name.is_empty() && !name.starts_with("tar:");
    // `tar -tvf` prints columns, which are read, not counted.
    let columns = lines::starts_with_any(name, &["-r", "drw", "lrw", "hrw"]) && name.contains(' ');
    (plain && !columns && name.contains('/')).then_some(name)
}

fn transfer_name(line: &str) -> Option<&str> {
    let body = line.trim_start();
    for verb in ["inflating: ", "extracting: ", "creating: ", "linking: ", "adding: ", "updating: "] {
        if let Some(name) = body.strip_prefix(verb) {
            return Some(name.trim_start());
        }
    }
    if let Some(name) = body.strip_prefix("removed '").or_else(|| body.strip_prefix("removed directory '")) {
        return Some(name.trim_end_matches('\''));
    }
    if let Some((from, _)) = body.split_once("' -> '") {
        return Some(from.trim_start_matches("renamed ").trim_start_matches('\''));
    }
    // rsync prints bare names between its first and its last lines.
    let bare = !lines::contains_any(line, &[": ", "  ", "\t", "total size", "sent ", "rsync", "speedup"]) && line.contains('/');
    bare.then_some(line)
}

/// Rows from which columns that never change are worth a header.
const MIN_ROWS: usize = 12;

struct LongRow<'a> {
    mode: &'a str,
    owner: &'a str,
    group: &'a str,
    /// Size, date and name.
    rest: &'a str,
}

fn long_row(line: &str) -> Option<LongRow<'_>> {
    let mode = line.split(' ').next()?;
    let first = mode.chars().next()?;
    if !matches!(mode.len(), 10 | 11) || !"-dlbcps".contains(first) || !mode.bytes().skip(1).take(9).all(|b| b"rwxsStT-".contains(&b)) {
        return None;
    }
    let rest = lines::from(line, mode.len()).trim_start();
    let (_, rest) = lines::number(rest)?;
    let (owner, rest) = rest.trim_start().split_once(' ')?;
    let (group, rest) = rest.trim_start().split_once(' ')?;
    let rest = rest.trim_start();
    (rest.starts_with(|c: char| c.is_ascii_digit())).then_some(LongRow { mode, owner, group, rest })
}

/// `ls -l`: mode, owner and group stand once where most rows share them.
fn long(doc: &mut Doc<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 2)?;
    let mut counts: FixedMap<(&str, &str, &str), usize> = FixedMap::default();
    let mut rows = 0;
    let mut first = None;
    for at in 0..doc.len() {
        if let Some(row) = long_row(doc.line(at)) {
            rows += 1;
            first = first.or(Some(at));
            *counts.entry((row.mode, row.owner, row.group)).or_default() += 1;
        }
    }
    let Some(first) = first.filter(|_| rows >= MIN_ROWS) else { return Ok(()) };
    let mut common: Vec<_> = counts.into_iter().collect();
    common.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let pick = |kind: char| common.iter().find(|((mode, ..), count)| mode.starts_with(kind) && *count > 1).map(|(key, _)| *key);
    let (file, directory) = (pick('-'), pick('d'));
    doc.state("where");
    let legend: Vec<String> = [file, directory]
        .iter()
        .flatten()
        .map(|(mode, owner, group)| format!("{} {mode} {owner} {group}", lines::upto(mode, 1)))
        .collect();
    for at in 0..doc.len() {
        let line = doc.line(at);
        if line.strip_prefix("total ").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')) {
            doc.drop_line(at, Kind::Header);
            continue;
        }
        let Some(row) = long_row(line) else { continue };
        let key = Some((row.mode, row.owner, row.group));
        let short = if key == file || key == directory {
            format!("{} {}", lines::upto(row.mode, 1), row.rest)
        } else {
            format!("{} {} {} {}", row.mode, row.owner, row.group, row.rest)
        };
        doc.replace(at, if at == first { format!("(where {})\n{short}", legend.join(", ")) } else { short });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::long;
    use crate::doc::Doc;

    #[test]
    fn columns_that_never_change_stand_once() {
        let rows: String = (0..12).map(|i| format!("-rw-r--r-- 1 root root {i}0 Jan  1 12:00 f{i}\n")).collect();
        let text = format!("total 48\n{rows}lrwxrwxrwx 1 root root 4 Jan  1 12:00 l -> f1\n");
        let mut doc = Doc::new(&text);
        long(&mut doc).unwrap();
        let out = doc.render(true);
        assert!(out.starts_with("(where - -rw-r--r-- root root)\n- 00 Jan  1 12:00 f0\n"), "{out}");
        assert!(out.ends_with("lrwxrwxrwx root root 4 Jan  1 12:00 l -> f1\n"), "{out}");
    }
}
