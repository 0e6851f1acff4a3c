//! What a supervisor is started in: plain data, which a sandbox fills in and the supervisor's start reads.

use std::ffi::OsString;

use pi_supervisor::wire::Confine;

/// What is around one supervisor. The default: nothing.
#[derive(Debug, Default, Clone)]
pub struct Surroundings {
    /// Program and arguments before the supervisor's own path; empty: none.
    pub wrapper: Vec<OsString>,
    /// What the supervisor gives up before it starts anything.
    pub confine: Option<Confine>,
    /// The supervisor has a pid namespace of its own.
    pub own_pids: bool,
}
