//! What a caller asks to be run on a terminal, checked and completed before anything is opened.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pi_sandbox::SandboxOptions;
use rustix::fs::Access;

use super::error::PtyError;
use super::terminal::Size;
use crate::environment::{self, MAX_ENTRY_BYTES};
use crate::error::ShellError;
use crate::request::{EnvironmentEntry, RunOptions};
use crate::{proxy_variables, shell_path, validate};

/// What programs are notified about the terminal: the description that every system has.
const TERM: (&str, &str) = ("TERM", "xterm-256color");

/// Names of the host's environment that do not describe the new terminal: its own size is asked
/// of the kernel, and a git hook's repository is not the one in the working directory
/// (`git rev-parse --local-env-vars`).
const DROPPED: [&str; 14] = [
    "COLUMNS",
    "LINES",
    "TERM",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// What every start has.
#[derive(Debug, Clone, Default)]
pub struct PtyOptions {
    /// Path of the `pi-supervisor` executable. Required on Unix.
    pub supervisor: Option<PathBuf>,
    /// Working directory; a relative one starts at the host's. Default: the host's own.
    pub cwd: Option<PathBuf>,
    /// The environment that the program begins with, without what steers a shell's start or
    /// describes the host's own terminal. Default: the host's.
    pub base_env: Option<Vec<EnvironmentEntry>>,
    /// Variables on top of that and of `TERM=xterm-256color`.
    pub env: Vec<EnvironmentEntry>,
    /// Time from the start to the deadline. `None`: no deadline.
    pub timeout: Option<Duration>,
    /// Columns, clamped to 20 to 400. Default 120.
    pub cols: Option<u32>,
    /// Rows, clamped to 5 to 200. Default 40.
    pub rows: Option<u32>,
    /// The sandbox that the program runs in. `None`: it has the host's own rights.
    pub sandbox: Option<SandboxOptions>,
}

/// A command line on a terminal.
#[derive(Debug, Clone, Default)]
pub struct PtyStartOptions {
    /// The text given to the shell with `-c`. No NUL.
    pub command: String,
    /// Path of the shell. Default: the first bash found.
    pub shell: Option<PathBuf>,
    /// The rest.
    pub options: PtyOptions,
}

/// A program on a terminal, without a shell.
#[derive(Debug, Clone, Default)]
pub struct PtyArgvStartOptions {
    /// Its name, looked up in the `PATH` of its environment, or its path.
    pub application: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The rest.
    pub options: PtyOptions,
}

/// A start that passed all checks.
pub(super) struct Launch {
    pub(super) supervisor: PathBuf,
    pub(super) argv: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) cwd: PathBuf,
    pub(super) timeout: Option<Duration>,
    pub(super) sandbox: Option<SandboxOptions>,
    /// What is wrong where the system says that it is more than a program can be given.
    pub(super) too_large: ShellError,
}

impl PtyOptions {
    pub(super) fn size(&self) -> Size {
        Size::clamped(
            self.cols.unwrap_or(Size::DEFAULT_COLS),
            self.rows.unwrap_or(Size::DEFAULT_ROWS),
        )
    }
}

impl PtyStartOptions {
    pub(super) fn check(self) -> Result<Launch, PtyError> {
        let Self { command, shell, options } = self;
        check_common(&options, &command)?;
        check_argument("command", &command)?;
        let shell = shell_path::resolve(shell.as_deref())?;
        complete(options, "command", |_, _| {
            Ok(vec![shell.into_os_string(), "-c".into(), command.into()])
        })
    }
}

impl PtyArgvStartOptions {
    pub(super) fn check(self) -> Result<Launch, PtyError> {
        let Self { application, args, options } = self;
        check_common(&options, &application)?;
        for argument in &args {
            check_common(&PtyOptions::default(), argument)?;
            check_argument("args", argument)?;
        }
        complete(options, "args", |env, cwd| {
            let mut argv = vec![locate(&application, env, cwd)?];
            argv.extend(args.into_iter().map(OsString::from));
            Ok(argv)
        })
    }
}

/// The checks that a session and its runs have as well: text, variables, timeout.
fn check_common(options: &PtyOptions, text: &str) -> Result<(), PtyError> {
    environment::check_base_entries(options.base_env.as_deref().unwrap_or_default())?;
    let run = RunOptions {
        command: text.to_owned(),
        env: options.env.clone(),
        timeout: options.timeout,
        ..RunOptions::default()
    };
    Ok(validate::check_run_options(&run)?)
}

/// Refuses an argument that no program can be given. Only Linux bounds a single one.
fn check_argument(option: &'static str, text: &str) -> Result<(), ShellError> {
    if cfg!(not(target_os = "linux")) || text.len() <= MAX_ENTRY_BYTES {
        return Ok(());
    }
    let reason = format!(
        "has a text of {} bytes, more than the {MAX_ENTRY_BYTES} a program can be given; pass it in a file",
        text.len()
    );
    Err(ShellError::InvalidOption { name: option, reason })
}

fn complete(
    options: PtyOptions,
    text: &'static str,
    argv: impl FnOnce(&[(OsString, OsString)], &Path) -> Result<Vec<OsString>, PtyError>,
) -> Result<Launch, PtyError> {
    let cwd = validate::first_directory(options.cwd.as_deref())?;
    let env = environment_of(options.base_env.as_deref(), &options.env, options.sandbox.as_ref());
    let argv = argv(&env, &cwd)?;
    Ok(Launch {
        supervisor: options.supervisor.unwrap_or_else(|| PathBuf::from("pi-supervisor")),
        too_large: too_large((text, &argv), &env, options.env.len()),
        argv,
        env,
        cwd,
        timeout: options.timeout,
        sandbox: options.sandbox,
    })
}

/// Names what takes most of the room that the system has for arguments and environment together.
/// The last `own` variables are those of `env`, the others of `baseEnv`; `text` is where the
/// arguments come from.
fn too_large(
    (text, argv): (&'static str, &[OsString]),
    env: &[(OsString, OsString)],
    own: usize,
) -> ShellError {
    let (base, own) = env.split_at(env.len().saturating_sub(own));
    let bytes: usize = argv.iter().map(|argument| argument.len() + 1).sum();
    let (base_bytes, own_bytes) = (environment::bytes_of(base), environment::bytes_of(own));
    if base_bytes >= bytes.max(own_bytes) {
        return environment::too_large("baseEnv", base);
    }
    if own_bytes >= bytes {
        return environment::too_large("env", own);
    }
    let reason = format!(
        "has {bytes} bytes together, more than a program can be given; pass them in a file"
    );
    ShellError::InvalidOption { name: text, reason }
}

fn environment_of(
    base: Option<&[EnvironmentEntry]>,
    entries: &[EnvironmentEntry],
    sandbox: Option<&SandboxOptions>,
) -> Vec<(OsString, OsString)> {
    let given: HashSet<&OsStr> = entries.iter().map(|(name, _)| OsStr::new(name)).collect();
    let mut env = proxy_variables::in_sandbox(environment::base(base), sandbox);
    env.retain(|(name, _)| !DROPPED.iter().any(|dropped| name == dropped));
    env.push((TERM.0.into(), TERM.1.into()));
    env.retain(|(name, _)| !given.contains(name.as_os_str()));
    env.extend(entries.iter().map(|(name, value)| (name.into(), value.into())));
    env
}

/// Path of the program: what `execvp(3)` would execute, which the supervisor does not look up.
fn locate(name: &str, env: &[(OsString, OsString)], cwd: &Path) -> Result<OsString, PtyError> {
    if name.contains('/') {
        return Ok(name.into());
    }
    let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    std::env::split_paths(path.unwrap_or_default())
        .map(|folder| cwd.join(folder).join(name))
        .find(|file| file.is_file() && rustix::fs::access(file, Access::EXEC_OK).is_ok())
        .filter(|_| !name.is_empty())
        .map(PathBuf::into_os_string)
        .ok_or_else(|| PtyError::Spawn { reason: format!("no `{name}` in PATH") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(env: &'a [(OsString, OsString)], name: &str) -> Vec<&'a str> {
        let named = env.iter().filter(|(found, _)| found == name);
        named.map(|(_, value)| value.to_str().unwrap()).collect()
    }

    #[test]
    fn a_terminal_is_described_once_and_the_caller_has_the_last_word() {
        let entry = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let host =
            vec![entry("TERM", "screen"), entry("LINES", "7"), entry("A", "1"), entry("B", "3")];
        let env = environment_of(Some(&host), &[entry("A", "2")], None);
        assert_eq!(value(&env, "B"), ["3"]);
        assert_eq!(value(&env, "TERM"), ["xterm-256color"]);
        assert!(value(&env, "LINES").is_empty());
        assert_eq!(value(&env, "A"), ["2"]);
        let env = environment_of(Some(&host), &[entry("TERM", "dumb"), entry("LINES", "9")], None);
        assert_eq!((value(&env, "TERM"), value(&env, "LINES")), (vec!["dumb"], vec!["9"]));
    }

    #[test]
    fn a_program_is_found_in_the_path_of_its_own_environment() {
        let env = |path: &str| vec![(OsString::from("PATH"), OsString::from(path))];
        let root = Path::new("/");

        assert_eq!(locate("sh", &env("/nope:bin"), root).unwrap(), "/bin/sh");
        assert_eq!(locate("./own", &env(""), root).unwrap(), "./own");
        let error = locate("sh", &env("/nope"), root).unwrap_err();
        assert_eq!(error.to_string(), "Failed to spawn PTY command: no `sh` in PATH");
        assert!(locate("", &env("/bin"), root).is_err());
    }

    #[test]
    fn what_is_too_large_together_is_named_by_its_largest_part() {
        let entry = |name: &str, size| (OsString::from(name), OsString::from("x".repeat(size)));
        let named = |argument: usize, base, own| {
            let argv = [OsString::from("x".repeat(argument))];
            too_large(("args", &argv), &[entry("A", base), entry("B", 1), entry("C", own)], 1)
        };

        assert_eq!(
            named(10, 20, 15).to_string(),
            "option `baseEnv` makes an environment of 2 variables and 27 bytes, more than a program can be given; remove some, or pass large values in files (`A` is the largest)"
        );
        let own = named(10, 15, 30).to_string();
        assert!(own.starts_with("option `env` makes an environment of 1 variables and 33 bytes"));
        assert_eq!(
            named(50, 15, 30).to_string(),
            "option `args` has 51 bytes together, more than a program can be given; pass them in a file"
        );
    }

    #[test]
    fn a_nul_byte_is_refused_wherever_it_stands() {
        let text = "a\0b".to_owned();
        let command = PtyStartOptions { command: text.clone(), ..Default::default() };
        let argument = PtyArgvStartOptions {
            application: "sh".to_owned(),
            args: vec![text],
            ..Default::default()
        };

        assert_eq!(command.check().err().map(|error| error.code()), Some("PI_NUL_IN_COMMAND"));
        assert_eq!(argument.check().err().map(|error| error.code()), Some("PI_NUL_IN_COMMAND"));
    }

    /// Only Linux bounds a single argument.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_longest_argument_is_the_longest_that_a_program_can_be_given() {
        let longest = "x".repeat(MAX_ENTRY_BYTES);
        assert!(check_argument("args", &longest).is_ok());

        let error = check_argument("args", &format!("{longest}x")).unwrap_err();

        assert!(error.to_string().starts_with("option `args` has a text of 131072 bytes"));
    }

    #[test]
    fn a_start_has_its_shell_or_its_program_and_what_it_was_given() {
        let options = || PtyOptions {
            base_env: Some(vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())]),
            cwd: Some("/".into()),
            timeout: Some(Duration::from_secs(7)),
            ..PtyOptions::default()
        };
        let launch =
            PtyStartOptions { command: "echo a".to_owned(), shell: None, options: options() };
        let launch = launch.check().ok().unwrap();
        assert!(Path::new(&launch.argv[0]).ends_with("bash"));
        assert_eq!(launch.argv[1..], ["-c", "echo a"]);
        assert_eq!((launch.cwd, launch.timeout), ("/".into(), Some(Duration::from_secs(7))));
        assert_eq!(launch.supervisor, Path::new("pi-supervisor"));

        let launch = PtyArgvStartOptions {
            application: "sh".to_owned(),
            args: vec!["-c".to_owned(), ":".to_owned()],
            options: PtyOptions { supervisor: Some("/own".into()), ..options() },
        };
        let launch = launch.check().ok().unwrap();
        assert!(Path::new(&launch.argv[0]).ends_with("sh"));
        assert_eq!(launch.argv[1..], ["-c", ":"]);
        assert_eq!(launch.supervisor, Path::new("/own"));
    }

    #[test]
    fn a_variable_or_a_timeout_that_cannot_be_is_refused() {
        let refused = |options| {
            let start = PtyStartOptions { command: ":".to_owned(), shell: None, options };
            start.check().err().map(|error| error.code())
        };
        let variable = vec![("A=B".to_owned(), String::new())];
        let base = PtyOptions { base_env: Some(variable.clone()), ..PtyOptions::default() };
        let own = PtyOptions { env: variable, ..PtyOptions::default() };
        let timeout =
            PtyOptions { timeout: Some(Duration::from_secs(1 << 40)), ..PtyOptions::default() };

        assert_eq!(refused(base), Some("PI_INVALID_ENV"));
        assert_eq!(refused(own), Some("PI_INVALID_ENV"));
        assert_eq!(refused(timeout), Some("PI_INVALID_OPTION"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_may_not_be_run_and_a_folder_are_not_the_program() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let env = vec![(OsString::from("PATH"), folder.path().as_os_str().to_owned())];
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();

        assert!(locate("folder", &env, Path::new("/")).is_err());
        assert!(locate("file", &env, Path::new("/")).is_err());
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(locate("file", &env, Path::new("/")).unwrap(), file);
    }
}
