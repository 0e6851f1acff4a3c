//! Linters and type checkers: tsc, eslint, biome, mypy, ruff, flake8, pyright, golangci-lint, shellcheck.
//!
//! All print places with messages; `records::diagnostic` does the work. eslint groups rows below a
//! file name, so its rows are read here and given their file.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::records::{diagnostic, frame};
use crate::text::lines;
use crate::text::words::FixedMap;

pub(crate) static FAMILY: Family = Family {
    name: "lint",
    prints: |target| {
        matches!(
            target.program.as_str(),
            "tsc"
                | "vue-tsc"
                | "tsgo"
                | "eslint"
                | "biome"
                | "oxlint"
                | "mypy"
                | "dmypy"
                | "ruff"
                | "flake8"
                | "pylint"
                | "pyright"
                | "basedpyright"
                | "golangci-lint"
                | "staticcheck"
                | "shellcheck"
                | "pycodestyle"
                | "pyflakes"
                | "stylelint"
                | "standard"
                | "xo"
                | "hadolint"
                | "yamllint"
                | "actionlint"
                | "markdownlint"
                | "swiftlint"
                | "ktlint"
                | "checkstyle"
                | "vet"
                | "javac"
                | "kotlinc"
        )
    },
    signature: &[
        ": error TS",
        " - error TS",
        "✖ ",
        ",-[",
        "╭─[",
        ": error: ",
        ": warning: ",
        "  error  ",
        "  warning  ",
    ],
    alone: false,
    policy: Policy::REGROUPED,
    mark,
};

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 2)?;
    stylish(doc);
    diagnostic::fold(doc, diagnostic::Quotes::Drop)?;
    frame::thin_everywhere(doc);
    carets(doc);
    Ok(())
}

/// Marks below a quoted line (`mypy --pretty`, `flake8 --show-source`): the column stands in the place.
fn carets(doc: &mut Doc<'_>) {
    for at in 1..doc.len() {
        let body = lines::body(doc.line(at)).trim_end();
        let marks = body.starts_with('^') && body.bytes().all(|b| matches!(b, b'^' | b'~'));
        if marks && doc.is_kept(at) && !doc.line(at - 1).trim().is_empty() {
            doc.drop_line(at, Kind::Excerpt);
        }
    }
}

/// A row of eslint: `  2:28  error    Expected '===' and instead saw '=='  eqeqeq`.
struct Row<'a> {
    place: &'a str,
    /// Severity, text and rule, as printed.
    message: &'a str,
}

fn row(line: &str) -> Option<Row<'_>> {
    let body = lines::body(line);
    if body.len() == line.len() {
        return None;
    }
    let (_, rest) = lines::number(body)?;
    let (_, rest) = lines::number(rest.strip_prefix(':')?)?;
    let place = lines::upto(body, body.len() - rest.len());
    let message = lines::body(rest);
    (rest.starts_with(' ')
        && lines::starts_with_any(message, &["error ", "warning ", "✖ ", "⚠ ", "info "]))
    .then_some(Row { place, message })
}

/// A heading of eslint: a path alone on its line.
fn is_file(line: &str) -> bool {
    !line.is_empty()
        && !line.starts_with([' ', '[', '>'])
        && line.contains(['.', '/', '\\'])
        && !line.contains(": ")
}

fn stylish(doc: &mut Doc<'_>) {
    let mut files: Vec<(usize, usize)> = Vec::new(); // header, end of its rows
    let mut at = 0;
    while at < doc.len() {
        if is_file(doc.line(at)) && row(doc.line(at + 1)).is_some() {
            let end =
                (at + 1..doc.len()).find(|i| row(doc.line(*i)).is_none()).unwrap_or(doc.len());
            files.push((at, end));
            at = end;
        } else {
            at += 1;
        }
    }
    if files.is_empty() {
        return;
    }
    let names: Vec<&str> = files.iter().map(|(header, _)| doc.line(*header)).collect();
    let cut = root(&names);
    // Rows of one message: their lines, files and places.
    let mut groups: FixedMap<String, Vec<(usize, &str, &str)>> = FixedMap::default();
    let mut order: Vec<String> = Vec::new();
    let mut message = String::new();
    for &(header, end) in &files {
        let name = lines::from(doc.line(header), cut);
        for at in header + 1..end {
            let Some(row) = row(doc.line(at)) else { continue };
            squeeze(row.message, &mut message);
            if let Some(group) = groups.get_mut(message.as_str()) {
                group.push((at, name, row.place));
            } else {
                groups.insert(message.clone(), vec![(at, name, row.place)]);
                order.push(message.clone());
            }
        }
    }
    for message in &order {
        let Some(group) = groups.get(message) else { continue };
        let Some((&(first, _, place), others)) = group.split_first() else { continue };
        let mut line = format!(" {place} {message}");
        if others.len() > 1 {
            doc.state("also");
            line.push_str("\n  also");
            for &(at, name, place) in others {
                line.push(' ');
                line.push_str(name);
                line.push(':');
                line.push_str(place);
                doc.fold(at);
            }
        } else {
            for &(at, _, place) in others {
                doc.replace(at, format!(" {place} {message}"));
            }
        }
        doc.replace(first, line);
    }
    for &(_, end) in &files {
        if doc.line(end).is_empty() {
            doc.drop_line(end, Kind::Header);
        }
    }
}

/// Runs of blanks are one: columns are padding.
fn squeeze(text: &str, out: &mut String) {
    out.clear();
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Bytes of the directory that all names share; the full names stand in the headings.
fn root(names: &[&str]) -> usize {
    let Some((first, others)) = names.split_first() else { return 0 };
    let mut common = first.rfind('/').map_or(0, |at| at + 1);
    for name in others {
        let same = first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count().min(common);
        common = first
            .as_bytes()
            .get(..same)
            .and_then(|front| front.iter().rposition(|b| *b == b'/'))
            .map_or(0, |at| at + 1);
    }
    common
}
