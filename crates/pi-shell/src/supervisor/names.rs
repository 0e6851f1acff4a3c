//! What number a process of the supervisor's has here, where it counts in a pid namespace of its own.

#[cfg(target_os = "linux")]
use pi_supervisor::process;

/// How a supervisor counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PidNames {
    /// As this host does.
    Same,
    /// In a namespace whose first process has this pid here.
    Own(i32),
}

impl PidNames {
    /// The number here of what is `pid` there; 0 when there is no such process any more.
    ///
    /// Only processes below the supervisor are looked at: whatever number is told, a process
    /// outside of the sandbox is never meant.
    pub(super) fn own_pid_of(self, pid: i32) -> i32 {
        match self {
            Self::Same => pid,
            #[cfg(target_os = "linux")]
            Self::Own(root) => {
                process::find_by_inner_pid(root, pid).map_or(0, |identity| identity.pid)
            }
            #[cfg(not(target_os = "linux"))]
            Self::Own(_) => 0,
        }
    }
}
