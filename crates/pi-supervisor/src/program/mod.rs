//! The supervisor as a program: what the executable `pi-supervisor` runs, and `pi-host` where it was started as that.
//!
//! # Theory of operation
//! A host starts the executable with one end of a socket as its standard input. It starts
//! programs for the host, each as leader of a session of its own, adopts whatever they leave
//! behind (`PR_SET_CHILD_SUBREAPER`), and tells the host how its programs ended. When the socket
//! ends, for whatever reason the host is gone, and then everything below is frozen, killed and
//! reaped before this process ends too. So nothing that the host started outlives it, also when
//! it was killed by `SIGKILL`, and also when a shell of the session was replaced. The session's private folder, which
//! the host names at the start (`--private-folder`), is removed then too, as far as a sandbox leaves that to it.
//!
//! One thread, one `poll(2)`: it forks, and a fork of one thread is simple and fast.
//!
//! None of this may run inside a host: it changes the process it is called in for good. So it is there with the feature
//! `program` only, which executables ask for that can be started as a supervisor; `test/architecture/crates.test.ts`
//! holds which these are.
//!
//! `startup` (signals, descriptors, subreaper), `server` (the loop), `spawn` (fork to exec), `confine` (the sandbox's end
//! of it), `probe` (whether a sandbox or a read-only copy holds), `sys` (the raw calls).

mod confine;
#[cfg(target_os = "linux")]
mod probe;
mod server;
mod spawn;
mod startup;
mod sys;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use crate::PRIVATE_FOLDER_OPTION;
use crate::remove_tree::remove_tree;
use crate::wire::{PROGRAM_ARGUMENT, PROGRAM_NAME};

/// Exit status when standard input is not a socket.
pub const NOT_STARTED_BY_HOST: u8 = 2;

/// Exit status when the process cannot be set up.
const CANNOT_START: u8 = 3;

/// Exit status when processes were left that could not be killed.
const PROCESSES_LEFT: u8 = 4;

/// Whether a process was started to be the supervisor, or to make the attempts of a probe: by its name and its first
/// argument. For executables that are something else as well.
pub fn is_asked_for(name: &OsStr, first: Option<&OsStr>) -> bool {
    Path::new(name).file_name().is_some_and(|name| name == PROGRAM_NAME)
        || first.is_some_and(|first| first == PROGRAM_ARGUMENT || is_probe(first))
}

/// Is the supervisor until the host is gone. `arguments`: those behind the program's name. To be called first in a process
/// that has one thread and has opened nothing.
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    if let Some(status) = probed(arguments.iter().cloned()) {
        return status;
    }
    if !startup::has_control_socket() {
        return explain();
    }
    let Ok(started) = startup::start() else { return ExitCode::from(CANNOT_START) };
    let is_clean = server::Server::new(started).run();
    if let Some(folder) = private_folder(&arguments) {
        // A host that lives removes it as well, and what stays is swept by a later one.
        drop(remove_tree(folder));
    }
    if is_clean { ExitCode::SUCCESS } else { ExitCode::from(PROCESSES_LEFT) }
}

/// The session's folder, by the command line.
fn private_folder(arguments: &[OsString]) -> Option<&Path> {
    let at = arguments.iter().position(|argument| argument == PRIVATE_FOLDER_OPTION)?;
    arguments.get(at + 1).map(Path::new)
}

/// Leaves the session and the descriptors of whoever started this process, but for the standard streams. As `main`, to be
/// called first in a process.
pub fn detach() {
    // Fails only for a group leader, which has no session above it to leave.
    rustix::process::setsid().ok();
    sys::close_from(startup::FIRST_FREE);
}

/// Makes the attempts of a probe, where that is what it was started for.
#[cfg(target_os = "linux")]
fn probed(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let subject = probe::Subject::of(&arguments.next()?)?;
    Some(probe::run(subject, arguments))
}

#[cfg(target_os = "linux")]
fn is_probe(first: &OsStr) -> bool {
    probe::Subject::of(first).is_some()
}

#[cfg(not(target_os = "linux"))]
fn is_probe(_first: &OsStr) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn probed(_arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    None
}

/// Tells a person who ran it by hand what it is.
fn explain() -> ExitCode {
    use std::io::Write as _;
    let text = "pi-supervisor is started by pi-bash, with a socket as its standard input\n";
    // Standard error may be closed; the exit status says the same.
    drop(std::io::stderr().write_all(text.as_bytes()));
    ExitCode::from(NOT_STARTED_BY_HOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process;

    #[test]
    fn it_is_asked_for_by_its_name_in_any_folder_or_by_its_first_argument() {
        let asked =
            |name: &str, first: Option<&str>| is_asked_for(name.as_ref(), first.map(OsStr::new));
        assert!(asked("pi-supervisor", None));
        assert!(asked("/opt/a/pi-supervisor", Some("serve")));
        assert!(asked("/opt/a/pi-host", Some("--supervise")));
        assert!(!asked("/opt/a/pi-host", None));
        assert!(!asked("/opt/a/pi-host", Some("serve")));
        assert!(!asked("/opt/pi-supervisor/pi-host", Some("supervise")));
        assert!(!asked("", None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn it_is_asked_for_by_a_probe_as_well() {
        for probe in ["--probe-sandbox", "--probe-read-only"] {
            assert!(is_asked_for("pi-host".as_ref(), Some(probe.as_ref())));
        }
        assert!(!is_asked_for("pi-host".as_ref(), Some("--probe".as_ref())));
    }

    #[test]
    fn the_private_folder_stands_behind_its_option() {
        let found = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            private_folder(&words).map(Path::to_path_buf)
        };
        let option = PRIVATE_FOLDER_OPTION;
        assert_eq!(found(&[option, "/a"]), Some("/a".into()));
        assert_eq!(found(&["--supervise", option, "/a", "/b"]), Some("/a".into()));
        assert_eq!(found(&["/a", option]), None);
        assert_eq!(found(&["/a", "/b"]), None);
    }

    /// Set where this test runs again to detach itself.
    const DETACHES: &str = "PI_BASH_TEST_DETACHES";

    #[test]
    fn a_detached_process_has_its_own_session_and_only_the_standard_streams() {
        use std::os::fd::AsRawFd as _;
        use std::os::unix::process::ExitStatusExt as _;
        if let Some(how) = std::env::var_os(DETACHES) {
            let own = rustix::process::getpid();
            let opened = std::fs::File::open("/dev/null").unwrap();
            let number = opened.as_raw_fd();
            // What `detach` closes has no owner.
            std::mem::forget(opened);
            match how.to_str() {
                #[cfg(target_os = "linux")]
                Some("before Linux 5.9") => {
                    let calls = [libc::SYS_close_range];
                    crate::refused::without_calls(&calls, libc::ENOSYS, detach);
                }
                _ => detach(),
            }
            let is_leader = rustix::process::getsid(None) == Ok(own);
            // The next one gets the lowest free number.
            let next = std::fs::File::open("/dev/null").unwrap().as_raw_fd();
            let is_closed = number >= startup::FIRST_FREE && next == startup::FIRST_FREE;
            // The harness cannot go on without its descriptors.
            let is_detached = is_leader && is_closed;
            let signal = if is_detached { libc::SIGTERM } else { libc::SIGKILL };
            let own = process::identity_of(own.as_raw_pid()).unwrap();
            process::signal(own, signal).unwrap();
        }
        let name = "program::tests::\
            a_detached_process_has_its_own_session_and_only_the_standard_streams";
        for how in ["as usual", "before Linux 5.9"] {
            let status = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", name])
                .env(DETACHES, how)
                .stdout(std::process::Stdio::null())
                .status()
                .unwrap();
            assert_eq!(status.signal(), Some(libc::SIGTERM), "{how}");
        }
    }
}
