//! Finds lines and blocks of lines that follow each other unchanged, so that they are said once.
//!
//! A retry loop, a recursive stack and a chatty poller all print one period again and again. Only
//! *adjacent* exact repeats fold: the order of events stays readable, and the count says the rest.

/// Lines of the longest block that is recognised as a period.
pub(crate) const MAX_PERIOD: usize = 12;

/// A block at `start` of `period` lines that stands there `times` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeat {
    /// Index of the block's first line.
    pub(crate) start: usize,
    /// Lines in the block.
    pub(crate) period: usize,
    /// How often it stands there, at least two.
    pub(crate) times: usize,
}

/// Finds adjacent repeats in `lines`, left to right, the shortest period first.
///
/// A single line must stand three times and a block twice with at least four lines to spare:
/// anything less costs more to say than to repeat. Blank lines alone never form a period.
pub(crate) fn find(lines: &[&str]) -> Vec<Repeat> {
    let mut keys: Vec<u32> = Vec::with_capacity(lines.len() + MAX_PERIOD);
    keys.extend(lines.iter().map(|line| key(line)));
    // The last lines look ahead as well; what they see there is no line, and lines are compared.
    keys.resize(lines.len() + MAX_PERIOD, 0);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((here, ahead)) = keys.get(at..).and_then(|rest| rest.split_first()) {
        let Some(ahead) = ahead.first_chunk::<MAX_PERIOD>() else { break };
        // No branch for each period: nearly no line has an equal one so near, and this is asked of every line.
        let recurs = ahead.contains(here);
        match if recurs { at_line(lines, &keys, at) } else { None } {
            Some(repeat) => {
                at += repeat.period * repeat.times;
                found.push(repeat);
            }
            None => at += 1,
        }
    }
    found
}

/// Length, beginning and end of a line: equal lines have equal keys, and most others do not. Lines are
/// compared before anything is folded, so a cheap key is enough.
fn key(line: &str) -> u32 {
    let bytes = line.as_bytes();
    let (front, back) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(front), Some(back)) => (u64::from_le_bytes(*front), u64::from_le_bytes(*back)),
        _ => (0, bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))),
    };
    let mixed = front.rotate_left(17) ^ back ^ (bytes.len() as u64).rotate_left(56);
    let [.., a, b, c, d] = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

fn at_line(lines: &[&str], keys: &[u32], at: usize) -> Option<Repeat> {
    let (&here, ahead) = keys.get(at..)?.split_first()?;
    for (period, &next) in (1..=MAX_PERIOD).zip(ahead) {
        if here != next || keys.get(at..at + period) != keys.get(at + period..at + 2 * period) {
            continue;
        }
        let block = lines.get(at..at + period)?;
        let mut times = 1;
        while lines.get(at + times * period..at + (times + 1) * period) == Some(block) {
            times += 1;
        }
        let spared = (times - 1) * period;
        let worth = if period == 1 { times >= 3 } else { times >= 2 && spared >= 4 };
        if worth && !block.iter().all(|line| line.is_empty()) {
            return Some(Repeat { start: at, period, times });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Repeat, find};

    #[test]
    fn a_line_that_stands_three_times_is_one_repeat() {
        assert_eq!(find(&["a", "b", "b", "b", "c"]), [Repeat { start: 1, period: 1, times: 3 }]);
    }

    #[test]
    fn a_cycle_of_frames_is_found_whole() {
        let lines = ["f", "g", "h", "f", "g", "h", "f", "g", "h", "end"];
        assert_eq!(find(&lines), [Repeat { start: 0, period: 3, times: 3 }]);
    }

    #[test]
    fn two_equal_lines_are_left_alone() {
        assert!(find(&["a", "a", "b"]).is_empty());
    }
}
