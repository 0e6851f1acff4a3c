//! What goes wrong with text in the field, one test for each, named by its id in the list of failures.

use std::time::{Duration, Instant};

use super::{Decoder, LATE_RING_BYTES, LateRing, Sink, plain_text};
use crate::{DEFAULT_MAX_BYTES, LineRange, OutputSummary, SinkOptions};

/// What the engine reads at once (`READ_BYTES` of pi-shell).
const READ_BYTES: usize = 248 * 1024;

fn finish(parts: &[&[u8]], options: SinkOptions) -> OutputSummary {
    let mut sink = Sink::new(options);
    for part in parts {
        sink.push(part);
    }
    sink.finish(None)
}

fn text_of(parts: &[&[u8]]) -> String {
    finish(parts, SinkOptions::default()).text
}

fn decode(parts: &[&[u8]]) -> Vec<String> {
    let mut decoder = Decoder::new();
    let mut chunks: Vec<String> = parts
        .iter()
        .map(|part| {
            let mut chunk = String::new();
            decoder.decode(part, &mut chunk);
            chunk
        })
        .collect();
    let mut end = String::new();
    decoder.finish(&mut end);
    chunks.push(end);
    chunks
}

#[test]
fn en_01_a_character_that_arrives_in_two_reads_is_one_character() {
    let parts: [&[u8]; 2] = [b"cleanup \xe2", b"\x80\x94 end"];

    assert_eq!(decode(&parts), ["cleanup ", "— end", ""]);
    let held = parts.iter().scan(Decoder::new(), |decoder, part| {
        decoder.decode(part, &mut String::new());
        Some(decoder.pending_len())
    });
    assert_eq!(held.collect::<Vec<_>>(), [1, 0]);
    assert_eq!(text_of(&parts), "cleanup — end");
}

#[test]
fn en_03_invalid_bytes_are_replaced_as_the_encoding_standard_says() {
    let replaced = [
        (b"a\xff\xfeb".as_slice(), "a\u{fffd}\u{fffd}b"),
        (b"abc\xe2\x82", "abc\u{fffd}"),
        (b"\xed\xa0\x80\xc0\xaf", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
        (b"\xf0\x9fA", "\u{fffd}A"),
    ];
    for (bytes, text) in replaced {
        assert_eq!(decode(&[bytes]).concat(), text);
        assert_eq!(text_of(&[bytes]), text);
    }
    assert_eq!(text_of(&[b"a\xe2\x82", b"bc"]), "a\u{fffd}bc");
}

#[test]
fn en_03_a_read_of_arbitrary_bytes_is_not_one_piece_of_three_times_its_length() {
    let bytes = b"\xff\xfea".repeat(READ_BYTES / 3);
    let mut pieces = Vec::new();

    Decoder::new().decode_pieces(&bytes, |text| pieces.push(text.to_owned()));

    let longest = pieces.iter().map(String::len).max();
    assert!(longest.is_some_and(|longest| longest <= 65 * 1024), "{longest:?}");
    let text = pieces.concat();
    let most = text.len() / (64 * 1024) + 1;
    assert!(pieces.len() <= most, "{} pieces are handled one by one", pieces.len());
    assert!(text == String::from_utf8_lossy(&bytes));
}

#[test]
fn long_text_beside_an_invalid_byte_is_not_copied() {
    // 1024 bytes, the fewest that are not put together with others.
    let text = "a long text ...\n".repeat(64);
    let bytes = [text.as_bytes(), b"\xff", text.as_bytes()].concat();
    let mut pieces = Vec::new();

    Decoder::new().decode_pieces(&bytes, |piece| {
        pieces.push((piece.to_owned(), bytes.as_ptr_range().contains(&piece.as_ptr())));
    });

    assert!(pieces == [(text.clone(), true), ("\u{fffd}".to_owned(), false), (text, true)]);
}

#[test]
fn en_03_nul_is_kept_in_chunks_and_dropped_from_plain_text() {
    assert_eq!(decode(&[b"a\0b"]).concat(), "a\0b");
    assert_eq!(text_of(&[b"a\0b"]), "ab");
}

#[test]
fn en_05_the_tail_begins_and_ends_on_a_character_boundary() {
    for leading in 0..4 {
        let bytes = ["a".repeat(leading), "é€🙂".repeat(20_000)].concat();

        let kept = finish(&[bytes.as_bytes()], SinkOptions::default());

        assert!(kept.truncated);
        let rest = kept.text.strip_prefix('…').expect("the mark of a rest");
        assert!(bytes.ends_with(rest));
        assert!(kept.text.len() > DEFAULT_MAX_BYTES - 4);
        assert_eq!(kept.output_bytes, rest.len() as u64);
        assert!(kept.text.len() <= 51_200);
    }
}

#[test]
fn the_tail_begins_with_a_line_and_its_number_is_that_line() {
    let lines: String = (123_456..=140_001).flat_map(|number| [format!("{number}\n")]).collect();

    for head_bytes in [0, 1000] {
        let options = SinkOptions { head_bytes, ..SinkOptions::default() };
        let kept = finish(&[lines.as_bytes()], options);

        let tail =
            kept.text.rsplit_once("elided …]\n").map_or(kept.text.as_str(), |(_, tail)| tail);
        let first: u64 = tail.lines().next().and_then(|line| line.parse().ok()).expect("a number");
        assert!(first >= 123_456, "{first} is the rest of a line");
        assert_eq!(kept.shown_range, LineRange { start_line: first - 123_455, end_line: 16_546 });
    }
}

#[test]
fn the_tail_begins_with_the_first_line_that_is_whole_wherever_the_limit_falls() {
    for (max_bytes, text) in
        [(9, "cccc\n"), (10, "bbbb\ncccc\n"), (11, "bbbb\ncccc\n"), (12, "bbbb\ncccc\n")]
    {
        let options = SinkOptions { max_bytes, ..SinkOptions::default() };
        assert_eq!(finish(&[b"aaaa\nbbbb\ncccc\n"], options).text, text, "{max_bytes} bytes");
    }
}

#[test]
fn the_rest_of_a_long_line_is_kept_and_marked_where_whole_lines_would_be_little() {
    let long = format!("{}\nshort\n", "x".repeat(1000));

    let kept = finish(&[long.as_bytes()], SinkOptions { max_bytes: 100, ..SinkOptions::default() });

    assert_eq!(kept.text, format!("…{}\nshort\n", "x".repeat(90)));
    assert_eq!((kept.output_bytes, kept.output_lines), (97, 2));
    assert_eq!(kept.shown_range, LineRange { start_line: 1, end_line: 2 });
}

#[test]
fn en_06_a_progress_counter_is_its_last_frame() {
    let frames: String = (0..=100).flat_map(|percent| [format!("\r{percent:3}%")]).collect();

    assert_eq!(text_of(&[frames.as_bytes(), b"\n"]), "100%\n");
}

#[test]
fn en_06_backspaces_and_erasures_show_what_a_terminal_shows() {
    assert_eq!(plain_text(b"|\x08/\x08-\x08done\n"), "done\n");
    assert_eq!(plain_text(b"12345\r\x1b[Kok\n"), "ok\n");
    assert_eq!(plain_text(b"downloading\x1b[2K\rok\n"), "ok\n");
    // Up to the cursor, with what stands below it.
    assert_eq!(plain_text(b"abcd\x1b[2D\x1b[1K\n"), "   d\n");
    assert_eq!(plain_text(b"abcd\x1b[1Kx\n"), "    x\n");
    // Of several numbers the first counts.
    assert_eq!(plain_text(b"ab\x1b[2;5Cc\n"), "ab  c\n");
    assert_eq!(plain_text(b"abcdef\x1b[3:1Dx\n"), "abcxef\n");
    assert_eq!(plain_text(b"abcdef\rxy\n"), "xycdef\n");
    assert_eq!(plain_text(b"working   \r          \rok\n"), "ok\n");
    assert_eq!(plain_text("日本語\r12\n".as_bytes()), "12語\n");
    // Blanks before what was erased are leftovers; where nothing was, they are text.
    assert_eq!(plain_text(b"ab  cd\x1b[2D\x1b[K\n"), "ab\n");
    assert_eq!(plain_text(b"ab  \x1b[K\n"), "ab  \n");
    // The cursor stands beyond the end.
    assert_eq!(plain_text(b"ab\x1b[3C\x1b[1Kx\n"), "     x\n");
    assert_eq!(plain_text(b"ab\x1b[3C\x1b[2Kx\n"), "     x\n");
    assert_eq!(plain_text(b"ab\x1b[5C\x1b[3Dx\n"), "ab  x\n");
}

#[test]
fn the_last_4096_bytes_of_a_line_can_be_overwritten_and_what_stands_before_is_past_recall() {
    let x = |count| "x".repeat(count);
    for (before, length, shown) in [
        ("", 4096, format!("ab{}\n", x(4094))),
        ("", 4097, format!("{}ab\n", x(4096))),
        ("é\r", 5000, format!("{}ab{}\n", x(4096), x(902))),
    ] {
        let bytes = format!("{before}{}\rab\n", x(length));
        assert!(plain_text(bytes.as_bytes()) == shown, "{length} bytes after {before:?}");
    }
}

#[test]
fn en_07_a_carriage_return_and_its_newline_in_two_reads_are_one_line_end() {
    let kept = finish(&[b"a\r", b"\nb\n"], SinkOptions::default());

    assert_eq!(kept.text, "a\nb\n");
    assert_eq!(kept.total_lines, 2);
}

#[test]
fn en_08_a_split_escape_sequence_leaves_nothing_in_any_update() {
    let options = SinkOptions { update_interval: Duration::ZERO, ..SinkOptions::default() };
    let mut sink = Sink::new(options);
    let mut tails = Vec::new();

    for part in [b"\x1b[3".as_slice(), b"1mred\x1b[0", b"m\n"] {
        sink.push(part);
        tails.extend(sink.update(Instant::now()).map(|update| update.tail));
    }

    assert_eq!(tails, ["", "red", "red\n"]);
    assert_eq!(sink.finish(None).text, "red\n");
}

#[test]
fn en_08_titles_hyperlinks_and_charsets_are_dropped() {
    assert_eq!(plain_text(b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b(Bc\x1bcd\x1b7e"), "abcde");
    assert_eq!(plain_text(b"a\x1b([1mb\x1b )]c\x1b#Pd"), "a1mbcd");
    assert_eq!(plain_text("a\u{9b}31mb\u{9d}0;t\u{9c}c\u{85}".as_bytes()), "abc");
}

#[test]
fn en_10_an_unterminated_sequence_does_not_swallow_the_output_after_it() {
    let mut sink = Sink::new(SinkOptions::default());
    sink.push(b"\x1b]52;c;");
    let block = vec![b'A'; 1 << 16];
    for _ in 0..306 {
        sink.push(&block);
    }
    sink.push(b"\nAFTER\n");

    let kept = sink.finish(None);

    assert!(kept.text.ends_with("A\nAFTER\n"));
    assert_eq!(kept.text.len(), DEFAULT_MAX_BYTES);
}

#[test]
fn en_10_a_sequence_is_given_up_between_two_characters() {
    let text = plain_text(format!("\x1b]0{}", "é".repeat(3_000)).as_bytes());

    assert!(text.len() > 1_000 && text.chars().all(|character| character == 'é'), "{text:?}");
}

#[test]
fn en_10_a_control_sequence_that_does_not_end_hides_256_bytes() {
    for (digits, text) in
        [(255, "b".to_owned()), (256, "mb".to_owned()), (1000, format!("{}mb", "1".repeat(744)))]
    {
        let bytes = format!("\x1b[{}mb", "1".repeat(digits));
        assert_eq!(plain_text(bytes.as_bytes()), text, "{digits} digits");
    }
}

#[test]
fn en_10_a_newline_ends_a_sequence() {
    assert_eq!(plain_text(b"\x1b]0;title\nAFTER\n\x1b[31\nAFTER\n"), "\nAFTER\n\nAFTER\n");
}

#[test]
fn en_13_a_byte_order_mark_stays_wherever_it_stands() {
    let parts: [&[u8]; 2] = [b"\xef\xbb\xbfhi", b"\xef\xbb\xbfho"];

    assert_eq!(decode(&parts), ["\u{feff}hi", "\u{feff}ho", ""]);
    assert_eq!(text_of(&parts), "\u{feff}hi\u{feff}ho");
}

#[test]
fn head_and_tail_stand_around_a_line_that_counts_what_is_missing() {
    let options = SinkOptions { max_bytes: 200, head_bytes: 60, ..SinkOptions::default() };
    let lines: String = (1..=1000).flat_map(|number| [format!("line {number}\n")]).collect();

    let kept = finish(&[lines.as_bytes()], options);

    let (head, rest) = kept.text.split_once("[… ").expect("a marker");
    let (count, tail) = rest.split_once(" lines elided …]\n").expect("the rest of the marker");
    assert!(head.starts_with("line 1\nline 2\n"));
    assert!(tail.ends_with("line 999\nline 1000\n"));
    let shown = head.matches('\n').count() + tail.matches('\n').count();
    assert!(count.parse::<usize>().is_ok_and(|count| (999..=1001).contains(&(count + shown))));
    assert!(kept.text.len() <= 200);
    let first = 1001 - tail.lines().count() as u64;
    assert_eq!(kept.shown_range, LineRange { start_line: first, end_line: 1000 });
}

#[test]
fn a_replacement_is_what_is_shown_and_the_totals_stay() {
    let mut sink = Sink::new(SinkOptions::default());
    sink.push(b"1\n2\n3\n4");

    sink.replace("four lines");
    let kept = sink.finish(None);

    assert_eq!(kept.text, "four lines");
    assert_eq!((kept.total_bytes, kept.total_lines), (7, 4));
    assert_eq!((kept.output_bytes, kept.output_lines), (10, 1));
    assert_eq!(kept.shown_range, LineRange { start_line: 1, end_line: 4 });
    assert!(!kept.truncated);
}

#[test]
fn what_shows_too_little_does_not_push_older_text_out() {
    let lines = b"0123456789abcdef\n".repeat(20);
    let colours = b"\x1b[32m".repeat(40);
    let coloured = [colours[..50].to_vec(), b"\n".to_vec(), colours[50..].to_vec()].concat();
    let before_newline = [colours, b"\n".to_vec(), b"x".repeat(90)].concat();
    let in_title = [b"\x1b]0;".to_vec(), b"y".repeat(90)].concat();
    let titled = b"z".repeat(200);
    for reads in
        [vec![&lines, &coloured], vec![&lines, &before_newline], vec![&lines, &in_title, &titled]]
    {
        let options = SinkOptions { max_bytes: 100, ..SinkOptions::default() };
        let mut sink = Sink::new(options.clone());
        for read in &reads {
            sink.push_buffer(&mut (*read).clone(), read.len());
        }

        let all: Vec<u8> = reads.into_iter().flatten().copied().collect();
        let bytes: Vec<&[u8]> = all.chunks(1).collect();
        assert_eq!(sink.finish(None), finish(&bytes, options));
    }
}

#[test]
fn the_first_update_is_due_at_once_and_later_ones_wait_for_their_interval() {
    let mut sink = Sink::new(SinkOptions::default());
    assert_eq!(sink.pending_update_at(), None);
    sink.push(b"a");
    let now = Instant::now();
    assert!(sink.update(now).is_some_and(|update| update.tail == "a"));
    assert_eq!(sink.update(now + Duration::from_secs(9)), None, "nothing is new");

    sink.push(b"b\n");

    let due = now + Duration::from_millis(50);
    assert_eq!(sink.pending_update_at(), Some(due));
    assert_eq!(sink.update(now + Duration::from_millis(49)), None);
    let update = sink.update(due).expect("the update is due");
    assert_eq!((update.tail.as_str(), update.total_bytes, update.total_lines), ("ab\n", 3, 1));
    assert_eq!(sink.pending_update_at(), None);
}

#[test]
fn finishing_again_returns_the_same_summary() {
    let mut sink = Sink::new(SinkOptions::default());
    sink.push(b"out\n");

    let first = sink.finish(Some("Command cancelled"));

    assert_eq!(first.text, "[Command cancelled]\nout\n");
    assert_eq!(first.output_bytes, 4);
    assert_eq!(sink.finish(None), first);
}

#[test]
fn a_late_ring_keeps_the_last_lines() {
    let mut ring = LateRing::new();
    for number in 0..20_000 {
        ring.push(format!("line {number}\n").as_bytes());
    }

    let text = ring.text();

    assert!((60_000..=65_536).contains(&text.len()), "{} bytes", text.len());
    assert!(text.starts_with("line ") && text.ends_with("line 19999\n"));
}

#[test]
fn a_late_ring_keeps_every_line_while_there_is_room() {
    let mut ring = LateRing::new();
    ring.push(b"one\ntwo\n");

    assert_eq!(ring.text(), "one\ntwo\n");
}

#[test]
fn a_late_ring_keeps_the_end_of_a_line_that_is_longer() {
    let mut ring = LateRing::new();
    ring.push("é".repeat(LATE_RING_BYTES).as_bytes());
    ring.push(b"\n");

    // The newline is one byte, so the first character has lost its first one.
    assert_eq!(ring.text(), format!("{}\n", "é".repeat(LATE_RING_BYTES / 2 - 1)));
}
