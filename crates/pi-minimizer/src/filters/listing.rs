//! Listings: find, fd, ls -l, tree, and the names that tar, unzip, rsync and cp -v print.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::records::{paths, tree};
use crate::text::lines;
use crate::text::words::FixedMap;

pub(crate) static FAMILY: Family = Family {
    name: "listing",
    prints: |target| {
        matches!(
            target.program.as_str(),
            "find"
                | "fd"
                | "fdfind"
                | "ls"
                | "exa"
                | "eza"
                | "tree"
                | "tar"
                | "bsdtar"
                | "unzip"
                | "zip"
                | "rsync"
                | "cp"
                | "mv"
                | "rm"
                | "cpio"
                | "7z"
                | "locate"
        )
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
        "find" if target.args.iter().any(|arg| arg == "-ls") => long(doc),
        "find" | "fd" | "fdfind" | "locate" => paths::group(doc, is_path),
        "tree" => tree::redraw(doc).map(|_| ()),
        "ls" | "exa" | "eza" => long(doc),
        "tar" | "bsdtar" | "cpio" => {
            // A list that was asked for is read; names that scroll by while a tool works are counted.
            if target.has_short('t') || target.has_flag(&["--list"]) {
                long(doc)
            } else {
                paths::count(doc, archive_name)
            }
        }
        _ => paths::count(doc, transfer_name),
    }
}

/// A line that can only be a path: no message of the tool itself.
fn is_path(line: &str) -> bool {
    !line.is_empty()
        && !lines::contains_any(line, &[": ", "find:", "‘", "\t"])
        && (line.contains('/') || line == ".")
}

fn archive_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix("x ").or_else(|| line.strip_prefix("a ")).unwrap_or(line);
    let plain =
        !lines::contains_any(name, &[": ", "\t"]) && !name.is_empty() && !name.starts_with("tar:");
    (plain && name.contains('/')).then_some(name)
}

fn transfer_name(line: &str) -> Option<&str> {
    let body = lines::body(line);
    for verb in ["inflating: ", "extracting: ", "creating: ", "linking: ", "adding: ", "updating: "]
    {
        if let Some(name) = body.strip_prefix(verb) {
            return Some(lines::body(name));
        }
    }
    if let Some(name) =
        body.strip_prefix("removed '").or_else(|| body.strip_prefix("removed directory '"))
    {
        return Some(name.trim_end_matches('\''));
    }
    if let Some((from, _)) = body.split_once("' -> '") {
        return Some(from.trim_start_matches("renamed ").trim_start_matches('\''));
    }
    // rsync prints bare names between its first and its last lines.
    let bare =
        !lines::contains_any(line, &[": ", "  ", "\t", "total size", "sent ", "rsync", "speedup"])
            && line.contains('/');
    bare.then_some(line)
}

/// Rows from which columns that never change are worth a header.
const MIN_ROWS: usize = 12;

struct LongRow<'a> {
    mode: &'a str,
    owner: &'a str,
    group: &'a str,
    /// In bytes or with a unit.
    size: &'a str,
    /// `Jan  1 12:00` or `2026-01-01 12:00`.
    date: &'a str,
    name: &'a str,
}

fn long_row(line: &str) -> Option<LongRow<'_>> {
    // `find -ls` begins with the inode and the blocks.
    let numbered = lines::number(lines::body(line))
        .and_then(|(_, rest)| lines::number(lines::body(rest)))
        .map(|(_, rest)| lines::body(rest));
    let line = numbered.unwrap_or(line);
    let (mode, _) = line.split_once(' ')?;
    let first = mode.chars().next()?;
    if !matches!(mode.len(), 10 | 11)
        || !"-dlbcps".contains(first)
        || !mode.bytes().skip(1).take(9).all(|b| b"rwxsStT-".contains(&b))
    {
        return None;
    }
    let rest = lines::from(line, mode.len()).trim_start();
    // `tar -tv`: owner and group in one word, no link count.
    if let Some((both, rest)) = rest.split_once(' ')
        && let Some((owner, group)) = both.split_once('/')
    {
        let (size, date, name) = entry(lines::body(rest), 2)?;
        return Some(LongRow { mode, owner, group, size, date, name });
    }
    let (_, rest) = lines::number(rest)?;
    let (owner, rest) = lines::body(rest).split_once(' ')?;
    let (group, rest) = lines::body(rest).split_once(' ')?;
    let iso = rest.split_whitespace().nth(1).is_some_and(|word| word.contains('-'));
    let (size, date, name) = entry(lines::body(rest), if iso { 2 } else { 3 })?;
    Some(LongRow { mode, owner, group, size, date, name })
}

/// Size, a date of `words` words, and the name with all its blanks.
fn entry(text: &str, words: usize) -> Option<(&str, &str, &str)> {
    let (size, rest) = text.split_once(' ')?;
    let rest = lines::body(rest);
    let mut end = 0;
    for _ in 0..words {
        let left = lines::from(rest, end);
        let word = lines::body(left);
        end += left.len() - word.len() + word.find(' ')?;
    }
    let name = lines::from(rest, end + 1);
    let plausible = size.starts_with(|c: char| c.is_ascii_digit())
        && lines::upto(rest, end).contains(|c: char| c.is_ascii_digit());
    (plausible && !name.is_empty()).then(|| (size, lines::upto(rest, end), name))
}

/// `ls -l`: mode, owner and group stand once where most rows share them.
fn long(doc: &mut Doc<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 2)?;
    let mut counts: FixedMap<(&str, &str, &str), usize> = FixedMap::default();
    let mut dates: FixedMap<&str, usize> = FixedMap::default();
    let rows: Vec<(usize, LongRow<'_>)> = doc
        .lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| long_row(line).map(|row| (at, row)))
        .collect();
    if rows.len() < MIN_ROWS {
        return Ok(());
    }
    for (_, row) in &rows {
        *dates.entry(row.date).or_default() += 1;
        *counts.entry((row.mode, row.owner, row.group)).or_default() += 1;
    }
    let mut common: Vec<_> = counts.into_iter().collect();
    common.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let pick = |kind: char| {
        common
            .iter()
            .find(|((mode, ..), count)| mode.starts_with(kind) && *count > 1)
            .map(|(key, _)| *key)
    };
    let (file, directory) = (pick('-'), pick('d'));
    // A checkout or an archive has one date for all it wrote.
    let date =
        dates.into_iter().filter(|(_, count)| count * 2 > rows.len()).map(|(date, _)| date).next();
    for word in ["where", "d", "date"] {
        doc.state(word);
    }
    let mut legend: Vec<String> = [file, directory]
        .iter()
        .flatten()
        .map(|(mode, owner, group)| format!("{} {mode} {owner} {group}", lines::upto(mode, 1)))
        .collect();
    legend.extend(date.map(|date| format!("date {date}")));
    for at in 0..doc.len() {
        let line = doc.line(at);
        if line
            .strip_prefix("total ")
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.'))
        {
            doc.drop_line(at, Kind::Header);
        }
    }
    let mut legend = Some(format!("(where {})\n", legend.join(", ")));
    for (at, row) in rows {
        // The legend stands above the first row.
        let mut short = legend.take().unwrap_or_default();
        short.reserve(row.mode.len() + doc.line(at).len());
        let key = Some((row.mode, row.owner, row.group));
        let shared = key == file || key == directory;
        short.push_str(if shared { lines::upto(row.mode, 1) } else { row.mode });
        let columns = [row.owner, row.group, row.size, row.date, row.name];
        let is_shown = [!shared, !shared, true, Some(row.date) != date, true];
        for (column, _) in columns.into_iter().zip(is_shown).filter(|(_, is_shown)| *is_shown) {
            short.push(' ');
            short.push_str(column);
        }
        doc.replace(at, short);
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::format_collect, reason = "a test builds its text the short way")]
mod tests {
    use super::long;
    use crate::doc::Doc;

    #[test]
    fn columns_that_never_change_stand_once() {
        let rows: String =
            (0..12).map(|i| format!("-rw-r--r-- 1 root root {i}0 Jan  1 12:00 f {i}\n")).collect();
        let text = format!("total 48\n{rows}lrwxrwxrwx 1 root root 4 Jan  9 12:00 l -> f1\n");
        let mut doc = Doc::new(&text);
        long(&mut doc).unwrap();
        let out = doc.render(true);
        assert!(
            out.starts_with("(where - -rw-r--r-- root root, date Jan  1 12:00)\n- 00 f 0\n"),
            "{out}"
        );
        assert!(out.ends_with("lrwxrwxrwx root root 4 Jan  9 12:00 l -> f1\n"), "{out}");
    }
}
