//! What is still to be done when a command has ended, before its result is told: its EXIT trap, what its
//! shell said last, and a look at a parser that it may have broken.

use super::engine::Engine;
use super::follow::{Ending, Report};
use super::main_shell::MainShell;
use super::noise::LastWords;
use super::orders;
use super::output_pipe::OutputPipe;
use super::protocol;
use crate::delivery::Delivery;
use crate::error::ShellError;
use crate::job::{Clock, Job};
use crate::request::HARD_TIMEOUT_GRACE;

/// Status of a command that bash could not parse (`EX_BADUSAGE` in its sources).
pub(super) const SYNTAX_ERROR: i32 = 2;

/// Lines after which a broken parser has crashed: bash 5.2 did with the third at the latest.
const PARSER_CHECKS: u32 = 4;

impl Engine {
    /// Delivers the rest of what the shell wrote of the command when it had taken the redirections
    /// back.
    pub(super) async fn deliver_last_words(
        &mut self,
        mut words: LastWords<'_>,
        delivery: &mut Delivery,
    ) {
        let noise = self.main.as_mut().map(MainShell::take_last_noise).unwrap_or_default();
        delivery.push(&words.take(noise));
        delivery.end();
        delivery.flush();
        drop(tokio::time::timeout(HARD_TIMEOUT_GRACE, delivery.drained()).await);
    }

    /// A text that ends inside of `$(` leaves bash 5.2's parser broken: it crashes on one of the
    /// next lines. Here nothing is lost by that; with the next command, that command would be.
    pub(super) async fn check_parser(&mut self) {
        for _ in 0..PARSER_CHECKS {
            let token = self.shared.new_token();
            if self.command(&format!("__pi_e {SYNTAX_ERROR} {token}"), &token).await.is_err() {
                self.end_lost_main().await;
                return;
            }
        }
    }

    /// EXIT traps are scoped to the command that sets them: this one's time has come.
    pub(super) async fn run_exit_trap(
        &mut self,
        job: &Job,
        trap: &str,
        status: i32,
        clock: &Clock,
        output: &mut OutputPipe,
        delivery: &mut Delivery,
    ) -> Result<Ending, ShellError> {
        loop {
            let token = self.shared.new_token();
            let descriptors = self.descriptors();
            let text = protocol::exit_trap_text(
                self.shared.folder.path(),
                self.generation(),
                trap,
                status,
                (descriptors, output.path()),
                &token,
            );
            let file = self
                .send(&text)
                .map_err(|source| ShellError::System { attempt: "run an EXIT trap", source })?;
            let before = delivery.received();
            let ending = self.follow(job, &token, None, clock, output, delivery).await;
            orders::remove(file);
            let began = delivery.received() > before
                || !matches!(ending, Ending::Reported(Report { .. }))
                || !self.complained_of_redirection(output);
            if began || !descriptors.are_high() {
                return Ok(ending);
            }
            // The command set a limit below them (`ulimit -n`): bash did not begin with the trap.
            self.handicaps.descriptors = true;
        }
    }
}
