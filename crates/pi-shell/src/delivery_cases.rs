//! What a delivery gives to its observer and to its sink, and when.

use std::sync::{Arc, Mutex};

use pi_mask::{MaskOptions, MaskedValue};
use pi_output::SinkUpdate;
use pi_process::lock;
use tokio::sync::Semaphore;

use super::*;
use crate::source::ReadOutcome;

const SECRET: &str = "s3cr3t-value-9";

/// Most bytes of a read that are not worth handing over as a whole.
const SMALL_READ: usize = READ_BYTES / 2 - 1;

/// Keeps what it is given, in order.
struct Log {
    wants_chunks: bool,
    takes_reads: bool,
    wants_updates: bool,
    room: Semaphore,
    events: Mutex<Vec<String>>,
}

impl Log {
    fn new(wants_chunks: bool, takes_reads: bool, wants_updates: bool) -> Arc<Self> {
        let (room, events) = (Semaphore::new(0), Mutex::default());
        Arc::new(Self { wants_chunks, takes_reads, wants_updates, room, events })
    }

    fn of_chunks() -> Arc<Self> {
        Self::new(true, false, false)
    }

    fn of_reads() -> Arc<Self> {
        Self::new(true, true, false)
    }

    /// What came since the last look.
    fn events(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.events))
    }

    fn note(&self, event: impl Into<String>) {
        lock(&self.events).push(event.into());
    }
}

impl Observer for Log {
    fn stopping(&self) {
        self.note("stopping");
    }
    fn wants_chunks(&self) -> bool {
        self.wants_chunks
    }
    fn chunk(&self, text: &str) {
        self.note(text);
    }
    fn takes_reads(&self) -> bool {
        self.takes_reads
    }
    fn chunk_read(&self, _buffer: &mut Vec<u8>, length: usize) {
        self.note(format!("a read of {length}"));
    }
    fn flush(&self) {
        self.note("flush");
    }
    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async { self.room.acquire().await.unwrap().forget() })
    }
    fn wants_updates(&self) -> bool {
        self.wants_updates
    }
    fn update(&self, update: SinkUpdate) {
        self.note(format!("update: {}", update.tail));
    }
}

/// One read, already made.
struct Read {
    buffer: Vec<u8>,
    has_more: bool,
}

impl Read {
    fn last(bytes: &[u8]) -> Self {
        Self { buffer: bytes.to_vec(), has_more: false }
    }
}

impl Source for Read {
    fn bytes(&self, length: usize) -> &[u8] {
        &self.buffer[..length]
    }
    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }
    fn has_more(&self) -> bool {
        self.has_more
    }
    fn read_now(&mut self) -> std::io::Result<ReadOutcome> {
        Ok(ReadOutcome::Closed)
    }
    async fn readable(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn mask() -> Mask {
    let value = MaskedValue { name: "KEY".to_owned(), value: SECRET.to_owned() };
    Mask::new(&MaskOptions { values: vec![value], ..MaskOptions::default() }).unwrap().unwrap()
}

fn masked() -> RunOptions {
    RunOptions { mask: Some(mask()), ..RunOptions::default() }
}

fn with_sink(sink: SinkOptions) -> RunOptions {
    RunOptions { sink: Some(sink), ..RunOptions::default() }
}

/// Takes all of `read`.
fn take(delivery: &mut Delivery, mut read: Read) {
    let length = read.buffer.len();
    delivery.take(&mut read, length);
}

/// What an observer of whole reads has of `bytes`.
fn observed(bytes: &[u8], options: Option<&RunOptions>) -> Vec<String> {
    let log = Log::of_reads();
    take(&mut Delivery::new(log.clone(), options), Read::last(bytes));
    log.events()
}

#[cfg(unix)]
#[test]
fn what_is_pushed_is_looked_at_at_once_or_with_the_next_flush() {
    let log = Log::of_chunks();
    let mut delivery = Delivery::new(log.clone(), None);

    delivery.push(b"one");
    assert_eq!(log.events(), ["one", "flush"]);
    delivery.push_part(b"two", false);
    assert_eq!(log.events(), ["two"]);
    delivery.flush();
    assert_eq!(log.events(), ["flush"]);
    delivery.stopping();
    assert_eq!(log.events(), ["stopping"]);
}

#[cfg(unix)]
#[test]
fn an_observer_that_wants_no_text_is_given_none_and_holds_nothing_up() {
    let log = Log::new(false, false, false);
    let mut delivery = Delivery::new(log.clone(), Some(&with_sink(SinkOptions::default())));

    delivery.push(b"text\xe2");
    delivery.flush();
    delivery.end();

    assert_eq!(log.events(), [""; 0]);
    assert!(delivery.is_ready());
    assert_eq!(delivery.summary(false).unwrap().text, "text\u{fffd}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_delivery_wants_text_where_its_observer_does() {
    assert!(Delivery::new(Log::of_chunks(), None).wants_text());
    assert!(!Delivery::new(Log::new(false, true, true), None).wants_text());
}

#[test]
fn a_read_is_looked_at_once_nothing_follows_it_at_once() {
    let log = Log::of_chunks();
    let mut delivery = Delivery::new(log.clone(), None);

    take(&mut delivery, Read { buffer: b"one".to_vec(), has_more: true });
    assert_eq!(log.events(), ["one"]);
    take(&mut delivery, Read::last(b"two"));
    assert_eq!(log.events(), ["two", "flush"]);
    delivery.take_rest(&mut Read::last(b"three"), 5);
    assert_eq!(log.events(), ["three"]);
}

#[test]
fn much_text_that_no_one_else_wants_is_handed_over_in_its_buffer() {
    let large = vec![b'x'; SMALL_READ + 1];
    let length = large.len();

    assert_eq!(observed(&large, None), [format!("a read of {length}"), "flush".to_owned()]);
    let log = Log::of_reads();
    let mut delivery = Delivery::new(log.clone(), None);
    take(&mut delivery, Read { buffer: large, has_more: true });
    assert_eq!(log.events(), [format!("a read of {length}")]);
    assert!(!delivery.is_ready(), "the observer says when it has room");
}

#[test]
fn what_is_little_or_not_ascii_or_kept_as_well_or_not_wanted_so_comes_as_text() {
    let text_of = |events: Vec<String>| events.concat().replace("flush", "");
    let large = vec![b'x'; SMALL_READ + 1];
    let all = String::from_utf8(large.clone()).unwrap();

    assert_eq!(text_of(observed(&large[1..], None)), all.split_at(1).1);
    let accented = [large.as_slice(), "é".as_bytes()].concat();
    assert_eq!(text_of(observed(&accented, None)), format!("{all}é"));
    assert_eq!(text_of(observed(&large, Some(&with_sink(SinkOptions::default())))), all);
    let log = Log::of_chunks();
    take(&mut Delivery::new(log.clone(), None), Read::last(&large));
    assert_eq!(text_of(log.events()), all);
    let log = Log::of_reads();
    let mut delivery = Delivery::new(log.clone(), None);
    take(&mut delivery, Read::last(b"\xc3"));
    take(&mut delivery, Read::last(&[b"\xa9".as_slice(), &large].concat()));
    take(&mut delivery, Read::last(b"\xc3"));
    take(&mut delivery, Read::last(&large));
    assert_eq!(text_of(log.events()), format!("é{all}\u{fffd}{all}"));
}

#[test]
fn a_large_read_is_masked_and_is_still_handed_over_where_it_has_no_secret() {
    let large = "0123456 ".repeat(READ_BYTES / 8);
    let events = observed(large.as_bytes(), Some(&masked()));
    assert_eq!(events, [format!("a read of {READ_BYTES}"), "flush".to_owned()]);

    let secret = format!("a {SECRET} b {large}");
    let events = observed(secret.as_bytes(), Some(&masked()));
    assert_eq!(events.last().map(String::as_str), Some("flush"));
    assert_eq!(events.concat(), format!("a [masked: KEY] b {large}flush"));

    let log = Log::of_reads();
    let mut delivery = Delivery::new(log.clone(), Some(&masked()));
    take(&mut delivery, Read { buffer: secret.into_bytes(), has_more: true });
    assert_eq!(log.events().concat(), format!("a [masked: KEY] b {large}"));
    assert!(!delivery.is_ready());
}

#[cfg(unix)]
#[test]
fn the_beginning_of_a_secret_waits_and_a_prompt_does_not() {
    let log = Log::of_chunks();
    let mut delivery = Delivery::new(log.clone(), Some(&masked()));

    delivery.push_part(b"Continue? s", false);
    assert_eq!(log.events().concat(), "Continue? ");
    delivery.flush();
    assert_eq!(log.events(), ["s", "flush"]);
    delivery.push(b"3cr3t-v");
    assert_eq!(log.events().concat().replace("flush", ""), "3c");
    delivery.push(b"alue-9.");
    assert_eq!(log.events().concat(), "[masked: KEY].flush");
    delivery.push_part(b"s3cr", false);
    assert_eq!(log.events(), [""; 0]);
    delivery.end();
    assert_eq!(log.events().concat(), "s3cr", "it was none");
}

#[cfg(unix)]
#[test]
fn the_end_of_a_cut_character_is_given_out_with_the_end() {
    let log = Log::of_chunks();
    let mut delivery = Delivery::new(log.clone(), None);

    delivery.push(b"a\xe2\x82");
    assert_eq!(log.events(), ["a", "flush"]);
    delivery.pending = None;
    delivery.end();
    assert_eq!(log.events(), ["\u{fffd}"]);
    assert!(!delivery.is_ready());
    delivery.pending = None;
    delivery.end();
    assert_eq!(log.events(), [""; 0]);
    assert!(delivery.is_ready(), "nothing was given");
}

#[cfg(unix)]
#[tokio::test]
async fn reading_goes_on_once_the_observer_has_room() {
    let log = Log::of_chunks();
    let mut delivery = Delivery::new(log.clone(), None);
    assert!(delivery.is_ready());
    delivery.drained().await;

    delivery.push(b"text");
    assert!(!delivery.is_ready());
    let waited = tokio::time::timeout(Duration::from_millis(1), delivery.drained()).await;
    assert!(waited.is_err() && !delivery.is_ready());
    log.room.add_permits(1);
    tokio::time::timeout(Duration::from_secs(30), delivery.drained()).await.unwrap();
    assert!(delivery.is_ready());
}

#[cfg(unix)]
#[test]
fn updates_come_where_they_are_wanted_and_when_they_are_due() {
    let options = with_sink(SinkOptions {
        update_interval: Duration::from_secs(3600),
        ..SinkOptions::default()
    });
    let log = Log::new(false, false, true);
    let mut delivery = Delivery::new(log.clone(), Some(&options));
    assert_eq!(delivery.next_update(), None);
    delivery.push(b"one");
    assert_eq!(log.events(), ["update: one"]);
    delivery.push(b", two");
    assert_eq!(log.events(), [""; 0]);
    assert!(delivery.next_update().is_some_and(|due| due > Instant::now()));
    let mut delivery = Delivery::new(log.clone(), Some(&options));
    take(&mut delivery, Read::last(b"a read"));
    assert_eq!(log.events(), ["update: a read"]);

    let log = Log::new(false, false, false);
    let mut delivery = Delivery::new(log.clone(), Some(&options));
    delivery.push(b"one");
    assert_eq!((log.events(), delivery.next_update()), (Vec::new(), None));
}

/// A test's runtime has one thread, which must not be blocked in place; and outside of any there is none to ask.
#[cfg(unix)]
#[test]
fn a_slow_disk_is_waited_for_on_the_only_thread() {
    let mut delivery =
        Delivery::new(Log::new(false, false, false), Some(&with_sink(SinkOptions::default())));
    delivery.push(b"outside, ");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        delivery.slow_disk = true;
        delivery.push(b"inside");
    });
    assert_eq!(delivery.summary(false).unwrap().text, "outside, inside");
}

/// The only worker of this runtime has another task to do while the disk is waited for.
#[test]
fn a_slow_disk_leaves_other_sessions_a_thread() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let others_went_on = runtime.block_on(async {
        let session = tokio::spawn(async {
            let options = with_sink(SinkOptions::default());
            let mut delivery = Delivery::new(Log::new(false, false, false), Some(&options));
            let (say, heard) = std::sync::mpsc::channel();
            drop(tokio::spawn(async move { say.send(()).ok() }));
            delivery.give_to_sink(|_| {
                // Begun here, the push that is timed takes no less.
                let start = Instant::now();
                while start.elapsed() <= SLOW_PUSH {
                    std::thread::yield_now();
                }
            });
            assert!(delivery.slow_disk);
            let mut went_on = false;
            delivery.give_to_sink(|_| {
                went_on = heard.recv_timeout(Duration::from_secs(10)).is_ok();
            });
            went_on
        });
        session.await.unwrap()
    });
    assert!(others_went_on);
}

#[cfg(unix)]
#[test]
fn late_output_goes_to_the_sink_there_is_and_else_is_masked_as_the_run_was() {
    let folder = tempfile::tempdir().unwrap();
    let spill = folder.path().join("spill");
    let options =
        with_sink(SinkOptions { spill_path: Some(spill.clone()), ..SinkOptions::default() });
    let mut delivery = Delivery::new(Log::of_chunks(), Some(&options));
    delivery.push(b"early\n");
    assert!(delivery.summary(true).is_some_and(|summary| summary.spilled));
    delivery.into_late().note_late(b"late\n");
    assert_eq!(std::fs::read(&spill).unwrap(), b"early\nlate\n");

    let mut delivery = Delivery::new(Log::of_chunks(), Some(&masked()));
    assert_eq!(delivery.summary(true), None);
    let mut late = delivery.into_late();
    late.note_late(format!("late {SECRET}\n").as_bytes());
    late.end_late();
    assert_eq!(late.late_text(), "late [masked: KEY]\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_is_needed_where_one_is_named_and_more_comes_than_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spill");
    let options = with_sink(SinkOptions {
        max_bytes: 10,
        spill_path: Some(path.clone()),
        ..SinkOptions::default()
    });
    let mut delivery = Delivery::new(Log::of_chunks(), Some(&options));
    delivery.push(b"12345");
    assert!(delivery.has_file());
    assert!(delivery.needs_file_for(6) && !delivery.needs_file_for(5));
    assert!(delivery.summary(false).is_some_and(|summary| !summary.spilled));
    assert!(!path.exists());

    let without = with_sink(SinkOptions { max_bytes: 10, ..SinkOptions::default() });
    for options in [None, Some(&without)] {
        let delivery = Delivery::new(Log::of_chunks(), options);
        assert!(!delivery.has_file() && !delivery.needs_file_for(100));
    }
}
