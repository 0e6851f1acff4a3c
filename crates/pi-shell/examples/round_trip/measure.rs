//! What one command costs over both engines: `cargo run --release -p pi-shell --example round_trip`.

#![expect(clippy::unwrap_used, reason = "a measurement that fails has nothing to print")]
#![expect(clippy::print_stdout, reason = "the figures")]

#[path = "../../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use pi_shell::{SessionKind, Shell, ShellOptions};
use support::{driver, run, shell_options};

/// Commands that are timed.
const ROUNDS: usize = 200;

async fn median(shell: &Shell, text: &str) -> Duration {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run(shell, text).await;
        times.push(start.elapsed());
    }
    times.sort();
    times.get(ROUNDS / 2).copied().unwrap_or_default()
}

#[tokio::main]
pub(super) async fn main() {
    let driver = Some(driver::object().to_path_buf());
    let with = |kind| Shell::new(ShellOptions { kind, driver: driver.clone(), ..shell_options() });
    let kept = with(None).unwrap();
    let alone = with(Some(SessionKind::PerCommand)).unwrap();
    let grown = with(Some(SessionKind::PerCommand)).unwrap();
    let functions =
        "for i in {1..500}; do eval \"f$i() { local a=1; echo \\$a; return 0; }\"; done";
    run(&grown, functions).await;
    for text in ["true", "cd /tmp && pwd", "/bin/true"] {
        println!(
            "{text}: driven {:?}, per command {:?}, per command with 500 functions {:?}",
            median(&kept, text).await,
            median(&alone, text).await,
            median(&grown, text).await,
        );
    }
    for shell in [kept, alone, grown] {
        shell.close().await;
    }
}
