//! Runs inline: a run that its caller's own thread begins, and mostly ends, without a thread of the runtime in between.
//!
//! # Theory of operation
//! A builtin takes bash a few microseconds; to hand a run to another thread and its result back takes several times
//! that. So the caller's thread polls the run's future itself (`InlineRuns::begin`). As long as all that the future
//! waits for is the report of a shell, it is parked, and the report's descriptor stands in an epoll set that the
//! caller's event loop watches. When the set is readable, `InlineRuns::turn` polls the runs whose reports came.
//!
//! Everything else moves a run to the runtime, where it goes on from the await that it stands at: a future that is
//! pending for another reason, one that is woken (a cancel), one that asks for it before work that may block
//! (`elsewhere`), and one whose report has not come within two milliseconds. The last is the runtime's own clock, so a
//! caller whose thread is busy holds no command up and stretches no deadline.
//!
//! It is the same future in both places. What it does where is decided by one question, `is_inline`.

mod parked;
mod place;
mod runs;

pub(crate) use place::report_of;
pub(crate) use place::{elsewhere, is_inline};
pub use runs::InlineRuns;
