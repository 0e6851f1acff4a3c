//! Spare shells: booted beforehand, so that a new session or one-shot waits for no start.
//!
//! A spare is neutral: it differs from a fresh bash in nothing but its age. Sessions with another
//! shell, base environment or limits than the spare's start their own.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use pi_process::{lock, private_dir};
use tokio::runtime;
use tokio::time::{Instant, sleep, timeout};

use super::driven::{self, DrivenShell, LaunchError};
use super::ground::Ground;
use super::launch::LaunchSpec;
use crate::error::ShellError;

/// A booted bash with all that a session stands on.
struct Spare {
    ground: Ground,
    shell: DrivenShell,
    /// The runtime that watches its pipes; of no use in another.
    runtime: runtime::Id,
}

impl Spare {
    fn fits(&self, executable: &Path, spec: &LaunchSpec) -> bool {
        let Self { ground, runtime, .. } = self;
        (&ground.spec, ground.executable.as_path(), *runtime)
            == (spec, executable, runtime::Handle::current().id())
    }
}

/// Longest wait for sessions that are starting before a spare is booted beside them.
const QUIET_LIMIT: Duration = Duration::from_secs(1);

/// How often it is looked for whether they are.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// Longest time that a spare may take, on a folder that does not answer: then the next session has another one booted.
const BOOT_LIMIT: Duration = Duration::from_secs(10);

/// One serves sessions that start one after the other. It costs about 1 MB.
static POOL: Mutex<Pool> =
    Mutex::new(Pool { spare: None, starting: 0, wanted: None, keepers: Vec::new() });

struct Pool {
    spare: Option<Spare>,
    /// Sessions that are booting shells of their own.
    starting: usize,
    /// What the newest session that a spare can serve began with.
    wanted: Option<(PathBuf, LaunchSpec)>,
    /// Runtimes on which a task sees to the next spare.
    keepers: Vec<runtime::Id>,
}

/// A session that boots a shell of its own, as long as this lives.
struct Starting;

impl Starting {
    fn begin() -> Self {
        lock(&POOL).starting += 1;
        Self
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        lock(&POOL).starting -= 1;
    }
}

/// The task of a runtime that sees to the next spare: one, however many sessions begin together. It used to be one for each
/// session, and hundreds of them booted dozens of spares, of which one was kept.
struct Keeper(Option<runtime::Id>);

impl Keeper {
    /// Where the runtime has none yet.
    fn appoint() -> Option<Self> {
        let runtime = runtime::Handle::current().id();
        let keepers = &mut lock(&POOL).keepers;
        let is_first = !keepers.contains(&runtime);
        is_first.then(|| {
            keepers.push(runtime);
            Self(Some(runtime))
        })
    }

    /// What a spare is missing for. None: there is one, and from here on whoever takes it appoints another keeper.
    fn missing(&mut self) -> Option<(PathBuf, LaunchSpec)> {
        let mut pool = lock(&POOL);
        let (executable, spec) = pool.wanted.clone()?;
        if pool.spare.as_ref().is_some_and(|spare| spare.fits(&executable, &spec)) {
            self.leave(&mut pool);
            return None;
        }
        Some((executable, spec))
    }

    fn leave(&mut self, pool: &mut Pool) {
        if let Some(runtime) = self.0.take() {
            pool.keepers.retain(|one| *one != runtime);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.leave(&mut lock(&POOL));
    }
}

/// A booted shell in the root directory: a spare where one fits, else a new one.
pub(super) async fn take(
    executable: &Path,
    spec: &LaunchSpec,
) -> Result<(Ground, DrivenShell), ShellError> {
    let taken = if let Some(spare) = take_spare(executable, spec) {
        spare
    } else {
        let _starting = Starting::begin();
        boot(executable, spec).await?
    };
    // A spare in a sandbox would hold stubs in the workspace for as long as this process lives.
    if spec.sandbox.is_none() {
        replenish(executable, spec);
    }
    Ok((taken.ground, taken.shell))
}

fn take_spare(executable: &Path, spec: &LaunchSpec) -> Option<Spare> {
    let spare = lock(&POOL).spare.take_if(|spare| spare.fits(executable, spec))?;
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
    let runtime = runtime::Handle::current().id();
    Ok(Spare { ground, shell, runtime })
}

/// Boots the next spare in the background, once no session is starting. A failure is harmless: the next session boots its
/// own shell.
fn replenish(executable: &Path, spec: &LaunchSpec) {
    lock(&POOL).wanted = Some((executable.to_path_buf(), spec.clone()));
    let Some(mut keeper) = Keeper::appoint() else { return };
    drop(tokio::spawn(async move {
        until_quiet().await;
        private_dir::sweep_stale();
        while let Some((executable, spec)) = keeper.missing() {
            let Ok(Ok(spare)) = timeout(BOOT_LIMIT, boot(&executable, &spec)).await else { return };
            // Dropped when it is unlocked again: a supervisor goes with it.
            let other = lock(&POOL).spare.replace(spare);
            drop(other);
        }
    }));
}

/// Waits until no session is starting, a while.
async fn until_quiet() {
    let end = Instant::now() + QUIET_LIMIT;
    while lock(&POOL).starting > 0 && Instant::now() < end {
        sleep(LOOK_INTERVAL).await;
    }
}
