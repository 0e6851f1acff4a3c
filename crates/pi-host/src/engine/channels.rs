//! Which channels of a link are in use, and for what: a run, a terminal, a file that near sends, another request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::pipes::Pipe;
use super::puts::Inbox;
use super::terminals::Terminal;

/// Most channels that are something at a time.
const MAX_CHANNELS: usize = 8_192;

/// What a channel is.
#[derive(Clone)]
pub(super) enum Channel {
    Run {
        cancel: CancellationToken,
        session: Option<u32>,
    },
    Terminal(Arc<Terminal>),
    /// Asked for by this link.
    Put(u64, Arc<Inbox>),
    /// Asked for by this link.
    Pipe(u64, Arc<Pipe>),
    Request(u64),
}

impl Channel {
    /// It goes on without the link that asked for it.
    fn is_operation(&self) -> bool {
        matches!(self, Self::Run { .. } | Self::Terminal(_))
    }
}

/// Why a channel cannot be something.
pub(super) enum Refused {
    /// It is something else.
    InUse,
    /// There are too many.
    TooMany,
}

/// All of them.
#[derive(Default)]
pub(super) struct Channels {
    known: Mutex<HashMap<u32, Channel>>,
    /// Runs and terminals whose end was not put on its way yet.
    unfinished: AtomicUsize,
    /// One of them has ended.
    ended: Notify,
}

impl Channels {
    pub(super) fn add(&self, number: u32, channel: Channel) -> Result<(), Refused> {
        let mut known = self.lock();
        if known.contains_key(&number) {
            return Err(Refused::InUse);
        }
        if known.len() >= MAX_CHANNELS {
            return Err(Refused::TooMany);
        }
        if channel.is_operation() {
            self.unfinished.fetch_add(1, Ordering::SeqCst);
        }
        known.insert(number, channel);
        Ok(())
    }

    pub(super) fn get(&self, number: u32) -> Option<Channel> {
        self.lock().get(&number).cloned()
    }

    /// A run or a terminal has ended: its channel is free, before its end, which `tell` puts on its way, reaches near.
    pub(super) fn finish(&self, number: u32, tell: impl FnOnce()) {
        let ended = self.lock().remove(&number);
        tell();
        // One that was refused for there being too many never was something.
        if ended.is_some_and(|ended| ended.is_operation()) {
            self.unfinished.fetch_sub(1, Ordering::SeqCst);
            self.ended.notify_waiters();
        }
    }

    /// A request is answered: its channel is free, unless a later link has taken it.
    pub(super) fn remove_request(&self, link: u64, number: u32) {
        let mut known = self.lock();
        if let Some(Channel::Request(by) | Channel::Put(by, _) | Channel::Pipe(by, _)) =
            known.get(&number)
            && *by == link
        {
            known.remove(&number);
        }
    }

    /// A request turns out to be a file that near sends. False: its link is gone.
    pub(super) fn become_put(&self, link: u64, number: u32, inbox: Arc<Inbox>) -> bool {
        let mut known = self.lock();
        let is_asked = matches!(known.get(&number), Some(Channel::Request(by)) if *by == link);
        if is_asked {
            known.insert(number, Channel::Put(link, inbox));
        }
        is_asked
    }

    /// A request turns out to be a terminal.
    pub(super) fn become_terminal(&self, number: u32, terminal: Arc<Terminal>) {
        self.unfinished.fetch_add(1, Ordering::SeqCst);
        self.lock().insert(number, Channel::Terminal(terminal));
    }

    /// A request turns out to be a pipe. False: its link is gone, or there are too many.
    pub(super) fn become_pipe(&self, link: u64, number: u32, pipe: Arc<Pipe>, most: usize) -> bool {
        let mut known = self.lock();
        let pipes = known.values().filter(|channel| matches!(channel, Channel::Pipe(..))).count();
        let is_asked = matches!(known.get(&number), Some(Channel::Request(by)) if *by == link);
        if is_asked && pipes < most {
            known.insert(number, Channel::Pipe(link, pipe));
        }
        is_asked && pipes < most
    }

    /// How many files are on their way.
    pub(super) fn puts(&self) -> usize {
        self.lock().values().filter(|channel| matches!(channel, Channel::Put(..))).count()
    }

    /// Forgets what only the link that has ended could report.
    pub(super) fn forget_requests(&self) {
        self.lock().retain(|_, channel| channel.is_operation());
    }

    /// Runs and terminals.
    pub(super) fn operations(&self) -> Vec<u32> {
        let known = self.lock();
        known.iter().filter(|(_, channel)| channel.is_operation()).map(|(one, _)| *one).collect()
    }

    /// Waits until the ends of all runs and terminals are on their way.
    pub(super) async fn without_operations(&self) {
        loop {
            let ended = self.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            if self.unfinished.load(Ordering::SeqCst) == 0 {
                return;
            }
            ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, Channel>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
