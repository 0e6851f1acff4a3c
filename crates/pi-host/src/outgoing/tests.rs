//! The queue: classes, turns, windows, what is left out, what is sent again.

use proptest::prelude::*;

use super::pace::PIECE_BYTES;
use super::*;
use crate::wire::{Decoder, Frame, frame, split_u64};

const LINK: u64 = 1;

fn queue(keeps: bool) -> Outgoing {
    let outgoing = Outgoing::new(keeps);
    outgoing.attach(LINK, Vec::new());
    outgoing
}

fn text(id: &str, window: u32) -> StreamOptions {
    StreamOptions { is_data: false, id: Some(id.to_owned()), window: Some(window) }
}

fn end() -> End {
    End { kind: Kind::End, members: b"\"ok\":1".to_vec() }
}

/// What would be written next, at once: nothing where the writer would wait.
fn write(outgoing: &Outgoing) -> Vec<Frame> {
    let mut bytes = Vec::new();
    {
        let mut state = outgoing.lock();
        let piece_bytes = state.pace.piece_bytes();
        state.fill(piece_bytes, &mut bytes);
    }
    let mut decoder = Decoder::default();
    decoder.push(&bytes);
    std::iter::from_fn(|| decoder.next_frame().unwrap()).collect()
}

/// All that would be written.
fn write_all(outgoing: &Outgoing) -> Vec<Frame> {
    let mut frames = Vec::new();
    loop {
        let more = write(outgoing);
        if more.is_empty() {
            return frames;
        }
        frames.extend(more);
    }
}

fn pieces(frames: &[Frame]) -> Vec<(u64, String)> {
    let texts = frames.iter().filter(|frame| frame.kind == Kind::Text);
    texts
        .map(|frame| {
            let (offset, text) = split_u64(&frame.payload).unwrap();
            (offset, String::from_utf8(text.to_vec()).unwrap())
        })
        .collect()
}

fn kinds(frames: &[Frame]) -> Vec<Kind> {
    frames.iter().map(|frame| frame.kind).collect()
}

#[test]
fn what_is_urgent_goes_before_what_was_there_first() {
    let outgoing = queue(false);
    outgoing.open(1, text("a", 1 << 20));
    outgoing.push(1, b"text");
    outgoing.flush(1);
    outgoing.update(1, frame(Kind::Update, 1, b"{}"));
    outgoing.put_control(None, frame(Kind::Pong, 0, &[0; 8]));

    assert_eq!(kinds(&write(&outgoing)), [Kind::Pong, Kind::Update, Kind::Text]);
}

#[test]
fn the_last_text_and_the_end_are_one_write() {
    let outgoing = queue(false);
    outgoing.open(1, text("a", 4_096));
    outgoing.push(1, b"text");
    outgoing.flush(1);
    outgoing.end(1, end());

    assert_eq!(kinds(&write(&outgoing)), [Kind::Text, Kind::End]);
    assert!(!outgoing.is_open(1));
}

#[test]
fn floods_take_turns_of_a_piece_and_an_end_waits_for_none() {
    let outgoing = queue(false);
    for channel in [1, 2] {
        outgoing.open(channel, text("a", 4 << 20));
        outgoing.push(channel, &vec![b'x'; 4 * PIECE_BYTES]);
        outgoing.flush(channel);
    }
    outgoing.open(3, text("b", 4_096));
    let channels: Vec<u32> = (0..4).map(|_| write(&outgoing)[0].channel).collect();
    assert_eq!(channels, [1, 2, 1, 2]);

    outgoing.end(3, end());
    assert_eq!(write(&outgoing)[0].kind, Kind::End);
}

#[test]
fn no_more_than_the_window_is_on_its_way() {
    let outgoing = queue(false);
    outgoing.open(1, text("a", 10_000));
    outgoing.push(1, &vec![b'x'; 30_000]);
    outgoing.flush(1);

    assert_eq!(
        pieces(&write_all(&outgoing)).iter().map(|(_, text)| text.len()).sum::<usize>(),
        10_000
    );
    outgoing.credit(1, 4_000, 10_000);
    assert_eq!(pieces(&write_all(&outgoing)), [(10_000, "x".repeat(4_000))]);
    outgoing.credit(1, 14_000, 0);
    assert!(write_all(&outgoing).is_empty());
    outgoing.credit(1, 14_000, 20_000);
    assert_eq!(pieces(&write_all(&outgoing)), [(14_000, "x".repeat(16_000))]);
}

#[test]
fn a_run_that_is_being_ended_keeps_its_newest_text_and_counts_the_rest() {
    let outgoing = queue(false);
    outgoing.open(1, text("a", 4_096));
    outgoing.push(1, "é".repeat(300_000).as_bytes());
    outgoing.flush(1);
    write_all(&outgoing);
    outgoing.free(1);
    outgoing.push(1, b"last");
    outgoing.end(1, end());

    let frames = write_all(&outgoing);

    let pieces = pieces(&frames);
    let sent: usize = pieces.iter().map(|(_, text)| text.len()).sum();
    let said: serde_json::Value = serde_json::from_slice(&frames.last().unwrap().payload).unwrap();
    assert_eq!(pieces[0].0, 4_096 + said["leftOutBytes"].as_u64().unwrap());
    assert_eq!(pieces[0].0 + sent as u64, 600_004);
    assert!(pieces.last().unwrap().1.ends_with("élast"));
    assert!((262_142..=262_144).contains(&sent), "{sent}");
}

#[test]
fn what_was_not_acknowledged_is_sent_again_and_nothing_else() {
    let outgoing = queue(true);
    outgoing.open(1, text("a", 65_536));
    outgoing.push(1, b"one two ");
    outgoing.flush(1);
    write_all(&outgoing);
    outgoing.credit(1, 4, 65_536);
    outgoing.push(1, b"three");
    outgoing.flush(1);
    write_all(&outgoing);
    outgoing.detach(LINK);
    outgoing.push(1, b" four");
    outgoing.end(1, end());

    assert_eq!(outgoing.resume(1, "b", 0), Found::Unknown);
    assert_eq!(outgoing.resume(2, "a", 0), Found::Unknown);
    assert_eq!(outgoing.resume(1, "a", 4), Found::Ended);
    outgoing.attach(2, frame(Kind::Attached, 0, b"{}"));
    let frames = write_all(&outgoing);

    assert_eq!(frames[0].kind, Kind::Attached);
    let all: String = pieces(&frames).into_iter().map(|(_, text)| text).collect();
    assert_eq!(all, "two three four");
    assert_eq!(frames.last().unwrap().kind, Kind::End);
    assert!(outgoing.is_open(1));
    assert!(!outgoing.credit(1, 17, 0));
    assert!(outgoing.credit(1, 18, 0));
    assert!(!outgoing.is_open(1));
}

#[test]
fn an_older_link_is_not_written_to_any_more() {
    let outgoing = queue(true);
    outgoing.put_control(Some(LINK), frame(Kind::Pong, 0, &[0; 8]));
    outgoing.attach(2, Vec::new());

    assert!(!outgoing.next(LINK, &mut Vec::new()));
    outgoing.put_control(Some(LINK), frame(Kind::Pong, 0, &[0; 8]));
    assert!(write_all(&outgoing).is_empty());
    assert!(!outgoing.wait_for_control(LINK));
}

#[tokio::test]
async fn room_is_there_again_when_near_has_taken_something() {
    let outgoing = Arc::new(queue(false));
    outgoing.open(1, text("a", 4_096));
    outgoing.push(1, &[b'x'; 5_000]);
    let waiting = tokio::spawn({
        let outgoing = Arc::clone(&outgoing);
        async move { outgoing.room(1).await }
    });
    tokio::task::yield_now().await;
    write_all(&outgoing);
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());

    outgoing.credit(1, 4_096, 4_096);

    tokio::time::timeout(Duration::from_secs(10), waiting).await.unwrap().unwrap();
    outgoing.room(99).await;
}

proptest! {
    #[test]
    fn any_order_of_writes_credits_and_cuts_gives_the_text_once(
        steps in prop::collection::vec((0_u8..5, 1_usize..3_000), 1..80),
        character in prop::sample::select(vec!["x", "é", "€", "😀"]),
    ) {
        let outgoing = queue(true);
        outgoing.open(1, text("a", 4_096));
        let (mut link, mut written, mut seen) = (LINK, String::new(), String::new());
        let see = |outgoing: &Outgoing, seen: &mut String| {
            for (offset, piece) in pieces(&write_all(outgoing)) {
                assert_eq!(offset, seen.len() as u64);
                seen.push_str(&piece);
            }
        };
        for (step, size) in steps {
            match step {
                // As a command does, which waits for room.
                0 | 1 if outgoing.missing_room(1).is_none() => {
                    let more = character.repeat(size / 4 + 1);
                    written.push_str(&more);
                    outgoing.push(1, more.as_bytes());
                    outgoing.flush(1);
                }
                2 => see(&outgoing, &mut seen),
                3 => drop(outgoing.credit(1, seen.len() as u64, 4_096)),
                4 => {
                    outgoing.detach(link);
                    outgoing.resume(1, "a", seen.len() as u64);
                    link += 1;
                    outgoing.attach(link, Vec::new());
                }
                _ => {}
            }
        }
        outgoing.end(1, end());
        for _ in 0..40 {
            see(&outgoing, &mut seen);
            outgoing.credit(1, seen.len() as u64, 4_096);
        }
        prop_assert!(seen == written, "{} of {} bytes", seen.len(), written.len());
    }
}

/// A pipe whose writing end is the link's stream.
fn piped(outgoing: &Outgoing) -> std::fs::File {
    let (reader, writer) = rustix::pipe::pipe().unwrap();
    rustix::io::ioctl_fionbio(&reader, true).unwrap();
    outgoing.give_output(LINK, &Arc::new(writer.into()));
    reader.into()
}

/// What stands in a pipe now.
fn read_now(reader: &mut std::fs::File) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Its end, or that there is no more.
    std::io::Read::read_to_end(reader, &mut bytes).ok();
    bytes
}

fn frames_of(bytes: &[u8]) -> Vec<Frame> {
    let mut decoder = Decoder::default();
    decoder.push(bytes);
    std::iter::from_fn(|| decoder.next_frame().unwrap()).collect()
}

#[test]
fn a_short_command_s_frames_leave_at_once_and_as_one_write() {
    let outgoing = queue(false);
    let mut reader = piped(&outgoing);
    write_all(&outgoing);

    outgoing.hush();
    outgoing.open(1, text("a", 4_096));
    outgoing.put_patient(&frame(Kind::Started, 1, b"{}"));
    outgoing.push(1, b"text");
    outgoing.flush(1);
    outgoing.end(1, end());
    assert!(read_now(&mut reader).is_empty(), "nothing leaves before its frame is done with");
    assert_eq!(outgoing.speak(), None);

    let frames = frames_of(&read_now(&mut reader));
    assert_eq!(kinds(&frames), [Kind::Started, Kind::Text, Kind::End]);
    assert!(write(&outgoing).is_empty(), "the link's thread has nothing to write again");
}

#[test]
fn a_start_alone_waits_for_what_follows_it() {
    let outgoing = queue(false);
    let mut reader = piped(&outgoing);
    write_all(&outgoing);

    outgoing.hush();
    outgoing.put_patient(&frame(Kind::Started, 1, b"{}"));
    let mut patience = outgoing.speak();
    assert!(read_now(&mut reader).is_empty());
    while let Some(left) = patience {
        std::thread::sleep(left);
        outgoing.hush();
        patience = outgoing.speak();
    }

    assert_eq!(kinds(&frames_of(&read_now(&mut reader))), [Kind::Started]);
}

#[test]
fn much_text_and_a_stream_that_is_full_are_left_to_the_link_s_thread() {
    let outgoing = queue(false);
    let mut reader = piped(&outgoing);
    write_all(&outgoing);

    outgoing.open(1, text("a", 1 << 20));
    outgoing.push(1, &[b'x'; 10_000]);
    outgoing.flush(1);
    outgoing.end(1, end());
    assert!(read_now(&mut reader).is_empty());
    assert_eq!(kinds(&write_all(&outgoing)), [Kind::Text, Kind::End]);

    // A pipe that nothing fits into.
    let (full, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::NONBLOCK).unwrap();
    while rustix::io::write(&writer, &[0; 4_096]).is_ok() {}
    outgoing.give_output(LINK, &Arc::new(writer.into()));
    outgoing.put_control(None, frame(Kind::Pong, 0, &[0; 8]));
    assert_eq!(kinds(&write_all(&outgoing)), [Kind::Pong]);
    drop(full);
}

#[test]
fn what_a_stream_that_has_ended_did_not_take_is_the_link_s_thread_s_and_whole() {
    let outgoing = queue(false);
    drop(piped(&outgoing));
    write_all(&outgoing);

    outgoing.put_control(None, frame(Kind::Pong, 0, &[1; 8]));
    outgoing.put_control(None, frame(Kind::Pong, 0, &[2; 8]));

    let frames = write_all(&outgoing);
    let numbers: Vec<u8> =
        frames.iter().filter_map(|frame| frame.payload.first().copied()).collect();
    assert_eq!(numbers, [1, 2]);
}
