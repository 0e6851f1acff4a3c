//! Chooses a backend and proves it, once for each configuration of this process.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pi_process::{Turn, lock};

use super::probe;
use super::sandbox::Sandbox;
use super::technique::{backends_of, techniques};
use crate::{SandboxBackend, SandboxNetwork, SandboxOptions, SandboxReport, SandboxUnavailable};

/// Results of probes that are kept: an agent has one or two configurations.
const MAX_REMEMBERED: usize = 64;

/// Whose turn it is to prove one.
static TURN: Turn = Turn::new();

static PROVEN: Mutex<Vec<(PathBuf, Arc<Sandbox>)>> = Mutex::new(Vec::new());

impl Sandbox {
    /// The sandbox for these options: proven now, or earlier in this process's life.
    ///
    /// # Errors
    /// [`SandboxUnavailable`] with what each backend lacks, and the remedy.
    pub async fn open(
        options: &SandboxOptions,
        executable: &Path,
    ) -> Result<Arc<Self>, SandboxUnavailable> {
        // Sessions that begin together have the same sandbox, mostly.
        TURN.known_or(
            || remembered(options, executable),
            async || Self::find(options, executable).await,
        )
        .await
    }

    /// The first that can be proven.
    async fn find(
        options: &SandboxOptions,
        executable: &Path,
    ) -> Result<Arc<Self>, SandboxUnavailable> {
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
        Err(SandboxUnavailable { mode: options.mode.name(), reason: reasons.join("; ") })
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
            degraded: technique.lacks(options.mode),
            ..SandboxReport::new(options.mode, backend, options.network.clone())
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
    use crate::SandboxMode;
    use crate::technique::Technique;

    fn options(network: SandboxNetwork) -> SandboxOptions {
        SandboxOptions::new(SandboxMode::ReadOnly, network)
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

    #[test]
    fn proofs_are_remembered_by_options_and_supervisor_and_the_oldest_is_forgotten_first() {
        let sandbox = |number: usize| {
            let options = SandboxOptions {
                writable_paths: vec![PathBuf::from(format!("/remembered/{number}"))],
                ..options(SandboxNetwork::None)
            };
            let report =
                SandboxReport::new(options.mode, SandboxBackend::Landlock, SandboxNetwork::None);
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
