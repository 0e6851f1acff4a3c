//! Checks the laws on mutated captures and mixed texts: `fuzz <executions> [<first seed> [<capture>]]`.
//!
//! An equivalent of a fuzz target on stable Rust. Every execution has a seed of its own, so what breaks a law is
//! printed with its seed, and `fuzz 1 <seed>` shows the whole text again. Build it with `--release`.

#![expect(clippy::print_stdout, reason = "a program's output is its purpose")]

#[path = "../tests/support/mod.rs"]
#[expect(dead_code, reason = "the module is shared with the tests; this program uses a part of it")]
mod support;

use std::collections::BTreeMap;
use std::error::Error;
use support::{Capture, Random, captures, check_laws, mutate};

/// Lines of one input: laws are about shapes, and short inputs make many executions. Most of them break in few lines,
/// some need a whole report.
const LINES: [usize; 5] = [24, 24, 40, 40, 120];

/// Bytes from which an input is long enough for the gate, whatever a mutation cuts off.
const PASSES_GATE: usize = 1300;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let executions: u64 = args.next().map_or(Ok(100_000), |text| text.parse())?;
    let first: u64 = args.next().map_or(Ok(1), |text| text.parse())?;
    let only = args.next();
    let captures = captures();
    let mut all: Vec<Source<'_>> = captures
        .iter()
        .map(|capture| Source { capture, lines: capture.output.lines().collect() })
        .collect();
    if let Some(name) = &only {
        all.retain(|source| source.capture.name == *name);
    }
    if all.is_empty() {
        return Err("no such capture".into());
    }
    let mut broken: BTreeMap<String, usize> = BTreeMap::new();
    for seed in first..first.saturating_add(executions) {
        if let Err((name, problem)) = execute(&all, seed) {
            let head = problem.lines().next().unwrap_or("");
            let law = head.split(' ').next().unwrap_or("");
            let count = broken.entry(format!("{law} {name}")).or_default();
            if executions == 1 {
                println!("{problem}");
            } else if *count == 0 {
                println!("seed {seed}, {name}: {head}");
            }
            *count += 1;
        }
    }
    println!(
        "{executions} executions from seed {first}, {} broken",
        broken.values().sum::<usize>()
    );
    if broken.is_empty() { Ok(()) } else { Err("a law is broken".into()) }
}

/// A capture with its lines, which are cut out again and again.
struct Source<'a> {
    capture: &'a Capture,
    lines: Vec<&'a str>,
}

/// One input and its laws; what broke, with the name of the capture it was made from.
fn execute(all: &[Source<'_>], seed: u64) -> Result<(), (String, String)> {
    // Neighbouring seeds must not begin alike.
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let text = &all[random.below(all.len())];
    // Mostly the command that printed the text; sometimes one that did not.
    let command = if random.below(4) == 0 {
        &all[random.below(all.len())].capture.command
    } else {
        &text.capture.command
    };
    let longest = LINES.get(random.below(LINES.len())).copied().unwrap_or(24);
    let start = random.below(text.lines.len().saturating_sub(longest / 2));
    let mut piece = String::new();
    for (count, line) in text.lines.iter().skip(start).enumerate() {
        if count >= longest && piece.len() > PASSES_GATE {
            break;
        }
        piece.push_str(line);
        piece.push('\n');
    }
    if random.below(5) == 0 {
        let other = &all[random.below(all.len())];
        let start = random.below(other.lines.len().saturating_sub(longest / 2));
        piece.extend(
            other.lines.iter().skip(start).take(longest / 2).flat_map(|line| [*line, "\n"]),
        );
    }
    let input = mutate(&piece, &mut random);
    let exit =
        if random.below(3) == 0 { 1 - text.capture.exit.clamp(0, 1) } else { text.capture.exit };
    check_laws(command, &input, exit)
        .map_err(|problem| (text.capture.name.clone(), format!("{problem}\n--- from\n{input}")))
}
