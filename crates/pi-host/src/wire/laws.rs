//! Laws of the frames: what was written is read, whatever the pieces; what is hostile is refused, and never more than a
//! frame is kept of it.

use proptest::prelude::*;

use super::*;

fn any_frame() -> impl Strategy<Value = Frame> {
    (1_u8..=17, any::<u32>(), prop::collection::vec(any::<u8>(), 0..400)).prop_map(
        |(kind, channel, mut payload)| {
            let kind = Kind::of(kind).unwrap();
            if kind == Kind::Data {
                payload.resize(payload.len().max(OFFSET_BYTES), 0);
            }
            Frame { kind, channel, payload }
        },
    )
}

/// All frames of a stream that comes in pieces of these lengths, again and again.
fn read(stream: &[u8], lengths: &[usize]) -> Result<Vec<Frame>, FrameError> {
    let mut decoder = Decoder::default();
    let (mut frames, mut rest) = (Vec::new(), stream);
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at((*length).clamp(1, rest.len()));
        decoder.push(piece);
        while let Some(frame) = decoder.next_frame()? {
            frames.push(frame);
        }
        assert!(decoder.waiting_bytes() <= MAX_LENGTH + 4 + length);
        rest = after;
    }
    Ok(frames)
}

proptest! {
    #[test]
    fn any_split_of_a_stream_gives_the_same_frames(
        frames in prop::collection::vec(any_frame(), 0..12),
        lengths in prop::collection::vec(1_usize..700, 1..8),
    ) {
        let mut stream = Vec::new();
        for Frame { kind, channel, payload } in &frames {
            push_frame(&mut stream, *kind, *channel, payload);
        }

        prop_assert_eq!(read(&stream, &lengths).unwrap(), frames);
    }

    #[test]
    fn garbage_is_frames_or_an_error_and_never_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..3_000),
        lengths in prop::collection::vec(1_usize..700, 1..8),
    ) {
        let whole = read(&bytes, &[bytes.len().max(1)]);
        prop_assert_eq!(read(&bytes, &lengths).is_ok(), whole.is_ok());
    }

    #[test]
    fn a_byte_that_was_changed_breaks_nothing_but_its_stream(
        frames in prop::collection::vec(any_frame(), 1..6),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut stream = Vec::new();
        for Frame { kind, channel, payload } in &frames {
            push_frame(&mut stream, *kind, *channel, payload);
        }
        let at = at.index(stream.len());
        stream[at] = byte;
        drop(read(&stream, &[97]));
    }
}

fn raw(length: u32, kind: u8, flags: u8, rest: &[u8]) -> Vec<u8> {
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend([kind, flags, 1, 0, 0, 0]);
    bytes.extend(rest);
    bytes
}

#[test]
fn a_length_that_no_frame_has_is_refused_before_its_bytes_come() {
    for length in [0, 1, 6, 1_048_577, u32::MAX - 3, u32::MAX] {
        let mut decoder = Decoder::default();
        decoder.push(&length.to_le_bytes());

        assert_eq!(decoder.next_frame(), Err(FrameError::Length(length)));
    }
}

#[test]
fn the_largest_frame_is_read() {
    let payload = vec![7; MAX_LENGTH - MIN_LENGTH];
    let stream = frame(Kind::Text, 3, &payload);

    assert_eq!(stream.len(), MAX_LENGTH + 4);
    assert_eq!(read(&stream, &[65_536]).unwrap()[0].payload, payload);
}

#[test]
fn a_payload_that_one_frame_does_not_hold_goes_on_in_the_next() {
    for size in [PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES, MAX_PAYLOAD] {
        let payload: Vec<u8> = (0..size).map(|at| at.to_le_bytes()[0]).collect();
        let mut stream = frame(Kind::Run, 3, &payload);
        push_frame(&mut stream, Kind::Ping, 0, &[0; 8]);

        let frames = read(&stream, &[100_003]).unwrap();

        assert_eq!(frames.len(), 2);
        assert!(frames[0].payload == payload);
    }
}

#[test]
fn a_payload_that_goes_on_for_ever_is_refused() {
    let mut part = Vec::new();
    push_head_with(&mut part, Kind::Run, MORE, 3, PART_BYTES);
    part.extend(vec![0; PART_BYTES]);
    part.push(NEWLINE);

    assert_eq!(read(&part.repeat(17), &[65_536]), Err(FrameError::Payload));
}

#[test]
fn nothing_comes_between_the_parts_of_a_payload() {
    let part = |kind, channel| {
        let mut part = Vec::new();
        push_head_with(&mut part, kind, MORE, channel, 1);
        part.extend(b"x\n");
        part
    };
    for other in [
        frame(Kind::Run, 4, b"x"),
        frame(Kind::Request, 3, b"x"),
        frame(Kind::Ping, 0, b"x"),
        raw(7, 200, 0, b"\n"),
    ] {
        let stream = [part(Kind::Run, 3), other].concat();
        assert_eq!(read(&stream, &[7]), Err(FrameError::Interrupted));
    }
    assert_eq!(read(&part(Kind::Text, 3), &[7]), Err(FrameError::Flags(MORE)));
}

#[test]
fn what_is_not_a_frame_is_named() {
    let cases = [
        (raw(7, 2, 0, b"x"), FrameError::Newline),
        (raw(7, 2, 4, b"\n"), FrameError::Flags(4)),
        (raw(7, 2, 0x81, b"\n"), FrameError::Flags(0x81)),
        (raw(7, 18, 1, b"\n"), FrameError::Kind(18)),
        (raw(7, 0, 1, b"\n"), FrameError::Kind(0)),
        (raw(7, 6, 0, b"\n"), FrameError::Data),
        (frame(Kind::Data, 1, &vec![0; OFFSET_BYTES + MAX_DATA + 1]), FrameError::Data),
    ];
    for (stream, error) in cases {
        assert_eq!(read(&stream, &[stream.len()]), Err(error));
    }
}

#[test]
fn a_kind_that_need_not_be_known_is_passed_over() {
    let mut stream = raw(9, 200, 0, b"ab\n");
    push_frame(&mut stream, Kind::Ping, 0, &[0; 8]);

    let frames = read(&stream, &[5]).unwrap();

    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].kind, Kind::Ping);
}
