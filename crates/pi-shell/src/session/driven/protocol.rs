//! The messages between host and driver, as `bash-driver/protocol.h` lays them out, which is the authority.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use pi_process::ResourceUsage;

use crate::request::EnvironmentEntry;

/// `PI_PROTOCOL_VERSION`.
pub(super) const VERSION: i32 = 6;

/// `PI_ORDER_TEXT_MAX`.
pub(super) const TEXT_MAX: usize = 32_768;

const RUN: u32 = 1;
const FORK: u32 = 2;

const ERRORS: u32 = 0x2;
const TEXT_IN_FILE: u32 = 0x4;
const USAGE: u32 = 0x8;
const OWN_PID: u32 = 0x10;
const CONFINE: u32 = 0x20;

const KEEP_STATUS: i32 = -1;

const GREETING: u32 = 1;
const ENDED: u32 = 2;
const FORKED: u32 = 3;
const REFUSED: u32 = 4;
const NOT_CONFINED: u32 = 5;

/// `PI_CONFINE_*` from 1 on, in words that come before "failed".
const CONFINE_STEPS: [&str; 6] = [
    "setting TMPDIR",
    "closing descriptors",
    "giving up new privileges",
    "giving up capabilities",
    "entering a Landlock domain",
    "loading a seccomp program",
];

const CAN_STOP: u32 = 0x1;
const MADE_PROCESS: u32 = 0x2;
const HAS_TRAPS: u32 = 0x4;
const KEPT_STATE: u32 = 0x8;
const HAS_CHILDREN: u32 = 0x10;
const HAS_OVERRIDES: u32 = 0x20;
const DROPPED_STATE: u32 = 0x40;

/// Bytes of a report before its text.
const REPORT_SIZE: usize = USAGE_AT + 3 * 8;
const OPTIONS_SIZE: usize = 44;
/// Where `struct pi_usage` begins in it.
const USAGE_AT: usize = 5 * 4 + OPTIONS_SIZE;

/// A command for the shell.
#[derive(Default)]
pub(super) struct RunOrder<'a> {
    pub(super) command: &'a str,
    /// Directory to change to first.
    pub(super) cwd: Option<&'a Path>,
    /// Exported for the command only.
    pub(super) env: &'a [EnvironmentEntry],
    /// What `$?` shows to it; `None`: what the shell itself has.
    pub(super) status: Option<i32>,
    /// `$$` is the shell's own process from now on.
    pub(super) own_pid: bool,
    /// A descriptor of its own comes for standard error.
    pub(super) has_errors: bool,
    /// The answer says what the command used.
    pub(super) measured: bool,
}

/// A message, and what goes through a file where it is too long.
pub(super) struct Encoded {
    pub(super) message: Vec<u8>,
    pub(super) file: Option<Vec<u8>>,
}

impl RunOrder<'_> {
    pub(super) fn encode(&self, sequence: u32) -> Encoded {
        let mut body = Vec::with_capacity(self.command.len());
        if self.cwd.is_some() || !self.env.is_empty() {
            body.extend_from_slice(self.cwd.map_or(&[][..], |cwd| cwd.as_os_str().as_bytes()));
            body.push(0);
            for (name, value) in self.env {
                body.extend_from_slice(name.as_bytes());
                body.push(b'=');
                body.extend_from_slice(value.as_bytes());
                body.push(0);
            }
        }
        let preamble = body.len();
        body.extend_from_slice(self.command.as_bytes());
        let in_file = body.len() > TEXT_MAX;
        let flags = [
            (in_file, TEXT_IN_FILE),
            (self.own_pid, OWN_PID),
            (self.has_errors, ERRORS),
            (self.measured, USAGE),
        ];
        let flags = flags.iter().filter(|(is_set, _)| *is_set).fold(0, |all, (_, flag)| all | flag);
        let status = self.status.unwrap_or(KEEP_STATUS);
        // Longer than any memory; it is refused by the driver.
        let preamble = u32::try_from(preamble).unwrap_or(u32::MAX);
        let mut message = order(RUN, sequence, flags, preamble, status);
        if in_file {
            return Encoded { message, file: Some(body) };
        }
        message.extend_from_slice(&body);
        Encoded { message, file: None }
    }
}

/// An order to leave a copy.
pub(super) fn fork_order(sequence: u32, own_pid: bool) -> Vec<u8> {
    order(FORK, sequence, if own_pid { OWN_PID } else { 0 }, 0, KEEP_STATUS)
}

/// An order to leave a copy that gives its rights up, by a ruleset that comes beside its socket and this program. Its
/// temporary files are in `temporary`.
pub(super) fn confine_order(sequence: u32, temporary: &Path, program: &[u8]) -> Vec<u8> {
    let temporary = temporary.as_os_str().as_bytes();
    let preamble = u32::try_from(temporary.len() + 1).unwrap_or(u32::MAX);
    let mut message = order(FORK, sequence, CONFINE, preamble, KEEP_STATUS);
    message.extend_from_slice(temporary);
    message.push(0);
    message.extend_from_slice(program);
    message
}

/// An order to a confined copy to leave one that also enters the domain of a ruleset beside its socket.
pub(super) fn confined_fork_order(sequence: u32) -> Vec<u8> {
    order(FORK, sequence, OWN_PID | CONFINE, 0, KEEP_STATUS)
}

fn order(kind: u32, sequence: u32, flags: u32, preamble: u32, status: i32) -> Vec<u8> {
    let mut message = Vec::with_capacity(256);
    for word in [kind, sequence, flags, preamble] {
        message.extend_from_slice(&word.to_ne_bytes());
    }
    message.extend_from_slice(&status.to_ne_bytes());
    message.extend_from_slice(&0_u32.to_ne_bytes());
    message
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "facts, each by itself")]
pub(super) struct Ended {
    pub(super) status: i32,
    /// It may have started something.
    pub(super) made_process: bool,
    /// The shell has children now, living or dead ones.
    pub(super) has_children: bool,
    /// A trap runs beside commands that change nothing by themselves.
    pub(super) has_traps: bool,
    /// The name of a plain builtin, such as `cd`, may be that of a function or an alias.
    pub(super) has_overrides: bool,
    /// It ran programs only: the shell is as before but for its status.
    pub(super) kept_state: bool,
    /// It changed what the shell has that its confined copy was made from.
    pub(super) dropped_state: bool,
    /// `$-`.
    pub(super) options: String,
    pub(super) cwd: PathBuf,
    /// What it used; all zero where the order did not ask.
    pub(super) usage: ResourceUsage,
}

impl Ended {
    /// Nothing can have the command's output any more: it started nothing, and the shell has opened nothing. The text of one
    /// that `opens_nothing` says so itself, as long as its names are those of builtins.
    pub(super) fn leaves_output(&self, opens_nothing: bool) -> bool {
        let has_opened_nothing = self.kept_state || opens_nothing && !self.has_overrides;
        !self.made_process && has_opened_nothing && !self.has_traps
    }
}

/// What a shell says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// First on every socket.
    Greeting { version: i32, bash: String, can_stop: bool },
    /// A command has ended.
    Ended { sequence: u32, ended: Ended },
    /// A copy was left, or an errno says why not.
    Forked { sequence: u32, result: Result<i32, i32> },
    /// Nothing was run.
    Refused { sequence: u32, errno: i32 },
    /// A copy could not give its rights up, and has ended.
    NotConfined { step: &'static str, errno: i32 },
}

impl Report {
    /// `None` for what is no report.
    pub(super) fn decode(message: &[u8]) -> Option<Self> {
        let (head, text) = message.split_at_checked(REPORT_SIZE)?;
        let word = |at: usize| -> Option<[u8; 4]> { head.get(at * 4..at * 4 + 4)?.try_into().ok() };
        let kind = u32::from_ne_bytes(word(0)?);
        let sequence = u32::from_ne_bytes(word(1)?);
        let number = i32::from_ne_bytes(word(2)?);
        let flags = u32::from_ne_bytes(word(4)?);
        let long = |index: usize| -> Option<u64> {
            let at = USAGE_AT + index * 8;
            Some(u64::from_ne_bytes(head.get(at..at + 8)?.try_into().ok()?))
        };
        let options =
            head.get(5 * 4..USAGE_AT)?.split(|byte| *byte == 0).next().unwrap_or_default();
        match kind {
            GREETING => Some(Self::Greeting {
                version: number,
                bash: String::from_utf8_lossy(text).into_owned(),
                can_stop: flags & CAN_STOP != 0,
            }),
            ENDED => {
                let ended = Ended {
                    status: number,
                    made_process: flags & MADE_PROCESS != 0,
                    has_children: flags & HAS_CHILDREN != 0,
                    has_traps: flags & HAS_TRAPS != 0,
                    has_overrides: flags & HAS_OVERRIDES != 0,
                    kept_state: flags & KEPT_STATE != 0,
                    dropped_state: flags & DROPPED_STATE != 0,
                    options: String::from_utf8_lossy(options).into_owned(),
                    cwd: PathBuf::from(OsString::from_vec(text.to_vec())),
                    usage: ResourceUsage::counted(long(0)?, long(1)?, long(2)?),
                };
                Some(Self::Ended { sequence, ended })
            }
            FORKED => {
                let result = if number > 0 { Ok(number) } else { Err(-number) };
                Some(Self::Forked { sequence, result })
            }
            REFUSED => Some(Self::Refused { sequence, errno: number }),
            NOT_CONFINED => {
                let number = usize::try_from(u32::from_ne_bytes(word(3)?)).ok();
                let step = number.and_then(|step| CONFINE_STEPS.get(step.checked_sub(1)?));
                Some(Self::NotConfined {
                    step: step.unwrap_or(&"a step"),
                    errno: i32::from_ne_bytes(word(2)?),
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "protocol_cases.rs"]
pub(super) mod cases;
