//! Copies of a session: a command run at once in a fork of the standby, beside whatever the session itself does. What
//! the command changes in the shell is dropped with the copy.

use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pi_process::stop::{ShellTarget, StopPlan};
use pi_process::supervisor::Child;
use pi_process::{ResourceUsage, budget};

use super::follow::{Ending, Follow};
use super::protocol::RunOrder;
use super::run::outcome_of;
use super::shell::{DrivenShell, Running};
use super::standby::Shared;
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::job::Job;
use crate::outcome::{ReadOnlyReport, RunResult};
use crate::session::ground::ReportId;
use crate::session::output_pipe::OutputPipe;
use crate::session::unanswered::Waits;
use crate::validate;

/// What came of a command in a copy.
pub(in crate::session) struct CopyEnd {
    pub(in crate::session) result: RunResult,
    /// Where the copy was when it ended by itself.
    pub(in crate::session) left_in: Option<PathBuf>,
}

/// Runs a command in a copy. `cwd` is where the session is.
pub(in crate::session) async fn run(
    shared: &Arc<Shared>,
    job: &Job,
    cwd: &Path,
) -> Result<CopyEnd, ShellError> {
    let directory = match &job.options.cwd {
        Some(wanted) => Some(validate::check_directory(wanted, cwd)?),
        None => None,
    };
    let failed = |attempt| move |source| ShellError::system(attempt, source);
    let mut output = OutputPipe::anonymous().map_err(failed("make a pipe for output"))?;
    let mut delivery = Delivery::new(Arc::clone(&job.observer), Some(&job.options));
    if job.options.read_only {
        shared.ready_for_read_only().await?;
    }
    let before = shared.limits.mark();
    let clock = job.begin();
    shared.faults.note_company();
    let (mut copy, mut read_only) = copy_of(shared, job.options.read_only).await?;
    let order = RunOrder {
        command: &job.options.command,
        cwd: directory.as_deref(),
        env: &job.options.env,
        status: Some(shared.status()),
        own_pid: true,
        has_errors: true,
        measured: job.options.usage,
    };
    let writer = output.writer().map_err(failed("give a copy a command"))?;
    let errors = output.open_again().map_err(failed("give a copy a command"))?;
    let sequence =
        copy.run(&order, writer, Some(errors.as_fd())).map_err(failed("give a copy a command"))?;
    drop(errors);
    let report = copy.report_id();
    let running = Running::new(&mut copy, sequence);
    let plan = plan_of(shared, ShellTarget::Driven(running.target()), report);
    let mut waits = Waits::new(job.options.on_input_wait);
    let ending = Follow {
        running,
        output: &mut output,
        // Its pipe serves no other command.
        opens_nothing: false,
        delivery: &mut delivery,
        supervisor: &shared.supervisor,
        plan: &plan,
        deadline: clock.deadline(),
        cancel: &job.cancel,
        waits: &mut waits,
    }
    .complete()
    .await;
    shared.faults.note_end(copy.child(), false);
    let child = copy.child().clone();
    copy.end().await;
    let usage = if job.options.usage { usage_of(&ending, &child).await } else { None };
    if let Ending::Refused { errno } = ending {
        let path = directory.unwrap_or_else(|| cwd.to_path_buf());
        return Err(ShellError::of_directory(path, io::Error::from_raw_os_error(errno)));
    }
    let left_in = left_in(&ending, read_only.as_mut());
    let outcome = outcome_of(&ending);
    let patience = budget::settle_limit(outcome.is_stop());
    let wall_time = clock.elapsed();
    let survivors = shared.account_for_survivors_of_copy(patience).await;
    let (summary, _idle) = shared.late.put_away(output, delivery, !survivors.is_empty());
    let result = RunResult {
        outcome,
        working_dir: Some(cwd.to_path_buf()),
        session_reset: false,
        survivors,
        wall_time,
        output: summary,
        sandbox: shared.sandbox_report().await,
        lost_with_shell: Vec::new(),
        limits_met: shared.limits.met(before, outcome),
        read_only,
        input_wanted: waits.into_seen(),
        usage,
    };
    Ok(CopyEnd { result, left_in })
}

/// What a copy's only command used: as it reported, or as the kernel counted where the command took its place (`exec`).
async fn usage_of(ending: &Ending, copy: &Child) -> Option<ResourceUsage> {
    match ending.report() {
        Some(report) => Some(report.usage),
        None => copy.usage().await,
    }
}

/// Where a copy was that ended by itself; whether it dropped state goes into its report.
fn left_in(ending: &Ending, read_only: Option<&mut ReadOnlyReport>) -> Option<PathBuf> {
    let Ending::Reported(ended) = ending else { return None };
    if let Some(report) = read_only {
        report.state_dropped = ended.dropped_state;
    }
    Some(ended.cwd.clone()).filter(|cwd| cwd.is_absolute())
}

/// A copy for one command, and what a read-only one is kept from.
async fn copy_of(
    shared: &Shared,
    is_read_only: bool,
) -> Result<(DrivenShell, Option<ReadOnlyReport>), ShellError> {
    if !is_read_only {
        return Ok((shared.copy().await?, None));
    }
    let (copy, degraded) = shared.read_only_copy().await?;
    Ok((copy, Some(ReadOnlyReport { degraded, ..ReadOnlyReport::default() })))
}

/// Whom a stop of a copy's command is about.
fn plan_of(
    shared: &Arc<Shared>,
    target: ShellTarget,
    report: ReportId,
) -> impl Fn() -> StopPlan + Send + Sync + 'static {
    let shared = Arc::clone(shared);
    move || StopPlan {
        supervisor: shared.supervisor.pid(),
        shell: target.clone(),
        is_beside: true,
        spared: {
            let shared = Arc::clone(&shared);
            Arc::new(move || shared.not_of_a_copy())
        },
        report,
        older: shared.survivors.living(),
    }
}
