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
pub const HANG_UP_GRACE: Duration = Duration::from_millis(150);

/// Time that SIGINT alone gets. A program that handles it cleans up in a few milliseconds.
pub const TERMINATE_AFTER: Duration = Duration::from_millis(150);

/// Time from the first signal to SIGKILL.
pub const KILL_AFTER: Duration = Duration::from_millis(400);

/// Time from the first signal to SIGKILL for a shell that should have given its command up by itself.
pub const SHELL_KILL_AFTER: Duration = Duration::from_secs(1);

/// Time after which what is still there cannot be killed by us (another user's, or stuck in the kernel): the run settles
/// and names it.
pub const GIVE_UP_AFTER: Duration = Duration::from_millis(2_500);

/// Time between SIGTERM and SIGKILL to the group of a command, where single processes cannot be looked up.
pub const GROUP_TERMINATE_GRACE: Duration = Duration::from_millis(400);

/// Time that a slow consumer gets for the rest after a command was stopped.
pub const DRAIN_LIMIT: Duration = Duration::from_millis(1_250);

/// Longest wait for a process that was forked to become its program, and for one that was killed to die, on a machine so
/// busy that it does not get to run.
pub const SETTLE_LIMIT: Duration = Duration::from_secs(2);

/// The same after a stop, which was long enough for all that dies.
const STOPPED_SETTLE_LIMIT: Duration = Duration::from_millis(500);

/// Longest wait for the report of a process's end, which says what the process used.
pub const USAGE_LIMIT: Duration = Duration::from_millis(100);

/// How long what a command left alive may take to become what it is going to be; `is_stopped`: we ended the command.
pub fn settle_limit(is_stopped: bool) -> Duration {
    if is_stopped { STOPPED_SETTLE_LIMIT } else { SETTLE_LIMIT }
}

/// Time that is waited for the newest standby before an older one serves: `ulimit -u` may keep it from being made.
#[cfg(target_os = "linux")]
pub const STANDBY_LIMIT: Duration = Duration::from_millis(500);

/// Longest that a callback of the caller may hold the result of a command back that ended by itself.
const ENDED_CALLBACK_LIMIT: Duration = Duration::from_secs(5);

/// The same for one that was stopped. Its end took up to `GIVE_UP_AFTER`, and the rest of its output `DRAIN_LIMIT`.
const STOPPED_CALLBACK_LIMIT: Duration = Duration::from_secs(2);

/// Time that the way of a result through a busy event loop may take.
const CROSSING_LIMIT: Duration = Duration::from_millis(150);

/// How long callbacks of the caller may hold a result back whose command took `wall_time`, its drain with it. Where it had a
/// `timeout`, callbacks have what the command has left of the grace.
pub fn callback_patience(
    was_stopped: bool,
    wall_time: Duration,
    timeout: Option<Duration>,
) -> Duration {
    let limit = if was_stopped { STOPPED_CALLBACK_LIMIT } else { ENDED_CALLBACK_LIMIT };
    timeout.map_or(limit, |timeout| {
        let spent = wall_time + settling(was_stopped) + CROSSING_LIMIT;
        limit.min((timeout + HARD_TIMEOUT_GRACE).saturating_sub(spent))
    })
}

/// Longest time from a command's end to its result.
fn settling(was_stopped: bool) -> Duration {
    let settle = if was_stopped { STOPPED_SETTLE_LIMIT } else { SETTLE_LIMIT };
    #[cfg(target_os = "linux")]
    let settle = settle + STANDBY_LIMIT;
    settle + USAGE_LIMIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_over_within_the_grace() {
        let ladder = GIVE_UP_AFTER;
        let rest = DRAIN_LIMIT + settling(true);

        assert!(ladder + rest < HARD_TIMEOUT_GRACE);
        assert!(TERMINATE_AFTER < KILL_AFTER && KILL_AFTER < SHELL_KILL_AFTER);
        assert!(SHELL_KILL_AFTER < GIVE_UP_AFTER);
    }

    #[test]
    fn a_callback_that_never_returns_holds_no_result_back_past_the_grace() {
        let timeout = Duration::from_secs(60);
        // Each with its longest drain; what ended by itself may have ended at the last moment.
        for (was_stopped, over) in
            [(true, GIVE_UP_AFTER + DRAIN_LIMIT), (true, Duration::ZERO), (false, DRAIN_LIMIT)]
        {
            let wall_time = timeout + over;
            let patience = callback_patience(was_stopped, wall_time, Some(timeout));
            let settled = wall_time + settling(was_stopped) + patience + CROSSING_LIMIT;
            assert!(settled <= timeout + HARD_TIMEOUT_GRACE, "{was_stopped}, {over:?}");
        }
    }

    #[test]
    fn a_callback_has_its_time_where_there_is_some() {
        let second = Duration::from_secs(1);
        for (was_stopped, timeout, patience) in [
            (false, None, ENDED_CALLBACK_LIMIT),
            (false, Some(60 * second), ENDED_CALLBACK_LIMIT),
            (true, None, STOPPED_CALLBACK_LIMIT),
            (true, Some(second), STOPPED_CALLBACK_LIMIT),
        ] {
            assert_eq!(callback_patience(was_stopped, second, timeout), patience, "{timeout:?}");
        }
    }

    #[test]
    fn a_terminal_s_hang_up_comes_before_the_ladder() {
        assert!(HANG_UP_GRACE + GIVE_UP_AFTER < HARD_TIMEOUT_GRACE);
        assert!(GROUP_TERMINATE_GRACE < GIVE_UP_AFTER);
    }

    #[test]
    fn what_survives_a_stop_is_waited_for_less_long_and_each_wait_is_a_part_of_the_sum() {
        assert!(settle_limit(true) < settle_limit(false));
        for was_stopped in [true, false] {
            let waits = settle_limit(was_stopped) + USAGE_LIMIT;
            #[cfg(target_os = "linux")]
            let waits = waits + STANDBY_LIMIT;
            assert!(!settle_limit(was_stopped).is_zero());
            assert_eq!(settling(was_stopped), waits, "{was_stopped}");
        }
    }
}
