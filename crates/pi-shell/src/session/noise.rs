//! What a command's shell wrote on its way out, apart from what the driver's own orders left there.
//!
//! After `exit` bash takes a command's redirections back before the EXIT trap runs, so what that
//! prints comes where bash answers orders. Traces of the order (`set -x` before the command), of the
//! driver's trap, and complaints about descriptors of the driver's stand there too. Pure text; when it
//! is read is `follow`'s business.
//!
//! That it is the command's is certain when the shell has ended. Much of it cannot be kept until then:
//! from where there is more than the driver ever causes, it is delivered as it comes.

use std::path::{Path, PathBuf};

use super::descriptors::Descriptors;

/// Noise that the driver's own orders do not cause, apart from the trace of one.
const DRIVERS_BYTES: usize = 128 * 1024;

/// How often an order's text may stand in its trace, escaped: as the driver's text, as the
/// command's, and in the assignments of both.
const TRACED_TIMES: usize = 8;

/// What one command's shell writes on its way out.
pub(super) struct LastWords<'a> {
    command: &'a str,
    was_traced: bool,
    folder: PathBuf,
    descriptors: Descriptors,
    /// Noise of so many bytes is the command's.
    limit: usize,
    /// Bytes of the command's own pipe that were written before, once the limit was reached.
    before: Option<usize>,
    has_begun: bool,
}

impl<'a> LastWords<'a> {
    /// Of a command whose order had a text of `order_bytes`, its own files included.
    pub(super) fn new(
        command: &'a str,
        order_bytes: usize,
        was_traced: bool,
        folder: &Path,
        descriptors: Descriptors,
    ) -> Self {
        let trace = if was_traced { TRACED_TIMES * order_bytes } else { 0 };
        let (folder, limit) = (folder.to_path_buf(), DRIVERS_BYTES + trace);
        Self { command, was_traced, folder, descriptors, limit, before: None, has_begun: false }
    }

    /// Noise that has to be kept until it is known whose it is.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Whether there is something to deliver now, with so much noise.
    pub(super) fn are_due(&self, noise_bytes: usize) -> bool {
        noise_bytes >= if self.has_begun { 1 } else { self.limit }
    }

    /// Whether the command's own pipe was read up to where they began; `waiting_bytes` lie in it.
    pub(super) fn are_next(&mut self, waiting_bytes: usize) -> bool {
        let before = self.before.map_or(waiting_bytes, |before| before.min(waiting_bytes));
        self.before = Some(before);
        self.has_begun || before == 0
    }

    /// So many bytes of the command's own pipe were read.
    pub(super) fn note_read(&mut self, length: usize) {
        self.before = self.before.map(|before| before.saturating_sub(length));
    }

    /// What is the command's in the noise since the last time.
    pub(super) fn take(&mut self, noise: Vec<u8>) -> Vec<u8> {
        if self.has_begun {
            return noise;
        }
        self.has_begun = true;
        of_the_command(&noise, self.command, self.was_traced, &self.folder, self.descriptors)
    }
}

/// The part of `noise` that is the command's. `was_traced`: tracing was on before it.
fn of_the_command(
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
    fn more_than_the_driver_causes_is_delivered_when_what_was_written_before_is_read() {
        let folder = Path::new("/dev/shm/pi-bash-0-1");
        let mut words = LastWords::new("exit", 40, false, folder, Descriptors::within(None));

        assert!(!words.are_due(DRIVERS_BYTES - 1) && words.are_due(DRIVERS_BYTES));
        assert!(!words.are_next(10));
        words.note_read(7);
        assert!(!words.are_next(500), "what came later counts for nothing");
        words.note_read(3);
        assert!(words.are_next(500));
        assert_eq!(words.take(b"+ __pi_e 0\nbye ".to_vec()), b"bye ");
        assert!(words.are_due(1) && words.are_next(500));
        assert_eq!(words.take(b"__pi_ is a word of the trap\n".to_vec()).len(), 28);
    }

    #[test]
    fn the_trace_of_a_long_order_is_waited_for() {
        let folder = Path::new("/dev/shm/pi-bash-0-1");
        let words = LastWords::new("exit", 1_000_000, true, folder, Descriptors::within(None));

        assert!(!words.are_due(4_000_000));
        assert!(words.are_due(words.limit()));
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
