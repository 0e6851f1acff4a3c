//! What JavaScript asks for, as plain objects, and their way into the core's options.
//!
//! Defaults are the core's: a field that is absent stays absent. Ranges that a JavaScript number
//! can leave and a Rust type cannot express are errors here; the rest is checked by the core.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use napi_derive::napi;
use pi_minimizer::Invocation;
use pi_shell::{
    Concurrency, OnInputWait, ResourceLimits, RunOptions, SandboxOptions, ShellError, ShellOptions,
    SinkOptions, environment_entries, milliseconds,
};

use crate::capture::Capture;
use crate::mailbox::Wants;
use crate::minimizer::MinimizerRules;
use crate::sandbox::SandboxRequest;

/// Options of a session.
#[napi(object, object_to_js = false)]
pub struct SessionOptions {
    /// Path of the bash to run.
    pub shell: Option<String>,
    /// Path of the `pi-supervisor` executable.
    pub supervisor: Option<String>,
    /// Path of the bash driver. Absent: each command has a bash of its own.
    pub driver: Option<String>,
    /// First working directory.
    pub cwd: Option<String>,
    /// The environment the session begins with.
    pub base_env: Option<HashMap<String, String>>,
    /// Variables exported on top of it.
    pub session_env: Option<HashMap<String, String>>,
    /// A bash file sourced once, before the first command.
    pub snapshot_path: Option<String>,
    /// Resource limits of everything the session starts.
    pub limits: Option<Limits>,
    /// The sandbox that the session runs in. Absent: none.
    pub sandbox: Option<SandboxRequest>,
}

impl TryFrom<SessionOptions> for ShellOptions {
    type Error = ShellError;

    fn try_from(options: SessionOptions) -> Result<Self, ShellError> {
        Ok(Self {
            shell: options.shell.map(PathBuf::from),
            supervisor: options.supervisor.map(PathBuf::from),
            cwd: options.cwd.map(PathBuf::from),
            base_env: options.base_env.map(environment_entries),
            session_env: options.session_env.map(environment_entries).unwrap_or_default(),
            driver: options.driver.map(PathBuf::from),
            snapshot_path: options.snapshot_path.map(PathBuf::from),
            limits: options.limits.map(ResourceLimits::from).unwrap_or_default(),
            sandbox: options.sandbox.map(SandboxOptions::try_from).transpose()?,
            kind: None,
        })
    }
}

/// Upper bounds set with `setrlimit(2)` before the shell starts.
#[napi(object, object_to_js = false)]
pub struct Limits {
    /// `RLIMIT_AS`, in bytes.
    pub address_space_bytes: Option<i64>,
    /// `RLIMIT_NOFILE`, a count.
    pub open_files: Option<i64>,
    /// `RLIMIT_NPROC`, a count for the whole user.
    pub processes: Option<i64>,
    /// `RLIMIT_FSIZE`, in bytes.
    pub file_size_bytes: Option<i64>,
    /// `RLIMIT_CPU`, in seconds of each process.
    pub cpu_seconds: Option<i64>,
    /// `RLIMIT_DATA`, in bytes.
    pub data_bytes: Option<i64>,
    /// `RLIMIT_CORE`, in bytes.
    pub core_size_bytes: Option<i64>,
    /// Memory of all processes of the session together, in bytes.
    pub session_memory_bytes: Option<i64>,
    /// Processes and threads of the session at one time.
    pub session_processes: Option<i64>,
}

impl From<Limits> for ResourceLimits {
    fn from(limits: Limits) -> Self {
        // TypeScript lets only whole numbers from 0 through.
        let limit = |value: Option<i64>| value.and_then(|value| u64::try_from(value).ok());
        Self {
            address_space: limit(limits.address_space_bytes),
            open_files: limit(limits.open_files),
            processes: limit(limits.processes),
            file_size: limit(limits.file_size_bytes),
            cpu_seconds: limit(limits.cpu_seconds),
            data: limit(limits.data_bytes),
            core_size: limit(limits.core_size_bytes),
            session_memory: limit(limits.session_memory_bytes),
            session_processes: limit(limits.session_processes),
        }
    }
}

/// One command.
#[napi(object, object_to_js = false)]
pub struct RunRequest {
    /// The text given to bash.
    pub command: String,
    /// Directory to change to first.
    pub cwd: Option<String>,
    /// Variables exported for this command only.
    pub env: Option<HashMap<String, String>>,
    /// Milliseconds from the command's start to its deadline. Absent: no deadline.
    pub timeout_ms: Option<f64>,
    /// Where output is kept. Absent: nowhere.
    pub sink: Option<SinkRequest>,
    /// Minimize the output when the command has ended. Absent: do not.
    pub minimizer: Option<MinimizerRules>,
    /// The program and its arguments, from a real parser, for the minimizer.
    pub argv: Option<Vec<String>>,
    /// Run at once in a copy of the session instead of waiting for a turn.
    pub clone: bool,
    /// Run in a copy of the session that the kernel keeps from changing anything, or not at all. Absent: do not.
    pub read_only: Option<bool>,
    /// What becomes of it where a program of it waits for input that cannot come. Absent: it is ended.
    #[napi(ts_type = "'end' | 'note'")]
    pub on_input_wait: Option<String>,
    /// The result says what the command used. Absent: it does not.
    pub usage: Option<bool>,
    /// Deliver the decoded text.
    pub wants_chunks: bool,
    /// Deliver the sink's tail now and then.
    pub wants_updates: bool,
    /// Longest wait for the end in the call itself, in microseconds. Absent: none.
    pub spin_microseconds: Option<u32>,
}

impl RunRequest {
    pub(crate) fn wants(&self) -> Wants {
        Wants {
            chunks: self.wants_chunks,
            updates: self.wants_updates,
            timeout: self.timeout_ms.and_then(|ms| milliseconds("timeoutMs", ms).ok()),
            ..Wants::default()
        }
    }

    pub(crate) fn spin(&self) -> Duration {
        Duration::from_micros(self.spin_microseconds.unwrap_or_default().into())
    }

    /// Takes out what the minimizer needs, where it was asked for.
    pub(crate) fn take_capture(&mut self) -> Result<Option<Capture>, ShellError> {
        let Some(rules) = self.minimizer.take() else { return Ok(None) };
        let invocation = self.argv.take().map(|argv| Invocation { argv });
        Ok(Some(Capture::new(self.command.clone(), invocation, rules.try_into()?)))
    }
}

impl TryFrom<RunRequest> for RunOptions {
    type Error = ShellError;

    fn try_from(request: RunRequest) -> Result<Self, ShellError> {
        Ok(Self {
            command: request.command,
            cwd: request.cwd.map(PathBuf::from),
            env: request.env.map(environment_entries).unwrap_or_default(),
            timeout: request.timeout_ms.map(|ms| milliseconds("timeoutMs", ms)).transpose()?,
            sink: request.sink.map(SinkOptions::try_from).transpose()?,
            concurrency: if request.clone { Concurrency::Clone } else { Concurrency::Queue },
            read_only: request.read_only.unwrap_or_default(),
            mask: None,
            on_input_wait: on_input_wait(request.on_input_wait.as_deref())?,
            usage: request.usage.unwrap_or_default(),
        })
    }
}

fn on_input_wait(name: Option<&str>) -> Result<OnInputWait, ShellError> {
    name.map(OnInputWait::named).transpose().map(Option::unwrap_or_default)
}

/// How much of the output is kept, and where the whole goes.
#[napi(object, object_to_js = false)]
pub struct SinkRequest {
    /// Most bytes of text kept, head and tail together.
    pub max_bytes: Option<u32>,
    /// Bytes kept from the beginning.
    pub head_bytes: Option<u32>,
    /// Longest line shown, in bytes.
    pub max_line_bytes: Option<u32>,
    /// File for the raw bytes, made when the output exceeds `maxBytes`.
    pub spill_path: Option<String>,
    /// The file is made with the first byte instead, and is there at the end in any case.
    pub spill_from_start: Option<bool>,
    /// Most bytes written to that file.
    pub spill_max_bytes: Option<i64>,
    /// Least milliseconds between two updates.
    pub throttle_ms: Option<f64>,
    /// Whether the text is made plain: colours, cursor movement and control characters removed.
    pub plain_text: Option<bool>,
    /// Where secrets are masked: whether they are masked in that file too.
    pub mask_spill: Option<bool>,
}

impl TryFrom<SinkRequest> for SinkOptions {
    type Error = ShellError;

    fn try_from(request: SinkRequest) -> Result<Self, ShellError> {
        let default = Self::default();
        let size = |name, value: u32| {
            usize::try_from(value).map_err(|_| invalid(name, "does not fit this platform"))
        };
        let throttle = request.throttle_ms.map(|ms| milliseconds("sink.throttleMs", ms));
        Ok(Self {
            max_bytes: match request.max_bytes {
                Some(value) => size("sink.maxBytes", value)?,
                None => default.max_bytes,
            },
            head_bytes: match request.head_bytes {
                Some(value) => size("sink.headBytes", value)?,
                None => default.head_bytes,
            },
            max_line_bytes: request
                .max_line_bytes
                .map(|value| size("sink.maxLineBytes", value))
                .transpose()?,
            spill_path: request.spill_path.map(PathBuf::from),
            spill_from_start: request.spill_from_start.unwrap_or(default.spill_from_start),
            spill_max_bytes: request.spill_max_bytes.and_then(|value| u64::try_from(value).ok()),
            update_interval: throttle.transpose()?.unwrap_or(default.update_interval),
            plain_text: request.plain_text.unwrap_or(default.plain_text),
            mask: None,
            mask_spill: request.mask_spill.unwrap_or(default.mask_spill),
        })
    }
}

fn invalid(name: &'static str, reason: &str) -> ShellError {
    ShellError::InvalidOption { name, reason: reason.to_owned() }
}
