//! Sandboxes on their way in, and what is told of them on the way out.

use std::path::PathBuf;

use napi_derive::napi;
use pi_shell::{Plant, SandboxBackend, SandboxMode, SandboxOptions, SandboxReport};

/// A sandbox that is asked for.
#[napi(object, object_to_js = false)]
pub struct SandboxRequest {
    /// What can be written.
    #[napi(ts_type = "'read-only' | 'workspace-write'")]
    pub mode: String,
    /// The host's network can be used.
    pub network: bool,
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

impl From<SandboxRequest> for SandboxOptions {
    fn from(request: SandboxRequest) -> Self {
        let paths = |paths: Vec<String>| paths.into_iter().map(PathBuf::from).collect();
        Self {
            // TypeScript lets only these names through; the strictest stands for any other.
            mode: match request.mode.as_str() {
                "workspace-write" => SandboxMode::WorkspaceWrite,
                _ => SandboxMode::ReadOnly,
            },
            network: request.network,
            backend: request.backend.map(|backend| match backend.as_str() {
                "landlock" => SandboxBackend::Landlock,
                "seatbelt" => SandboxBackend::Seatbelt,
                _ => SandboxBackend::Bubblewrap,
            }),
            writable_paths: paths(request.writable_paths),
            protected_paths: paths(request.protected_paths),
            hidden_paths: paths(request.hidden_paths),
            allow_degraded: request.allow_degraded,
        }
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
    /// What was not contained, by name.
    pub degraded: Vec<String>,
    /// What came since the result before and that a program outside will obey. Absent: nothing.
    pub planted: Option<Vec<PlantFacts>>,
    /// There is more in the folders that can be written than was looked at. Absent: there is not.
    #[napi(ts_type = "true")]
    pub partly_searched: Option<bool>,
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
            network: report.network,
            degraded: report.degraded,
            planted: (!report.planted.is_empty())
                .then(|| report.planted.into_iter().map(PlantFacts::from).collect()),
            partly_searched: report.partly_searched.then_some(true),
        }
    }
}
