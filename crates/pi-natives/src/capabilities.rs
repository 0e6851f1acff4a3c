//! What this platform can do.

use napi_derive::napi;
use pi_shell::SessionKind;

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

/// The version that the addon was built as. The loader refuses one that is not its own.
#[napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
