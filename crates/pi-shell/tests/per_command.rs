//! The tests of sessions over a bash for each command, and those that only such sessions need.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "sessions/as_bash.rs"]
mod session_as_bash;
#[path = "sessions/copies.rs"]
mod session_copies;
#[path = "sessions/filters.rs"]
mod session_filters;
#[path = "sessions/hand_over.rs"]
mod session_hand_over;
#[path = "sessions/last_words.rs"]
mod session_last_words;
#[path = "sessions/recovery.rs"]
mod session_recovery;
#[path = "sessions/state.rs"]
mod session_state;
#[path = "sessions/stop.rs"]
mod session_stop;
#[path = "sessions/traps.rs"]
mod session_traps;
#[path = "sessions/unanswered.rs"]
mod session_unanswered;
#[path = "sessions/usage.rs"]
mod session_usage;

#[path = "per_command/bounds.rs"]
mod bounds;
#[path = "per_command/carrying.rs"]
mod carrying;
#[path = "per_command/hostile.rs"]
mod hostile;
#[path = "support/mod.rs"]
mod support;
