//! What one command costs over both engines: printed, not judged. `cargo test --release -p pi-shell --test per_command
//! round_trip -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use pi_shell::{Shell, ShellOptions};

use crate::support::{driver, run, shell_options};

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
    times[ROUNDS / 2]
}

#[tokio::test]
#[ignore = "a measurement, run by hand"]
async fn round_trip_of_one_command_over_both_engines() {
    let driver = Some(driver::object().to_path_buf());
    let kept = Shell::new(ShellOptions { kind: None, driver, ..shell_options() }).unwrap();
    let alone = Shell::new(shell_options()).unwrap();
    let grown = Shell::new(shell_options()).unwrap();
    run(&grown, "for i in {1..500}; do eval \"f$i() { local a=1; echo \\$a; return 0; }\"; done")
        .await;
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
