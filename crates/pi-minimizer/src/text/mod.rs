//! What every output goes through before anyone looks at its meaning: terminal control, line ends, repeats.
//!
//! Nothing here knows a tool. A stage may change how text is spelled, never what it says: each is
//! lossless for a reader, which is why these stages alone are the fall-back of a doubtful result.

pub(crate) mod any_of;
pub(crate) mod lines;
pub(crate) mod repeat;
pub(crate) mod terminal;
pub(crate) mod words;
