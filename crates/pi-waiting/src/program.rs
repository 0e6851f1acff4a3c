//! A program, as all looks name it.

/// A process and what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its process ID.
    pub pid: i32,
    /// Its short name, as the kernel keeps it: at most 15 bytes.
    pub name: String,
}
