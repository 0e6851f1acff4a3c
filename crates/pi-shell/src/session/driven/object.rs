//! The bash driver's object as a file: opened once, refused where others may write it, and distinguished from another one by
//! what is in it.
//!
//! The descriptor that was checked is the one that bash loads. Whether a bash takes the object is `fit`'s matter.

use std::fs::{File, Metadata};
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::OnceLock;

/// Largest object that is read: a hundred times what the driver has.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Bits of a mode by which others than the owner may write.
const WRITABLE_BY_GROUP: u32 = 0o020;
const WRITABLE_BY_ALL: u32 = 0o002;

/// Where the system lists its groups and their members (`group(5)`).
const GROUPS: &str = "/etc/group";

/// An object that only its owner can write, who is root or the user of this process.
pub(in crate::session) struct DriverObject {
    file: File,
    metadata: Metadata,
}

impl DriverObject {
    /// Opens the object, or says why it is not to be loaded.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let refused = |reason: &str| format!("{}: {reason}", path.display());
        let failed = |error: io::Error| refused(&error.to_string());
        // A pipe in its place must not hold the session up.
        let file =
            File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let own = rustix::process::geteuid().as_raw();
        match why_not_trusted(&metadata, own) {
            Some(reason) => Err(refused(&reason)),
            None => Ok(Self { file, metadata }),
        }
    }

    pub(super) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// A number that stands for what is in the object, in this process. It cannot be aimed at: its key is random.
    pub(super) fn digest(&self) -> io::Result<u64> {
        static KEY: OnceLock<RandomState> = OnceLock::new();
        let length = usize::try_from(self.metadata.len()).unwrap_or_default();
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, 0)?;
        Ok(KEY.get_or_init(RandomState::new).hash_one(bytes))
    }

    /// A descriptor for a bash to load it by.
    pub(super) fn descriptor(&self) -> io::Result<OwnedFd> {
        Ok(self.file.try_clone()?.into())
    }
}

/// Why a file with this owner and mode is not loaded by a process of the user `own`.
fn why_not_trusted(found: &Metadata, own: u32) -> Option<String> {
    let (owner, group, mode) = (found.uid(), found.gid(), found.mode());
    if !found.is_file() {
        return Some("is not a regular file".to_owned());
    }
    if found.len() > MAX_BYTES {
        return Some(format!("has more than {MAX_BYTES} bytes"));
    }
    if owner != 0 && owner != own {
        return Some(format!(
            "belongs to another user ({owner}); have it belong to root or to the user that runs this process"
        ));
    }
    if mode & WRITABLE_BY_ALL != 0 {
        return Some("can be written by everyone; `chmod go-w` it".to_owned());
    }
    let is_private = || is_private_group(owner, group, &std::fs::read(GROUPS).unwrap_or_default());
    if mode & WRITABLE_BY_GROUP != 0 && !is_private() {
        return Some(format!("can be written by its group ({group}); `chmod g-w` it"));
    }
    None
}

/// Whether a group is the owner's private one, as distributions make them: then files are writable by it as a rule (a
/// umask of 002), which gives no other user a right. Root has none (`pam_umask(8)`, `usergroups`).
fn is_private_group(owner: u32, group: u32, groups: &[u8]) -> bool {
    let lists_members = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b':').skip(2);
        let number = fields.next().and_then(|number| std::str::from_utf8(number).ok());
        number.and_then(|number| number.parse().ok()) == Some(group)
            && fields.next().is_some_and(|members| !members.trim_ascii().is_empty())
    };
    owner != 0 && group == owner && !groups.split(|byte| *byte == b'\n').any(lists_members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_a_largest_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("object");
        let file = File::create(&path).unwrap();
        file.set_len(4_194_304).unwrap();
        assert_eq!(DriverObject::open(&path).err(), None);

        file.set_len(4_194_305).unwrap();
        let expected = format!("{}: has more than 4194304 bytes", path.display());
        assert_eq!(DriverObject::open(&path).err(), Some(expected));
    }

    #[test]
    fn what_belongs_to_root_is_taken_by_every_user() {
        let of_root = std::fs::metadata("/bin/sh").unwrap();
        assert_eq!(why_not_trusted(&of_root, 4242), None);
    }

    #[test]
    fn only_a_group_without_another_member_is_private() {
        let groups = b"root:x:0:\nadm:x:4:syslog\nann:x:1000:\nbob:x:1001:ann,eve\nbroken\n:x::\n";
        for (owner, group, is_private) in [
            (1000, 1000, true),
            (1000, 4, false),
            (1001, 1001, false),
            // Nothing is listed for it.
            (1002, 1002, true),
            (1000, 1001, false),
            (0, 0, false),
        ] {
            assert_eq!(is_private_group(owner, group, groups), is_private, "{owner}:{group}");
        }
    }
}
