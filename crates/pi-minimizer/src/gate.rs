//! Decides what is left alone: text that another program may read, and text that is quoted to be edited.
//!
//! Two tables, flags and programs, and one look at the content. A mistake here towards "leave it"
//! costs tokens; a mistake the other way breaks `git apply` or an edit, so doubt means "leave it".

use crate::invocation::Target;

/// How much may be done to an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permission {
    /// Byte for byte, with the reason.
    Nothing(&'static str),
    /// A file's content: untouched, unless it is a log.
    OnlyLogs,
    /// Whatever the families recognise.
    Everything,
}

/// Programs whose output is data, whatever their flags.
const MACHINE_PROGRAMS: [&str; 54] = [
    "jq",
    "yq",
    "xq",
    "xmllint",
    "base64",
    "base32",
    "xxd",
    "hexdump",
    "od",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shasum",
    "md5sum",
    "cksum",
    "b2sum",
    "wc",
    "iptables-save",
    "ip6tables-save",
    "nft",
    "pg_dump",
    "mysqldump",
    "openssl",
    "date",
    "seq",
    "printf",
    "echo",
    "diff",
    "cmp",
    "comm",
    "cut",
    "tr",
    "sort",
    "uniq",
    "awk",
    "gawk",
    "paste",
    "join",
    "rev",
    "tac",
    "strings",
    "column",
    "envsubst",
    "stat",
    "readlink",
    "realpath",
    "basename",
    "dirname",
    "printenv",
    "sqlite3",
    "psql",
    "mysql",
    "redis-cli",
    "crontab",
];

/// Programs that print a file: what an agent reads to edit it.
const READERS: [&str; 14] = [
    "cat", "head", "tail", "sed", "less", "more", "bat", "batcat", "nl", "zcat", "view", "type",
    "perl", "ed",
];

/// Git subcommands that are plumbing.
const GIT_PLUMBING: [&str; 22] = [
    "rev-parse",
    "rev-list",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "cat-file",
    "for-each-ref",
    "show-ref",
    "hash-object",
    "config",
    "format-patch",
    "archive",
    "bundle",
    "diff-tree",
    "diff-index",
    "diff-files",
    "merge-base",
    "name-rev",
    "describe",
    "var",
    "check-ignore",
    "blame",
];

/// Values of an output-format flag that mean "for a program".
const MACHINE_FORMATS: [&str; 22] = [
    "json",
    "jsonl",
    "ndjson",
    "json-pretty",
    "json-stream",
    "json-lines",
    "yaml",
    "yml",
    "xml",
    "csv",
    "tsv",
    "junit",
    "tap",
    "sarif",
    "checkstyle",
    "go-template",
    "jsonpath",
    "template",
    "name",
    "custom-columns",
    "github",
    "gitlab",
];

/// Flags that take such a value.
const FORMAT_FLAGS: [&str; 12] = [
    "--format",
    "-f",
    "-o",
    "--output",
    "--output-format",
    "--reporter",
    "--reporters",
    "-R",
    "--message-format",
    "--out",
    "--formatter",
    "-O",
];

/// Flags that mean "for a program" by themselves.
const MACHINE_FLAGS: [&str; 22] = [
    "--json",
    "--porcelain",
    "--null",
    "--print0",
    "-print0",
    "--name-only",
    "--name-status",
    "--numstat",
    "--raw",
    "--count",
    "--files-with-matches",
    "--files-without-match",
    "--export",
    "--parsable",
    "--parseable",
    "--xml",
    "--json-lines",
    "-json",
    "--template",
    "--jsonpath",
    "--csv",
    "--quiet-ids",
];

/// Looks at the flags and programs of one target.
pub(crate) fn by_command(target: &Target) -> Permission {
    let program = target.program.as_str();
    if MACHINE_PROGRAMS.contains(&program) {
        return Permission::Nothing("machine program");
    }
    if READERS.contains(&program) {
        return Permission::OnlyLogs;
    }
    if target.has_flag(&MACHINE_FLAGS) || has_machine_format(target) {
        return Permission::Nothing("machine flag");
    }
    let machine = match program {
        "git" => is_git_machine(target),
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "ugrep" => {
            target.has_short('c')
                || target.has_short('l')
                || target.has_short('L')
                || target.has_short('Z')
                || target.has_flag(&["--vimgrep", "--files", "--null-data", "--passthru"])
        }
        "find" => target.has_flag(&["-printf", "-fprintf", "-exec", "-execdir", "-ok"]),
        "fd" | "fdfind" => {
            target.has_short('0') || target.has_flag(&["-x", "-X", "--exec", "--exec-batch"])
        }
        "ls" => target.has_flag(&["--zero"]),
        "du" | "env" => target.has_short('0'),
        "docker" | "podman" => {
            target.has_short('q')
                && matches!(
                    target.subcommand(),
                    "ps" | "images" | "volume" | "network" | "container" | "image"
                )
                || matches!(target.subcommand(), "inspect" | "cp" | "save" | "export")
                || target.has_flag(&["--format"])
        }
        "helm" => matches!(target.subcommand(), "template" | "get" | "show"),
        "kubectl" | "oc" => target.subcommand() == "config",
        "pip" => target.subcommand() == "freeze",
        "cargo" => matches!(
            target.subcommand(),
            "metadata" | "read-manifest" | "locate-project" | "pkgid" | "expand"
        ),
        "npm" => matches!(target.subcommand(), "pkg" | "config" | "view" | "info" | "show"),
        "go" => matches!(target.subcommand(), "env" | "list" | "doc"),
        "rustc" | "gcc" | "g++" | "clang" | "clang++" => {
            target.has_flag(&["-E", "-S", "--print", "-dumpversion"])
        }
        "tar" => target.has_flag(&["-O", "--to-stdout"]),
        "systemctl" => target.subcommand() == "show",
        "terraform" | "tofu" => matches!(target.subcommand(), "output" | "show" | "console"),
        _ => false,
    };
    if machine { Permission::Nothing("machine subcommand") } else { Permission::Everything }
}

fn has_machine_format(target: &Target) -> bool {
    let mut args = target.args.iter().take_while(|arg| *arg != "--").peekable();
    while let Some(arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (arg.as_str(), args.peek().map(|next| next.as_str())),
        };
        if !FORMAT_FLAGS.contains(&name) {
            // `-ojson`, as kubectl takes it.
            if let Some(value) = arg.strip_prefix("-o")
                && is_machine_value(value.trim_start_matches('='))
            {
                return true;
            }
            continue;
        }
        if value.is_some_and(is_machine_value) {
            return true;
        }
    }
    false
}

fn is_machine_value(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']);
    let head = value.split([',', '=', ':']).next().unwrap_or(value);
    MACHINE_FORMATS.contains(&head) || value.contains("{{") || value.contains("json")
}

fn is_git_machine(target: &Target) -> bool {
    let sub = target.subcommand();
    if GIT_PLUMBING.contains(&sub) || target.has_flag(&["-z"]) {
        return true;
    }
    match sub {
        "grep" => target.has_short('c') || target.has_short('l') || target.has_short('L'),
        // A blob, printed as it is in the tree.
        "show" => target.args.iter().any(|arg| {
            !arg.starts_with('-')
                && arg
                    .split_once(':')
                    .is_some_and(|(rev, path)| !rev.is_empty() && !path.is_empty())
        }),
        "log" | "reflog" => target.args.iter().any(|arg| {
            arg.strip_prefix("--format").or_else(|| arg.strip_prefix("--pretty")).is_some_and(
                |value| !["", "=short", "=medium", "=full", "=fuller", "=oneline"].contains(&value),
            )
        }),
        _ => false,
    }
}

/// Looks at the content: a document for a program is left alone whoever printed it.
pub(crate) fn is_machine_content(text: &str) -> bool {
    let body = text.trim_start();
    if body.starts_with("<?xml") || body.starts_with("%PDF") || text.contains('\0') {
        return true;
    }
    match body.chars().next() {
        Some('{') => is_json_object(body),
        Some('[') => is_json_array(body),
        _ => is_mostly_ndjson(text),
    }
}

/// A brace that opens a key, an empty object, or a line on its own.
fn is_json_object(body: &str) -> bool {
    let inner = body.strip_prefix('{').unwrap_or(body).trim_start();
    let ends = body.trim_end().ends_with('}');
    (inner.starts_with('"') || inner.starts_with('}')) && ends
}

fn is_json_array(body: &str) -> bool {
    let inner = body.strip_prefix('[').unwrap_or(body).trim_start();
    let opens = inner.starts_with(['{', '[', '"', ']', '-'])
        || inner.starts_with(|c: char| c.is_ascii_digit());
    opens && body.trim_end().ends_with(']')
}

/// Half of the bytes on lines that are JSON objects: `cargo --message-format` with its progress, log
/// lines for a collector.
fn is_mostly_ndjson(text: &str) -> bool {
    if memchr::memmem::find(text.as_bytes(), b"{\"").is_none() {
        return false;
    }
    let objects: usize = text
        .lines()
        .filter(|line| line.starts_with('{') || line.starts_with(|c: char| c.is_whitespace()))
        .map(str::trim)
        .filter(|line| line.starts_with("{\"") && line.ends_with('}'))
        .map(str::len)
        .sum();
    objects * 2 > text.len()
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
