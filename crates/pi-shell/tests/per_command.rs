//! The tests of sessions once more, over a bash for each command, and those that only such sessions need.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![expect(clippy::duplicate_mod, reason = "each of the files is a test of its own as well")]

#[path = "session_as_bash.rs"]
mod session_as_bash;
#[path = "session_copies.rs"]
mod session_copies;
#[path = "session_filters.rs"]
mod session_filters;
#[path = "session_hand_over.rs"]
mod session_hand_over;
#[path = "session_last_words.rs"]
mod session_last_words;
#[path = "session_recovery.rs"]
mod session_recovery;
#[path = "session_state.rs"]
mod session_state;
#[path = "session_stop.rs"]
mod session_stop;
#[path = "session_traps.rs"]
mod session_traps;

#[path = "per_command/bounds.rs"]
mod bounds;
#[path = "per_command/carrying.rs"]
mod carrying;
#[path = "per_command/hostile.rs"]
mod hostile;
#[path = "support/mod.rs"]
mod support;
