//! Minimizes one capture: `minimize <command> [<exit>]` reads the output on standard input and prints
//! the result; `--explain` before the command shows what each stage did instead.

#![expect(clippy::print_stdout, reason = "a program's output is its purpose")]

use pi_minimizer::{Command, Options, explain, minimize};
use std::error::Error;
use std::io::{self, Read, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (explaining, args) = match args.split_first() {
        Some((first, rest)) if first == "--explain" => (true, rest),
        _ => (false, args.as_slice()),
    };
    let command = args.first().ok_or("usage: minimize [--explain] <command> [<exit>]")?;
    let exit = args.get(1).map_or(Ok(0), |text| text.parse())?;
    let mut output = String::new();
    io::stdin().read_to_string(&mut output)?;
    if explaining {
        let explanation = explain(Command::Text(command), &output, exit, &Options::default());
        for stage in &explanation.stages {
            println!(
                "{:>9} {:>8} bytes {:>6} lines  {}",
                stage.name, stage.bytes, stage.lines, stage.note
            );
        }
        println!(
            "{}",
            explanation.result.map_or_else(|| "the original stands".to_owned(), |(_, text)| text)
        );
        return Ok(());
    }
    let minimized = minimize(Command::Text(command), &output, exit, &Options::default());
    io::stdout().write_all(minimized.map_or(output, |minimized| minimized.text).as_bytes())?;
    Ok(())
}
