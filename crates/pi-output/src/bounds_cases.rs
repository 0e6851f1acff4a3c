//! What is kept of more output than there is room for, to the byte.

use std::time::{Duration, Instant};

use super::Sink;
use crate::{LineRange, OutputSummary, SinkOptions};

fn finish(bytes: &[u8], options: SinkOptions) -> OutputSummary {
    let mut sink = Sink::new(options);
    sink.push(bytes);
    sink.finish(None)
}

fn of_at_most(max_bytes: usize) -> SinkOptions {
    SinkOptions { max_bytes, ..SinkOptions::default() }
}

fn x(count: usize) -> String {
    "x".repeat(count)
}

#[test]
fn what_is_missing_between_head_and_tail_is_counted_and_what_is_shown_is_too() {
    let (heads, tails) = ("h\n".repeat(30), "t\n".repeat(46));
    let short = format!("{}\n", "a".repeat(29));
    let cases = [
        // One line that begins in the head and ends in the tail.
        (60, x(1000), format!("{}…\n[… 851 bytes elided …]\n…{}", x(60), x(89)), (149, 1), (1, 1)),
        (1, x(1000), format!("x…\n[… 851 bytes elided …]\n…{}", x(148)), (149, 1), (1, 1)),
        // One whole line.
        (
            60,
            format!("{heads}{}\n{tails}", x(500)),
            format!("{heads}[… 501 bytes elided …]\n{tails}"),
            (152, 76),
            (32, 77),
        ),
        // The rest of a line, and many others.
        (
            60,
            format!("{}\n{}{tails}", x(300), "m\n".repeat(200)),
            format!("{}…\n[… 201 lines elided …]\n{tails}", x(60)),
            (152, 47),
            (202, 247),
        ),
        // The beginning of a line.
        (
            60,
            format!("{heads}{}", x(1000)),
            format!("{heads}[… 911 bytes elided …]\n…{}", x(89)),
            (149, 31),
            (31, 31),
        ),
        // A head that ends in a line is shown up to it where that costs less than half of it.
        (
            60,
            format!("a\n{}", x(1000)),
            format!("a\n{}…\n[… 853 bytes elided …]\n…{}", x(58), x(89)),
            (149, 2),
            (2, 2),
        ),
        (
            60,
            format!("{short}{}", x(1000)),
            format!("{short}[… 911 bytes elided …]\n…{}", x(89)),
            (119, 2),
            (2, 2),
        ),
    ];
    for (head_bytes, bytes, text, shown, (start_line, end_line)) in cases {
        let kept = finish(bytes.as_bytes(), SinkOptions { head_bytes, ..of_at_most(200) });

        assert_eq!(kept.text, text);
        assert_eq!((kept.output_bytes, kept.output_lines), shown, "{text}");
        assert_eq!(kept.shown_range, LineRange { start_line, end_line }, "{text}");
    }
}

#[test]
fn the_rest_of_a_line_is_marked_where_the_mark_leaves_room_for_some_of_it() {
    for (max_bytes, text) in [(0, ""), (3, "xxx"), (4, "…x")] {
        assert_eq!(finish(x(100).as_bytes(), of_at_most(max_bytes)).text, text);
    }
}

#[test]
fn a_character_cut_off_at_the_end_does_not_make_the_text_longer_than_its_limit() {
    // Nine bytes that are thirteen bytes of text.
    let kept = finish(b"\xffaaaaaaa\xe2", of_at_most(10));

    assert!(kept.truncated);
    assert_eq!(kept.text, "…aaaa\u{fffd}");
}

#[test]
fn output_that_shows_nothing_has_no_lines_to_show() {
    let kept = finish(b"\x1b[0m", SinkOptions::default());

    assert_eq!((kept.text.as_str(), kept.total_lines), ("", 1));
    assert_eq!(kept.shown_range, LineRange::default());
}

#[test]
fn an_update_shows_the_line_under_way_also_where_lines_are_cut() {
    let options = SinkOptions {
        max_line_bytes: Some(20),
        update_interval: Duration::ZERO,
        ..SinkOptions::default()
    };
    let mut sink = Sink::new(options);
    for (part, tail) in [("short", "short"), (&x(100), "shortxxx…xxxxxxxx")] {
        sink.push(part.as_bytes());

        let update = sink.update(Instant::now());

        assert_eq!(update.map(|update| update.tail).as_deref(), Some(tail));
    }
}

#[test]
fn of_a_flood_of_plain_lines_no_more_than_the_last_read_waits() {
    let mut sink = Sink::new(of_at_most(1000));
    let read = b"a line that says nothing\n".repeat(400);
    for _ in 0..20 {
        sink.push_buffer(&mut read.clone(), read.len());

        assert_eq!(sink.backlog.len(), read.len());
    }
}

#[test]
fn what_waits_of_any_flood_is_bounded() {
    let mut sink = Sink::new(of_at_most(1000));
    let read = b"\x1b[31mred\x1b[0m\n".repeat(8_000);
    for _ in 0..20 {
        sink.push_buffer(&mut read.clone(), read.len());

        assert!(sink.backlog.len() <= 1024 * 1024, "{} bytes wait", sink.backlog.len());
    }
}
