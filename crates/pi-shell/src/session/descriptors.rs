//! The numbers of the descriptors that bash keeps for itself in a session.
//!
//! Pure text: which redirections a command gets, so that every number a script may use is the
//! script's. How they are said to bash stands in `protocol`.

use std::path::Path;

use super::protocol;

/// Bash's own descriptors in a session, out of the way of those that a script may use.
///
/// Bash saves what it redirects on the lowest free descriptor from 10 on, where a script's `exec
/// 10<file` meets it. But a duplication from a higher descriptor is saved above that one. So what
/// a command gets is put high first, and duplicated from there. All are close-on-exec: bash keeps
/// that flag in duplicating, and sets it on what it saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Descriptors {
    /// The first of them, or none where the limit on open files leaves no room.
    base: Option<u64>,
}

/// How many numbers bash uses from the base on: four fixed, the output twice, three saved, and as
/// many to spare for those that a command has open there.
const RESERVED_DESCRIPTORS: u64 = 12;

/// Numbers lie below this one; bash itself keeps a script's file on 255, so tables of descriptors
/// are of this size anyway.
const DESCRIPTORS_END: u64 = 250;

/// Least base: scripts use small numbers.
const LEAST_BASE: u64 = 24;

/// How a command's standard error comes to its output's FIFO.
///
/// What is opened once has one set of flags: a program that makes its standard error non-blocking,
/// as Node does, would make the standard output of every other program of the command so, and
/// `tee` ends with what the pipe does not take at once. What goes in is one sequence either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Errors {
    /// Opened once with standard output. For a builtin that starts no program: opening twice takes
    /// bash half as long again.
    Shared,
    /// Opened for itself.
    Apart,
}

/// Where the report pipe is, counted from the base.
const REPORT: u64 = 3;

impl Descriptors {
    /// Those of a shell that may have `limit` files open; `None`: no limit.
    pub(super) fn within(limit: Option<u64>) -> Self {
        let end = limit.unwrap_or(u64::MAX).min(DESCRIPTORS_END);
        let base = end.checked_sub(RESERVED_DESCRIPTORS).filter(|base| *base >= LEAST_BASE);
        Self { base }
    }

    /// None kept high: bash uses those from 10 on.
    pub(super) fn low() -> Self {
        Self { base: None }
    }

    /// Whether they are out of a script's way.
    pub(super) fn are_high(self) -> bool {
        self.base.is_some()
    }

    /// The one that keeps the report pipe, where it has a number of its own.
    pub(super) fn report(self) -> Option<u64> {
        self.base.map(|base| base + REPORT)
    }

    /// Whether a number is one of them.
    pub(super) fn are_own(self, number: u64) -> bool {
        self.base.is_some_and(|base| (base..base + RESERVED_DESCRIPTORS).contains(&number))
    }

    /// What the boot does: `/dev/null` and the report pipe are duplicated from where the
    /// redirections of the group saved them.
    pub(super) fn boot(self) -> String {
        match self.base {
            Some(base) => {
                format!("{{ \\exec {base}<&11 {}>&12;}} </dev/null <&2 >/dev/null;", base + REPORT)
            }
            None => String::new(),
        }
    }

    /// The redirections of a command whose output goes to `file`, opened by `how`.
    ///
    /// The expansion in one of the last puts bash's line counter back, so that every command counts
    /// its lines from 1, as a script of its own does. It stands here and not before the `eval` that
    /// has the command, because bash sets the counter to a command's own line when it begins with
    /// it. Quoted, since `IFS` may be a digit.
    pub(super) fn redirections(self, how: &str, file: &Path, errors: Errors) -> String {
        let file = protocol::plain(file);
        let Some(null) = self.base else {
            return match errors {
                Errors::Shared => format!(" </dev/null {how}{file} 2>&\"$((LINENO=1))\""),
                // The expansion stands before standard error changes: what bash says about it is
                // for us. Its redirection changes nothing.
                Errors::Apart => {
                    format!(" </dev/null {how}{file} >&\"$((LINENO=1))\" 2{how}{file}")
                }
            };
        };
        // Opened on a slot; moved to a saved number, since the slot is redirected once more.
        let (errors_slot, slot, report, saved) = (null + 1, null + 2, null + REPORT, null + 4);
        let (errors_saved, errors_opened) = match errors {
            Errors::Shared => (saved, String::new()),
            Errors::Apart => {
                (saved + 1, format!(" {errors_slot}{how}{file} {errors_slot}>&{report}"))
            }
        };
        format!(
            " {slot}{how}{file} {slot}>&{report}{errors_opened} <&{null} >&{saved} 2>&\"$((LINENO=1,{errors_saved}))\""
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bash_s_own_descriptors_stay_below_the_limit_and_above_those_of_scripts() {
        assert_eq!(Descriptors::within(None).base, Some(238));
        assert_eq!(Descriptors::within(Some(1_048_576)).base, Some(238));
        assert_eq!(Descriptors::within(Some(64)).base, Some(52));
        assert_eq!(Descriptors::within(Some(20)), Descriptors::low());
        assert_eq!(Descriptors::within(Some(4)), Descriptors::low());
    }
}
