//! The executable `pi-supervisor`: parent of every program of a session, root of its process tree.
//!
//! What it does stands in the library's `program`, since `pi-host` can be started as a supervisor too.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    pi_supervisor::program::main(std::env::args_os().skip(1))
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    use std::io::Write as _;
    // Windows has job objects, which die with the host by themselves.
    let text = "pi-supervisor is started by pi-bash, on Unix only\n";
    // Standard error may be closed; the exit status says the same.
    drop(std::io::stderr().write_all(text.as_bytes()));
    ExitCode::from(2)
}
