//! Signals of the supervisor: none ends it, one tells it of its children.
//!
//! On Linux everything is blocked and SIGCHLD is read from a signalfd. Elsewhere a handler of
//! SIGCHLD writes to a pipe, which can be polled like a signalfd, and everything else is blocked.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr;

#[cfg(not(target_os = "linux"))]
use std::sync::atomic::{AtomicI32, Ordering};

/// Highest signal number, real-time signals included.
#[cfg(target_os = "linux")]
const LAST_SIGNAL: i32 = 64;

/// Highest signal number.
#[cfg(not(target_os = "linux"))]
const LAST_SIGNAL: i32 = 31;

/// All dispositions default, nothing blocked: what a program finds that a login shell starts.
pub(crate) fn reset_signals() {
    for signal in 1..=LAST_SIGNAL {
        default_disposition(signal);
    }
    set_mask(&empty_set());
}

/// `SIG_DFL` by the raw call: the C library refuses 32 and 33, which it uses itself, but a
/// disposition that the host had inherited for them would still pass through exec.
#[cfg(target_os = "linux")]
fn default_disposition(signal: i32) {
    // Larger than the kernel's structure of any architecture (handler, flags, restorer, mask);
    // all zero is SIG_DFL without flags.
    let action = [0_u64; 8];
    let kernel_set_bytes = 8_usize;
    let nothing_back = ptr::null_mut::<u8>();
    // SAFETY: the kernel reads a structure shorter than `action` and writes nothing. SIGKILL and
    // SIGSTOP are refused, and are default anyway.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            action.as_ptr(),
            nothing_back,
            kernel_set_bytes,
        );
    }
}

#[cfg(not(target_os = "linux"))]
fn default_disposition(signal: i32) {
    // SAFETY: SIG_DFL runs no code of ours. SIGKILL and SIGSTOP are refused.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

fn empty_set() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: initialises the whole set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: initialised by the line above.
    unsafe { set.assume_init() }
}

fn full_set() -> libc::sigset_t {
    let mut set = empty_set();
    // SAFETY: a valid set.
    unsafe { libc::sigfillset(&raw mut set) };
    set
}

fn set_mask(set: &libc::sigset_t) {
    // SAFETY: a valid set; the old mask is not asked for.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, ptr::from_ref(set), ptr::null_mut()) };
}

/// Readable when a child may have ended.
pub(crate) struct Signals {
    readable: OwnedFd,
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.readable.as_fd()
    }
}

impl Signals {
    /// Forgets what was reported; the caller then looks at all its children.
    pub(crate) fn drain(&self) {
        let mut buffer = [0_u8; 1024];
        while matches!(rustix::io::read(&self.readable, &mut buffer), Ok(count) if count > 0) {}
    }

    /// Blocks every signal and listens for SIGCHLD.
    #[cfg(target_os = "linux")]
    pub(crate) fn open() -> io::Result<Self> {
        use std::os::fd::FromRawFd as _;
        set_mask(&full_set());
        let mut set = empty_set();
        // SAFETY: a valid set and a valid signal.
        unsafe { libc::sigaddset(&raw mut set, libc::SIGCHLD) };
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        // SAFETY: a valid set; -1 asks for a new descriptor.
        let number = unsafe { libc::signalfd(-1, &raw const set, flags) };
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just made this descriptor, and no one else knows it.
        Ok(Self { readable: unsafe { OwnedFd::from_raw_fd(number) } })
    }

    /// Blocks every signal but SIGCHLD and listens for that.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open() -> io::Result<Self> {
        use std::os::fd::IntoRawFd as _;
        let (readable, writable) = rustix::pipe::pipe()?;
        for end in [&readable, &writable] {
            rustix::io::ioctl_fionbio(end, true)?;
            crate::program::startup::close_on_exec(end)?;
        }
        // The handler needs it as long as the process lives, so it is never closed.
        CHILD_PIPE.store(writable.into_raw_fd(), Ordering::Relaxed);
        let handler: extern "C" fn(libc::c_int) = note_child;
        // SAFETY: the handler only stores, loads and calls write(2), which may be called there.
        unsafe { libc::signal(libc::SIGCHLD, handler as libc::sighandler_t) };
        let mut set = full_set();
        // SAFETY: a valid set and a valid signal.
        unsafe { libc::sigdelset(&raw mut set, libc::SIGCHLD) };
        set_mask(&set);
        Ok(Self { readable })
    }
}

/// Write end of the pipe that [`note_child`] writes to.
#[cfg(not(target_os = "linux"))]
static CHILD_PIPE: AtomicI32 = AtomicI32::new(-1);

#[cfg(not(target_os = "linux"))]
extern "C" fn note_child(_: libc::c_int) {
    // SAFETY: one byte of a constant; a full pipe says so already. The error number is not saved:
    // every call of this program that SIGCHLD can interrupt handles EINTR by looking again.
    unsafe { libc::write(CHILD_PIPE.load(Ordering::Relaxed), [0_u8].as_ptr().cast(), 1) };
}
