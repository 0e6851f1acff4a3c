//! What a supervisor tells its host.

use super::codec::{Reader, Writer};
use super::{ConfineStep, VERSION, WireError};

const READY: u8 = 1;
const SPAWNED: u8 = 2;
const SPAWN_FAILED: u8 = 3;
const EXITED: u8 = 4;
const SWEPT: u8 = 5;
const CONFINED: u8 = 6;
const CONFINE_FAILED: u8 = 7;

const BY_CODE: u8 = 0;
const BY_SIGNAL: u8 = 1;

/// A frame from the supervisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The supervisor is set up and reads requests. Always the first frame.
    Ready {
        /// [`VERSION`] of its build.
        version: u32,
    },
    /// The program of a spawn runs.
    Spawned {
        /// Id of the spawn.
        id: u32,
        /// Its process id, also its process group and session.
        pid: i32,
        /// Its start time as in `ProcessIdentity`.
        start_time: u64,
    },
    /// The program of a spawn does not run, and nothing of it is left.
    SpawnFailed {
        /// Id of the spawn.
        id: u32,
        /// What was being done.
        step: SpawnStep,
        /// The system's error number.
        errno: i32,
    },
    /// The program of a spawn ended. Comes after its `Spawned`, exactly once.
    Exited {
        /// Id of the spawn.
        id: u32,
        /// Its process id, free for reuse from here on.
        pid: i32,
        /// How it ended.
        exit: Exit,
        /// It left a core dump.
        core: bool,
        /// What it and the children it waited for used.
        usage: Usage,
    },
    /// The last one: the sweep at the supervisor's end is over.
    Swept {
        /// Processes that are still alive: not ours to signal, or stuck in the kernel.
        left: Vec<i32>,
    },
    /// The supervisor, and all it starts from here on, is confined.
    Confined {
        /// Id of the request.
        id: u32,
    },
    /// The supervisor is not confined, or only in part; it is of no use any more.
    ConfineFailed {
        /// Id of the request.
        id: u32,
        /// What was being done.
        step: ConfineStep,
        /// The system's error number.
        errno: i32,
    },
}

/// What a process used, with the children it waited for and theirs, as wait4(2) tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Processor time outside of the kernel, in microseconds.
    pub user_us: u64,
    /// Processor time inside of the kernel, in microseconds.
    pub system_us: u64,
    /// Largest resident set of one of these processes, in KiB.
    pub peak_kib: u64,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It returned a status.
    Code(u8),
    /// A signal ended it.
    Signal(i32),
}

/// The steps of a spawn, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnStep {
    /// The request reaches the supervisor. Never on the wire: the host's own finding.
    Request,
    /// The supervisor takes the descriptors, or makes the pipe that reports errors.
    Descriptors,
    /// `fork(2)`.
    Fork,
    /// `setsid(2)`.
    Session,
    /// The descriptors are put in their places.
    Redirect,
    /// Descriptor 0 becomes the controlling terminal.
    ControllingTerminal,
    /// `setrlimit(2)`.
    Limits,
    /// `chdir(2)`.
    ChangeDirectory,
    /// `execve(2)`.
    Execute,
    /// `execve(2)` of a program that exists: its interpreter is missing.
    Interpreter,
    /// A process is looked up, to tell of its end.
    Adopt,
}

impl SpawnStep {
    const ALL: [Self; 11] = [
        Self::Request,
        Self::Descriptors,
        Self::Fork,
        Self::Session,
        Self::Redirect,
        Self::ControllingTerminal,
        Self::Limits,
        Self::ChangeDirectory,
        Self::Execute,
        Self::Interpreter,
        Self::Adopt,
    ];

    /// The byte that stands for it.
    pub fn to_wire(self) -> u8 {
        self as u8
    }

    /// The step that a byte stands for.
    ///
    /// # Errors
    /// [`WireError::UnknownValue`] for any other byte.
    pub fn from_wire(byte: u8) -> Result<Self, WireError> {
        Self::ALL
            .into_iter()
            .find(|step| step.to_wire() == byte)
            .ok_or(WireError::UnknownValue(byte))
    }
}

impl Event {
    /// The first frame of this build.
    pub fn ready() -> Self {
        Self::Ready { version: VERSION }
    }

    /// The frame, prefix included.
    ///
    /// # Errors
    /// [`WireError::FrameLength`] for a `Swept` with millions of processes.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        let writer = match self {
            Self::Ready { version } => {
                let mut writer = Writer::new(READY);
                writer.u32(*version);
                writer
            }
            Self::Spawned { id, pid, start_time } => {
                let mut writer = Writer::new(SPAWNED);
                writer.u32(*id);
                writer.i32(*pid);
                writer.u64(*start_time);
                writer
            }
            Self::SpawnFailed { id, step, errno } => {
                let mut writer = Writer::new(SPAWN_FAILED);
                writer.u32(*id);
                writer.u8(step.to_wire());
                writer.i32(*errno);
                writer
            }
            Self::Exited { id, pid, exit, core, usage } => {
                let mut writer = Writer::new(EXITED);
                writer.u32(*id);
                writer.i32(*pid);
                match exit {
                    Exit::Code(code) => {
                        writer.u8(BY_CODE);
                        writer.i32(i32::from(*code));
                    }
                    Exit::Signal(signal) => {
                        writer.u8(BY_SIGNAL);
                        writer.i32(*signal);
                    }
                }
                writer.flag(*core);
                for value in [usage.user_us, usage.system_us, usage.peak_kib] {
                    writer.u64(value);
                }
                writer
            }
            Self::Swept { left } => {
                let mut writer = Writer::new(SWEPT);
                writer.count(left.len());
                for pid in left {
                    writer.i32(*pid);
                }
                writer
            }
            Self::Confined { id } => {
                let mut writer = Writer::new(CONFINED);
                writer.u32(*id);
                writer
            }
            Self::ConfineFailed { id, step, errno } => {
                let mut writer = Writer::new(CONFINE_FAILED);
                writer.u32(*id);
                writer.u8(step.to_wire());
                writer.i32(*errno);
                writer
            }
        };
        writer.finish()
    }

    /// Reads a frame's body.
    ///
    /// # Errors
    /// Any [`WireError`]; nothing of a frame that is not wholly right is used.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(body);
        let event = match reader.u8()? {
            READY => Self::Ready { version: reader.u32()? },
            SPAWNED => {
                Self::Spawned { id: reader.u32()?, pid: reader.i32()?, start_time: reader.u64()? }
            }
            SPAWN_FAILED => Self::SpawnFailed {
                id: reader.u32()?,
                step: SpawnStep::from_wire(reader.u8()?)?,
                errno: reader.i32()?,
            },
            EXITED => Self::Exited {
                id: reader.u32()?,
                pid: reader.i32()?,
                exit: decode_exit(&mut reader)?,
                core: reader.flag()?,
                usage: Usage {
                    user_us: reader.u64()?,
                    system_us: reader.u64()?,
                    peak_kib: reader.u64()?,
                },
            },
            SWEPT => Self::Swept { left: reader.list(Reader::i32)? },
            CONFINED => Self::Confined { id: reader.u32()? },
            CONFINE_FAILED => Self::ConfineFailed {
                id: reader.u32()?,
                step: ConfineStep::from_wire(reader.u8()?)?,
                errno: reader.i32()?,
            },
            other => return Err(WireError::UnknownValue(other)),
        };
        reader.finish()?;
        Ok(event)
    }
}

fn decode_exit(reader: &mut Reader<'_>) -> Result<Exit, WireError> {
    let kind = reader.u8()?;
    let value = reader.i32()?;
    match kind {
        // The low byte names the value in the error; a code past 255 is refused either way.
        BY_CODE => u8::try_from(value)
            .map(Exit::Code)
            .map_err(|_| WireError::UnknownValue(value.to_le_bytes()[0])),
        BY_SIGNAL => Ok(Exit::Signal(value)),
        other => Err(WireError::UnknownValue(other)),
    }
}
