//! One command in the session's own shell.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::aftermath::SYNTAX_ERROR;
use super::descriptors::Descriptors;
use super::driver;
use super::effects;
use super::engine::{self, Engine};
use super::follow::{Ending, Follow, Report, StopReason};
use super::noise::LastWords;
use super::orders;
use super::output_pipe::OutputPipe;
use super::protocol::{self, RunMessage};
use super::recovery::Loss;
use super::runner::Runner;
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::job::{Clock, Job};
use crate::outcome::{ExitOutcome, OutputSummary, RunResult};
use crate::stop::{ShellTarget, StopPlan};
use crate::supervisor::ChildExit;
use crate::sys::signals::{KILL, TERMINATE};
use crate::tree;
use crate::validate;

/// Time that a shell whose driver was destroyed gets to write its state down.
const LAST_BREATH: std::time::Duration = std::time::Duration::from_millis(300);

/// What came of an attempt to run a command.
enum Attempt {
    Ended(Ending),
    /// Bash certainly did not start it.
    NotRun,
    /// Nor here, but only the numbers of its descriptors were in the way: the shell is sound.
    OutOfDescriptors,
}

impl Engine {
    /// Readies shell and output for a command; an error here means that nothing was run, and that
    /// this session's means are gone (its supervisor or its folder). Returns whether state was
    /// lost.
    pub(super) async fn prepare(&mut self) -> Result<bool, ShellError> {
        // It ended between two commands, so that there are no words to tell what was set.
        let lost = self.ensure_main().await?.is_real("");
        let output = self.take_output()?;
        output
            .check()
            .map_err(|source| ShellError::System { attempt: "open a FIFO for output", source })?;
        self.idle_output = Some(output);
        Ok(lost)
    }

    /// Runs a command. The session goes on afterwards, with a new shell where needed.
    pub(super) async fn run(
        &mut self,
        job: &Job,
        lost_before: bool,
    ) -> Result<RunResult, ShellError> {
        let cwd = match &job.options.cwd {
            Some(cwd) => self.change_to(validate::check_directory(cwd, &self.cwd)?),
            None => None,
        };
        let before = self.shared.limits.mark();
        let clock = Clock::start(job.options.timeout);
        let mut delivery = Delivery::new(Arc::clone(&job.observer), job.options.sink.clone());
        let mut output = self.take_output()?;
        let mut lost = lost_before;
        let mut attempt =
            self.attempt(job, cwd.as_deref(), &clock, &mut output, &mut delivery).await?;
        if matches!(attempt, Attempt::OutOfDescriptors) {
            self.handicaps.descriptors = true;
            attempt = self.attempt(job, cwd.as_deref(), &clock, &mut output, &mut delivery).await?;
        }
        if matches!(attempt, Attempt::NotRun) && (self.shared.is_broken() || !self.title.holds()) {
            self.not_begun = true;
            return Err(broken());
        }
        if matches!(attempt, Attempt::NotRun) {
            // It did not start, so a second try in a sound shell runs it once.
            self.not_begun = true;
            lost |= self.replace_main().await?.is_real("");
            output = self.take_output()?;
            self.not_begun = false;
            attempt = self.attempt(job, cwd.as_deref(), &clock, &mut output, &mut delivery).await?;
        }
        let Attempt::Ended(ending) = attempt else {
            // Nor does a command that was handed over begin a second time.
            self.main = None;
            return Err(broken());
        };
        let mut result = self.conclude(job, ending, lost, &clock, output, delivery).await?;
        result.limits_met = self.shared.limits.met(before, result.outcome);
        Ok(result)
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
        let changes = cwd.is_some() || !effects::changes_nothing(&options.command);
        self.shared.note_command(&options.command);
        let standby = if changes { self.prepare_standby() } else { None };
        let failed = |source| ShellError::System { attempt: "give bash a command", source };
        let serial = self.shared.next_serial();
        let command_file =
            orders::command_file(&self.shared.folder, serial, &options.command).map_err(failed)?;
        let token = self.shared.new_token();
        let text = RunMessage {
            token: &token,
            command: &options.command,
            command_file: command_file.as_deref(),
            cwd,
            env: &options.env,
            posix: self.modes.posix,
            exports_all: self.modes.exports_all,
            previous_status: self.status,
            output: output.path(),
            descriptors: self.descriptors(),
            does_more: changes,
            standby: standby.as_ref().map(|one| (one.token.as_str(), one.path())),
            traps: self.shared.traps(),
        }
        .text();
        let file = match self.send(&text) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                return Ok(Attempt::NotRun);
            }
            Err(source) => return Err(failed(source)),
        };
        let left = standby.map(|standby| self.births.expect(standby));
        let files: Vec<PathBuf> = file.into_iter().chain(command_file).collect();
        let mut words = self.last_words(job, text.len());
        let known = changes.then_some(&mut words);
        self.title.begin();
        let mut ending = self.follow(job, &token, known, clock, output, delivery).await;
        self.title.end();
        let is_unread = delivery.received() == 0 && self.could_not_read(&files);
        orders::remove(files);
        if is_unread {
            self.handicaps.limits = true;
            return Ok(Attempt::NotRun);
        }
        if self.was_not_started(&ending, output, delivery) {
            if self.descriptors().are_high() {
                return Ok(Attempt::OutOfDescriptors);
            }
            self.handicaps.limits = true;
            return Ok(Attempt::NotRun);
        }
        if self.could_not_begin(&ending) {
            return Ok(Attempt::NotRun);
        }
        self.note_standby(&ending, left);
        match ending {
            // Bash still forks the standby of the command before (`ulimit -u`).
            Ending::Lost { unread: true } => {
                self.handicaps.standby = true;
                return Ok(Attempt::NotRun);
            }
            // It ended after the command before: a text that ends too soon ends the script.
            Ending::Died { unread: true, .. } => return Ok(Attempt::NotRun),
            // `trap … EXIT` and `exit`: bash took the command's output back before the trap ran.
            Ending::Died { .. } => self.deliver_last_words(words, delivery).await,
            _ => {}
        }
        if let Ending::Reported(Report { status: SYNTAX_ERROR, .. }) = ending {
            self.check_parser().await;
        }
        if let Ending::Reported(Report { trap: Some(trap), status, .. }) = &ending
            && *trap != driver::own_trap_text(self.shared.folder.path(), self.generation())
        {
            let (trap, status) = (trap.clone(), *status);
            ending = self.run_exit_trap(job, &trap, status, clock, output, delivery).await?;
        }
        Ok(Attempt::Ended(ending))
    }

    /// Whether the message could not be read (`readonly __pi_m`), or not be begun with.
    fn could_not_begin(&self, ending: &Ending) -> bool {
        matches!(
            ending,
            Ending::Lost { unread: false } | Ending::Reported(Report { unwound: true, .. })
        ) && protocol::VARIABLE_COMPLAINTS.iter().any(|text| self.complained_of(text))
    }

    /// Whether bash could not open one of the files of an order (`ulimit -n 4`).
    fn could_not_read(&self, files: &[PathBuf]) -> bool {
        files.iter().any(|file| self.complained_of(&format!("{}: ", file.display())))
    }

    /// Says which standby has the state that the command left: the one with serial `left`.
    fn note_standby(&mut self, ending: &Ending, left: Option<u64>) {
        match (ending, left) {
            // None comes; the one before has the state that is gone on with, and may be on its way.
            (Ending::Reported(Report { flags, .. }), Some(serial))
                if engine::is_restricted(flags) =>
            {
                self.births.forget_one(serial);
            }
            // Nor from a shell that ended in its command: recovery would wait for it.
            (Ending::Died { .. }, Some(serial)) => self.births.forget_one(serial),
            // Nor here, and the state that the command reached is gone on with.
            (Ending::Reported(Report { unwound: true, .. }), Some(serial)) => {
                self.births.forget_one(serial);
                self.order_standby();
            }
            (Ending::Reported(Report { .. }), Some(serial)) => {
                self.shared.set_current_standby(serial);
            }
            _ => {}
        }
    }

    /// Where bash has its own descriptors during the next command.
    pub(super) fn descriptors(&self) -> Descriptors {
        match &self.main {
            Some(main) if !self.handicaps.descriptors => main.descriptors,
            _ => Descriptors::low(),
        }
    }

    /// What the shell will have written at its end, if the command, whose order is so long, ends it.
    fn last_words<'a>(&mut self, job: &'a Job, order_bytes: usize) -> LastWords<'a> {
        let command = job.options.command.as_str();
        let order_bytes = order_bytes + command.len();
        let (traced, own) = (self.modes.xtrace, self.descriptors());
        let words = LastWords::new(command, order_bytes, traced, self.shared.folder.path(), own);
        if let Some(main) = &mut self.main {
            main.expect_noise(words.limit());
        }
        words
    }

    pub(super) async fn follow(
        &mut self,
        job: &Job,
        token: &str,
        last_words: Option<&mut LastWords<'_>>,
        clock: &Clock,
        output: &mut OutputPipe,
        delivery: &mut Delivery,
    ) -> Ending {
        let Some(main) = self.main.as_mut() else {
            return Ending::Died { exit: ChildExit::Lost, unread: true };
        };
        let shell = ShellTarget::Main(main.child().clone());
        let report = main.report_inode();
        let (shared, title) = (Arc::clone(&self.shared), self.title.clone());
        let plan = move || StopPlan {
            supervisor: shared.supervisor.pid(),
            shell: shell.clone(),
            spared: {
                let machinery = shared.machinery.clone();
                Arc::new(move || machinery.living())
            },
            is_beside: !title.holds(),
            report,
            older: shared.survivors.living(),
        };
        Follow {
            runner: Runner::Main(main),
            output,
            delivery,
            births: Some(&mut self.births),
            supervisor: &self.shared.supervisor,
            token,
            last_words,
            plan: &plan,
            deadline: clock.deadline(),
            cancel: &job.cancel,
        }
        .complete()
        .await
    }

    fn complained_of(&self, text: &str) -> bool {
        self.main.as_ref().is_some_and(|main| main.complained_of(text))
    }

    /// Whether bash could not even open the command's output (`ulimit -n 4`).
    fn was_not_started(&self, ending: &Ending, output: &OutputPipe, delivery: &Delivery) -> bool {
        let Ending::Reported(Report { status: 1, .. }) = ending else { return false };
        delivery.received() == 0 && self.complained_of_redirection(output)
    }

    /// Whether bash said that it could not make a redirection of an order.
    pub(super) fn complained_of_redirection(&self, output: &OutputPipe) -> bool {
        let complaint = format!("{}: ", output.path().display());
        ["redirection error", "Bad file descriptor", "/dev/null: ", complaint.as_str()]
            .iter()
            .any(|text| self.complained_of(text))
    }

    /// Turns the end into the result and readies the session for the next command.
    async fn conclude(
        &mut self,
        job: &Job,
        ending: Ending,
        lost_before: bool,
        clock: &Clock,
        output: OutputPipe,
        delivery: Delivery,
    ) -> Result<RunResult, ShellError> {
        let wall_time = clock.elapsed();
        let mut session_reset = lost_before;
        let outcome = match ending {
            Ending::Reported(Report { cwd_failed: true, .. }) => {
                let path = job.options.cwd.clone().unwrap_or_default();
                return Err(ShellError::MissingWorkingDirectory { path: self.cwd.join(path) });
            }
            Ending::Reported(Report { status, flags, cwd, .. }) => {
                self.note_status(status, &flags, &cwd);
                if engine::is_restricted(&flags) {
                    // It takes no redirection, so no order either, and cannot write its state.
                    self.end_lost_main().await;
                    session_reset = true;
                }
                ExitOutcome::Exited { code: u8::try_from(status & 0xff).unwrap_or(u8::MAX) }
            }
            Ending::Died { exit, .. } => {
                self.set_status(engine::status_of(exit));
                match exit {
                    ChildExit::Exited(code) => ExitOutcome::Exited { code },
                    ChildExit::Signaled(signal) => ExitOutcome::Signaled { signal },
                    ChildExit::Lost => ExitOutcome::Signaled { signal: KILL },
                }
            }
            Ending::Stopped { reason, .. } => match reason {
                StopReason::TimedOut => ExitOutcome::TimedOut,
                StopReason::Cancelled => ExitOutcome::Cancelled,
            },
            Ending::Lost { .. } | Ending::Refused { .. } => {
                self.end_lost_main().await;
                session_reset = true;
                // Its status is not known: never told as a success.
                ExitOutcome::Exited { code: 1 }
            }
        };
        if !self.title.holds() {
            let (working_dir, limits_met) = (Some(self.cwd.clone()), Vec::new());
            let (survivors, output) = self.leave_beside(output, delivery).await;
            let sandbox = self.shared.sandbox_report().await;
            return Ok(RunResult {
                outcome,
                working_dir,
                session_reset: false,
                survivors,
                wall_time,
                output,
                sandbox,
                lost_with_shell: Vec::new(),
                limits_met,
            });
        }
        let light = matches!(outcome, ExitOutcome::Exited { .. })
            && effects::changes_nothing(&job.options.command);
        let survivors = if light { Vec::new() } else { self.shared.account_for_survivors().await };
        let output_summary = self.put_output_away(output, delivery, !survivors.is_empty());
        if self.keeps_session {
            let alive = self.main.as_ref().is_some_and(|main| main.child().exit_status().is_none());
            // A failure here shows on the next command, which tries again.
            if !alive && let Ok(lost) = self.ensure_main().await {
                session_reset |= lost.is_real(&job.options.command);
                // The one before is gone, and a copy that was asked for meanwhile waits for this one,
                // of which only the next command would hear.
                self.catch_up().await;
            }
        }
        Ok(RunResult {
            outcome,
            working_dir: Some(self.cwd.clone()),
            session_reset,
            survivors,
            wall_time,
            output: output_summary,
            sandbox: self.shared.sandbox_report().await,
            lost_with_shell: std::mem::take(&mut self.lost_with_shell),
            limits_met: Vec::new(),
        })
    }

    /// Ends a shell that does not report any more, so that it writes its state down.
    pub(super) async fn end_lost_main(&mut self) {
        let Some(main) = self.main.as_ref() else { return };
        let identity = main.child().identity();
        // Gone already is as good as told.
        drop(tree::signal(identity, TERMINATE));
        if tokio::time::timeout(LAST_BREATH, main.child().exited()).await.is_err() {
            drop(tree::signal(identity, KILL));
            drop(tokio::time::timeout(LAST_BREATH, main.child().exited()).await);
        }
    }

    /// A new shell with the state of this one.
    async fn replace_main(&mut self) -> Result<Loss, ShellError> {
        self.end_lost_main().await;
        self.ensure_main().await
    }

    /// Ends the command's output, and keeps its FIFO for the next command where nobody holds it.
    fn put_output_away(
        &mut self,
        output: OutputPipe,
        delivery: Delivery,
        has_survivors: bool,
    ) -> Option<OutputSummary> {
        let (summary, idle) = self.shared.put_output_away(output, delivery, has_survivors);
        if let Some(mut output) = idle {
            output.forget_flood();
            self.idle_output = Some(output);
        }
        summary
    }
}

/// What is told when no shell takes a command.
fn broken() -> ShellError {
    let source = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
    ShellError::System { attempt: "give bash a command", source }
}
