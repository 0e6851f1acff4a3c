//! Operations, and how one is read: all that any of them has first, then the options of the two that have some.
//!
//! By hand, since a derived enum with its name inside keeps a copy of everything that is read, and code to read that copy
//! again: it took 90 KB of this program, which is sent over links.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _, IgnoredAny};
use serde_json::Error;

use super::{MaskRequest, SessionOptions, TerminalOptions};

/// What near asks for.
#[derive(Debug)]
pub(crate) enum Request {
    /// A new session.
    Open {
        /// Its number, chosen by near.
        session: u32,
        /// What it is.
        options: Box<SessionOptions>,
        /// What is masked in its output.
        mask: Option<MaskRequest>,
    },
    /// Ends a session and everything it started.
    Close {
        /// Which.
        session: u32,
    },
    /// Stops all runs of a session.
    Abort {
        /// Which.
        session: u32,
    },
    /// Lets the command that runs go on beside its session.
    HandOver {
        /// Which.
        session: u32,
        /// Asked for again, it gives the same answer.
        id: Option<String>,
    },
    /// How many background jobs live.
    BackgroundCount {
        /// Of which session.
        session: u32,
    },
    /// What background children wrote after their commands ended.
    LateOutput {
        /// Of which session.
        session: u32,
    },
    /// Puts a file into the instance's folder.
    Put {
        /// Its SHA-256, in hexadecimal digits.
        digest: String,
        /// Bytes.
        size: u64,
        /// Its name.
        name: String,
    },
    /// Reads a piece of a spill.
    Read {
        /// Which.
        spill_name: String,
        /// From where, in bytes.
        offset: u64,
        /// How many bytes.
        length: u64,
    },
    /// Removes a spill.
    Remove {
        /// Which.
        spill_name: String,
    },
    /// What a path is.
    Stat {
        /// Absolute, or from where this process was started.
        path: String,
    },
    /// A program on a terminal.
    Terminal {
        /// What runs, and on what terminal.
        options: Box<TerminalOptions>,
        /// Names it when near comes back.
        id: Option<String>,
        /// Bytes that may be on their way. Absent: only the link slows it.
        window: Option<u32>,
    },
    /// Changes a terminal's size.
    Resize {
        /// Its channel.
        terminal: u32,
        /// Clamped.
        columns: u32,
        /// Clamped.
        rows: u32,
    },
    /// Signals a terminal's foreground.
    Signal {
        /// Its channel.
        terminal: u32,
        /// The signal's number on this system.
        signal: i32,
    },
    /// How much was typed that a terminal has not taken.
    PendingInput {
        /// Its channel.
        terminal: u32,
    },
    /// A pipe between near and the commands here.
    Pipe {
        /// Who writes.
        way: Way,
        /// Bytes of an output that may be on their way. Absent: only the link slows it.
        window: Option<u32>,
    },
    /// How much commands have written to a pipe, once all of it is on its way.
    Drained {
        /// Its channel.
        pipe: u32,
    },
    /// Which ports programs listen on.
    Ports {
        /// Whose.
        of: Listeners,
    },
    /// What there is.
    List,
    /// How a session is driven.
    Describe {
        /// Which.
        session: u32,
    },
}

/// Whose ports are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listeners {
    /// Everything that a session started.
    Session(u32),
    /// Whoever has that port.
    Port(u16),
}

/// Who writes to a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Way {
    /// Near; commands read.
    In,
    /// Commands; near reads.
    Out,
}

/// Names of the operations, for the error of one that is none.
const OPERATIONS: &[&str] = &[
    "open",
    "close",
    "abort",
    "handOver",
    "backgroundCount",
    "lateOutput",
    "put",
    "read",
    "remove",
    "stat",
    "terminal",
    "resize",
    "signal",
    "pendingInput",
    "pipe",
    "drained",
    "ports",
    "list",
    "describe",
];

/// What operations have, each some of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members {
    op: String,
    session: Option<u32>,
    terminal: Option<u32>,
    way: Option<Way>,
    pipe: Option<u32>,
    mask: Option<MaskRequest>,
    digest: Option<String>,
    size: Option<u64>,
    name: Option<String>,
    spill_name: Option<String>,
    offset: Option<u64>,
    length: Option<u64>,
    path: Option<String>,
    port: Option<u16>,
    id: Option<String>,
    window: Option<u32>,
    columns: Option<u32>,
    rows: Option<u32>,
    signal: Option<i32>,
    /// Read once it is known of what they are.
    options: Option<IgnoredAny>,
}

/// The options, where there are some.
#[derive(Deserialize)]
struct Options<T> {
    options: Box<T>,
}

impl Request {
    /// The operation in a payload.
    ///
    /// # Errors
    /// Where it is not JSON, has no operation of this protocol, or lacks a member.
    pub(crate) fn read(payload: &[u8]) -> Result<Self, Error> {
        let members: Members = serde_json::from_slice(payload)?;
        let session = need(members.session, "session");
        let terminal = need(members.terminal, "terminal");
        Ok(match members.op.as_str() {
            "open" => Self::Open {
                session: session?,
                options: match members.options {
                    Some(_) => options(payload)?,
                    None => Box::<SessionOptions>::default(),
                },
                mask: members.mask,
            },
            "close" => Self::Close { session: session? },
            "abort" => Self::Abort { session: session? },
            "handOver" => Self::HandOver { session: session?, id: members.id },
            "backgroundCount" => Self::BackgroundCount { session: session? },
            "lateOutput" => Self::LateOutput { session: session? },
            "put" => Self::Put {
                digest: need(members.digest, "digest")?,
                size: need(members.size, "size")?,
                name: need(members.name, "name")?,
            },
            "read" => Self::Read {
                spill_name: need(members.spill_name, "spillName")?,
                offset: need(members.offset, "offset")?,
                length: need(members.length, "length")?,
            },
            "remove" => Self::Remove { spill_name: need(members.spill_name, "spillName")? },
            "stat" => Self::Stat { path: need(members.path, "path")? },
            "terminal" => Self::Terminal {
                options: options::<TerminalOptions>(payload)?,
                id: members.id,
                window: members.window,
            },
            "resize" => Self::Resize {
                terminal: terminal?,
                columns: need(members.columns, "columns")?,
                rows: need(members.rows, "rows")?,
            },
            "signal" => {
                Self::Signal { terminal: terminal?, signal: need(members.signal, "signal")? }
            }
            "pendingInput" => Self::PendingInput { terminal: terminal? },
            "pipe" => Self::Pipe { way: need(members.way, "way")?, window: members.window },
            "drained" => Self::Drained { pipe: need(members.pipe, "pipe")? },
            "ports" => Self::Ports {
                of: match members.port {
                    Some(port) => Listeners::Port(port),
                    None => Listeners::Session(session?),
                },
            },
            "list" => Self::List,
            "describe" => Self::Describe { session: session? },
            other => return Err(Error::unknown_variant(other, OPERATIONS)),
        })
    }
}

fn options<T: DeserializeOwned>(payload: &[u8]) -> Result<Box<T>, Error> {
    serde_json::from_slice::<Options<T>>(payload).map(|read| read.options)
}

fn need<T>(member: Option<T>, name: &'static str) -> Result<T, Error> {
    member.ok_or_else(|| Error::missing_field(name))
}
