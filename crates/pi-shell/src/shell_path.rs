//! Finds the bash that sessions run, and checks one that a caller names.

use std::path::{Path, PathBuf};

use crate::error::ShellError;

/// Folders looked in after those of `PATH`, for hosts that were started without one (EV-09).
const FALLBACK_FOLDERS: [&str; 4] = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

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
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .chain(FALLBACK_FOLDERS.iter().map(PathBuf::from))
        .collect();
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
}
