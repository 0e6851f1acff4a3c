//! Copies of a session: a command run at once in a fork of the standby, beside whatever the
//! session itself does. What the command changes in the shell is dropped with the copy. The texts of
//! copies with a process id of their own stand in `own_pid`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::MutexGuard;

use super::descriptors::Descriptors;
use super::follow::{Ending, Follow, Report, StopReason};
use super::orders;
use super::output_pipe::OutputPipe;
use super::own_pid;
use super::protocol::{self, RunMessage};
use super::runner::{CopyReport, CopyShell, Runner};
use super::shared::Shared;
use super::standby::Standby;
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::job::{Clock, Job};
use crate::outcome::{ExitOutcome, RunResult};
use crate::script::SavedState;
use crate::stop::{ShellTarget, StopPlan};
use crate::sys::signals::KILL;
use crate::tree;
use crate::validate;

/// Time that a session may take to have a standby: it is made in a millisecond after each command.
const STANDBY_LIMIT: Duration = Duration::from_secs(5);

/// Time that is waited for the newest standby before an older one serves (`ulimit -u` may keep
/// the newest from being forked).
const FRESH_LIMIT: Duration = Duration::from_millis(500);

/// How often a standby is looked for while there is none.
const STANDBY_LOOK_INTERVAL: Duration = Duration::from_millis(1);

/// Time that a copy may take to answer.
const BIRTH_LIMIT: Duration = Duration::from_secs(5);

/// Runs a command in a copy. `cwd` is where the session is.
pub(super) async fn run(
    shared: &Arc<Shared>,
    job: &Job,
    cwd: &Path,
) -> Result<RunResult, ShellError> {
    let directory = match &job.options.cwd {
        Some(wanted) => Some(validate::check_directory(wanted, cwd)?),
        None => None,
    };
    let mut output = shared.make_output()?;
    let report = CopyReport::open(shared.make_fifo('r')?)
        .map_err(|source| ShellError::System { attempt: "open a FIFO for answers", source })?;
    let mut delivery = Delivery::new(Arc::clone(&job.observer), job.options.sink.clone());
    let token = shared.new_token();
    let message = RunMessage {
        token: &token,
        command: &job.options.command,
        // Written where it is known what becomes of the command's text.
        command_file: None,
        cwd: directory.as_deref(),
        env: &job.options.env,
        // Dropped with the copy in any case.
        posix: false,
        // The standby does not tell.
        exports_all: true,
        previous_status: shared.status(),
        output: output.path(),
        descriptors: Descriptors::low(),
        does_more: true,
        standby: None,
        traps: shared.traps(),
    };
    let before = shared.limits.mark();
    let clock = Clock::start(job.options.timeout);
    let (mut copy, files) = start(shared, &message, report).await?;
    let identity = copy.identity;
    let shared_by_plan = Arc::clone(shared);
    let plan = move || StopPlan {
        supervisor: shared_by_plan.supervisor.pid(),
        shell: ShellTarget::Copy(identity),
        is_beside: true,
        spared: {
            let shared = Arc::clone(&shared_by_plan);
            Arc::new(move || shared.not_of_a_copy())
        },
        report: shared_by_plan.main().1,
        older: shared_by_plan.survivors.living(),
    };
    let ending = Follow {
        runner: Runner::Copy(&mut copy),
        output: &mut output,
        delivery: &mut delivery,
        births: None,
        supervisor: &shared.supervisor,
        token: &token,
        last_words: None,
        plan: &plan,
        deadline: clock.deadline(),
        cancel: &job.cancel,
    }
    .complete()
    .await;
    orders::remove(files);
    let mut result = conclude(shared, job, ending, cwd, &clock, output, delivery).await?;
    result.limits_met = shared.limits.met(before, result.outcome);
    Ok(result)
}

/// Has the standby fork the copy. Returns it with the files that its order goes through.
async fn start(
    shared: &Shared,
    message: &RunMessage<'_>,
    mut report: CopyReport,
) -> Result<(CopyShell, Vec<PathBuf>), ShellError> {
    let failed = |source| ShellError::System { attempt: "copy the session", source };
    let mut files = Vec::new();
    let born = async {
        // Locked until the copy answers.
        let slot = fresh_slot(shared).await;
        let standby = slot.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        let text = if shared.needs_own_pid(message.command) {
            let state = state_of(shared, standby, &mut report).await?;
            let made = own_pid::prepare(shared, &shared.spec.shell, &state, message)?;
            files.extend(made.files);
            message.fork_text(&made.body, report.path())
        } else {
            let serial = shared.next_serial();
            let file = orders::command_file(&shared.folder, serial, message.command)?;
            files.extend(file.clone());
            RunMessage { command_file: file.as_deref(), ..*message }.clone_text(report.path())
        };
        let (order, file) = orders::order_text(&shared.folder, shared.next_serial(), &text)?;
        files.extend(file);
        standby.send(&order)?;
        let pid = shared.supervisor.own_pid_of(report.born(message.token).await?);
        shared.machinery.insert(pid);
        tree::identity_of(pid).ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    };
    match tokio::time::timeout(STANDBY_LIMIT + BIRTH_LIMIT, born).await {
        Ok(Ok(identity)) => Ok((CopyShell { identity, report }, files)),
        other => {
            orders::remove(files);
            Err(failed(match other {
                Ok(Err(source)) => source,
                _ => io::ErrorKind::TimedOut.into(),
            }))
        }
    }
}

/// Waits for the newest standby, a while; then takes the one that there is.
async fn fresh_slot(shared: &Shared) -> MutexGuard<'_, Option<Standby>> {
    let patience = tokio::time::Instant::now() + FRESH_LIMIT;
    loop {
        let slot = shared.slot.lock().await;
        let fresh = shared.current_standby();
        let hurried = tokio::time::Instant::now() > patience;
        let serves = |one: &Standby| one.is_alive() && (hurried || one.is_at_least(fresh));
        if slot.as_ref().is_some_and(serves) {
            return slot;
        }
        drop(slot);
        tokio::time::sleep(STANDBY_LOOK_INTERVAL).await;
    }
}

/// The session's state as of the last finished command, bounded.
pub(super) async fn state_of_session(
    shared: &Shared,
    report: &mut CopyReport,
) -> io::Result<SavedState> {
    let told = async {
        // Locked until it has answered.
        let slot = fresh_slot(shared).await;
        let standby = slot.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        state_of(shared, standby, report).await
    };
    tokio::time::timeout(STANDBY_LIMIT, told)
        .await
        .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// The standby's state, as it tells it.
async fn state_of(
    shared: &Shared,
    standby: &Standby,
    report: &mut CopyReport,
) -> io::Result<SavedState> {
    let file = shared.folder.state().join(format!("d{}", shared.next_serial()));
    let token = shared.new_token();
    let order = protocol::dump_text(shared.folder.path(), &file, &token, Some(report.path()));
    standby.send(&order)?;
    report.dumped(&token).await?;
    let state = SavedState::read(&file);
    orders::remove([file]);
    state.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

async fn conclude(
    shared: &Shared,
    job: &Job,
    ending: Ending,
    cwd: &Path,
    clock: &Clock,
    output: OutputPipe,
    delivery: Delivery,
) -> Result<RunResult, ShellError> {
    let wall_time = clock.elapsed();
    let outcome = match ending {
        Ending::Reported(Report { cwd_failed: true, .. }) => {
            let path = cwd.join(job.options.cwd.clone().unwrap_or_default());
            return Err(ShellError::MissingWorkingDirectory { path });
        }
        Ending::Reported(Report { status, .. }) => {
            ExitOutcome::Exited { code: u8::try_from(status & 0xff).unwrap_or(u8::MAX) }
        }
        // The status of a process that is not our child is not told.
        Ending::Died { .. } | Ending::Lost { .. } | Ending::Refused { .. } => {
            ExitOutcome::Signaled { signal: KILL }
        }
        Ending::Stopped { reason: StopReason::TimedOut, .. } => ExitOutcome::TimedOut,
        Ending::Stopped { reason: StopReason::Cancelled, .. } => ExitOutcome::Cancelled,
    };
    let survivors = shared.account_for_survivors_of_copy().await;
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
        limits_met: Vec::new(),
    })
}
