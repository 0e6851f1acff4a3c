//! What JSON becomes, and what does not fit a frame.

use pi_shell::{ExitOutcome, OutputSummary, ProcessInfo, RunResult};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;

fn result() -> RunResult {
    RunResult {
        outcome: ExitOutcome::Exited { code: 3 },
        working_dir: Some(PathBuf::from("/work")),
        session_reset: false,
        lost_with_shell: Vec::new(),
        survivors: Vec::new(),
        wall_time: Duration::from_micros(1_234),
        output: None,
        sandbox: None,
        limits_met: Vec::new(),
        read_only: None,
        input_wanted: None,
        usage: None,
    }
}

#[test]
fn what_is_absent_stays_absent() {
    let text = String::from_utf8(RunOutcome::from(result()).into_json(1_000)).unwrap();

    assert_eq!(
        text,
        r#"{"exitCode":3,"cancelled":false,"timedOut":false,"workingDir":"/work","sessionReset":false,"survivors":[],"wallTimeMs":1.234}"#
    );
}

#[test]
fn a_result_that_is_too_large_keeps_the_end_of_its_text_and_says_so() {
    let text = "\u{1}é".repeat(100_000);
    let survivor = ProcessInfo { pid: 7, command: "x".repeat(4_096), started_at_ms: 1 };
    let output = OutputSummary { text: text.clone(), ..OutputSummary::default() };
    let large = RunResult { survivors: vec![survivor; 1_000], output: Some(output), ..result() };

    let bytes = RunOutcome::from(large).into_json(400_000);

    assert!((390_000..=400_000).contains(&bytes.len()), "{}", bytes.len());
    let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert!(text.ends_with(value["output"]["text"].as_str().unwrap()));
    assert_eq!(value["output"]["truncated"], true);
    assert_eq!(value["survivors"].as_array().unwrap().len(), 256);
}

#[test]
fn the_end_of_a_text_fits_its_room_to_the_byte() {
    for room in 0..40 {
        let text = "a\"b\\c\nd\u{1}e\u{7f}fé€😀";
        let end = shortened(text, room);
        assert!(text.ends_with(end));
        assert!(serde_json::to_string(end).unwrap().len() - 2 <= room, "{room}");
    }
    assert_eq!(shortened("abc", 3), "abc");
    assert_eq!(shortened("abc", 2), "bc");
}

#[test]
fn a_run_s_request_is_read_with_what_it_leaves_out() {
    let request: RunRequest = serde_json::from_str(
        r#"{"command":"ls","timeoutMs":1500,"clone":true,"wantsChunks":true,"wantsUpdates":false,
            "sink":{"maxBytes":100,"spillName":"a.log"},"unknown":[1]}"#,
    )
    .unwrap();

    let options = request.into_options(None, |name| Ok(Path::new("/folder").join(name))).unwrap();

    assert_eq!(options.timeout, Some(Duration::from_millis(1_500)));
    assert_eq!(options.concurrency, pi_shell::Concurrency::Clone);
    let sink = options.sink.unwrap();
    assert_eq!(sink.max_bytes, 100);
    assert_eq!(sink.spill_path, Some(PathBuf::from("/folder/a.log")));
    assert_eq!(sink.update_interval, pi_shell::DEFAULT_UPDATE_INTERVAL);
}

#[test]
fn numbers_out_of_their_range_are_refused_by_name() {
    for (json, name) in [
        (r#"{"command":"","timeoutMs":-1}"#, "timeoutMs"),
        (r#"{"command":"","timeoutMs":1e300}"#, "timeoutMs"),
        (r#"{"command":"","sink":{"throttleMs":-5}}"#, "sink.throttleMs"),
    ] {
        let request: RunRequest = serde_json::from_str(json).unwrap();
        let error = request.into_options(None, |_| unreachable!()).unwrap_err();

        assert_eq!(error.code(), "PI_INVALID_OPTION");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn operations_are_distinguished_by_their_name() {
    let read = |text: &str| Request::read(text.as_bytes());

    assert!(matches!(
        read(r#"{"op":"handOver","session":3}"#),
        Ok(Request::HandOver { session: 3, id: None })
    ));
    assert!(matches!(read(r#"{"op":"list"}"#), Ok(Request::List)));
    assert!(matches!(
        read(r#"{"op":"ports","session":3}"#),
        Ok(Request::Ports { of: Listeners::Session(3) })
    ));
    assert!(matches!(
        read(r#"{"op":"ports","port":80}"#),
        Ok(Request::Ports { of: Listeners::Port(80) })
    ));
    assert!(matches!(
        read(r#"{"op":"read","spillName":"a","offset":1,"length":2}"#),
        Ok(Request::Read { offset: 1, length: 2, .. })
    ));
    for wrong in [
        r#"{"op":"open"}"#,
        r#"{"op":"open","session":-1}"#,
        r#"{"op":"explode"}"#,
        "[]",
        "",
        r#"{"op":"open","session":1,"options":{"sandbox":{"mode":"none","network":true}}}"#,
        r#"{"op":"open","session":1,"options":7}"#,
        r#"{"op":"terminal"}"#,
        r#"{"op":"ports"}"#,
        r#"{"op":"ports","port":65536}"#,
        r#"{"op":"resize","terminal":1,"columns":80}"#,
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}
