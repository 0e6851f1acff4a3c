//! The limits of a session as a whole, and which of all limits a command met.

use std::path::Path;
use std::time::Duration;

use pi_process::ResourceLimits;
use pi_process::control_group::{ControlGroup, GroupEvents, GroupLimits};

use crate::error::ShellError;
use crate::outcome::{ExitOutcome, LimitMet};

/// Tries to remove a group whose last processes the kernel is still taking down, and their pause.
const REMOVE_TRIES: u32 = 200;
const REMOVE_INTERVAL: Duration = Duration::from_millis(5);

/// What bounds a session.
#[derive(Debug)]
pub(super) struct SessionLimits {
    wanted: ResourceLimits,
    group: Option<ControlGroup>,
}

/// The state of the limits at some time, to compare with a later one.
pub(super) type LimitsMark = GroupEvents;

impl SessionLimits {
    /// Makes what the limits need. `folder`: the session's own, whose name no other has.
    pub(super) fn make(wanted: ResourceLimits, folder: &Path) -> Result<Self, ShellError> {
        let limits =
            GroupLimits { memory: wanted.session_memory, processes: wanted.session_processes };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let group = (limits.memory.is_some() || limits.processes.is_some())
            .then(|| ControlGroup::make(limits, &name))
            .transpose()
            .map_err(|reason| ShellError::LimitsUnavailable { reason })?;
        Ok(Self { wanted, group })
    }

    /// Whether shells have to be added to a group.
    pub(super) fn is_grouped(&self) -> bool {
        self.group.is_some()
    }

    /// Bounds a shell that was just started, and with it all that it will start.
    pub(super) fn add(&self, pid: i32) -> Result<(), ShellError> {
        let refused =
            |error: std::io::Error| ShellError::LimitsUnavailable { reason: error.to_string() };
        self.group.as_ref().map_or(Ok(()), |group| group.add(pid).map_err(refused))
    }

    /// Removes what was made, once the session's processes are gone; at most for a second.
    pub(super) async fn remove(&self) {
        let Some(group) = &self.group else { return };
        for _ in 0..REMOVE_TRIES {
            if group.try_remove() {
                return;
            }
            tokio::time::sleep(REMOVE_INTERVAL).await;
        }
    }

    /// The state now.
    pub(super) fn mark(&self) -> LimitsMark {
        self.group.as_ref().map(ControlGroup::events).unwrap_or_default()
    }

    /// What was met since `before` by a command that ended so.
    pub(super) fn met(&self, before: LimitsMark, outcome: ExitOutcome) -> Vec<LimitMet> {
        let ended_by = |signal| outcome.status() == ExitOutcome::Signaled { signal }.status();
        let now = self.mark();
        let (cpu, size) = (self.wanted.cpu_seconds, self.wanted.file_size);
        [
            (now.memory_kills > before.memory_kills, LimitMet::Memory),
            (now.refused_forks > before.refused_forks, LimitMet::Processes),
            (cpu.is_some() && ended_by(libc::SIGXCPU), LimitMet::CpuTime),
            (size.is_some() && ended_by(libc::SIGXFSZ), LimitMet::FileSize),
        ]
        .into_iter()
        .filter_map(|(is_met, limit)| is_met.then_some(limit))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(wanted: ResourceLimits) -> SessionLimits {
        SessionLimits { wanted, group: None }
    }

    #[test]
    fn the_signals_of_limits_are_theirs_only_where_there_is_such_a_limit() {
        let bounded = ResourceLimits {
            cpu_seconds: Some(1),
            file_size: Some(1),
            ..ResourceLimits::default()
        };
        let status =
            |signal: i32| ExitOutcome::Exited { code: u8::try_from(128 + signal).unwrap() };
        let killed = |signal| ExitOutcome::Signaled { signal };
        let (cpu, size) = (vec![LimitMet::CpuTime], vec![LimitMet::FileSize]);
        for (outcome, met) in [
            (killed(libc::SIGXCPU), &cpu),
            (status(libc::SIGXCPU), &cpu),
            (killed(libc::SIGXFSZ), &size),
            (status(libc::SIGXFSZ), &size),
            (killed(libc::SIGKILL), &Vec::new()),
            (ExitOutcome::TimedOut, &Vec::new()),
        ] {
            let (bounded, free) = (limits(bounded), limits(ResourceLimits::default()));
            assert_eq!(bounded.met(bounded.mark(), outcome), *met, "{outcome:?}");
            assert_eq!(free.met(free.mark(), outcome), [], "{outcome:?}");
        }
    }

    #[test]
    fn a_session_without_a_bound_on_all_of_it_has_no_group() {
        let wanted = ResourceLimits { cpu_seconds: Some(1), ..ResourceLimits::default() };
        let limits = SessionLimits::make(wanted, Path::new("/tmp/pi-x")).unwrap();

        assert!(!limits.is_grouped());
        assert!(limits.add(1).is_ok());
        let earlier = LimitsMark { memory_kills: 1, refused_forks: 1 };
        assert_eq!(limits.met(earlier, ExitOutcome::Exited { code: 0 }), []);
    }
}
