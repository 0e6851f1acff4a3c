//! The controller end as a descriptor of ours: `portable-pty` gives only its number.
#![expect(unsafe_code, reason = "a borrowed descriptor number has no safe form")]

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use portable_pty::MasterPty;

/// A second descriptor of the controller end, closed on exec. Status flags such as non-blocking
/// are shared with the first.
///
/// # Errors
/// `EMFILE` and `ENFILE` when no descriptor is left.
pub(super) fn duplicate(controller: &dyn MasterPty) -> io::Result<OwnedFd> {
    let number = controller
        .as_raw_fd()
        .ok_or_else(|| io::Error::other("the pseudoterminal has no descriptor"))?;
    // SAFETY: `controller` owns the descriptor and is borrowed for the whole of this function.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    borrowed.try_clone_to_owned()
}
