//! Who writes what waits: the link's own thread (`next`), or whoever put in a few bytes that the stream takes at once
//! (`speak`). The second saves the waking of a thread, which costs a short command as much as bash does.
//!
//! # Theory of operation
//! One of them writes at a time. A thread that takes frames hushes the queue meanwhile, so that what comes of one frame
//! leaves together, and speaks afterwards. Nothing that could wait is written that way: few bytes, to a stream that has
//! room for as many as a pipe takes as a whole. What is not taken all the same is left to the link's thread, an error
//! too: it meets it again.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Outgoing;
use super::state::State;

/// Most bytes that are written at once: what a pipe that can be written takes without a wait (`PIPE_BUF` of Linux).
const DIRECT_BYTES: usize = 4_096;

/// Where the bytes of a link go.
pub(super) struct Output {
    link: u64,
    file: Arc<File>,
}

impl Outgoing {
    /// Has few bytes written to this stream of a link by whoever puts them in.
    pub(crate) fn give_output(&self, link: u64, file: &Arc<File>) {
        let mut state = self.lock();
        if state.link == Some(link) {
            state.output = Some(Output { link, file: Arc::clone(file) });
        }
    }

    /// From now on, until `speak`, what is put in wakes no thread.
    pub(crate) fn hush(&self) {
        self.lock().hushes += 1;
    }

    /// Ends a `hush`: writes what waits, or has it written. Returns after which time to call `hush` and this again: there
    /// are frames that wait for others until then.
    pub(crate) fn speak(&self) -> Option<Duration> {
        let mut state = self.lock();
        state.hushes = state.hushes.saturating_sub(1);
        self.leave(state);
        let state = self.lock();
        state.patience().filter(|_| state.hushes == 0 && !state.is_writing)
    }

    /// Wakes the link's thread, unless the queue is hushed.
    pub(super) fn wake(&self, state: &State) {
        if state.hushes == 0 {
            // One for each link that was not left yet.
            self.filled.notify_all();
        }
    }

    /// Has what waits leave: by this thread where it is little, otherwise by the link's.
    pub(super) fn leave(&self, mut state: MutexGuard<'_, State>) {
        if state.hushes > 0 || !state.is_due() {
            return;
        }
        let output = state.output.as_ref().map(|output| (output.link, Arc::clone(&output.file)));
        let Some((link, file)) = output.filter(|(_, file)| {
            state.takes_direct_writer() && state.waiting_bytes() <= DIRECT_BYTES && has_room(file)
        }) else {
            self.filled.notify_all();
            return;
        };
        let mut bytes = Vec::new();
        state.fill(DIRECT_BYTES, &mut bytes);
        state.is_writing = true;
        state.writes_directly = Some(link);
        drop(state);
        self.emptied.notify_all();
        self.data_room.notify_waiters();
        // One try: who would have to wait, or what fails, is the link's thread's.
        let written = (&*file).write(&bytes).unwrap_or_default();
        let mut state = self.lock();
        state.writes_directly = None;
        if state.link == Some(link) {
            state.is_writing = false;
            state.unwritten.extend_from_slice(bytes.get(written..).unwrap_or_default());
            if !state.has_something() {
                self.idle.notify_waiters();
            }
        }
        // The link's thread may wait for the end of this, and has what came meanwhile.
        if state.link != Some(link) || state.has_something() {
            self.filled.notify_all();
        }
    }

    /// Waits, on the link's own thread, for the next bytes to write. False: the link is gone.
    pub(crate) fn next(&self, link: u64, out: &mut Vec<u8>) -> bool {
        let mut state = self.lock();
        if state.link == Some(link) && state.writes_directly != Some(link) {
            state.is_writing = false;
        }
        loop {
            // Another thread is in the middle of its bytes.
            if state.writes_directly == Some(link) {
                state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            if state.link != Some(link) {
                return false;
            }
            let piece_bytes = state.pace.piece_bytes();
            state.fill(piece_bytes, out);
            if !out.is_empty() {
                state.is_writing = true;
                drop(state);
                self.emptied.notify_all();
                self.data_room.notify_waiters();
                return true;
            }
            self.idle.notify_waiters();
            state = match state.patience() {
                Some(left) => {
                    let waited = self.filled.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.filled.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// What `next` gave was written.
    pub(crate) fn wrote(&self, bytes: usize, began: Instant) {
        self.lock().pace.wrote(bytes, began);
    }
}

/// Whether a few bytes can be written without a wait.
fn has_room(file: &File) -> bool {
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut polled = [PollFd::from_borrowed_fd(file.as_fd(), PollFlags::OUT)];
    poll(&mut polled, Some(&at_once)).is_ok_and(|ready| ready == 1)
}
