//! Ends everything on a terminal the way closing its window does: SIGHUP first.
//!
//! Editors save and shells pass the word on when they are hung up, which SIGTERM does not make
//! them do. What stays is given to the ladder of `stop`, SIGTERM and then SIGKILL.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use pi_process::budget::HANG_UP_GRACE;
use pi_process::spared::Spared;
use pi_process::stop::{self, ShellTarget, StopPlan};
use pi_process::supervisor::{Child, Supervisor};
use pi_process::sys::signals::{CONTINUE, STOP};
use pi_process::tree::{self, ProcessIdentity};
use rustix::process::Signal;
use tokio::time::Instant;

/// Pause between two looks at what is left.
const LOOK_INTERVAL: Duration = Duration::from_millis(4);

/// Ends `leader` and all that it started below `supervisor`.
///
/// Takes at most the grace and the ladder's own bound, 2.7 s together.
pub(super) async fn hang_up(supervisor: &Supervisor, leader: &Child) {
    let plan = StopPlan {
        supervisor: supervisor.pid(),
        shell: ShellTarget::Main(leader.clone()),
        is_beside: false,
        spared: Arc::new(Spared::default),
        report: None,
        older: HashSet::default(),
    };
    let targets: Vec<ProcessIdentity> = std::iter::once(leader.identity())
        .chain(plan.targets().into_iter().map(|entry| entry.identity))
        .collect();
    // All are stopped before one is signalled: a shell whose child dies first would go on with the
    // next command of its script.
    for signal in [STOP, Signal::HUP.as_raw(), CONTINUE] {
        for target in &targets {
            // One that is gone needs no signal.
            tree::signal(*target, signal).ok();
        }
    }
    let deadline = Instant::now() + HANG_UP_GRACE;
    while Instant::now() < deadline {
        if leader.exit_status().is_some() && plan.targets().is_empty() {
            break;
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
    // Looks again itself, also for what was born meanwhile.
    drop(stop::stop(&plan).await);
}
