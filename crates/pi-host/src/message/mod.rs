//! What control frames say, as serde types. Members are named as in the native surface (`crates/pi-natives`), which is the
//! reference for them; a member that is absent stays absent.
//!
//! `request` reads operations, `options` is what near asks for and its way into the core's options, `outcome` what it is
//! given.

mod options;
mod outcome;
mod quiet;
mod request;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use self::quiet::Quiet;
pub(crate) use self::request::{Listeners, Request, Way};
pub(crate) use options::{
    MaskRequest, OneShot, RunRequest, SessionOptions, TerminalOptions, TerminalProgram, mask_of,
};
pub(crate) use outcome::{RunOutcome, Update, prefix, shortened};

/// The first frame of the near side.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NearHello {
    /// What it speaks.
    pub(crate) protocol: Range,
    /// Silence, in milliseconds, after which it counts as gone.
    pub(crate) lease_ms: Option<u64>,
}

/// Versions of the protocol, both included.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Range {
    /// The oldest.
    pub(crate) min: u32,
    /// The newest.
    pub(crate) max: u32,
}

/// The first frame of this side.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FarHello {
    /// What both speak from now on.
    pub(crate) protocol: u32,
    /// What was built.
    pub(crate) build: Build,
    /// Which process this is; another one after a restart.
    pub(crate) instance: String,
    /// What has to be shown to come back. Absent where nothing is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<String>,
    /// This process.
    pub(crate) pid: u32,
    /// Another one after the machine was started again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) boot_id: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub(crate) clock_ms: u64,
    /// As Rust names it.
    pub(crate) os: &'static str,
    /// As Rust names it.
    pub(crate) arch: &'static str,
    /// That of bash: `glibc` or `musl`. Absent: bash has none, or another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) libc: Option<&'static str>,
    /// The user.
    pub(crate) uid: u32,
    /// The user's name, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<String>,
    /// The user's folder, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) home: Option<String>,
    /// Where this process was started.
    pub(crate) cwd: String,
    /// The machine's name.
    pub(crate) host: String,
    /// The environment that the transport gave.
    pub(crate) env: BTreeMap<String, String>,
    /// Names of variables that are too large for a frame, or not UTF-8. Absent: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) env_left_out: Vec<String>,
    /// The bash that sessions run where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bash: Option<Bash>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bash_error: Option<String>,
    /// What works here.
    pub(crate) capabilities: Capabilities,
    /// The instance's folder, where spills lie.
    pub(crate) folder: String,
    /// What a user may still write there, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) free_bytes: Option<u64>,
    /// Builds of the bash driver that this bash may take, the best first.
    pub(crate) drivers: Vec<String>,
}

/// What was built.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Build {
    /// The package's version.
    pub(crate) version: &'static str,
    /// SHA-256 of the running file, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
}

/// A bash.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Bash {
    /// Where it is.
    pub(crate) path: String,
    /// Its `$BASH_VERSION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
}

/// What works here.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Capabilities {
    /// The system, as Rust names it.
    pub(crate) platform: &'static str,
    /// `persistent` or `per-command`.
    pub(crate) session: &'static str,
    /// A supervisor kills everything when this process is gone.
    pub(crate) supervisor: bool,
    /// Pseudoterminals.
    pub(crate) pty: bool,
    /// Runs in a copy of a session.
    pub(crate) clone: bool,
    /// Sandboxes that can be asked for, by name.
    pub(crate) sandbox: Vec<&'static str>,
    /// Whether commands can run read-only.
    pub(crate) read_only: ReadOnlyCapability,
}

/// Whether commands can run read-only, as far as the system says.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ReadOnlyCapability {
    /// They can.
    pub(crate) available: bool,
    /// Why they cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// What this kernel cannot hold of it, by name.
    pub(crate) degraded: Vec<&'static str>,
}

/// A command.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run {
    /// Names it when near comes back. Near that does not come back has no name for it.
    pub(crate) id: Option<String>,
    /// In which session.
    pub(crate) session: Option<u32>,
    /// Or in a bash of its own.
    pub(crate) one_shot: Option<Box<OneShot>>,
    /// What is run.
    pub(crate) request: Box<RunRequest>,
    /// Bytes of text that may be on their way.
    pub(crate) window: Option<u32>,
}

/// The last frame of the near side.
#[derive(Debug, Deserialize)]
pub(crate) struct NearBye {
    /// Why.
    pub(crate) reason: String,
}

/// Near comes back.
#[derive(Debug, Deserialize)]
pub(crate) struct Attach {
    /// To which engine.
    pub(crate) instance: String,
    /// What its first far `Hello` had.
    pub(crate) token: String,
    /// What near still wants to hear of.
    #[serde(default)]
    pub(crate) runs: Vec<AttachedRun>,
}

/// A run that near had.
#[derive(Debug, Deserialize)]
pub(crate) struct AttachedRun {
    /// The channel it has from now on.
    pub(crate) channel: u32,
    /// Its name.
    pub(crate) id: String,
    /// End of the text that near took.
    pub(crate) offset: u64,
}

/// What became of it.
#[derive(Debug, Serialize)]
pub(crate) struct RunState {
    /// As near named it.
    pub(crate) channel: u32,
    /// As near named it.
    pub(crate) id: String,
    /// `running`, `ended` or `unknown`.
    pub(crate) state: &'static str,
}

/// Why an operation could not be done.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Failure {
    /// Stays the same between releases.
    pub(crate) code: String,
    /// For people: names the thing and the remedy.
    pub(crate) message: String,
    /// The reason by itself, of a read-only command that could not be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl Failure {
    /// One of this program's own.
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), reason: None }
    }

    /// A frame that says nothing that can be done.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new("PI_HOST_INVALID_REQUEST", message)
    }

    /// A session that is not there.
    pub(crate) fn unknown_session(session: u32) -> Self {
        let message = format!("there is no session {session} here; open it first");
        Self::new("PI_HOST_UNKNOWN_SESSION", message)
    }

    /// A bug of ours.
    pub(crate) fn internal(what: &str) -> Self {
        let message = format!("internal error: {what}; this is a bug in pi-bash, please report it");
        Self::new("PI_INTERNAL", message)
    }
}

impl From<pi_shell::ShellError> for Failure {
    fn from(error: pi_shell::ShellError) -> Self {
        let (code, message) = (error.code().to_owned(), error.to_string());
        let reason = match error {
            pi_shell::ShellError::ReadOnlyUnavailable { reason } => Some(reason),
            _ => None,
        };
        Self { code, message, reason }
    }
}

impl From<pi_shell::PtyError> for Failure {
    fn from(error: pi_shell::PtyError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// JSON of something of ours, which has no map with keys that are not texts.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
