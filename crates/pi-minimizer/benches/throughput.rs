//! Bytes per second of the gate and of each family, beside one `memchr` pass over the same text.
//!
//! Texts are real captures repeated: what is measured is the shape of a family's lines, at
//! a size where the fixed costs no longer count. `cargo bench -p pi-minimizer` prints a table (a word after `--`
//! picks rows); nothing is asserted.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::cast_precision_loss, reason = "megabytes a second need no 52 bits")]

use pi_minimizer::{Command, Options, minimize};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Size of a text: large enough for a rate, small enough that a pass fits into a time slice of a busy machine.
const SIZE: usize = 512 * 1024;

/// Time spent on one row.
const BUDGET: Duration = Duration::from_millis(600);

fn main() {
    println!("{:<28} {:>10} {:>12} {:>8}", "case", "MB/s", "memchr MB/s", "left");
    row("passthrough: piped", "cargo test | tail", "cargo-test-workspace-fail");
    row("passthrough: source file", "cat src/lib.rs", "cat-source");
    row("passthrough: unknown", "frobnicate", "cat-source");
    for name in [
        "cargo-test-workspace-fail",
        "cargo-build-warn",
        "pytest-verbose",
        "jest-fail",
        "vitest-fail",
        "mocha-fail",
        "node-test-fail",
        "eslint",
        "tsc",
        "mypy",
        "go-test-verbose",
        "make-warnings",
        "gxx-templates",
        "mvn-offline",
        "git-status",
        "git-log",
        "git-diff",
        "grep-rn",
        "find-js",
        "ls-long",
        "npm-ls-all",
        "pip-list",
        "apt-simulate",
        "tf-plan",
        "tar-create",
        "java-stack-overflow",
        "py-recursion",
        "git-clone-progress-tty",
        "vitest-fail-color-tty",
        "run-script",
    ] {
        row(name, "", name);
    }
    text("log", "cat app.log", &log());
}

fn row(label: &str, command: &str, capture: &str) {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/minimizer/cases").join(capture);
    let Ok(output) = fs::read_to_string(folder.join("out.txt")) else {
        println!("{label:<28} no capture `{capture}`");
        return;
    };
    let own = fs::read_to_string(folder.join("cmd")).unwrap_or_default();
    let repeated = output.repeat(SIZE / output.len() + 1);
    let cut =
        repeated.char_indices().map(|(at, _)| at).find(|at| *at >= SIZE).unwrap_or(repeated.len());
    text(
        label,
        if command.is_empty() { own.trim_end() } else { command },
        repeated.get(..cut).unwrap_or(""),
    );
}

fn text(label: &str, command: &str, text: &str) {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    if wanted.is_some_and(|word| !label.contains(&word)) {
        return;
    }
    let options = Options::default();
    let mut left = text.len();
    let ours = rate(text, || {
        left = minimize(Command::Text(command), black_box(text), 1, &options)
            .map_or(text.len(), |result| result.output_bytes);
    });
    let floor = rate(text, || {
        black_box(memchr::memchr_iter(b'\n', black_box(text.as_bytes())).count());
    });
    println!(
        "{label:<28} {ours:>10.0} {floor:>12.0} {:>7.1}%",
        100.0 * left as f64 / text.len() as f64
    );
}

/// Megabytes a second, the best of all passes: other load on the machine only ever slows a pass.
fn rate(text: &str, mut pass: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut best = Duration::MAX;
    while start.elapsed() < BUDGET {
        let begin = Instant::now();
        pass();
        best = best.min(begin.elapsed());
    }
    text.len() as f64 / 1e6 / best.as_secs_f64()
}

fn log() -> String {
    let mut text = String::with_capacity(SIZE + 128);
    let mut n = 1_u64;
    while text.len() < SIZE {
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (second, id) = ((n >> 33) % 60, n >> 40);
        let line = format!(
            "2026-03-04T09:15:{second:02}.578Z INFO  [http] GET /api/v1/carts/{id} 200 {}ms req={n:016x}\n",
            id % 90
        );
        text.push_str(&line);
    }
    text
}
