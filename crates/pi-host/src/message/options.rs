//! What near asks for, and its way into the core's options. Defaults are the core's; ranges that JSON can leave and a Rust
//! type cannot express are errors here, the rest is checked by the core.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pi_shell::mask::{Mask, MaskOptions, MaskedValue};
use pi_shell::{
    Concurrency, NetworkRules, OnInputWait, PtyArgvStartOptions, PtyOptions, PtyStartOptions,
    ResourceLimits, RunOptions, SandboxBackend, SandboxMode, SandboxNetwork, SandboxOptions,
    ShellError, ShellOptions, SinkOptions, environment_entries, milliseconds,
};
use serde::Deserialize;

/// Options of a session.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SessionOptions {
    shell: Option<String>,
    driver: Option<String>,
    cwd: Option<String>,
    base_env: Option<HashMap<String, String>>,
    session_env: Option<HashMap<String, String>>,
    snapshot_path: Option<String>,
    limits: Option<Limits>,
    sandbox: Option<SandboxRequest>,
}

impl SessionOptions {
    /// The core's options, with this supervisor.
    pub(crate) fn into_options(self, supervisor: &Path) -> Result<ShellOptions, ShellError> {
        Ok(ShellOptions {
            shell: self.shell.map(PathBuf::from),
            supervisor: Some(supervisor.to_path_buf()),
            cwd: self.cwd.map(PathBuf::from),
            base_env: self.base_env.map(environment_entries),
            session_env: self.session_env.map(environment_entries).unwrap_or_default(),
            driver: self.driver.map(PathBuf::from),
            snapshot_path: self.snapshot_path.map(PathBuf::from),
            limits: self.limits.map(ResourceLimits::from).unwrap_or_default(),
            sandbox: self.sandbox.map(SandboxOptions::try_from).transpose()?,
            kind: None,
        })
    }
}

/// Upper bounds set before the shell starts.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Limits {
    address_space_bytes: Option<u64>,
    open_files: Option<u64>,
    processes: Option<u64>,
    file_size_bytes: Option<u64>,
    cpu_seconds: Option<u64>,
    data_bytes: Option<u64>,
    core_size_bytes: Option<u64>,
    session_memory_bytes: Option<u64>,
    session_processes: Option<u64>,
}

impl From<Limits> for ResourceLimits {
    fn from(limits: Limits) -> Self {
        Self {
            address_space: limits.address_space_bytes,
            open_files: limits.open_files,
            processes: limits.processes,
            file_size: limits.file_size_bytes,
            cpu_seconds: limits.cpu_seconds,
            data: limits.data_bytes,
            core_size: limits.core_size_bytes,
            session_memory: limits.session_memory_bytes,
            session_processes: limits.session_processes,
        }
    }
}

/// A sandbox that is asked for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SandboxRequest {
    mode: Mode,
    network: bool,
    network_rules: Option<Vec<String>>,
    backend: Option<Backend>,
    #[serde(default)]
    writable_paths: Vec<PathBuf>,
    #[serde(default)]
    protected_paths: Vec<PathBuf>,
    #[serde(default)]
    hidden_paths: Vec<PathBuf>,
    #[serde(default)]
    allow_degraded: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    ReadOnly,
    WorkspaceWrite,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Backend {
    Bubblewrap,
    Landlock,
    Seatbelt,
}

impl TryFrom<SandboxRequest> for SandboxOptions {
    type Error = ShellError;

    fn try_from(request: SandboxRequest) -> Result<Self, ShellError> {
        let network = match request.network_rules {
            Some(texts) => SandboxNetwork::Rules(
                NetworkRules::parse(&texts)
                    .map_err(|error| invalid("sandbox.network.allow", &error.to_string()))?,
            ),
            None if request.network => SandboxNetwork::Host,
            None => SandboxNetwork::None,
        };
        Ok(Self {
            mode: match request.mode {
                Mode::ReadOnly => SandboxMode::ReadOnly,
                Mode::WorkspaceWrite => SandboxMode::WorkspaceWrite,
            },
            network,
            backend: request.backend.map(|backend| match backend {
                Backend::Bubblewrap => SandboxBackend::Bubblewrap,
                Backend::Landlock => SandboxBackend::Landlock,
                Backend::Seatbelt => SandboxBackend::Seatbelt,
            }),
            writable_paths: request.writable_paths,
            protected_paths: request.protected_paths,
            hidden_paths: request.hidden_paths,
            allow_degraded: request.allow_degraded,
        })
    }
}

/// What is masked.
#[derive(Deserialize)]
pub(crate) struct MaskRequest {
    values: Vec<SecretValue>,
    shapes: bool,
    #[serde(default)]
    allow: Vec<String>,
}

impl std::fmt::Debug for MaskRequest {
    /// Without the values.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("MaskRequest").finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct SecretValue {
    name: String,
    value: String,
}

/// The mask that is asked for, compiled.
pub(crate) fn mask_of(request: Option<MaskRequest>) -> Result<Option<Mask>, ShellError> {
    let Some(request) = request else { return Ok(None) };
    let value = |SecretValue { name, value }| MaskedValue { name, value };
    let mask = Mask::new(&MaskOptions {
        values: request.values.into_iter().map(value).collect(),
        shapes: request.shapes,
        allow: request.allow,
    })?;
    Ok(mask)
}

/// A command's own bash.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct OneShot {
    /// What it is.
    pub(crate) options: SessionOptions,
    /// What is masked in its output.
    pub(crate) mask: Option<MaskRequest>,
}

/// One command.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunRequest {
    command: String,
    cwd: Option<String>,
    env: Option<HashMap<String, String>>,
    timeout_ms: Option<f64>,
    sink: Option<SinkRequest>,
    #[serde(default)]
    clone: bool,
    read_only: Option<bool>,
    /// `end` (default) or `note`: what becomes of it where a program of it waits for input that cannot come.
    on_input_wait: Option<String>,
    /// The result says what the command used.
    usage: Option<bool>,
    /// Send the decoded text.
    #[serde(default)]
    pub(crate) wants_chunks: bool,
    /// Send the sink's tail now and then.
    #[serde(default)]
    pub(crate) wants_updates: bool,
}

impl RunRequest {
    /// How long the command may take, where that is a duration.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout_ms.and_then(|ms| milliseconds("timeoutMs", ms).ok())
    }

    /// The core's options. `spill_path`: where the file of a name is; an error says why it has none.
    pub(crate) fn into_options(
        self,
        mask: Option<Mask>,
        spill_path: impl FnOnce(&str) -> Result<PathBuf, ShellError>,
    ) -> Result<RunOptions, ShellError> {
        let mut sink = None;
        if let Some(request) = self.sink {
            let path = request.spill_name.as_deref().map(spill_path).transpose()?;
            sink = Some(SinkOptions { mask: mask.clone(), ..request.into_options(path)? });
        }
        Ok(RunOptions {
            command: self.command,
            cwd: self.cwd.map(PathBuf::from),
            env: self.env.map(environment_entries).unwrap_or_default(),
            timeout: self.timeout_ms.map(|ms| milliseconds("timeoutMs", ms)).transpose()?,
            sink,
            concurrency: if self.clone { Concurrency::Clone } else { Concurrency::Queue },
            read_only: self.read_only.unwrap_or_default(),
            mask,
            on_input_wait: self
                .on_input_wait
                .as_deref()
                .map(OnInputWait::named)
                .transpose()?
                .unwrap_or_default(),
            usage: self.usage.unwrap_or_default(),
        })
    }
}

/// How much of the output is kept, and where the whole goes.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SinkRequest {
    max_bytes: Option<u32>,
    head_bytes: Option<u32>,
    max_line_bytes: Option<u32>,
    spill_name: Option<String>,
    spill_from_start: Option<bool>,
    spill_max_bytes: Option<u64>,
    throttle_ms: Option<f64>,
    plain_text: Option<bool>,
    mask_spill: Option<bool>,
}

impl SinkRequest {
    fn into_options(self, spill_path: Option<PathBuf>) -> Result<SinkOptions, ShellError> {
        let default = SinkOptions::default();
        let size = |value: u32| usize::try_from(value).unwrap_or(usize::MAX);
        let throttle =
            self.throttle_ms.map(|ms| milliseconds("sink.throttleMs", ms)).transpose()?;
        Ok(SinkOptions {
            max_bytes: self.max_bytes.map_or(default.max_bytes, size),
            head_bytes: self.head_bytes.map_or(default.head_bytes, size),
            max_line_bytes: self.max_line_bytes.map(size),
            spill_path,
            spill_from_start: self.spill_from_start.unwrap_or(default.spill_from_start),
            spill_max_bytes: self.spill_max_bytes,
            update_interval: throttle.unwrap_or(default.update_interval),
            plain_text: self.plain_text.unwrap_or(default.plain_text),
            mask: None,
            mask_spill: self.mask_spill.unwrap_or(default.mask_spill),
        })
    }
}

/// What runs on a terminal, and on what terminal: `command` with a `shell`, or `application` with `args`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TerminalOptions {
    command: Option<String>,
    shell: Option<String>,
    application: Option<String>,
    args: Vec<String>,
    cwd: Option<String>,
    base_env: Option<HashMap<String, String>>,
    env: Option<HashMap<String, String>>,
    timeout_ms: Option<f64>,
    cols: Option<u32>,
    rows: Option<u32>,
    sandbox: Option<SandboxRequest>,
    /// Near wants to know who reads the terminal while it is quiet.
    pub(crate) wants_quiet: bool,
}

/// A program for a terminal.
pub(crate) enum TerminalProgram {
    /// A command line, by a shell.
    Command(PtyStartOptions),
    /// A program without a shell.
    Argv(PtyArgvStartOptions),
}

impl TerminalOptions {
    /// The core's options, with this supervisor.
    pub(crate) fn into_program(self, supervisor: &Path) -> Result<TerminalProgram, ShellError> {
        let options = PtyOptions {
            supervisor: Some(supervisor.to_path_buf()),
            cwd: self.cwd.map(PathBuf::from),
            base_env: self.base_env.map(environment_entries),
            env: self.env.map(environment_entries).unwrap_or_default(),
            timeout: self.timeout_ms.map(|ms| milliseconds("timeoutMs", ms)).transpose()?,
            cols: self.cols,
            rows: self.rows,
            sandbox: self.sandbox.map(SandboxOptions::try_from).transpose()?,
        };
        match (self.command, self.application) {
            (Some(command), None) => {
                let shell = self.shell.map(PathBuf::from);
                Ok(TerminalProgram::Command(PtyStartOptions { command, shell, options }))
            }
            (None, Some(application)) => {
                let args = self.args;
                Ok(TerminalProgram::Argv(PtyArgvStartOptions { application, args, options }))
            }
            _ => Err(invalid("terminal", "needs one of `command` and `application`")),
        }
    }
}

fn invalid(name: &'static str, reason: &str) -> ShellError {
    ShellError::InvalidOption { name, reason: reason.to_owned() }
}
