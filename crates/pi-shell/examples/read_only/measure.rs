//! What a read-only command costs beside one in a plain copy: `cargo run --release -p pi-shell --example read_only`, and after
//! `--` texts that are timed instead.

#![expect(clippy::unwrap_used, reason = "a measurement that fails has nothing to print")]
#![expect(clippy::print_stdout, reason = "the figures")]

#[path = "../../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use pi_shell::{Concurrency, RunOptions, Shell, ShellOptions};
use support::{attempt, command, driver, run, shell_options};

/// Commands that are timed of each kind.
const ROUNDS: usize = 400;

/// The same of texts that are given, which take longer.
const ROUNDS_OF_PROGRAMS: usize = 40;

async fn once(shell: &Shell, read_only: bool, text: &str) -> Duration {
    let options = RunOptions { read_only, concurrency: Concurrency::Clone, ..command(text) };
    let begun = Instant::now();
    attempt(shell, options).await.unwrap();
    begun.elapsed()
}

/// Best and median of each kind, made in turn so that other work meets both. `before`: run before each, untimed.
async fn compare(shell: &Shell, name: &str, before: Option<&str>, text: &str, rounds: usize) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (read_only, times) in [false, true].into_iter().zip(&mut times) {
            if let Some(before) = before {
                run(shell, before).await;
            }
            times.push(once(shell, read_only, text).await);
        }
    }
    let [copy, confined] = times.map(|mut times| {
        times.sort();
        format!("best {:?} median {:?}", times[0], times[rounds / 2])
    });
    println!("{name}: a copy {copy}; read-only {confined}");
}

#[tokio::main]
pub(super) async fn main() {
    let driver = Some(driver::object().to_path_buf());
    let session =
        || Shell::new(ShellOptions { driver: driver.clone(), ..shell_options() }).unwrap();
    let shell = session();
    run(&shell, "true").await;
    let texts: Vec<String> = std::env::args().skip(1).collect();
    if !texts.is_empty() {
        for text in texts {
            compare(&shell, &text, None, &text, ROUNDS_OF_PROGRAMS).await;
        }
        shell.close().await;
        return;
    }
    let first = once(&shell, true, "true").await;
    println!("first read-only command of a process, with the proof: {first:?}");
    let next = session();
    run(&next, "true").await;
    println!("first of another session: {:?}", once(&next, true, "true").await);
    next.close().await;
    compare(&shell, "true", None, "true", ROUNDS).await;
    compare(&shell, "true, after a change of state", Some("x=1"), "true", ROUNDS).await;
    compare(&shell, "/bin/true", None, "/bin/true", ROUNDS).await;
    shell.close().await;
}
