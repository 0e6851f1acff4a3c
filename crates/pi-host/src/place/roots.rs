//! Where instances may have their folders: the cache folders of the bootstrap, the best first. On a network's file system,
//! or one where nothing can be executed (the bash driver is), only where there is no other.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, StatVfsMountFlags};

/// `f_type` of file systems that other machines have a part in (`statfs(2)`, and the kernel's `magic.h`): NFS, SMB (three),
/// CIFS, AFS (two), Ceph, Lustre, GPFS, `BeeGFS`, 9P.
const OF_NETWORKS: [u64; 12] = [
    0x6969,
    0x517b,
    0xfe53_4d42,
    0xff53_4d43,
    0xff53_4d42,
    0x5346_414f,
    0x6b41_4653,
    0x00c3_6400,
    0x0bd0_0bd0,
    0x4750_4653,
    0x1983_0326,
    0x0102_1997,
];

/// What other users may have of a mode.
const OTHERS: u32 = 0o077;

/// Roots that are there or can be made, the best first. Why others cannot be had is added to `tried`.
pub(super) fn usable(tried: &mut Vec<String>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for root in candidates() {
        match prepare(&root) {
            Ok(()) => found.push(root),
            Err(error) => tried.push(format!("`{}`: {error}", root.display())),
        }
    }
    // Stable: among equals the order stays. What was named for it comes first, whatever it is.
    let named = named();
    found.sort_by_key(|root| {
        (named.as_ref() != Some(root)).then(|| (is_of_network(root), forbids_execution(root)))
    });
    found
}

/// The root that was chosen by who starts this program.
fn named() -> Option<PathBuf> {
    std::env::var_os("PI_HOST_CACHE").map(PathBuf::from)
}

/// Roots as they are named, whether they are there or not.
pub(super) fn candidates() -> Vec<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let own = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf));
    let named = [
        named(),
        // Where the bootstrap has put this program, something can be executed.
        own.filter(|folder| check(folder).is_ok()),
        variable("XDG_CACHE_HOME").map(|folder| folder.join("pi-bash")),
        variable("HOME").filter(|home| home.is_dir()).map(|folder| folder.join(".cache/pi-bash")),
        Some(PathBuf::from(format!("/tmp/pi-bash-{user}"))),
        Some(PathBuf::from(format!("/var/tmp/pi-bash-{user}"))),
        Some(PathBuf::from(format!("/dev/shm/pi-bash-host-{user}"))),
    ];
    let mut roots: Vec<PathBuf> = Vec::new();
    for root in named.into_iter().flatten().filter(|root| root.is_absolute()) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

fn prepare(root: &Path) -> io::Result<()> {
    if let Some(parent) = root.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match rustix::fs::mkdir(root, Mode::RWXU) {
        Ok(()) => {}
        Err(rustix::io::Errno::EXIST) => close_to_others(root)?,
        Err(errno) => return Err(errno.into()),
    }
    Ok(rustix::fs::access(root, rustix::fs::Access::WRITE_OK)?)
}

/// As the bootstrap does with a cache folder: this user's own is closed to others, and any other refused.
fn close_to_others(root: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(root)?;
    let is_own = found.uid() == rustix::process::getuid().as_raw();
    if found.is_dir() && is_own && found.mode() & OTHERS != 0 {
        rustix::fs::chmod(root, Mode::RWXU)?;
    }
    check(root)
}

/// Refuses all but a folder of this user that other users cannot enter.
pub(super) fn check(path: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(path)?;
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned()));
    if !found.is_dir() {
        return refused("is not a folder");
    }
    if found.uid() != rustix::process::getuid().as_raw() {
        return refused("belongs to another user");
    }
    if found.mode() & OTHERS != 0 {
        return refused("is open to others; run `chmod 700` on it");
    }
    Ok(())
}

fn is_of_network(root: &Path) -> bool {
    rustix::fs::statfs(root).is_ok_and(|found| {
        // Signed on some architectures; the number has 32 bits.
        u64::try_from(found.f_type & 0xffff_ffff).is_ok_and(|kind| OF_NETWORKS.contains(&kind))
    })
}

fn forbids_execution(root: &Path) -> bool {
    rustix::fs::statvfs(root).is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::NOEXEC))
}
