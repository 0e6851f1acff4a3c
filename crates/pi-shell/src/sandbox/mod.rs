//! Sandboxes: what commands of a session can reach, and how that is held.
//!
//! # Theory of operation
//! The whole session is inside: its supervisor gives rights up before it starts anything, so every
//! bash of the session, also one that replaces another, has the same ones. `open` chooses the first
//! backend that works and proves it by attempts that must fail (`probe`); `enclose` says how one
//! session's supervisor is started (`bwrap` around it, or nothing) and what it then gives up itself
//! (Landlock, capabilities, seccomp).
//!
//! | backend | files, processes, network | and, on top |
//! |---|---|---|
//! | bubblewrap | namespaces and mounts that `bwrap` makes | Landlock, seccomp |
//! | landlock | Landlock; namespaces and mounts of our own where they can be had | seccomp |
//! | seatbelt | a profile of macOS | |
//!
//! What may run at all is not decided here. See docs/sandbox.md.
#![cfg(unix)]

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod devices;
mod egress;
mod enclosure;
#[cfg(target_os = "linux")]
mod kept_rules;
#[cfg(target_os = "linux")]
mod landlock;
mod layout;
mod plants;
mod probe;
#[cfg(target_os = "linux")]
pub(crate) mod proof;
#[cfg(target_os = "linux")]
pub(crate) mod read_only;
#[cfg(any(test, not(target_os = "linux")))]
mod seatbelt;
#[cfg(target_os = "linux")]
mod seccomp;
mod stubs;
mod technique;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pi_proxy::Refusals;

pub(crate) use self::egress::Egress;
pub(crate) use self::enclosure::{Enclosure, SessionPaths};
use self::plants::Found;
pub(crate) use self::plants::Plants;
pub(crate) use self::stubs::Stubs;
pub(crate) use self::technique::offered_backends;
use self::technique::{Technique, backends_of, techniques};
pub(crate) use crate::confinement::{
    SandboxBackend, SandboxMode, SandboxNetwork, SandboxOptions, SandboxReport,
};
use crate::error::ShellError;
use crate::locked::lock;
use crate::turn::Turn;

/// Results of probes that are kept: an agent has one or two configurations.
const MAX_REMEMBERED: usize = 64;

/// A sandbox that was proven to hold.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sandbox {
    options: SandboxOptions,
    report: SandboxReport,
    technique: Technique,
}

/// Whose turn it is to prove one.
static TURN: Turn = Turn::new();

static PROVEN: Mutex<Vec<(PathBuf, Arc<Sandbox>)>> = Mutex::new(Vec::new());

impl Sandbox {
    /// The sandbox for these options: proven now, or earlier in this process's life.
    ///
    /// # Errors
    /// [`ShellError::SandboxUnavailable`] with what each backend lacks, and the remedy.
    pub(crate) async fn open(
        options: &SandboxOptions,
        executable: &Path,
    ) -> Result<Arc<Self>, ShellError> {
        // Sessions that begin together have the same sandbox, mostly.
        TURN.known_or(
            || remembered(options, executable),
            async || Self::find(options, executable).await,
        )
        .await
    }

    /// The first that can be proven.
    async fn find(options: &SandboxOptions, executable: &Path) -> Result<Arc<Self>, ShellError> {
        let mut reasons = Vec::new();
        for backend in backends_of(options) {
            match prove(options, backend, executable).await {
                Ok(sandbox) => {
                    let sandbox = Arc::new(sandbox);
                    remember(executable, &sandbox);
                    return Ok(sandbox);
                }
                Err(reason) => reasons.push(format!("{}: {reason}", backend.name())),
            }
        }
        if reasons.is_empty() {
            reasons.push("this system has no backend".to_owned());
        }
        Err(ShellError::SandboxUnavailable {
            mode: options.mode.name(),
            reason: reasons.join("; "),
        })
    }

    /// What commands in it are reported to have run in.
    pub(crate) fn report(&self) -> &SandboxReport {
        &self.report
    }
}

impl SandboxReport {
    /// With what was refused since the last look.
    pub(crate) fn with_refused(self, refusals: Option<&Refusals>) -> Self {
        Self { refused: refusals.map(Refusals::take).unwrap_or_default(), ..self }
    }

    /// With what came since the last look.
    pub(crate) async fn with_plants(self, plants: Option<Plants>) -> Self {
        let Some(plants) = plants else { return self };
        let look = tokio::task::spawn_blocking(move || plants.look()).await;
        // It did not end as it should: nothing is known, and that is what is reported.
        let found = look.unwrap_or(Found { plants: Vec::new(), is_partial: true });
        Self { planted: found.plants, partly_searched: found.is_partial, ..self }
    }
}

fn remembered(options: &SandboxOptions, executable: &Path) -> Option<Arc<Sandbox>> {
    let proven = lock(&PROVEN);
    proven
        .iter()
        .find(|(known, sandbox)| known == executable && sandbox.options == *options)
        .map(|(_, sandbox)| Arc::clone(sandbox))
}

fn remember(executable: &Path, sandbox: &Arc<Sandbox>) {
    let mut proven = lock(&PROVEN);
    if proven.len() >= MAX_REMEMBERED {
        proven.remove(0);
    }
    proven.push((executable.to_path_buf(), Arc::clone(sandbox)));
}

/// A sandbox of this backend, proven by attempts that must fail.
async fn prove(
    options: &SandboxOptions,
    backend: SandboxBackend,
    executable: &Path,
) -> Result<Sandbox, String> {
    let mut last = String::new();
    for technique in techniques(backend, options)? {
        let report = SandboxReport {
            mode: options.mode,
            backend,
            network: options.network.clone(),
            refused: Vec::new(),
            degraded: technique.lacks(options.mode),
            planted: Vec::new(),
            partly_searched: false,
        };
        let mut sandbox = Sandbox { options: options.clone(), report, technique };
        match probe::attempts_that_succeed(&sandbox, executable).await {
            Ok(possible) => {
                let degraded = judge(possible, options)?;
                sandbox.report.degraded.extend(degraded);
                let degraded = sandbox.report.degraded.join(", ");
                if degraded.is_empty() || options.allow_degraded {
                    return Ok(sandbox);
                }
                last = format!("does not contain: {degraded}; `allowDegraded` accepts that");
            }
            Err(reason) => last = reason,
        }
    }
    if matches!(options.network, SandboxNetwork::Rules(_)) && backend == SandboxBackend::Landlock {
        last.push_str("; rules for the network need a network namespace");
    }
    Err(last)
}

/// Whether what was possible can be accepted at all; returns what of it is a shortcoming.
fn judge(possible: Vec<String>, options: &SandboxOptions) -> Result<Vec<String>, String> {
    let mut degraded = Vec::new();
    for name in possible {
        match name.as_str() {
            "network" if options.network.is_host() => {}
            // An older Landlock cannot refuse these.
            "signal" | "unix-socket" => degraded.push(name),
            _ => return Err(format!("does not hold here: `{name}` was possible")),
        }
    }
    Ok(degraded)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn options(network: SandboxNetwork) -> SandboxOptions {
        SandboxOptions {
            mode: SandboxMode::ReadOnly,
            network,
            backend: None,
            writable_paths: Vec::new(),
            protected_paths: Vec::new(),
            hidden_paths: Vec::new(),
            allow_degraded: false,
        }
    }

    #[test]
    fn what_an_older_kernel_cannot_refuse_is_a_shortcoming_and_anything_else_is_a_failure() {
        let judged = |network, possible: &[&str]| {
            judge(possible.iter().map(|name| (*name).to_owned()).collect(), &options(network))
        };
        assert_eq!(judged(SandboxNetwork::None, &[]), Ok(Vec::new()));
        assert_eq!(judged(SandboxNetwork::Host, &["network"]), Ok(Vec::new()));
        let lacks = vec!["signal".to_owned(), "unix-socket".to_owned()];
        assert_eq!(judged(SandboxNetwork::None, &["signal", "unix-socket"]), Ok(lacks));
        for name in ["network", "write"] {
            let reason = judged(SandboxNetwork::None, &["signal", name]).unwrap_err();
            assert_eq!(reason, format!("does not hold here: `{name}` was possible"));
        }
    }

    #[tokio::test]
    async fn a_proof_that_cannot_be_made_fails_and_rules_say_what_they_need() {
        let missing = Path::new("/no/such/supervisor");
        for (backend, names_namespaces) in
            [(SandboxBackend::Landlock, true), (SandboxBackend::Bubblewrap, false)]
        {
            // A machine without it, where nothing was tried.
            if techniques(backend, &options(SandboxNetwork::None)).is_err() {
                continue;
            }
            let rules = pi_proxy::Rules::parse(&["a.example".to_owned()]).unwrap();
            for (network, has_rules) in
                [(SandboxNetwork::None, false), (SandboxNetwork::Rules(rules), true)]
            {
                let reason = prove(&options(network), backend, missing).await.unwrap_err();
                let is_named = reason.ends_with("; rules for the network need a network namespace");
                assert_eq!(is_named, has_rules && names_namespaces, "{reason}");
            }
        }
    }

    fn report(mode: SandboxMode) -> SandboxReport {
        SandboxReport {
            mode,
            backend: SandboxBackend::Landlock,
            network: SandboxNetwork::None,
            refused: Vec::new(),
            degraded: Vec::new(),
            planted: Vec::new(),
            partly_searched: false,
        }
    }

    #[tokio::test]
    async fn a_report_without_a_watch_or_a_proxy_has_neither_s_findings() {
        let report =
            SandboxReport { degraded: vec!["signal".to_owned()], ..report(SandboxMode::ReadOnly) };
        let same = report.clone().with_refused(None).with_plants(None).await;
        assert_eq!(same, report);
    }

    #[tokio::test]
    async fn a_report_says_what_was_planted_and_that_not_all_could_be_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let roots = [folder.path().canonicalize().unwrap()];
        let plants = Plants::new(&roots, &[], plants::Survey::of(&roots));
        std::fs::write(roots[0].join(".npmrc"), "x").unwrap();
        // More than one walk takes.
        (0..1_000).for_each(|number| {
            std::fs::create_dir(roots[0].join(number.to_string())).unwrap();
        });

        let found = report(SandboxMode::WorkspaceWrite).with_plants(Some(plants)).await;

        assert_eq!((found.planted.len(), found.partly_searched), (1, true));
    }

    #[test]
    fn proofs_are_remembered_by_options_and_supervisor_and_the_oldest_is_forgotten_first() {
        let sandbox = |number: usize| {
            let options = SandboxOptions {
                writable_paths: vec![PathBuf::from(format!("/remembered/{number}"))],
                ..options(SandboxNetwork::None)
            };
            let report = report(options.mode);
            let technique = Technique::Landlock { version: 6, namespaces: true };
            Arc::new(Sandbox { options, report, technique })
        };
        let own = Path::new("/supervisor/of/this/test");
        let first = sandbox(0);
        remember(own, &first);
        assert_eq!(remembered(&first.options, own), Some(Arc::clone(&first)));
        assert_eq!(remembered(&first.options, Path::new("/another")), None);
        assert_eq!(remembered(&sandbox(1).options, own), None);

        for number in 1..=MAX_REMEMBERED {
            remember(own, &sandbox(number));
        }
        assert_eq!(remembered(&first.options, own), None);
        assert_eq!(lock(&PROVEN).len(), MAX_REMEMBERED);
        lock(&PROVEN).retain(|(known, _)| known != own);
    }
}
