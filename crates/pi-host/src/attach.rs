//! `pi-host attach`, and `stdio` where the engine is kept: carries bytes between standard input and output and an engine's
//! socket, and nothing else. What is said is near's and the engine's.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::time::Duration;

use crate::link::{Streams, bye, read_some, write_all};
use crate::place::open_instance;
use crate::serve;
use crate::stdio::{say, standard_streams};

/// Bytes carried at once.
const CARRIED_BYTES: usize = 64 * 1024;

/// Exit status where the instance is not there.
const GONE: u8 = 4;

/// Starts an engine that is kept, and carries bytes to it.
pub(crate) fn stdio(nonce: Option<&str>, keep: Duration) -> io::Result<ExitCode> {
    let streams = standard_streams()?;
    let socket = serve::start(keep)?;
    say(&streams.output, nonce, "ready")?;
    carry(streams, socket)
}

/// Carries bytes to an engine that was kept.
pub(crate) fn run(instance: &str, nonce: Option<&str>) -> io::Result<ExitCode> {
    let streams = standard_streams()?;
    let Some(socket) = open_instance(instance).and_then(|folder| serve::connect(&folder).ok())
    else {
        say(&streams.output, nonce, "ready")?;
        let output = File::from(streams.output);
        let detail = format!("the instance `{instance}` is not here any more");
        write_all(&output, &bye("gone", Some(&detail)))?;
        return Ok(ExitCode::from(GONE));
    };
    say(&streams.output, nonce, "ready")?;
    carry(streams, socket)
}

/// Returns when the engine has ended the link, or standard output takes nothing any more.
fn carry(streams: Streams, socket: OwnedFd) -> io::Result<ExitCode> {
    let Streams { input, output, .. } = streams;
    let to_engine = socket.try_clone()?;
    let ends = socket.try_clone()?;
    std::thread::Builder::new().name("in".to_owned()).spawn(move || {
        // Whatever ended it, the engine sees the end of its stream.
        drop(copy(File::from(input), &File::from(to_engine)));
        rustix::net::shutdown(&ends, rustix::net::Shutdown::Write).ok();
    })?;
    match copy(File::from(socket), &File::from(output)) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        // The engine was killed, or whoever read this has gone: near sees the end of its stream either way.
        Err(error)
            if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) =>
        {
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Err(error),
    }
}

fn copy(mut from: File, to: &File) -> io::Result<()> {
    let mut buffer = vec![0; CARRIED_BYTES];
    loop {
        let length = read_some(&mut from, &mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        write_all(to, buffer.get(..length).unwrap_or_default())?;
    }
}
