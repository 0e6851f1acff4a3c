//! The corpus of real captures: no fact is lost, nothing for a program is touched, and it is worth it.

#[expect(dead_code, reason = "the module is shared; each test file uses a part of it")]
mod support;

use pi_minimizer::{Command, Options, minimize};
use support::{captures, check_laws, normal, visible};

#[test]
fn no_capture_loses_a_fact() {
    let mut lost = Vec::new();
    for capture in captures().iter().filter(|capture| !capture.untouched) {
        let text = normal(&visible(&capture.command, &capture.output, capture.exit));
        lost.extend(
            capture
                .facts
                .iter()
                .filter(|fact| !text.contains(&normal(fact)))
                .map(|fact| format!("{}: {fact}", capture.name)),
        );
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn what_is_meant_for_a_program_comes_back_byte_for_byte() {
    for capture in captures().iter().filter(|capture| capture.untouched) {
        let result = minimize(
            Command::Text(&capture.command),
            &capture.output,
            capture.exit,
            &Options::default(),
        );
        assert_eq!(result, None, "{}", capture.name);
    }
}

#[test]
fn every_capture_obeys_the_laws() {
    let mut broken = Vec::new();
    for capture in captures() {
        if let Err(problem) = check_laws(&capture.command, &capture.output, capture.exit) {
            broken.push(format!("{}: {}", capture.name, problem.lines().next().unwrap_or("")));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn half_of_the_corpus_is_saved() {
    // The scorer counts tokens; bytes are close enough to notice a family that stopped working.
    let (mut raw, mut out) = (0, 0);
    for capture in captures().iter().filter(|capture| !capture.untouched) {
        raw += capture.output.len();
        out += visible(&capture.command, &capture.output, capture.exit).len();
    }
    assert!(out * 2 < raw, "{out} of {raw} bytes are left");
}

#[test]
fn a_chain_is_minimized_by_segment_and_never_fused() {
    let all = captures();
    let find = |name: &str| {
        all.iter()
            .find(|capture| capture.name == name)
            .unwrap_or_else(|| panic!("{name} is captured"))
    };
    let (first, second) = (find("git-status"), find("cargo-build-warn"));
    let output = format!("{}{}", first.output, second.output);
    let cut = first.output.len();
    let segments = [
        pi_minimizer::Segment {
            command: Command::Text(&first.command),
            range: 0..cut,
            exit_code: first.exit,
        },
        pi_minimizer::Segment {
            command: Command::Text(&second.command),
            range: cut..output.len(),
            exit_code: second.exit,
        },
    ];
    let result = pi_minimizer::minimize_segments(&segments, &output, &Options::default())
        .expect("both segments shrink");
    let apart = visible(&first.command, &first.output, first.exit)
        + &visible(&second.command, &second.output, second.exit);
    assert_eq!(result.text, apart);
}
