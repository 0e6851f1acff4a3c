//! What the programs answer, by an interpreter of the instructions that they are made of.

use super::calls::{BEYOND_READING, METADATA, REFUSED, SIGNALLING};
use super::program::{
    ALLOW, AND, ARCHITECTURE, AS_IF_DONE, JUMP_EQUAL, JUMP_GREATER, JUMP_SET, LOAD, NO_CALL,
    PERMISSION, RETURN, X32,
};
use super::*;

const BOTH: Choices = Choices { internet: true, metadata: true, reading: None };

/// The filter of a read-only copy: where Landlock has everything, and where it lacks what a filter can hold.
const NEWEST: Choices = Choices {
    internet: false,
    metadata: false,
    reading: Some(Reading { signals: false, truncation: false }),
};
const OLDEST: Choices =
    Choices { reading: Some(Reading { signals: true, truncation: true }), ..NEWEST };

/// What the program answers: an interpreter of the seven instructions it is made of.
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
            JUMP_GREATER => at += jump(accumulator > value),
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

/// `seccomp(2)`: the lower bits of such an answer are the error that the program reads.
#[test]
fn what_is_refused_is_an_error_and_ends_no_program() {
    for (answer, errno) in [(PERMISSION, libc::EPERM), (NO_CALL, libc::ENOSYS), (AS_IF_DONE, 0)] {
        assert_eq!(answer, libc::SECCOMP_RET_ERRNO + u32::try_from(errno).unwrap());
    }
}

#[test]
fn a_fork_is_allowed_and_a_namespace_is_not() {
    let fork = u64::from(0x0120_0011_u32);

    assert_eq!(answer(BOTH, libc::SYS_clone, [fork, 0, 0, 0]), ALLOW);
    for namespace in [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ] {
        let flags = u64::try_from(namespace | libc::SIGCHLD).unwrap();
        assert_eq!(answer(BOTH, libc::SYS_clone, [flags, 0, 0, 0]), PERMISSION, "{flags:#x}");
    }
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
    let unnamed = u64::try_from(libc::O_TMPFILE | libc::O_WRONLY).unwrap();
    assert_eq!(answer(BOTH, libc::SYS_openat, [0, 0, unnamed, 0o4755]), PERMISSION);
    #[cfg(target_arch = "x86_64")]
    for (flags, mode, expected) in
        [(0o101, 0o4755, PERMISSION), (unnamed, 0o2755, PERMISSION), (0, 0o4755, ALLOW)]
    {
        assert_eq!(answer(BOTH, libc::SYS_open, [0, flags, mode, 0]), expected, "{flags:#o}");
    }
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

#[test]
fn a_read_only_copy_is_refused_what_landlock_does_not_have() {
    for call in REFUSED.iter().chain(METADATA).chain(BEYOND_READING) {
        assert_eq!(answer(NEWEST, *call, [0; 4]), PERMISSION, "{call}");
    }
    for call in [libc::SYS_read, libc::SYS_execve, libc::SYS_openat, libc::SYS_kill] {
        assert_eq!(answer(NEWEST, call, [1, 9, 0, 0]), ALLOW, "{call}");
    }
    assert_eq!(answer(NEWEST, libc::SYS_clone, [0x1000_0011, 0, 0, 0]), PERMISSION);
}

#[test]
fn a_read_only_copy_has_no_call_that_is_newer_than_the_tables() {
    let highest = u32::try_from(NEWEST_JUDGED).unwrap();
    for choices in [NEWEST, OLDEST] {
        let of = |number| answer_of(choices, ARCHITECTURE, number, [0; 4]);
        // `file_getattr`, and the last one, which a table refuses.
        assert_eq!(of(highest - 1), ALLOW);
        assert_eq!(of(highest), PERMISSION);
        for number in [highest + 1, 1000, 0x3fff_ffff, u32::MAX] {
            assert_eq!(of(number), NO_CALL, "{number}");
        }
    }
    assert_eq!(answer_of(BOTH, ARCHITECTURE, highest + 1, [0; 4]), ALLOW, "sandboxes have walls");
}

#[test]
fn the_tables_know_no_call_above_the_one_that_they_end_with() {
    let of_a_process = OF_A_PROCESS.iter().map(|(call, _)| call);
    let signalling = SIGNALLING.iter().map(|(call, _)| call);
    for call in
        REFUSED.iter().chain(METADATA).chain(BEYOND_READING).chain(of_a_process).chain(signalling)
    {
        assert!(*call <= NEWEST_JUDGED, "{call}");
    }
}

#[test]
fn a_read_only_copy_does_not_change_its_limit_of_core_dumps() {
    const CORE: u64 = 4;
    let set = |resource, new, old| answer(NEWEST, libc::SYS_prlimit64, [0, resource, new, old]);

    // A pointer's lower half can be 0.
    for new in [0x7fff_0000_1000, 0x1000, 0x1_0000_0000] {
        assert_eq!(set(CORE, new, 0), AS_IF_DONE, "{new:#x}");
        assert_eq!(set(CORE | 1 << 40, new, 0), AS_IF_DONE, "{new:#x} with upper bits");
        for old in [0x7fff_0000_2000, 0x2000, 0x1_0000_0000] {
            assert_eq!(set(CORE, new, old), PERMISSION, "{new:#x} {old:#x}");
        }
        assert_eq!(set(CORE - 1, new, 0), ALLOW, "another limit");
    }
    assert_eq!(set(CORE, 0, 0x7fff_0000_2000), ALLOW, "only asks");
    assert_eq!(answer(NEWEST, libc::SYS_setrlimit, [CORE, 0x1000, 0, 0]), AS_IF_DONE);
    assert_eq!(answer(NEWEST, libc::SYS_setrlimit, [7, 0x1000, 0, 0]), ALLOW);
    assert_eq!(answer(BOTH, libc::SYS_setrlimit, [CORE, 0x1000, 0, 0]), ALLOW);
}

#[test]
fn a_read_only_copy_asks_of_files_and_terminals_and_sets_nothing() {
    let ioctl = |request: u64| answer(NEWEST, libc::SYS_ioctl, [0, request, 0, 0]);

    // TCGETS, TIOCGWINSZ, FIONREAD, FS_IOC_GETFLAGS, FS_IOC_FSGETXATTR, FS_IOC_FIEMAP, SIOCGIFNAME
    for asks in [0x5401, 0x5413, 0x541b, 0x8008_6601, 0x801c_581f, 0xc020_660b, 0x8910] {
        assert_eq!(ioctl(asks), ALLOW, "{asks:#x}");
    }
    // TIOCSTI, TIOCLINUX, TIOCSCTTY, FIOSETOWN, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY,
    // EXT4_IOC_MIGRATE, BTRFS_IOC_SNAP_DESTROY, FAT_IOCTL_SET_ATTRIBUTES
    for sets in [
        0x5412,
        0x541c,
        0x540e,
        0x8901,
        0x4008_6602,
        0x401c_5820,
        0x4080_6685,
        0x6609,
        0x5000_940f,
        0x4004_7211,
    ] {
        assert_eq!(ioctl(sets), PERMISSION, "{sets:#x}");
        assert_eq!(ioctl(sets | 1 << 40), PERMISSION, "{sets:#x} with upper bits");
    }
}

#[test]
fn a_read_only_copy_has_netlink_for_questions_and_no_other_socket() {
    let socket = |family: i32, protocol: u64| {
        answer(NEWEST, libc::SYS_socket, [u64::try_from(family).unwrap(), 3, protocol, 0])
    };

    assert_eq!(socket(libc::AF_NETLINK, 0), ALLOW);
    assert_eq!(socket(libc::AF_NETLINK, 4), ALLOW);
    assert_eq!(socket(libc::AF_NETLINK, 9), PERMISSION);
    for family in [libc::AF_INET, libc::AF_INET6, libc::AF_UNIX, libc::AF_VSOCK, libc::AF_TIPC] {
        assert_eq!(socket(family, 0), PERMISSION, "{family}");
    }
    assert_eq!(answer(NEWEST, libc::SYS_socketpair, [30, 1, 0, 0]), PERMISSION, "a pair of TIPC");
}

#[test]
fn limits_and_priorities_of_other_processes_are_refused_to_a_read_only_copy() {
    for call in [libc::SYS_prlimit64, libc::SYS_sched_setaffinity, libc::SYS_sched_setattr] {
        assert_eq!(answer(NEWEST, call, [0, 7, 0, 0]), ALLOW, "{call}");
        assert_eq!(answer(NEWEST, call, [7, 0, 0, 0]), PERMISSION, "{call}");
    }
    let priority = |call, which, who| answer(NEWEST, call, [which, who, 5, 0]);
    assert_eq!(priority(libc::SYS_setpriority, 0, 0), ALLOW);
    assert_eq!(priority(libc::SYS_ioprio_set, 1, 0), ALLOW);
    for (which, who) in [(0, 7), (1, 0), (2, 0)] {
        assert_eq!(priority(libc::SYS_setpriority, which, who), PERMISSION, "{which} {who}");
    }
    assert_eq!(priority(libc::SYS_ioprio_set, 2, 0), PERMISSION);
}

#[test]
fn no_other_process_is_named_as_owner_of_a_descriptor() {
    let fcntl = |command: u64| answer(NEWEST, libc::SYS_fcntl, [0, command, 0, 0]);

    // F_DUPFD, F_GETFL, F_SETFL, F_SETLK, F_SETSIG, F_DUPFD_CLOEXEC
    for allowed in [0, 3, 4, 6, 10, 1030] {
        assert_eq!(fcntl(allowed), ALLOW, "{allowed}");
    }
    for refused in FCNTL_REFUSED {
        assert_eq!(fcntl(u64::from(*refused)), PERMISSION, "{refused}");
    }
}

#[test]
fn the_filter_holds_signals_and_truncation_where_landlock_cannot() {
    for (call, argument) in SIGNALLING {
        let mut arguments = [7; 4];
        assert_eq!(answer(OLDEST, *call, arguments), PERMISSION, "{call}");
        assert_eq!(answer(NEWEST, *call, arguments), ALLOW, "{call}");
        arguments[usize::from(*argument)] = 0;
        assert_eq!(answer(OLDEST, *call, arguments), ALLOW, "{call}: only asks");
    }
    let open =
        |flags: i32| answer(OLDEST, libc::SYS_openat, [0, 0, u64::try_from(flags).unwrap(), 0]);
    assert_eq!(open(libc::O_RDONLY | libc::O_CLOEXEC), ALLOW);
    assert_eq!(open(libc::O_RDONLY | libc::O_TRUNC), PERMISSION);
    assert_eq!(open(libc::O_WRONLY | libc::O_TRUNC), ALLOW, "Landlock refuses the writing");
    assert_eq!(answer(OLDEST, libc::SYS_truncate, [0; 4]), PERMISSION);
}

#[test]
fn no_jump_leaves_the_program_and_the_kernel_takes_its_length() {
    for choices in [BOTH, NEWEST, OLDEST] {
        let program = program(choices);
        let count = program.len() / 8;
        assert!(count < 4096, "{count} instructions are more than the kernel takes");
        for (at, one) in program.chunks_exact(8).enumerate() {
            let farthest = usize::from(one[2].max(one[3]));
            assert!(at + farthest < count && farthest < 255, "instruction {at}");
        }
    }
}
