//! The properties P1 to P21 of the minimizer, over real captures, their mutations and invented text.
//!
//! One file, one list of properties: it is longer than a file should be because a reader looks for a number.
//! Case counts are fixed and the generators have fixed seeds: a failure here is a failure everywhere.

#![expect(clippy::format_collect, reason = "a test builds its text the short way")]

mod support;

use pi_minimizer::{Command, Options, Rules, minimize};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{
    EVERY_FAMILY, Random, adversarial, captures, check_laws, is_notice, mutate, normal, visible,
};

/// Mutations of each capture: enough that each mutation meets each family, few enough for a debug build.
const MUTATIONS: usize = 3;

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Largest capture that is mutated: the laws are about shapes, not about size.
const LARGEST: usize = 24 * 1024;

fn head(text: &str) -> String {
    if text.len() <= LARGEST {
        text.to_owned()
    } else {
        text.lines().take(300).collect::<Vec<_>>().join("\n") + "\n"
    }
}

#[test]
fn p1_to_p10_hold_for_mutated_captures() {
    let mut random = Random(0x5eed);
    for capture in captures().iter().filter(|capture| !capture.untouched) {
        for _ in 0..MUTATIONS {
            let text = mutate(&head(&capture.output), &mut random);
            let exit = if random.below(3) == 0 { 1 - capture.exit.min(1) } else { capture.exit };
            check_laws(&capture.command, &text, exit)
                .unwrap_or_else(|broken| panic!("{}: {broken}", capture.name));
        }
    }
}

#[test]
fn p1_to_p10_hold_for_the_output_of_another_program() {
    // The command says one thing, the text another: an alias, a wrapper, a version from next year.
    let all = captures();
    let mut random = Random(0xa11a5);
    for capture in &all {
        let other = &all[random.below(all.len())];
        let text = head(&other.output);
        check_laws(&capture.command, &text, i32::from(random.below(2) == 1)).unwrap_or_else(
            |broken| panic!("{} with the text of {}: {broken}", capture.name, other.name),
        );
    }
}

#[test]
fn p1_to_p10_hold_for_invented_text() {
    let fragments = prop::sample::select(vec![
        "test a::b ... ok",
        "test a::c ... FAILED",
        "running 3 tests",
        "error: x.rs:3:4 broken",
        "warning: unused",
        "   Compiling a v1",
        "PASS x",
        "FAIL y",
        "  ✓ fine",
        "  ✕ bad thing",
        "src/a.c:3:4: error: no",
        "src/a.c:3:4: warning: hm",
        "a.ts(3,4): error TS1: no",
        "[INFO] x",
        "[ERROR] y",
        "├── a@1",
        "│ └── b@2 deduped",
        "2026-01-01T10:00:00Z INFO up",
        "2026-01-01T10:00:01Z ERROR down 7",
        "    at f (node:internal/x:1:2)",
        "  File \"a.py\", line 3, in f",
        "Traceback (most recent call last):",
        "diff --git a/x b/x",
        "@@ -1 +1 @@",
        "-old",
        "+new",
        "",
        "------",
        "=== RUN   TestA",
        "--- FAIL: TestA (0.0s)",
        "ok  \tpkg\t0.1s",
        "\u{1b}[31mred\u{1b}[0m",
        "x\ry",
        "é ✗ 漢字",
        "commit 0123456789012345678901234567890123456789",
        "Author: A <a@b>",
        "    subject",
        "./a/b/c.js",
        "./a/b/d.js",
        "-rw-r--r-- 1 r r 3 Jan  1 10:00 f",
        "#5 DONE 0.1s",
    ]);
    let commands = prop::sample::select(vec![
        "cargo test",
        "npx jest",
        "pytest",
        "git log",
        "git diff",
        "git status",
        "make",
        "npm ls",
        "find .",
        "ls -l",
        "grep -rn x .",
        "mvn test",
        "go test ./...",
        "tar -xvf a",
        "cat a.log",
        "docker build .",
        "npx eslint .",
        "npx tsc",
        "./run.sh",
        "terraform plan",
        "npm install",
        "pip install x",
        "a; b",
    ]);
    let strategy = (commands, prop::collection::vec(fragments, 20..160), 0..2_i32);
    runner(250)
        .run(&strategy, |(command, lines, exit)| {
            let text = lines.join("\n") + "\n";
            check_laws(command, &text, exit).map_err(TestCaseError::fail)
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn p3_the_same_input_gives_the_same_output_on_another_thread() {
    let all = captures();
    let here: Vec<String> = all
        .iter()
        .map(|capture| visible(&capture.command, &capture.output, capture.exit))
        .collect();
    let there = std::thread::spawn(move || -> Vec<String> {
        all.iter().map(|capture| visible(&capture.command, &capture.output, capture.exit)).collect()
    })
    .join()
    .expect("the thread ends");
    assert_eq!(here, there);
}

#[test]
fn p4_adversarial_text_costs_linear_time() {
    // Bounds are far above what a linear pass takes in a debug build, and far below a quadratic one.
    const SIZE: usize = 64 * 1024;
    let texts = adversarial(SIZE);
    for command in EVERY_FAMILY {
        for (index, text) in texts.iter().enumerate() {
            let start = Instant::now();
            let _ = minimize(Command::Text(command), text, 1, &Options::default());
            let took = start.elapsed();
            assert!(took < Duration::from_secs(15), "`{command}` on text {index} took {took:?}");
        }
    }
}

#[test]
fn p5_characters_are_never_split() {
    let strategy = prop::collection::vec("[a-zé漢✓\u{1b}\\[0-9mKA\r\u{8} ]{0,60}", 30..60);
    runner(60)
        .run(&strategy, |lines| {
            // Strings are valid UTF-8 by type: a split character would be a panic, and a panic is `None`.
            let text = lines.join("\n") + &"filler line\n".repeat(90);
            let result = minimize(Command::Text("./x.sh"), &text, 0, &Options::default());
            prop_assert!(result.is_some(), "ninety equal lines fold, unless something panicked");
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn p12_machine_formats_are_left_alone_whatever_the_text() {
    for capture in captures() {
        for command in [
            "cargo check --message-format=json",
            "git status --porcelain",
            "kubectl get pods -o json",
            "jq .",
            "git diff --name-only",
            "npm ls --json",
            "sha256sum x",
        ] {
            assert_eq!(
                minimize(
                    Command::Text(command),
                    &capture.output,
                    capture.exit,
                    &Options::default()
                ),
                None,
                "{command} {}",
                capture.name
            );
        }
    }
}

#[test]
fn p13_structure_that_hides_the_program_is_left_alone() {
    for capture in captures() {
        for line in [
            "{} | cat",
            "{} || true",
            "({})",
            "{} &",
            "echo $({})",
            "for i in 1; do {}; done",
            "{} | tee log | tail -5",
        ] {
            let command = line.replace("{}", &capture.command);
            assert_eq!(
                minimize(
                    Command::Text(&command),
                    &capture.output,
                    capture.exit,
                    &Options::default()
                ),
                None,
                "{command}"
            );
        }
    }
}

#[test]
fn p14_a_file_that_is_read_back_is_what_was_written() {
    // `cmd > f; cat f`: what a program wrote to a file is seen unchanged. Logs are the stated exception.
    for capture in captures() {
        let result = minimize(Command::Text("cat f"), &capture.output, 0, &Options::default());
        if let Some(result) = result {
            assert_eq!(result.filter, "log", "{}", capture.name);
        }
    }
}

#[test]
fn p15_an_unknown_program_with_an_unknown_shape_stays_as_it_is() {
    let text: String = (0..200)
        .map(|i| format!("step {i}: moved widget {} to shelf {}\n", i * 7, i % 9))
        .collect();
    assert_eq!(minimize(Command::Text("frobnicate --all"), &text, 0, &Options::default()), None);
}

#[test]
fn p16_lines_of_a_version_we_do_not_know_stay() {
    let text: String =
        (0..100).map(|i| format!("test case_{i} ==> fine in {i} ms\n")).collect::<String>()
            + "summary ==> 100 fine\n";
    assert_eq!(visible("cargo test", &text, 0), text);
    let text: String = (0..100).map(|i| format!("tests/a.py::t{i} <passed> {i}%\n")).collect();
    assert_eq!(visible("pytest -v", &text, 0), text);
}

#[test]
fn p17_colour_and_line_ends_change_nothing() {
    for capture in captures()
        .iter()
        .filter(|capture| !capture.untouched && !capture.output.contains(['\r', '\x1b']))
    {
        let plain = visible(&capture.command, &capture.output, capture.exit);
        let coloured: String =
            capture.output.lines().map(|line| format!("\x1b[1;32m{line}\x1b[0m\r\n")).collect();
        assert_eq!(
            normal(&visible(&capture.command, &coloured, capture.exit)),
            normal(&plain),
            "{}",
            capture.name
        );
    }
}

#[test]
fn p18_what_two_runs_say_apart_they_say_together() {
    for name in [
        "cargo-test-workspace-fail",
        "eslint",
        "tsc",
        "make-warnings",
        "go-test-verbose",
        "mocha-fail",
    ] {
        let all = captures();
        let capture = all
            .iter()
            .find(|capture| capture.name == name)
            .unwrap_or_else(|| panic!("{name} is captured"));
        let mut random = Random(name.len() as u64 + 11);
        let second = mutate(&capture.output, &mut random).replace("src/", "lib/");
        let both = normal(&visible(
            &capture.command,
            &format!("{}{second}", capture.output),
            capture.exit,
        ));
        for fact in &capture.facts {
            assert!(both.contains(&normal(fact)), "{name}: {fact}");
        }
    }
}

#[test]
fn p19_nothing_is_masked() {
    let secret = "+export API_TOKEN=tok_51Hx9f8s7d6f5a4s3d2f1g0h9j8k7l6\n";
    let body: String = (0..60).map(|i| format!("+line {i} of the new file with words\n")).collect();
    let text = format!(
        "diff --git a/.env b/.env\nindex 123..456 100644\n--- a/.env\n+++ b/.env\n@@ -0,0 +1,61 @@\n{secret}{body}"
    );
    assert!(visible("git diff", &text, 0).contains(secret));
}

#[test]
fn p20_an_incomplete_capture_gets_lossless_stages_only() {
    let options = Options { incomplete: true, ..Options::default() };
    for capture in captures() {
        if let Some(result) =
            minimize(Command::Text(&capture.command), &capture.output, capture.exit, &options)
        {
            assert_eq!(result.filter, "lossless", "{}", capture.name);
            assert!(!result.text.lines().last().is_some_and(is_notice), "{}", capture.name);
        }
    }
}

#[test]
fn p21_a_notice_says_where_the_original_is() {
    let options = Options { reference: Some("artifact://12".to_owned()), ..Options::default() };
    let mut seen = 0;
    for capture in captures() {
        let Some(result) =
            minimize(Command::Text(&capture.command), &capture.output, capture.exit, &options)
        else {
            continue;
        };
        if let Some(notice) = result.text.lines().last().filter(|line| is_notice(line)) {
            assert!(notice.ends_with("; full: artifact://12]"), "{notice}");
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen} notices");
}

#[test]
fn the_gate_leaves_short_long_and_excluded_outputs_alone() {
    let line = "   Compiling a v1.0.0 (/home/dev/src/a)\n";
    let ask =
        |text: &str, options: &Options| minimize(Command::Text("cargo build"), text, 0, options);
    let long = format!("{}warning: x\n", line.repeat(60));
    assert!(ask(&long, &Options::default()).is_some());
    assert_eq!(ask(&line.repeat(10), &Options::default()), None);
    assert_eq!(ask(&long, &Options { max_capture_bytes: 1024, ..Options::default() }), None);
    assert_eq!(
        ask(&long, &Options { except: vec!["Cargo".to_owned()], ..Options::default() }),
        None
    );
    assert_eq!(ask(&long, &Options { only: vec!["git".to_owned()], ..Options::default() }), None);
    assert!(
        ask(&long, &Options { only: vec!["cargo".to_owned()], ..Options::default() }).is_some()
    );
}

#[test]
fn a_rule_of_the_user_goes_first_and_cannot_remove_an_error() {
    let rules = Rules::parse(
        "schema = 1\n[[rule]]\nname = \"mine\"\nprograms = [\"frobnicate\"]\n[[rule.drop]]\nlines = ['^step ', '^error']\n",
    )
    .expect("valid");
    let options = Options { rules: vec![Arc::new(rules)], ..Options::default() };
    let steps: String = (0..100).map(|i| format!("step {i} of the work is done\n")).collect();
    let quiet = minimize(Command::Text("frobnicate"), &format!("{steps}end\n"), 0, &options)
        .expect("the rule applies");
    assert_eq!(
        (quiet.filter.as_str(), quiet.text.as_str()),
        ("mine", "end\n[-- 100 lines removed]\n")
    );
    let failing = format!("{steps}error: widget 7 is stuck\nend\n");
    assert_eq!(minimize(Command::Text("frobnicate"), &failing, 0, &options), None);
}
