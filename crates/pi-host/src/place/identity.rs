//! Who an instance is: a process, by more than its pid, on a machine that was started once.

use pi_supervisor::process::{self, ProcessIdentity};
use serde::{Deserialize, Serialize};

/// As it stands in the instance's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Identity {
    pub(super) instance: String,
    pub(super) pid: i32,
    /// Clock ticks from the machine's start to the process's.
    pub(super) start_time: u64,
    pub(super) boot_id: Option<String>,
    /// The machine's name: a folder may be seen by several.
    pub(super) host: String,
    pub(super) version: String,
    /// Milliseconds since the Unix epoch.
    pub(super) started_at_ms: u64,
}

impl Identity {
    /// That of this process.
    pub(super) fn own(instance: &str) -> Self {
        let pid = i32::try_from(std::process::id()).unwrap_or_default();
        let found = process::identity_of(pid);
        Self {
            instance: instance.to_owned(),
            pid,
            // Without `/proc` this is unknown; such an instance counts as another machine's.
            start_time: found.map_or(0, |found| found.start_time),
            boot_id: crate::machine::boot_id(),
            host: crate::machine::host_name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at_ms: found.map_or(0, process::started_at_ms),
        }
    }

    /// The process, where it can be one of this machine.
    pub(super) fn process(&self) -> ProcessIdentity {
        ProcessIdentity { pid: self.pid, start_time: self.start_time }
    }

    /// Whether it lives. `None`: another machine would have to be asked.
    pub(super) fn is_alive(&self) -> Option<bool> {
        if self.host != crate::machine::host_name() || self.start_time == 0 {
            return None;
        }
        if self.boot_id != crate::machine::boot_id() {
            return Some(false);
        }
        process::is_available().then(|| process::is_alive(self.process()))
    }
}
