//! What the host and bash say to each other: the texts sent to bash and the frames it answers.
//!
//! # Theory of operation
//! A session's bash reads its script from a pipe that the host holds. A pipe cannot be read
//! ahead, so bash reads script lines byte by byte; therefore each order is one short fixed line,
//! `TRAMPOLINE`, followed by a message of exactly `MESSAGE_BYTES`, which `read -N` takes in one
//! system call. The message is itself a complete line: where the trampoline was destroyed, bash
//! reads the message as script and does the same.
//!
//! Bash answers on its own standard output, which is redirected only around the command: a child
//! never holds it. A frame carries the random token of its order, so that output which looks like
//! a frame is none. Everything else on that pipe is noise (traces, traps, job notices).
//!
//! Every word here begins with a backslash or is quoted, so that aliases do not matter; the
//! driver's functions were parsed before the first command. Pure text: no process is touched.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use crate::request::EnvironmentEntry;

/// Size of a message. Larger ones go through a file: `read -N` handles each character.
pub(super) const MESSAGE_BYTES: usize = 512;

/// Longest command written into its order: the rest of a message is for the driver.
const MAX_INLINE_BYTES: usize = 256;

/// The line before each message.
///
/// The redirection changes no descriptor: its expansion puts bash's line counter back, so that
/// every command counts its lines from 1, as a script of its own does. An assignment by a command
/// would be undone when that command ends.
const TRAMPOLINE: &str = "{ \\eval \"$__p\";}<&$((LINENO=0))\n";

/// Characters of a token: 128 random bits in hexadecimal.
const TOKEN_LENGTH: usize = 32;

/// Noise kept while looking for a frame. A frame's longest field is the text of a trap.
const MAX_NOISE_BYTES: usize = 1024 * 1024;

/// Noise remembered between two orders: enough for what an EXIT trap prints.
const KEPT_NOISE_BYTES: usize = 256 * 1024;

/// Identifies one order; only its answer knows it.
pub(super) type Token = String;

/// Makes tokens that cannot be guessed, without a system call for each.
///
/// Each is a pair of `SipHash` values of a counter under keys that the standard library draws from
/// the system's random source; keys and counter never leave this process.
pub(super) struct TokenSource {
    keys: [RandomState; 2],
    counter: u64,
}

impl TokenSource {
    /// A source with fresh keys.
    pub(super) fn new() -> Self {
        Self { keys: [RandomState::new(), RandomState::new()], counter: 0 }
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token {
        self.counter += 1;
        let [first, second] = &self.keys;
        format!("{:016x}{:016x}", first.hash_one(self.counter), second.hash_one(self.counter))
    }
}

/// `text` as one word of bash, on one line, that expands to exactly these bytes.
///
/// On one line, since bash numbers a command by the line on which its last word ends: lines inside
/// of a word would be counted twice.
pub(super) fn quote(text: &str) -> String {
    if text.contains('\n') {
        let escaped = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
        return format!("$'{escaped}'");
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for piece in text.split_inclusive('\'') {
        match piece.strip_suffix('\'') {
            Some(before) => {
                quoted.push_str(before);
                quoted.push_str("'\\''");
            }
            None => quoted.push_str(piece),
        }
    }
    quoted.push('\'');
    quoted
}

/// The session's private folder as it stands in texts; its path needs no quoting.
fn plain(path: &Path) -> String {
    path.display().to_string()
}

/// The driver: defines the trampoline's text and the functions that answer, then greets.
///
/// `__pi_r` sets `$?`; `__pi_e` ends a command (errexit and verbose are scoped to it) and reports
/// by `__pi_w`, also where builtins were disabled; `__pi_t` tells the EXIT trap; `__pi_f` leaves a
/// frozen copy of the shell, the standby, which obeys orders from a FIFO. It has a process group of its own, so that `kill 0` does not reach it;
/// it sets no traps, so that its saved state has those of the user. See docs/session-protocol.md.
pub(super) fn boot_text(folder: &Path, generation: u64, token: &str) -> String {
    format!(
        concat!(
            r#"{{ BASH_ARGV0=bash;\unalias -a;{driver};{trap};"#,
            r#"\builtin printf '\001%s r %s %s %s\000\002' {token} "${{BASH_VERSINFO[0]}}" "${{BASH_VERSINFO[1]}}" "$BASHPID";}}<&$((LINENO=0))"#,
            "\n"
        ),
        driver = driver_text(),
        trap = exit_trap(folder, generation),
        token = token,
    )
}

/// The variables and functions of the driver. Set anew after a state was restored, which has them
/// as a command may have left them.
fn driver_text() -> String {
    format!(
        concat!(
            r#"__pi_m= __pi_f= __pi_d= __pi_c=;__p='builtin read -r -N {size} __pi_m;builtin eval "$__pi_m"';"#,
            r#"__pi_r(){{ \return "$1"; }};"#,
            r#"__pi_e(){{ __pi_c=;\unset -f builtin eval;\builtin set +ev;"#,
            r#"__pi_w "$@" || {{ \builtin enable printf read eval trap mapfile;__pi_w "$@"; }}; }};"#,
            r#"__pi_w(){{ \builtin printf '\001%s s %s %s %s\000%s\000\002' "$2" "$1" "${{__pi_d-}}" "$-" "${{PWD-}}"; }};"#,
            r#"__pi_t(){{ \builtin printf '\001%s t\000' "$1";\builtin trap -p EXIT;\builtin printf '\000\002'; }};"#,
            r#"__pi_f(){{ (\builtin set -m +ex;("#,
            r#"\builtin printf '\001%s b %s\000\002' "$1" "$BASHPID";"#,
            r#"while __pi_m=;\builtin read -r -t 100000000 -N {size} __pi_m && [[ $__pi_m ]];"#,
            r#"do \builtin eval "$__pi_m";done"#,
            r#") <"$2" &) }}"#,
        ),
        size = MESSAGE_BYTES,
    )
}

/// Sets the trap that writes the shell's state down when it ends for whatever reason of its own.
pub(super) fn exit_trap(folder: &Path, generation: u64) -> String {
    let folder = plain(folder);
    format!(r"\builtin trap '\builtin . {folder}/x >|{folder}/k{generation} 2>/dev/null' EXIT")
}

/// The text that `trap -p EXIT` prints while our trap stands.
pub(super) fn own_trap_text(folder: &Path, generation: u64) -> String {
    let folder = plain(folder);
    format!("trap -- '\\builtin . {folder}/x >|{folder}/k{generation} 2>/dev/null' EXIT")
}

/// The script that prints the shell's state as bash text; the first and last line are marks.
pub(super) const DUMP_SCRIPT: &str = concat!(
    "\\builtin printf '#%s\\n' \"${FUNCNAME[*]}\"\n",
    "\\builtin printf '\\\\builtin cd -- %q\\n' \"${PWD-}\"\n",
    "\\builtin shopt -p\n",
    "\\builtin shopt -po\n",
    "\\builtin printf '#pi-state\\n'\n",
    "\\builtin umask -p\n",
    "\\builtin declare -p\n",
    "\\builtin declare -f\n",
    "\\builtin declare -Fx\n",
    "\\builtin alias -p\n",
    "\\builtin trap -p HUP INT QUIT USR1 USR2 PIPE ALRM TERM CHLD CONT WINCH DEBUG ERR RETURN\n",
    "\\builtin printf '#pi-limits\\n'\n",
    "\\builtin ulimit -Sa\n",
    "\\builtin printf '#pi-end\\n'\n",
);

/// Name of the dump script in the session's folder.
pub(super) const DUMP_SCRIPT_NAME: &str = "x";

/// One command as bash is told of it.
pub(super) struct RunMessage<'a> {
    /// Names the answer.
    pub(super) token: &'a str,
    /// Text of the command.
    pub(super) command: &'a str,
    /// File that has the text, for one that does not fit a message: bash reads it as it is, where
    /// a long quoted word would take it quadratic time.
    pub(super) command_file: Option<&'a Path>,
    /// Directory to change to first.
    pub(super) cwd: Option<&'a str>,
    /// Exported for the command only.
    pub(super) env: &'a [EnvironmentEntry],
    /// What `$?` shows to the command.
    pub(super) previous_status: i32,
    /// FIFO or file that takes its output.
    pub(super) output: &'a Path,
    /// Ask for the EXIT trap's text too.
    pub(super) tell_trap: bool,
    /// Leave a standby afterwards: its token and FIFO.
    pub(super) standby: Option<(&'a str, &'a Path)>,
}

impl RunMessage<'_> {
    /// The line that runs the command, without its newline.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("__pi_m= __pi_f= __pi_d=;");
        self.push_command(&mut text, "__pi_d=1 __pi_c=");
        let _infallible = write!(text, " </dev/null >|{} 2>&1", plain(self.output));
        let _infallible = write!(text, ";__pi_e \"$?\" {}", self.token);
        if self.tell_trap {
            let _infallible = write!(text, ";__pi_t {}", self.token);
        }
        if let Some((token, fifo)) = self.standby {
            let _infallible = write!(text, ";__pi_f {token} {}", plain(fifo));
        }
        text
    }

    /// The order for a standby to run the command in a copy of itself, reporting to `report`.
    pub(super) fn clone_text(&self, report: &Path) -> String {
        let report = plain(report);
        // Two subshells: the outer one reports whatever becomes of the inner one.
        let mut text = format!(
            "__pi_m= __pi_f= __pi_d=;(\\builtin printf '\\001%s b %s\\000\\002' {} \"$BASHPID\" >|{report};(",
            self.token
        );
        self.push_command(&mut text, "\\builtin exit 126");
        let output = plain(self.output);
        let _infallible =
            write!(text, ") </dev/null >|{output} 2>&1;__pi_e \"$?\" {} >|{report})&", self.token);
        text
    }

    /// `otherwise` is what happens when the directory cannot be entered.
    fn push_command(&self, text: &mut String, otherwise: &str) {
        let command = match self.command_file {
            None => quote(self.command),
            Some(file) => {
                let _infallible =
                    write!(text, "\\builtin mapfile -d '' -t __pi_c <{};", plain(file));
                "\"$__pi_c\"".to_owned()
            }
        };
        let evaluated = if let Some(cwd) = self.cwd {
            let _infallible =
                write!(text, "__pi_c={command};\\builtin cd -- {} || {otherwise};", quote(cwd));
            "\"$__pi_c\""
        } else {
            command.as_str()
        };
        if self.previous_status != 0 {
            let _infallible = write!(text, "__pi_r {};", self.previous_status);
        }
        for (name, value) in self.env {
            let _infallible = write!(text, "{name}={} ", quote(value));
        }
        // `builtin` would not hand the variables on to what `eval` starts.
        let eval = if self.env.is_empty() { "\\builtin eval" } else { "\\eval" };
        let _infallible = write!(text, "{eval} {evaluated}");
    }
}

/// Runs the body of an EXIT trap that a command left, and puts ours back.
///
/// `trap_text` is what `trap -p EXIT` printed, which bash quoted itself.
pub(super) fn exit_trap_text(
    folder: &Path,
    generation: u64,
    trap_text: &str,
    status: i32,
    output: &Path,
    token: &str,
) -> String {
    let body = trap_text
        .strip_prefix("trap -- ")
        .and_then(|text| text.trim_end().strip_suffix(" EXIT"))
        .unwrap_or("''");
    format!(
        "__pi_m= __pi_f= __pi_d=;{};__pi_r {status};\\builtin eval {body} </dev/null >>{} 2>&1;__pi_e {status} {token}",
        exit_trap(folder, generation),
        plain(output),
    )
}

/// Evaluates a saved state and puts the driver back. Not by `.`: functions would remember the
/// file's name and tell it in their messages.
pub(super) fn restore_text(folder: &Path, generation: u64, file: &Path, token: &str) -> String {
    format!(
        "__pi_m= __pi_f= __pi_d=;\\builtin mapfile -d '' -t __pi_f <{};\\builtin eval \"$__pi_f\" >/dev/null 2>&1 </dev/null;{};{};__pi_e 0 {token}",
        plain(file),
        driver_text(),
        exit_trap(folder, generation),
    )
}

/// Orders a standby to write its state to `file`.
pub(super) fn dump_text(folder: &Path, file: &Path, token: &str) -> String {
    format!(
        "__pi_m= __pi_f=;\\builtin . {}/{DUMP_SCRIPT_NAME} >|{} 2>/dev/null;\\builtin printf '\\001%s d\\000\\002' {token}",
        plain(folder),
        plain(file),
    )
}

/// Leaves a standby now, without a command.
pub(super) fn standby_text(token: &str, fifo: &Path) -> String {
    format!("__pi_m= __pi_f=;__pi_f {token} {}", plain(fifo))
}

/// Whether a command is written into its order; longer ones go through a file of their own.
pub(super) fn fits_order(command: &str) -> bool {
    command.len() <= MAX_INLINE_BYTES && fits_message(command)
}

/// Whether a text can be sent as a message: ASCII, since `read -N` counts characters, without
/// control characters but tab and newline, and short enough.
pub(super) fn fits_message(text: &str) -> bool {
    text.len() < MESSAGE_BYTES
        && text.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | b' '..=b'~'))
}

/// The text that makes bash read a longer order from `file`.
pub(super) fn indirect_text(file: &Path) -> String {
    format!("\\builtin mapfile -d '' -t __pi_f <{};\\builtin eval \"$__pi_f\"", plain(file))
}

/// A message padded to its size. `text` must fit.
fn pad(text: &str) -> Vec<u8> {
    let mut message = Vec::with_capacity(MESSAGE_BYTES);
    message.extend_from_slice(text.as_bytes());
    message.resize(MESSAGE_BYTES - 1, b' ');
    message.push(b'\n');
    message
}

/// What is written to the main shell for a text that fits.
pub(super) fn main_order(text: &str) -> Vec<u8> {
    let mut order = TRAMPOLINE.as_bytes().to_vec();
    order.extend_from_slice(&pad(text));
    order
}

/// What is written to a standby for a text that fits: it reads messages without a trampoline.
pub(super) fn standby_order(text: &str) -> Vec<u8> {
    pad(text)
}

/// An answer of bash.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The order it answers.
    pub(super) token: Token,
    /// What it tells.
    pub(super) body: FrameBody,
}

/// What an answer tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FrameBody {
    /// The driver stands: version of bash and its process id.
    Ready { major: u32, minor: u32, pid: i32 },
    /// A command ended.
    Status { status: i32, cwd_failed: bool, flags: String, cwd: String },
    /// The text of the EXIT trap, empty for none.
    Trap { text: String },
    /// A standby or a clone stands, with this process id.
    Born { pid: i32 },
    /// A standby wrote its state.
    Dumped,
}

/// Finds frames in what bash writes.
#[derive(Default)]
pub(super) struct FrameReader {
    buffer: Vec<u8>,
    noise: Vec<u8>,
}

impl FrameReader {
    /// Adds bytes as they were read; returns the frames that are complete now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        self.buffer.extend_from_slice(bytes);
        let mut frames = Vec::new();
        let mut position = 0;
        while let Some(start) = memchr::memchr(1, &self.buffer[position..]) {
            let start = position + start;
            self.keep_noise(position, start);
            match parse_frame(&self.buffer[start..]) {
                Parsed::Complete(frame, length) => {
                    if let Some((inner, at, inner_length)) = self.innermost(start, length) {
                        frames.push(inner);
                        self.buffer.drain(at..at + inner_length);
                        position = start;
                        continue;
                    }
                    frames.push(frame);
                    position = start + length;
                }
                Parsed::Partial => {
                    position = start;
                    break;
                }
                Parsed::Noise => position = start + 1,
            }
        }
        if memchr::memchr(1, &self.buffer[position..]).is_none() {
            self.keep_noise(position, self.buffer.len());
            position = self.buffer.len();
        }
        if self.buffer.len() - position > MAX_NOISE_BYTES {
            position = self.buffer.len();
        }
        self.buffer.drain(..position);
        frames
    }

    /// A frame inside of another: a frame of several writes may have one of another process in it.
    fn innermost(&self, start: usize, length: usize) -> Option<(Frame, usize, usize)> {
        let outer = self.buffer.get(start..start + length)?;
        memchr::memrchr_iter(1, outer).take_while(|at| *at > 0).find_map(|at| {
            match parse_frame(outer.get(at..)?) {
                Parsed::Complete(frame, inner) => Some((frame, start + at, inner)),
                Parsed::Partial | Parsed::Noise => None,
            }
        })
    }

    /// Remembers the beginning of what is no frame: bash's complaints about an order.
    fn keep_noise(&mut self, start: usize, end: usize) {
        let room = KEPT_NOISE_BYTES.saturating_sub(self.noise.len());
        let end = end.min(start + room);
        self.noise.extend_from_slice(self.buffer.get(start..end).unwrap_or_default());
    }

    /// Whether `text` stood between frames since `forget_noise`.
    pub(super) fn noise_contains(&self, text: &str) -> bool {
        memchr::memmem::find(&self.noise, text.as_bytes()).is_some()
    }

    /// What stood between frames since `forget_noise`, without lines about the driver itself.
    pub(super) fn take_noise(&mut self) -> Vec<u8> {
        let noise = std::mem::take(&mut self.noise);
        let lines = noise.split_inclusive(|byte| *byte == b'\n');
        lines
            .filter(|line| memchr::memmem::find(line, b"__pi_").is_none())
            .flatten()
            .copied()
            .collect()
    }

    /// Begins anew with remembering noise.
    pub(super) fn forget_noise(&mut self) {
        self.noise.clear();
    }
}

enum Parsed {
    Complete(Frame, usize),
    Partial,
    Noise,
}

/// Reads a frame at the beginning of `bytes`, which starts with `\1`.
fn parse_frame(bytes: &[u8]) -> Parsed {
    let head = 1 + TOKEN_LENGTH + 1;
    let token = &bytes[1..bytes.len().min(1 + TOKEN_LENGTH)];
    if !token.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Parsed::Noise;
    }
    let Some(&separator) = bytes.get(head - 1) else { return Parsed::Partial };
    if separator != b' ' {
        return Parsed::Noise;
    }
    let Some(end) = memchr::memmem::find(&bytes[head..], b"\0\x02") else {
        return Parsed::Partial;
    };
    let token = String::from_utf8_lossy(token).into_owned();
    match parse_body(&bytes[head..head + end]) {
        Some(body) => Parsed::Complete(Frame { token, body }, head + end + 2),
        None => Parsed::Noise,
    }
}

fn parse_body(body: &[u8]) -> Option<FrameBody> {
    let (head, rest) = match memchr::memchr(0, body) {
        Some(end) => (&body[..end], &body[end + 1..]),
        None => (body, &body[body.len()..]),
    };
    let head = std::str::from_utf8(head).ok()?;
    let mut words = head.split(' ');
    match words.next()? {
        "r" => Some(FrameBody::Ready {
            major: words.next()?.parse().ok()?,
            minor: words.next()?.parse().ok()?,
            pid: words.next()?.parse().ok()?,
        }),
        "s" => Some(FrameBody::Status {
            status: words.next()?.parse().ok()?,
            cwd_failed: words.next()? == "1",
            flags: words.next()?.to_owned(),
            cwd: String::from_utf8_lossy(rest).into_owned(),
        }),
        "t" => Some(FrameBody::Trap { text: last_trap(&String::from_utf8_lossy(rest)) }),
        "b" => Some(FrameBody::Born { pid: words.next()?.parse().ok()? }),
        "d" => Some(FrameBody::Dumped),
        _ => None,
    }
}

/// The trap's text without what a DEBUG trap of the user printed before it.
fn last_trap(text: &str) -> String {
    let text = text.trim_end_matches('\n');
    if !text.ends_with(" EXIT") {
        return String::new();
    }
    match text.find("trap -- ") {
        Some(start) => text.get(start..).unwrap_or_default().to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn status_frame() -> Vec<u8> {
        format!("\x01{TOKEN} s 7 0 hBs\0/a b\0\x02").into_bytes()
    }

    #[test]
    fn quoting_survives_quotes() {
        assert_eq!(quote("a'b"), "'a'\\''b'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("'"), "''\\'''");
        assert_eq!(quote("a\n'\\b"), "$'a\\n\\'\\\\b'");
    }

    #[test]
    fn a_frame_between_noise_is_found_wherever_it_is_cut() {
        let mut bytes = b"noise \x01 not one \x010123 ".to_vec();
        bytes.extend_from_slice(&status_frame());
        bytes.extend_from_slice(b"after");
        for cut in 0..bytes.len() {
            let mut reader = FrameReader::default();
            let mut frames = reader.push(&bytes[..cut]);
            frames.extend(reader.push(&bytes[cut..]));

            assert_eq!(frames.len(), 1, "cut at {cut}");
            assert_eq!(
                frames[0].body,
                FrameBody::Status {
                    status: 7,
                    cwd_failed: false,
                    flags: "hBs".to_owned(),
                    cwd: "/a b".to_owned()
                }
            );
        }
    }

    #[test]
    fn a_frame_in_the_middle_of_another_is_told_and_so_is_the_other() {
        let other = TOKEN.replace('0', "f");
        let trap = format!("\x01{TOKEN} t\0trap -- 'x' EXIT\n\0\x02");
        let born = format!("\x01{other} b 77\0\x02");
        for cut in 0..=trap.len() {
            let (before, after) = trap.split_at(cut);
            let text = format!("{before}{born}{after}");

            let frames = FrameReader::default().push(text.as_bytes());

            // Where the head of the outer one is torn it is noise; bash writes that in one piece.
            let whole = cut == 0 || cut > 36;
            assert!(frames.iter().any(|frame| frame.body == FrameBody::Born { pid: 77 }), "{cut}");
            let told = frames
                .iter()
                .any(|frame| frame.body == FrameBody::Trap { text: "trap -- 'x' EXIT".to_owned() });
            assert!(told || !whole, "cut at {cut}: {frames:?}");
        }
    }

    #[test]
    fn noise_does_not_pile_up() {
        let mut reader = FrameReader::default();
        for _ in 0..100 {
            assert!(reader.push(&vec![b'x'; 100_000]).is_empty());
            assert!(reader.push(b"\x01").is_empty());
        }

        assert!(reader.buffer.len() <= MAX_NOISE_BYTES + 100_001);
        assert_eq!(reader.push(&status_frame()).len(), 1);
    }

    #[test]
    fn a_trap_is_told_without_what_a_debug_trap_printed_before_it() {
        assert_eq!(last_trap("D:trap\ntrap -- 'echo bye' EXIT\n"), "trap -- 'echo bye' EXIT");
        assert_eq!(last_trap(""), "");
    }

    #[test]
    fn a_short_command_needs_no_file() {
        let message = RunMessage {
            token: TOKEN,
            command: "echo hi",
            command_file: None,
            cwd: None,
            env: &[],
            previous_status: 0,
            output: Path::new("/dev/shm/pi-bash-0-1234567890/o1"),
            tell_trap: true,
            standby: Some((TOKEN, Path::new("/dev/shm/pi-bash-0-1234567890/s1"))),
        };

        assert!(fits_message(&message.text()));
        assert_eq!(main_order(&message.text()).len(), TRAMPOLINE.len() + MESSAGE_BYTES);
    }

    #[test]
    fn other_characters_than_plain_ascii_go_through_a_file() {
        assert!(!fits_message("é"));
        assert!(!fits_message("a\rb"));
        assert!(fits_message("a\nb\tc"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_noise_makes_the_reader_fail_or_forge(noise in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut reader = FrameReader::default();
            let mut bytes = noise;
            bytes.push(b'\n');
            let before = reader.push(&bytes);
            prop_assert!(before.iter().all(|frame| frame.token != TOKEN));
        }
    }
}
