//! Proves a read-only copy before it is relied on: it makes the attempts itself that a sandbox's proof makes (`probe`), and
//! those on a file's mode and times. Once in this process's life for each configuration.
//!
//! What the attempts are directed at lies in the session's folder, where the session itself can write: so in a sandbox, too,
//! it is the copy's own confinement that refuses them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pi_process::lock;

use super::probe::{ATTEMPTS, Outside, answers_in, possible};
use super::read_only::ReadOnly;
use super::sandbox::Sandbox;

/// Name of the folder that the attempts are directed at, in the part of the session's folder that its shells can write to.
/// Short, since the path of a socket in it has 107 bytes at most.
const FOLDER_NAME: &str = "p";

/// Most results that are kept: an agent has one or two configurations.
const MAX_REMEMBERED: usize = 64;

/// What a result holds for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// The program that makes the attempts.
    pub executable: PathBuf,
    /// The bash whose copy it is.
    pub shell: PathBuf,
    /// The driver that it loads; `None`: none.
    pub driver: Option<PathBuf>,
    /// The sandbox around the session.
    pub sandbox: Option<Arc<Sandbox>>,
}

/// Whether it holds, or which attempt did not fail.
type Verdict = Result<(), String>;

static KNOWN: Mutex<Vec<(Configuration, Verdict)>> = Mutex::new(Vec::new());

/// What is known of a configuration in this process.
pub fn known(configuration: &Configuration) -> Option<Verdict> {
    let known = lock(&KNOWN);
    known.iter().find(|(one, _)| one == configuration).map(|(_, verdict)| verdict.clone())
}

fn remember(configuration: Configuration, verdict: Verdict) {
    let mut known = lock(&KNOWN);
    if known.len() >= MAX_REMEMBERED {
        drop(known.remove(0));
    }
    known.push((configuration, verdict));
}

/// Attempts that are about to be made.
pub struct Proof {
    configuration: Configuration,
    folder: Folder,
    outside: Outside,
    reader: OwnedFd,
    writer: OwnedFd,
}

/// Removed when dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays goes with the session's folder.
        drop(fs::remove_dir_all(&self.0));
    }
}

impl Proof {
    /// Prepares them for a session whose shells can write to `state`.
    pub fn prepare(configuration: Configuration, state: &Path) -> io::Result<Self> {
        let path = state.join(FOLDER_NAME);
        fs::create_dir(&path)?;
        let folder = Folder(path);
        let outside = Outside::new(&folder.0)?;
        let (reader, writer) = pi_process::sys::pipe()?;
        Ok(Self { configuration, folder, outside, reader, writer })
    }

    /// The command that makes them, to be run in a read-only copy: its words, of which the first is an absolute path.
    pub fn command(&self) -> io::Result<Vec<OsString>> {
        let executable = std::path::absolute(&self.configuration.executable)?;
        let mut words: Vec<OsString> = vec![executable.into(), "--probe-read-only".into()];
        words.extend(self.outside.arguments()?);
        Ok(words)
    }

    /// Where the command's output goes.
    pub fn output(&self) -> BorrowedFd<'_> {
        use std::os::fd::AsFd as _;
        self.writer.as_fd()
    }

    /// What came of them, when the command has ended; remembered.
    pub fn conclude(self, means: &ReadOnly) -> io::Result<Verdict> {
        let Self { configuration, folder, outside, reader, writer } = self;
        drop(writer);
        let answers = answers_in(reader)?;
        if answers.lines().next_back() != Some("end") {
            return Err(io::Error::other("the attempts were not made to their end"));
        }
        let attempts = [&ATTEMPTS[..], &["metadata"]].concat();
        let degraded = means.degraded();
        let verdict = possible(&attempts, &answers, &outside.seen())
            .into_iter()
            .find(|name| !degraded.contains(&name.as_str()))
            .map_or(Ok(()), |name| Err(format!("does not hold here: `{name}` was possible")));
        remember(configuration, verdict.clone());
        drop(folder);
        Ok(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attempts that are possible to whoever is confined by nothing, on every machine.
    const POSSIBLE: [&str; 5] = ["write", "network", "unix-socket", "signal", "metadata"];

    #[test]
    fn what_is_not_confined_fails_the_proof() {
        let state = tempfile::tempdir().unwrap();
        let configuration = Configuration {
            executable: crate::executable::executable().to_path_buf(),
            shell: PathBuf::from("/a/shell/of/this/test"),
            driver: None,
            sandbox: None,
        };
        let means = ReadOnly::new(state.path()).unwrap();
        let proof = Proof::prepare(configuration.clone(), state.path()).unwrap();
        let output = proof.output().try_clone_to_owned().unwrap();
        let mut attempts = std::process::Command::new("bash");
        attempts.args(["-c", "\"$@\"", "bash"]).args(proof.command().unwrap()).stdout(output);
        assert!(attempts.status().unwrap().success());
        let mut bytes = [0; 4096];
        let length = rustix::io::read(&proof.reader, &mut bytes).unwrap();
        let answers = String::from_utf8_lossy(&bytes[..length]).into_owned();
        rustix::io::write(&proof.writer, answers.as_bytes()).unwrap();

        let verdict = proof.conclude(&means).unwrap();

        for name in POSSIBLE {
            assert!(answers.contains(&format!("{name} possible\n")), "{answers}");
        }
        assert_eq!(verdict, Err("does not hold here: `write` was possible".to_owned()));
        assert_eq!(known(&configuration), Some(verdict));
    }

    #[test]
    fn attempts_that_were_not_made_prove_nothing() {
        let state = tempfile::tempdir().unwrap();
        let configuration = Configuration {
            executable: PathBuf::from("/no/such/program"),
            shell: PathBuf::from("/another/shell/of/this/test"),
            driver: None,
            sandbox: None,
        };
        let means = ReadOnly::new(state.path()).unwrap();
        let proof = Proof::prepare(configuration.clone(), state.path()).unwrap();
        rustix::io::write(proof.output(), b"write refused\n").unwrap();

        assert!(proof.conclude(&means).is_err());
        assert_eq!(known(&configuration), None);
        assert!(!state.path().join(FOLDER_NAME).exists(), "the session's folder is as it was");
    }
}
