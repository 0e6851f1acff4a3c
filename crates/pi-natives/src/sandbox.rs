//! Sandboxes on their way in, and what is reported of them on the way out.

use std::path::PathBuf;

use napi_derive::napi;
use pi_shell::{
    NetworkRefusal, NetworkRules, Plant, SandboxBackend, SandboxMode, SandboxNetwork,
    SandboxOptions, SandboxReport, ShellError,
};

/// A sandbox that is asked for.
#[napi(object, object_to_js = false)]
pub struct SandboxRequest {
    /// What can be written.
    #[napi(ts_type = "'read-only' | 'workspace-write'")]
    pub mode: String,
    /// The host's network can be used. With `networkRules` it cannot.
    pub network: bool,
    /// What of the network can be reached, by a proxy. Absent: nothing, or the host's network.
    pub network_rules: Option<Vec<String>>,
    /// Absent: the first that works.
    #[napi(ts_type = "'bubblewrap' | 'landlock' | 'seatbelt'")]
    pub backend: Option<String>,
    /// Folders that can be written; absolute.
    pub writable_paths: Vec<String>,
    /// What stays read-only in them, besides what always does.
    pub protected_paths: Vec<String>,
    /// What cannot be seen; absolute.
    pub hidden_paths: Vec<String>,
    /// Go on where a backend lacks something, and say what.
    pub allow_degraded: bool,
}

impl TryFrom<SandboxRequest> for SandboxOptions {
    type Error = ShellError;

    fn try_from(request: SandboxRequest) -> Result<Self, ShellError> {
        let paths = |paths: Vec<String>| paths.into_iter().map(PathBuf::from).collect();
        let network = match request.network_rules {
            Some(texts) => {
                let rules = NetworkRules::parse(&texts).map_err(|error| {
                    let reason = error.to_string();
                    ShellError::InvalidOption { name: "sandbox.network.allow", reason }
                })?;
                SandboxNetwork::Rules(rules)
            }
            None if request.network => SandboxNetwork::Host,
            None => SandboxNetwork::None,
        };
        Ok(Self {
            // TypeScript lets only these names through; the strictest stands for any other.
            mode: match request.mode.as_str() {
                "workspace-write" => SandboxMode::WorkspaceWrite,
                _ => SandboxMode::ReadOnly,
            },
            network,
            backend: request.backend.map(|backend| match backend.as_str() {
                "landlock" => SandboxBackend::Landlock,
                "seatbelt" => SandboxBackend::Seatbelt,
                _ => SandboxBackend::Bubblewrap,
            }),
            writable_paths: paths(request.writable_paths),
            protected_paths: paths(request.protected_paths),
            hidden_paths: paths(request.hidden_paths),
            allow_degraded: request.allow_degraded,
        })
    }
}

/// The sandbox that a command ran in.
#[napi(object, object_from_js = false)]
pub struct SandboxFacts {
    /// What could be written.
    #[napi(ts_type = "'read-only' | 'workspace-write'")]
    pub mode: String,
    /// Who held it.
    #[napi(ts_type = "'bubblewrap' | 'landlock' | 'seatbelt'")]
    pub backend: String,
    /// The host's network could be used.
    pub network: bool,
    /// What of the network could be reached, by a proxy. Absent: nothing, or the host's network.
    pub network_rules: Option<Vec<String>>,
    /// What the proxy refused since the result before. Absent: nothing.
    pub refused: Option<Vec<NetworkRefusalFacts>>,
    /// What was not contained, by name.
    pub degraded: Vec<String>,
    /// What came since the result before and that a program outside will obey. Absent: nothing.
    pub planted: Option<Vec<PlantFacts>>,
    /// There is more in the folders that can be written than was looked at. Absent: there is not.
    #[napi(ts_type = "true")]
    pub partly_searched: Option<bool>,
}

/// Something that a session's proxy refused.
#[napi(object, object_from_js = false)]
pub struct NetworkRefusalFacts {
    /// Host and port, as they were asked for.
    pub target: String,
    /// Why, as the rest of a sentence that begins with the target.
    pub reason: String,
    /// The rule that would allow it. Absent: no rule would.
    pub rule: Option<String>,
}

impl From<NetworkRefusal> for NetworkRefusalFacts {
    fn from(refusal: NetworkRefusal) -> Self {
        let NetworkRefusal { target, reason, rule } = refusal;
        Self { target, reason, rule }
    }
}

/// Something in the workspace that a program outside will obey.
#[napi(object, object_from_js = false)]
pub struct PlantFacts {
    /// Where it is; absolute.
    pub path: String,
    /// What obeys it.
    #[napi(ts_type = "'git-repository' | 'git-rebase' | 'tool-configuration'")]
    pub kind: String,
}

impl From<Plant> for PlantFacts {
    fn from(plant: Plant) -> Self {
        Self { path: plant.path.to_string_lossy().into_owned(), kind: plant.kind.name().to_owned() }
    }
}

impl From<SandboxReport> for SandboxFacts {
    fn from(report: SandboxReport) -> Self {
        Self {
            mode: report.mode.name().to_owned(),
            backend: report.backend.name().to_owned(),
            network: report.network == SandboxNetwork::Host,
            network_rules: match &report.network {
                SandboxNetwork::Rules(rules) => Some(rules.texts().to_vec()),
                SandboxNetwork::None | SandboxNetwork::Host => None,
            },
            refused: (!report.refused.is_empty())
                .then(|| report.refused.into_iter().map(NetworkRefusalFacts::from).collect()),
            degraded: report.degraded,
            planted: (!report.planted.is_empty())
                .then(|| report.planted.into_iter().map(PlantFacts::from).collect()),
            partly_searched: report.partly_searched.then_some(true),
        }
    }
}
