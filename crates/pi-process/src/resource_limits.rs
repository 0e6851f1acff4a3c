//! Upper bounds of what processes may use, as plain data on every platform.

/// Upper bounds set with `setrlimit(2)` before the shell starts. `None` inherits the host's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResourceLimits {
    /// `RLIMIT_AS`, in bytes.
    pub address_space: Option<u64>,
    /// `RLIMIT_NOFILE`, a count.
    pub open_files: Option<u64>,
    /// `RLIMIT_NPROC`, a count for the whole user.
    pub processes: Option<u64>,
    /// `RLIMIT_FSIZE`, in bytes.
    pub file_size: Option<u64>,
    /// `RLIMIT_CPU`, in seconds of each process.
    pub cpu_seconds: Option<u64>,
    /// `RLIMIT_DATA`, in bytes.
    pub data: Option<u64>,
    /// `RLIMIT_CORE`, in bytes. Default 0: no core dumps.
    pub core_size: Option<u64>,
    /// Memory of all processes of the session together, in bytes. Needs a control group.
    pub session_memory: Option<u64>,
    /// Processes and threads of the session at one time. Needs a control group.
    pub session_processes: Option<u64>,
}
