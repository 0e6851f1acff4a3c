//! A sandbox that holds, and what is said of it.

use pi_proxy::Refusals;

use super::plants::{Found, Plants};
use super::technique::Technique;
use crate::{SandboxOptions, SandboxReport};

/// A sandbox that was proven to hold.
#[derive(Debug, PartialEq, Eq)]
pub struct Sandbox {
    pub(crate) options: SandboxOptions,
    pub(crate) report: SandboxReport,
    pub(crate) technique: Technique,
}

impl Sandbox {
    /// What commands in it are reported to have run in.
    pub fn report(&self) -> &SandboxReport {
        &self.report
    }
}

impl SandboxReport {
    /// With what was refused since the last look.
    #[must_use]
    pub fn with_refused(self, refusals: Option<&Refusals>) -> Self {
        Self { refused: refusals.map(Refusals::take).unwrap_or_default(), ..self }
    }

    /// With what came since the last look.
    pub async fn with_plants(self, plants: Option<Plants>) -> Self {
        let Some(plants) = plants else { return self };
        let look = tokio::task::spawn_blocking(move || plants.look()).await;
        // It did not end as it should: nothing is known, and that is what is reported.
        let found = look.unwrap_or(Found { plants: Vec::new(), is_partial: true });
        Self { planted: found.plants, partly_searched: found.is_partial, ..self }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::plants::Survey;
    use crate::{SandboxBackend, SandboxMode, SandboxNetwork};

    fn report(mode: SandboxMode) -> SandboxReport {
        SandboxReport::new(mode, SandboxBackend::Landlock, SandboxNetwork::None)
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
        let plants = Plants::new(&roots, &[], Survey::of(&roots));
        std::fs::write(roots[0].join(".npmrc"), "x").unwrap();
        // More than one walk takes.
        (0..1_000).for_each(|number| {
            std::fs::create_dir(roots[0].join(number.to_string())).unwrap();
        });

        let found = report(SandboxMode::WorkspaceWrite).with_plants(Some(plants)).await;

        assert_eq!((found.planted.len(), found.partly_searched), (1, true));
    }
}
