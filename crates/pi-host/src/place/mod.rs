//! Where an instance has its files: a folder of its own, for this user alone, with spills, files that near sent, and who
//! it is.
//!
//! ```text
//! ROOT/hosts/INSTANCE/   identity.json  state.json  socket  spills/NAME  files/DIGEST-NAME
//! ```
//! `roots` finds the root, `instances` looks at the folders of others and removes what is stale, `files` has spills and
//! uploads. The folder goes with its instance.

mod files;
mod identity;
mod instances;
mod roots;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pi_shell::ShellError;
use rustix::fs::{FlockOperation, Mode, OFlags};

pub(crate) use self::files::{Fifo, Upload, digest_of, hex};
use self::identity::Identity;
pub(crate) use self::instances::{end, list, open_instance, remove_stale};
use crate::message::{Failure, json};

/// Folder of the instances, below a root.
const HOSTS_NAME: &str = "hosts";

/// Name of the socket at which a kept engine listens.
pub(crate) const SOCKET_NAME: &str = "socket";

const IDENTITY_NAME: &str = "identity.json";
const STATE_NAME: &str = "state.json";
const SPILLS_NAME: &str = "spills";
const FILES_NAME: &str = "files";

/// An instance's folder. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Place {
    inner: Arc<Inner>,
}

struct Inner {
    instance: String,
    path: PathBuf,
    /// Open and locked while the instance lives: how others see that it is in use.
    folder: OwnedFd,
    spills: OwnedFd,
    files: OwnedFd,
}

impl Place {
    /// Makes the folder of a new instance, in the first place that takes files.
    ///
    /// # Errors
    /// Names every place that was tried.
    pub(crate) fn create(instance: &str) -> io::Result<Self> {
        let mut tried = Vec::new();
        for root in roots::usable(&mut tried) {
            match Self::create_in(&root, instance) {
                Ok(place) => return Ok(place),
                Err(error) => tried.push(format!("`{}`: {error}", root.display())),
            }
        }
        Err(io::Error::other(format!("no folder for files ({})", tried.join("; "))))
    }

    fn create_in(root: &Path, instance: &str) -> io::Result<Self> {
        let hosts = root.join(HOSTS_NAME);
        make_folder(&hosts)?;
        let path = hosts.join(instance);
        // Exclusive: a name that was there before is an error.
        rustix::fs::mkdir(&path, Mode::RWXU)?;
        let made = Self::fill(&path, instance);
        if made.is_err() {
            // What cannot be removed is stale for a later instance.
            drop(fs::remove_dir_all(&path));
        }
        made
    }

    fn fill(path: &Path, instance: &str) -> io::Result<Self> {
        // The umask may have taken bits away.
        rustix::fs::chmod(path, Mode::RWXU)?;
        let folder = open_folder(path)?;
        match rustix::fs::flock(&folder, FlockOperation::NonBlockingLockShared) {
            // A network's file system may have no locks; what is on it is looked up by its process then.
            Ok(()) | Err(rustix::io::Errno::NOLCK | rustix::io::Errno::NOTSUP) => {}
            Err(errno) => return Err(errno.into()),
        }
        let identity = Identity::own(instance);
        write_private(&path.join(IDENTITY_NAME), &json(&identity))?;
        for name in [SPILLS_NAME, FILES_NAME] {
            rustix::fs::mkdir(path.join(name), Mode::RWXU)?;
        }
        Ok(Self {
            inner: Arc::new(Inner {
                instance: instance.to_owned(),
                spills: open_folder(&path.join(SPILLS_NAME))?,
                files: open_folder(&path.join(FILES_NAME))?,
                path: path.to_path_buf(),
                folder,
            }),
        })
    }

    /// Its name, 32 hexadecimal digits.
    pub(crate) fn instance(&self) -> &str {
        &self.inner.instance
    }

    pub(crate) fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The folder itself, for paths below it that may be longer than a socket's.
    pub(crate) fn folder(&self) -> &OwnedFd {
        &self.inner.folder
    }

    /// Path of this program, which is the supervisor too.
    #[expect(clippy::unused_self, reason = "where its files are is the place's to say")]
    pub(crate) fn supervisor(&self) -> Result<PathBuf, ShellError> {
        let failed = |source| {
            ShellError::Process(pi_shell::ProcessError::Supervisor {
                path: "/proc/self/exe".into(),
                source,
            })
        };
        let path = std::env::current_exe().map_err(failed)?;
        if path.exists() {
            return Ok(path);
        }
        // Its file was removed meanwhile; the system has it as long as this process lives.
        Ok(PathBuf::from(format!("/proc/{}/exe", std::process::id())))
    }

    /// Path of the spill of this name.
    pub(crate) fn spill_path(&self, name: &str) -> Result<PathBuf, ShellError> {
        if !files::is_name(name) {
            let reason = format!("is `{name}`; give 1 to 128 of `A-Za-z0-9._-`, not a dot first");
            return Err(ShellError::InvalidOption { name: "sink.spillName", reason });
        }
        Ok(self.inner.path.join(SPILLS_NAME).join(name))
    }

    /// What this user may still write, in bytes.
    pub(crate) fn free_bytes(&self) -> Option<u64> {
        let found = rustix::fs::fstatvfs(&self.inner.folder).ok()?;
        Some(found.f_bavail.saturating_mul(found.f_frsize))
    }

    /// Writes down what others of this user may know.
    pub(crate) fn note(&self, is_attached: bool, sessions: usize, keep: Option<Duration>) {
        let keep_ms = keep.and_then(|keep| u64::try_from(keep.as_millis()).ok());
        let state = serde_json::json!({
            "attached": is_attached,
            "sessions": sessions,
            "keepMs": keep_ms,
        });
        let path = self.inner.path.join(STATE_NAME);
        let new = self.inner.path.join(".state");
        // Only `list` reads it, and says less without.
        let written = write_private(&new, state.to_string().as_bytes());
        drop(written.and_then(|()| fs::rename(&new, &path)));
    }

    /// Removes it.
    pub(crate) fn close(&self) {
        // What cannot be removed is stale for a later instance.
        drop(fs::remove_dir_all(&self.inner.path));
    }
}

/// Makes a folder that only this user can enter, or takes one that is there and is like that.
fn make_folder(path: &Path) -> io::Result<()> {
    match rustix::fs::mkdir(path, Mode::RWXU) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => roots::check(path),
        Err(errno) => Err(errno.into()),
    }
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Writes a file that only this user reads.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use io::Write as _;
    let flags =
        OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?;
    fs::File::from(file).write_all(bytes)
}

/// What went wrong with a file of near's.
fn failed(attempt: &str, name: &str, error: &io::Error) -> Failure {
    Failure::new("PI_HOST_FILE", format!("cannot {attempt} `{name}`: {error}"))
}
