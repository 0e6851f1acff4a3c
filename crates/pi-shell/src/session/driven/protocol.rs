//! The messages between host and driver, as `bash-driver/protocol.h` lays them out, which is the authority.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::outcome::ResourceUsage;
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
mod tests {
    use super::*;

    const HEADER: &str = include_str!("../../../../../bash-driver/protocol.h");

    fn defined(name: &str) -> i64 {
        let line = HEADER
            .lines()
            .find_map(|line| line.strip_prefix(&format!("#define {name} ")))
            .unwrap_or_else(|| panic!("{name} is not in the header"));
        let value = line.split("/*").next().unwrap_or_default().trim();
        let value = value.trim_matches(['(', ')']);
        match value.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16).unwrap(),
            None => value.parse().unwrap(),
        }
    }

    #[test]
    fn the_numbers_are_those_of_the_header() {
        for (name, value) in [
            ("PI_PROTOCOL_VERSION", i64::from(VERSION)),
            ("PI_ORDER_TEXT_MAX", TEXT_MAX.try_into().unwrap()),
            ("PI_STOP_SIGNAL", i64::from(crate::stop::DRIVER_STOP_SIGNAL)),
            ("PI_ORDER_RUN", i64::from(RUN)),
            ("PI_ORDER_FORK", i64::from(FORK)),
            ("PI_ORDER_TEXT_IN_FILE", i64::from(TEXT_IN_FILE)),
            ("PI_ORDER_ERRORS", i64::from(ERRORS)),
            ("PI_ORDER_USAGE", i64::from(USAGE)),
            ("PI_ORDER_OWN_PID", i64::from(OWN_PID)),
            ("PI_ORDER_CONFINE", i64::from(CONFINE)),
            ("PI_REPORT_NOT_CONFINED", i64::from(NOT_CONFINED)),
            ("PI_CONFINE_SECCOMP", CONFINE_STEPS.len().try_into().unwrap()),
            ("PI_REPORT_DROPPED_STATE", i64::from(DROPPED_STATE)),
            ("PI_KEEP_STATUS", i64::from(KEEP_STATUS)),
            ("PI_REPORT_GREETING", i64::from(GREETING)),
            ("PI_REPORT_ENDED", i64::from(ENDED)),
            ("PI_REPORT_FORKED", i64::from(FORKED)),
            ("PI_REPORT_REFUSED", i64::from(REFUSED)),
            ("PI_REPORT_CAN_STOP", i64::from(CAN_STOP)),
            ("PI_REPORT_MADE_PROCESS", i64::from(MADE_PROCESS)),
            ("PI_REPORT_HAS_TRAPS", i64::from(HAS_TRAPS)),
            ("PI_REPORT_KEPT_STATE", i64::from(KEPT_STATE)),
            ("PI_REPORT_HAS_CHILDREN", i64::from(HAS_CHILDREN)),
            ("PI_REPORT_HAS_OVERRIDES", i64::from(HAS_OVERRIDES)),
            ("PI_OPTIONS_SIZE", OPTIONS_SIZE.try_into().unwrap()),
        ] {
            assert_eq!(defined(name), value, "{name}");
        }
        // `struct pi_report`, and where its `struct pi_usage` begins.
        assert_eq!((REPORT_SIZE, USAGE_AT), (88, 64));
    }

    #[test]
    fn directory_and_variables_stand_before_the_text() {
        let env = [("A".to_owned(), "1".to_owned())];
        let order = RunOrder {
            command: "echo hi",
            cwd: Some(Path::new("/tmp")),
            env: &env,
            status: Some(3),
            own_pid: true,
            has_errors: false,
            measured: true,
        };
        let encoded = order.encode(7);
        let (head, text) = encoded.message.split_at(24);
        assert_eq!(text, b"/tmp\0A=1\0echo hi");
        assert_eq!(head, [RUN, 7, OWN_PID | USAGE, 9, 3, 0].map(u32::to_ne_bytes).concat());
        assert!(encoded.file.is_none());
    }

    #[test]
    fn what_is_too_long_goes_through_a_file() {
        let command = "x".repeat(TEXT_MAX + 1);
        let order = RunOrder {
            command: &command,
            cwd: None,
            env: &[],
            status: None,
            own_pid: false,
            has_errors: false,
            measured: false,
        };
        let encoded = order.encode(1);
        assert_eq!(encoded.message.len(), 24);
        assert_eq!(
            encoded.message,
            [RUN, 1, TEXT_IN_FILE, 0, u32::MAX, 0].map(u32::to_ne_bytes).concat()
        );
        assert_eq!(encoded.file.unwrap().len(), TEXT_MAX + 1);
        let most = "x".repeat(TEXT_MAX);
        let encoded = RunOrder { command: &most, ..RunOrder::default() }.encode(1);
        assert_eq!(encoded.message.len(), 24 + TEXT_MAX);
        assert!(encoded.file.is_none());
    }

    /// A report as a driver writes it.
    fn report(words: [u32; 5], options: &str, usage: [u64; 3], text: &[u8]) -> Vec<u8> {
        let mut message = words.map(u32::to_ne_bytes).concat();
        message.extend_from_slice(options.as_bytes());
        message.resize(USAGE_AT, 0);
        message.extend(usage.map(u64::to_ne_bytes).concat());
        message.extend_from_slice(text);
        message
    }

    fn ended(flags: u32) -> Ended {
        let message = report([ENDED, 7, 3, 0, flags], "himBHc", [1_500, 20, 4], b"/a b");
        match Report::decode(&message) {
            Some(Report::Ended { sequence: 7, ended }) => ended,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_end_is_read_with_all_that_the_driver_says_of_it() {
        let all_false = Ended {
            status: 3,
            made_process: false,
            has_children: false,
            has_traps: false,
            has_overrides: false,
            kept_state: false,
            dropped_state: false,
            options: "himBHc".to_owned(),
            cwd: "/a b".into(),
            usage: ResourceUsage::counted(1_500, 20, 4),
        };
        let with = |change: fn(&mut Ended)| {
            let mut ended = all_false.clone();
            change(&mut ended);
            ended
        };
        assert_eq!(ended(0), all_false);
        assert_eq!(ended(CAN_STOP), all_false, "that is of a greeting");
        assert_eq!(ended(MADE_PROCESS), with(|one| one.made_process = true));
        assert_eq!(ended(HAS_CHILDREN), with(|one| one.has_children = true));
        assert_eq!(ended(HAS_TRAPS), with(|one| one.has_traps = true));
        assert_eq!(ended(HAS_OVERRIDES), with(|one| one.has_overrides = true));
        assert_eq!(ended(KEPT_STATE), with(|one| one.kept_state = true));
        assert_eq!(ended(DROPPED_STATE), with(|one| one.dropped_state = true));
    }

    #[test]
    fn the_other_reports_are_read() {
        let decode = |words, text: &str| {
            Report::decode(&report(words, "", [0; 3], text.as_bytes())).unwrap()
        };
        for (flags, can_stop) in [(CAN_STOP, true), (MADE_PROCESS, false)] {
            let greeting = Report::Greeting { version: 6, bash: "5.2".to_owned(), can_stop };
            assert_eq!(decode([GREETING, 0, 6, 0, flags], "5.2"), greeting);
        }
        let forked = |result| Report::Forked { sequence: 2, result };
        assert_eq!(decode([FORKED, 2, 41, 0, 0], ""), forked(Ok(41)));
        assert_eq!(decode([FORKED, 2, (-11_i32).cast_unsigned(), 0, 0], ""), forked(Err(11)));
        assert_eq!(decode([FORKED, 2, 0, 0, 0], ""), forked(Err(0)));
        assert_eq!(decode([REFUSED, 5, 7, 0, 0], ""), Report::Refused { sequence: 5, errno: 7 });
        for (number, step) in
            [(0, "a step"), (1, "setting TMPDIR"), (6, "loading a seccomp program"), (7, "a step")]
        {
            let report = Report::NotConfined { step, errno: 22 };
            assert_eq!(decode([NOT_CONFINED, 0, 22, number, 0], ""), report);
        }
        assert_eq!(Report::decode(&report([99, 0, 0, 0, 0], "", [0; 3], b"")), None);
        assert_eq!(Report::decode(&report([REFUSED, 5, 7, 0, 0], "", [0; 3], b"")[1..]), None);
    }

    #[test]
    fn output_is_over_where_nothing_was_started_and_nothing_can_have_been_opened() {
        for (flags, by_its_text, otherwise) in [
            (0, true, false),
            (KEPT_STATE, true, true),
            (HAS_OVERRIDES, false, false),
            (KEPT_STATE | HAS_OVERRIDES, true, true),
            (KEPT_STATE | MADE_PROCESS, false, false),
            (KEPT_STATE | HAS_TRAPS, false, false),
            (MADE_PROCESS, false, false),
            (HAS_TRAPS, false, false),
        ] {
            assert_eq!(ended(flags).leaves_output(true), by_its_text, "{flags:#x}");
            assert_eq!(ended(flags).leaves_output(false), otherwise, "{flags:#x}");
        }
    }

    #[test]
    fn orders_to_leave_a_copy_say_of_which_kind() {
        let words = |words: [u32; 6]| words.map(u32::to_ne_bytes).concat();
        let keep = KEEP_STATUS.cast_unsigned();
        assert_eq!(fork_order(3, false), words([FORK, 3, 0, 0, keep, 0]));
        assert_eq!(fork_order(3, true), words([FORK, 3, OWN_PID, 0, keep, 0]));
        assert_eq!(confined_fork_order(4), words([FORK, 4, OWN_PID | CONFINE, 0, keep, 0]));
        let confined = confine_order(5, Path::new("/tmp/x"), b"bpf");
        assert_eq!(confined[..24], words([FORK, 5, CONFINE, 7, keep, 0]));
        assert_eq!(confined[24..], *b"/tmp/x\0bpf");
    }

    #[test]
    fn each_part_of_an_order_stands_where_it_is_wanted() {
        let words = |words: [u32; 6]| words.map(u32::to_ne_bytes).concat();
        let keep = KEEP_STATUS.cast_unsigned();
        let plain = RunOrder { command: "x", ..RunOrder::default() }.encode(1);
        assert_eq!(plain.message, [words([RUN, 1, 0, 0, keep, 0]), b"x".to_vec()].concat());
        let errors = RunOrder { has_errors: true, ..RunOrder::default() }.encode(1);
        assert_eq!(errors.message, words([RUN, 1, ERRORS, 0, keep, 0]));
        let env = [("A".to_owned(), "1".to_owned())];
        let variables = RunOrder { command: "x", env: &env, ..RunOrder::default() }.encode(1);
        let (head, text) = variables.message.split_at(24);
        assert_eq!((head, text), (words([RUN, 1, 0, 5, keep, 0]).as_slice(), &b"\0A=1\0x"[..]));
        let moved =
            RunOrder { command: "x", cwd: Some(Path::new("/")), ..RunOrder::default() }.encode(1);
        assert_eq!(moved.message.split_at(24).1, b"/\0x");
    }

    proptest::proptest! {
        #[test]
        fn no_message_makes_the_reader_fail(message in proptest::collection::vec(0_u8.., 0..200)) {
            drop(Report::decode(&message));
        }
    }
}
