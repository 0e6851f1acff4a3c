//! The command line. Words for people go to standard error; standard output has frames, or what `list`, `gc` and
//! `--version` print.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use crate::{attach, place, serve, stdio};

const USAGE: &str = "\
usage: pi-host stdio [--nonce NONCE] [--keep-ms N]   serve standard input and output
       pi-host attach INSTANCE [--nonce NONCE]       come back to an engine that was kept
       pi-host list                                  engines of this user here, a line of JSON each
       pi-host end INSTANCE                          end one and everything it has
       pi-host gc                                    remove what engines left that were killed
       pi-host --version
";

/// Exit status of a command line that says nothing that can be done.
const WRONG_USAGE: u8 = 64;

/// Longest time that an engine is kept without a link.
const MAX_KEEP: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Longest nonce, in bytes.
const MAX_NONCE_BYTES: usize = 64;

/// What is asked for.
enum Wanted {
    Stdio { nonce: Option<String>, keep: Option<Duration> },
    Serve { keep: Duration },
    Attach { instance: String, nonce: Option<String> },
    List,
    End { instance: String },
    RemoveStale,
    Version,
}

/// Does what the words say.
pub(crate) fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let wanted = match read(words) {
        Ok(wanted) => wanted,
        Err(what) => {
            complain(&format!("{what}\n{USAGE}"));
            return ExitCode::from(WRONG_USAGE);
        }
    };
    let done = match wanted {
        Wanted::Stdio { nonce, keep: None } => stdio::run(nonce.as_deref()),
        Wanted::Stdio { nonce, keep: Some(keep) } => attach::stdio(nonce.as_deref(), keep),
        Wanted::Serve { keep } => serve::run(keep),
        Wanted::Attach { instance, nonce } => attach::run(&instance, nonce.as_deref()),
        Wanted::List => print(place::list().iter().map(ToString::to_string)),
        Wanted::End { instance } => place::end(&instance).map(|()| ExitCode::SUCCESS),
        Wanted::RemoveStale => print(place::remove_stale().into_iter()),
        Wanted::Version => {
            let (oldest, newest) = crate::wire::PROTOCOLS;
            let text =
                format!("pi-host {} (protocol {oldest} to {newest})", env!("CARGO_PKG_VERSION"));
            print(std::iter::once(text))
        }
    };
    done.unwrap_or_else(|error| {
        complain(&format!("pi-host: {error}\n"));
        ExitCode::FAILURE
    })
}

fn print(lines: impl Iterator<Item = String>) -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn complain(text: &str) {
    // Standard error may be closed; the exit status says the same.
    drop(io::stderr().write_all(text.as_bytes()));
}

fn read(words: impl Iterator<Item = OsString>) -> Result<Wanted, String> {
    let words: Result<Vec<String>, _> = words.map(OsString::into_string).collect();
    let words = words.map_err(|word| format!("`{}` is not UTF-8", word.to_string_lossy()))?;
    let mut words = words.into_iter();
    let Some(verb) = words.next() else { return Err("what is to be done is missing".to_owned()) };
    let mut instance = None;
    let (mut nonce, mut keep) = (None, None);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--nonce" => nonce = Some(checked_nonce(value()?)?),
            "--keep-ms" => keep = Some(checked_keep(&value()?)?),
            _ if word.starts_with('-') || instance.is_some() => {
                return Err(format!("`{word}` is not known here"));
            }
            _ => instance = Some(word),
        }
    }
    match (verb.as_str(), instance, nonce, keep) {
        ("stdio", None, nonce, keep) => Ok(Wanted::Stdio { nonce, keep }),
        ("serve", None, None, Some(keep)) => Ok(Wanted::Serve { keep }),
        ("attach", Some(instance), nonce, None) => Ok(Wanted::Attach { instance, nonce }),
        ("list", None, None, None) => Ok(Wanted::List),
        ("end", Some(instance), None, None) => Ok(Wanted::End { instance }),
        ("gc", None, None, None) => Ok(Wanted::RemoveStale),
        ("--version", None, None, None) => Ok(Wanted::Version),
        ("stdio" | "serve" | "attach" | "list" | "end" | "gc" | "--version", ..) => {
            Err(format!("`{verb}` was given too much or too little"))
        }
        _ => Err(format!("`{verb}` is not known")),
    }
}

fn checked_nonce(nonce: String) -> Result<String, String> {
    let is_plain = nonce.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain && (1..=MAX_NONCE_BYTES).contains(&nonce.len()) {
        Ok(nonce)
    } else {
        Err(format!("a nonce has 1 to {MAX_NONCE_BYTES} letters and digits"))
    }
}

fn checked_keep(text: &str) -> Result<Duration, String> {
    let keep = text.parse().ok().map(Duration::from_millis).filter(|keep| *keep <= MAX_KEEP);
    keep.ok_or_else(|| format!("`--keep-ms` takes 0 to {} milliseconds", MAX_KEEP.as_millis()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &str) -> Result<Wanted, String> {
        read(words.split_whitespace().map(OsString::from))
    }

    #[test]
    fn verbs_take_their_own_words_only() {
        assert!(matches!(
            said("stdio --nonce a1 --keep-ms 500"),
            Ok(Wanted::Stdio { nonce: Some(_), keep: Some(_) })
        ));
        assert!(matches!(said("attach 00ff"), Ok(Wanted::Attach { nonce: None, .. })));
        for wrong in [
            "",
            "start",
            "stdio now",
            "stdio --keep-ms",
            "stdio --keep-ms -1",
            "stdio --keep-ms 604800001",
            "stdio --nonce a;b",
            "serve",
            "attach",
            "attach a b",
            "list --nonce a",
            "end",
        ] {
            assert!(said(wrong).is_err(), "{wrong}");
        }
    }
}
