//! The limits of a session as a whole, and which of all limits a command met.

use std::path::Path;

#[cfg(target_os = "linux")]
use crate::control_group::{ControlGroup, GroupEvents, GroupLimits};
use crate::error::ShellError;
use crate::outcome::{ExitOutcome, LimitMet};
use crate::request::ResourceLimits;

/// What a shell adds to the number of a signal to make a status.
const SIGNAL_STATUS_BASE: i32 = 128;

/// Tries to remove a group whose last processes the kernel is still taking down, and their pause.
#[cfg(target_os = "linux")]
const REMOVE_TRIES: u32 = 200;
#[cfg(target_os = "linux")]
const REMOVE_INTERVAL: std::time::Duration = std::time::Duration::from_millis(5);

/// What bounds a session.
#[derive(Debug)]
pub(super) struct SessionLimits {
    wanted: ResourceLimits,
    #[cfg(target_os = "linux")]
    group: Option<ControlGroup>,
}

/// The state of the limits at some time, to compare with a later one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LimitsMark {
    #[cfg(target_os = "linux")]
    events: GroupEvents,
}

impl SessionLimits {
    /// Makes what the limits need. `folder`: the session's own, whose name no other has.
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "names a group"))]
    pub(super) fn make(wanted: ResourceLimits, folder: &Path) -> Result<Self, ShellError> {
        let is_grouped = wanted.session_memory.is_some() || wanted.session_processes.is_some();
        #[cfg(target_os = "linux")]
        {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let limits =
                GroupLimits { memory: wanted.session_memory, processes: wanted.session_processes };
            let group = is_grouped
                .then(|| ControlGroup::make(limits, &name))
                .transpose()
                .map_err(|reason| ShellError::LimitsUnavailable { reason })?;
            Ok(Self { wanted, group })
        }
        #[cfg(not(target_os = "linux"))]
        {
            if is_grouped {
                let reason = "only Linux has control groups".to_owned();
                return Err(ShellError::LimitsUnavailable { reason });
            }
            Ok(Self { wanted })
        }
    }

    /// Whether shells have to be added to a group.
    #[cfg(target_os = "linux")]
    pub(super) fn is_grouped(&self) -> bool {
        self.group.is_some()
    }

    /// What would need one was refused.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the same surface on every system")]
    pub(super) fn is_grouped(&self) -> bool {
        false
    }

    /// Bounds a shell that was just started, and with it all that it will start.
    #[cfg(target_os = "linux")]
    pub(super) fn add(&self, pid: i32) -> Result<(), ShellError> {
        let refused =
            |error: std::io::Error| ShellError::LimitsUnavailable { reason: error.to_string() };
        self.group.as_ref().map_or(Ok(()), |group| group.add(pid).map_err(refused))
    }

    /// Nothing to add to: what would need it was refused.
    #[cfg(not(target_os = "linux"))]
    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "the same surface on every system"
    )]
    pub(super) fn add(&self, _pid: i32) -> Result<(), ShellError> {
        Ok(())
    }

    /// Removes what was made, once the session's processes are gone; at most for a second.
    #[cfg(target_os = "linux")]
    pub(super) async fn remove(&self) {
        let Some(group) = &self.group else { return };
        for _ in 0..REMOVE_TRIES {
            if group.try_remove() {
                return;
            }
            tokio::time::sleep(REMOVE_INTERVAL).await;
        }
    }

    /// Nothing was made.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_async, reason = "the same surface on every system")]
    pub(super) async fn remove(&self) {}

    /// The state now.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(clippy::unused_self, reason = "nothing is counted")
    )]
    pub(super) fn mark(&self) -> LimitsMark {
        #[cfg(target_os = "linux")]
        {
            LimitsMark { events: self.group.as_ref().map(ControlGroup::events).unwrap_or_default() }
        }
        #[cfg(not(target_os = "linux"))]
        LimitsMark::default()
    }

    /// What was met since `before` by a command that ended so.
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "nothing is counted"))]
    pub(super) fn met(&self, before: LimitsMark, outcome: ExitOutcome) -> Vec<LimitMet> {
        let ended_by = |signal: i32| match outcome {
            ExitOutcome::Exited { code } => i32::from(code) == SIGNAL_STATUS_BASE + signal,
            ExitOutcome::Signaled { signal: found } => found == signal,
            ExitOutcome::TimedOut | ExitOutcome::Cancelled => false,
        };
        let mut met = Vec::new();
        #[cfg(target_os = "linux")]
        {
            let now = self.mark().events;
            if now.memory_kills > before.events.memory_kills {
                met.push(LimitMet::Memory);
            }
            if now.refused_forks > before.events.refused_forks {
                met.push(LimitMet::Processes);
            }
        }
        if self.wanted.cpu_seconds.is_some() && ended_by(libc::SIGXCPU) {
            met.push(LimitMet::CpuTime);
        }
        if self.wanted.file_size.is_some() && ended_by(libc::SIGXFSZ) {
            met.push(LimitMet::FileSize);
        }
        met
    }
}
