//! What bash answers to orders: frames, and how they are found between other things.
//!
//! Bash answers on its own standard output, which is redirected only around the command: a child
//! never holds it. A frame carries the random token of its order, so that output which looks like
//! a frame is none. Everything else on that pipe is noise (traces, traps, complaints about an
//! order). Two processes may write there, the shell and a standby that has just been forked, so a
//! frame of several writes may have another one in its middle.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use super::protocol::Token;

/// Characters of a token: 128 random bits in hexadecimal.
const TOKEN_LENGTH: usize = 32;

/// Noise kept while looking for a frame. A frame's longest field is the text of a trap.
const MAX_NOISE_BYTES: usize = 1024 * 1024;

/// Noise remembered between two orders, beyond what is expected of the second (see `noise`): what
/// comes in between two looks at it, several pipes full.
const KEPT_NOISE_BYTES: usize = 256 * 1024;

/// An answer of bash.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The order it answers.
    pub(super) token: Token,
    /// What it tells.
    pub(super) body: FrameBody,
}

/// What an answer tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FrameBody {
    /// The driver stands: version of bash.
    Ready { major: u32, minor: u32 },
    /// A command ended; `unwound`: by an error that took bash out of the order too, to its top level.
    Status { status: i32, cwd_failed: bool, unwound: bool, flags: String, cwd: PathBuf },
    /// The text of the EXIT trap, empty for none.
    Trap { text: String },
    /// A standby or a clone stands, with this process id.
    Born { pid: i32 },
    /// A standby wrote its state.
    Dumped,
}

/// Finds frames in what bash writes.
#[derive(Default)]
pub(super) struct FrameReader {
    buffer: Vec<u8>,
    noise: Vec<u8>,
    /// Noise that is expected.
    expected_noise: usize,
}

impl FrameReader {
    /// Adds bytes as they were read; returns the frames that are complete now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        self.buffer.extend_from_slice(bytes);
        let mut frames = Vec::new();
        let mut position = 0;
        while let Some(start) = memchr::memchr(1, &self.buffer[position..]) {
            let start = position + start;
            self.keep_noise(position, start);
            match parse_frame(&self.buffer[start..]) {
                Parsed::Complete(frame, length) => {
                    if let Some((inner, at, inner_length)) = self.innermost(start, length) {
                        frames.push(inner);
                        self.buffer.drain(at..at + inner_length);
                        position = start;
                        continue;
                    }
                    frames.push(frame);
                    position = start + length;
                }
                Parsed::Partial => {
                    position = start;
                    break;
                }
                Parsed::Noise => {
                    position = start + 1;
                    self.keep_noise(start, position);
                }
            }
        }
        if memchr::memchr(1, &self.buffer[position..]).is_none() {
            self.keep_noise(position, self.buffer.len());
            position = self.buffer.len();
        }
        if self.buffer.len() - position > MAX_NOISE_BYTES {
            self.keep_noise(position, self.buffer.len());
            position = self.buffer.len();
        }
        self.buffer.drain(..position);
        frames
    }

    /// A frame inside of another: a frame of several writes may have one of another process in it.
    fn innermost(&self, start: usize, length: usize) -> Option<(Frame, usize, usize)> {
        let outer = self.buffer.get(start..start + length)?;
        memchr::memrchr_iter(1, outer).take_while(|at| *at > 0).find_map(|at| {
            match parse_frame(outer.get(at..)?) {
                Parsed::Complete(frame, inner) => Some((frame, start + at, inner)),
                Parsed::Partial | Parsed::Noise => None,
            }
        })
    }

    /// Remembers the beginning of what is no frame: bash's complaints about an order.
    fn keep_noise(&mut self, start: usize, end: usize) {
        let room = (KEPT_NOISE_BYTES + self.expected_noise).saturating_sub(self.noise.len());
        let end = end.min(start + room);
        self.noise.extend_from_slice(self.buffer.get(start..end).unwrap_or_default());
    }

    /// Whether `text` stood between frames since `forget_noise`.
    pub(super) fn noise_contains(&self, text: &str) -> bool {
        memchr::memmem::find(&self.noise, text.as_bytes()).is_some()
    }

    /// How much of that is remembered.
    pub(super) fn noise_bytes(&self) -> usize {
        self.noise.len()
    }

    /// What stood between frames since `forget_noise` or this.
    pub(super) fn take_noise(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.noise)
    }

    /// The same where nothing more comes: what may have become a frame is none.
    pub(super) fn take_last_noise(&mut self) -> Vec<u8> {
        self.keep_noise(0, self.buffer.len());
        self.buffer.clear();
        self.take_noise()
    }

    /// Begins anew with remembering noise.
    pub(super) fn forget_noise(&mut self) {
        self.noise.clear();
        self.expected_noise = 0;
    }

    /// So much noise is expected until the next `forget_noise`.
    pub(super) fn expect_noise(&mut self, bytes: usize) {
        self.expected_noise = bytes;
    }
}

enum Parsed {
    Complete(Frame, usize),
    Partial,
    Noise,
}

/// Reads a frame at the beginning of `bytes`, which starts with `\1`.
fn parse_frame(bytes: &[u8]) -> Parsed {
    let head = 1 + TOKEN_LENGTH + 1;
    let token = &bytes[1..bytes.len().min(1 + TOKEN_LENGTH)];
    if !token.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Parsed::Noise;
    }
    let Some(&separator) = bytes.get(head - 1) else { return Parsed::Partial };
    if separator != b' ' {
        return Parsed::Noise;
    }
    let Some(end) = memchr::memmem::find(&bytes[head..], b"\0\x02") else {
        return Parsed::Partial;
    };
    let token = String::from_utf8_lossy(token).into_owned();
    match parse_body(&bytes[head..head + end]) {
        Some(body) => Parsed::Complete(Frame { token, body }, head + end + 2),
        None => Parsed::Noise,
    }
}

fn parse_body(body: &[u8]) -> Option<FrameBody> {
    let (head, rest) = match memchr::memchr(0, body) {
        Some(end) => (&body[..end], &body[end + 1..]),
        None => (body, &body[body.len()..]),
    };
    let head = std::str::from_utf8(head).ok()?;
    let mut words = head.split(' ');
    match words.next()? {
        "r" => Some(FrameBody::Ready {
            major: words.next()?.parse().ok()?,
            minor: words.next()?.parse().ok()?,
        }),
        "s" => {
            let status = words.next()?.parse().ok()?;
            let how = words.next()?;
            Some(FrameBody::Status {
                status,
                cwd_failed: how == "1",
                unwound: how == "u",
                flags: words.next()?.to_owned(),
                cwd: PathBuf::from(OsString::from_vec(rest.to_vec())),
            })
        }
        "t" => Some(FrameBody::Trap { text: last_trap(&String::from_utf8_lossy(rest)) }),
        "b" => Some(FrameBody::Born { pid: words.next()?.parse().ok()? }),
        "d" => Some(FrameBody::Dumped),
        _ => None,
    }
}

/// The trap's text without what a DEBUG trap of the user printed before it, and what tracing shows of
/// the driver around it.
fn last_trap(text: &str) -> String {
    let ends = |at: &usize| {
        text.get(at + END.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
    };
    let end = memchr::memmem::rfind_iter(text.as_bytes(), END.as_bytes()).find(ends);
    match (text.find("trap -- "), end) {
        (Some(start), Some(end)) => text.get(start..end + END.len()).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// What a trap's text ends with.
const END: &str = " EXIT";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn status_frame() -> Vec<u8> {
        format!("\x01{TOKEN} s 7 0 hBs\0/a b\0\x02").into_bytes()
    }

    #[test]
    fn a_frame_between_noise_is_found_wherever_it_is_cut() {
        let mut bytes = b"noise \x01 not one \x010123 ".to_vec();
        bytes.extend_from_slice(&status_frame());
        bytes.extend_from_slice(b"after");
        for cut in 0..bytes.len() {
            let mut reader = FrameReader::default();
            let mut frames = reader.push(&bytes[..cut]);
            frames.extend(reader.push(&bytes[cut..]));

            assert_eq!(frames.len(), 1, "cut at {cut}");
            assert_eq!(
                frames[0].body,
                FrameBody::Status {
                    status: 7,
                    cwd_failed: false,
                    unwound: false,
                    flags: "hBs".to_owned(),
                    cwd: PathBuf::from("/a b")
                }
            );
        }
    }

    #[test]
    fn a_frame_in_the_middle_of_another_is_told_and_so_is_the_other() {
        let other = TOKEN.replace('0', "f");
        let trap = format!("\x01{TOKEN} t\0trap -- 'x' EXIT\n\0\x02");
        let born = format!("\x01{other} b 77\0\x02");
        for cut in 0..=trap.len() {
            let (before, after) = trap.split_at(cut);
            let text = format!("{before}{born}{after}");

            let frames = FrameReader::default().push(text.as_bytes());

            // Where the head of the outer one is torn it is noise; bash writes that in one piece.
            let whole = cut == 0 || cut > 36;
            assert!(frames.iter().any(|frame| frame.body == FrameBody::Born { pid: 77 }), "{cut}");
            let told = frames
                .iter()
                .any(|frame| frame.body == FrameBody::Trap { text: "trap -- 'x' EXIT".to_owned() });
            assert!(told || !whole, "cut at {cut}: {frames:?}");
        }
    }

    #[test]
    fn noise_with_marks_of_frames_is_kept_to_the_byte() {
        let noise = format!("a\x01b\x01\x01{TOKEN} no frame\0\x02c\x01{TOKEN} s 1");
        let mut reader = FrameReader::default();

        for piece in noise.as_bytes().chunks(7) {
            assert!(reader.push(piece).is_empty());
        }

        assert_eq!(String::from_utf8(reader.take_last_noise()).unwrap(), noise);
    }

    #[test]
    fn noise_does_not_pile_up() {
        let mut reader = FrameReader::default();
        for _ in 0..100 {
            assert!(reader.push(&vec![b'x'; 100_000]).is_empty());
            assert!(reader.push(b"\x01").is_empty());
        }

        assert!(reader.buffer.len() <= MAX_NOISE_BYTES + 100_001);
        assert_eq!(reader.push(&status_frame()).len(), 1);
    }

    #[test]
    fn a_trap_is_told_without_what_a_debug_trap_printed_before_it() {
        assert_eq!(last_trap("D:trap\ntrap -- 'echo bye' EXIT\n"), "trap -- 'echo bye' EXIT");
        assert_eq!(last_trap(""), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_noise_makes_the_reader_fail_or_forge(noise in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut reader = FrameReader::default();
            let mut bytes = noise;
            bytes.push(b'\n');
            let before = reader.push(&bytes);
            prop_assert!(before.iter().all(|frame| frame.token != TOKEN));
        }
    }
}
