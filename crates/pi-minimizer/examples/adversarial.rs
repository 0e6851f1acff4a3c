//! Minimizes the worst texts that are known, of the largest size that passes the gate: `adversarial [<KiB>]`.
//!
//! Prints the slowest family of each text, in milliseconds a MiB, at a quarter of the size and at the size: where the
//! two differ much, a filter is not linear, and the program fails. Build it with `--release`.

#![expect(clippy::print_stdout, reason = "a program's output is its purpose")]

#[path = "../tests/support/mod.rs"]
#[expect(dead_code, reason = "the module is shared with the tests; this program uses a part of it")]
mod support;

mod clock;

use pi_minimizer::{Command, Options, minimize};
use std::error::Error;
use std::time::{Duration, Instant};
use support::{EVERY_FAMILY, adversarial};

/// A quarter of the text costs a quarter of the time, and a quadratic filter makes a MiB four times as dear; caches that
/// no longer suffice and a busy machine stay below it.
const MAX_GROWTH: f64 = 3.0;

/// Passes of which the best counts: other load only ever slows one.
const PASSES: usize = 4;

/// Milliseconds a MiB below which growth is of memory, not of steps: 4 MiB then cost a tenth of a second.
const MATTERS: f64 = 30.0;

/// Measurements of a pair before it counts as not linear.
const ATTEMPTS: usize = 6;

fn main() -> Result<(), Box<dyn Error>> {
    let kib: usize = std::env::args().nth(1).map_or(Ok(4096), |text| text.parse())?;
    let large = adversarial(kib * 1024);
    let small = adversarial(kib * 256);
    let mut broken = 0;
    for (index, (large, small)) in large.iter().zip(&small).enumerate() {
        let mut slowest = (0.0, 0.0, "");
        for command in EVERY_FAMILY {
            // On a busy machine the caches are shared as well; a filter that is not linear never gets better.
            let (mut before, mut after) = (f64::MAX, f64::MAX);
            let linear = (0..ATTEMPTS).any(|_| {
                before = before.min(cost(command, small));
                after = after.min(cost(command, large));
                after <= MATTERS || after <= before * MAX_GROWTH
            });
            if !linear {
                println!("text {index}, `{command}`: {before:.1} ms a MiB become {after:.1}");
                broken += 1;
            }
            if after > slowest.1 {
                slowest = (before, after, command);
            }
        }
        let (before, after, command) = slowest;
        println!("text {index:>2}: {before:>6.1} -> {after:>6.1} ms a MiB, slowest is `{command}`");
    }
    if broken == 0 { Ok(()) } else { Err("a filter is not linear".into()) }
}

/// Milliseconds a MiB.
fn cost(command: &str, text: &str) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..PASSES {
        let start = Instant::now();
        let before = clock::busy(start);
        let _ = minimize(Command::Text(command), text, 1, &Options::default());
        best = best.min(clock::busy(start).saturating_sub(before));
    }
    best.as_secs_f64() * 1e3
        / (f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX)) / 1_048_576.0)
}
