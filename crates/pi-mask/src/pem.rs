//! Private keys in PEM and PGP armour, byte by byte: a block of many lines that comes in any number of reads.
//!
//! RFC 7468 (PKCS #8, PKCS #1, SEC 1), RFC 1421 headers, RFC 9580 armour, OpenSSH's own label. What stands before the
//! lines of a block in other files is skipped: indentation, quotes, `+` of a diff, numbers of lines. A block whose end
//! is missing ends with the first line that cannot be one of a key, so prose behind `head -3 key.pem` stays.

/// What a block begins with.
pub(super) const PREFIX: &[u8] = b"-----BEGIN ";

/// Longest block, in bytes: an RSA key of 16,384 bits takes 13 KiB.
pub(super) const MAX_BLOCK: u64 = 16 * 1024;

/// Longest label, `ENCRYPTED PRIVATE KEY` and its kind.
const MAX_LABEL: usize = 40;

/// From this length on, characters of base64 without a break are a part of a key. No word of prose is so long.
const LEAST_RUN: usize = 20;

/// Most bytes that may wait for what decides about them: some short lines, or a header.
const MAX_WAITING: u64 = 512;

/// What is known of a line of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Nothing but what stands before a line's text.
    Start,
    /// Characters of base64, or the name of a header.
    Text,
    /// Blanks and punctuation behind the text.
    Trail,
    /// A header; its text goes to the end of the line.
    Header,
    /// A backslash: the next byte says what it stands for.
    Escape,
    /// So many dashes.
    Dashes(usize),
    /// So many dashes behind the text of the line: the end of a key on one line.
    Ending(usize),
    /// The last line, behind its first dashes, and the dashes at its end.
    Closing(usize),
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    /// The label, and the dashes behind it.
    Label(usize),
    Body(Line),
}

/// A block under way.
#[derive(Debug, Clone)]
pub(super) struct Pem {
    /// Where its first dash stands in the stream.
    pub(super) start: u64,
    /// The next byte to look at.
    pub(super) at: u64,
    /// Bytes before are a part of the key, once `is_key`.
    decided: u64,
    /// Where the body begins.
    body_at: u64,
    phase: Phase,
    label: Vec<u8>,
    /// The text of the line.
    text: Vec<u8>,
    /// Characters of base64 without a break.
    run: usize,
    is_key: bool,
}

/// What a byte makes of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// It goes on.
    Open,
    /// It is over, with this byte or before it.
    Over,
}

impl Pem {
    /// A block whose `PREFIX` ends at `at`.
    pub(super) fn new(at: u64) -> Self {
        let start = at.saturating_sub(PREFIX.len() as u64);
        Self {
            start,
            at,
            decided: start,
            body_at: at,
            phase: Phase::Label(0),
            label: Vec::new(),
            text: Vec::new(),
            run: 0,
            is_key: false,
        }
    }

    /// The end of what is known to be a part of a key. `None`: nothing is.
    pub(super) fn end(&self) -> Option<u64> {
        self.is_key.then_some(self.decided)
    }

    /// From here on it is undecided whether bytes belong to the key.
    pub(super) fn undecided_from(&self) -> u64 {
        self.decided
    }

    /// Up to here the bytes say nothing about the key: its label, which is public.
    pub(super) fn harmless_until(&self) -> u64 {
        match self.phase {
            Phase::Label(_) => self.at,
            Phase::Body(_) if self.is_key => self.decided,
            Phase::Body(_) => self.body_at,
        }
    }

    /// Nothing follows: a line that was cut belongs to the key.
    pub(super) fn close(&mut self) {
        let is_cut = matches!(
            self.phase,
            Phase::Body(Line::Text | Line::Dashes(_) | Line::Ending(_) | Line::Closing(_))
        );
        if self.is_key && is_cut {
            self.decided = self.at;
        }
    }

    /// Takes the next byte of the stream.
    pub(super) fn step(&mut self, byte: u8) -> Progress {
        // Not one byte more: masks look no further back for the beginning of a secret.
        if self.at - self.start >= MAX_BLOCK {
            return Progress::Over;
        }
        let next = match self.phase {
            Phase::Label(dashes) => self.step_label(dashes, byte),
            Phase::Body(line) => self.step_body(line, byte).map(Phase::Body),
        };
        let waits_too_long = self.at.saturating_sub(self.decided) > MAX_WAITING;
        match next {
            Some(next) if !waits_too_long => {
                self.at += 1;
                self.phase = next;
                Progress::Open
            }
            _ => Progress::Over,
        }
    }

    fn step_label(&mut self, dashes: usize, byte: u8) -> Option<Phase> {
        match byte {
            b'-' if dashes < 4 => Some(Phase::Label(dashes + 1)),
            b'-' => {
                let is_private = self.label.ends_with(b"PRIVATE KEY")
                    || self.label.ends_with(b"PRIVATE KEY BLOCK");
                self.body_at = self.at + 1;
                is_private.then_some(Phase::Body(Line::Start))
            }
            b'A'..=b'Z' | b'0'..=b'9' | b' ' if dashes == 0 && self.label.len() < MAX_LABEL => {
                self.label.push(byte);
                Some(Phase::Label(0))
            }
            _ => None,
        }
    }

    /// What the line is with this byte. `None`: no line of a key, or the end of the last one.
    fn step_body(&mut self, line: Line, byte: u8) -> Option<Line> {
        if byte == b'\n' {
            self.end_line();
            return match line {
                Line::Closing(_) => None,
                _ => Some(Line::Start),
            };
        }
        match line {
            Line::Start => self.start_line(byte),
            Line::Text => self.step_text(byte),
            Line::Trail => match byte {
                b'-' => Some(Line::Ending(1)),
                b'\\' => Some(Line::Escape),
                _ => is_margin(byte).then_some(Line::Trail),
            },
            Line::Ending(count) => match byte {
                b'-' if count < 5 => Some(Line::Ending(count + 1)),
                b'E' if count == 5 => Some(self.begin_closing()),
                _ => None,
            },
            Line::Header => Some(if byte == b'\\' { Line::Escape } else { Line::Header }),
            Line::Escape => match byte {
                b'n' | b'r' => {
                    self.end_line();
                    Some(Line::Start)
                }
                b'\\' | b'"' => Some(Line::Escape),
                _ => None,
            },
            Line::Dashes(count) => self.step_dashes(count, byte),
            Line::Closing(dashes) => match byte {
                b'-' if dashes == 4 => {
                    self.decide(1);
                    None
                }
                b'-' => Some(Line::Closing(dashes + 1)),
                b'A'..=b'Z' | b'0'..=b'9' | b' ' if dashes == 0 && self.text.len() < MAX_LABEL => {
                    self.text.push(byte);
                    Some(Line::Closing(0))
                }
                _ => None,
            },
        }
    }

    fn start_line(&mut self, byte: u8) -> Option<Line> {
        match byte {
            b'-' => Some(Line::Dashes(1)),
            b'\\' => Some(Line::Escape),
            _ if is_base64(byte) && byte != b'+' => {
                self.add(byte);
                Some(Line::Text)
            }
            _ => is_margin(byte).then_some(Line::Start),
        }
    }

    fn step_text(&mut self, byte: u8) -> Option<Line> {
        if is_base64(byte) {
            self.add(byte);
            return Some(Line::Text);
        }
        let is_number = self.text.len() < 8 && self.text.iter().all(u8::is_ascii_digit);
        match byte {
            // The number of a line, as `cat -n`, `grep -n` and editors write it.
            b' ' | b'\t' | b':' | b'|' | b'-' if is_number => {
                self.end_line();
                Some(Line::Start)
            }
            b':' if is_header(&self.text) => {
                self.run = 0;
                Some(Line::Header)
            }
            b'-' if self.text.len() < 8 => {
                self.text.push(byte);
                Some(Line::Text)
            }
            b'\\' => Some(Line::Escape),
            // A key on one line, as in a variable.
            b' ' if self.run >= LEAST_RUN => {
                self.end_line();
                Some(Line::Start)
            }
            _ => is_margin(byte).then_some(Line::Trail),
        }
    }

    fn step_dashes(&mut self, count: usize, byte: u8) -> Option<Line> {
        match byte {
            // One more may be the mark of a removed line in a diff.
            b'-' if count < 6 => Some(Line::Dashes(count + 1)),
            b'E' if count >= 5 => Some(self.begin_closing()),
            _ if count == 1 => self.start_line(byte),
            _ => None,
        }
    }

    fn begin_closing(&mut self) -> Line {
        self.text.clear();
        Line::Closing(0)
    }

    /// Adds a character of base64 to the line.
    fn add(&mut self, byte: u8) {
        self.text.push(byte);
        self.text.truncate(MAX_LABEL);
        self.run += 1;
        if self.run >= LEAST_RUN {
            self.is_key = true;
            self.decide(1);
        }
    }

    /// All up to the byte under way, and `more`, belongs to the key.
    fn decide(&mut self, more: u64) {
        if self.is_key {
            self.decided = self.at + more;
        }
    }

    fn end_line(&mut self) {
        if self.run >= LEAST_RUN {
            self.decide(0);
        }
        self.text.clear();
        self.run = 0;
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// What stands around the lines of a key in source code, YAML, diffs and quotations.
fn is_margin(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\r' | b'+' | b'|' | b'>' | b'#' | b'*' | b'"' | b'\'' | b',' | b';' | b'`'
    )
}

/// Headers of RFC 1421 and of armour.
fn is_header(name: &[u8]) -> bool {
    const NAMES: &[&[u8]] =
        &[b"Proc-Type", b"DEK-Info", b"Version", b"Comment", b"Hash", b"Charset", b"MessageID"];
    NAMES.contains(&name)
}

#[cfg(test)]
#[path = "pem_cases.rs"]
mod cases;
