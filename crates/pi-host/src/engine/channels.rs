//! Which channel is what, as long as it is something: a run, a terminal, a file that near sends, another request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

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
    /// An operation has ended.
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
        known.insert(number, channel);
        Ok(())
    }

    pub(super) fn get(&self, number: u32) -> Option<Channel> {
        self.lock().get(&number).cloned()
    }

    pub(super) fn remove(&self, number: u32) {
        self.lock().remove(&number);
        self.ended.notify_waiters();
    }

    /// A request is answered: its channel is free, unless a later link has taken it.
    pub(super) fn remove_request(&self, link: u64, number: u32) {
        let mut known = self.lock();
        if let Some(Channel::Request(by) | Channel::Put(by, _)) = known.get(&number)
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
        self.lock().insert(number, Channel::Terminal(terminal));
    }

    /// How many files are on their way.
    pub(super) fn puts(&self) -> usize {
        self.lock().values().filter(|channel| matches!(channel, Channel::Put(..))).count()
    }

    /// Forgets what only the link that has ended could be told of.
    pub(super) fn forget_requests(&self) {
        self.lock().retain(|_, channel| channel.is_operation());
    }

    /// Runs and terminals.
    pub(super) fn operations(&self) -> Vec<u32> {
        let known = self.lock();
        known.iter().filter(|(_, channel)| channel.is_operation()).map(|(one, _)| *one).collect()
    }

    /// Waits until there are no runs and terminals.
    pub(super) async fn without_operations(&self) {
        loop {
            let ended = self.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            if self.operations().is_empty() {
                return;
            }
            ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, Channel>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
