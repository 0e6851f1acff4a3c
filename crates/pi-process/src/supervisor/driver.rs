//! The task that owns the socket to one supervisor: orders out, events in, and the end.
//!
//! It lives until the supervisor is dead and reaped. If it is dropped before that, because its
//! runtime is, the socket is shut down and a thread reaps; no zombie stays.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

#[cfg(target_os = "linux")]
use pi_supervisor::process;
use pi_supervisor::wire::{Event, SpawnStep, Usage};
use rustix::net::Shutdown;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep, sleep_until};

use super::launch::{Launched, SupervisorProcess};
use super::transport::{Connection, Frame, Sent, Traffic};
use super::{Child, ChildExit, SpawnFailure, orphans};
use crate::ResourceUsage;
use crate::deadline::until;
use crate::tree::ProcessIdentity;

/// Time a supervisor has for its end before it is killed: its sweep gives up after 5 s.
pub(super) const END_BOUND: Duration = Duration::from_secs(7);

/// Pause between two tries to reap where no descriptor tells of the end.
const REAP_INTERVAL: Duration = Duration::from_millis(2);

/// What handles ask of the driver.
pub(super) enum Order {
    Spawn {
        id: u32,
        frame: Frame,
        answer: oneshot::Sender<Result<Child, SpawnFailure>>,
    },
    /// The socket was shut down: the supervisor is about to end.
    Close,
}

/// A program that runs, as far as the supervisor reported.
struct Program {
    identity: ProcessIdentity,
    exit: watch::Sender<Option<ChildExit>>,
    /// Known before its end is.
    usage: Arc<OnceLock<ResourceUsage>>,
}

pub(super) struct Driver {
    connection: Connection,
    process: SupervisorProcess,
    /// First process of the pid namespace that the supervisor counts in, where that is not this host's.
    namespace: Option<i32>,
    inbox: mpsc::UnboundedReceiver<Order>,
    spawns: HashMap<u32, oneshot::Sender<Result<Child, SpawnFailure>>>,
    programs: HashMap<u32, Program>,
    /// Set once the socket is shut down.
    deadline: Option<Instant>,
    /// It has killed what it started, as far as it could.
    has_swept: bool,
    tell_end: watch::Sender<bool>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Handles may keep the socket open for as long as they like.
        rustix::net::shutdown(&*self.connection.socket(), Shutdown::Write).ok();
    }
}

impl Driver {
    pub(super) fn new(
        launched: Launched,
        inbox: mpsc::UnboundedReceiver<Order>,
        tell_end: watch::Sender<bool>,
    ) -> Self {
        Self {
            connection: launched.connection,
            process: launched.process,
            namespace: launched.namespace,
            inbox,
            spawns: HashMap::new(),
            programs: HashMap::new(),
            deadline: None,
            has_swept: false,
            tell_end,
        }
    }

    pub(super) async fn run(mut self) {
        while self.turn().await.is_ok() {}
        self.finish().await;
    }

    /// Handles one thing that happens.
    ///
    /// # Errors
    /// Any, when the supervisor is dead or must be.
    async fn turn(&mut self) -> io::Result<()> {
        let closing = self.deadline.is_some();
        tokio::select! {
            order = self.inbox.recv(), if !closing => self.handle_order(order),
            traffic = self.connection.exchange() => self.handle_traffic(traffic?)?,
            () = until(self.deadline) => return Err(io::ErrorKind::TimedOut.into()),
        }
        Ok(())
    }

    fn handle_order(&mut self, order: Option<Order>) {
        match order {
            Some(Order::Spawn { id, frame, answer }) => {
                self.spawns.insert(id, answer);
                self.connection.queue(id, frame);
            }
            Some(Order::Close) | None => self.deadline = Some(Instant::now() + END_BOUND),
        }
    }

    fn handle_traffic(&mut self, traffic: Traffic) -> io::Result<()> {
        match traffic {
            Traffic::Received => self.handle_events()?,
            Traffic::Sent(Sent::Progress) => {}
            Traffic::Sent(Sent::Refused { id, error }) => {
                let failure = SpawnFailure { step: SpawnStep::Descriptors, source: error };
                self.answer_spawn(id, Err(failure));
            }
        }
        Ok(())
    }

    fn handle_events(&mut self) -> io::Result<()> {
        while let Some(event) = self.connection.next_event()? {
            match event {
                // Confinement is over before there is a driver.
                Event::Ready { .. } | Event::Confined { .. } | Event::ConfineFailed { .. } => {}
                Event::Spawned { id, pid, start_time } => {
                    let pid = self.own_pid_of(pid);
                    self.spawned(id, ProcessIdentity { pid, start_time });
                }
                Event::SpawnFailed { id, step, errno } => {
                    self.answer_spawn(id, Err(SpawnFailure::new(step, errno)));
                }
                Event::Exited { id, exit, usage, .. } => {
                    if let Some(program) = self.programs.remove(&id) {
                        let Usage { user_us, system_us, peak_kib } = usage;
                        let usage = ResourceUsage::counted(user_us, system_us, peak_kib);
                        program.usage.get_or_init(|| usage);
                        program.exit.send_replace(Some(exit.into()));
                    }
                }
                Event::Swept { .. } => self.has_swept = true,
            }
        }
        Ok(())
    }

    /// The number here of what is `pid` to the supervisor; 0 when there is no such process any more.
    ///
    /// Only processes below the supervisor are looked at: whatever number is reported, a process
    /// outside of the sandbox is never meant.
    fn own_pid_of(&self, pid: i32) -> i32 {
        match self.namespace {
            None => pid,
            #[cfg(target_os = "linux")]
            Some(root) => process::find_by_inner_pid(root, pid).map_or(0, |found| found.pid),
            #[cfg(not(target_os = "linux"))]
            Some(_) => 0,
        }
    }

    fn spawned(&mut self, id: u32, identity: ProcessIdentity) {
        let (exit, receiver) = watch::channel(None);
        let usage = Arc::new(OnceLock::new());
        self.programs.insert(id, Program { identity, exit, usage: Arc::clone(&usage) });
        if !self.answer_spawn(id, Ok(Child { identity, exit: receiver, usage })) {
            // No one knows of it, so no one would ever stop it. It may have children already.
            drop(tokio::task::spawn_blocking(move || orphans::kill(&[identity])));
        }
    }

    /// True when someone took the answer.
    fn answer_spawn(&mut self, id: u32, result: Result<Child, SpawnFailure>) -> bool {
        self.spawns.remove(&id).is_some_and(|answer| answer.send(result).is_ok())
    }

    /// Sees the supervisor off, then whatever it could not take along.
    async fn finish(&mut self) {
        // From here on no one can ask anything; what was asked is answered by the drop.
        self.inbox.close();
        while self.inbox.try_recv().is_ok() {}
        rustix::net::shutdown(&*self.connection.socket(), Shutdown::Write).ok();
        self.reap().await;
        self.connection.receive_rest();
        // Its last words may be cut short when it was killed.
        self.handle_events().ok();
        self.spawns.clear();
        let programs = std::mem::take(&mut self.programs);
        let known: Vec<_> = programs.values().map(|program| program.identity).collect();
        for program in programs.into_values() {
            program.exit.send_replace(Some(ChildExit::Lost));
        }
        if !self.has_swept {
            // It had no time to: it was killed itself.
            drop(tokio::task::spawn_blocking(move || orphans::kill(&known)).await);
        }
        self.tell_end.send_replace(true);
    }

    /// Waits for its end and takes its exit status; kills it when its time is over.
    async fn reap(&mut self) {
        let deadline = *self.deadline.get_or_insert_with(|| Instant::now() + END_BOUND);
        let watched = self.process.watch();
        loop {
            if self.process.try_reap() {
                return;
            }
            if Instant::now() >= deadline {
                self.process.kill();
            }
            tokio::select! {
                () = ended(watched.as_ref()) => {}
                () = sleep_until(deadline), if Instant::now() < deadline => {}
            }
        }
    }
}

/// Returns when the process may have ended.
async fn ended(watched: Option<&AsyncFd<OwnedFd>>) {
    match watched {
        // Its readiness stays: a dead process does not come back.
        Some(pidfd) if pidfd.ready(Interest::READABLE).await.is_ok() => {}
        _ => sleep(REAP_INTERVAL).await,
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::super::executable::executable;
    use super::super::{SpawnRequest, launch};
    use super::*;

    /// Far more than anything takes on a busy machine; reached only by a defect.
    const PATIENCE: Duration = Duration::from_secs(30);

    /// A driver that does only what the test has it do, and what orders reach it by.
    async fn driver() -> (Driver, mpsc::UnboundedSender<Order>) {
        let launched = launch::launch(executable(), None, None).await.unwrap();
        let (orders, inbox) = mpsc::unbounded_channel();
        (Driver::new(launched, inbox, watch::channel(false).0), orders)
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_end_of_a_supervisor_is_heard_of_without_looking_for_it() {
        let (mut driver, _orders) = driver().await;
        let watched = driver.process.watch();
        let early = timeout(10 * REAP_INTERVAL, ended(watched.as_ref())).await;
        assert!(early.is_err(), "it lives");

        driver.process.kill();
        timeout(PATIENCE, ended(watched.as_ref())).await.unwrap();
        assert!(driver.process.try_reap());
    }

    #[tokio::test]
    async fn what_a_supervisor_said_before_it_had_to_be_killed_counts() {
        let (mut driver, orders) = driver().await;
        let (input, until) = std::io::pipe().unwrap();
        let null = || std::fs::File::options().write(true).open("/dev/null").unwrap().into();
        let request = SpawnRequest {
            argv: ["/bin/sh", "-c", "read -r line; exit 7"].map(Into::into).to_vec(),
            descriptors: vec![input.into(), null(), null()],
            ..SpawnRequest::default()
        };
        let (answer, mut answered) = oneshot::channel();
        orders.send(Order::Spawn { id: 1, frame: request.into_frame(1).unwrap(), answer }).unwrap();
        let child = loop {
            timeout(PATIENCE, driver.turn()).await.unwrap().unwrap();
            if let Ok(answer) = answered.try_recv() {
                break answer.unwrap();
            }
        };
        drop(until);
        let socket = driver.connection.socket();
        let patience = Instant::now() + PATIENCE;
        while rustix::io::ioctl_fionread(&*socket).unwrap() == 0 {
            assert!(Instant::now() < patience, "it tells of no end");
            sleep(REAP_INTERVAL).await;
        }

        driver.deadline = Some(Instant::now());
        timeout(PATIENCE, driver.finish()).await.unwrap();

        assert_eq!(child.exit_status(), Some(ChildExit::Exited(7)));
    }
}
