//! What the host says to bash: the texts of orders and of the driver that obeys them.
//!
//! # Theory of operation
//! A session's bash reads its script from a pipe that the host holds. A pipe cannot be read
//! ahead, so bash reads script lines byte by byte; therefore an order is a message of a fixed size,
//! which `read -N` takes in one system call, followed by one short fixed line, the trampoline: it
//! has bash wait for the next message. The message is itself a complete line: where the trampoline
//! was destroyed, bash reads the message as script and does the same.
//!
//! What bash answers stands in `frames`.
//!
//! Every word here begins with a backslash or is quoted, so that aliases do not matter; the
//! driver's functions were parsed before the first command. Pure text: no process is touched.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use super::descriptors::{Descriptors, Errors};
use super::driver::{CHILD_TRAP_FILE, driver_text, exit_trap};
use super::traps::Traps;
use crate::request::EnvironmentEntry;
use crate::script::{quote, quote_path};

/// Size of a long message. Larger ones go through a file: `read -N` handles each character.
pub(super) const MESSAGE_BYTES: usize = 512;

/// Size of a short message. Each blank of the padding is read, copied and parsed too, which takes
/// bash 25 ns; a plain builtin's order fits here, and the difference is a tenth of its time.
pub(super) const SHORT_MESSAGE_BYTES: usize = 256;

/// Longest command written into its order: the rest of a message is for the driver.
const MAX_INLINE_BYTES: usize = 256;

/// The line that has bash wait for the next order. It stands behind each order, and not before the
/// next one, so that bash has read its characters one by one, 10 us, when that comes.
pub(super) const TRAMPOLINE: &str = "\\eval \"$__p\"\n";

/// The short message before one of full size, which has bash read that.
const LONG_FOLLOWS: &str = "\\builtin read -r -N 512 __pi_m;\\builtin eval \"$__pi_m\"";

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

/// The session's private folder as it stands in texts; its path needs no quoting.
pub(super) fn plain(path: &Path) -> String {
    path.display().to_string()
}

/// How bash begins a complaint about a variable that an order sets before anything of the command
/// runs: a command made it read-only.
pub(super) const VARIABLE_COMPLAINTS: [&str; 6] =
    ["__pi_m: ", "__pi_o: ", "__pi_c: ", "__pi_d: ", "__pi_k: ", "LINENO: "];

/// Name of the part of the session's folder that shells write to.
pub(super) const STATE_FOLDER_NAME: &str = "w";

/// Name of the dump script in the session's folder.
pub(super) const DUMP_SCRIPT_NAME: &str = "x";

/// Name by which a bash finds its standard input as its script, in the session's folder. It is the
/// name that bash's messages begin with.
///
/// A bash that is given no script reads standard input too, but then `exec 3<&0` within `eval` is a
/// null pointer to bash 5.2: it ends by SIGSEGV. So descriptor 0 may not be what it knows as its
/// script's.
pub(super) const SCRIPT_NAME: &str = "bash";

/// One command as bash is told of it.
#[derive(Clone, Copy)]
pub(super) struct RunMessage<'a> {
    /// Names the answer.
    pub(super) token: &'a str,
    /// Text of the command.
    pub(super) command: &'a str,
    /// File that has the text, for one that does not fit a message: bash reads it as it is, where
    /// a long quoted word would take it quadratic time.
    pub(super) command_file: Option<&'a Path>,
    /// Directory to change to first.
    pub(super) cwd: Option<&'a Path>,
    /// Exported for the command only.
    pub(super) env: &'a [EnvironmentEntry],
    /// The shell is in POSIX mode.
    pub(super) posix: bool,
    /// Whatever is assigned is exported (`set -a`), or may be: the driver's variables are not.
    pub(super) exports_all: bool,
    /// What `$?` shows to the command.
    pub(super) previous_status: i32,
    /// FIFO that takes its output.
    pub(super) output: &'a Path,
    /// Where bash has its own descriptors meanwhile.
    pub(super) descriptors: Descriptors,
    /// It may start programs and change the shell: its standard error is opened for itself, and
    /// the EXIT trap's text is asked for too.
    pub(super) does_more: bool,
    /// Leave a standby afterwards: its token and FIFO.
    pub(super) standby: Option<(&'a str, &'a Path)>,
    /// Traps that may be set, and may not run for what the driver does.
    pub(super) traps: Traps,
}

impl RunMessage<'_> {
    /// The line that runs the command, without its newline.
    pub(super) fn text(&self) -> String {
        let mut text = format!("__pi_m= __pi_k={};", self.token);
        self.push_command(&mut text, "__pi_d=1 __pi_c=");
        let errors = if self.does_more { Errors::Apart } else { Errors::Shared };
        text.push_str(&self.descriptors.redirections(">|", self.output, errors));
        let _infallible = write!(text, ";__pi_e \"{}\" \"$__pi_k\"", self.status());
        let report = self.descriptors.report().filter(|_| self.does_more);
        if self.cwd.is_some() || report.is_some() {
            text.push_str(" \"${__pi_d-}\"");
        }
        if let Some(report) = report {
            let _infallible = write!(text, " {report}");
        }
        if self.does_more {
            text.push_str(";__pi_t \"$__pi_k\"");
        } else {
            text.push_str(";__pi_k=");
        }
        if let Some((token, fifo)) = self.standby {
            text.push(';');
            text.push_str(&standby_call(token, fifo, self.traps));
        }
        text
    }

    /// What expands to the status of the command's `eval`: what `!` turned around stands there.
    fn status(&self) -> &'static str {
        if self.traps.errors { "${PIPESTATUS[0]}" } else { "$?" }
    }

    /// What ends the shell of a copy with the command's status, where it is not the last one.
    pub(super) fn push_exit(&self, text: &mut String) {
        if self.traps.errors {
            let _infallible = write!(text, ";\\builtin exit \"{}\"", self.status());
        }
    }

    /// The order for a standby to run the command in a copy of itself, reporting to `report`.
    pub(super) fn clone_text(&self, report: &Path) -> String {
        let mut body = String::new();
        body.push_str("\\builtin set +m;");
        self.push_command(&mut body, "\\builtin exit 126");
        self.push_exit(&mut body);
        self.fork_text(&body, report)
    }

    /// The order for a standby to run `body` in a fork of itself, reporting to `report`.
    pub(super) fn fork_text(&self, body: &str, report: &Path) -> String {
        let (token, report, output) = (self.token, plain(report), plain(self.output));
        // Two subshells: the outer one reports whatever becomes of the inner one.
        format!(
            concat!(
                r#"__pi_m=;(\builtin printf '\001%s b %s\000\002' {token} "$BASHPID" >|{report};"#,
                r#"({body}) </dev/null >|{output} 2>|{output};__pi_e "$?" {token} >|{report})&"#,
            ),
            token = token,
            report = report,
            body = body,
            output = output,
        )
    }

    /// `otherwise` is what happens when the directory cannot be entered.
    pub(super) fn push_command(&self, text: &mut String, otherwise: &str) {
        let command = match self.command_file {
            None => quote(self.command),
            Some(file) => {
                // Assigned first: that fails where it is read-only, and then nothing is run.
                let _infallible =
                    write!(text, "__pi_c=;\\builtin mapfile -d '' -t __pi_c <{};", plain(file));
                "\"$__pi_c\"".to_owned()
            }
        };
        let evaluated = if let Some(cwd) = self.cwd {
            let _infallible = write!(
                text,
                "__pi_c={command};\\builtin cd -- {0} || \\builtin test . -ef {0} || {otherwise};",
                quote_path(cwd)
            );
            "\"$__pi_c\""
        } else {
            command.as_str()
        };
        if self.exports_all {
            // Programs must not see the token, nor the command as a variable.
            text.push_str("\\builtin export -n __pi_m __pi_k __pi_o __pi_s __pi_c __pi_d;");
        }
        if self.previous_status != 0 {
            let _infallible = write!(text, "{};", set_status(self.previous_status));
        }
        if self.traps.errors {
            // Or the trap would run once for what fails, and once more for `eval`.
            text.push_str("! ");
        }
        for (name, value) in self.env {
            let _infallible = write!(text, "{name}={} ", quote(value));
        }
        let eval = match (self.env.is_empty(), self.posix) {
            (true, _) => "\\builtin eval",
            // `builtin` would not hand the variables on to what `eval` starts.
            (false, false) => "\\eval",
            // There, what stands before a special builtin stays.
            (false, true) => "\\command eval",
        };
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
    redirections: (Descriptors, &Path),
    token: &str,
) -> String {
    let (descriptors, output) = redirections;
    let body = trap_text
        .strip_prefix("trap -- ")
        .and_then(|text| text.trim_end().strip_suffix(" EXIT"))
        .unwrap_or("''");
    format!(
        "__pi_m= __pi_k={token};{};{};\\builtin eval {body}{};__pi_e {status} {token};__pi_k=",
        exit_trap(folder, generation),
        set_status(status),
        descriptors.redirections(">>", output, Errors::Apart),
    )
}

/// Evaluates a saved state and puts the driver back. Not by `.`: functions would remember the
/// file's name and tell it in their messages.
pub(super) fn restore_text(folder: &Path, generation: u64, file: &Path, token: &str) -> String {
    format!(
        "__pi_m=;{};{};{};__pi_e 0 {token}",
        evaluate_state_text(file),
        driver_text(),
        exit_trap(folder, generation),
    )
}

/// Evaluates a saved state.
pub(super) fn evaluate_state_text(file: &Path) -> String {
    format!(
        "\\builtin mapfile -d '' -t __pi_o <{};\\builtin eval \"__pi_o=;$__pi_o\" </dev/null >/dev/null 2>&\"$((LINENO=1))\"",
        plain(file),
    )
}

/// Orders a standby to write its state to `file`, and to tell it to `report`, or where the session's
/// shell answers.
pub(super) fn dump_text(folder: &Path, file: &Path, token: &str, report: Option<&Path>) -> String {
    let report = report.map(|report| format!(" >|{}", plain(report))).unwrap_or_default();
    format!(
        "__pi_m=;\\builtin . {}/{DUMP_SCRIPT_NAME} >|{} 2>/dev/null;\\builtin printf '\\001%s d\\000\\002' {token}{report}",
        plain(folder),
        plain(file),
    )
}

/// Leaves a standby now, without a command.
pub(super) fn standby_text(token: &str, fifo: &Path, traps: Traps) -> String {
    format!("__pi_m=;{}", standby_call(token, fifo, traps))
}

fn standby_call(token: &str, fifo: &Path, traps: Traps) -> String {
    let fifo_text = plain(fifo);
    let fork = format!("(__pi_k={token} __pi_o={fifo_text};\\builtin eval \"$__pi_f\")");
    let folder = fifo.parent().filter(|_| traps.children);
    let Some(folder) = folder else { return fork };
    // Reaping the fork would run it.
    let file = plain(&folder.join(CHILD_TRAP_FILE));
    format!(
        "\\builtin trap -p CHLD >|{file};\\builtin mapfile -d '' -t __pi_s <{file};\\builtin trap - CHLD;{fork};\\builtin eval \"${{__pi_s-}}\";__pi_s=",
    )
}

/// Sets `$?`. Nothing follows `&&` where it fails, so no ERR trap runs.
fn set_status(status: i32) -> String {
    format!("__pi_r {status} && \\:")
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
    format!("\\builtin mapfile -d '' -t __pi_o <{};\\builtin eval \"__pi_o=;$__pi_o\"", plain(file))
}

/// A message padded to its size. `text` must fit.
fn pad(text: &str, size: usize) -> Vec<u8> {
    let mut message = Vec::with_capacity(size);
    message.extend_from_slice(text.as_bytes());
    message.resize(size - 1, b' ');
    message.push(b'\n');
    message
}

/// An order to the main shell.
pub(super) struct MainOrder {
    /// What is written.
    pub(super) bytes: Vec<u8>,
    /// How much of it is the message that has the text.
    pub(super) message_bytes: usize,
}

/// What is written to the main shell for a text that fits.
pub(super) fn main_order(text: &str) -> MainOrder {
    let short = |text: &str| pad(text, SHORT_MESSAGE_BYTES);
    let (mut bytes, message_bytes) = if text.len() < SHORT_MESSAGE_BYTES {
        (short(text), SHORT_MESSAGE_BYTES)
    } else {
        ([short(LONG_FOLLOWS), pad(text, MESSAGE_BYTES)].concat(), MESSAGE_BYTES)
    };
    bytes.extend_from_slice(TRAMPOLINE.as_bytes());
    MainOrder { bytes, message_bytes }
}

/// What is written to a standby for a text that fits: it reads messages without a trampoline.
pub(super) fn standby_order(text: &str) -> Vec<u8> {
    pad(text, MESSAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_short_command_needs_no_file() {
        let message = RunMessage {
            token: TOKEN,
            command: "echo hi",
            command_file: None,
            cwd: None,
            env: &[],
            posix: false,
            exports_all: false,
            previous_status: 0,
            output: Path::new("/dev/shm/pi-bash-0-1234567890/o1"),
            descriptors: Descriptors::within(None),
            does_more: true,
            standby: Some((TOKEN, Path::new("/dev/shm/pi-bash-0-1234567890/s1"))),
            traps: Traps::default(),
        };

        assert!(fits_message(&message.text()));
        let order = main_order(&message.text());
        assert_eq!(order.bytes.len(), SHORT_MESSAGE_BYTES + MESSAGE_BYTES + TRAMPOLINE.len());
        assert_eq!(order.message_bytes, MESSAGE_BYTES);
        assert!(LONG_FOLLOWS.contains(&format!(" -N {MESSAGE_BYTES} ")));
    }

    #[test]
    fn a_builtin_that_leaves_no_standby_is_a_short_message() {
        let message = RunMessage {
            token: TOKEN,
            command: "test -f /etc/passwd",
            command_file: None,
            cwd: None,
            env: &[],
            posix: false,
            exports_all: false,
            previous_status: 0,
            output: Path::new("/run/user/1000/pi-bash-1000-0123456789abcdef/o1000"),
            descriptors: Descriptors::within(None),
            does_more: false,
            standby: None,
            traps: Traps::default(),
        };

        let order = main_order(&message.text());
        assert_eq!(order.bytes.len(), SHORT_MESSAGE_BYTES + TRAMPOLINE.len());
        assert_eq!(order.message_bytes, SHORT_MESSAGE_BYTES);
    }

    #[test]
    fn other_characters_than_plain_ascii_go_through_a_file() {
        assert!(!fits_message("é"));
        assert!(!fits_message("a\rb"));
        assert!(fits_message("a\nb\tc"));
    }
}
