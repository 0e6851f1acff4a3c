//! How a session's bash is started: by which path, with which environment and limits; and what a failed start means.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pi_process::ResourceLimits;
use pi_process::supervisor::{SpawnFailure, SpawnStep};
use pi_sandbox::Sandbox;

use crate::error::ShellError;
use crate::request::ShellOptions;
use crate::{environment, proxy_variables, shell_path, validate};

/// How a bash is started. Two equal ones give interchangeable shells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LaunchSpec {
    pub(super) shell: PathBuf,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) limits: ResourceLimits,
    /// The sandbox around it.
    pub(super) sandbox: Option<Arc<Sandbox>>,
    /// The driver to load, where the system and the bash take it.
    pub(super) driver: Option<PathBuf>,
    /// What must be seen in the sandbox. Without one nothing is named: spares must fit.
    pub(super) visible: Vec<PathBuf>,
}

/// The supervisor's executable, and how the shells of a session with these options are started.
pub(super) async fn launch_spec(
    options: &ShellOptions,
) -> Result<(PathBuf, LaunchSpec), ShellError> {
    let cwd = validate::first_directory(options.cwd.as_deref())?;
    let shell = shell_path::resolve(options.shell.as_deref())?;
    let executable = options.supervisor.clone().unwrap_or_else(|| PathBuf::from("pi-supervisor"));
    let (mut sandbox, mut visible) = (None, Vec::new());
    if let Some(wanted) = &options.sandbox {
        sandbox = Some(Sandbox::open(wanted, &executable).await?);
        visible.extend([&options.snapshot_path, &options.driver].into_iter().flatten().cloned());
        visible.push(cwd);
    }
    let env = environment::base(options.base_env.as_deref());
    let env = proxy_variables::without_host_proxies(env, options.sandbox.as_ref());
    let driver = options.driver.clone();
    Ok((executable, LaunchSpec { shell, env, limits: options.limits, sandbox, driver, visible }))
}

/// What a failed start means to the caller.
pub(super) fn spawn_error<T: AsRef<OsStr>>(
    shell: &Path,
    cwd: &Path,
    env: &[(T, T)],
    failure: SpawnFailure,
) -> ShellError {
    match failure.step {
        // The arguments are ours and few.
        _ if failure.is_too_large() => environment::too_large("baseEnv", env),
        SpawnStep::ChangeDirectory => ShellError::of_directory(cwd.to_path_buf(), failure.source),
        SpawnStep::Execute | SpawnStep::Interpreter => ShellError::UnusableShell {
            path: shell.to_path_buf(),
            reason: format!(
                "cannot be executed: {}; set `shell` to the path of a bash",
                failure.source
            ),
        },
        _ => ShellError::system("start bash", failure.source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_start_is_the_fault_of_what_it_failed_at() {
        let env = [("A", "1")];
        for (step, errno, code) in [
            (SpawnStep::ChangeDirectory, libc::ENOENT, "PI_MISSING_CWD"),
            (SpawnStep::Execute, libc::EACCES, "PI_UNUSABLE_SHELL"),
            (SpawnStep::Interpreter, libc::ENOENT, "PI_UNUSABLE_SHELL"),
            (SpawnStep::Execute, libc::E2BIG, "PI_INVALID_ENV"),
            (SpawnStep::Request, libc::EPIPE, "PI_SYSTEM"),
        ] {
            let failure = SpawnFailure { step, source: std::io::Error::from_raw_os_error(errno) };
            let error = spawn_error(Path::new("/bin/bash"), Path::new("/x"), &env, failure);
            assert_eq!(error.code(), code, "{step:?}: {error}");
        }
    }
}
