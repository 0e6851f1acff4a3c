//! Real captures, mutations of them, and the laws every result obeys; shared by tests and the fuzzer.
//!
//! The oracles here are written apart from the crate's own checks on purpose: they read the raw text
//! with their own patterns, so a mistake in the crate is not repeated in what judges it.

#![expect(
    clippy::expect_used,
    reason = "outside `#[test]` functions clippy does not know that this is test code"
)]

use pi_minimizer::{Command, Minimized, Options, minimize};
use regex::Regex;
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// One capture of a real tool.
#[derive(Debug, Clone)]
pub(crate) struct Capture {
    /// Name of its folder.
    pub(crate) name: String,
    /// The command line.
    pub(crate) command: String,
    /// What it printed.
    pub(crate) output: String,
    /// Its exit status.
    pub(crate) exit: i32,
    /// Parts that must survive.
    pub(crate) facts: Vec<String>,
    /// The output must come back byte for byte.
    pub(crate) untouched: bool,
}

/// All captures of `test/minimizer/cases`, sorted by name.
pub(crate) fn captures() -> Vec<Capture> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/minimizer/cases");
    let mut names: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the corpus is part of the repository")
        .map(|entry| entry.expect("readable").path())
        .collect();
    names.sort();
    names
        .into_iter()
        .filter(|path| path.join("out.txt").exists())
        .map(|path| {
            let read = |file: &str| fs::read_to_string(path.join(file)).unwrap_or_default();
            Capture {
                name: path
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default(),
                command: read("cmd").trim_end().to_owned(),
                output: read("out.txt"),
                exit: read("exit").trim().parse().expect("exit holds a number"),
                facts: read("facts.txt")
                    .lines()
                    .filter(|line| !line.is_empty())
                    .map(str::to_owned)
                    .collect(),
                untouched: path.join("untouched").exists(),
            }
        })
        .collect()
}

/// A small generator with a state we choose: the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number (xorshift64*).
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, 0 where `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or(0)
    }
}

static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][AB012]")
        .expect("valid")
});

static COLOURS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\x1b\[[0-9;]*m").expect("valid"));

/// Text without colours and titles, white space collapsed: what the scorer compares.
pub(crate) fn normal(text: &str) -> String {
    ESCAPES.replace_all(text, "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Changes a capture as time, width, colour, versions and interleaving change real outputs.
pub(crate) fn mutate(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        let at = random.below(lines.len());
        match random.below(12) {
            0 => lines.iter_mut().for_each(|line| *line = line.replace('1', "7").replace('3', "0")),
            1 => lines
                .iter_mut()
                .step_by(3)
                .for_each(|line| *line = format!("\x1b[31m{line}\x1b[0m")),
            2 => lines.iter_mut().for_each(|line| line.push('\r')),
            3 => lines.insert(
                at,
                format!("warning: interleaved line {} of standard error", random.below(1000)),
            ),
            4 => lines.insert(
                at,
                format!(
                    "error: something broke in src/extra_{}.rs:{}:7",
                    random.below(90),
                    random.below(400) + 1
                ),
            ),
            5 => lines.truncate(at.max(30)),
            6 => {
                let rest = lines.split_off(at);
                lines = if rest.len() > 30 { rest } else { lines };
            }
            7 => {
                let block: Vec<String> = lines.iter().skip(at).take(20).cloned().collect();
                lines.extend(block);
            }
            8 => {
                for line in &mut lines {
                    *line = line.replace("src/", "packages/core/lib/");
                }
            }
            9 => lines.iter_mut().for_each(|line| *line = line.replace("  ", " ")),
            10 if at + 1 < lines.len() => lines.swap(at, at + 1),
            _ => lines.insert(at, "unrecognised: the quick brown fox 4711".to_owned()),
        }
        if lines.is_empty() {
            break;
        }
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// What a caller ends up with.
pub(crate) fn visible(command: &str, output: &str, exit: i32) -> String {
    minimize(Command::Text(command), output, exit, &Options::default())
        .map_or_else(|| output.to_owned(), |result| result.text)
}

/// Notice lines, by the grammar of the documentation.
static NOTICE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\[-- \d+ [a-z ]+(?:, \d+ [a-z ]+)* removed(?:; full: \S+)?\]$").expect("valid")
});
static REPEATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\[-- last \d+ lines repeated \d+ more times\]$").expect("valid")
});

/// True for a notice.
pub(crate) fn is_notice(line: &str) -> bool {
    NOTICE.is_match(line)
}

/// Lines that say without doubt that something is wrong.
static ALARM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:error(?:\[\w+\])?: |fatal: |E   |CONFLICT |npm error code |\S+:\d+:\d+: (?:fatal )?error: )|panicked at|^--- FAIL|: error TS\d+|\bAssertionError\b|undefined reference to").expect("valid")
});

/// Ids of failing tests, by the result lines of six runners.
static FAILING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^test (\S+) (?:- should panic )?\.\.\. FAILED$|^FAILED (\S+)|^(\S+\.py::\S+) FAILED|^\s*--- FAIL: (\S+)|^\s+[✕×] (.+?)(?: \(?\d+ ?ms\)?)?$|^not ok \d+ - (.+)$").expect("valid")
});

/// Words in the sense of the crate: letters, digits, underscores.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.chars().any(|c| c != '_'))
}

/// Checks the laws that hold for every command, text and status. The message names the broken law.
pub(crate) fn check_laws(command: &str, output: &str, exit: i32) -> Result<(), String> {
    let Some(result) = minimize(Command::Text(command), output, exit, &Options::default()) else {
        return Ok(());
    };
    let text = &result.text;
    let plain = ESCAPES.replace_all(output, "");
    let law = |holds: bool, name: &str| {
        if holds { Ok(()) } else { Err(format!("{name}: `{command}` exit {exit}\n{text}")) }
    };
    law(
        text.len() < output.len()
            && result.output_bytes == text.len()
            && result.input_bytes == output.len(),
        "P1 never longer",
    )?;
    law(visible(command, text, exit) == *text, "P2 idempotent")?;
    law(
        minimize(Command::Text(command), output, exit, &Options::default()).as_ref()
            == Some(&result),
        "P3 deterministic",
    )?;
    law(!text.contains('\x1b'), "P5 no half sequence")?;
    law(!text.trim().is_empty() || plain.trim().is_empty(), "P10/P11 not empty")?;
    notices(&result, output).or_else(|problem| law(false, &problem))?;
    // Where the cursor moved, the raw text is not what was on the screen.
    let moved = output.replace("\r\n", "\n").contains(['\r', '\x08'])
        || COLOURS.replace_all(output, "").contains('\x1b');
    if !moved {
        invention(text, &plain).or_else(|problem| law(false, &problem))?;
        survival(text, &plain, &result.filter).or_else(|problem| law(false, &problem))?;
        if !result.filter.contains("listing") {
            order(text, &plain).or_else(|problem| law(false, &problem))?;
        }
    }
    Ok(())
}

/// P21: one notice, the last line, where something was removed.
fn notices(result: &Minimized, output: &str) -> Result<(), String> {
    let before = output.lines().filter(|line| is_notice(line)).count();
    let after = result.text.lines().filter(|line| is_notice(line)).count();
    let ends = result.text.lines().last().is_some_and(is_notice);
    if after > before + 1
        || (after > before && !ends)
        || (result.filter == "lossless" && after > before)
    {
        return Err(format!("P21 one notice, at the end ({before} before, {after} after)"));
    }
    Ok(())
}

/// P6: every word was printed by the program, or belongs to the marker grammar.
fn invention(text: &str, plain: &str) -> Result<(), String> {
    let printed: HashSet<&str> = words(plain).collect();
    for line in text.lines().filter(|line| !is_notice(line) && !REPEATED.is_match(line)) {
        let ours = |word: &str| {
            let count = word.strip_prefix('x').unwrap_or(word);
            matches!(word, "also" | "last" | "where" | "date" | "d") || count.bytes().all(|b| b.is_ascii_digit())
                // A short hash is the beginning of a long one.
                || word.len() == 7 && line.contains("commit ") && plain.contains(word)
        };
        if let Some(word) = words(line).find(|word| !printed.contains(word) && !ours(word)) {
            return Err(format!("P6 `{word}` was never printed, in `{line}`"));
        }
    }
    Ok(())
}

/// P8 and P9: alarms and failing ids survive.
fn survival(text: &str, plain: &str, filter: &str) -> Result<(), String> {
    // A diff, a hit, a file name and a folded log quote other people's alarms; their own laws are in golden.rs.
    if ["git", "search", "log", "outline", "listing"]
        .iter()
        .any(|name| filter.split('+').any(|part| part == *name))
    {
        return Ok(());
    }
    let kept: HashSet<&str> = words(text).collect();
    for line in plain.lines().filter(|line| ALARM.is_match(line)) {
        if let Some(word) = words(line).find(|word| !kept.contains(word)) {
            return Err(format!("P8 `{word}` of `{line}` is lost"));
        }
    }
    for found in FAILING.captures_iter(plain) {
        let id = found.iter().skip(1).flatten().next().map_or("", |id| id.as_str());
        if !normal(text).contains(&normal(id)) {
            return Err(format!("P9 failing `{id}` is lost"));
        }
    }
    Ok(())
}

/// P7: lines that stand once in both texts stand in the same order. Drawn rules shrink and then look alike.
fn order(text: &str, plain: &str) -> Result<(), String> {
    let once = |text: &str| -> Vec<String> {
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim_end)
            .filter(|line| line.len() > 12 && line.contains(char::is_alphanumeric))
            .collect();
        let mut seen: HashSet<&str> = HashSet::new();
        let twice: HashSet<&str> =
            lines.iter().copied().filter(|line| !seen.insert(line)).collect();
        lines.iter().filter(|line| !twice.contains(*line)).map(|line| (*line).to_owned()).collect()
    };
    let (ours, theirs) = (once(text), once(plain));
    let theirs_set: HashSet<&String> = theirs.iter().collect();
    let ours_set: HashSet<&String> = ours.iter().collect();
    let left: Vec<&String> = ours.iter().filter(|line| theirs_set.contains(line)).collect();
    let right: Vec<&String> = theirs.iter().filter(|line| ours_set.contains(line)).collect();
    match left.iter().zip(&right).find(|(a, b)| a != b) {
        Some((line, _)) => Err(format!("P7 `{line}` changed its place")),
        None => Ok(()),
    }
}

/// A command of each family, and of a script whose output is known by its text.
pub(crate) const EVERY_FAMILY: [&str; 24] = [
    "cargo test",
    "npx jest",
    "git log -p",
    "git status",
    "git diff",
    "git push",
    "make",
    "npm ls",
    "npm i",
    "find .",
    "ls -lR",
    "tar -xvf a.tar",
    "tree",
    "grep -rn x .",
    "cat x.log",
    "pytest",
    "go test ./...",
    "mvn test",
    "terraform plan",
    "npx tsc",
    "npx eslint .",
    "pip list",
    "docker build .",
    "./run.sh",
];

/// Texts of about `size` bytes, each the worst of its kind: one line, nothing but line ends, cursors that move, deep
/// trees, messages that are all equal and all different, frames without an exception.
#[expect(clippy::format_collect, reason = "a test builds its text the short way")]
pub(crate) fn adversarial(size: usize) -> Vec<String> {
    let texts = vec![
        "a".repeat(size),
        "\n".repeat(size),
        "ab\n".repeat(size / 3),
        (0..size / 8).map(|i| format!("{}\n", i % 13)).collect(),
        format!("{}\n", "x".repeat(size / 2)) + &"\rx".repeat(size / 4),
        "\u{1b}[1A\u{1b}[2Kx\n".repeat(size / 10),
        "\u{1b}[999Cx\n".repeat(size / 8),
        (0..size / 40).map(|i| format!("{}deeper {i}\n", " ".repeat(i % 64))).collect(),
        (0..size / 40).map(|i| format!("src/f{i}.c:{i}:1: warning: message {i}\n")).collect(),
        "src/f.c:1:1: warning: the same message\n".repeat(size / 40),
        "error: x\n\n".repeat(size / 10),
        (0..size / 60)
            .map(|i| {
                format!(
                    "2026-01-01T10:00:00Z INFO event {} of kind {}\n",
                    i,
                    char::from(b'a' + u8::try_from(i % 26).unwrap_or(0))
                )
            })
            .collect(),
        "\tat a.b(C.java:1)\n".repeat(size / 18),
        (0..size / 48)
            .map(|i| format!("goroutine {i} [running]:\nmain.f()\n\t/a.go:{i} +0x1\n\n"))
            .collect(),
        (0..size / 40).map(|i| format!("ok {i} - a\n  ---\n  duration_ms: 1\n")).collect(),
        "{\"".repeat(size / 2),
        (0..size / 60)
            .map(|i| format!("[-- last 99999999 lines repeated {i} more times]\nok {i} - a\n"))
            .collect(),
        // One message at as many places, reports that name what they never report, heads of commits and nothing else.
        (0..size / 44).map(|i| format!("src/f{i}.c:{i}:1: warning: the same message\n")).collect(),
        (0..size / 24).map(|i| format!("# Subtest: {i}x\n")).collect(),
        (0..size / 80)
            .map(|i| format!("commit {i:040x}\nAuthor: a <a@b>\n\n    {i}\n\n"))
            .collect(),
        "a.b:1:1".repeat(size / 7) + "\nerror: a.b:1 a.b:2\n",
    ];
    // All of it is one-byte characters where a cut can fall.
    texts
        .into_iter()
        .map(|mut text: String| {
            text.truncate(size);
            text
        })
        .collect()
}
