//! P10 and P11: what is left of an output in the end, whether its command failed or not.

#[expect(dead_code, reason = "the module is shared; each test file uses a part of it")]
mod support;

use support::{captures, is_notice, visible};

/// Lines that no family can know, as a program's own last words.
const UNKNOWN: [&str; 5] = [
    "widget 7 of plant north refuses to turn",
    "the valve behind it reads 81 of 80 units",
    "someone has to look at the left lever first",
    "then at the log book of the second shift",
    "until that is done nothing moves any more",
];

/// Lines of progress or success, by the command that prints them.
const NOISE: [(&str, &str); 8] = [
    ("cargo test", "test suite::case_{} ... ok"),
    ("cargo build", "   Compiling widget-{} v1.0.0"),
    ("pytest -v", "tests/test_a.py::test_{} PASSED                    [ 50%]"),
    ("go test -v ./...", "--- PASS: TestCase{} (0.00s)"),
    ("npx mocha", "    ✔ turns widget number {}"),
    ("pip install x", "Collecting widget-{}"),
    ("mvn test", "[INFO] Downloading from central: widget-{}"),
    ("cmake --build b", "[ 50%] Building CXX object widget_{}.o"),
];

#[test]
fn p10_a_failure_keeps_an_end_that_is_not_recognised() {
    for capture in captures().iter().filter(|capture| !capture.untouched) {
        // A terminal's last frame may be drawn over; the end of a file that is read is the file's.
        if capture.output.contains('\r') || capture.command.starts_with("cat ") {
            continue;
        }
        let end = UNKNOWN.join("\n");
        let output = format!("{}\n{end}\n", capture.output.trim_end_matches('\n'));
        let text = visible(&capture.command, &output, 1);
        for line in UNKNOWN {
            assert!(text.contains(line), "{}: `{line}` is lost", capture.name);
        }
    }
}

#[test]
fn p10_a_failure_without_a_known_error_loses_no_unknown_line() {
    for (command, noise) in NOISE {
        let noise: Vec<String> = (0..80).map(|i| noise.replace("{}", &i.to_string())).collect();
        let output = format!("{}\n{}\n", noise.join("\n"), UNKNOWN.join("\n"));
        let text = visible(command, &output, 3);
        assert!(UNKNOWN.iter().all(|line| text.contains(line)), "{command}:\n{text}");
    }
}

#[test]
fn p11_a_success_is_never_reduced_to_nothing_or_to_a_bare_word() {
    for (command, noise) in NOISE {
        let output: String =
            (0..80).flat_map(|i| [noise.replace("{}", &i.to_string()), "\n".to_owned()]).collect();
        let text = visible(command, &output, 0);
        let said = text.lines().any(|line| !line.is_empty() && !is_notice(line));
        assert!(said && text.trim() != "OK", "{command}:\n{text}");
    }
}

#[test]
fn p11_a_success_keeps_every_line_that_is_no_noise() {
    for (command, noise) in NOISE {
        for place in [0, 1, 40, 79, 80] {
            let mut lines: Vec<String> =
                (0..80).map(|i| noise.replace("{}", &i.to_string())).collect();
            lines.insert(place, UNKNOWN[0].to_owned());
            let text = visible(command, &(lines.join("\n") + "\n"), 0);
            assert!(
                text.lines().any(|line| line.trim() == UNKNOWN[0]),
                "{command} {place}:\n{text}"
            );
        }
    }
}
