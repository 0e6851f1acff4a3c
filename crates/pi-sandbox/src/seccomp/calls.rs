//! The tables: which calls are refused, and which values of their arguments.
//!
//! Numbers that are newer than some headers stand here; from 424 on they are the same on every architecture.

/// `fchmodat2(2)`.
pub(super) const SYS_FCHMODAT2: libc::c_long = 452;
const SYS_QUOTACTL_FD: libc::c_long = 443;
const SYS_PROCESS_MRELEASE: libc::c_long = 448;
const SYS_SETXATTRAT: libc::c_long = 463;
const SYS_REMOVEXATTRAT: libc::c_long = 466;
const SYS_OPEN_TREE_ATTR: libc::c_long = 467;
const SYS_FILE_SETATTR: libc::c_long = 469;
const SYS_SET_MEMPOLICY_HOME_NODE: libc::c_long = 450;
#[cfg(target_arch = "x86_64")]
const SYS_KEXEC_FILE_LOAD: libc::c_long = 320;
#[cfg(target_arch = "aarch64")]
const SYS_KEXEC_FILE_LOAD: libc::c_long = 294;

/// The highest number that these tables were made for: the last call of Linux 6.18 (`scripts/syscall.tbl`). Each call up to
/// it was judged, by being in a table or by being left out of them; a new one is judged before this number grows.
pub(super) const NEWEST_JUDGED: libc::c_long = SYS_FILE_SETATTR;

/// Calls that are refused whatever their arguments, by what they would reach.
pub(super) const REFUSED: &[libc::c_long] = &[
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
    SYS_OPEN_TREE_ATTR,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    SYS_QUOTACTL_FD,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // The kernel and the machine.
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    SYS_KEXEC_FILE_LOAD,
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
pub(super) const METADATA: &[libc::c_long] = &[
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
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
];

/// Calls that a read-only copy is refused besides: they reach other processes by shared names, change their memory or
/// the machine. Files and folders themselves are Landlock's.
pub(super) const BEYOND_READING: &[libc::c_long] = &[
    // Memory and queues that any process of the user can have.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Memory of other processes.
    libc::SYS_process_madvise,
    SYS_PROCESS_MRELEASE,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Of a shared mapping, where the pages of a file lie that others read too.
    libc::SYS_mbind,
    SYS_SET_MEMPOLICY_HOME_NODE,
    // Holds back what others open.
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_vhangup,
];

/// Calls that send a signal, where Landlock cannot hold signals back. `tgkill` is left: the C libraries end a process by it.
/// The argument of each is the signal's; 0 only asks whether there is such a process.
pub(super) const SIGNALLING: &[(libc::c_long, u8)] = &[
    (libc::SYS_kill, 1),
    (libc::SYS_tkill, 1),
    (libc::SYS_rt_sigqueueinfo, 1),
    (libc::SYS_rt_tgsigqueueinfo, 2),
    (libc::SYS_pidfd_send_signal, 1),
];

/// Calls whose argument names a process, 0 for the caller's own: what is asked of another one is refused.
pub(super) const OF_A_PROCESS: &[(libc::c_long, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

/// Of `setpriority` and `ioprio_set`, the first argument that means a process, and not a group or a user.
pub(super) const PRIORITIES: &[(libc::c_long, u32)] =
    &[(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];

/// `RLIMIT_CORE`, whose value keeps crashes from starting a program outside (`read_only::bound`).
pub(super) const CORE_SIZE: u32 = 4;

/// Of `fcntl`: who gets signals of a descriptor, leases that hold writers back, hints that a file keeps
/// (`F_SETOWN`, `F_SETOWN_EX`, `F_SETLEASE`, `F_SET_RW_HINT`, `F_SET_FILE_RW_HINT`).
pub(super) const FCNTL_REFUSED: &[u32] = &[8, 15, 1024, 1036, 1038];

/// Pushes characters into a terminal as if typed (`TIOCSTI`), or pastes into a console (`TIOCLINUX`).
pub(super) const TYPING: &[u32] = &[0x5412, 0x541c];

/// Takes a terminal or a console over (`TIOCSCTTY`, `TIOCCONS`), or has signals sent (`FIOSETOWN`, `SIOCSPGRP`).
pub(super) const TAKING_OVER: &[u32] = &[0x540e, 0x541d, 0x8901, 0x8902];

/// The bits of an `ioctl` that say whose it is.
pub(super) const IOCTL_KIND: u32 = 0xff00;

/// Kinds of `ioctl` whose requests change nothing of a file, or are answered by `FILE_QUESTIONS`: of files in general,
/// terminals and pipes (`T`), sockets, namespaces, descriptors of processes; and those of file systems (`f`, `X`, `v`, btrfs).
/// All others are a driver's own.
pub(super) const IOCTL_KINDS: &[u32] =
    &[0x0000, 0x5400, 0x8900, 0xb700, 0xff00, 0x6600, 0x5800, 0x7600, 0x9400];

/// The kinds of file systems. Most of their requests are taken on a descriptor that was opened for reading, and change the file.
pub(super) const FILE_SYSTEM_KINDS: &[u32] = &[0x6600, 0x5800, 0x7600, 0x9400];

/// The requests of these kinds that only ask: flags, extents, attributes, version, label, digest
/// (`FS_IOC_GETFLAGS` twice, `FS_IOC_FIEMAP`, `FS_IOC_FSGETXATTR`, `FS_IOC_GETVERSION`, `FS_IOC_GETFSLABEL`,
/// `FS_IOC_MEASURE_VERITY`).
pub(super) const FILE_QUESTIONS: &[u32] =
    &[0x8008_6601, 0x8004_6601, 0xc020_660b, 0x801c_581f, 0x8008_7601, 0x8100_9431, 0xc004_6686];
