//! Runs shell commands in persistent bash sessions, bounded and without leaks.
//!
//! # Theory of operation
//! A session is one real bash below a `pi-supervisor`, which is the root of everything the session
//! starts and outlives the bash itself. Commands are orders to a driver inside bash, over a socket; their output comes
//! by a pipe, is decoded, counted and kept here, and leaves through an `Observer`. A command
//! ends when bash reports it; it is stopped by descent from the supervisor, never by group alone. Where no bash can be
//! kept, each command has one of its own, which begins with the state of the one before.
//!
//! ```text
//! request → validate → session → (supervisor → bash → programs)
//!                        │  ↑ reports          │ output
//!                        └──┴── delivery → output::Sink, Observer
//! ```
//! No N-API here, and no decision about what a command may do.

#[cfg(target_os = "linux")]
mod bash_version;
#[cfg_attr(windows, expect(dead_code, reason = "a job object is ended at once"))]
mod budget;
mod capabilities;
mod confinement;
#[cfg(unix)]
mod control_group;
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "a kept shell extends its deadlines")
)]
mod deadline;
mod delivery;
mod environment;
mod error;
#[cfg(target_os = "linux")]
mod inline;
mod job;
mod late;
mod listening;
mod locked;
pub mod mask;
mod observer;
mod outcome;
pub mod output;
#[cfg(unix)]
mod private_dir;
mod proxy_variables;
mod pty;
mod request;
#[cfg(unix)]
mod sandbox;
mod script;
mod session;
mod shell_path;
mod source;
#[cfg(unix)]
mod spared;
#[cfg(unix)]
mod stop;
mod supervisor;
mod sys;
mod tree;
#[cfg(unix)]
mod turn;
mod validate;

pub use budget::{HARD_TIMEOUT_GRACE, callback_patience};
pub use capabilities::{Capabilities, FoundBash, capabilities, find_bash};
pub use confinement::{
    Plant, PlantKind, SandboxBackend, SandboxMode, SandboxNetwork, SandboxOptions, SandboxReport,
};
pub use error::ShellError;
#[cfg(target_os = "linux")]
pub use inline::InlineRuns;
pub use listening::{ListeningPort, listening_ports, port_holder};
pub use observer::{Observer, SinkUpdate};
pub use outcome::{
    ExitOutcome, InputWanted, LimitMet, LineRange, LostWithShell, OutputSummary, ProcessInfo,
    ReadOnlyReport, ResourceUsage, RunResult,
};
pub use pi_proxy::{Refusal as NetworkRefusal, RuleError, Rules as NetworkRules};
#[cfg(unix)]
pub use pi_waiting::{Program as TerminalProgram, Report as QuietReport};
#[cfg(unix)]
pub use pty::{
    OnStart, PtyArgvStartOptions, PtyError, PtyOptions, PtyResult, PtySession, PtyStartOptions,
};
pub use request::{
    Concurrency, DEFAULT_MAX_BYTES, DEFAULT_UPDATE_INTERVAL, EnvironmentEntry, OnInputWait,
    ResourceLimits, RunOptions, SessionKind, ShellOptions, SinkOptions, environment_entries,
    milliseconds,
};
pub use session::{DriverState, Shell, driver_state, execute_shell};
pub use source::READ_BYTES;
