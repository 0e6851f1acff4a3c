//! Spare shells: booted beforehand, so that a new session or one-shot waits for no start.
//!
//! A spare is neutral: it differs from a fresh bash in nothing but its age. Sessions with another
//! shell, base environment or limits than the spare's start their own.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

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

/// A booted shell in the root directory: a spare where one fits, else a new one.
pub(super) async fn take(
    executable: &Path,
    spec: &LaunchSpec,
) -> Result<(Ground, DrivenShell), ShellError> {
    let taken = match take_spare(executable, spec) {
        Some(spare) => spare,
        None => boot(executable, spec).await?,
    };
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

/// Boots the next spare in the background. Failing is no matter: the next session boots its own.
fn replenish(executable: PathBuf, spec: LaunchSpec) {
    drop(tokio::spawn(async move {
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
