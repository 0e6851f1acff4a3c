//! The descriptors that a blocked call wants to read and its timer, from the memory and the `fdinfo` of its process.
//!
//! Only what is waited for to become readable counts: `tail -f` polls its standard output for its reader's end.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use crate::call::{Call, Timer};

/// `POLLIN` and `EPOLLIN` (`poll(2)`, `epoll_ctl(2)`).
const READABLE: u32 = 0x1;

/// Bytes of an entry of `poll(2)`: a descriptor, the events, what came.
const POLL_ENTRY_BYTES: usize = 8;

/// Most that is read of a process's memory, in bytes: 1,024 entries of `poll`.
const MAX_MEMORY_BYTES: usize = 8 * 1024;

/// Bytes of a `timespec` and of a `timeval` of a 64-bit program.
const TIME_BYTES: usize = 16;

/// Bits of a word of `fd_set`.
const SET_BITS: u64 = 64;

/// The descriptors. Empty for a set that cannot be read.
pub(crate) fn descriptors(shown: i32, call: Call) -> Vec<u64> {
    match call {
        Call::Read { descriptor } => vec![descriptor],
        Call::Poll { address, entries, .. } => {
            let length = usize::try_from(entries).unwrap_or(usize::MAX);
            of_poll(&memory(shown, address, length.saturating_mul(POLL_ENTRY_BYTES)))
        }
        Call::Select { address: 0, .. } => Vec::new(),
        Call::Select { address, below, .. } => {
            let words = usize::try_from(below.div_ceil(SET_BITS)).unwrap_or(usize::MAX);
            of_set(&memory(shown, address, words.saturating_mul(8)), below)
        }
        Call::Epoll { descriptor, .. } => {
            let info = std::fs::read_to_string(format!("/proc/{shown}/fdinfo/{descriptor}"));
            of_epoll(&info.unwrap_or_default())
        }
    }
}

/// After how many milliseconds a call returns by itself. `None` for one that does not, and where it cannot be read.
pub(crate) fn timer_milliseconds(shown: i32, call: Call) -> Option<u64> {
    let (Call::Poll { timer, .. } | Call::Select { timer, .. } | Call::Epoll { timer, .. }) = call
    else {
        return None;
    };
    match timer {
        Timer::Never => None,
        Timer::Milliseconds(time) => Some(time),
        Timer::Timespec { address } => of_time(&memory(shown, address, TIME_BYTES), 1_000_000),
        Timer::Timeval { address } => of_time(&memory(shown, address, TIME_BYTES), 1_000),
    }
}

/// Seconds and a part of one, of which `parts` are a millisecond.
fn of_time(bytes: &[u8], parts: u64) -> Option<u64> {
    let &[seconds, part] = bytes.as_chunks::<8>().0 else { return None };
    let milliseconds = u64::from_ne_bytes(seconds).saturating_mul(1_000);
    Some(milliseconds.saturating_add(u64::from_ne_bytes(part) / parts))
}

/// What stands at an address of a process, as far as it can be read.
fn memory(shown: i32, address: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length.min(MAX_MEMORY_BYTES)];
    let read = File::open(format!("/proc/{shown}/mem"))
        .and_then(|memory| memory.read_at(&mut bytes, address))
        .unwrap_or(0);
    bytes.truncate(read);
    bytes
}

fn of_poll(bytes: &[u8]) -> Vec<u64> {
    let entries = bytes.as_chunks::<POLL_ENTRY_BYTES>().0;
    let wanted = entries.iter().filter_map(|&[a, b, c, d, low, high, ..]| {
        let descriptor = i32::from_ne_bytes([a, b, c, d]);
        let events = u32::from(u16::from_ne_bytes([low, high]));
        // A descriptor below 0 is an entry that is skipped.
        u64::try_from(descriptor).ok().filter(|_| events & READABLE != 0)
    });
    wanted.collect()
}

fn of_set(bytes: &[u8], below: u64) -> Vec<u64> {
    let words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word));
    let bits = words.zip((0..).step_by(64)).flat_map(|(word, base): (u64, u64)| {
        (0..SET_BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| base + bit)
    });
    bits.filter(|descriptor| *descriptor < below).collect()
}

fn of_epoll(info: &str) -> Vec<u64> {
    let wanted = info.lines().filter_map(|line| {
        let mut words = line.strip_prefix("tfd:")?.split_ascii_whitespace();
        let descriptor = words.next()?.parse().ok()?;
        let events = words.next().filter(|word| *word == "events:").and_then(|_| words.next())?;
        (u32::from_str_radix(events, 16).ok()? & READABLE != 0).then_some(descriptor)
    });
    wanted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(descriptor: i32, events: u16) -> Vec<u8> {
        [&descriptor.to_ne_bytes()[..], &events.to_ne_bytes(), &[0, 0]].concat()
    }

    #[test]
    fn of_a_poll_only_what_is_to_be_readable_counts() {
        let bytes = [entry(0, 1), entry(1, 4), entry(-1, 1), entry(9, 0x2001)].concat();
        assert_eq!(of_poll(&bytes), [0, 9]);
        assert_eq!(of_poll(&bytes[..12]), [0], "half an entry is none");
    }

    #[test]
    fn a_set_ends_at_its_number() {
        let bytes = [5_u64.to_ne_bytes(), 1_u64.to_ne_bytes()].concat();
        assert_eq!(of_set(&bytes, 65), [0, 2, 64]);
        assert_eq!(of_set(&bytes, 2), [0]);
        assert_eq!(of_set(&[], 8), [] as [u64; 0]);
    }

    #[test]
    fn an_epoll_lists_its_targets() {
        let info = "pos:\t0\nflags:\t02000002\ntfd:       10 events:       19 data: a  pos:0 ino:5 sdev:9\n\
                    tfd:        1 events: 8000001c data: b  pos:0 ino:5 sdev:9\n";
        assert_eq!(of_epoll(info), [10]);
    }

    #[test]
    fn this_process_s_own_array_is_found_in_its_memory() {
        let bytes = [entry(3, 1), entry(4, 1)].concat();
        let pid = i32::try_from(std::process::id()).unwrap();
        let address = bytes.as_ptr() as u64;
        let call = Call::Poll { address, entries: 2, timer: Timer::Never };
        assert_eq!(descriptors(pid, call), [3, 4]);
        let nowhere = Call::Poll { address: 8, entries: 2, timer: Timer::Never };
        assert_eq!(descriptors(pid, nowhere), [] as [u64; 0]);
    }

    #[test]
    fn a_timer_is_read_where_it_stands() {
        let pid = i32::try_from(std::process::id()).unwrap();
        let time = [45_u64.to_ne_bytes(), 250_000_000_u64.to_ne_bytes()].concat();
        let address = time.as_ptr() as u64;
        let found = |timer| timer_milliseconds(pid, Call::Select { address: 0, below: 1, timer });
        assert_eq!(found(Timer::Timespec { address }), Some(45_250));
        let time = [4_u64.to_ne_bytes(), 250_000_u64.to_ne_bytes()].concat();
        assert_eq!(found(Timer::Timeval { address: time.as_ptr() as u64 }), Some(4_250));
        assert_eq!(found(Timer::Timespec { address: 8 }), None, "nothing stands there");
        assert_eq!(found(Timer::Milliseconds(15)), Some(15));
        assert_eq!(found(Timer::Never), None);
        assert_eq!(timer_milliseconds(pid, Call::Read { descriptor: 0 }), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>, below: u64, info in "(tfd: *[0-9a-z]{0,4} events: [0-9a-f]{0,9}\n){0,3}\\PC{0,40}") {
            of_poll(&bytes);
            let set = of_set(&bytes, below);
            assert!(set.iter().all(|descriptor| *descriptor < below));
            of_epoll(&info);
            of_time(&bytes, 1_000);
        }
    }
}
