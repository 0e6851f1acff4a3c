//! Lists of paths: grouped by directory, or counted by directory where only the number matters.

use crate::doc::{Doc, OverBudget};
use crate::marker::{self, Kind};
use crate::text::words::FixedMap;

/// Entries of a transfer that stand before the rest is counted.
const SHOWN: usize = 20;
/// Directories a count may name.
const MAX_DIRECTORIES: usize = 30;

/// Groups the kept lines for which `is_path` holds: `dir/: a b c` in place of the first of each directory.
pub(crate) fn group(doc: &mut Doc<'_>, is_path: fn(&str) -> bool) -> Result<(), OverBudget> {
    doc.spend(doc.len())?;
    let mut order: Vec<&str> = Vec::new();
    let mut groups: FixedMap<&str, Vec<(usize, &str)>> = FixedMap::default();
    for at in 0..doc.len() {
        let line = doc.line(at);
        if !doc.is_kept(at) || !is_path(line) {
            continue;
        }
        let (directory, name) = split(line);
        let group = groups.entry(directory).or_default();
        if group.is_empty() {
            order.push(directory);
        }
        group.push((at, name));
    }
    for directory in order {
        let Some(group) = groups.get(directory) else { continue };
        let (Some((first, _)), true) = (group.first(), group.len() > 1) else { continue };
        let spaced = group.iter().any(|(_, name)| name.contains(' '));
        let mut line = if directory.is_empty() { String::new() } else { format!("{directory}:") };
        for (_, name) in group {
            line.push(if spaced { '\n' } else { ' ' });
            if spaced {
                line.push(' ');
            }
            line.push_str(name);
        }
        doc.replace(*first, line.trim_start().to_owned());
        for (at, _) in group.iter().skip(1) {
            doc.fold(*at);
        }
    }
    Ok(())
}

/// Counts the names `name_of` reads by directory, after the first [`SHOWN`].
pub(crate) fn count(
    doc: &mut Doc<'_>,
    name_of: fn(&str) -> Option<&str>,
) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 2)?;
    let named: Vec<usize> = (0..doc.len()).filter(|at| name_of(doc.line(*at)).is_some()).collect();
    let Some(rest) = named.get(SHOWN..).filter(|rest| rest.len() > SHOWN / 2) else {
        return Ok(());
    };
    let (mut order, mut counts) = (Vec::new(), FixedMap::default());
    // Shorten directories until few enough are left to name.
    for depth in (1..=8).rev() {
        order.clear();
        counts.clear();
        for &at in rest {
            let name = name_of(doc.line(at)).unwrap_or("");
            let directory = cut(split(name).0, depth);
            let count: &mut usize = counts.entry(directory).or_default();
            if *count == 0 {
                order.push(directory);
            }
            *count += 1;
            if order.len() > MAX_DIRECTORIES && depth > 1 {
                break;
            }
        }
        if order.len() <= MAX_DIRECTORIES {
            break;
        }
    }
    let summary: Vec<String> = order
        .iter()
        .map(|directory| {
            let name = if directory.is_empty() { "." } else { directory };
            format!("{name}{}", marker::times(counts.get(directory).copied().unwrap_or(0)))
        })
        .collect();
    doc.count(Kind::Entry, 1);
    for (index, &at) in rest.iter().enumerate() {
        if index == 0 {
            doc.replace(at, summary.join("\n"));
        } else {
            doc.drop_line(at, Kind::Entry);
        }
    }
    Ok(())
}

/// Directory with its slash, and name; a directory entry belongs to its parent.
fn split(path: &str) -> (&str, &str) {
    let body = path.strip_suffix('/').unwrap_or(path);
    match body.rfind('/') {
        Some(at) => path.split_at_checked(at + 1).unwrap_or(("", path)),
        None => ("", path),
    }
}

/// The first `depth` components of a directory.
fn cut(directory: &str, depth: usize) -> &str {
    match directory.match_indices('/').nth(depth - 1) {
        Some((at, _)) => directory.get(..=at).unwrap_or(directory),
        None => directory,
    }
}

#[cfg(test)]
#[expect(clippy::format_collect, reason = "a test builds its text the short way")]
mod tests {
    use super::{count, group};
    use crate::doc::Doc;

    #[test]
    fn names_stand_behind_their_directory() {
        let mut doc = Doc::new("./a/x.js\n./b/y.js\n./a/z.js\n./a/sub/\n./solo\n");
        group(&mut doc, |line| line.contains('/')).unwrap();
        assert_eq!(doc.render(true), "./a/: x.js z.js sub/\n./b/y.js\n./solo\n");
    }

    #[test]
    fn names_with_blanks_keep_lines_of_their_own() {
        let mut doc = Doc::new("a/x y\na/z\n");
        group(&mut doc, |_| true).unwrap();
        assert_eq!(doc.render(true), "a/:\n x y\n z\n");
    }

    #[test]
    fn a_transfer_is_counted_by_directory_after_its_beginning() {
        let text: String = (0..100).map(|i| format!("a/b{}/f{i}\n", i / 50)).collect();
        let mut doc = Doc::new(&text);
        count(&mut doc, |line| Some(line)).unwrap();
        let out = doc.render(true);
        assert!(out.contains("a/b0/f19\na/b0/ (x30)\na/b1/ (x50)\n"), "{out}");
        assert_eq!(doc.tally().total(), 80);
    }
}
