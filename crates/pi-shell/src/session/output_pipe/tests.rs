//! An output pipe under floods and trickles.

use std::fs::File;
use std::io::Write as _;

use super::*;

/// A pipe, and a writer of its own beside the one that it holds.
fn pipe_and_writer() -> (OutputPipe, File) {
    let pipe = OutputPipe::anonymous().unwrap();
    let writer = pipe.writer().unwrap().try_clone_to_owned().unwrap().into();
    (pipe, writer)
}

/// Bytes that differ from place to place, so that none can be lost or swapped unseen.
fn pattern(length: usize) -> Vec<u8> {
    (0_u32..).flat_map(u32::to_le_bytes).take(length).collect()
}

async fn read_all(pipe: &mut OutputPipe, length: usize) -> Vec<u8> {
    let mut found = Vec::new();
    while found.len() < length {
        let read = tokio::time::timeout(Duration::from_secs(20), pipe.read());
        match read.await.unwrap().unwrap() {
            ReadOutcome::Data(count) => found.extend_from_slice(pipe.bytes(count)),
            ReadOutcome::Empty => {}
            ReadOutcome::Closed => break,
        }
    }
    found
}

/// A program that another test starts has all descriptors until it is executed, the writer among them.
fn reads_the_end(pipe: &mut OutputPipe) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        match pipe.read_now().unwrap() {
            ReadOutcome::Closed => return,
            ReadOutcome::Data(length) => panic!("{length} bytes that were not written"),
            ReadOutcome::Empty => assert!(Instant::now() < deadline, "the pipe still has a writer"),
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A thread that writes `bytes` in pieces of `piece`, and gives the writer back.
fn write_in_pieces(
    mut writer: File,
    bytes: Vec<u8>,
    piece: usize,
) -> std::thread::JoinHandle<File> {
    std::thread::spawn(move || {
        for piece in bytes.chunks(piece) {
            writer.write_all(piece).unwrap();
        }
        writer
    })
}

async fn reads_a_flood_and_the_trickle_after_it(for_us: bool, piece: usize) {
    let (mut pipe, writer) = pipe_and_writer();
    let flood = pattern(8 * 1024 * 1024);
    let writing = write_in_pieces(writer, flood.clone(), piece);

    pipe.listen_soon(for_us);
    let found = read_all(&mut pipe, flood.len()).await;

    assert!(found == flood);
    let mut writer = writing.join().unwrap();
    for _ in 0..3 {
        writer.write_all(b"a word").unwrap();
        assert_eq!(read_all(&mut pipe, 6).await, b"a word");
    }
    assert!(pipe.rests.is_none() && pipe.transfer.is_none(), "a trickle is no flood");
    drop(writer);
    pipe.release();
    reads_the_end(&mut pipe);
}

#[tokio::test]
async fn a_flood_and_the_trickle_after_it_are_read_whole() {
    for piece in [777, 4096, 5000, 128 * 1024] {
        reads_a_flood_and_the_trickle_after_it(false, piece).await;
        reads_a_flood_and_the_trickle_after_it(true, piece).await;
    }
}

#[tokio::test]
async fn what_is_left_of_a_flood_at_the_end_of_the_command_is_read_in_order() {
    let (mut pipe, writer) = pipe_and_writer();
    let flood = pattern(24 * 1024 * 1024);
    let writing = write_in_pieces(writer, flood.clone(), 100_000);
    pipe.listen_soon(true);
    let mut found = read_all(&mut pipe, 8 * 1024 * 1024).await;
    while pipe.transferred() == 0 {
        found.extend(read_all(&mut pipe, 1).await);
    }

    // The last read finds the end: the writer is gone then.
    pipe.release();
    found.extend(read_all(&mut pipe, 1).await);
    let writer = std::thread::spawn(move || drop(writing.join().unwrap()));
    loop {
        match pipe.read_now().unwrap() {
            ReadOutcome::Data(length) => found.extend_from_slice(pipe.bytes(length)),
            ReadOutcome::Empty => std::thread::yield_now(),
            ReadOutcome::Closed => break,
        }
    }
    writer.join().unwrap();

    assert!(found == flood);
    pipe.forget_flood();
    assert!(
        pipe.buffer.capacity() <= 2 * DEFAULT_PIPE_BYTES,
        "an idle session keeps little memory"
    );
    let size = rustix::pipe::fcntl_getpipe_size(pipe.source.descriptor()).unwrap();
    assert_eq!(size, DEFAULT_PIPE_BYTES);
}

#[tokio::test]
async fn a_flood_leaves_neither_a_private_pipe_nor_a_grown_one() {
    let (mut pipe, writer) = pipe_and_writer();
    let writing = write_in_pieces(writer, pattern(16 * 1024 * 1024), 100_000);
    pipe.listen_soon(true);
    while pipe.transfer.is_none() {
        read_all(&mut pipe, 1).await;
    }

    // The command is over, a background child writes on.
    pipe.release();
    while let Ok(Ok(ReadOutcome::Data(_))) =
        tokio::time::timeout(Duration::from_secs(1), pipe.read_to_end()).await
    {}
    let writer = writing.join().unwrap();

    assert!(pipe.transfer.is_none());
    let size = rustix::pipe::fcntl_getpipe_size(pipe.source.descriptor()).unwrap();
    assert_eq!(size, DEFAULT_PIPE_BYTES);
    drop(writer);
}

#[tokio::test]
async fn a_flood_that_ends_with_its_command_leaves_no_private_pipe() {
    let (mut pipe, writer) = pipe_and_writer();
    let flood = pattern(8 * 1024 * 1024);
    let writing = write_in_pieces(writer, flood.clone(), 100_000);
    pipe.listen_soon(true);
    read_all(&mut pipe, flood.len()).await;
    // As it is between two rests, where all was read.
    pipe.transfer = Transfer::new(GROWN_PIPE_BYTES).ok();

    drop(writing.join().unwrap());
    pipe.release();

    assert!(pipe.transfer.is_none());
}

#[tokio::test]
async fn a_flood_is_read_where_nothing_can_be_moved_between_pipes() {
    let (mut pipe, writer) = pipe_and_writer();
    let flood = pattern(32 * 1024 * 1024);
    let writing = write_in_pieces(writer, flood.clone(), 100_000);
    pipe.listen_soon(true);
    let mut found = Vec::new();
    while pipe.transfer.is_none() || pipe.transferred() > 0 {
        found.extend(read_all(&mut pipe, 1).await);
    }
    pipe.transfer = Transfer::broken().ok();

    found.extend(read_all(&mut pipe, flood.len() - found.len()).await);

    assert!(found == flood);
    drop(writing.join().unwrap());
}

#[tokio::test]
async fn a_flood_is_what_fills_two_pipes_within_a_moment() {
    let mut pipe = OutputPipe::anonymous().unwrap();
    // A span that does not end meanwhile, however busy the machine is.
    pipe.span = (Instant::now() + Duration::from_secs(3_600), 0);
    assert!(!pipe.is_flooded_by(DEFAULT_PIPE_BYTES));
    assert!(!pipe.is_flooded_by(DEFAULT_PIPE_BYTES - 1));
    assert!(pipe.is_flooded_by(1));

    pipe.span.0 = Instant::now().checked_sub(2 * FLOOD_SPAN).unwrap();
    assert!(!pipe.is_flooded_by(DEFAULT_PIPE_BYTES), "what came long before does not count");
}

#[tokio::test]
async fn a_flood_goes_on_at_once_where_a_read_did_not_empty_the_pipe() {
    for (length, has_more) in [(DEFAULT_PIPE_BYTES, true), (DEFAULT_PIPE_BYTES - 1, false)] {
        let (mut pipe, mut writer) = pipe_and_writer();
        pipe.begin_flood(length);
        assert_eq!((pipe.rests.is_some(), pipe.has_more()), (true, has_more), "{length}");

        let bytes = pattern(READ_BYTES + 5);
        let size = rustix::pipe::fcntl_getpipe_size(pipe.source.descriptor()).unwrap();
        assert!(size > bytes.len());
        writer.write_all(&bytes).unwrap();
        assert!(read_all(&mut pipe, 1).await == bytes[..READ_BYTES]);
        assert!(pipe.has_more());
        assert!(read_all(&mut pipe, 1).await == bytes[READ_BYTES..]);
        assert!(!pipe.has_more(), "it rests");
    }
}

#[tokio::test]
async fn what_one_read_does_not_take_is_read_though_nothing_more_is_written() {
    let (mut pipe, mut writer) = pipe_and_writer();
    pipe.grow();
    let bytes = pattern(DEFAULT_PIPE_BYTES + 5);
    let size = rustix::pipe::fcntl_getpipe_size(pipe.source.descriptor()).unwrap();
    assert!(size > bytes.len());
    writer.write_all(&bytes).unwrap();

    assert!(read_all(&mut pipe, bytes.len()).await == bytes);
}

#[tokio::test]
async fn a_read_listens_a_moment_after_the_order_and_says_when() {
    let (mut pipe, mut writer) = pipe_and_writer();
    writer.write_all(b"a word").unwrap();
    let begin = Instant::now();
    pipe.listen_soon(false);
    assert!(!pipe.is_listening());

    assert_eq!(pipe.read().await.unwrap(), ReadOutcome::Empty);

    assert!(begin.elapsed() >= LISTEN_AFTER && pipe.is_listening());
    assert_eq!(pipe.read().await.unwrap(), ReadOutcome::Data(6));
}

#[tokio::test]
async fn a_pipe_serves_the_next_command_as_long_as_it_is_as_new() {
    let (mut pipe, mut writer) = pipe_and_writer();
    assert!(pipe.is_as_new());
    assert_eq!((pipe.waiting_bytes(), pipe.buffer().len()), (0, DEFAULT_PIPE_BYTES));

    writer.write_all(b"abc").unwrap();
    assert_eq!(pipe.waiting_bytes(), 3);
    assert!(!pipe.is_as_new(), "it is not empty");
    assert_eq!(pipe.read_now().unwrap(), ReadOutcome::Data(3));
    assert!(pipe.is_as_new());

    pipe.rests = Rests::new().ok();
    assert!(!pipe.is_as_new(), "there is a flood");
    pipe.rests = None;
    pipe.grow();
    assert!(!pipe.is_as_new(), "it is larger");
    pipe.forget_flood();
    assert!(pipe.is_as_new());
}

#[tokio::test]
async fn what_was_moved_out_of_the_pipe_is_read_before_what_is_in_it() {
    let (mut pipe, mut writer) = pipe_and_writer();
    let mut transfer = Transfer::new(GROWN_PIPE_BYTES).unwrap();
    writer.write_all(b"abc").unwrap();
    transfer.fill(pipe.source.descriptor()).unwrap();
    pipe.transfer = Some(transfer);
    writer.write_all(b"de").unwrap();
    assert_eq!(pipe.waiting_bytes(), 5);

    assert_eq!(pipe.read_now().unwrap(), ReadOutcome::Data(5));
    assert_eq!(pipe.bytes(5), b"abcde");
    assert!(pipe.transfer.is_none());

    pipe.transfer = Transfer::new(GROWN_PIPE_BYTES).ok();
    writer.write_all(b"f").unwrap();
    assert_eq!(pipe.read_now().unwrap(), ReadOutcome::Data(1), "nothing was moved");
}

#[tokio::test]
async fn a_pipe_that_cannot_be_watched_is_looked_at_and_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut pipe = OutputPipe::anonymous().unwrap();
    // A file takes no watch, as a pipe does where the user's share of watches is spent.
    let file = folder.path().join("file");
    std::fs::write(&file, b"a word").unwrap();
    let unwatched = LazyWatch::new(File::open(&file).unwrap().into());
    let _reader = std::mem::replace(&mut pipe.source, unwatched);

    pipe.listen_soon(true);
    assert_eq!(read_all(&mut pipe, 6).await, b"a word");
    assert!(pipe.writer.is_some());

    std::fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"late").unwrap();
    pipe.release();
    pipe.readable().await.unwrap();
    assert_eq!(pipe.read_now().unwrap(), ReadOutcome::Data(4));
    assert_eq!(pipe.bytes(4), b"late");
}
