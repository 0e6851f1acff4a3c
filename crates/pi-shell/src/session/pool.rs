//! Spare shells: booted beforehand, so that a new session or one-shot waits for no start.
//!
//! A spare is neutral: it differs from a fresh bash in nothing but its age. Sessions with another
//! shell, base environment or limits than the spare's start their own.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

#[cfg(target_os = "linux")]
use super::driven::{self, DrivenShell, LaunchError};
use super::launch::{self, LaunchSpec};
use super::limits::SessionLimits;
use crate::error::ShellError;
use crate::private_dir::{self, PrivateDir};
use crate::request::ShellOptions;
use crate::sandbox::{Egress, Enclosure, Sandbox, SessionPaths};
use crate::supervisor::Supervisor;

/// Spares kept. One serves sessions that start one after the other; each costs about 1 MB.
const MAX_SPARES: usize = 1;

/// A booted bash with all that a session owns.
pub(super) struct Spare {
    means: Means,
    shell: DrivenShell,
    spec: LaunchSpec,
    executable: PathBuf,
    /// The runtime that watches its pipes; of no use in another.
    runtime: tokio::runtime::Id,
}

/// What a session owns besides its shell.
pub(super) struct Means {
    pub(super) supervisor: Supervisor,
    /// The supervisor's program.
    pub(super) executable: PathBuf,
    pub(super) folder: PrivateDir,
    /// How it is enclosed, in a sandbox.
    pub(super) enclosure: Option<Enclosure>,
    /// Its proxy, where its network has rules.
    pub(super) egress: Option<Egress>,
    pub(super) limits: SessionLimits,
}

impl Means {
    async fn make(executable: &Path, spec: &LaunchSpec) -> Result<Self, ShellError> {
        let folder = PrivateDir::create()?;
        let limits = SessionLimits::make(spec.limits, folder.path())?;
        let enclosure = match &spec.sandbox {
            Some(sandbox) => Some(sandbox.enclose(&SessionPaths {
                executable,
                folder: folder.path(),
                state: &folder.state(),
                temporary: &folder.temporary(),
                visible: [vec![spec.shell.clone()], spec.visible.clone()].concat(),
                terminal: None,
            })?),
            None => None,
        };
        let surroundings = enclosure.as_ref().map(|enclosure| &enclosure.surroundings);
        let supervisor = Supervisor::launch(executable, surroundings).await?;
        let egress = match &spec.sandbox {
            Some(sandbox) => Egress::start(sandbox, &supervisor)?,
            None => None,
        };
        let executable = executable.to_path_buf();
        Ok(Self { supervisor, executable, folder, enclosure, egress, limits })
    }
}

impl Spare {
    /// What a session owns, and its shell.
    pub(super) fn into_parts(self) -> (Means, DrivenShell) {
        (self.means, self.shell)
    }

    fn fits(&self, executable: &Path, spec: &LaunchSpec) -> bool {
        self.spec == *spec
            && self.executable == executable
            && self.runtime == tokio::runtime::Handle::current().id()
    }
}

/// The supervisor's executable, and how shells of a session with these options are started.
pub(super) async fn spec_for(options: &ShellOptions) -> Result<(PathBuf, LaunchSpec), ShellError> {
    let cwd = crate::validate::first_directory(options.cwd.as_deref())?;
    let mut spec = launch::launch_spec(options, &cwd)?;
    let executable = options.supervisor.clone().unwrap_or_else(|| PathBuf::from("pi-supervisor"));
    if let Some(wanted) = &options.sandbox {
        spec.sandbox = Some(Sandbox::open(wanted, &executable).await?);
    }
    Ok((executable, spec))
}

/// What a session owns that keeps no shell.
pub(super) async fn means_for(options: &ShellOptions) -> Result<(Means, LaunchSpec), ShellError> {
    SWEPT.call_once(private_dir::sweep_stale);
    let (executable, spec) = spec_for(options).await?;
    Ok((Means::make(&executable, &spec).await?, spec))
}

/// Folders of dead hosts are looked for once in a process's life.
static SWEPT: Once = Once::new();

static SPARES: Mutex<Vec<Spare>> = Mutex::new(Vec::new());

/// A booted shell in the root directory: a spare where one fits, else a new one.
pub(super) async fn take(executable: &Path, spec: &LaunchSpec) -> Result<Spare, ShellError> {
    let spare = take_spare(executable, spec);
    let taken = match spare {
        Some(spare) => spare,
        None => boot(executable, spec).await?,
    };
    // A spare in a sandbox would hold stubs in the workspace for as long as this process lives.
    if spec.sandbox.is_none() {
        replenish(executable.to_path_buf(), spec.clone());
    }
    Ok(taken)
}

fn take_spare(executable: &Path, spec: &LaunchSpec) -> Option<Spare> {
    let mut spares = SPARES.lock().unwrap_or_else(PoisonError::into_inner);
    let at = spares.iter().position(|spare| spare.fits(executable, spec))?;
    let spare = spares.swap_remove(at);
    // Somebody may have killed it, or its folder may be gone.
    (spare.shell.child().exit_status().is_none() && spare.means.folder.path().is_dir())
        .then_some(spare)
}

async fn boot(executable: &Path, spec: &LaunchSpec) -> Result<Spare, ShellError> {
    let means = Means::make(executable, spec).await?;
    let driver = spec.driver.as_deref().unwrap_or_else(|| Path::new(""));
    let launched = driven::launch(&means.supervisor, spec, driver, &means.folder).await;
    let shell = launched.map_err(|error| match error {
        LaunchError::Failed(error) => error,
        LaunchError::Unfit(reason) => ShellError::NotKept { path: spec.shell.clone(), reason },
    })?;
    means.limits.add(shell.child().pid())?;
    Ok(Spare {
        means,
        shell,
        spec: spec.clone(),
        executable: executable.to_path_buf(),
        runtime: tokio::runtime::Handle::current().id(),
    })
}

/// Boots the next spare in the background. Failing is no matter: the next session boots its own.
fn replenish(executable: PathBuf, spec: LaunchSpec) {
    drop(tokio::spawn(async move {
        SWEPT.call_once(private_dir::sweep_stale);
        let wanted = || {
            let spares = SPARES.lock().unwrap_or_else(PoisonError::into_inner);
            !spares.iter().any(|spare| spare.fits(&executable, &spec))
        };
        if !wanted() {
            return;
        }
        if let Ok(spare) = boot(&executable, &spec).await {
            let mut spares = SPARES.lock().unwrap_or_else(PoisonError::into_inner);
            spares.push(spare);
            let surplus = spares.len().saturating_sub(MAX_SPARES);
            let dropped: Vec<Spare> = spares.drain(..surplus).collect();
            drop(spares);
            drop(dropped);
        }
    }));
}
