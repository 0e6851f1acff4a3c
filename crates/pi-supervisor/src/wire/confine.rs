//! What a supervisor gives up when its session is to run in a sandbox. Mechanism only: which paths,
//! rights and calls is the host's decision.

use super::WireError;
use super::codec::{Reader, Writer};

/// Rights to give up. Applied to the supervisor itself, so that every program it starts has the
/// same ones, also one that replaces another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confine {
    /// Chosen by the host; named by the answer.
    pub id: u32,
    /// Namespaces of its own first, where no one made any around it.
    pub namespaces: Option<Namespaces>,
    /// Port on 127.0.0.1 of the network namespace to listen at; 0: none. The listener comes to the
    /// host with the answer, as `SCM_RIGHTS`, and the supervisor keeps none.
    pub listener_port: u16,
    /// The Landlock domain to enter. `None`: none.
    pub landlock: Option<Landlock>,
    /// The seccomp program, as `struct sock_filter`s in memory order. Empty: none.
    pub seccomp: Vec<u8>,
}

/// User, mount and IPC namespaces of the supervisor's own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Namespaces {
    /// A network namespace too, with nothing but a loopback device.
    pub network: bool,
    /// Folders below which files can be written; everything else becomes read-only.
    pub writable: Vec<Vec<u8>>,
    /// Folders in these that become mount points, so that they can be neither renamed nor removed.
    pub pinned: Vec<Vec<u8>>,
    /// Files and folders in these that stay read-only.
    pub read_only: Vec<Vec<u8>>,
    /// `/dev/pts` becomes one of its own, in which no terminal of the host exists.
    pub terminals: bool,
    /// With it, the host's path of the session's own terminal, which becomes `/dev/console`.
    /// Empty: it has none.
    pub console: Vec<u8>,
}

/// A Landlock ruleset, in the kernel's bits (`linux/landlock.h`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Landlock {
    /// `handled_access_fs`.
    pub filesystem: u64,
    /// `handled_access_net`.
    pub network: u64,
    /// `scoped`.
    pub scoped: u64,
    /// What is allowed in spite of it.
    pub rules: Vec<PathRule>,
}

/// Rights below a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathRule {
    /// The file or folder. One that is missing is skipped: there is nothing to grant.
    pub path: Vec<u8>,
    /// `allowed_access`; bits that only folders have are left out where it is a file.
    pub access: u64,
}

/// The steps of a confinement, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfineStep {
    /// `unshare(2)` and the maps of users and groups.
    Namespaces,
    /// Mounts in the namespace.
    Mounts,
    /// The loopback device of the network namespace.
    Loopback,
    /// The listener for the host's proxy.
    Listener,
    /// `PR_SET_NO_NEW_PRIVS`.
    NoNewPrivileges,
    /// Making the Landlock ruleset or entering its domain.
    Landlock,
    /// Capabilities and their bounding set.
    Capabilities,
    /// `seccomp(2)`.
    Seccomp,
    /// This system has none of it.
    Unsupported,
}

impl ConfineStep {
    const ALL: [Self; 9] = [
        Self::Namespaces,
        Self::Mounts,
        Self::Loopback,
        Self::Listener,
        Self::NoNewPrivileges,
        Self::Landlock,
        Self::Capabilities,
        Self::Seccomp,
        Self::Unsupported,
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

impl Confine {
    pub(super) fn encode(&self, writer: &mut Writer) {
        writer.u32(self.id);
        writer.flag(self.namespaces.is_some());
        if let Some(namespaces) = &self.namespaces {
            writer.flag(namespaces.network);
            writer.strings(&namespaces.writable);
            writer.strings(&namespaces.pinned);
            writer.strings(&namespaces.read_only);
            writer.flag(namespaces.terminals);
            writer.string(&namespaces.console);
        }
        writer.u16(self.listener_port);
        writer.flag(self.landlock.is_some());
        if let Some(landlock) = &self.landlock {
            writer.u64(landlock.filesystem);
            writer.u64(landlock.network);
            writer.u64(landlock.scoped);
            writer.count(landlock.rules.len());
            for rule in &landlock.rules {
                writer.string(&rule.path);
                writer.u64(rule.access);
            }
        }
        writer.string(&self.seccomp);
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let id = reader.u32()?;
        let namespaces = if reader.flag()? {
            Some(Namespaces {
                network: reader.flag()?,
                writable: reader.list(Reader::c_string)?,
                pinned: reader.list(Reader::c_string)?,
                read_only: reader.list(Reader::c_string)?,
                terminals: reader.flag()?,
                console: reader.c_string()?,
            })
        } else {
            None
        };
        let listener_port = reader.u16()?;
        let landlock = if reader.flag()? {
            Some(Landlock {
                filesystem: reader.u64()?,
                network: reader.u64()?,
                scoped: reader.u64()?,
                rules: reader.list(|reader| {
                    Ok(PathRule { path: reader.c_string()?, access: reader.u64()? })
                })?,
            })
        } else {
            None
        };
        Ok(Self { id, namespaces, listener_port, landlock, seccomp: reader.string()? })
    }
}
