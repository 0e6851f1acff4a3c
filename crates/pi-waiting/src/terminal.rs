//! Which terminal: the device that its programs have open.

use std::io;
use std::os::fd::AsFd;

use rustix::fs::Stat;

/// Which terminal: the device that its programs have open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalIdentity {
    device: u64,
    inode: u64,
    number: u64,
}

impl TerminalIdentity {
    /// Of the programs' end of a pseudoterminal.
    ///
    /// # Errors
    /// What the system says of a descriptor that cannot be looked at.
    pub fn of(programs_end: impl AsFd) -> io::Result<Self> {
        Ok(Self::from(&rustix::fs::fstat(programs_end)?))
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn is(&self, status: &Stat) -> bool {
        *self == Self::from(status)
    }

    /// Whether a process has it as its controlling terminal, by the number in field 7 of `proc_pid_stat(5)`.
    #[cfg(target_os = "linux")]
    pub(crate) fn controls(&self, number: u32) -> bool {
        let (major, minor) = (rustix::fs::major(self.number), rustix::fs::minor(self.number));
        // `new_encode_dev` (include/linux/kdev_t.h): the minor number around twelve bits of the major one.
        number == (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12)
    }
}

impl From<&Stat> for TerminalIdentity {
    #[allow(
        clippy::allow_attributes,
        clippy::cast_lossless,
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        reason = "the fields' types are the system's"
    )]
    fn from(status: &Stat) -> Self {
        Self {
            device: status.st_dev as u64,
            inode: status.st_ino as u64,
            number: status.st_rdev as u64,
        }
    }
}
