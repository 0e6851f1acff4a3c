//! Peels wrappers and runners off an argument list: `sudo -u ci env A=b timeout 60 npx jest` ran `jest`.
//!
//! Each wrapper is listed with the options that take a value, because the first word that is neither
//! an option nor a value is the program. A wrapper with an option we do not know is left standing:
//! its output then belongs to an unknown program and stays as it is.

use super::{Plan, Target};

/// How deep `bash -c` may nest before the line counts as opaque.
const MAX_DEPTH: usize = 4;

/// Programs that run the rest of their line, with their options that take a value.
const WRAPPERS: [(&str, &[&str]); 24] = [
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U"]),
    ("doas", &["-u", "-C"]),
    ("env", &["-u", "-C", "--unset", "--chdir"]),
    ("command", &[]),
    ("builtin", &[]),
    ("noglob", &[]),
    ("exec", &["-a"]),
    ("time", &["-f", "-o", "--format", "--output"]),
    ("nice", &["-n", "--adjustment"]),
    ("ionice", &["-c", "-n", "-p"]),
    ("nohup", &[]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("timeout", &["-s", "-k", "--signal", "--kill-after"]),
    ("setsid", &[]),
    ("xvfb-run", &["-n", "-s", "-e", "-f", "-p", "-w"]),
    ("unbuffer", &[]),
    ("chronic", &[]),
    ("flock", &["-w", "--timeout", "-E"]),
    ("cross-env", &[]),
    ("dotenv", &["-e", "-c", "-v", "-p"]),
    ("npx", &["-p", "--package", "-c", "--call"]),
    ("bunx", &["-p", "--package"]),
    ("pnpx", &["-p", "--package"]),
    ("uvx", &["--from", "--with", "-p", "--python"]),
];

/// Programs whose first argument says that the rest is a command, with options that take a value.
const RUNNERS: [(&str, &[&str], &[&str]); 15] = [
    ("pnpm", &["dlx", "exec"], &["-C", "--dir", "--filter", "-F"]),
    ("yarn", &["dlx", "exec"], &["--cwd"]),
    ("npm", &["exec", "x"], &["--prefix", "-p", "--package"]),
    ("bun", &["x"], &["--cwd"]),
    (
        "uv",
        &["run"],
        &[
            "--with",
            "--from",
            "-p",
            "--python",
            "--project",
            "--directory",
            "--extra",
            "--group",
            "--env-file",
        ],
    ),
    ("poetry", &["run"], &["-C", "--directory", "-P", "--project"]),
    ("pipenv", &["run"], &[]),
    ("pdm", &["run"], &["-p", "--project"]),
    ("hatch", &["run"], &[]),
    ("rye", &["run"], &[]),
    ("bundle", &["exec"], &[]),
    ("mise", &["exec", "x"], &[]),
    ("asdf", &["exec"], &[]),
    ("direnv", &["exec"], &[]),
    ("rustup", &["run"], &[]),
];

/// Plans an argument list; nothing where it runs no program, as with an assignment alone.
pub(crate) fn unwrap(argv: &[String], depth: usize) -> Option<Plan> {
    let mut argv = argv;
    loop {
        let (first, rest) = argv.split_first()?;
        if is_assignment(first) {
            argv = rest;
            continue;
        }
        let target = Target::new(argv)?;
        let name = target.program.as_str();
        if matches!(name, "bash" | "sh" | "zsh" | "dash")
            && let Some(script) = inline_script(rest)
        {
            return Some(if depth < MAX_DEPTH {
                super::plan_text(script, depth + 1)
            } else {
                Plan::Opaque("nested")
            });
        }
        match inner(name, rest) {
            Some(inner) if !inner.is_empty() => argv = inner,
            _ => return Some(Plan::Simple(finish(target))),
        }
    }
}

/// `python -m pytest` and `cargo +nightly test` keep their program and lose the detour.
fn finish(target: Target) -> Target {
    if target.program == "python"
        && let Some(at) = target.args.iter().position(|arg| arg == "-m")
        && target.args.iter().take(at).all(|arg| arg.starts_with('-'))
        && let Some(argv) = target.args.get(at + 1..)
        && let Some(module) = Target::new(argv)
    {
        return module;
    }
    target
}

/// The arguments a wrapper or runner passes on; nothing where `name` is neither.
fn inner<'a>(name: &str, args: &'a [String]) -> Option<&'a [String]> {
    if let Some((_, valued)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
        let rest = after_options(args, valued);
        return match name {
            // The duration, the lock file and env's assignments stand before the program.
            "timeout" | "flock" => rest.get(1..),
            _ => Some(rest),
        };
    }
    if let Some((_, verbs, valued)) = RUNNERS.iter().find(|(runner, ..)| *runner == name) {
        let rest = after_options(args, valued);
        let (verb, rest) = rest.split_first()?;
        if !verbs.contains(&verb.as_str()) {
            return (name == "uv" && verb == "tool" && rest.first().is_some_and(|w| w == "run"))
                .then(|| after_options(rest.get(1..).unwrap_or(&[]), valued));
        }
        let rest = match name {
            "direnv" | "rustup" => rest.get(1..)?,
            "mise" | "asdf" => match rest.iter().position(|arg| arg == "--") {
                Some(at) => rest.get(at..)?,
                None => rest,
            },
            _ => rest,
        };
        return Some(after_options(rest, valued));
    }
    match name {
        "docker" | "podman" | "kubectl" if args.first().is_some_and(|verb| verb == "exec") => {
            let valued = [
                "-e",
                "--env",
                "-u",
                "--user",
                "-w",
                "--workdir",
                "-n",
                "--namespace",
                "-c",
                "--container",
            ];
            let rest = after_options(args.get(1..)?, &valued);
            Some(after_options(rest.get(1..)?, &valued))
        }
        _ => None,
    }
}

/// Skips options, their values, assignments and one `--`.
fn after_options<'a>(args: &'a [String], valued: &[&str]) -> &'a [String] {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if arg == "--" {
            at += 1;
            break;
        }
        if valued.contains(&arg.as_str()) {
            at += 2;
        } else if (arg.starts_with('-') && arg.len() > 1) || is_assignment(arg) {
            at += 1;
        } else {
            break;
        }
    }
    args.get(at..).unwrap_or(&[])
}

/// The script of `bash -c script`, where nothing but options stands before it.
fn inline_script(args: &[String]) -> Option<&str> {
    let at = args.iter().position(|arg| {
        arg.strip_prefix('-')
            .is_some_and(|letters| !letters.starts_with('-') && letters.ends_with('c'))
    })?;
    let plain = args.iter().take(at).all(|arg| arg.starts_with('-'));
    (plain && args.len() == at + 2).then(|| args.get(at + 1).map(String::as_str)).flatten()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let mut letters = name.chars();
        letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
