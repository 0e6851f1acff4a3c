//! Checks the laws on a stream of mutated captures and invented texts: `fuzz <executions> [<seed>]`.
//!
//! An equivalent of a fuzz target on stable Rust: the generator is seeded, so a number names a run, and
//! every broken law is printed with what reproduces it. Build it with `--release`.

#![expect(clippy::print_stdout, reason = "a program's output is its purpose")]

#[path = "../tests/support/mod.rs"]
#[expect(dead_code, reason = "the module is shared with the tests; this program uses a part of it")]
mod support;

use std::collections::BTreeMap;
use std::error::Error;
use support::{Random, captures, check_laws, mutate};

/// Lines of one input: laws are about shapes, and short inputs make many executions.
const MAX_LINES: usize = 120;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let executions: usize = args.next().map_or(Ok(100_000), |text| text.parse())?;
    let mut random = Random(args.next().map_or(Ok(1), |text| text.parse())?);
    let all = captures();
    let mut broken: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..executions {
        let text = &all[random.below(all.len())];
        // Mostly the command that printed the text; sometimes one that did not.
        let command = if random.below(4) == 0 {
            &all[random.below(all.len())].command
        } else {
            &text.command
        };
        let lines: Vec<&str> = text.output.lines().collect();
        let start = random.below(lines.len().saturating_sub(MAX_LINES / 2));
        let mut piece =
            lines.iter().skip(start).take(MAX_LINES).copied().collect::<Vec<_>>().join("\n");
        if random.below(5) == 0 {
            let other = &all[random.below(all.len())];
            piece.push('\n');
            piece.extend(other.output.lines().take(MAX_LINES / 2).flat_map(|line| [line, "\n"]));
        }
        let input = mutate(&piece, &mut random);
        let exit = if random.below(3) == 0 { 1 - text.exit.clamp(0, 1) } else { text.exit };
        if let Err(problem) = check_laws(command, &input, exit) {
            let first = problem.lines().next().unwrap_or("").to_owned();
            let law = first.split(' ').next().unwrap_or("").to_owned();
            let count = broken.entry(format!("{law} {}", text.name)).or_default();
            if *count == 0 {
                println!("{}: {first}", text.name);
            }
            *count += 1;
        }
    }
    println!("{executions} executions, {} broken", broken.values().sum::<usize>());
    if broken.is_empty() { Ok(()) } else { Err("a law is broken".into()) }
}
