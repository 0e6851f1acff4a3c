//! Sandboxes: what commands of a session can reach, and how that is held.
//!
//! # Theory of operation
//! The whole session is inside: its supervisor gives rights up before it starts anything, so every
//! bash of the session, also one that replaces another, has the same ones. `Sandbox::open` chooses the
//! first backend that works and proves it by attempts that must fail (`probe`); `Sandbox::enclose` says how one session's
//! supervisor is started (`bwrap` around it, or nothing) and what it then gives up itself (Landlock, capabilities, seccomp).
//!
//! | backend | files, processes, network | and, on top |
//! |---|---|---|
//! | bubblewrap | namespaces and mounts that `bwrap` makes | Landlock, seccomp |
//! | landlock | Landlock; namespaces and mounts of our own where they can be had | seccomp |
//! | seatbelt | a profile of macOS | |
//!
//! What may run at all is not decided here. See docs/sandbox.md.

#[cfg(target_os = "linux")]
mod bubblewrap;
mod confinement;
#[cfg(target_os = "linux")]
mod devices;
#[cfg(unix)]
mod egress;
#[cfg(unix)]
mod enclosure;
mod error;
#[cfg(target_os = "linux")]
mod kept_rules;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(unix)]
mod layout;
#[cfg(unix)]
mod plants;
#[cfg(unix)]
mod probe;
#[cfg(target_os = "linux")]
pub mod proof;
#[cfg(unix)]
mod proven;
#[cfg(target_os = "linux")]
pub mod read_only;
#[cfg(unix)]
mod sandbox;
#[cfg(all(unix, any(test, not(target_os = "linux"))))]
mod seatbelt;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(unix)]
mod stubs;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(unix)]
mod technique;

pub use confinement::{
    PROXY_ADDRESS, Plant, PlantKind, SandboxBackend, SandboxMode, SandboxNetwork, SandboxOptions,
    SandboxReport,
};
#[cfg(unix)]
pub use egress::Egress;
#[cfg(unix)]
pub use enclosure::{Enclosure, SessionPaths};
pub use error::SandboxUnavailable;
#[cfg(unix)]
pub use plants::Plants;
#[cfg(unix)]
pub use sandbox::Sandbox;
#[cfg(unix)]
pub use stubs::Stubs;
#[cfg(unix)]
pub use technique::offered_backends;

#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "../../pi-supervisor/tests/support/executable.rs"]
mod executable;
