//! Numbers of the signals that are sent to commands, in the order of a stop, and names of those that tell of a fault.

/// Interactive interruption: a shell returns to its prompt.
pub(crate) const INTERRUPT: i32 = libc::SIGINT;
/// Polite end.
pub const TERMINATE: i32 = libc::SIGTERM;
/// End that cannot be refused.
pub const KILL: i32 = libc::SIGKILL;
/// Stop that cannot be refused.
pub const STOP: i32 = libc::SIGSTOP;
/// Lets a stopped process go on.
pub const CONTINUE: i32 = libc::SIGCONT;

/// Signals by which a program dies of a fault of its own.
#[cfg(target_os = "linux")]
pub const FAULTS: [i32; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGABRT, libc::SIGSYS];

/// The name of one of these.
#[cfg(target_os = "linux")]
pub const fn name_of_fault(signal: i32) -> &'static str {
    match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGABRT => "SIGABRT",
        _ => "SIGSYS",
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_the_name_that_shells_have_for_it() {
        let mut command = std::process::Command::new("bash");
        command.args(["-c", "kill -l \"$@\"", "bash"]).args(FAULTS.map(|one| one.to_string()));
        let listed = String::from_utf8(command.output().unwrap().stdout).unwrap();

        let names: Vec<_> = listed.lines().map(|name| format!("SIG{name}")).collect();
        assert_eq!(FAULTS.map(name_of_fault), *names);
    }
}
