//! Spare shells: booted beforehand, so that a new session or one-shot waits for no start.
//!
//! A spare is neutral: it differs from a fresh bash in nothing but its age. Sessions with another
//! shell, base environment or limits than the spare's start their own.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pi_process::lock;
use pi_process::private_dir;

use super::driven::{self, DrivenShell, LaunchError};
use super::ground::Ground;
use super::launch::LaunchSpec;
use crate::error::ShellError;

/// A booted bash with all that a session stands on.
struct Spare {
    ground: Ground,
    shell: DrivenShell,
    /// The runtime that watches its pipes; of no use in another.
    runtime: tokio::runtime::Id,
}

impl Spare {
    fn fits(&self, executable: &Path, spec: &LaunchSpec) -> bool {
        let Self { ground, runtime, .. } = self;
        (&ground.spec, ground.executable.as_path(), *runtime)
            == (spec, executable, tokio::runtime::Handle::current().id())
    }
}

/// One serves sessions that start one after the other. It costs about 1 MB.
static SPARE: Mutex<Option<Spare>> = Mutex::new(None);

/// Sessions that are starting, and spares that are being booted.
static STARTS: Starts = Starts { sessions: AtomicUsize::new(0), spares: AtomicUsize::new(0) };

/// What is being started. A spare is booted when no session is, and one at a time: two hundred sessions that began together
/// used to boot a hundred spares beside them, of which one was kept.
struct Starts {
    sessions: AtomicUsize,
    spares: AtomicUsize,
}

/// One of them, as long as it lives.
struct Start<'a>(&'a AtomicUsize);

impl Starts {
    /// A session begins to start.
    fn session(&self) -> Start<'_> {
        self.sessions.fetch_add(1, Ordering::SeqCst);
        Start(&self.sessions)
    }

    /// A spare may be booted now, and no other one meanwhile; `None`: this is not the time.
    fn spare(&self) -> Option<Start<'_>> {
        let is_quiet = self.sessions.load(Ordering::SeqCst) == 0;
        let is_first =
            || self.spares.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        (is_quiet && is_first()).then(|| Start(&self.spares))
    }
}

impl Drop for Start<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A booted shell in the root directory: a spare where one fits, else a new one.
pub(super) async fn take(
    executable: &Path,
    spec: &LaunchSpec,
) -> Result<(Ground, DrivenShell), ShellError> {
    let start = STARTS.session();
    let taken = match take_spare(executable, spec) {
        Some(spare) => spare,
        None => boot(executable, spec).await?,
    };
    drop(start);
    // A spare in a sandbox would hold stubs in the workspace for as long as this process lives.
    if spec.sandbox.is_none() {
        replenish(executable.to_path_buf(), spec.clone());
    }
    Ok((taken.ground, taken.shell))
}

fn take_spare(executable: &Path, spec: &LaunchSpec) -> Option<Spare> {
    let spare = lock(&SPARE).take_if(|spare| spare.fits(executable, spec))?;
    // Someone may have killed it, or its folder may be gone.
    (spare.shell.child().exit_status().is_none() && spare.ground.folder.path().is_dir())
        .then_some(spare)
}

async fn boot(executable: &Path, spec: &LaunchSpec) -> Result<Spare, ShellError> {
    let ground = Ground::make(executable, spec.clone()).await?;
    let driver = spec.driver.as_deref().unwrap_or_else(|| Path::new(""));
    let launched = driven::launch(&ground.supervisor, spec, driver, &ground.folder).await;
    let shell = launched.map_err(|error| match error {
        LaunchError::Failed(error) => error,
        LaunchError::Unfit(reason) => ShellError::NotKept { path: spec.shell.clone(), reason },
    })?;
    ground.limits.add(shell.child().pid())?;
    let runtime = tokio::runtime::Handle::current().id();
    Ok(Spare { ground, shell, runtime })
}

/// Boots the next spare in the background, unless sessions are starting: the last of them does. Failing is no matter: the
/// next session boots its own.
fn replenish(executable: PathBuf, spec: LaunchSpec) {
    let Some(start) = STARTS.spare() else { return };
    drop(tokio::spawn(async move {
        let _start = start;
        private_dir::sweep_stale();
        let has_one = || lock(&SPARE).as_ref().is_some_and(|spare| spare.fits(&executable, &spec));
        if !has_one()
            && let Ok(spare) = boot(&executable, &spec).await
        {
            // Dropped when it is unlocked again: a supervisor goes with it.
            let other = lock(&SPARE).replace(spare);
            drop(other);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spare_is_booted_behind_the_last_of_sessions_that_start_together_and_one_at_a_time() {
        let starts = Starts { sessions: AtomicUsize::new(0), spares: AtomicUsize::new(0) };
        let (one, other) = (starts.session(), starts.session());
        assert!(starts.spare().is_none());
        drop(one);
        assert!(starts.spare().is_none(), "another session is starting");
        drop(other);

        let spare = starts.spare().unwrap();
        assert!(starts.spare().is_none(), "one is being booted");
        drop(spare);
        assert!(starts.spare().is_some());
    }
}
