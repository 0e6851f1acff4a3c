//! The system calls that no program in a sandbox gets, and those that a read-only copy is refused besides, as seccomp
//! programs.
//!
//! A filter sees numbers, not what a pointer points to; so calls are refused by their number, or by
//! the value of a plain argument. Everything refused fails with `EPERM` as a call without the right
//! does, except `clone3` and `openat2`: their arguments are behind a pointer, and with `ENOSYS`
//! programs fall back to the older calls, which can be judged. A read-only copy gets the same answer for every call that is
//! newer than these tables.
//!
//! What is refused stands in `calls`, how a program is written in `program`.

mod calls;
mod program;
#[cfg(test)]
mod tests;

use self::calls::{
    BEYOND_READING, CORE_SIZE, FCNTL_REFUSED, FILE_QUESTIONS, FILE_SYSTEM_KINDS, IOCTL_KIND,
    IOCTL_KINDS, METADATA, NEWEST_JUDGED, OF_A_PROCESS, PRIORITIES, REFUSED, SIGNALLING,
    SYS_FCHMODAT2, TAKING_OVER, TYPING,
};
use self::program::{AS_IF_DONE, Condition, Half, NO_CALL, PERMISSION, Program};

/// Which optional calls are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choices {
    /// Internet sockets: the network is allowed, or is a namespace with nothing in it.
    pub(super) internet: bool,
    /// Changing the mode, owner, times, flags or attributes of files, where only this filter could
    /// refuse it and nothing is writable.
    pub(super) metadata: bool,
    /// It is the filter of a read-only copy.
    pub(super) reading: Option<Reading>,
}

/// What Landlock leaves to the filter of a read-only copy on this kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    /// Signals to processes outside.
    pub(super) signals: bool,
    /// Emptying a file without opening it for writing.
    pub(super) truncation: bool,
}

/// Set-user-id and set-group-id: a program with them would be a way out for the next user.
const SET_ID: u32 = 0o6000;

/// `O_CREAT`; without it the mode of an open means nothing.
const CREATE: u32 = libc::O_CREAT as u32;

/// The bit of `O_TMPFILE` that is not `O_DIRECTORY`.
const UNNAMED: u32 = 0o20_000_000;

/// `CLONE_NEW*`: mount, cgroup, UTS, IPC, user, pid and network namespaces.
const NEW_NAMESPACES: u32 = 0x7e02_0000;

/// Protocols of netlink whose answers programs read: addresses and routes, which resolvers ask for.
const ROUTE: &[u32] = &[0];

/// The same and the list of sockets, for `ss`. What either can change needs a capability, and a read-only copy has none.
const ROUTE_AND_SOCKETS: &[u32] = &[0, 4];

const NETLINK: u32 = libc::AF_NETLINK as u32;

/// The program, as the kernel reads it.
pub(super) fn program(choices: Choices) -> Vec<u8> {
    let mut program = Program::default();
    program.check_architecture();
    for call in REFUSED {
        program.refuse(*call, &[], PERMISSION);
    }
    if !choices.metadata {
        refuse_metadata(&mut program);
    }
    program.refuse(libc::SYS_clone3, &[], NO_CALL);
    program.refuse(libc::SYS_openat2, &[], NO_CALL);
    program.refuse(libc::SYS_clone, &[Condition::has(0, NEW_NAMESPACES)], PERMISSION);
    program.refuse(libc::SYS_ioctl, &[Condition::one_of(1, TYPING)], PERMISSION);
    match choices.reading {
        // It can make a file in its own folder only, which other users do not enter.
        Some(reading) => refuse_beyond_reading(&mut program, reading),
        None => refuse_set_id(&mut program),
    }
    let netlink = if choices.reading.is_some() { ROUTE_AND_SOCKETS } else { ROUTE };
    allow_sockets(&mut program, choices.internet, netlink);
    program.finish()
}

fn refuse_metadata(program: &mut Program) {
    for call in METADATA {
        program.refuse(*call, &[], PERMISSION);
    }
    let kind_among = |kinds| Condition::one_of(1, kinds).within(IOCTL_KIND);
    let kind_beyond = Condition::none_of(1, IOCTL_KINDS).within(IOCTL_KIND);
    program.refuse(libc::SYS_ioctl, &[kind_beyond], PERMISSION);
    let changes = [kind_among(FILE_SYSTEM_KINDS), Condition::none_of(1, FILE_QUESTIONS)];
    program.refuse(libc::SYS_ioctl, &changes, PERMISSION);
}

/// What reaches something else than files, which Landlock has.
fn refuse_beyond_reading(program: &mut Program, reading: Reading) {
    program.refuse_above(NEWEST_JUDGED);
    for call in BEYOND_READING {
        program.refuse(*call, &[], PERMISSION);
    }
    for (call, argument) in OF_A_PROCESS {
        program.refuse(*call, &[Condition::none_of(*argument, &[0])], PERMISSION);
    }
    keep_core_size(program);
    for (call, own) in PRIORITIES {
        program.refuse(*call, &[Condition::none_of(0, &[*own])], PERMISSION);
    }
    program.refuse(libc::SYS_fcntl, &[Condition::one_of(1, FCNTL_REFUSED)], PERMISSION);
    program.refuse(libc::SYS_ioctl, &[Condition::one_of(1, TAKING_OVER)], PERMISSION);
    if reading.signals {
        for (call, argument) in SIGNALLING {
            program.refuse(*call, &[Condition::none_of(*argument, &[0])], PERMISSION);
        }
    }
    if reading.truncation {
        refuse_truncation(program);
    }
}

/// Leaves the limit of core dumps as it is. With 0, which everyone may set, the kernel would start the handler of crashes
/// again. Programs that handle secrets set 0 and give up where that fails, so they read that it was done; no core is
/// dumped either way. Who asks for the old value at the same time would read what is not there, and is refused.
fn keep_core_size(program: &mut Program) {
    const BOTH: [Half; 2] = [Half::Lower, Half::Upper];
    let is_core = |argument: u8| Condition::one_of(argument, &[CORE_SIZE]);
    program.refuse(libc::SYS_setrlimit, &[is_core(0)], AS_IF_DONE);
    let [without_lower, without_upper] = BOTH.map(|half| Condition::one_of(3, &[0]).of(half));
    for half in BOTH {
        let sets = Condition::none_of(2, &[0]).of(half);
        let only_sets = [is_core(1), sets, without_lower, without_upper];
        program.refuse(libc::SYS_prlimit64, &only_sets, AS_IF_DONE);
        program.refuse(libc::SYS_prlimit64, &[is_core(1), sets], PERMISSION);
    }
}

/// An open for reading that empties the file, and the call that names one; an open for writing is Landlock's.
fn refuse_truncation(program: &mut Program) {
    const TRUNCATE: u32 = libc::O_TRUNC as u32;
    const ACCESS_MODE: u32 = libc::O_ACCMODE as u32;
    let empties = |flags: u8| {
        [Condition::has(flags, TRUNCATE), Condition::one_of(flags, &[0]).within(ACCESS_MODE)]
    };
    program.refuse(libc::SYS_truncate, &[], PERMISSION);
    #[cfg(target_arch = "x86_64")]
    program.refuse(libc::SYS_open, &empties(1), PERMISSION);
    program.refuse(libc::SYS_openat, &empties(2), PERMISSION);
}

/// Refuses to make a file with a set-id bit, or to give it one.
fn refuse_set_id(program: &mut Program) {
    #[cfg(target_arch = "x86_64")]
    {
        program.refuse(libc::SYS_chmod, &[Condition::has(1, SET_ID)], PERMISSION);
        program.refuse(libc::SYS_creat, &[Condition::has(1, SET_ID)], PERMISSION);
        program.refuse(libc::SYS_mknod, &[Condition::has(1, SET_ID)], PERMISSION);
        let opened = [Condition::has(1, CREATE | UNNAMED), Condition::has(2, SET_ID)];
        program.refuse(libc::SYS_open, &opened, PERMISSION);
    }
    program.refuse(libc::SYS_fchmod, &[Condition::has(1, SET_ID)], PERMISSION);
    for call in [libc::SYS_fchmodat, SYS_FCHMODAT2, libc::SYS_mknodat] {
        program.refuse(call, &[Condition::has(2, SET_ID)], PERMISSION);
    }
    let opened = [Condition::has(2, CREATE | UNNAMED), Condition::has(3, SET_ID)];
    program.refuse(libc::SYS_openat, &opened, PERMISSION);
}

/// Sockets of no family but the named ones; pairs only of kinds that cannot be connected again.
///
/// A Unix socket with a path is not part of any network namespace: the one of a container
/// daemon or of a key agent would be a way out.
fn allow_sockets(program: &mut Program, internet: bool, netlink: &[u32]) {
    const INTERNET: [u32; 2] = [libc::AF_INET as u32, libc::AF_INET6 as u32];
    /// A pair of datagram sockets could be sent to any name.
    const PAIRS: [u32; 2] = [libc::SOCK_STREAM as u32, libc::SOCK_SEQPACKET as u32];
    /// The bits of a socket's type that are not flags.
    const TYPE: u32 = 0xf;
    const UNIX: u32 = libc::AF_UNIX as u32;
    let families: &[u32] = if internet { &[INTERNET[0], INTERNET[1], NETLINK] } else { &[NETLINK] };
    program.refuse(libc::SYS_socket, &[Condition::none_of(0, families)], PERMISSION);
    let other = [Condition::one_of(0, &[NETLINK]), Condition::none_of(2, netlink)];
    program.refuse(libc::SYS_socket, &other, PERMISSION);
    program.refuse(libc::SYS_socketpair, &[Condition::none_of(0, &[UNIX])], PERMISSION);
    let pairs = Condition::none_of(1, &PAIRS).within(TYPE);
    program.refuse(libc::SYS_socketpair, &[pairs], PERMISSION);
}
