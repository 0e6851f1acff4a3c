//! What a sandbox is asked for, and what it is notified of: plain data, on every platform. How it is held
//! stands in `enclosure`.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::PathBuf;

use pi_proxy::{Refusal, Rules};

/// Where a session's proxy listens in its network namespace: the port that proxies usually have.
/// The namespace is new, so nothing else is there.
pub const PROXY_ADDRESS: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 3128);

/// How much of the file system can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxMode {
    /// Nothing but a temporary folder of its own.
    ReadOnly,
    /// The named folders, too, but for what is protected in them.
    WorkspaceWrite,
}

impl SandboxMode {
    /// As it is called in settings and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
        }
    }
}

/// Who holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxBackend {
    /// `bwrap` of Linux.
    Bubblewrap,
    /// Landlock of the Linux kernel.
    Landlock,
    /// `sandbox-exec` of macOS.
    Seatbelt,
}

impl SandboxBackend {
    /// As it is called in settings, results and capabilities.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::Seatbelt => "seatbelt",
        }
    }
}

/// What of the network can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxNetwork {
    /// Nothing but a loopback of its own.
    None,
    /// The host's network.
    Host,
    /// What rules name, by a proxy. Needs a network namespace.
    Rules(Rules),
}

impl SandboxNetwork {
    /// Whether programs have the host's network itself.
    #[cfg(unix)]
    pub(crate) fn is_host(&self) -> bool {
        matches!(self, Self::Host)
    }
}

/// A sandbox that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxOptions {
    /// What can be written.
    pub mode: SandboxMode,
    /// What of the network can be reached.
    pub network: SandboxNetwork,
    /// Which backend. `None`: the first that works.
    pub backend: Option<SandboxBackend>,
    /// Folders that can be written in `WorkspaceWrite`; absolute.
    pub writable_paths: Vec<PathBuf>,
    /// What stays read-only in them besides what always does; absolute, or relative to each.
    pub protected_paths: Vec<PathBuf>,
    /// Files and folders that cannot be seen; absolute. Needs bubblewrap.
    pub hidden_paths: Vec<PathBuf>,
    /// Go on where a backend lacks something, and say what, instead of refusing.
    pub allow_degraded: bool,
}

impl SandboxOptions {
    /// One held by the first backend that works, without folders of its own, which must lack nothing.
    pub fn new(mode: SandboxMode, network: SandboxNetwork) -> Self {
        Self {
            mode,
            network,
            backend: None,
            writable_paths: Vec::new(),
            protected_paths: Vec::new(),
            hidden_paths: Vec::new(),
            allow_degraded: false,
        }
    }
}

/// What makes a program outside obey something that a command left in the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlantKind {
    /// Git runs programs for it: configuration, a hook, a repository elsewhere that it points to.
    Repository,
    /// `git rebase --continue` runs its `exec` lines.
    Rebase,
    /// An editor, a package manager or an agent obeys it.
    Tool,
}

impl PlantKind {
    /// As it is called in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Repository => "git-repository",
            Self::Rebase => "git-rebase",
            Self::Tool => "tool-configuration",
        }
    }
}

/// Something that came or changed while commands ran, and that a program outside will obey later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plant {
    /// Where it is; absolute.
    pub path: PathBuf,
    /// What obeys it.
    pub kind: PlantKind,
}

/// The sandbox that a command ran in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxReport {
    /// What could be written.
    pub mode: SandboxMode,
    /// Who held it.
    pub backend: SandboxBackend,
    /// What of the network could be reached.
    pub network: SandboxNetwork,
    /// What the proxy refused since the result before; see docs/sandbox.md.
    pub refused: Vec<Refusal>,
    /// What was not contained, by name; see docs/sandbox.md. Empty unless that was allowed.
    pub degraded: Vec<String>,
    /// What came since the result before; see docs/sandbox.md.
    pub planted: Vec<Plant>,
    /// The folders that can be written have more in them than is looked at.
    pub partly_searched: bool,
}

impl SandboxReport {
    /// One that lacked nothing, and in which nothing was refused or left behind.
    pub fn new(mode: SandboxMode, backend: SandboxBackend, network: SandboxNetwork) -> Self {
        Self {
            mode,
            backend,
            network,
            refused: Vec::new(),
            degraded: Vec::new(),
            planted: Vec::new(),
            partly_searched: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_backends_and_what_is_planted_are_called_as_settings_and_results_have_them() {
        let modes = [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite];
        assert_eq!(modes.map(SandboxMode::name), ["read-only", "workspace-write"]);
        let backends =
            [SandboxBackend::Bubblewrap, SandboxBackend::Landlock, SandboxBackend::Seatbelt];
        assert_eq!(backends.map(SandboxBackend::name), ["bubblewrap", "landlock", "seatbelt"]);
        let kinds = [PlantKind::Repository, PlantKind::Rebase, PlantKind::Tool];
        let names = ["git-repository", "git-rebase", "tool-configuration"];
        assert_eq!(kinds.map(PlantKind::name), names);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_host_s_network_is_the_host_s() {
        let rules = SandboxNetwork::Rules(Rules::parse(&[]).unwrap());
        assert!(SandboxNetwork::Host.is_host());
        assert!(!SandboxNetwork::None.is_host() && !rules.is_host());
    }
}
