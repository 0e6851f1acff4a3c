//! How long a command's result may take past its deadline or its cancel: each duration on that way, and their sum.
//!
//! What is only waited for on other ways (a start, a close) stands where it is waited for.

use std::time::Duration;

/// Time a run may take past its deadline until its promise settles, whatever holds the pipe.
///
/// Source: `HARD_TIMEOUT_GRACE_MS` of the specification.
pub const HARD_TIMEOUT_GRACE: Duration = Duration::from_secs(5);

/// Time that SIGHUP alone gets, where a terminal is taken away before the ladder. An editor writes its recovery file in a
/// few milliseconds.
pub(crate) const HANG_UP_GRACE: Duration = Duration::from_millis(150);

/// Time that SIGINT alone gets. A program that handles it cleans up in a few milliseconds.
pub(crate) const TERMINATE_AFTER: Duration = Duration::from_millis(150);

/// Time from the first signal to SIGKILL.
pub(crate) const KILL_AFTER: Duration = Duration::from_millis(400);

/// Time from the first signal to SIGKILL for a shell that should have given its command up by itself.
pub(crate) const SHELL_KILL_AFTER: Duration = Duration::from_secs(1);

/// Time after which what is still there cannot be killed by us (another user's, or stuck in the kernel): the run settles
/// and names it.
pub(crate) const GIVE_UP_AFTER: Duration = Duration::from_millis(2_500);

/// Time between SIGTERM and SIGKILL to the group of a command, where single processes cannot be looked up.
pub(crate) const GROUP_TERMINATE_GRACE: Duration = Duration::from_millis(400);

/// Time that a slow consumer gets for the rest after a command was stopped.
pub(crate) const DRAIN_LIMIT: Duration = Duration::from_millis(1_250);

/// Longest wait for a process that was forked to become its program, and for one that was killed to die, on a machine so
/// busy that it does not get to run.
const SETTLE_LIMIT: Duration = Duration::from_secs(2);

/// The same after a stop, which was long enough for all that dies.
const STOPPED_SETTLE_LIMIT: Duration = Duration::from_millis(500);

/// How long what a command left alive may take to become what it is going to be; `is_stopped`: we ended the command.
pub(crate) fn settle_limit(is_stopped: bool) -> Duration {
    if is_stopped { STOPPED_SETTLE_LIMIT } else { SETTLE_LIMIT }
}

/// Time that is waited for the newest standby before an older one serves: `ulimit -u` may keep it from being made.
#[cfg(target_os = "linux")]
pub(crate) const STANDBY_LIMIT: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_over_within_the_grace() {
        let ladder = GIVE_UP_AFTER;
        let rest = DRAIN_LIMIT + STOPPED_SETTLE_LIMIT;
        #[cfg(target_os = "linux")]
        let rest = rest + STANDBY_LIMIT;

        assert!(ladder + rest < HARD_TIMEOUT_GRACE);
        assert!(TERMINATE_AFTER < KILL_AFTER && KILL_AFTER < SHELL_KILL_AFTER);
        assert!(SHELL_KILL_AFTER < GIVE_UP_AFTER);
    }

    #[test]
    fn a_terminal_s_hang_up_comes_before_the_ladder() {
        assert!(HANG_UP_GRACE + GIVE_UP_AFTER < HARD_TIMEOUT_GRACE);
        assert!(GROUP_TERMINATE_GRACE < GIVE_UP_AFTER);
    }
}
