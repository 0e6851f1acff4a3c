//! What a blocked thread's system call says: `/proc/PID/task/TID/syscall` (`proc_pid_syscall(5)`), as far as it reads.
//!
//! The numbers are those of the kernel's tables (`arch/x86/entry/syscalls/syscall_64.tbl`, `include/uapi/asm-generic/unistd.h`).
//! A 32-bit program on a 64-bit kernel has other numbers, so its calls are misread; a misread call names no descriptor that is
//! the terminal, or memory that cannot be read, and counts as none.

/// A call that waits for descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// `read`, `readv`, `preadv` and their kind, of this descriptor.
    Read { descriptor: u64 },
    /// `poll`, `ppoll`: an array at this address, with so many entries.
    Poll { address: u64, entries: u64, timer: Timer },
    /// `select`, `pselect6`: the set of descriptors to read, at this address, below this number.
    Select { address: u64, below: u64, timer: Timer },
    /// `epoll_wait` and its kind, of this descriptor.
    Epoll { descriptor: u64, timer: Timer },
}

/// After which time a call returns by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timer {
    /// It does not.
    Never,
    /// After so many milliseconds.
    Milliseconds(u64),
    /// After the `timespec` at this address.
    Timespec { address: u64 },
    /// After the `timeval` at this address (`select(2)` of x64).
    Timeval { address: u64 },
}

impl Timer {
    /// An `int` of milliseconds as `poll(2)` and `epoll_wait(2)` take it: below 0 is to wait for ever.
    fn of_int(argument: u64) -> Self {
        if argument & 0x8000_0000 != 0 {
            Self::Never
        } else {
            Self::Milliseconds(argument & 0x7fff_ffff)
        }
    }

    /// A pointer to a `timespec`: without one it is to wait for ever.
    fn of_timespec(address: u64) -> Self {
        if address == 0 { Self::Never } else { Self::Timespec { address } }
    }
}

/// Which call a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Poll,
    /// `ppoll`: its time is behind a pointer.
    PollPointer,
    /// `select`: its time is a `timeval`.
    SelectTimeval,
    /// `pselect6`: its time is a `timespec`.
    Select,
    Epoll,
    /// `epoll_pwait2`: its time is behind a pointer.
    EpollPointer,
}

/// A kernel's calls that read, by their numbers.
type Table = &'static [(u64, Kind)];

const X64: Table = &[
    (0, Kind::Read),
    (7, Kind::Poll),
    (19, Kind::Read),
    (23, Kind::SelectTimeval),
    (232, Kind::Epoll),
    (270, Kind::Select),
    (271, Kind::PollPointer),
    (281, Kind::Epoll),
    (441, Kind::EpollPointer),
];

const ARM64: Table = &[
    (22, Kind::Epoll),
    (63, Kind::Read),
    (65, Kind::Read),
    (72, Kind::Select),
    (73, Kind::PollPointer),
    (441, Kind::EpollPointer),
];

/// Those of this system. Elsewhere nothing is known of a blocked call.
const CALLS: Table = if cfg!(target_arch = "x86_64") {
    X64
} else if cfg!(target_arch = "aarch64") {
    ARM64
} else {
    &[]
};

impl Call {
    /// It stops waiting by itself after a time.
    pub(crate) fn is_timed(self) -> bool {
        match self {
            Self::Read { .. } => false,
            Self::Poll { timer, .. } | Self::Select { timer, .. } | Self::Epoll { timer, .. } => {
                timer != Timer::Never
            }
        }
    }
}

/// The call that a line of that file says; `None` for a thread that runs, that is blocked elsewhere, or whose call reads nothing.
pub(crate) fn parse(line: &str) -> Option<Call> {
    parse_by(CALLS, line)
}

fn parse_by(calls: Table, line: &str) -> Option<Call> {
    let mut words = line.split_ascii_whitespace();
    // "running" is a thread on a processor, -1 one that is blocked outside of a call.
    let number: u64 = words.next()?.parse().ok()?;
    let kind = calls.iter().find(|(known, _)| *known == number)?.1;
    let mut arguments = [0_u64; 6];
    for argument in &mut arguments {
        *argument = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
    }
    let [first, second, third, fourth, fifth, _] = arguments;
    Some(match kind {
        Kind::Read => Call::Read { descriptor: first },
        Kind::Poll => Call::Poll { address: first, entries: second, timer: Timer::of_int(third) },
        Kind::PollPointer => {
            Call::Poll { address: first, entries: second, timer: Timer::of_timespec(third) }
        }
        Kind::Select => {
            Call::Select { address: second, below: first, timer: Timer::of_timespec(fifth) }
        }
        Kind::SelectTimeval => {
            let timer = if fifth == 0 { Timer::Never } else { Timer::Timeval { address: fifth } };
            Call::Select { address: second, below: first, timer }
        }
        Kind::Epoll => Call::Epoll { descriptor: first, timer: Timer::of_int(fourth) },
        Kind::EpollPointer => Call::Epoll { descriptor: first, timer: Timer::of_timespec(fourth) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_names_its_descriptor() {
        let line = "0 0x0 0x7ffd1 0x1 0x0 0x0 0x0 0x7ffd1e38 0x7f5b\n";
        assert_eq!(parse_by(X64, line), Some(Call::Read { descriptor: 0 }));
    }

    #[test]
    fn a_poll_for_ever_has_no_timer_and_one_of_zero_has() {
        let line = |time: &str| format!("7 0x7ffe 0x2 {time} 0x0 0x0 0x0 0x7ffe 0x7f5b");
        let timer = |time| match parse_by(X64, &line(time)) {
            Some(call @ Call::Poll { timer, .. }) => {
                assert_eq!(call.is_timed(), timer != Timer::Never);
                timer
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(timer("0xffffffff"), Timer::Never);
        assert_eq!(timer("0xffffffffffffffff"), Timer::Never);
        assert_eq!(timer("0x0"), Timer::Milliseconds(0));
        assert_eq!(timer("0x3e8"), Timer::Milliseconds(1_000));
        // The upper half of the register is not part of an `int`.
        assert_eq!(timer("0x7f00000003e8"), Timer::Milliseconds(1_000));
    }

    #[test]
    fn a_timer_behind_a_pointer_is_found_by_its_address() {
        let x64 = |number: u64| {
            let call = parse_by(X64, &format!("{number} 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8"));
            match call {
                Some(
                    Call::Poll { timer, .. }
                    | Call::Select { timer, .. }
                    | Call::Epoll { timer, .. },
                ) => timer,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(x64(23), Timer::Timeval { address: 5 }, "select");
        assert_eq!(x64(270), Timer::Timespec { address: 5 }, "pselect6");
        assert_eq!(x64(271), Timer::Timespec { address: 3 }, "ppoll");
        assert_eq!(x64(441), Timer::Timespec { address: 4 }, "epoll_pwait2");
        assert_eq!([x64(232), x64(281)], [Timer::Milliseconds(4); 2], "epoll_wait");
    }

    #[test]
    fn a_select_says_its_set_and_whether_it_has_a_time() {
        let line = "270 0x1 0x7ffc10 0x0 0x0 0x0 0x7ffc90 0x7ffc 0x7f";
        let expected = Call::Select { address: 0x7f_fc10, below: 1, timer: Timer::Never };
        assert_eq!(parse_by(X64, line), Some(expected));
    }

    #[test]
    fn a_thread_that_runs_or_writes_waits_for_nothing() {
        for line in
            ["running", "-1 0x7ffd 0x7f5b", "1 0x1 0x7f 0x1 0x0 0x0 0x0 0x7f 0x7f", "", "0 0x0"]
        {
            assert_eq!(parse_by(X64, line), None, "{line}");
        }
    }

    #[test]
    fn the_calls_of_arm64_have_numbers_of_their_own() {
        let line =
            |number: u64| format!("{number} 0x3 0x7ffe 0x1 0xffffffff 0x0 0x0 0x7ffe 0x7f5b");
        let found = |number| parse_by(ARM64, &line(number));
        let read = Some(Call::Read { descriptor: 3 });
        assert_eq!([found(63), found(65)], [read, read]);
        assert_eq!(found(22), Some(Call::Epoll { descriptor: 3, timer: Timer::Never }));
        let select = Call::Select { address: 0x7ffe, below: 3, timer: Timer::Never };
        assert_eq!(found(72), Some(select));
        let poll =
            Call::Poll { address: 3, entries: 0x7ffe, timer: Timer::Timespec { address: 1 } };
        assert_eq!(found(73), Some(poll));
        // `write` there, `poll` and `epoll_wait` on x64.
        assert_eq!([found(64), found(7), found(232)], [None; 3]);
    }

    #[test]
    fn a_wait_for_a_ring_names_no_descriptor() {
        // `io_uring_enter` has one number on all machines. Its first argument is the ring, and not what the ring reads.
        let line = "426 0x0 0x0 0x1 0x1 0x0 0x8 0x7ffe 0x7f5b";
        assert_eq!([X64, ARM64].map(|calls| parse_by(calls, line)), [None; 2]);
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read_or_refused(line in "\\PC{0,80}") {
            for calls in [X64, ARM64] {
                parse_by(calls, &line);
            }
        }
    }
}
