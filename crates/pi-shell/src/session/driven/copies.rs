//! Copies of a session: a command run at once in a fork of the standby, beside whatever the session itself does. What
//! the command changes in the shell is dropped with the copy.

use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;

use super::engine;
use super::follow::{Ending, Follow};
use super::protocol::RunOrder;
use super::run::outcome_of;
use super::shell::Running;
use super::standby::Shared;
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::job::{Clock, Job};
use crate::outcome::RunResult;
use crate::session::output_pipe::OutputPipe;
use crate::stop::{ShellTarget, StopPlan};
use crate::validate;

/// Runs a command in a copy. `cwd` is where the session is.
pub(in crate::session) async fn run(
    shared: &Arc<Shared>,
    job: &Job,
    cwd: &Path,
) -> Result<RunResult, ShellError> {
    let directory = match &job.options.cwd {
        Some(wanted) => Some(validate::check_directory(wanted, cwd)?),
        None => None,
    };
    let failed = |attempt| move |source| ShellError::System { attempt, source };
    let mut output = OutputPipe::anonymous().map_err(failed("make a pipe for output"))?;
    let mut delivery = Delivery::new(Arc::clone(&job.observer), Some(&job.options));
    let before = shared.limits.mark();
    let clock = Clock::start(job.options.timeout);
    let mut copy = shared.copy().await?;
    let order = RunOrder {
        command: &job.options.command,
        cwd: directory.as_deref(),
        env: &job.options.env,
        status: Some(shared.status()),
        own_pid: true,
        has_errors: true,
    };
    let writer = output.writer().map_err(failed("give a copy a command"))?;
    let errors = output.open_again().map_err(failed("give a copy a command"))?;
    let sequence =
        copy.run(&order, writer, Some(errors.as_fd())).map_err(failed("give a copy a command"))?;
    drop(errors);
    let report = copy.report_id();
    let running = Running::new(&mut copy, sequence);
    let (shared_by_plan, target) = (Arc::clone(shared), ShellTarget::Driven(running.target()));
    let plan = move || StopPlan {
        supervisor: shared_by_plan.supervisor.pid(),
        shell: target.clone(),
        is_beside: true,
        spared: {
            let shared = Arc::clone(&shared_by_plan);
            Arc::new(move || shared.not_of_a_copy())
        },
        report,
        older: shared_by_plan.survivors.living(),
    };
    let ending = Follow {
        running,
        output: &mut output,
        delivery: &mut delivery,
        supervisor: &shared.supervisor,
        plan: &plan,
        deadline: clock.deadline(),
        cancel: &job.cancel,
    }
    .complete()
    .await;
    copy.end().await;
    if let Ending::Refused { errno } = ending {
        let path = directory.unwrap_or_else(|| cwd.to_path_buf());
        return Err(engine::refused_directory(errno, path));
    }
    let (outcome, patience) = (outcome_of(&ending), ending.patience());
    let wall_time = clock.elapsed();
    let survivors = shared.account_for_survivors_of_copy(patience).await;
    let (summary, _idle) = shared.put_output_away(output, delivery, !survivors.is_empty());
    Ok(RunResult {
        outcome,
        working_dir: Some(cwd.to_path_buf()),
        session_reset: false,
        survivors,
        wall_time,
        output: summary,
        sandbox: shared.sandbox_report().await,
        lost_with_shell: Vec::new(),
        limits_met: shared.limits.met(before, outcome),
    })
}
