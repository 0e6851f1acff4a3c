//! Runs shell commands in persistent bash sessions, bounded and without leaks.
//!
//! # Theory of operation
//! A session is one real bash below a `pi-supervisor`, which is the root of everything the session
//! starts and outlives the bash itself. Commands are orders to a driver inside bash, over a socket; their output comes
//! by a pipe, is decoded, counted and kept (`pi-output`), and leaves through an `Observer`. A command
//! ends when bash reports it; it is stopped by descent from the supervisor, never by group alone. Where no bash can be
//! kept, each command has one of its own, which begins with the state of the one before.
//!
//! ```text
//! request → validate → session → (supervisor → bash → programs)
//!                        │  ↑ reports          │ output
//!                        └──┴── delivery → Sink of pi-output, Observer
//! ```
//! Processes are started and stopped by `pi-process`, sandboxes held by `pi-sandbox`, secrets masked by `pi-mask`.
//! No N-API here, and no decision about what a command may do.

#[cfg(target_os = "linux")]
mod bash_version;
mod capabilities;
mod delivery;
mod environment;
mod error;
#[cfg(target_os = "linux")]
mod inline;
mod job;
mod late;
mod listening;
mod observer;
mod outcome;
mod proxy_variables;
mod pty;
mod request;
mod script;
mod session;
mod shell_path;
mod source;
mod validate;

pub use capabilities::{Capabilities, FoundBash, capabilities, find_bash};
pub use error::ShellError;
#[cfg(target_os = "linux")]
pub use inline::InlineRuns;
pub use listening::{ListeningPort, listening_ports, port_holder};
pub use observer::Observer;
pub use outcome::{ExitOutcome, InputWanted, LimitMet, LostWithShell, ReadOnlyReport, RunResult};
pub use pi_mask as mask;
pub use pi_output as output;
pub use pi_output::{
    DEFAULT_MAX_BYTES, DEFAULT_UPDATE_INTERVAL, LineRange, OutputSummary, SinkOptions, SinkUpdate,
};
pub use pi_process::budget::{HARD_TIMEOUT_GRACE, callback_patience};
pub use pi_process::{ProcessError, ProcessInfo, ResourceLimits, ResourceUsage};
pub use pi_proxy::{Refusal as NetworkRefusal, RuleError, Rules as NetworkRules};
pub use pi_sandbox::{
    Plant, PlantKind, SandboxBackend, SandboxMode, SandboxNetwork, SandboxOptions, SandboxReport,
};
#[cfg(unix)]
pub use pi_waiting::{Program as TerminalProgram, Report as QuietReport};
#[cfg(unix)]
pub use pty::{
    OnStart, PtyArgvStartOptions, PtyError, PtyOptions, PtyResult, PtySession, PtyStartOptions,
};
pub use request::{
    Concurrency, EnvironmentEntry, OnInputWait, RunOptions, SessionKind, ShellOptions,
    environment_entries, milliseconds,
};
pub use session::{DriverState, Shell, driver_state, execute_shell};
pub use source::READ_BYTES;

#[cfg(test)]
#[cfg(unix)]
#[path = "../../pi-supervisor/tests/support/executable.rs"]
mod executable;
