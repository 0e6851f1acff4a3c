//! What goes wrong with files, one test for each, named by its id in the list of failures.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::Sink;
use super::spill::Spill;
use crate::{DEFAULT_MAX_BYTES, OutputSummary, SinkOptions};

fn finish(parts: &[&[u8]], options: SinkOptions) -> OutputSummary {
    let mut sink = Sink::new(options);
    for part in parts {
        sink.push(part);
    }
    sink.finish(None)
}

/// A scratch folder and a path in it, for a spill file.
fn spill_place() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a scratch folder");
    let path = folder.path().join("output.log");
    (folder, path)
}

fn spilling_to(path: &Path) -> SinkOptions {
    SinkOptions { spill_path: Some(path.to_owned()), ..SinkOptions::default() }
}

fn small_spilling_to(path: &Path) -> SinkOptions {
    SinkOptions { max_bytes: 100, ..spilling_to(path) }
}

#[test]
fn en_06_an_hour_of_frames_does_not_push_out_the_lines_before_it() {
    let (_folder, path) = spill_place();
    let frames = "\rtraining [=====>     ] 12345/99999 3.21 it/s".repeat(20_000);
    let parts: [&[u8]; 3] = [b"loading data\n", frames.as_bytes(), b"\rdone\x1b[K\n"];

    let kept = finish(&parts, spilling_to(&path));

    assert_eq!(kept.text, "loading data\ndone\n");
    assert!(kept.truncated && kept.spilled, "the frames are in the file alone");
    assert_eq!(fs::read(&path).expect("the spill file"), parts.concat());
}

#[test]
fn vo_06_a_spill_file_that_cannot_be_made_is_named_and_changes_nothing_else() {
    let folder = TempDir::new().expect("a scratch folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("a file where a folder is expected");
    let whole = finish(&[&[b'x'; 200]], SinkOptions { max_bytes: 100, ..SinkOptions::default() });

    for path in [folder.path().join("missing/log"), file.join("log"), file.clone()] {
        let kept = finish(&[&[b'x'; 200]], small_spilling_to(&path));

        let error = kept.spill_error.clone().expect("a reason");
        assert!(error.starts_with("cannot create spill file"), "{error}");
        assert!(error.contains(&path.display().to_string()), "{error}");
        assert_eq!(kept, OutputSummary { spill_error: kept.spill_error.clone(), ..whole.clone() });
    }
    assert_eq!(fs::read(&file).expect("the file that was there"), b"");
}

#[test]
fn vo_06_a_spill_file_that_is_removed_during_the_run_is_not_offered() {
    let (_folder, path) = spill_place();
    let mut sink = Sink::new(small_spilling_to(&path));
    sink.push(&[b'x'; 200]);
    fs::remove_file(&path).expect("the file is there already");
    sink.push(&[b'x'; 200]);

    let kept = sink.finish(None);

    assert!(!kept.spilled);
    assert!(kept.spill_error.is_some_and(|error| error.ends_with("was removed during the run")));
    assert_eq!((kept.total_bytes, kept.text.len()), (400, 100));
}

#[test]
fn vo_06_a_file_that_cannot_be_written_any_more_is_removed() {
    let (_folder, path) = spill_place();
    fs::write(&path, "the first half").expect("what was written before");
    // A descriptor for reading refuses a write as surely as a disk that is full.
    let file = fs::File::open(&path).expect("the file");
    let mut spill = Spill::with_open_file(path.clone(), file);

    spill.push(b"more", true);
    spill.close();

    assert!(!spill.is_whole());
    assert!(spill.error().is_some_and(|error| error.starts_with("cannot write spill file")));
    assert!(!path.exists());
}

/// `/dev/full` answers each write as a full disk does. It exists on Linux.
#[cfg(target_os = "linux")]
#[test]
fn vo_06_a_full_disk_is_named_and_a_file_that_is_not_ours_stays() {
    let (_folder, path) = spill_place();
    fs::write(&path, "someone else's").expect("another file of that name");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the full device");
    let mut spill = Spill::with_open_file(path.clone(), full);

    spill.push(b"more", true);
    spill.close();

    assert!(!spill.is_whole());
    assert!(spill.error().is_some_and(|error| error.contains("No space left")));
    assert!(path.exists());
}

#[test]
fn vo_08_exactly_the_limit_is_whole_and_one_byte_more_is_in_the_file_from_byte_0() {
    let (_folder, path) = spill_place();
    let exact = vec![b'x'; DEFAULT_MAX_BYTES];

    let whole = finish(&[&exact], spilling_to(&path));
    assert_eq!((whole.truncated, whole.spilled, whole.text.len()), (false, false, exact.len()));
    assert!(!path.exists());

    let over = finish(&[b"y", &exact], spilling_to(&path));
    assert_eq!((over.truncated, over.spilled, over.text.len()), (true, true, exact.len()));
    assert_eq!(fs::read(&path).expect("the spill file"), [b"y".as_slice(), &exact].concat());
}

#[test]
fn a_file_from_the_start_is_there_while_the_command_runs_and_also_when_it_wrote_nothing() {
    let (_folder, path) = spill_place();
    let followed = || SinkOptions { spill_from_start: true, ..spilling_to(&path) };
    let mut sink = Sink::new(followed());
    sink.push(b"half a li");

    assert_eq!(fs::read(&path).expect("the file of a run under way"), b"half a li");
    sink.push(b"ne\n");
    let kept = sink.finish(None);
    assert_eq!((kept.truncated, kept.spilled), (false, true));
    sink.push(b"late\n");
    assert_eq!(fs::read(&path).expect("the file"), b"half a line\nlate\n");

    fs::remove_file(&path).expect("the file goes");
    let silent = finish(&[], followed());
    assert_eq!((silent.spilled, silent.text.as_str()), (true, ""));
    assert_eq!(fs::read(&path).expect("an empty file"), b"");
}

#[test]
fn vo_08_the_limit_inside_a_character_truncates_nothing() {
    for kept_bytes in 1..4 {
        let (_folder, path) = spill_place();
        let cut = "🙂".as_bytes().split_at(kept_bytes).0;
        let filler = vec![b'x'; DEFAULT_MAX_BYTES - kept_bytes];

        let kept = finish(&[&filler, cut], spilling_to(&path));

        assert!(!kept.truncated);
        assert!(!path.exists());
        assert!(kept.text.ends_with("x\u{fffd}"));
        assert_eq!(kept.text.len(), filler.len() + 3);
        assert!(kept.output_bytes <= 51_200);
    }
}

/// Symbolic links need a privilege on Windows.
#[cfg(unix)]
#[test]
fn sc_03_a_link_in_the_place_of_the_spill_file_is_not_followed() {
    let (folder, path) = spill_place();
    let victim = folder.path().join("victim");
    fs::write(&victim, "precious").expect("a victim");
    for target in [victim.clone(), folder.path().join("nowhere")] {
        std::os::unix::fs::symlink(&target, &path).expect("a link");

        let kept = finish(&[&[b'x'; 200]], small_spilling_to(&path));

        assert!(!kept.spilled && kept.spill_error.is_some());
        fs::remove_file(&path).expect("the link is untouched");
    }
    assert_eq!(fs::read_to_string(&victim).expect("the victim"), "precious");
    assert!(!folder.path().join("nowhere").exists());
}

/// Windows has no file modes.
#[cfg(unix)]
#[test]
fn sc_04_the_spill_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = spill_place();

    finish(&[&[b'x'; 200]], small_spilling_to(&path));

    let mode = fs::metadata(&path).expect("the spill file").permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
}

#[test]
fn a_spill_file_at_its_limit_says_so_in_its_last_line() {
    let (_folder, path) = spill_place();
    let options = SinkOptions { spill_max_bytes: Some(1000), ..small_spilling_to(&path) };

    let kept = finish(&[&[b'x'; 3000], b"\nlast\n"], options);

    let file = fs::read_to_string(&path).expect("the spill file");
    let (start, last) = file.split_at(file.find('\n').expect("a last line"));
    assert!(start.bytes().all(|byte| byte == b'x'));
    assert_eq!(last, format!("\n[… {} bytes elided …]\n", 3006 - start.len()));
    assert!((990..=1000).contains(&file.len()), "{} bytes", file.len());
    assert!(!kept.spilled);
    let error = kept.spill_error.expect("a reason");
    let had = format!("has the first {} of 3006 bytes: its limit is 1000", start.len());
    assert!(error.ends_with(&had), "{error}");
    assert!(kept.text.ends_with("x\nlast\n"));
}

#[test]
fn a_sink_that_is_dropped_before_its_end_leaves_no_file() {
    let (_folder, path) = spill_place();
    let mut sink = Sink::new(small_spilling_to(&path));
    sink.push(&[b'x'; 200]);
    assert!(path.exists());

    drop(sink);

    assert!(!path.exists());
}

#[test]
fn a_long_line_is_cut_in_the_middle_and_is_whole_in_the_file() {
    let (_folder, path) = spill_place();
    let options = SinkOptions { max_line_bytes: Some(400), ..spilling_to(&path) };
    let line = ["<".repeat(3000), ">".repeat(3000)].concat();

    let kept = finish(&[b"before\n", line.as_bytes(), b"\nafter\n"], options);

    let cut: Vec<&str> = kept.text.lines().collect();
    let expected = format!("{}[… 5644 bytes elided …]{}", "<".repeat(178), ">".repeat(178));
    assert_eq!(cut, ["before", &expected, "after"]);
    assert!(kept.truncated && kept.spilled);
    let file = fs::read_to_string(&path).expect("the spill file");
    assert_eq!(file, format!("before\n{line}\nafter\n"));
}

#[test]
fn late_output_is_counted_kept_and_appended_but_not_shown() {
    let (_folder, path) = spill_place();
    let mut sink = Sink::new(small_spilling_to(&path));
    sink.push(&[b'x'; 200]);
    let text = sink.finish(None).text;

    sink.note_late(b"\x1b[32mserver\x1b[0m died\n");

    let kept = sink.finish(None);
    assert_eq!(kept.late_output_bytes, 21);
    assert_eq!((kept.text, kept.total_bytes), (text, 200));
    assert_eq!(sink.late_text(), "server died\n");
    assert!(fs::read(&path).expect("the spill file").ends_with(b"x\x1b[32mserver\x1b[0m died\n"));
}

#[test]
fn late_output_fills_a_file_with_a_limit_to_its_last_byte_and_no_further() {
    let (_folder, path) = spill_place();
    let options = SinkOptions { spill_max_bytes: Some(210), ..small_spilling_to(&path) };
    let mut sink = Sink::new(options);
    sink.push(&[b'x'; 200]);
    sink.finish(None);

    for late in [b"four".as_slice(), b"six...", b"!"] {
        sink.note_late(late);
    }

    assert!(fs::read(&path).expect("the spill file").ends_with(b"xfoursix..."));
}

#[test]
fn mebibytes_of_late_output_are_in_the_file() {
    let (_folder, path) = spill_place();
    let mut sink = Sink::new(small_spilling_to(&path));
    sink.push(&[b'x'; 200]);
    sink.finish(None);
    let read = vec![b'y'; 1 << 18];

    for _ in 0..8 {
        sink.note_late(&read);
    }

    assert_eq!(fs::metadata(&path).expect("the spill file").len(), 200 + 8 * (1 << 18));
}

#[test]
fn a_file_that_is_required_is_made_also_where_the_window_has_room() {
    let (_folder, path) = spill_place();
    let mut sink = Sink::new(spilling_to(&path));
    sink.push(b"little\n");

    sink.require_spill();

    let kept = sink.finish(None);
    assert_eq!((kept.truncated, kept.spilled), (false, true));
    assert_eq!(fs::read(&path).expect("the spill file"), b"little\n");
}

#[test]
fn late_output_is_not_written_into_another_file_of_the_same_name() {
    let (_folder, path) = spill_place();
    let mut sink = Sink::new(small_spilling_to(&path));
    sink.push(&[b'x'; 200]);
    sink.finish(None);
    fs::rename(&path, path.with_extension("moved")).expect("the file is moved away");
    fs::write(&path, "another").expect("another file in its place");

    sink.note_late(b"late\n");

    // Without inodes (Windows) the two cannot be distinguished.
    let expected = if cfg!(unix) { "another" } else { "anotherlate\n" };
    assert_eq!(fs::read_to_string(&path).expect("the other file"), expected);
}

#[cfg(unix)]
#[test]
fn late_output_follows_no_link_and_waits_for_no_reader() {
    for put in [
        |path: &Path| std::os::unix::fs::symlink(path.with_extension("moved"), path).unwrap(),
        |path: &Path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        },
    ] {
        let (_folder, path) = spill_place();
        let mut sink = Sink::new(small_spilling_to(&path));
        sink.push(&[b'x'; 200]);
        sink.finish(None);
        let moved = path.with_extension("moved");
        fs::rename(&path, &moved).expect("the file is moved away");
        put(&path);

        // Returns, whatever is in its place.
        let late = std::thread::spawn(move || sink.note_late(b"late\n"));
        let deadline = Instant::now() + Duration::from_secs(20);
        while !late.is_finished() {
            assert!(Instant::now() < deadline, "it waits for a reader");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(fs::read(&moved).expect("the spill file"), [b'x'; 200]);
    }
}
