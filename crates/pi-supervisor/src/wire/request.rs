//! What a host asks of its supervisor.

use super::codec::{Reader, Writer};
use super::{Confine, MAX_DESCRIPTORS, WireError};

const SPAWN: u8 = 1;
const CONFINE: u8 = 2;
const ADOPT: u8 = 3;

/// A frame from the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Start a program.
    Spawn(Spawn),
    /// Give up rights for good, the supervisor's own and so those of all it starts.
    Confine(Confine),
    /// Tell of the end of a child that it did not start, as of a program's. Answered as a spawn.
    Adopt {
        /// Chosen by the host as for a spawn.
        id: u32,
        /// Its process id, as the supervisor counts. Its parent is the supervisor.
        pid: i32,
    },
}

/// A program to start as leader of a session of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawn {
    /// Chosen by the host, not reused; named by every event about this program.
    pub id: u32,
    /// Path of the program, then its arguments. The path is taken as it is, never looked up.
    pub argv: Vec<Vec<u8>>,
    /// The whole environment, `NAME=value` each.
    pub env: Vec<Vec<u8>>,
    /// Working directory; empty keeps the supervisor's, which is `/`.
    pub cwd: Vec<u8>,
    /// How many descriptors come with the frame. They become 0, 1, … in their order; every other
    /// descriptor is closed in the program.
    pub descriptors: u32,
    /// Makes descriptor 0 the controlling terminal of the new session.
    pub controlling_terminal: bool,
    /// File mode creation mask; `None` keeps the host's.
    pub umask: Option<u32>,
    /// Limits set before the program starts.
    pub limits: Vec<Limit>,
}

/// One `setrlimit(2)`. A value above the inherited hard limit is lowered to it: limits bound, they
/// never grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is limited.
    pub resource: Resource,
    /// The limit in force; `u64::MAX` is none.
    pub soft: u64,
    /// The most the program may raise it to; `u64::MAX` is none.
    pub hard: u64,
}

/// The limits a session can be given, numbered here because each system numbers them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// `RLIMIT_AS`, bytes.
    AddressSpace,
    /// `RLIMIT_NOFILE`, a count.
    OpenFiles,
    /// `RLIMIT_NPROC`, a count for the user.
    Processes,
    /// `RLIMIT_FSIZE`, bytes.
    FileSize,
    /// `RLIMIT_CPU`, seconds of each process.
    CpuSeconds,
    /// `RLIMIT_CORE`, bytes.
    CoreSize,
    /// `RLIMIT_DATA`, bytes.
    Data,
}

impl Resource {
    pub(super) const ALL: [Self; 7] = [
        Self::AddressSpace,
        Self::OpenFiles,
        Self::Processes,
        Self::FileSize,
        Self::CpuSeconds,
        Self::CoreSize,
        Self::Data,
    ];

    fn from_wire(byte: u8) -> Result<Self, WireError> {
        Self::ALL
            .into_iter()
            .find(|resource| *resource as u8 == byte)
            .ok_or(WireError::UnknownValue(byte))
    }
}

impl Request {
    /// The frame, prefix included.
    ///
    /// # Errors
    /// [`WireError::FrameLength`] when arguments and environment exceed the longest frame.
    pub fn encode(&self) -> Result<Vec<u8>, WireError> {
        match self {
            Self::Spawn(spawn) => spawn.encode(),
            Self::Confine(confine) => {
                let mut writer = Writer::new(CONFINE);
                confine.encode(&mut writer);
                writer.finish()
            }
            Self::Adopt { id, pid } => {
                let mut writer = Writer::new(ADOPT);
                writer.u32(*id);
                writer.i32(*pid);
                writer.finish()
            }
        }
    }

    /// Reads a frame's body.
    ///
    /// # Errors
    /// Any [`WireError`]; nothing of a frame that is not wholly right is used.
    pub fn decode(body: &[u8]) -> Result<Self, WireError> {
        let mut reader = Reader::new(body);
        let request = match reader.u8()? {
            SPAWN => Self::Spawn(Spawn::decode(&mut reader)?),
            CONFINE => Self::Confine(Confine::decode(&mut reader)?),
            ADOPT => Self::Adopt { id: reader.u32()?, pid: reader.i32()? },
            other => return Err(WireError::UnknownValue(other)),
        };
        reader.finish()?;
        Ok(request)
    }
}

impl Spawn {
    fn encode(&self) -> Result<Vec<u8>, WireError> {
        let mut writer = Writer::new(SPAWN);
        writer.u32(self.id);
        writer.strings(&self.argv);
        writer.strings(&self.env);
        writer.string(&self.cwd);
        writer.u32(self.descriptors);
        writer.flag(self.controlling_terminal);
        writer.flag(self.umask.is_some());
        writer.u32(self.umask.unwrap_or(0));
        writer.count(self.limits.len());
        for limit in &self.limits {
            writer.u8(limit.resource as u8);
            writer.u64(limit.soft);
            writer.u64(limit.hard);
        }
        writer.finish()
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let id = reader.u32()?;
        let argv = reader.list(Reader::c_string)?;
        if argv.is_empty() {
            return Err(WireError::NoProgram);
        }
        let env = reader.list(Reader::c_string)?;
        let cwd = reader.c_string()?;
        let descriptors = reader.u32()?;
        if usize::try_from(descriptors).is_ok_and(|count| count > MAX_DESCRIPTORS) {
            return Err(WireError::TooManyDescriptors(descriptors));
        }
        let controlling_terminal = reader.flag()?;
        let has_umask = reader.flag()?;
        let mask = reader.u32()?;
        let limits = reader.list(|reader| {
            Ok(Limit {
                resource: Resource::from_wire(reader.u8()?)?,
                soft: reader.u64()?,
                hard: reader.u64()?,
            })
        })?;
        let umask = has_umask.then_some(mask);
        Ok(Self { id, argv, env, cwd, descriptors, controlling_terminal, umask, limits })
    }
}
