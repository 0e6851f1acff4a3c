//! The executable `pi-host`; what it does stands in the library.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    pi_host::main(std::env::args_os())
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    use std::io::Write as _;
    // Standard error may be closed; the exit status says the same.
    drop(std::io::stderr().write_all(b"pi-host is a program for Linux\n"));
    ExitCode::from(2)
}
