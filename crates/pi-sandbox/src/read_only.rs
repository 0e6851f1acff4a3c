//! What a read-only copy of a session is confined by: the Landlock ruleset and the seccomp program that the bash driver
//! applies in the copy, the limits that its host sets, and the folder for temporary files that is all it can write to.
//!
//! Which rights those are stands in `landlock`, `devices` and `seccomp`, which sandboxes have too. That they hold is proven
//! by attempts (`proof`). Who makes such copies, and when, is `session::driven::confined`'s of pi-shell. See docs/read-only.md.
#![cfg(target_os = "linux")]

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::sys::limits::{self, Bound, Bounded};
use pi_process::lock;
use pi_supervisor::landlock::Ruleset;
use pi_supervisor::remove_tree::open_folder;
use rustix::fs::Mode;

use super::devices::{View, rules_for_reading};
use super::kept_rules::KeptRules;
use super::{landlock, seccomp};

/// Name of the folder for temporary files, in the part of the session's folder that a sandbox lets it write to.
const TEMPORARY_NAME: &str = "read-only";

/// Most bytes of one file that a read-only command writes: its folder is in memory where it can be. More than readers write
/// down, which are here-documents and what `sort` puts aside; half of the memory is what `/dev/shm` gives away by default.
const FILE_SIZE_MAX: u64 = 1 << 30;

/// The limit of core dumps by which a crash starts no program. Where `core_pattern` names one, the kernel takes any limit
/// for none, also 0, but for this one (`coredump_pipe` in `fs/coredump.c`). A dump into a file needs a page at least.
const NO_DUMP: Bound = Bound { soft: 1, hard: 1 };

/// Why nothing can be confined on this system; `None`: as far as it says, it can.
pub fn missing() -> Option<String> {
    missing_with(crate::sys::landlock_version())
}

fn missing_with(version: i64) -> Option<String> {
    (version < landlock::OLDEST_FOR_READING).then(|| {
        "the kernel has no Landlock (Linux 5.13 or newer, with `landlock` in its `lsm=` list)"
            .to_owned()
    })
}

/// What this kernel cannot hold of a read-only copy, by name.
pub fn degraded() -> Vec<&'static str> {
    degraded_with(crate::sys::landlock_version())
}

/// Sockets are refused by the seccomp program whatever the version; of signals, one call has to be left
/// (`seccomp::calls::SIGNALLING`).
fn degraded_with(version: i64) -> Vec<&'static str> {
    if version >= landlock::WITH_SIGNALS { Vec::new() } else { vec!["signal"] }
}

/// What the read-only copies of one session are confined by.
#[derive(Debug)]
pub struct ReadOnly {
    version: i64,
    filter: Vec<u8>,
    temporary: PathBuf,
    /// The same folder: what is put in its place later has no rights by that.
    folder: OwnedFd,
    /// The ruleset of the last copy, for the next one.
    kept: Mutex<Option<KeptRules>>,
    /// What keeps the commands of a session apart from each other.
    apart: Option<Ruleset>,
}

impl ReadOnly {
    /// For a session whose shells can write to the folder `state`; made once a session.
    pub fn new(state: &Path) -> Result<Self, String> {
        if let Some(reason) = missing() {
            return Err(reason);
        }
        let version = crate::sys::landlock_version();
        let temporary = state.join(TEMPORARY_NAME);
        let failed = |error: io::Error| format!("`{}`: {error}", temporary.display());
        let folder = new_folder(&temporary).map_err(failed)?;
        let filter = seccomp::program(seccomp::Choices {
            internet: false,
            metadata: false,
            reading: Some(seccomp::Reading {
                signals: version < landlock::WITH_SIGNALS,
                truncation: version < landlock::WITH_TRUNCATION,
            }),
        });
        let apart = landlock::apart(version).map(|apart| Ruleset::new(&apart)).transpose();
        let apart = apart.map_err(|errno| format!("cannot make a Landlock ruleset: {errno}"))?;
        Ok(Self { version, filter, temporary, folder, kept: Mutex::default(), apart })
    }

    /// Where its copies put temporary files.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// The seccomp program.
    pub fn filter(&self) -> &[u8] {
        &self.filter
    }

    /// What this kernel does not hold.
    pub fn degraded(&self) -> Vec<&'static str> {
        degraded_with(self.version)
    }

    /// The ruleset of a copy of the process `pid`, which is in a sandbox or not: with the files as that process sees them,
    /// and as they are now.
    pub fn ruleset(&self, pid: i32, is_sandboxed: bool) -> io::Result<Arc<Ruleset>> {
        if is_sandboxed {
            return Ok(Arc::new(self.new_ruleset(&View::of(pid))?));
        }
        let mut kept = lock(&self.kept);
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_current()) {
            return Ok(kept.ruleset());
        }
        let made = KeptRules::new(|| self.new_ruleset(&View::own()))?;
        let ruleset = made.ruleset();
        *kept = Some(made).filter(KeptRules::is_worth_keeping);
        Ok(ruleset)
    }

    fn new_ruleset(&self, view: &View) -> io::Result<Ruleset> {
        let landlock = landlock::reading(self.version, &rules_for_reading(view));
        let ruleset = Ruleset::with_rules(&landlock, |path| view.open(path))?;
        ruleset.allow(self.folder.as_fd(), landlock::ALL)?;
        Ok(ruleset)
    }

    /// The ruleset that keeps a command's signals from the commands beside it. `None`: the kernel has no such rules.
    pub fn apart(&self) -> Option<BorrowedFd<'_>> {
        self.apart.as_ref().map(Ruleset::descriptor)
    }
}

/// Bounds what the read-only copy `pid` and all that it starts can use up. They are hard limits, which only
/// `CAP_SYS_RESOURCE` raises, and such a copy has no capabilities.
pub fn bound(pid: i32) -> io::Result<()> {
    let Bound { soft, hard } = limits::bound_of(pid, Bounded::FileSize)?;
    let hard = hard.min(FILE_SIZE_MAX);
    limits::set_bound(pid, Bounded::FileSize, Bound { soft: soft.min(hard), hard })?;
    let answer = limits::set_bound(pid, Bounded::CoreSize, NO_DUMP);
    // Where the host itself has no more than 0, it cannot give 1.
    let has_none = limits::bound_of(pid, Bounded::CoreSize)?.hard == 0;
    if has_none { Ok(()) } else { answer }
}

/// A folder that was not there before. Whatever a command of the session may have put in its way is an error: rights
/// would be given to what that leads to.
fn new_folder(path: &Path) -> io::Result<OwnedFd> {
    rustix::fs::mkdir(path, Mode::RWXU)?;
    let folder = open_folder(rustix::fs::CWD, path)?;
    // What was moved there between the two calls has something in it.
    let is_empty = std::fs::read_dir(path)?.next().is_none();
    if is_empty { Ok(folder) } else { Err(io::ErrorKind::DirectoryNotEmpty.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_put_in_the_way_is_given_no_rights() {
        let state = tempfile::tempdir().unwrap();
        let victim = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(victim.path(), state.path().join(TEMPORARY_NAME)).unwrap();

        assert!(new_folder(&state.path().join(TEMPORARY_NAME)).is_err());
    }

    #[test]
    fn a_host_without_core_dumps_bounds_its_copies_and_has_none_in_them() {
        use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let pid = child.id().cast_signed();
        let none = Bound { soft: 0, hard: 0 };
        limits::set_bound(pid, Bounded::CoreSize, none).unwrap();

        // A thread that is not root's in this: no one else could raise the limit.
        let bounded = std::thread::spawn(move || {
            let mut sets = capabilities(None)?;
            sets.effective.remove(CapabilitySet::SYS_RESOURCE);
            set_capabilities(None, sets)?;
            bound(pid)
        });
        let bounded = bounded.join().unwrap();
        let limits = [Bounded::CoreSize, Bounded::FileSize].map(|what| limits::bound_of(pid, what));
        child.kill().unwrap();
        child.wait().unwrap();

        bounded.unwrap();
        let [core, file] = limits.map(Result::unwrap);
        assert_eq!(core, none);
        assert!(file.soft <= FILE_SIZE_MAX && file.hard <= FILE_SIZE_MAX, "{file:?}");
    }

    #[test]
    fn an_older_kernel_says_what_it_does_not_hold() {
        assert_eq!(degraded_with(1), ["signal"]);
        assert_eq!(degraded_with(5), ["signal"]);
        assert!(degraded_with(6).is_empty());
        assert!(missing_with(0).is_some_and(|reason| reason.contains("Linux 5.13")));
        assert_eq!([1, 2].map(missing_with), [None, None]);
        let state = tempfile::tempdir().unwrap();
        let mut means = ReadOnly::new(state.path()).unwrap();
        assert_eq!(means.degraded(), degraded_with(crate::sys::landlock_version()));
        assert_eq!(means.degraded(), degraded());
        means.version = landlock::WITH_SIGNALS - 1;
        assert_eq!(means.degraded(), ["signal"]);
    }
}
