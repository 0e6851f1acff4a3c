//! One command in the session's own shell.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pi_output::OutputSummary;
use pi_process::stop::{ShellTarget, StopPlan};
use pi_process::supervisor::ChildExit;
use pi_process::{ProcessInfo, ResourceUsage, budget};

use super::engine::Engine;
use super::follow::{Ending, Follow};
use super::loss::Loss;
use super::protocol::{Ended, RunOrder};
use super::shell::Running;
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::inline;
use crate::job::{Clock, Job};
use crate::outcome::{ExitOutcome, InputWanted, RunResult};
use crate::session::effects;
use crate::session::output_pipe::OutputPipe;
use crate::session::unanswered::Waits;

/// What came of an attempt to run a command.
enum Attempt {
    Ended(Ending, Option<InputWanted>),
    /// Bash certainly did not start it.
    NotRun,
}

impl Engine {
    /// Readies the shell for a command; an error here means that nothing was run, and that this session's means are
    /// gone. `is_lost`: state was lost that no result has reported yet.
    pub(in crate::session) async fn prepare(&mut self, is_lost: bool) -> Result<(), ShellError> {
        self.is_lost |= is_lost;
        self.not_begun = true;
        self.make_ready().await?;
        self.not_begun = false;
        Ok(())
    }

    async fn make_ready(&mut self) -> Result<(), ShellError> {
        // One that lives takes its orders without any of that.
        if self.main.as_ref().is_some_and(super::DrivenShell::is_alive) {
            return Ok(());
        }
        inline::elsewhere().await;
        if self.shared.is_broken() {
            return Err(broken());
        }
        // It ended between two commands.
        self.is_lost |= self.ensure_main().await?.is_real("");
        Ok(())
    }

    /// Runs a command. The session goes on afterwards, with a new shell where needed.
    pub(in crate::session) async fn run(&mut self, job: &Job) -> Result<RunResult, ShellError> {
        let result = self.run_begun(job).await;
        // An error means that nothing was run.
        self.is_between = true;
        self.last_run = Instant::now();
        result
    }

    async fn run_begun(&mut self, job: &Job) -> Result<RunResult, ShellError> {
        // Whether it can be entered is the shell's to say: it may lie on a network's drive.
        let cwd = job.options.cwd.as_ref().map(|cwd| self.cwd.join(cwd));
        let before = self.shared.limits.mark();
        let clock = job.begin();
        let mut delivery = Delivery::new(Arc::clone(&job.observer), Some(&job.options));
        let mut output = self.take_output()?;
        if !self.is_plain(&job.options.command) {
            self.leave_standby();
        }
        self.is_between = false;
        let mut attempt =
            self.attempt(job, cwd.as_deref(), &clock, &mut output, &mut delivery).await?;
        // A second try in another shell runs it once. The standby may be as short of descriptors as the shell; a
        // fresh one is not.
        for is_fresh in [false, true] {
            if !matches!(attempt, Attempt::NotRun) {
                break;
            }
            self.not_begun = true;
            self.is_between = true;
            inline::elsewhere().await;
            if self.shared.is_broken() || !self.title.holds() {
                return Err(broken());
            }
            self.is_lost |= self.replace_main(is_fresh).await?.is_real("");
            output = self.take_output()?;
            self.not_begun = false;
            self.is_between = false;
            attempt = self.attempt(job, cwd.as_deref(), &clock, &mut output, &mut delivery).await?;
        }
        let Attempt::Ended(ending, input_wanted) = attempt else {
            self.main = None;
            return Err(broken());
        };
        let mut result = self.conclude(job, ending, &clock, output, delivery).await?;
        result.input_wanted = input_wanted;
        result.limits_met = self.shared.limits.met(before, result.outcome);
        Ok(result)
    }

    /// Whether a command certainly leaves the shell alive: plain builtins that are what their names say.
    fn is_plain(&self, command: &str) -> bool {
        !self.has_traps && !self.has_overrides && effects::keeps_shell(command)
    }

    /// Whether a command certainly opens nothing: a plain one that gives no name another meaning on its way.
    fn opens_nothing(&self, command: &str) -> bool {
        !command.contains("alias") && self.is_plain(command)
    }

    /// Another shell with the state of this one, or a fresh one.
    async fn replace_main(&mut self, is_fresh: bool) -> Result<Loss, ShellError> {
        if let Some(shell) = self.main.take() {
            let child = shell.child().clone();
            shell.end().await;
            self.shared.faults.note_end(&child, !self.has_traps);
        }
        if is_fresh {
            self.launch().await?;
            return Ok(Loss::Everything);
        }
        self.ensure_main().await
    }

    /// Gives the command to the shell and follows it.
    async fn attempt(
        &mut self,
        job: &Job,
        cwd: Option<&Path>,
        clock: &Clock,
        output: &mut OutputPipe,
        delivery: &mut Delivery,
    ) -> Result<Attempt, ShellError> {
        let options = &job.options;
        let is_plain = self.is_plain(&options.command);
        let opens_nothing = self.opens_nothing(&options.command);
        let Some(shell) = &mut self.main else { return Ok(Attempt::NotRun) };
        let order = RunOrder {
            command: &options.command,
            cwd,
            env: &options.env,
            status: self.status,
            measured: options.usage,
            ..RunOrder::default()
        };
        let failed = |source| ShellError::system("give bash a command", source);
        let writer = output.writer().map_err(failed)?;
        // What a program does to the one must not be done to the other; a plain builtin does nothing to either.
        let errors = if is_plain { None } else { Some(output.open_again().map_err(failed)?) };
        let sent = shell.run(&order, writer, errors.as_ref().map(OwnedFd::as_fd));
        // Whoever has it still holds the output.
        drop(errors);
        let sequence = match sent {
            Ok(sequence) => sequence,
            Err(error) if is_end(&error) => return Ok(Attempt::NotRun),
            Err(source) => return Err(failed(source)),
        };
        self.title.begin();
        let running = Running::new(shell, sequence);
        let target = ShellTarget::Driven(running.target());
        let (shared, title) = (Arc::clone(&self.shared), self.title.clone());
        let report = shared.main().1;
        let plan = move || StopPlan { report, ..shared.plan(target.clone(), !title.holds()) };
        let mut waits = Waits::new(options.on_input_wait);
        let ending = Follow {
            running,
            output,
            opens_nothing,
            delivery,
            supervisor: &self.shared.supervisor,
            plan: &plan,
            deadline: clock.deadline(),
            cancel: &job.cancel,
            waits: &mut waits,
        }
        .complete()
        .await;
        self.title.end();
        match ending {
            Ending::Died { unread: true, .. } | Ending::Refused { errno: libc::EMFILE } => {
                Ok(Attempt::NotRun)
            }
            Ending::Refused { errno } => {
                let source = io::Error::from_raw_os_error(errno);
                Err(match cwd {
                    Some(cwd) => ShellError::of_directory(cwd.to_path_buf(), source),
                    None => failed(source),
                })
            }
            ending => {
                self.status = None;
                Ok(Attempt::Ended(ending, waits.into_seen()))
            }
        }
    }

    /// Turns the end into the result and readies the session for the next command.
    async fn conclude(
        &mut self,
        job: &Job,
        ending: Ending,
        clock: &Clock,
        output: OutputPipe,
        delivery: Delivery,
    ) -> Result<RunResult, ShellError> {
        let wall_time = clock.elapsed();
        let usage = if job.options.usage { self.usage_of(&ending).await } else { None };
        self.has_run = true;
        let mut session_reset = std::mem::take(&mut self.is_lost);
        let (mut made_process, mut has_children) = (true, true);
        let mut may_change = true;
        let mut is_restricted = false;
        let outcome = outcome_of(&ending);
        let patience = budget::settle_limit(outcome.is_stop());
        let mut leaves_output = false;
        match ending {
            Ending::Reported(report) => {
                (made_process, has_children) = (report.made_process, report.has_children);
                may_change = report.has_traps || !report.kept_state;
                leaves_output = report.leaves_output(self.opens_nothing(&job.options.command));
                self.note_report(&report);
                is_restricted = report.options.contains('r');
            }
            Ending::Stopped { report: Some(report), .. } => self.note_report(&report),
            Ending::Died { .. } => {
                self.status = outcome.status();
                self.set_status(outcome.status().unwrap_or_default());
            }
            Ending::Stopped { report: None, .. } | Ending::Refused { .. } => {}
        }
        let (survivors, output) = if self.title.holds() {
            if is_restricted {
                // Nothing can undo it, and most commands are refused.
                if let Some(shell) = self.main.take() {
                    shell.end().await;
                }
                session_reset = true;
            }
            let mut survivors = Vec::new();
            if made_process && (has_children || !self.shared.has_only_its_own()) {
                inline::elsewhere().await;
                survivors = self.shared.account_for_survivors(patience).await;
            }
            let is_left = !survivors.is_empty();
            if is_left {
                self.shared.faults.note_company();
            }
            let output = self.put_output_away(output, delivery, leaves_output, is_left);
            session_reset |= self.ready_next(may_change).await.is_real(&job.options.command);
            (survivors, output)
        } else {
            self.leave_beside(output, delivery, patience).await
        };
        Ok(RunResult {
            outcome,
            working_dir: Some(self.cwd.clone()),
            session_reset,
            survivors,
            wall_time,
            output,
            sandbox: self.shared.sandbox_report().await,
            lost_with_shell: std::mem::take(&mut self.lost_with_shell),
            limits_met: Vec::new(),
            read_only: None,
            input_wanted: None,
            usage,
        })
    }

    /// What a command used: as its shell reported, or as the kernel counted for a shell that ran nothing else and has ended.
    async fn usage_of(&self, ending: &Ending) -> Option<ResourceUsage> {
        match (ending.report(), &self.main) {
            (Some(report), _) => Some(report.usage),
            (None, Some(shell)) if !self.has_run => shell.child().usage().await,
            _ => None,
        }
    }

    /// Readies the session for the next command, after one that `may_change` its state. Returns what was lost.
    async fn ready_next(&mut self, may_change: bool) -> Loss {
        if !self.keeps_session {
            self.note_end(false);
            return Loss::Nothing;
        }
        if !self.main.as_ref().is_some_and(super::DrivenShell::is_alive) {
            // Where none can be had, the next command tries again, with nothing of what there was.
            return self.ensure_main().await.unwrap_or(Loss::Everything);
        }
        if may_change {
            self.shared.note_change();
        }
        Loss::Nothing
    }

    fn note_report(&mut self, report: &Ended) {
        self.set_status(report.status);
        self.note_cwd(&report.cwd);
        self.note_surprises(report);
    }

    /// Ends the command's output, which `is_left` where nothing has it any more, and keeps what a next one can use.
    fn put_output_away(
        &mut self,
        mut output: OutputPipe,
        mut delivery: Delivery,
        is_left: bool,
        has_survivors: bool,
    ) -> Option<OutputSummary> {
        if is_left && !self.shared.survivors.has_any() && output.is_as_new() {
            self.idle_output = Some(output);
            return delivery.summary(false);
        }
        let (summary, idle) = self.shared.late.put_away(output, delivery, has_survivors);
        if let Some(mut output) = idle {
            output.forget_flood();
            self.idle_output = Some(output);
        }
        summary
    }

    /// The end of a command that was handed over: its shell goes. Returns what it left alive and its output.
    async fn leave_beside(
        &mut self,
        output: OutputPipe,
        delivery: Delivery,
        patience: Duration,
    ) -> (Vec<ProcessInfo>, Option<OutputSummary>) {
        if let Some(main) = self.main.take() {
            main.end().await;
        }
        // Bounded, as the making of a shell is.
        drop(self.shared.handing_over.lock().await);
        let survivors = self.shared.account_for_survivors_of_copy(patience).await;
        let (output, _idle) = self.shared.late.put_away(output, delivery, !survivors.is_empty());
        (survivors, output)
    }
}

/// How a command ended, for its caller.
pub(super) fn outcome_of(ending: &Ending) -> ExitOutcome {
    match ending {
        Ending::Reported(Ended { status, .. }) => {
            ExitOutcome::Exited { code: u8::try_from(status & 0xff).unwrap_or(u8::MAX) }
        }
        Ending::Died { exit, .. } => (*exit).into(),
        Ending::Stopped { outcome, .. } => *outcome,
        // Not reported: an error says that nothing was run.
        Ending::Refused { .. } => ChildExit::Lost.into(),
    }
}

/// Whether no one takes orders at the other end any more.
fn is_end(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::NotConnected
            | io::ErrorKind::ConnectionRefused
    )
}

/// What is reported when no shell takes a command.
fn broken() -> ShellError {
    let source = io::Error::from(io::ErrorKind::BrokenPipe);
    ShellError::system("give bash a command", source)
}
