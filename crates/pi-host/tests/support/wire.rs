//! Frames as a test writes and reads them: by the page of the protocol, not by the program's code.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Hello = 1,
    Request,
    Run,
    Credit,
    Cancel,
    Data,
    Ping,
    Pong,
    Bye,
    Attach,
    Attached,
    Answer,
    Started,
    Text,
    Update,
    End,
}

const KINDS: [Kind; 16] = [
    Kind::Hello,
    Kind::Request,
    Kind::Run,
    Kind::Credit,
    Kind::Cancel,
    Kind::Data,
    Kind::Ping,
    Kind::Pong,
    Kind::Bye,
    Kind::Attach,
    Kind::Attached,
    Kind::Answer,
    Kind::Started,
    Kind::Text,
    Kind::Update,
    Kind::End,
];

#[derive(Debug, Clone)]
pub struct Frame {
    pub kind: Kind,
    pub channel: u32,
    pub payload: Vec<u8>,
}

impl Frame {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.payload).unwrap()
    }

    /// Offset and bytes.
    pub fn data(&self) -> (u64, &[u8]) {
        let (offset, rest) = self.payload.split_first_chunk().unwrap();
        (u64::from_le_bytes(*offset), rest)
    }

    /// Offset and text, which must have whole characters.
    pub fn text(&self) -> (u64, String) {
        let (offset, bytes) = self.data();
        (offset, String::from_utf8(bytes.to_vec()).expect("whole characters"))
    }
}

pub fn frame(kind: Kind, channel: u32, payload: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = payload.chunks(1024 * 1024 - 64).collect();
    let last = parts.pop().unwrap_or_default();
    let mut bytes: Vec<u8> =
        parts.into_iter().flat_map(|part| raw(kind as u8, 2, channel, part)).collect();
    bytes.extend(raw(kind as u8, 0, channel, last));
    bytes
}

pub fn raw(kind: u8, flags: u8, channel: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len() + 7).unwrap();
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(channel.to_le_bytes());
    bytes.extend(payload);
    bytes.push(b'\n');
    bytes
}

#[derive(Default)]
pub struct Reader {
    bytes: Vec<u8>,
    begun: Vec<u8>,
}

impl Reader {
    /// The frames that are whole now. Panics where there is none.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        self.bytes.extend_from_slice(bytes);
        let (mut frames, mut done) = (Vec::new(), 0);
        while let Some((length, rest)) = self.bytes[done..].split_first_chunk() {
            let length = u32::from_le_bytes(*length) as usize;
            assert!((7..=1_048_576).contains(&length), "a length of {length}");
            if rest.len() < length {
                break;
            }
            let body = &rest[..length];
            assert_eq!(body[length - 1], b'\n');
            assert_eq!(body[1] & 0xfc, 0);
            let kind = KINDS[usize::from(body[0]) - 1];
            let channel = u32::from_le_bytes(*body[2..].first_chunk().unwrap());
            self.begun.extend_from_slice(&body[6..length - 1]);
            if body[1] & 2 == 0 {
                frames.push(Frame { kind, channel, payload: std::mem::take(&mut self.begun) });
            }
            done += 4 + length;
        }
        self.bytes.drain(..done);
        frames
    }
}
