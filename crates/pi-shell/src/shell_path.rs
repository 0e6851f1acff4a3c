//! Finds the bash that sessions run, and checks one that a caller names.

use std::path::{Path, PathBuf};

use crate::error::ShellError;

/// Folders looked in after those of `PATH`, for hosts that were started without one (EV-09).
#[cfg(not(windows))]
const FALLBACK_FOLDERS: [&str; 4] = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// The name by which bash restricts itself (`bash(1)`, "Restricted Shell").
const RESTRICTED: &str = "rbash";

/// Where Git for Windows has its bash below the folder it was installed in.
#[cfg(windows)]
const GIT_BASH_FOLDER: &str = r"Git\bin";

/// Variables that name the folders where Windows has programs, for all users and for one.
#[cfg(windows)]
const PROGRAM_FOLDERS: [&str; 4] =
    ["ProgramFiles", "ProgramW6432", "ProgramFiles(x86)", "LOCALAPPDATA"];

/// The shell to run: `wanted` if it is given and usable, else the first `bash` found.
///
/// `$SHELL` is not asked: it may be zsh or fish, and commands are written for bash.
pub(crate) fn resolve(wanted: Option<&Path>) -> Result<PathBuf, ShellError> {
    match wanted {
        Some(path) => check(path).map(|()| path.to_path_buf()),
        None => discover(),
    }
}

fn discover() -> Result<PathBuf, ShellError> {
    let folders = folders();
    folders
        .iter()
        .map(|folder| folder.join(if cfg!(windows) { "bash.exe" } else { "bash" }))
        .find(|candidate| check(candidate).is_ok())
        .ok_or_else(|| ShellError::ShellNotFound {
            searched: folders
                .iter()
                .map(|f| f.display().to_string())
                .collect::<Vec<_>>()
                .join(", "),
        })
}

/// Where a bash is looked for, in this order.
#[cfg(not(windows))]
fn folders() -> Vec<PathBuf> {
    path_folders().into_iter().chain(FALLBACK_FOLDERS.iter().map(PathBuf::from)).collect()
}

/// Where a bash is looked for, in this order: Git's own folders, those beside the `git` on `PATH`,
/// then `PATH`. Not the system's folder: its `bash.exe` starts another system (WSL), where neither
/// paths nor processes are the host's.
#[cfg(windows)]
fn folders() -> Vec<PathBuf> {
    let installed = PROGRAM_FOLDERS.iter().filter_map(std::env::var_os).flat_map(|folder| {
        let folder = PathBuf::from(folder);
        [folder.join(GIT_BASH_FOLDER), folder.join("Programs").join(GIT_BASH_FOLDER)]
    });
    let listed = path_folders();
    // `git.exe` is in `Git\cmd`, `Git\bin` or `Git\mingw64\bin`.
    let beside_git =
        listed.iter().filter(|folder| folder.join("git.exe").is_file()).flat_map(|folder| {
            folder.ancestors().skip(1).take(2).map(|root| root.join("bin")).collect::<Vec<_>>()
        });
    let system = std::env::var_os("SystemRoot").map(PathBuf::from);
    let is_system = |folder: &PathBuf| system.as_ref().is_some_and(|one| folder.starts_with(one));
    let others = listed.iter().filter(|folder| !is_system(folder)).cloned();
    installed.chain(beside_git).chain(others).collect()
}

fn path_folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// What is reported of a program that did not answer like a bash.
pub(crate) fn no_bash(path: &Path) -> ShellError {
    let reason = "does not answer like a bash; set `shell` to the path of a bash".to_owned();
    ShellError::UnusableShell { path: path.to_path_buf(), reason }
}

/// Whether the file can be run at all. That it is a bash shows when it answers the greeting.
fn check(path: &Path) -> Result<(), ShellError> {
    let unusable =
        |reason: String| Err(ShellError::UnusableShell { path: path.to_path_buf(), reason });
    match std::fs::metadata(path) {
        Err(error) => {
            unusable(format!("cannot be read: {error}; set `shell` to the path of a bash"))
        }
        Ok(found) if !found.is_file() => {
            unusable("is not a file; set `shell` to the path of a bash".to_owned())
        }
        Ok(found) if !is_executable(&found) => {
            unusable("is not executable; run `chmod +x` on it or set `shell` to a bash".to_owned())
        }
        // What carries a session's state from one command to the next, its restrictions forbid.
        Ok(_) if path.file_name().is_some_and(|name| name == RESTRICTED) => unusable(
            "is a restricted bash by this name; set `shell` to the same bash by its own".to_owned(),
        ),
        Ok(_) => Ok(()),
    }
}

#[cfg(unix)]
fn is_executable(found: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(windows)]
fn is_executable(_found: &std::fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bash_is_found() {
        let found = resolve(None).unwrap();

        assert!(found.ends_with("bash"), "{}", found.display());
    }

    #[test]
    fn rs_04_a_missing_shell_a_folder_and_a_plain_file_are_refused_by_path() {
        for path in ["/nonexistent/bash", "/usr", "/etc/passwd"] {
            let error = resolve(Some(Path::new(path))).unwrap_err();

            assert_eq!(error.code(), "PI_UNUSABLE_SHELL");
            assert!(error.to_string().contains(path), "{error}");
        }
    }

    /// `$SHELL` of a test's machine may be another; its `sh` looks bash up as the host's other programs do.
    #[cfg(unix)]
    #[test]
    fn the_bash_found_is_the_first_in_path() {
        let looked_up =
            std::process::Command::new("sh").args(["-c", "command -v bash"]).output().unwrap();
        let first = String::from_utf8(looked_up.stdout).unwrap();

        assert_eq!(resolve(None).unwrap(), Path::new(first.trim_end()));
        let folders = folders();
        let fallbacks = FALLBACK_FOLDERS.map(PathBuf::from);
        assert!(folders.ends_with(&fallbacks), "{folders:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_bash_by_the_name_of_the_restricted_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let restricted = folder.path().join(RESTRICTED);
        std::os::unix::fs::symlink(resolve(None).unwrap(), &restricted).unwrap();

        let error = resolve(Some(&restricted)).unwrap_err();

        assert!(error.to_string().contains("is a restricted bash"), "{error}");
        let other = folder.path().join("other");
        std::fs::rename(&restricted, &other).unwrap();
        assert_eq!(resolve(Some(&other)).unwrap(), other);
    }

    #[test]
    fn each_unusable_shell_has_its_reason() {
        let reason = |path: &str| resolve(Some(Path::new(path))).unwrap_err().to_string();
        assert!(reason("/nonexistent/bash").contains("cannot be read"));
        assert!(reason("/usr").contains("is not a file"));
        assert!(no_bash(Path::new("/bin/x")).to_string().contains("`/bin/x` does not answer"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_any_user_may_run_is_taken_for_a_program() {
        use std::os::unix::fs::PermissionsExt as _;
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, is_program) in [(0o644, false), (0o100, true), (0o010, true), (0o001, true)] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(check(file.path()).is_ok(), is_program, "{mode:o}");
        }
    }
}
