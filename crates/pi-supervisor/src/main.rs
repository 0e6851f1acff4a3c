//! The supervisor: parent of every program of a session, root of its process tree.
//!
//! # Theory of operation
//! A host starts this executable with one end of a socket as its standard input. It starts
//! programs for the host, each as leader of a session of its own, adopts whatever they leave
//! behind (`PR_SET_CHILD_SUBREAPER`), and tells the host how its programs ended. When the socket
//! ends, for whatever reason the host is gone, and then everything below is frozen, killed and
//! reaped before this process ends too. So nothing that the host started outlives it, also when
//! it was killed by `SIGKILL`, and also when a shell of the session was replaced. The session's private folder, which
//! the host names at the start (`--private-folder`), is removed then too, as far as a sandbox leaves that to it.
//!
//! One thread, one `poll(2)`: it forks, and a fork of one thread is simple and fast.
//!
//! The library beside it (`lib.rs`) has what the host needs too; what must never run inside the
//! host is here: `startup` (signals, descriptors, subreaper), `server` (the loop), `spawn` (fork
//! to exec), `confine` (the sandbox's end of it), `probe` (whether a sandbox or a read-only copy holds), `sys` (the raw
//! calls).

#[cfg(unix)]
mod confine;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod spawn;
#[cfg(unix)]
mod startup;
#[cfg(unix)]
mod sys;

#[cfg(unix)]
use std::path::PathBuf;
use std::process::ExitCode;

#[cfg(unix)]
use pi_supervisor::PRIVATE_FOLDER_OPTION;
#[cfg(unix)]
use pi_supervisor::remove_tree::remove_tree;

/// Exit status when standard input is not a socket.
const NOT_STARTED_BY_HOST: u8 = 2;

/// Exit status when the process cannot be set up.
#[cfg(unix)]
const CANNOT_START: u8 = 3;

/// Exit status when processes were left that could not be killed.
#[cfg(unix)]
const PROCESSES_LEFT: u8 = 4;

#[cfg(unix)]
fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(subject) = std::env::args_os().nth(1).and_then(|first| probe::Subject::of(&first)) {
        return probe::run(subject, std::env::args_os().skip(2));
    }
    if !startup::has_control_socket() {
        return explain();
    }
    let Ok(started) = startup::start() else { return ExitCode::from(CANNOT_START) };
    let is_clean = server::Server::new(started).run();
    if let Some(folder) = private_folder() {
        // A host that lives removes it as well, and what stays is swept by a later one.
        drop(remove_tree(&folder));
    }
    if is_clean { ExitCode::SUCCESS } else { ExitCode::from(PROCESSES_LEFT) }
}

/// The session's folder, by the command line.
#[cfg(unix)]
fn private_folder() -> Option<PathBuf> {
    let mut arguments = std::env::args_os().skip(1);
    let is_named = arguments.next()?.to_str() == Some(PRIVATE_FOLDER_OPTION);
    arguments.next().filter(|_| is_named).map(PathBuf::from)
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    // Windows has job objects, which die with the host by themselves.
    explain()
}

/// Tells a person who ran it by hand what it is.
fn explain() -> ExitCode {
    use std::io::Write as _;
    let text = "pi-supervisor is started by pi-bash, with a socket as its standard input\n";
    // Nobody may be reading; the exit status says the same.
    drop(std::io::stderr().write_all(text.as_bytes()));
    ExitCode::from(NOT_STARTED_BY_HOST)
}
