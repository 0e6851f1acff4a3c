//! Who of a command's programs waits for input that cannot come: the command has no terminal and its standard input is empty.
//!
//! Two waits are certain, and only these count; everything else that is silent (pipes, sockets, locks, timers) is ordinary work.
//!
//! - The main thread waits to read its command's own output pipe, and nothing else. `vim` does so: where its standard input is no
//!   terminal, it takes standard error for one.
//! - A program reads a terminal in whose foreground it is, and the program that has the terminal's other end waits for nothing but
//!   what that one writes (`pty.spawn`, `socat`): each waits for the other.
//!
//! When such a wait counts is `Silence`'s, and what is done about it is the caller's.

use std::time::{Duration, Instant};

use crate::program::Program;

/// Time that a wait has to last.
const HOLD: Duration = Duration::from_secs(2);

/// When a silent command is looked at, in milliseconds after its last output; then each [`LATER`]. A short command is never
/// looked at.
const LOOKS_MS: [u64; 5] = [250, 500, 1_000, 2_000, 5_000];

/// Time between two looks after those.
const LATER: Duration = Duration::from_secs(5);

/// Time between two looks at a wait that was seen.
const AGAIN: Duration = Duration::from_secs(1);

/// Device and inode of a file.
pub type FileId = (u64, u64);

/// A wait for input that cannot come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// Who waits.
    pub program: Program,
    /// The thread that does, by its number in `/proc`.
    thread: i32,
    /// For its command's output pipe; else for a terminal without a person.
    is_for_output: bool,
}

/// Looks at a silent command in a row.
#[derive(Debug)]
pub struct Silence {
    since: Instant,
    looks: usize,
    /// When the last look was begun.
    last: Instant,
    /// The wait that the last looks saw, and the first one that did.
    held: Option<(Unanswered, Instant)>,
}

impl Silence {
    /// Begins with an output at `now`.
    pub fn new(now: Instant) -> Self {
        Self { since: now, looks: 0, last: now, held: None }
    }

    /// When to look next.
    pub fn due(&self) -> Instant {
        match &self.held {
            // It is known.
            Some((_, since)) if self.last - *since >= HOLD => return self.last + LATER,
            Some((_, since)) => return (self.last + AGAIN).min(*since + HOLD),
            None => {}
        }
        match LOOKS_MS.get(self.looks) {
            Some(after) => self.since + Duration::from_millis(*after),
            None => self.last + LATER,
        }
    }

    /// Takes what a look that was begun at `now` saw. Returns a wait that has lasted long enough.
    pub fn seen(&mut self, wait: Option<Unanswered>, now: Instant) -> Option<Unanswered> {
        self.looks = self.looks.saturating_add(1);
        self.last = now;
        let since = match (&self.held, &wait) {
            (Some((before, since)), Some(wait)) if before == wait => *since,
            _ => now,
        };
        self.held = wait.map(|wait| (wait, since));
        self.held.clone().filter(|_| now - since >= HOLD).map(|(wait, _)| wait)
    }
}

/// Looks at the processes of one command, whose output goes to the pipe `output`. `None` where none of them waits so, where one
/// of them runs, and where they cannot be looked at.
#[cfg(target_os = "linux")]
pub fn unanswered(pids: &[i32], output: FileId) -> Option<Unanswered> {
    linux::look(pids, output)
}

/// Elsewhere blocked calls are not shown.
#[cfg(not(target_os = "linux"))]
pub fn unanswered(_: &[i32], _: FileId) -> Option<Unanswered> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use pi_supervisor::process::{self, Activity, ProcessState};
    use rustix::fs::Stat;

    use super::{FileId, Unanswered};
    use crate::call::{self, Call};
    use crate::look::{MAX_THREADS, program};
    use crate::thread::{MAX_DESCRIPTORS, OWN_TERMINAL, PTMX, is_device, status_of};
    use crate::wanted;

    /// Major numbers of the programs' ends of pseudoterminals (`Documentation/admin-guide/devices.txt`).
    const TERMINALS: std::ops::RangeInclusive<u32> = 136..=143;

    /// A process, and where `/proc` has it.
    struct Process {
        pid: i32,
        shown: i32,
        threads: Vec<i32>,
    }

    pub(super) fn look(pids: &[i32], output: FileId) -> Option<Unanswered> {
        let mut threads_left = MAX_THREADS;
        let mut processes = Vec::new();
        for pid in pids {
            let Some(shown) = process::proc_pid(*pid) else { continue };
            let threads = process::threads_of(*pid, threads_left);
            threads_left = threads_left.saturating_sub(threads.len());
            let is_busy = |state| matches!(state, ProcessState::Running | ProcessState::Waiting);
            if threads_left == 0 || threads.iter().any(|(_, state)| is_busy(*state)) {
                return None;
            }
            let threads = threads.into_iter().map(|(thread, _)| thread).collect();
            processes.push(Process { pid: *pid, shown, threads });
        }
        let for_output = processes.iter().find(|one| one.waits_for_output(output));
        if let Some(Process { pid, shown, .. }) = for_output {
            let (program, thread) = (program(*pid), *shown);
            return Some(Unanswered { program, thread, is_for_output: true });
        }
        let is_unserved = |terminal: u32| {
            let mut holders =
                processes.iter().filter_map(|one| one.controller(terminal)).peekable();
            holders.peek().is_some() && holders.all(|holder| holder.waits_for_nothing_else())
        };
        let (reader, thread, _) = processes
            .iter()
            .filter_map(Process::inner_terminal)
            .find(|(_, _, terminal)| is_unserved(*terminal))?;
        // A program that listens may have a person later.
        if !crate::ports::of_processes(pids.iter().copied()).is_empty() {
            return None;
        }
        Some(Unanswered { program: program(reader.pid), thread, is_for_output: false })
    }

    impl Process {
        /// The call that a thread is blocked in, and the descriptors that it waits to read.
        fn wait_of(&self, thread: i32) -> Option<(Call, Vec<u64>)> {
            let line = fs::read_to_string(format!("/proc/{}/task/{thread}/syscall", self.shown));
            let call = call::parse(&line.ok()?)?;
            let descriptors = wanted::descriptors(self.shown, call);
            // Half of a set says nothing of the whole.
            (!descriptors.is_empty() && descriptors.len() <= MAX_DESCRIPTORS)
                .then_some((call, descriptors))
        }

        /// Its main thread waits for that pipe alone. Another thread may watch the pipe for the end of its reader, and an event
        /// loop does so beside others; both have work to do meanwhile.
        fn waits_for_output(&self, output: FileId) -> bool {
            self.wait_of(self.shown).is_some_and(|(_, descriptors)| {
                descriptors.iter().all(|descriptor| {
                    let status = status_of(self.shown, *descriptor);
                    status.is_some_and(|status| file_id(&status) == output)
                })
            })
        }

        /// The thread that reads its controlling terminal, in whose foreground it is, and the terminal's number.
        fn inner_terminal(&self) -> Option<(&Self, i32, u32)> {
            let Activity { terminal, is_foreground, .. } = process::activity_of(self.pid)?;
            // `new_encode_dev` (include/linux/kdev_t.h): the minor number around twelve bits of the major one.
            let (major, minor) =
                (terminal >> 8 & 0xfff, terminal & 0xff | terminal >> 12 & 0xf_ff00);
            if !is_foreground || !TERMINALS.contains(&major) {
                return None;
            }
            let reads = |thread: &&i32| match self.wait_of(**thread) {
                Some((Call::Read { .. }, descriptors)) => descriptors.iter().all(|descriptor| {
                    let status = status_of(self.shown, *descriptor);
                    status.is_some_and(|status| {
                        is_device(&status, (major, minor)) || is_device(&status, OWN_TERMINAL)
                    })
                }),
                _ => false,
            };
            let thread = self.threads.iter().find(reads)?;
            // The majors follow each other, 256 terminals each, where the kernel does not put all below the first.
            let number = (major - TERMINALS.start()) * 256 + minor;
            Some((self, *thread, number))
        }

        /// Its descriptors of the controller of that terminal, where it has any.
        fn controller(&self, terminal: u32) -> Option<Holder<'_>> {
            let entries = fs::read_dir(format!("/proc/{}/fd", self.shown)).ok()?;
            let numbers =
                entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            let descriptors: Vec<u64> =
                numbers.filter(|number| self.controls(*number, terminal)).collect();
            (!descriptors.is_empty()).then_some(Holder { process: self, descriptors })
        }

        fn controls(&self, descriptor: u64, terminal: u32) -> bool {
            status_of(self.shown, descriptor).is_some_and(|status| is_device(&status, PTMX))
                && fs::read_to_string(format!("/proc/{}/fdinfo/{descriptor}", self.shown))
                    .is_ok_and(|info| index_of(&info) == Some(terminal))
        }
    }

    /// A process that has the other end of a terminal, by these descriptors.
    struct Holder<'a> {
        process: &'a Process,
        descriptors: Vec<u64>,
    }

    impl Holder<'_> {
        /// All its threads wait for the terminal, without a time: one that has a time does something when it is over.
        fn waits_for_nothing_else(&self) -> bool {
            self.process.threads.iter().all(|thread| {
                let Some((call, wanted)) = self.process.wait_of(*thread) else { return false };
                !call.is_timed() && wanted.iter().all(|one| self.descriptors.contains(one))
            })
        }
    }

    /// The number of the terminal that a controller belongs to, from its `fdinfo` (`ptm_show_fdinfo` in Linux).
    fn index_of(info: &str) -> Option<u32> {
        info.lines().find_map(|line| line.strip_prefix("tty-index:"))?.trim().parse().ok()
    }

    #[allow(
        clippy::allow_attributes,
        clippy::cast_lossless,
        clippy::unnecessary_cast,
        reason = "the fields' types are the system's"
    )]
    fn file_id(status: &Stat) -> FileId {
        (status.st_dev as u64, status.st_ino as u64)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_controller_says_its_terminal() {
            assert_eq!(index_of("pos:\t0\nflags:\t0100002\ntty-index:\t12\n"), Some(12));
            assert_eq!(index_of("pos:\t0\n"), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(thread: i32) -> Unanswered {
        let program = Program { pid: thread, name: "vim".to_owned() };
        Unanswered { program, thread, is_for_output: true }
    }

    fn at(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn a_wait_counts_once_it_has_lasted_two_seconds() {
        let start = Instant::now();
        let mut silence = Silence::new(start);
        let mut looks = Vec::new();
        let found = loop {
            let due = silence.due();
            looks.push((due - start).as_millis());
            if let Some(found) = silence.seen(Some(wait(7)), due) {
                break found;
            }
        };
        assert_eq!(found, wait(7));
        assert_eq!(looks, [250, 1_250, 2_250]);
    }

    #[test]
    fn another_wait_begins_a_time_of_its_own() {
        let start = Instant::now();
        let mut silence = Silence::new(start);
        assert_eq!(silence.seen(Some(wait(7)), at(start, 250)), None);
        assert_eq!(silence.seen(Some(wait(8)), at(start, 2_250)), None);
        assert_eq!(silence.seen(None, at(start, 3_000)), None);
        assert_eq!(silence.seen(Some(wait(8)), at(start, 4_250)), None);
    }

    #[test]
    fn a_command_that_only_is_silent_is_looked_at_every_five_seconds() {
        let start = Instant::now();
        let mut silence = Silence::new(start);
        let mut looks = Vec::new();
        for _ in 0..7 {
            let due = silence.due();
            looks.push((due - start).as_millis());
            assert_eq!(silence.seen(None, due), None);
        }
        assert_eq!(looks, [250, 500, 1_000, 2_000, 5_000, 10_000, 15_000]);
    }
}
