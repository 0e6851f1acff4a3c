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
