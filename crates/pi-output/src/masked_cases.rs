//! Secrets in a sink: at the borders of its window, in floods, in updates and in its file.

use std::time::{Duration, Instant};

use pi_mask::{MAX_SECRET_BYTES, Mask, MaskOptions, MaskedValue};
use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::Sink;
use crate::SinkOptions;

const VALUE: &str = "zz9-Plural-Z-Alpha-42";

/// A line of a key.
const BODY: &str = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYzaB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0x";

fn mask() -> Mask {
    let values = vec![MaskedValue { name: "KEY".to_owned(), value: VALUE.to_owned() }];
    let options = MaskOptions { values, shapes: true, allow: Vec::new() };
    Mask::new(&options).expect("within limits").expect("something to mask")
}

fn key(lines: usize) -> String {
    let (begin, end) = ("-----BEGIN RSA PRIVATE", "-----END RSA PRIVATE");
    format!("{begin} KEY-----\n{}{end} KEY-----\n", format!("{BODY}\n").repeat(lines))
}

fn masked(options: SinkOptions) -> SinkOptions {
    SinkOptions { mask: Some(mask()), ..options }
}

/// The text of a sink that is given `text` in buffers of some length.
fn kept(text: &str, buffer_bytes: usize, options: &SinkOptions) -> String {
    let mut sink = Sink::new(options.clone());
    let mut buffer = vec![0; buffer_bytes];
    for part in text.as_bytes().chunks(buffer_bytes) {
        let (start, _) = buffer.split_at_mut(part.len());
        start.copy_from_slice(part);
        sink.push_buffer(&mut buffer, part.len());
    }
    sink.finish(None).text
}

#[test]
fn the_end_of_a_flood_is_the_end_of_the_masked_whole_wherever_the_window_begins() {
    let line = "word after word, in lines that say nothing\n";
    for after in (49_000..52_500).step_by(250) {
        let end = line.repeat(after / line.len() + 1);
        let (end, _) = end.split_at(after);
        let text = format!("{}{}{VALUE}\n{end}\n", line.repeat(60_000), key(24));
        let (whole, _) = mask().text(&text);
        for buffer_bytes in [4096, 64 * 1024, 248 * 1024] {
            let shown = kept(&text, buffer_bytes, &masked(SinkOptions::default()));
            let shown = shown.strip_prefix('…').unwrap_or(&shown);

            assert!(whole.ends_with(shown), "{after}, {buffer_bytes}");
            assert!(shown.len() > 20_000);
        }
    }
}

#[test]
fn a_read_whose_end_fills_the_window_does_not_make_the_one_before_forgotten_in_which_a_key_began() {
    let whole = key(80);
    // Its end is not written, so that only the beginning tells that it is one.
    let (key, _) = whole.split_once("-----END").unwrap();
    let (begun, rest) = key.split_at(200);
    let flood = "a line that says nothing\n".repeat(4_000);
    let options = masked(SinkOptions { max_bytes: 1_000, ..SinkOptions::default() });
    let mut sink = Sink::new(options);
    for read in [&flood, begun, rest] {
        sink.push_buffer(&mut read.as_bytes().to_vec(), read.len());
    }

    let shown = sink.finish(None).text;
    assert!(!shown.contains(BODY), "{shown}");
}

#[test]
fn a_key_that_begins_in_a_long_line_is_masked_in_the_end_of_a_flood() {
    let whole = key(200);
    // Its end is not written, so that only the beginning tells that it is one.
    let (key, _) = whole.split_once("-----END").unwrap();
    let options = masked(SinkOptions { max_bytes: 1_000, ..SinkOptions::default() });
    for length in [2_500, 6_000, key.len()] {
        let text = [&"x".repeat(60_000), key.split_at(length).0].concat();
        for buffer_bytes in [4096, 64 * 1024] {
            let shown = kept(&text, buffer_bytes, &options);

            assert!(!shown.contains(BODY), "{length}, {buffer_bytes}: {shown}");
        }
    }
}

/// A key begins before the last part of a flood that is looked at, and what follows it shows too little to push it out.
#[test]
fn a_key_that_is_not_seen_to_begin_is_masked_wherever_two_reads_met() {
    let max_bytes = 8000;
    let key = key(180);
    let (before, after) = (vec![b'.'; 40_000], 17_000 - key.len());
    let plain = "a line that says nothing\n".repeat(after / 25);
    let colours = format!("{}\n", "\u{1b}[31m".repeat(9)).repeat(2 * max_bytes / 46);
    let text = [before, format!("\n{key}{plain}{colours}").into_bytes()].concat();
    let from = text.len() - 2 * max_bytes - MAX_SECRET_BYTES;
    assert!((40_100..41_000).contains(&from), "{from} is not in the key");

    for meeting in (from..text.len()).step_by(2500) {
        let options = masked(SinkOptions { max_bytes, ..SinkOptions::default() });
        let mut sink = Sink::new(options);
        for read in [&text[..meeting], &text[meeting..]] {
            sink.push_buffer(&mut read.to_vec(), read.len());
        }

        let kept = sink.finish(None);

        assert!(!kept.text.contains(BODY.split_at(8).0), "{meeting}: {}", kept.text);
        assert_eq!(kept.masked.count, 1, "{meeting}");
    }
}

#[test]
fn of_a_flood_what_can_be_shown_is_looked_at_for_the_text_and_all_of_it_for_the_file() {
    let plain = "a line that says nothing\n".repeat(40);
    let secret = format!("{VALUE}\n{plain}");
    let folder = TempDir::new().expect("a scratch folder");
    for (spill_path, count) in [(None, 0), (Some(folder.path().join("spill")), 200)] {
        let options =
            SinkOptions { max_bytes: 100, spill_path, mask_spill: true, ..SinkOptions::default() };
        let mut sink = Sink::new(masked(options));
        for part in std::iter::repeat_n(&secret, 200).chain(std::iter::repeat_n(&plain, 40)) {
            sink.push(part.as_bytes());
        }

        let summary = sink.finish(None);

        assert_eq!(summary.masked.count, count);
        assert_eq!(summary.text, "a line that says nothing\n".repeat(4));
    }
}

#[test]
fn totals_are_those_of_the_command() {
    let text = format!("a\n{}{VALUE}\nb", key(3));
    let mut sink = Sink::new(masked(SinkOptions::default()));
    sink.push(text.as_bytes());

    let summary = sink.finish(None);

    assert_eq!(summary.text, "a\n[masked: private-key]\n\n\n\n\n[masked: KEY]\nb");
    assert_eq!((summary.total_bytes, summary.total_lines), (text.len() as u64, 8));
    assert_eq!(summary.shown_range.end_line, 8);
    assert_eq!((summary.masked.count, summary.masked.names.len()), (2, 2));
    assert!(!summary.truncated);
}

#[test]
fn a_long_line_that_is_cut_shows_no_part_of_a_secret() {
    for before in 0..120 {
        let text = format!("{}{VALUE}{}", "-".repeat(before), "=".repeat(300));
        let options = masked(SinkOptions { max_line_bytes: Some(120), ..SinkOptions::default() });

        let shown = kept(&text, 7, &options);

        assert!(!shown.contains("Plur") && !shown.contains("lpha"), "{before}: {shown}");
    }
}

#[test]
fn late_output_is_masked_also_where_the_stream_ends_in_the_middle() {
    let folder = TempDir::new().expect("a scratch folder");
    let path = folder.path().join("spill");
    let options = SinkOptions {
        spill_path: Some(path.clone()),
        spill_from_start: true,
        mask_spill: true,
        ..SinkOptions::default()
    };
    let mut sink = Sink::new(masked(options));
    sink.push(b"out\n");
    sink.finish(None);

    for part in VALUE.as_bytes().chunks(5) {
        sink.note_late(part);
    }
    sink.note_late(b" and zz9-Pl");
    sink.end_late();

    assert_eq!(sink.late_text(), "[masked: KEY] and zz9-Pl");
    assert_eq!(sink.finish(None).late_output_bytes, VALUE.len() as u64 + 11);
    let file = std::fs::read_to_string(&path).expect("the file");
    assert_eq!(file, "out\n[masked: KEY] and zz9-Pl");
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z .]{0,60}",
        2 => Just("\n".to_owned()),
        2 => Just(VALUE.to_owned()),
        1 => (1_usize..20).prop_map(|count| VALUE.chars().take(count).collect()),
        1 => (1_usize..4).prop_map(key),
        1 => Just(format!("gh{}_{}", "p", "aB3d".repeat(9))),
        1 => Just("\u{1b}[31m".to_owned()),
        1 => Just("é日".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_same_masked_summary(
        pieces in vec(piece(), 0..40),
        lengths in vec(1_usize..400, 1..5),
        max_bytes in 100_usize..3000,
        head_bytes in 0_usize..600,
    ) {
        let text = pieces.concat();
        let options = masked(SinkOptions { max_bytes, head_bytes, update_interval: Duration::ZERO, ..SinkOptions::default() });
        let mut whole = Sink::new(options.clone());
        whole.push(text.as_bytes());
        let mut sink = Sink::new(options);
        let mut rest = text.as_bytes();
        for length in lengths.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*length));
            sink.push(now);
            let update = sink.update(Instant::now());
            prop_assert!(update.is_none_or(|update| !update.tail.contains(VALUE)));
            rest = later;
            if rest.is_empty() {
                break;
            }
        }

        let summary = sink.finish(None);

        prop_assert!(!summary.text.contains(VALUE));
        // A flood is looked at in other parts, so its markers are counted otherwise.
        prop_assert_eq!((&summary.text, summary.shown_range), (&whole.finish(None).text, whole.finish(None).shown_range));
    }

    #[test]
    fn the_masked_file_is_the_masked_input(pieces in vec(piece(), 1..40), lengths in vec(1_usize..400, 1..5)) {
        let text = pieces.concat();
        let folder = TempDir::new().expect("a scratch folder");
        let path = folder.path().join("spill");
        let options = SinkOptions {
            max_bytes: 200,
            spill_path: Some(path.clone()),
            spill_from_start: true,
            mask_spill: true,
            ..SinkOptions::default()
        };
        let mut sink = Sink::new(masked(options));
        let mut rest = text.as_bytes();
        for length in lengths.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*length));
            sink.push(now);
            rest = later;
            if rest.is_empty() {
                break;
            }
        }

        let summary = sink.finish(None);

        prop_assert!(summary.spilled);
        prop_assert_eq!(std::fs::read_to_string(&path).expect("the file"), mask().text(&text).0);
    }
}
