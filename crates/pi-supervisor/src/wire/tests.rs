//! Laws of the wire: what is written is read back, and no bytes whatever do harm.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{
    Confine, ConfineStep, Event, Exit, FrameReader, Landlock, Limit, MAX_FRAME_BYTES, Namespaces,
    PathRule, Request, Resource, Spawn, SpawnStep, Usage, WireError,
};

fn c_string() -> impl Strategy<Value = Vec<u8>> {
    vec(1_u8.., 0..40)
}

fn limit() -> impl Strategy<Value = Limit> {
    (0_usize..Resource::ALL.len(), any::<u64>(), any::<u64>())
        .prop_map(|(index, soft, hard)| Limit { resource: Resource::ALL[index], soft, hard })
}

fn spawn() -> impl Strategy<Value = Request> {
    (
        any::<u32>(),
        vec(c_string(), 1..5),
        vec(c_string(), 0..5),
        c_string(),
        0_u32..=64,
        any::<bool>(),
        any::<Option<u32>>(),
        vec(limit(), 0..4),
    )
        .prop_map(|(id, argv, env, cwd, descriptors, controlling_terminal, umask, limits)| {
            Request::Spawn(Spawn {
                id,
                argv,
                env,
                cwd,
                descriptors,
                controlling_terminal,
                umask,
                limits,
            })
        })
}

fn namespaces() -> impl Strategy<Value = Namespaces> {
    let paths = || vec(c_string(), 0..4);
    (any::<bool>(), paths(), paths(), paths(), any::<bool>(), c_string()).prop_map(
        |(network, writable, pinned, read_only, terminals, console)| Namespaces {
            network,
            writable,
            pinned,
            read_only,
            terminals,
            console,
        },
    )
}

fn landlock() -> impl Strategy<Value = Landlock> {
    let rule = (c_string(), any::<u64>()).prop_map(|(path, access)| PathRule { path, access });
    (any::<u64>(), any::<u64>(), any::<u64>(), vec(rule, 0..4)).prop_map(
        |(filesystem, network, scoped, rules)| Landlock { filesystem, network, scoped, rules },
    )
}

fn confine() -> impl Strategy<Value = Request> {
    let seccomp = vec(any::<u8>(), 0..40);
    let namespaces = prop::option::of(namespaces());
    (any::<u32>(), namespaces, any::<u16>(), prop::option::of(landlock()), seccomp).prop_map(
        |(id, namespaces, listener_port, landlock, seccomp)| {
            Request::Confine(Confine { id, namespaces, listener_port, landlock, seccomp })
        },
    )
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![
        spawn(),
        confine(),
        any::<(u32, i32)>().prop_map(|(id, pid)| Request::Adopt { id, pid }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let exit = prop_oneof![any::<u8>().prop_map(Exit::Code), any::<i32>().prop_map(Exit::Signal)];
    prop_oneof![
        any::<u32>().prop_map(|version| Event::Ready { version }),
        (any::<u32>(), any::<i32>(), any::<u64>())
            .prop_map(|(id, pid, start_time)| Event::Spawned { id, pid, start_time }),
        (any::<u32>(), 0_u8..10, any::<i32>()).prop_map(|(id, step, errno)| Event::SpawnFailed {
            id,
            step: SpawnStep::from_wire(step).unwrap(),
            errno
        }),
        (any::<u32>(), any::<i32>(), exit, any::<bool>(), any::<(u64, u64, u64)>()).prop_map(
            |(id, pid, exit, core, (user_us, system_us, peak_kib))| {
                let usage = Usage { user_us, system_us, peak_kib };
                Event::Exited { id, pid, exit, core, usage }
            }
        ),
        vec(any::<i32>(), 0..20).prop_map(|left| Event::Swept { left }),
        any::<u32>().prop_map(|id| Event::Confined { id }),
        (any::<u32>(), 0_u8..9, any::<i32>()).prop_map(|(id, step, errno)| Event::ConfineFailed {
            id,
            step: ConfineStep::from_wire(step).unwrap(),
            errno
        }),
    ]
}

/// Feeds `bytes` in pieces of `piece` bytes and collects what `decode` makes of the frames.
fn read_in_pieces<T>(
    bytes: &[u8],
    piece: usize,
    decode: impl Fn(&[u8]) -> Result<T, WireError>,
) -> Result<Vec<T>, WireError> {
    let mut reader = FrameReader::default();
    let mut found = Vec::new();
    for part in bytes.chunks(piece) {
        reader.push(part);
        while let Some(body) = reader.next_frame()? {
            found.push(decode(body)?);
        }
    }
    Ok(found)
}

proptest! {
    #[test]
    fn requests_survive_any_fragmentation(requests in vec(request(), 1..5), piece in 1_usize..200) {
        let mut bytes = Vec::new();
        for request in &requests {
            bytes.extend(request.encode().unwrap());
        }
        prop_assert_eq!(read_in_pieces(&bytes, piece, Request::decode), Ok(requests));
    }

    #[test]
    fn events_survive_any_fragmentation(events in vec(event(), 1..5), piece in 1_usize..200) {
        let mut bytes = Vec::new();
        for event in &events {
            bytes.extend(event.encode().unwrap());
        }
        prop_assert_eq!(read_in_pieces(&bytes, piece, Event::decode), Ok(events));
    }

    #[test]
    fn no_bytes_whatever_panic_a_decoder(body in vec(any::<u8>(), 0..300)) {
        // A body that happens to decode has exactly one encoding, so it must come back.
        if let Ok(request) = Request::decode(&body) {
            prop_assert_eq!(Request::decode(&request.encode().unwrap()[4..]), Ok(request));
        }
        if let Ok(event) = Event::decode(&body) {
            prop_assert_eq!(&event.encode().unwrap()[4..], body.as_slice());
        }
    }

    #[test]
    fn a_cut_frame_is_refused(request in request(), cut in any::<prop::sample::Index>()) {
        let body = request.encode().unwrap().split_off(4);
        let short = &body[..cut.index(body.len())];
        prop_assert!(Request::decode(short).is_err());
    }

    #[test]
    fn a_frame_with_something_after_it_is_refused(event in event(), extra in any::<u8>()) {
        let mut body = event.encode().unwrap().split_off(4);
        body.push(extra);
        prop_assert!(Event::decode(&body).is_err());
    }
}

#[test]
fn a_hostile_length_is_refused_before_its_bytes_come() {
    for length in [0, MAX_FRAME_BYTES + 1, u32::MAX as usize] {
        let mut reader = FrameReader::default();
        reader.push(&u32::try_from(length).unwrap().to_le_bytes());
        assert_eq!(reader.next_frame(), Err(WireError::FrameLength(length)));
    }
}

#[test]
fn a_lying_count_is_refused_without_reserving_memory() {
    // Kind, id, then an argument count of four thousand million and no argument.
    let mut body = vec![1, 0, 0, 0, 0];
    body.extend(u32::MAX.to_le_bytes());
    assert_eq!(Request::decode(&body), Err(WireError::Truncated));
}

fn simple_spawn() -> Spawn {
    Spawn {
        id: 1,
        argv: vec![b"/bin/true".to_vec()],
        env: Vec::new(),
        cwd: Vec::new(),
        descriptors: 0,
        controlling_terminal: false,
        umask: None,
        limits: Vec::new(),
    }
}

fn decode_of(spawn: Spawn) -> Result<Request, WireError> {
    Request::decode(&Request::Spawn(spawn).encode().unwrap()[4..])
}

#[test]
fn a_spawn_without_a_program_is_refused() {
    let spawn = Spawn { argv: Vec::new(), ..simple_spawn() };
    assert_eq!(decode_of(spawn), Err(WireError::NoProgram));
}

#[test]
fn a_nul_byte_in_an_argument_is_refused() {
    let spawn = Spawn { argv: vec![b"/bin/\0true".to_vec()], ..simple_spawn() };
    assert_eq!(decode_of(spawn), Err(WireError::NulByte));
}

#[test]
fn more_descriptors_than_a_message_carries_are_refused() {
    let spawn = Spawn { descriptors: 65, ..simple_spawn() };
    assert_eq!(decode_of(spawn), Err(WireError::TooManyDescriptors(65)));
}

#[test]
fn an_environment_past_the_longest_frame_is_refused_where_it_is_written() {
    let spawn = Spawn { env: vec![vec![b'x'; MAX_FRAME_BYTES]], ..simple_spawn() };
    assert!(matches!(Request::Spawn(spawn).encode(), Err(WireError::FrameLength(_))));
}

/// The longest frame, as the other end knows it.
const SIXTEEN_MIB: usize = 16_777_216;

#[test]
fn a_frame_of_sixteen_mib_is_the_longest() {
    for (length, answer) in
        [(SIXTEEN_MIB, Ok(None)), (SIXTEEN_MIB + 1, Err(WireError::FrameLength(SIXTEEN_MIB + 1)))]
    {
        let mut reader = FrameReader::default();
        reader.push(&u32::try_from(length).unwrap().to_le_bytes());
        assert_eq!(reader.next_frame(), answer);
    }
    let rest = Request::Spawn(simple_spawn()).encode().unwrap().len();
    let encoded = |total: usize| {
        // A variable adds its bytes and their length.
        let filler = vec![b'x'; total - rest];
        Request::Spawn(Spawn { env: vec![filler], ..simple_spawn() }).encode()
    };
    let longest = encoded(SIXTEEN_MIB).unwrap();
    assert_eq!(longest.len(), 4 + SIXTEEN_MIB);
    assert!(Request::decode(&longest[4..]).is_ok());
    assert_eq!(encoded(SIXTEEN_MIB + 1), Err(WireError::FrameLength(SIXTEEN_MIB + 1)));
}

#[test]
fn as_many_descriptors_as_a_message_carries_are_taken() {
    assert!(decode_of(Spawn { descriptors: 64, ..simple_spawn() }).is_ok());
}

/// A frame whose body has `length` bytes.
fn frame_of(length: usize) -> Vec<u8> {
    let mut frame = u32::try_from(length).unwrap().to_le_bytes().to_vec();
    frame.resize(4 + length, 7);
    frame
}

#[test]
fn the_memory_of_a_large_frame_is_given_back_and_that_of_usual_ones_kept() {
    let mut reader = FrameReader::default();
    for (length, is_kept) in [(100_000, true), (1_000_000, false)] {
        reader.push(&frame_of(length));
        assert_eq!(reader.next_frame().unwrap().unwrap().len(), length);
        reader.push(&frame_of(1));
        assert_eq!(reader.next_frame().unwrap(), Some(&[7][..]));
        assert_eq!(reader.buffer.capacity() >= length, is_kept, "{length}");
    }
}

#[test]
fn what_follows_a_large_frame_is_not_lost() {
    let mut reader = FrameReader::default();
    let next = frame_of(9);
    reader.push(&[&frame_of(1_000_000)[..], &next[..6]].concat());
    assert_eq!(reader.next_frame().unwrap().unwrap().len(), 1_000_000);
    reader.push(&next[6..]);
    assert_eq!(reader.next_frame().unwrap(), Some(&[7; 9][..]));
}

#[test]
fn many_small_frames_need_no_more_memory_than_one() {
    let mut reader = FrameReader::default();
    for _ in 0..1_000 {
        reader.push(&frame_of(100));
        assert_eq!(reader.next_frame().unwrap().unwrap().len(), 100);
    }
    assert!(reader.buffer.len() <= 104, "{}", reader.buffer.len());
}

#[test]
fn an_error_says_what_was_wrong_with_the_bytes() {
    let texts = [
        WireError::FrameLength(17),
        WireError::Truncated,
        WireError::TrailingBytes,
        WireError::UnknownValue(9),
        WireError::NulByte,
        WireError::NoProgram,
        WireError::TooManyDescriptors(65),
    ]
    .map(|error| error.to_string());
    assert!(texts[0].contains("17") && texts[3].contains('9') && texts[6].contains("65"));
    let different: std::collections::HashSet<_> = texts.iter().collect();
    assert_eq!(different.len(), texts.len());
}
