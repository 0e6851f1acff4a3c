//! The system calls that no program in a sandbox gets, as a seccomp program.
//!
//! A filter sees numbers, not what a pointer points to; so calls are refused by their number, or by
//! the value of a plain argument. Everything refused fails with `EPERM` as a call without the right
//! does, except `clone3` and `openat2`: their arguments are behind a pointer, and with `ENOSYS`
//! programs fall back to the older calls, which can be judged.

/// Which optional calls are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choices {
    /// Internet sockets: the network is allowed, or is a namespace with nothing in it.
    pub(super) internet: bool,
    /// Changing the mode, owner, times or attributes of files, where only this filter could
    /// refuse it and nothing is writable.
    pub(super) metadata: bool,
}

/// One condition on an argument's lower 32 bits.
#[derive(Clone, Copy)]
enum Condition {
    /// It is this.
    Is(u8, u32),
    /// It has one of these bits.
    Has(u8, u32),
}

// `linux/bpf_common.h`: what the instructions are made of.
const LOAD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_SET: u16 = 0x45;
const RETURN: u16 = 0x06;

// `linux/seccomp.h`.
const ALLOW: u32 = 0x7fff_0000;
const ERROR: u32 = 0x0005_0000;
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCHITECTURE: u32 = 4;
const OFFSET_ARGUMENTS: u32 = 16;

const PERMISSION: u32 = ERROR | libc::EPERM as u32;
const NO_CALL: u32 = ERROR | libc::ENOSYS as u32;

/// `AUDIT_ARCH_*` of `linux/audit.h`.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// Bit of the x32 calls, which are other numbers for the same things.
const X32: u32 = 0x4000_0000;

/// Set-user-id and set-group-id: a program with them would be a way out for the next user.
const SET_ID: u32 = 0o6000;

/// `O_CREAT`; without it the mode of an open means nothing.
const CREATE: u32 = libc::O_CREAT as u32;

/// The bit of `O_TMPFILE` that is not `O_DIRECTORY`.
const UNNAMED: u32 = 0o20_000_000;

/// `CLONE_NEW*`: mount, cgroup, UTS, IPC, user, pid and network namespaces.
const NEW_NAMESPACES: u32 =
    0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000;

/// Pushes characters into a terminal as if typed.
const TIOCSTI: u32 = 0x5412;
/// Pastes into a console.
const TIOCLINUX: u32 = 0x541c;

/// Calls that are refused whatever their arguments, by what they would reach.
const REFUSED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // The kernel and the machine.
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    // Keys of the user's sessions.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Makes calls of its own, past this filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Calls that change what is known of a file, refused where `Choices::metadata` is false.
const METADATA: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// `fchmodat2(2)`, newer than some headers; the number is the same everywhere.
const SYS_FCHMODAT2: libc::c_long = 452;

/// The program, as the kernel reads it.
pub(super) fn program(choices: Choices) -> Vec<u8> {
    let mut program = Program::default();
    program.check_architecture();
    for call in REFUSED {
        program.refuse(*call, &[], PERMISSION);
    }
    if !choices.metadata {
        for call in METADATA {
            program.refuse(*call, &[], PERMISSION);
        }
    }
    program.refuse(libc::SYS_clone3, &[], NO_CALL);
    program.refuse(libc::SYS_openat2, &[], NO_CALL);
    program.refuse(libc::SYS_clone, &[Condition::Has(0, NEW_NAMESPACES)], PERMISSION);
    for request in [TIOCSTI, TIOCLINUX] {
        program.refuse(libc::SYS_ioctl, &[Condition::Is(1, request)], PERMISSION);
    }
    program.refuse_set_id();
    program.allow_sockets(choices.internet);
    program.push(RETURN, 0, 0, ALLOW);
    program.0
}

#[derive(Default)]
struct Program(Vec<u8>);

impl Program {
    /// One `struct sock_filter`.
    fn push(&mut self, code: u16, if_true: u8, if_false: u8, value: u32) {
        self.0.extend_from_slice(&code.to_ne_bytes());
        self.0.extend_from_slice(&[if_true, if_false]);
        self.0.extend_from_slice(&value.to_ne_bytes());
    }

    fn load_number(&mut self) {
        self.push(LOAD, 0, 0, OFFSET_NUMBER);
    }

    fn load_argument(&mut self, index: u8) {
        // The lower half of a 64-bit word on a little-endian machine; both of ours are.
        self.push(LOAD, 0, 0, OFFSET_ARGUMENTS + 8 * u32::from(index));
    }

    /// Programs of another architecture have other numbers: none of their calls is known.
    fn check_architecture(&mut self) {
        self.push(LOAD, 0, 0, OFFSET_ARCHITECTURE);
        self.push(JUMP_EQUAL, 1, 0, ARCHITECTURE);
        self.push(RETURN, 0, 0, PERMISSION);
        self.load_number();
        if cfg!(target_arch = "x86_64") {
            self.push(JUMP_SET, 0, 1, X32);
            self.push(RETURN, 0, 0, NO_CALL);
        }
    }

    /// Refuses a call for which all conditions hold. Expects and leaves the number loaded.
    fn refuse(&mut self, call: libc::c_long, conditions: &[Condition], answer: u32) {
        let number = u32::try_from(call).unwrap_or(u32::MAX);
        // Two instructions for a condition, one for the answer and one to load the number again.
        let length = u8::try_from(conditions.len() * 2 + 1).unwrap_or(u8::MAX);
        let reload = u8::from(!conditions.is_empty());
        self.push(JUMP_EQUAL, 0, length + reload, number);
        let mut left = length;
        for condition in conditions {
            let (code, argument, value) = match *condition {
                Condition::Is(argument, value) => (JUMP_EQUAL, argument, value),
                Condition::Has(argument, bits) => (JUMP_SET, argument, bits),
            };
            left -= 2;
            self.load_argument(argument);
            self.push(code, 0, left, value);
        }
        self.push(RETURN, 0, 0, answer);
        if reload == 1 {
            self.load_number();
        }
    }

    /// Refuses to make a file with a set-id bit, or to give it one.
    fn refuse_set_id(&mut self) {
        #[cfg(target_arch = "x86_64")]
        {
            self.refuse(libc::SYS_chmod, &[Condition::Has(1, SET_ID)], PERMISSION);
            self.refuse(libc::SYS_creat, &[Condition::Has(1, SET_ID)], PERMISSION);
            self.refuse(libc::SYS_mknod, &[Condition::Has(1, SET_ID)], PERMISSION);
            let opened = [Condition::Has(1, CREATE | UNNAMED), Condition::Has(2, SET_ID)];
            self.refuse(libc::SYS_open, &opened, PERMISSION);
        }
        self.refuse(libc::SYS_fchmod, &[Condition::Has(1, SET_ID)], PERMISSION);
        for call in [libc::SYS_fchmodat, SYS_FCHMODAT2, libc::SYS_mknodat] {
            self.refuse(call, &[Condition::Has(2, SET_ID)], PERMISSION);
        }
        let opened = [Condition::Has(2, CREATE | UNNAMED), Condition::Has(3, SET_ID)];
        self.refuse(libc::SYS_openat, &opened, PERMISSION);
    }

    /// Sockets of no family but the named ones; pairs only of kinds that cannot be connected anew.
    ///
    /// A Unix socket with a path is not part of any network namespace: the one of a container
    /// daemon or of a key agent would be a way out.
    fn allow_sockets(&mut self, internet: bool) {
        let call = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);
        let internet: &[i32] = if internet { &[libc::AF_INET, libc::AF_INET6] } else { &[] };
        let families = u8::try_from(internet.len()).unwrap_or(0);
        // Routing answers over netlink tell which addresses there are; resolvers ask for that.
        self.push(JUMP_EQUAL, 0, families + 6, call(libc::SYS_socket));
        self.load_argument(0);
        for (index, family) in internet.iter().enumerate() {
            let to_end = families - u8::try_from(index).unwrap_or(0) + 3;
            self.push(JUMP_EQUAL, to_end, 0, u32::try_from(*family).unwrap_or(0));
        }
        self.push(JUMP_EQUAL, 0, 2, u32::try_from(libc::AF_NETLINK).unwrap_or(0));
        self.load_argument(2);
        self.push(JUMP_EQUAL, 1, 0, 0);
        self.push(RETURN, 0, 0, PERMISSION);
        self.load_number();

        // A pair of datagram sockets could be sent to any name.
        let kind_mask = 0xf;
        self.push(JUMP_EQUAL, 0, 5, call(libc::SYS_socketpair));
        self.load_argument(1);
        self.push(AND, 0, 0, kind_mask);
        self.push(JUMP_EQUAL, 2, 0, u32::try_from(libc::SOCK_STREAM).unwrap_or(0));
        self.push(JUMP_EQUAL, 1, 0, u32::try_from(libc::SOCK_SEQPACKET).unwrap_or(0));
        self.push(RETURN, 0, 0, PERMISSION);
        self.load_number();
    }
}

/// Keeps the bits of a value.
const AND: u16 = 0x54;

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Choices = Choices { internet: true, metadata: true };

    /// What the program answers: an interpreter of the six instructions it is made of.
    fn answer(choices: Choices, call: libc::c_long, arguments: [u64; 4]) -> u32 {
        answer_of(choices, ARCHITECTURE, u32::try_from(call).unwrap(), arguments)
    }

    fn answer_of(choices: Choices, architecture: u32, number: u32, arguments: [u64; 4]) -> u32 {
        let bytes = program(choices);
        let mut data = Vec::new();
        data.extend(number.to_ne_bytes());
        data.extend(architecture.to_ne_bytes());
        data.extend([0; 8]);
        data.extend(arguments.into_iter().flat_map(u64::to_ne_bytes));
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let one = &bytes[at * 8..at * 8 + 8];
            let code = u16::from_ne_bytes([one[0], one[1]]);
            let value = u32::from_ne_bytes(one[4..8].try_into().unwrap());
            let jump = |holds: bool| usize::from(if holds { one[2] } else { one[3] });
            at += 1;
            match code {
                LOAD => {
                    let from = value as usize;
                    accumulator = u32::from_ne_bytes(data[from..from + 4].try_into().unwrap());
                }
                AND => accumulator &= value,
                JUMP_EQUAL => at += jump(accumulator == value),
                JUMP_SET => at += jump(accumulator & value != 0),
                RETURN => return value,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn an_ordinary_call_is_allowed() {
        for call in [libc::SYS_read, libc::SYS_execve, libc::SYS_pidfd_open, libc::SYS_sendmsg] {
            assert_eq!(answer(BOTH, call, [0; 4]), ALLOW, "{call}");
        }
    }

    #[test]
    fn every_call_of_the_list_is_refused() {
        for call in REFUSED {
            assert_eq!(answer(BOTH, *call, [0; 4]), PERMISSION, "{call}");
        }
    }

    #[test]
    fn a_fork_is_allowed_and_a_namespace_is_not() {
        let fork = u64::from(0x0120_0011_u32);

        assert_eq!(answer(BOTH, libc::SYS_clone, [fork, 0, 0, 0]), ALLOW);
        assert_eq!(answer(BOTH, libc::SYS_clone, [0x1000_0011, 0, 0, 0]), PERMISSION);
        assert_eq!(answer(BOTH, libc::SYS_clone3, [0; 4]), NO_CALL);
    }

    #[test]
    fn typing_into_a_terminal_is_refused_also_with_upper_bits_set() {
        assert_eq!(answer(BOTH, libc::SYS_ioctl, [0, 0x5412, 0, 0]), PERMISSION);
        assert_eq!(answer(BOTH, libc::SYS_ioctl, [0, 0xff_0000_5412, 0, 0]), PERMISSION);
        assert_eq!(answer(BOTH, libc::SYS_ioctl, [0, 0x5401, 0, 0]), ALLOW);
    }

    #[test]
    fn no_file_gets_a_set_id_bit() {
        assert_eq!(answer(BOTH, libc::SYS_fchmod, [0, 0o4755, 0, 0]), PERMISSION);
        assert_eq!(answer(BOTH, libc::SYS_fchmodat, [0, 0, 0o2755, 0]), PERMISSION);
        assert_eq!(answer(BOTH, libc::SYS_fchmodat, [0, 0, 0o755, 0]), ALLOW);
        assert_eq!(answer(BOTH, libc::SYS_openat, [0, 0, 0o101, 0o4755]), PERMISSION);
        // Without O_CREAT the fourth argument is whatever the register had.
        assert_eq!(answer(BOTH, libc::SYS_openat, [0, 0, 0, 0o4755]), ALLOW);
    }

    #[test]
    fn sockets_are_those_of_the_allowed_families() {
        let socket = |choices, family: i32| {
            answer(choices, libc::SYS_socket, [u64::try_from(family).unwrap(), 1, 0, 0])
        };
        let without = Choices { internet: false, ..BOTH };

        assert_eq!(socket(BOTH, libc::AF_INET), ALLOW);
        assert_eq!(socket(BOTH, libc::AF_INET6), ALLOW);
        assert_eq!(socket(without, libc::AF_INET), PERMISSION);
        assert_eq!(socket(without, libc::AF_INET6), PERMISSION);
        for choices in [BOTH, without] {
            assert_eq!(socket(choices, libc::AF_NETLINK), ALLOW);
            for family in [libc::AF_UNIX, libc::AF_VSOCK, libc::AF_PACKET, libc::AF_ALG] {
                assert_eq!(socket(choices, family), PERMISSION, "{family}");
            }
        }
        assert_eq!(answer(BOTH, libc::SYS_socket, [16, 3, 9, 0]), PERMISSION, "netlink audit");
    }

    #[test]
    fn a_pair_of_sockets_is_allowed_unless_it_can_be_sent_elsewhere() {
        let pair = |kind: u64| answer(BOTH, libc::SYS_socketpair, [1, kind, 0, 0]);

        assert_eq!(pair(1 | 0o2_000_000), ALLOW);
        assert_eq!(pair(5), ALLOW);
        assert_eq!(pair(2), PERMISSION);
    }

    #[test]
    fn calls_of_another_architecture_are_refused() {
        assert_eq!(answer_of(BOTH, 0x4000_0003, 0, [0; 4]), PERMISSION);
        if cfg!(target_arch = "x86_64") {
            assert_eq!(answer_of(BOTH, ARCHITECTURE, X32, [0; 4]), NO_CALL);
        }
    }

    #[test]
    fn metadata_is_left_alone_where_that_was_chosen() {
        let without = Choices { metadata: false, ..BOTH };

        assert_eq!(answer(BOTH, libc::SYS_fchmodat, [0; 4]), ALLOW);
        for call in METADATA {
            assert_eq!(answer(without, *call, [0; 4]), PERMISSION, "{call}");
        }
    }
}
