//! What this platform can do.

use napi_derive::napi;
use pi_shell::{DriverState, SessionKind};

/// What works here.
#[napi(object, object_from_js = false)]
pub struct Capabilities {
    /// As `process.platform` names it.
    pub platform: String,
    /// `persistent`: one bash serves all runs of a session. `per-command`: each run has its own.
    #[napi(ts_type = "'persistent' | 'per-command'")]
    pub session: String,
    /// A supervisor process kills everything when the host is gone.
    pub supervisor: bool,
    /// Pseudoterminals.
    pub pty: bool,
    /// Runs in a copy of a session.
    pub clone: bool,
    /// Names of the sandboxes that can be asked for.
    pub sandbox: Vec<String>,
    /// Whether commands can run read-only.
    pub read_only: ReadOnlyCapability,
}

/// Whether commands can run read-only, as far as the system says.
#[napi(object, object_from_js = false)]
pub struct ReadOnlyCapability {
    /// They can.
    pub available: bool,
    /// Why they cannot.
    pub reason: Option<String>,
    /// What this kernel cannot hold of it, by name.
    pub degraded: Vec<String>,
}

/// What works here.
#[napi(catch_unwind)]
pub fn capabilities() -> Capabilities {
    let found = pi_shell::capabilities();
    Capabilities {
        platform: found.platform.to_owned(),
        session: match found.session {
            SessionKind::Persistent => "persistent",
            SessionKind::PerCommand => "per-command",
        }
        .to_owned(),
        supervisor: found.supervisor,
        pty: found.pty,
        clone: found.clone,
        sandbox: found.sandbox.into_iter().map(str::to_owned).collect(),
        read_only: ReadOnlyCapability {
            available: found.read_only.is_ok(),
            degraded: found.read_only.iter().flatten().copied().map(str::to_owned).collect(),
            reason: found.read_only.err(),
        },
    }
}

/// Whether sessions are driven by the bash driver, as far as this process has tried.
#[napi(object, object_from_js = false)]
pub struct DriverReport {
    /// `untried` before the first session.
    #[napi(ts_type = "'untried' | 'fits' | 'unfit'")]
    pub state: String,
    /// Why it does not fit.
    pub reason: Option<String>,
}

/// Whether sessions are driven by the bash driver, as far as this process has tried.
#[napi(catch_unwind)]
pub fn driver_report() -> DriverReport {
    let (state, reason) = match pi_shell::driver_state() {
        DriverState::Untried => ("untried", None),
        DriverState::Fits => ("fits", None),
        DriverState::Unfit(reason) => ("unfit", Some(reason)),
    };
    DriverReport { state: state.to_owned(), reason }
}

/// The version that the addon was built as. The loader refuses one that is not its own.
#[napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
