//! The tests of sessions over the bash driver, and those that only driven sessions need.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "sessions/as_bash.rs"]
mod session_as_bash;
#[path = "sessions/copies.rs"]
mod session_copies;
#[path = "sessions/descriptors.rs"]
mod session_descriptors;
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

#[path = "driven/beginning.rs"]
mod beginning;
#[path = "driven/ends.rs"]
mod ends;
#[path = "driven/hazards.rs"]
mod hazards;
#[path = "driven/inline.rs"]
mod inline;
#[path = "driven/keeping.rs"]
mod keeping;
#[path = "driven/read_only.rs"]
mod read_only;
#[path = "driven/read_only_attempts.rs"]
mod read_only_attempts;
#[path = "driven/read_only_bounds.rs"]
mod read_only_bounds;
#[path = "driven/standbys.rs"]
mod standbys;
#[path = "support/mod.rs"]
mod support;
