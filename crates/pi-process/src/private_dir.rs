//! A session's private folder: boot scripts, saved states and temporary files, for this user alone.
//!
//! It lies in memory where it can, so that a full or slow disk does not stop commands. It is removed with the session: by
//! the host that closes it, and by the supervisor where the host ended without closing. What neither could remove (a
//! supervisor that was killed, or is in a sandbox) is removed by a later host.

use std::fs::DirEntry;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Once};
use std::time::{Duration, SystemTime};

use pi_supervisor::remove_tree::{open_folder, remove_tree};
use rustix::fs::{CWD, FlockOperation, Mode};

use crate::{ProcessError, control_group};

/// Age under which a folder is left alone by `sweep_stale`: its owner may not hold the lock yet.
const STALE_AFTER: Duration = Duration::from_secs(60);

/// Name of the part for temporary files.
const TEMPORARY_NAME: &str = "tmp";

/// Name of the part that shells write to.
const STATE_FOLDER_NAME: &str = "w";

/// What the names of this user's folders begin with.
static OWN_PREFIX: LazyLock<String> =
    LazyLock::new(|| format!("pi-bash-{}-", rustix::process::getuid().as_raw()));

/// A folder that exists as long as this value.
pub struct PrivateDir {
    path: PathBuf,
    /// Open and locked while the session lives: how another host sees that it is in use.
    _lock: OwnedFd,
}

impl PrivateDir {
    /// Makes one in the first place that takes files.
    ///
    /// # Errors
    /// [`ProcessError::System`] where none does.
    pub fn create() -> Result<Self, ProcessError> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for base in candidates() {
            match Self::create_in(&base) {
                Ok(folder) => return Ok(folder),
                Err(error) => last = error,
            }
        }
        Err(ProcessError::System { attempt: "make a private folder for the session", source: last })
    }

    fn create_in(base: &Path) -> io::Result<Self> {
        let name = RandomState::new().hash_one(base);
        let path = base.join(format!("{}{name:016x}", *OWN_PREFIX));
        // Exclusive: a name that someone made before us, link or folder, is an error.
        rustix::fs::mkdir(&path, Mode::RWXU)?;
        let made = Self::initialize(&path);
        if made.is_err() {
            // Nothing else knows the folder; what cannot be removed is swept by a later host.
            drop(remove_tree(&path));
        }
        made
    }

    fn initialize(path: &Path) -> io::Result<Self> {
        // Gives back what the umask of the host may have taken away.
        let lock = open_folder(CWD, path)?;
        rustix::fs::flock(&lock, FlockOperation::NonBlockingLockShared)?;
        for name in [STATE_FOLDER_NAME, TEMPORARY_NAME] {
            rustix::fs::mkdirat(&lock, name, Mode::RWXU)?;
            drop(open_folder(&lock, name)?);
        }
        Ok(Self { path: path.to_path_buf(), _lock: lock })
    }

    /// Where it is. Made of characters that need no quoting in bash.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The part of it that shells write states to: all that one in a sandbox can change.
    pub fn state(&self) -> PathBuf {
        self.path.join(STATE_FOLDER_NAME)
    }

    /// The part of it for temporary files of a session in a sandbox without a `/tmp` of its own.
    pub fn temporary(&self) -> PathBuf {
        self.path.join(TEMPORARY_NAME)
    }

    /// Writes a file that only this user reads. Where that fails, there is none of that name.
    #[cfg(target_os = "linux")]
    pub fn write(&self, name: &str, text: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        match std::fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => {
                drop(std::fs::remove_file(&path));
                Err(error)
            }
        }
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        // Best effort: what stays is swept by the next host of this user.
        drop(remove_tree(&self.path));
    }
}

/// Places for the folder, the best first: in memory, then on disk. Paths with characters that
/// would need quoting in bash are left out.
fn candidates() -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let temporary = std::env::temp_dir();
    [runtime, Some(PathBuf::from("/dev/shm")), Some(temporary), Some(PathBuf::from("/tmp"))]
        .into_iter()
        .flatten()
        .filter(|base| base.to_str().is_some_and(is_place))
        .collect()
}

/// Whether a path is absolute, short, and of characters that need no quoting.
fn is_place(path: &str) -> bool {
    path.starts_with('/')
        && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
        && path.len() < 80
}

/// Removes folders of this user whose host is gone, so that their locks are free. Once in a process's life.
pub fn sweep_stale() {
    static SWEPT: Once = Once::new();
    SWEPT.call_once(|| {
        sweep();
        control_group::remove_left(is_left);
    });
}

fn sweep() {
    let is_named_so = |entry: &DirEntry| {
        entry.file_name().to_str().is_some_and(|name| name.starts_with(OWN_PREFIX.as_str()))
    };
    for base in candidates() {
        let Ok(entries) = std::fs::read_dir(&base) else { continue };
        for entry in entries.flatten().filter(is_named_so) {
            let Ok(found) = entry.metadata() else { continue };
            // In a folder that all can write to, another user may have made one of our name.
            let ours = found.uid() == rustix::process::getuid().as_raw();
            if ours && found.modified().is_ok_and(is_old) {
                remove_if_unlocked(&entry.path());
            }
        }
    }
}

/// Whether a control group is one that a session of this user left. It has the name of that session's folder, which is
/// made before it and removed first.
fn is_left(name: &str, made: SystemTime) -> bool {
    name.starts_with(OWN_PREFIX.as_str())
        && is_old(made)
        && !candidates().iter().any(|base| base.join(name).exists())
}

fn is_old(made: SystemTime) -> bool {
    SystemTime::now().duration_since(made).is_ok_and(|age| age > STALE_AFTER)
}

fn remove_if_unlocked(path: &Path) {
    let Ok(folder) = open_folder(CWD, path) else { return };
    if rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
        drop(remove_tree(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn the_folder_is_private_and_goes_with_its_owner() {
        let folder = PrivateDir::create().unwrap();
        let path = folder.path().to_path_buf();

        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);

        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_in_use_is_not_swept_and_one_of_a_dead_host_is() {
        let alive = PrivateDir::create().unwrap();
        let dead = PrivateDir::create().unwrap();
        let abandoned = dead.path().to_path_buf();
        let PrivateDir { _lock: lock, .. } = &*std::mem::ManuallyDrop::new(dead);
        rustix::fs::flock(lock, FlockOperation::Unlock).unwrap();

        remove_if_unlocked(alive.path());
        remove_if_unlocked(&abandoned);

        assert!(alive.path().exists());
        assert!(!abandoned.exists());
    }

    #[test]
    fn a_folder_of_a_dead_host_goes_though_a_command_barred_its_owner_from_it() {
        let dead = PrivateDir::create().unwrap();
        let abandoned = dead.path().to_path_buf();
        std::fs::create_dir_all(dead.state().join("a/b")).unwrap();
        for barred in [dead.state().join("a"), dead.state(), abandoned.clone()] {
            std::fs::set_permissions(barred, std::fs::Permissions::from_mode(0o000)).unwrap();
        }
        let PrivateDir { _lock: lock, .. } = &*std::mem::ManuallyDrop::new(dead);
        rustix::fs::flock(lock, FlockOperation::Unlock).unwrap();

        remove_if_unlocked(&abandoned);

        assert!(!abandoned.exists());
    }

    #[test]
    fn paths_that_bash_would_have_to_quote_or_that_are_long_are_no_places() {
        for (path, expected) in [
            ("/tmp/a-b_c.d9", true),
            ("/tmp/a b", false),
            ("/tmp/a$b", false),
            ("/tmp/é", false),
            ("tmp", false),
            ("", false),
        ] {
            assert_eq!(is_place(path), expected, "{path}");
        }
        let of_length = |length: usize| format!("/{}", "x".repeat(length - 1));
        assert!(is_place(&of_length(79)) && !is_place(&of_length(80)));
        let places = candidates();
        assert!(places.iter().all(|place| place.is_absolute()));
        assert_eq!(places.last().unwrap(), Path::new("/tmp"));
    }

    #[test]
    fn a_folder_has_parts_of_its_own_and_what_is_written_to_it() {
        let base = tempfile::tempdir().unwrap();
        let folder = PrivateDir::create_in(base.path()).unwrap();

        assert!(folder.path().starts_with(base.path()));
        for part in [folder.state(), folder.temporary()] {
            assert!(part.is_dir() && part.parent() == Some(folder.path()));
        }
        assert_ne!(folder.state(), folder.temporary());
        assert!(PrivateDir::create_in(&base.path().join("missing")).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_cannot_be_written_is_an_error() {
        let folder = PrivateDir::create().unwrap();

        let path = folder.write("boot", b"text").unwrap();

        assert_eq!(path, folder.path().join("boot"));
        assert_eq!(std::fs::read(path).unwrap(), b"text");
        assert!(folder.write("missing/boot", b"text").is_err());
    }

    /// Makes a folder look as old as one that a host left behind.
    fn age(folder: &PrivateDir) {
        let old = SystemTime::now() - 2 * STALE_AFTER;
        std::fs::File::open(folder.path()).unwrap().set_modified(old).unwrap();
    }

    /// Unlocks it, as the end of a host does.
    fn abandon(folder: PrivateDir) -> PathBuf {
        let PrivateDir { path, _lock: lock } = &*std::mem::ManuallyDrop::new(folder);
        rustix::fs::flock(lock, FlockOperation::Unlock).unwrap();
        path.clone()
    }

    #[test]
    fn only_old_folders_that_no_one_uses_are_swept() {
        let [in_use, old, young] = [(); 3].map(|()| PrivateDir::create().unwrap());
        age(&in_use);
        age(&old);
        let (old, young) = (abandon(old), abandon(young));

        sweep();

        assert!(in_use.path().exists(), "its session lives");
        assert!(young.exists(), "its owner may not hold the lock yet");
        assert!(!old.exists());
        remove_tree(&young).unwrap();
    }

    #[test]
    fn a_control_group_is_left_once_it_is_old_and_its_session_s_folder_is_gone() {
        let folder = PrivateDir::create().unwrap();
        let name = folder.path().file_name().unwrap().to_str().unwrap().to_owned();
        let (now, long_ago) = (SystemTime::now(), SystemTime::now() - 2 * STALE_AFTER);

        assert!(!is_left(&name, long_ago), "its session lives");
        drop(folder);
        assert!(is_left(&name, long_ago));
        assert!(!is_left(&name, now), "its folder may be about to be made");
        assert!(!is_left(&name.replacen("pi-bash", "other", 1), long_ago), "it is not a session's");
    }
}
