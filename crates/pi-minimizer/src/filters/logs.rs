//! Service logs: lines with a time stamp, folded by template.
//!
//! A service says the same thing a thousand times with other numbers. The first occurrence stands
//! verbatim in its place with a count and the time of the last; a line whose template is rare stands
//! as it is, so the odd one out is easier to see than in the original. Continuation lines (a stack
//! below an error) belong to their event: events fold only where all their lines have one template.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::text::lines;
use crate::text::words::{self, FixedMap};

pub(crate) static FAMILY: Family = Family {
    name: "log",
    prints: |target| {
        matches!(target.program.as_str(), "journalctl" | "dmesg" | "stern" | "klog")
            || (matches!(
                target.program.as_str(),
                "docker" | "podman" | "kubectl" | "docker-compose" | "oc" | "heroku"
            ) && target.args.iter().any(|arg| arg == "logs"))
    },
    // Every other text is asked by `is_log`, which costs one look at the front of each line.
    signature: &[""],
    alone: false,
    policy: Policy::MASKED,
    mark,
};

/// Events of one template that stand before the rest folds: two lines show what varies.
const SHOWN: usize = 2;
/// The same for errors, whose identifiers someone may have to look up.
const SHOWN_ERRORS: usize = 3;
/// Fewer lines than this are read faster than they are explained.
const MIN_LINES: usize = 12;

/// True where most lines begin with a time stamp or continue one that does.
pub(crate) fn is_log(doc: &Doc<'_>) -> bool {
    if doc.len() < MIN_LINES {
        return false;
    }
    let (mut stamped, mut blank, mut others) = (0, 0, 0);
    for line in &doc.lines {
        if line.is_empty() || line.starts_with([' ', '\t']) {
            blank += 1;
        } else if stamp_end(line).is_some() {
            stamped += 1;
        } else {
            others += 1;
            // Even if all that follow had a stamp: most texts are no log, and say so soon.
            if others * 5 > doc.len() {
                return false;
            }
        }
    }
    stamped >= MIN_LINES / 2 && stamped * 10 >= (doc.len() - blank) * 8 && stamped * 3 >= doc.len()
}

fn mark(doc: &mut Doc<'_>, _run: &Run<'_>) -> Result<(), OverBudget> {
    if !is_log(doc) {
        return Ok(());
    }
    doc.spend(doc.len())?;
    let events = events(doc);
    let mut groups: FixedMap<u64, Vec<usize>> = FixedMap::default();
    let mut template = String::new();
    let mut key = String::new();
    for (index, event) in events.iter().enumerate() {
        key.clear();
        for at in event.clone() {
            let line = doc.line(at);
            // The same words of two services are two events.
            key.push_str(lines::upto(line, prefix_end(line)));
            words::template(lines::from(line, stamp_end(line).unwrap_or(0)), &mut template);
            key.push_str(&template);
            key.push('\n');
        }
        groups.entry(words::hash(&key)).or_default().push(index);
    }
    let mut order: Vec<&Vec<usize>> = groups.values().collect();
    order.sort_unstable_by_key(|group| group.first().copied());
    for group in order {
        let first = group.first().and_then(|index| events.get(*index)).cloned().unwrap_or(0..0);
        let shown = if is_trouble(doc.line(first.start)) { SHOWN_ERRORS } else { SHOWN };
        if group.len() <= shown + 1 {
            continue;
        }
        fold(doc, &events, group, shown);
    }
    Ok(())
}

/// Drops all events of a group but the first `shown`, and says so behind the last one shown.
fn fold(doc: &mut Doc<'_>, events: &[std::ops::Range<usize>], group: &[usize], shown: usize) {
    let rest = group.get(shown..).unwrap_or(&[]);
    let Some(last_shown) = group.get(shown - 1).and_then(|index| events.get(*index)).cloned()
    else {
        return;
    };
    let last =
        rest.last().and_then(|index| events.get(*index)).map_or("", |event| doc.line(event.start));
    let stamp =
        lines::from(lines::upto(last, stamp_end(last).unwrap_or(0)), prefix_end(last)).trim();
    for event in rest.iter().filter_map(|index| events.get(*index)) {
        doc.drop_lines(event.clone(), Kind::Log);
    }
    let times = rest.len() + 1;
    let count =
        if stamp.is_empty() { format!("(x{times})") } else { format!("(x{times}, last {stamp})") };
    doc.state("last");
    let line = format!("{} {count}", doc.line(last_shown.start));
    doc.replace(last_shown.start, line);
}

/// Lines with a stamp, each with the lines that continue it.
fn events(doc: &Doc<'_>) -> Vec<std::ops::Range<usize>> {
    let mut events: Vec<std::ops::Range<usize>> = Vec::new();
    for at in 0..doc.len() {
        let line = doc.line(at);
        match events.last_mut() {
            Some(event) if stamp_end(line).is_none() && !line.is_empty() => event.end = at + 1,
            _ => events.push(at..at + 1),
        }
    }
    events
}

fn is_trouble(line: &str) -> bool {
    lines::contains_any(
        line,
        &["ERROR", "FATAL", "CRIT", "error", "Error", "panic", "SEVERE", "Exception"],
    )
}

/// Where the name of the service ends that compose puts in front: `web-1  | `.
fn prefix_end(line: &str) -> usize {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b' ' | b'.');
    match line.split_once('|') {
        Some((name, rest))
            if name.len() < 40 && rest.starts_with(' ') && name.bytes().all(plain) =>
        {
            name.len() + 2
        }
        _ => 0,
    }
}

/// Where the time stamp at the front of a line ends: after it, brackets and a compose-style prefix.
pub(crate) fn stamp_end(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = prefix_end(line);
    if bytes.get(at) == Some(&b'[') {
        at += 1;
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
    }
    let stamp = lines::from(line, at);
    let length = iso(stamp)
        .or_else(|| syslog(stamp))
        .or_else(|| clock(stamp))
        .or_else(|| seconds(stamp))
        .or_else(|| access(stamp))?;
    let mut end = at + length;
    while matches!(bytes.get(end), Some(b']' | b' ' | b',' | b':' | b'\t')) {
        end += 1;
    }
    Some(end)
}

/// Checks `text` against a shape in which `0` is a digit and everything else stands for itself.
fn shaped(text: &str, shape: &str) -> bool {
    text.len() >= shape.len()
        && text
            .bytes()
            .zip(shape.bytes())
            .all(|(b, s)| if s == b'0' { b.is_ascii_digit() } else { b == s })
}

/// Length of the clock's tail: fractions and zone.
fn tail(text: &str) -> usize {
    text.bytes()
        .take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b':' | b'Z' | b'+' | b'-'))
        .count()
}

/// `2026-03-04T09:15:00.578Z`, `2026/03/04 09:15:00,123`.
fn iso(text: &str) -> Option<usize> {
    let date = shaped(text, "0000-00-00") || shaped(text, "0000/00/00");
    let time = lines::from(text, 11);
    (date
        && text.as_bytes().get(10).is_some_and(|b| matches!(b, b'T' | b' '))
        && shaped(time, "00:00:00"))
    .then(|| 11 + tail(time))
}

/// `Mar  4 09:15:00 host`.
fn syslog(text: &str) -> Option<usize> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let time = lines::from(text, 7);
    (lines::starts_with_any(text, &MONTHS) && shaped(time, "00:00:00")
        || lines::starts_with_any(text, &MONTHS) && shaped(time, " 00:00:00"))
    .then(|| 7 + time.len().min(9))
    .filter(|end| *end <= text.len())
}

/// `09:15:00.578`.
fn clock(text: &str) -> Option<usize> {
    shaped(text, "00:00:00").then(|| tail(text))
}

/// `12.345678] usb` of the kernel, `1772615700.578 `.
fn seconds(text: &str) -> Option<usize> {
    let (whole, rest) = lines::number(text)?;
    let (fraction, after) = lines::number(rest.strip_prefix('.')?)?;
    (fraction.len() >= 3 && after.starts_with([']', ' ']))
        .then_some(whole.len() + 1 + fraction.len())
}

/// `10.0.0.1 - - [04/Mar/2026:09:15:00 +0000]`: the address is part of the event, so nothing is cut off.
fn access(text: &str) -> Option<usize> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (_, rest) = text.split_once(" [")?;
    let day = lines::from(rest, 2);
    (shaped(rest, "00/") && shaped(lines::from(day, 4), "/0000:00:00:00")).then_some(0)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "offsets come from the function under test")]
mod tests {
    use super::{FAMILY, stamp_end};
    use crate::doc::Doc;
    use crate::family::Run;

    #[test]
    fn stamps_are_known_in_the_spellings_of_services() {
        for (line, rest) in [
            ("2026-03-04T09:15:00.578Z INFO  [http] GET", "INFO  [http] GET"),
            ("2026-03-04 09:15:00,123 ERROR x", "ERROR x"),
            ("[2026-03-04T09:15:00Z] warn", "warn"),
            ("Mar  4 09:15:00 host sshd[1]: x", "host sshd[1]: x"),
            ("Mar 14 09:15:00 host x", "host x"),
            ("09:15:00 worker x", "worker x"),
            ("[   12.345678] usb 1-1", "usb 1-1"),
            ("web-1  | 2026-03-04T09:15:00Z up", "up"),
        ] {
            let end = stamp_end(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(&line[end..], rest);
        }
        for line in ["src/a.ts:12:3 x", "v1.2.3", "error: 12:00", "10 files"] {
            assert_eq!(stamp_end(line), None, "{line}");
        }
    }
    fn folded(text: &str) -> String {
        let mut doc = Doc::new(text);
        (FAMILY.mark)(&mut doc, &Run { target: None, failed: true }).unwrap();
        doc.render(true)
    }

    #[test]
    fn events_of_one_template_fold_behind_the_second() {
        let lines: Vec<String> =
            (0..20).map(|i| format!("2026-01-01T10:00:{i:02}Z INFO GET /a/{i} 200")).collect();
        assert_eq!(
            folded(&lines.join("\n")),
            "2026-01-01T10:00:00Z INFO GET /a/0 200\n2026-01-01T10:00:01Z INFO GET /a/1 200 (x19, last 2026-01-01T10:00:19Z)\n"
        );
    }

    #[test]
    fn the_odd_event_and_its_stack_stay() {
        let mut lines: Vec<String> =
            (0..40).map(|i| format!("2026-01-01T10:00:{i:02}Z INFO GET /a/{i} 200")).collect();
        lines.insert(20, "2026-01-01T10:00:20Z ERROR lost order 7\n    at f (a.ts:3:4)".to_owned());
        lines.insert(30, "2026-01-01T10:00:30Z INFO GET /a/9 503".to_owned());
        let out = folded(&lines.join("\n"));
        assert!(out.contains("ERROR lost order 7\n    at f (a.ts:3:4)\n"), "{out}");
        assert!(out.contains("GET /a/9 503\n"), "{out}");
    }

    #[test]
    fn two_services_are_two_events() {
        let lines: Vec<String> = (0..40)
            .map(|i| format!("{}  | 2026-01-01T10:00:{i:02}Z up {i}", ["web", "db"][i % 2]))
            .collect();
        let out = folded(&lines.join("\n"));
        assert_eq!(out.matches("(x19, last 2026").count(), 2, "{out}");
    }
}
