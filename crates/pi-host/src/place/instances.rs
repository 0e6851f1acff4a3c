//! The instances of this user on this machine: listed, ended, and removed where they are stale.
//!
//! An instance that was killed leaves its folder. It is stale when its process is gone by pid, start time and boot, and its
//! folder is not locked. Folders of other machines, which share a home, are left alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pi_supervisor::process;
use rustix::fs::FlockOperation;
use serde_json::Value;

use super::identity::Identity;
use super::{HOSTS_NAME, IDENTITY_NAME, STATE_NAME, files, open_folder, roots};

/// Largest file that says who an instance is, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024;

/// Time that an instance gets to end by itself: its runs, its sessions.
const END_BOUND: Duration = Duration::from_secs(25);

/// Time between two looks whether it has.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Signals of `end`.
const TERMINATE: i32 = 15;
const KILL: i32 = 9;

/// Folders of all instances that can be seen.
fn folders() -> Vec<PathBuf> {
    let entries = |root: PathBuf| {
        let hosts = root.join(HOSTS_NAME);
        let found = if roots::check(&hosts).is_ok() { fs::read_dir(hosts).ok() } else { None };
        found.into_iter().flatten().flatten().map(|entry| entry.path())
    };
    let mut found: Vec<_> = roots::candidates().into_iter().flat_map(entries).collect();
    found.sort_unstable();
    found
}

/// Where an instance has its folder.
fn folder_of(instance: &str) -> Option<PathBuf> {
    if !is_instance(instance) {
        return None;
    }
    folders().into_iter().find(|folder| folder.file_name().is_some_and(|name| name == instance))
}

/// 32 hexadecimal digits.
fn is_instance(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn identity_in(folder: &Path) -> Option<Identity> {
    let bytes = files::read_small(&folder.join(IDENTITY_NAME), MAX_FILE_BYTES).ok()?;
    let identity: Identity = serde_json::from_slice(&bytes).ok()?;
    folder.file_name().is_some_and(|name| name == identity.instance.as_str()).then_some(identity)
}

/// What is known of the instances that live, one object each.
pub(crate) fn list() -> Vec<Value> {
    let living = folders().into_iter().filter_map(|folder| {
        let identity = identity_in(&folder)?;
        identity.is_alive().unwrap_or(false).then_some(())?;
        let mut known = serde_json::to_value(&identity).ok()?;
        known["folder"] = folder.to_str()?.into();
        let state = files::read_small(&folder.join(STATE_NAME), MAX_FILE_BYTES).ok();
        let state: Option<Value> = state.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        for name in ["attached", "sessions", "keepMs"] {
            if let Some(value) = state.as_ref().and_then(|state| state.get(name)) {
                known[name] = value.clone();
            }
        }
        Some(known)
    });
    living.collect()
}

/// Ends an instance and everything it has. Returns when it is gone.
///
/// # Errors
/// Where there is no such instance here, or it does not end.
pub(crate) fn end(instance: &str) -> io::Result<()> {
    let missing = || {
        let text = format!("there is no instance `{instance}` here; `pi-host list` shows them");
        io::Error::new(io::ErrorKind::NotFound, text)
    };
    let folder = folder_of(instance).ok_or_else(missing)?;
    let identity = identity_in(&folder).ok_or_else(missing)?;
    if identity.is_alive() != Some(true) {
        return Err(missing());
    }
    let target = identity.process();
    for signal in [TERMINATE, KILL] {
        match process::signal(target, signal) {
            Ok(()) => {}
            // It has ended between two looks.
            Err(_) if !process::is_alive(target) => return Ok(()),
            Err(error) => return Err(error),
        }
        let deadline = Instant::now() + END_BOUND;
        while Instant::now() < deadline {
            if !process::is_alive(target) {
                remove_if_stale(&folder);
                return Ok(());
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, format!("instance `{instance}` does not end")))
}

/// Removes the folders of instances that are gone. Returns their names.
pub(crate) fn remove_stale() -> Vec<String> {
    let removed = folders().into_iter().filter(|folder| remove_if_stale(folder));
    removed.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned())).collect()
}

pub(super) fn remove_if_stale(folder: &Path) -> bool {
    let has_name = folder.file_name().and_then(|name| name.to_str()).is_some_and(is_instance);
    if !has_name {
        return false;
    }
    // Without an identity it is one that is being made, or another version's.
    let Some(identity) = identity_in(folder) else { return false };
    if identity.is_alive() != Some(false) {
        return false;
    }
    let Ok(open) = open_folder(folder) else { return false };
    rustix::fs::flock(&open, FlockOperation::NonBlockingLockExclusive).is_ok()
        && fs::remove_dir_all(folder).is_ok()
}

/// The folder of an instance that lives here.
pub(crate) fn open_instance(instance: &str) -> Option<std::os::fd::OwnedFd> {
    let folder = folder_of(instance)?;
    // One of another machine has its socket there.
    (identity_in(&folder)?.is_alive() == Some(true)).then_some(())?;
    open_folder(&folder).ok()
}
