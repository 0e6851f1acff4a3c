//! From a spawn request to a running program: fork, the child's steps in their order, exec, and
//! the report of the step that failed. Exit statuses are `server`'s.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr;

use crate::process;
use crate::wire::{Limit, Resource, Spawn, SpawnStep};
use rustix::fs::{Access, Mode, RawMode};
use rustix::io::Errno;
use rustix::process::Rlimit;

use super::startup::close_on_exec;
use super::sys;

/// Bytes of a failure report: the step, then the error number.
const REPORT_BYTES: usize = 5;

/// A step that failed, and why.
pub(crate) type Failure = (SpawnStep, Errno);

/// A child between fork and exec.
pub(crate) struct Starting {
    pub(crate) id: u32,
    pub(crate) pid: i32,
    pub(crate) start_time: u64,
    /// Read end of a pipe that exec closes; a failure is written to it.
    report: OwnedFd,
}

/// How a start went on.
pub(crate) enum Progress {
    /// Neither exec nor a failure yet.
    Pending,
    Running,
    Failed(Failure),
}

impl Starting {
    /// What the pipe says so far; never blocks.
    pub(crate) fn progress(&self) -> Progress {
        let mut report = [0; REPORT_BYTES];
        match rustix::io::read(&self.report, &mut report) {
            Err(Errno::AGAIN | Errno::INTR) => Progress::Pending,
            // A report is far below PIPE_BUF, so it arrives whole or, from a child that was
            // killed before its exec, not at all; its exit status tells that story.
            Ok(REPORT_BYTES) => {
                let [step, errno @ ..] = report;
                let step = SpawnStep::from_wire(step).unwrap_or(SpawnStep::Execute);
                Progress::Failed((step, Errno::from_raw_os_error(i32::from_le_bytes(errno))))
            }
            Ok(_) | Err(_) => Progress::Running,
        }
    }

    pub(crate) fn report(&self) -> impl AsFd + '_ {
        &self.report
    }
}

/// Forks a child that becomes the program. Returns before it did: `chdir` or `execve` may hang on
/// a dead network file system, and the supervisor may not.
pub(crate) fn start(spawn: &Spawn, descriptors: Vec<OwnedFd>) -> Result<Starting, Failure> {
    let plan = Plan::new(spawn, descriptors)?;
    let (report, child_report) = report_pipe().map_err(|errno| (SpawnStep::Descriptors, errno))?;
    let forked = sys::fork().map_err(|error| (SpawnStep::Fork, errno_of(&error)))?;
    let Some(pid) = forked else {
        let (step, errno) = plan.become_program();
        let mut bytes = [step.to_wire(); REPORT_BYTES];
        for (slot, byte) in bytes.iter_mut().skip(1).zip(errno.raw_os_error().to_le_bytes()) {
            *slot = byte;
        }
        // Without a reader there is no one to tell.
        rustix::io::write(&child_report, &bytes).ok();
        sys::exit_child();
    };
    let start_time = process::identity_of(pid).map_or(0, |identity| identity.start_time);
    Ok(Starting { id: spawn.id, pid, start_time, report })
}

fn errno_of(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

fn report_pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (reader, writer) = rustix::pipe::pipe()?;
    for end in [&reader, &writer] {
        close_on_exec(end).map_err(|error| errno_of(&error))?;
    }
    rustix::io::ioctl_fionbio(&reader, true)?;
    Ok((reader, writer))
}

/// Everything the child needs, made before the fork.
struct Plan<'a> {
    spawn: &'a Spawn,
    argv: Vec<CString>,
    env: Vec<CString>,
    cwd: Option<CString>,
    descriptors: Vec<OwnedFd>,
}

impl<'a> Plan<'a> {
    fn new(spawn: &'a Spawn, descriptors: Vec<OwnedFd>) -> Result<Self, Failure> {
        let invalid = |step| move |_| (step, Errno::INVAL);
        let c_strings = |values: &[Vec<u8>]| {
            values
                .iter()
                .map(|value| CString::new(value.as_slice()))
                .collect::<Result<Vec<_>, _>>()
                .map_err(invalid(SpawnStep::Execute))
        };
        let cwd = (!spawn.cwd.is_empty()).then(|| CString::new(spawn.cwd.as_slice())).transpose();
        #[cfg_attr(target_os = "linux", expect(unused_mut, reason = "macOS adds its marker"))]
        let mut env = c_strings(&spawn.env)?;
        #[cfg(target_os = "macos")]
        env.extend(CString::new(format!("{}={}", process::ENVIRONMENT_MARKER, std::process::id())));
        Ok(Self {
            spawn,
            argv: c_strings(&spawn.argv)?,
            env,
            cwd: cwd.map_err(invalid(SpawnStep::ChangeDirectory))?,
            descriptors,
        })
    }

    /// Runs in the child; returns only when a step failed.
    fn become_program(&self) -> Failure {
        if let Err(failure) = self.prepare() {
            return failure;
        }
        let errno = errno_of(&self.execute());
        (self.failed_step(errno), errno)
    }

    fn prepare(&self) -> Result<(), Failure> {
        let at = |step| move |errno| (step, errno);
        rustix::process::setsid().map_err(at(SpawnStep::Session))?;
        sys::place_descriptors(&self.descriptors)
            .map_err(|error| (SpawnStep::Redirect, errno_of(&error)))?;
        if self.spawn.controlling_terminal {
            rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())
                .map_err(at(SpawnStep::ControllingTerminal))?;
        }
        if let Some(mask) = self.spawn.umask {
            // Beyond the nine permission bits a mask has no meaning.
            let permissions = RawMode::try_from(mask & 0o777).unwrap_or_default();
            rustix::process::umask(Mode::from_bits_truncate(permissions));
        }
        for limit in &self.spawn.limits {
            lower(*limit).map_err(at(SpawnStep::Limits))?;
        }
        if let Some(cwd) = &self.cwd {
            rustix::process::chdir(cwd.as_c_str()).map_err(at(SpawnStep::ChangeDirectory))?;
        }
        Ok(())
    }

    fn execute(&self) -> io::Error {
        let pointers = |values: &[CString]| {
            let mut pointers: Vec<_> = values.iter().map(|value| value.as_ptr()).collect();
            pointers.push(ptr::null());
            pointers
        };
        // Allocating after the fork is fine: this process has one thread, so no lock is held.
        let (argv, env) = (pointers(&self.argv), pointers(&self.env));
        // Last, so that a signal meant for the supervisor's group cannot end a half-made child.
        sys::reset_signals();
        sys::execute(&argv, &env)
    }

    /// `ENOENT` of a script whose interpreter is missing looks like that of a missing script.
    fn failed_step(&self, errno: Errno) -> SpawnStep {
        let exists = self
            .argv
            .first()
            .is_some_and(|path| rustix::fs::access(path.as_c_str(), Access::EXISTS).is_ok());
        if errno == Errno::NOENT && exists { SpawnStep::Interpreter } else { SpawnStep::Execute }
    }
}

/// Sets a limit, lowered to what this process may set: limits bound, they never grant.
fn lower(limit: Limit) -> Result<(), Errno> {
    let resource = match limit.resource {
        Resource::AddressSpace => rustix::process::Resource::As,
        Resource::OpenFiles => rustix::process::Resource::Nofile,
        Resource::Processes => rustix::process::Resource::Nproc,
        Resource::FileSize => rustix::process::Resource::Fsize,
        Resource::CpuSeconds => rustix::process::Resource::Cpu,
        Resource::CoreSize => rustix::process::Resource::Core,
        Resource::Data => rustix::process::Resource::Data,
    };
    let ceiling = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let maximum = limit.hard.min(ceiling);
    let current = limit.soft.min(maximum);
    let known = |value: u64| (value != u64::MAX).then_some(value);
    rustix::process::setrlimit(
        resource,
        Rlimit { current: known(current), maximum: known(maximum) },
    )
}
