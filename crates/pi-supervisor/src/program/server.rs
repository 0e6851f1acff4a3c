//! The supervisor's loop: requests in, events out, children reaped, and the end.
//!
//! How a child is made is `spawn`'s, how a tree is killed is the library's `sweep`.

use std::collections::{HashMap, VecDeque};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use crate::process::{self, ProcessEntry, Walk};
use crate::sweep::{SWEEP_BOUND, Territory, sweep};
use crate::wire::{
    Event, Exit, FrameReader, MAX_DESCRIPTORS, Request, Spawn, SpawnStep, Usage, WireError,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
};
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group};

use super::confine;
use super::spawn::{self, Progress, Starting};
use super::startup::{Started, close_on_exec};
use super::sys::{self, Signals};

/// Bytes read from the socket at once.
const READ_BYTES: usize = 65_536;

/// Time for the last event to leave, while a host that still lives is slow to read.
const FAREWELL_BOUND: Duration = Duration::from_millis(500);

/// The host cannot be heard any more: end of file, an error, or bytes that are no request.
struct HostGone;

impl From<WireError> for HostGone {
    fn from(_: WireError) -> Self {
        Self
    }
}

pub(crate) struct Server {
    control: OwnedFd,
    signals: Signals,
    reader: FrameReader,
    /// Descriptors that came with the socket's bytes, one batch for each spawn that has any.
    batches: VecDeque<Vec<OwnedFd>>,
    /// Event bytes that the socket did not take yet.
    unsent: Vec<u8>,
    /// A descriptor that goes with the first of them.
    passing: Option<OwnedFd>,
    /// Ids of the running programs by pid.
    programs: HashMap<i32, u32>,
    starting: Vec<Starting>,
}

impl Server {
    pub(crate) fn new(started: Started) -> Self {
        Self {
            control: started.control,
            signals: started.signals,
            reader: FrameReader::default(),
            batches: VecDeque::new(),
            unsent: Vec::new(),
            passing: None,
            programs: HashMap::new(),
            starting: Vec::new(),
        }
    }

    /// Serves until the host is gone, then kills everything. False when something was left.
    pub(crate) fn run(mut self) -> bool {
        self.tell(&Event::ready());
        while self.turn().is_ok() {}
        let left = self.sweep();
        let clean = left.is_empty();
        self.tell(&Event::Swept { left });
        self.say_farewell();
        clean
    }

    /// Waits for something to happen and handles it.
    fn turn(&mut self) -> Result<(), HostGone> {
        let host_is_readable = self.wait(None);
        self.reap();
        self.settle_starts();
        if host_is_readable {
            self.receive()?;
            self.handle_requests()?;
        }
        Ok(())
    }

    /// Polls everything, at most for `bound`; flushes events; true when the host can be read.
    fn wait(&mut self, bound: Option<Duration>) -> bool {
        self.flush();
        let mut interest = PollFlags::IN;
        interest.set(PollFlags::OUT, !self.unsent.is_empty());
        let reports: Vec<_> = self.starting.iter().map(Starting::report).collect();
        let mut polled = vec![
            PollFd::new(&self.control, interest),
            PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN),
        ];
        polled.extend(reports.iter().map(|report| PollFd::new(report, PollFlags::IN)));
        let bound = bound.and_then(|bound| Timespec::try_from(bound).ok());
        if poll(&mut polled, bound.as_ref()).is_err() {
            return false;
        }
        let ready = |index: usize| polled.get(index).map_or(PollFlags::empty(), PollFd::revents);
        let (host, child) = (ready(0), ready(1));
        drop(polled);
        drop(reports);
        if !child.is_empty() {
            self.signals.drain();
        }
        host.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR)
    }

    /// Reads the socket once, descriptors included.
    fn receive(&mut self) -> Result<(), HostGone> {
        let mut buffer = vec![0; READ_BYTES];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let received = recvmsg(
            &self.control,
            &mut [IoSliceMut::new(&mut buffer)],
            &mut ancillary,
            receive_flags(),
        );
        let message = match received {
            Ok(message) => message,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
            Err(_) => return Err(HostGone),
        };
        let mut batch = None;
        for part in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = part {
                let batch = batch.get_or_insert_with(Vec::new);
                batch.extend(descriptors.inspect(|descriptor| {
                    // Linux set it at the receipt; elsewhere nothing forks in between.
                    drop(close_on_exec(descriptor));
                }));
            }
        }
        if message.flags.contains(rustix::net::ReturnFlags::CTRUNC) {
            // Out of descriptors: the batch is short, and its spawn fails for it.
            batch.get_or_insert_with(Vec::new);
        }
        self.batches.extend(batch);
        let bytes = buffer.get(..message.bytes).unwrap_or_default();
        if bytes.is_empty() {
            return Err(HostGone);
        }
        self.reader.push(bytes);
        Ok(())
    }

    fn handle_requests(&mut self) -> Result<(), HostGone> {
        while let Some(body) = self.reader.next_frame()? {
            match Request::decode(body)? {
                Request::Spawn(spawn) => self.spawn(&spawn),
                Request::Confine(request) => {
                    let (event, listener) = confine::confine(&request);
                    self.passing = listener;
                    self.tell(&event);
                }
                Request::Adopt { id, pid } => self.adopt(id, pid),
            }
        }
        Ok(())
    }

    fn spawn(&mut self, spawn: &Spawn) {
        let descriptors = if spawn.descriptors == 0 { None } else { self.batches.pop_front() }
            .unwrap_or_default();
        let complete = u32::try_from(descriptors.len()).is_ok_and(|n| n == spawn.descriptors);
        let started = if complete {
            spawn::start(spawn, descriptors)
        } else {
            Err((SpawnStep::Descriptors, Errno::MFILE))
        };
        match started {
            Ok(starting) => self.starting.push(starting),
            Err((step, errno)) => {
                self.tell(&Event::SpawnFailed { id: spawn.id, step, errno: errno.raw_os_error() });
            }
        }
    }

    /// Tells of the end of a child from now on, that a program's fork made ours (`CLONE_PARENT`).
    fn adopt(&mut self, id: u32, pid: i32) {
        let own = i32::try_from(std::process::id()).ok();
        let is_known = self.is_known(pid);
        let child = process::entry_of(pid).filter(|entry| Some(entry.parent) == own && !is_known);
        if let Some(entry) = child {
            self.programs.insert(pid, id);
            let start_time = entry.identity.start_time;
            self.tell(&Event::Spawned { id, pid, start_time });
        } else {
            let errno = Errno::SRCH.raw_os_error();
            self.tell(&Event::SpawnFailed { id, step: SpawnStep::Adopt, errno });
        }
    }

    /// Tells the host of every start that came to a result.
    fn settle_starts(&mut self) {
        for starting in std::mem::take(&mut self.starting) {
            match starting.progress() {
                Progress::Pending => self.starting.push(starting),
                Progress::Running => self.program_runs(&starting),
                Progress::Failed((step, errno)) => {
                    // It is between its report and its end; nothing of it may be left.
                    if let Some(pid) = Pid::from_raw(starting.pid) {
                        rustix::process::waitpid(Some(pid), WaitOptions::empty()).ok();
                    }
                    let errno = errno.raw_os_error();
                    self.tell(&Event::SpawnFailed { id: starting.id, step, errno });
                }
            }
        }
    }

    fn program_runs(&mut self, starting: &Starting) {
        let Starting { id, pid, start_time, .. } = *starting;
        self.programs.insert(pid, id);
        self.tell(&Event::Spawned { id, pid, start_time });
    }

    /// Takes every exit status there is, of programs and of orphans alike.
    fn reap_all(&mut self) {
        while let Some((pid, status, usage)) = sys::reap_any() {
            self.ended_while_starting(pid);
            if let Some(id) = self.programs.remove(&pid) {
                let core = libc::WIFSIGNALED(status) && libc::WCOREDUMP(status);
                let usage = usage_of(&usage);
                self.tell(&Event::Exited { id, pid, exit: exit_of(status), core, usage });
            }
        }
    }

    /// A program can end before its exec was noticed: `Spawned` still comes first.
    fn ended_while_starting(&mut self, pid: i32) {
        let Some(index) = self.starting.iter().position(|starting| starting.pid == pid) else {
            return;
        };
        let starting = self.starting.swap_remove(index);
        match starting.progress() {
            Progress::Pending | Progress::Running => self.program_runs(&starting),
            Progress::Failed((step, errno)) => {
                let errno = errno.raw_os_error();
                self.tell(&Event::SpawnFailed { id: starting.id, step, errno });
            }
        }
    }

    /// Kills everything below this process; returns who is left.
    fn sweep(&mut self) -> Vec<i32> {
        if !process::is_available() {
            return self.sweep_groups();
        }
        sweep(self, SWEEP_BOUND)
    }

    /// The sweep of a system without `/proc`: only the groups of the programs are known.
    fn sweep_groups(&mut self) -> Vec<i32> {
        let deadline = Instant::now() + SWEEP_BOUND;
        let starting = self.starting.iter().map(|starting| starting.pid);
        let mut left: Vec<i32> = self.programs.keys().copied().chain(starting).collect();
        loop {
            self.reap_all();
            // A leader that is gone may leave others of its group, who die a moment later.
            left.retain(|group| {
                let killed =
                    Pid::from_raw(*group).map(|group| kill_process_group(group, Signal::KILL));
                // No such group: its leader has left it, or has not made it yet.
                killed != Some(Err(Errno::SRCH)) || self.is_known(*group)
            });
            if left.is_empty() || Instant::now() >= deadline {
                return left;
            }
            self.pause(Duration::from_millis(5));
        }
    }

    /// The process is a program that runs or starts.
    fn is_known(&self, pid: i32) -> bool {
        self.programs.contains_key(&pid) || self.starting.iter().any(|starting| starting.pid == pid)
    }

    fn tell(&mut self, event: &Event) {
        // An event is small; one that does not fit a frame has millions of pids in it.
        if let Ok(frame) = event.encode() {
            self.unsent.extend_from_slice(&frame);
        }
    }

    /// Sends what the socket takes. Errors show at the reading side, where the end is decided.
    fn flush(&mut self) {
        while !self.unsent.is_empty() {
            match self.send_some() {
                Ok(sent) => {
                    // The host has it; programs must not find another at the supervisor.
                    self.passing = None;
                    drop(self.unsent.drain(..sent));
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.unsent.clear(),
            }
        }
    }

    /// Sends some bytes, and with the first the descriptor that is to go with them.
    fn send_some(&self) -> Result<usize, Errno> {
        // Without a reader it fails: SIGPIPE is blocked for the life of this process.
        let flags = SendFlags::DONTWAIT;
        let Some(descriptor) = &self.passing else {
            return send(&self.control, &self.unsent, flags);
        };
        let descriptors = [descriptor.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
            return Err(Errno::TOOBIG);
        }
        sendmsg(&self.control, &[IoSlice::new(&self.unsent)], &mut ancillary, flags)
    }

    fn say_farewell(&mut self) {
        let deadline = Instant::now() + FAREWELL_BOUND;
        self.flush();
        while !self.unsent.is_empty() && Instant::now() < deadline {
            let mut polled = [PollFd::new(&self.control, PollFlags::OUT)];
            let bound = Timespec::try_from(FAREWELL_BOUND).ok();
            if poll(&mut polled, bound.as_ref()).is_err() {
                return;
            }
            self.flush();
        }
    }
}

impl Territory for Server {
    fn walk(&mut self, visit: &mut dyn FnMut(&ProcessEntry)) -> Walk {
        process::walk(i32::try_from(std::process::id()).unwrap_or(0), visit)
    }

    fn reap(&mut self) {
        self.reap_all();
    }

    fn pause(&mut self, pause: Duration) {
        self.flush();
        let mut polled = [PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN)];
        let bound = Timespec::try_from(pause).ok();
        poll(&mut polled, bound.as_ref()).ok();
        self.signals.drain();
    }
}

/// What a status of wait4(2) says. Without WUNTRACED and WCONTINUED there is no third way to be reported.
fn exit_of(status: i32) -> Exit {
    if libc::WIFSIGNALED(status) {
        return Exit::Signal(libc::WTERMSIG(status));
    }
    Exit::Code(u8::try_from(libc::WEXITSTATUS(status)).unwrap_or(u8::MAX))
}

fn usage_of(usage: &libc::rusage) -> Usage {
    /// Bytes on macOS, KiB elsewhere: getrusage(2) of both.
    const PEAK_UNITS_PER_KIB: u64 = if cfg!(target_vendor = "apple") { 1024 } else { 1 };
    Usage {
        user_us: microseconds(usage.ru_utime),
        system_us: microseconds(usage.ru_stime),
        peak_kib: u64::try_from(usage.ru_maxrss).unwrap_or_default() / PEAK_UNITS_PER_KIB,
    }
}

fn microseconds(time: libc::timeval) -> u64 {
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds * 1_000_000 + u64::try_from(time.tv_usec).unwrap_or_default()
}

#[cfg(target_os = "linux")]
fn receive_flags() -> RecvFlags {
    RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC
}

#[cfg(not(target_os = "linux"))]
fn receive_flags() -> RecvFlags {
    RecvFlags::DONTWAIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_its_seconds_and_the_microseconds_beyond() {
        let time = |tv_sec, tv_usec| microseconds(libc::timeval { tv_sec, tv_usec });
        assert_eq!([time(0, 0), time(0, 250), time(3, 0)], [0, 250, 3_000_000]);
        assert_eq!(time(3, 250), 3_000_250);
    }
}
