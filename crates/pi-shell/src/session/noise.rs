//! What a command's shell wrote on its way out, apart from what the driver's own orders left there.
//!
//! After `exit` bash takes a command's redirections back before the EXIT trap runs, so what that
//! prints comes where bash answers orders. Traces of the order (`set -x` before the command), of the
//! driver's trap, and complaints about descriptors of the driver's stand there too. Pure text; when it
//! is read is `run`'s business.

use std::path::Path;

use super::descriptors::Descriptors;

/// The part of `noise` that is the command's. `was_traced`: tracing was on before it.
pub(super) fn of_the_command(
    noise: &[u8],
    command: &str,
    was_traced: bool,
    folder: &Path,
    descriptors: Descriptors,
) -> Vec<u8> {
    let begun = if was_traced { end_of_trace(noise, command) } else { 0 };
    let folder = folder.as_os_str().as_encoded_bytes();
    let lines = noise.get(begun..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n');
    let is_drivers = |line: &[u8]| {
        memchr::memmem::find(line, b"__pi_").is_some()
            || memchr::memmem::find(line, folder).is_some()
            || is_about_own_descriptor(line, descriptors)
    };
    lines.filter(|line| !is_drivers(line)).flatten().copied().collect()
}

/// Where the trace of the order ends: it closes with the `eval` that has the command, in the quotes
/// that bash puts around a word that it shows.
fn end_of_trace(noise: &[u8], command: &str) -> usize {
    let quoted = format!("eval '{}'\n", command.replace('\'', "'\\''"));
    let plain = format!("eval {command}\n");
    [quoted, plain]
        .iter()
        .find_map(|text| Some(memchr::memmem::find(noise, text.as_bytes())? + text.len()))
        .unwrap_or(0)
}

/// `bash: line 1: 243: Bad file descriptor`, where a command's limit of open files is below that.
fn is_about_own_descriptor(line: &[u8], descriptors: Descriptors) -> bool {
    let text = String::from_utf8_lossy(line);
    let Some(rest) = text.trim_end().strip_suffix(": Bad file descriptor") else { return false };
    rest.rsplit(' ')
        .next()
        .and_then(|number| number.parse().ok())
        .is_some_and(|number: u64| descriptors.are_own(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(noise: &str, command: &str, was_traced: bool) -> String {
        let folder = Path::new("/dev/shm/pi-bash-0-1");
        let descriptors = Descriptors::within(None);
        let told = of_the_command(noise.as_bytes(), command, was_traced, folder, descriptors);
        String::from_utf8(told).unwrap()
    }

    #[test]
    fn what_a_trap_printed_stays() {
        assert_eq!(
            told("bye\nbash: line 1: 9: Bad file descriptor\n", "exit", false),
            "bye\nbash: line 1: 9: Bad file descriptor\n"
        );
    }

    #[test]
    fn the_trace_of_the_order_goes_up_to_the_command() {
        let noise = "++++ builtin eval '__pi_m=;builtin eval x\n'\n+ return 2\n++++ builtin eval 'echo it'\\''s\nexit 2'\n+ echo bye\nbye\n";

        assert_eq!(told(noise, "echo it's\nexit 2", true), "+ echo bye\nbye\n");
        assert_eq!(told("+ builtin eval exit\nbye\n", "exit", true), "bye\n");
    }

    #[test]
    fn the_driver_s_trap_and_descriptors_are_not_told_of() {
        assert_eq!(told("+ builtin . /dev/shm/pi-bash-0-1/x\n", "set -x; exit", false), "");
        assert_eq!(
            told("bash: line 1: 243: Bad file descriptor\n", "ulimit -n 64; exit", false),
            ""
        );
    }
}
