//! Looks at a terminal while it is quiet, for an observer that wants to know who reads it.
//!
//! When to look, and what it means, is `pi_waiting`'s.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pi_waiting::{Look, Report, TerminalIdentity, Watch};
use tokio::task::JoinHandle;

use super::terminal::Terminal;

/// Looks of one terminal. One that is not wanted never has a report.
pub(super) struct Looking(Option<Wanted>);

struct Wanted {
    terminal: Arc<Terminal>,
    identity: TerminalIdentity,
    /// Everything on the terminal descends from it.
    root: i32,
    watch: Watch,
    /// Bytes typed so far.
    typed: Arc<AtomicU64>,
    /// A look that goes on, when it was begun, and what had been typed by then.
    look: Option<(Instant, u64, JoinHandle<Look>)>,
}

impl Looking {
    /// Looks at `terminal` and who is below `root`. `typed`: bytes typed, as they grow. Without an identity nothing is looked at.
    pub(super) fn new(
        terminal: &Arc<Terminal>,
        identity: Option<TerminalIdentity>,
        root: i32,
        typed: Arc<AtomicU64>,
    ) -> Self {
        Self(identity.map(|identity| Wanted {
            terminal: Arc::clone(terminal),
            identity,
            root,
            watch: Watch::new(Instant::now()),
            typed,
            look: None,
        }))
    }

    /// Something was written or typed.
    pub(super) fn stir(&mut self) {
        if let Some(wanted) = &mut self.0 {
            wanted.watch.stir(Instant::now());
            // What it sees is of before.
            wanted.look = None;
        }
    }

    /// Ends with the next report. Cancel-safe.
    pub(super) async fn report(&mut self) -> Report {
        let Some(wanted) = &mut self.0 else { return std::future::pending().await };
        loop {
            if let Some(report) = wanted.next().await {
                return report;
            }
        }
    }
}

impl Wanted {
    async fn next(&mut self) -> Option<Report> {
        let (began, typed, look) = match &mut self.look {
            Some(look) => look,
            none => {
                tokio::time::sleep_until(self.watch.due().into()).await;
                let (terminal, identity, root) =
                    (Arc::clone(&self.terminal), self.identity, self.root);
                let typed = self.typed.load(Ordering::Relaxed);
                let look = tokio::task::spawn_blocking(move || terminal.look(&identity, root));
                none.insert((Instant::now(), typed, look))
            }
        };
        let (began, typed) = (*began, *typed);
        let look = look.await;
        self.look = None;
        // A look that panicked saw nothing.
        let report = self.watch.seen(look.unwrap_or_default(), began)?;
        Some(Report { typed_bytes: typed, ..report })
    }
}
