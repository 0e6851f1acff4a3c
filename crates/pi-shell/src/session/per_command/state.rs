//! A shell's state as the dump of `program` prints it, in parts that can be looked at one by one.
//!
//! Only text is handled here. Bash quotes what it prints so that a line can end inside of a word; each part is therefore
//! taken apart by quotes, not by lines, and the parts are reported from each other by a mark that no earlier command knew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::files::path_of;
use super::parts::{
    Statement, definition_of_builtin, limits_of, line_of, names_of, shopts_of, special_attributes,
    traps_of, variables_of,
};
use crate::request::EnvironmentEntry;
use crate::script::quote;

/// Options of `set` that end with their command, that would end the next one at once, or that belong to how a shell was
/// started. See docs/decisions/0005-option-scopes.md.
const NOT_CARRIED_OPTIONS: [&str; 11] = [
    "errexit",
    "verbose",
    "noexec",
    "onecmd",
    "history",
    "histexpand",
    "monitor",
    "privileged",
    "xtrace",
    "posix",
    "interactive-comments",
];

/// The same for `shopt`.
const NOT_CARRIED_SHOPTS: [&str; 3] = ["extdebug", "restricted_shell", "login_shell"];

/// Options of `set` that a new bash has on.
const ON_BY_DEFAULT: [&str; 2] = ["braceexpand", "hashall"];

/// Traps that a function does not see.
const OUTSIDE_OF_FUNCTIONS: [&str; 2] = ["ERR", "RETURN"];

/// What a bash had at its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Where it was.
    pub(super) directory: PathBuf,
    /// Words of the folders below that on the stack, quoted.
    pub(super) stack: Vec<u8>,
    /// The positional parameters, quoted.
    pub(super) arguments: Vec<u8>,
    /// Its umask, as a command.
    pub(super) umask: Vec<u8>,
    variables: Vec<Statement>,
    /// Definitions of functions, but of one that is called `builtin`.
    pub(super) functions: Vec<u8>,
    /// What functions are besides (`declare -fx f`).
    pub(super) attributes: Vec<u8>,
    /// The definition of the function `builtin`, with which no other could be defined.
    pub(super) builtin: Option<Vec<u8>>,
    pub(super) aliases: Vec<u8>,
    traps: Vec<Statement>,
    /// Names of the `shopt` options that are on.
    shopts: Vec<String>,
    /// Names of the `set` options that are on.
    options: Vec<String>,
    /// Commands that set soft limits, then hard ones.
    pub(super) limits: String,
    /// Descriptors above 2 were open.
    pub(super) has_descriptors: bool,
}

impl State {
    /// Takes what a bash printed apart. `builtin` is what it printed of a function with that name, and `before` the state
    /// that it began with. None where the text was cut off, or where it is that of a function within another, whose
    /// local variables cannot be determined from others.
    pub(super) fn parse(
        text: &[u8],
        mark: &str,
        builtin: Option<&[u8]>,
        before: Option<&Self>,
    ) -> Option<Self> {
        let mut rest = text;
        let mut next = |name: &str| -> Option<Vec<u8>> {
            let end = format!("#{mark} {name}\n");
            let at = memchr::memmem::find(rest, end.as_bytes())?;
            let part = rest.get(..at)?.to_vec();
            rest = rest.get(at + end.len()..)?;
            Some(part)
        };
        let shopt_commands = next("begin")?;
        let depth = next("depth")?;
        let directory = next("directory")?;
        let stack = next("stack")?;
        let arguments = next("arguments")?;
        let shopts = next("shopts")?;
        let options = next("options")?;
        let umask = next("umask")?;
        let variables = next("variables")?;
        let functions = next("functions")?;
        let attributes = next("attributes")?;
        let aliases = next("aliases")?;
        let traps = next("traps")?;
        let limits = next("limits")?;
        let descriptors = next("descriptors")?;
        let is_in_function = match depth.trim_ascii() {
            b"0" => false,
            b"1" => true,
            _ => return None,
        };
        let mut state = Self {
            directory: path_of(directory.strip_suffix(b"\n").unwrap_or(&directory)),
            stack: line_of(stack),
            arguments: line_of(arguments),
            umask,
            variables: variables_of(&variables),
            functions,
            attributes: special_attributes(&attributes),
            builtin: builtin.and_then(definition_of_builtin),
            aliases,
            traps: traps_of(&traps),
            // Reported only where POSIX mode had to be put on, which changes options.
            shopts: names_of(&shopts).unwrap_or_else(|| shopts_of(&shopt_commands)),
            options: names_of(&options).unwrap_or_default(),
            limits: limits_of(&String::from_utf8_lossy(&limits)),
            has_descriptors: !descriptors.trim_ascii().is_empty(),
        };
        if !state.directory.is_absolute() {
            return None;
        }
        if is_in_function {
            // Its positional parameters are the function's, and those traps are not seen from there.
            state.arguments = before.map(|one| one.arguments.clone()).unwrap_or_default();
            let unseen = before.iter().flat_map(|one| &one.traps);
            let unseen = unseen.filter(|one| OUTSIDE_OF_FUNCTIONS.contains(&one.name.as_str()));
            state.traps.extend(unseen.cloned());
        }
        Some(state)
    }

    /// The state without what was given to one command: those variables are what they were `before`.
    pub(super) fn without_call(
        mut self,
        env: &[EnvironmentEntry],
        before: Option<&Self>,
        base: &[EnvironmentEntry],
    ) -> Self {
        for (name, _) in env {
            self.variables.retain(|one| one.name != *name);
            if let Some(before) = before {
                self.variables.extend(before.variable(name).cloned());
            } else {
                let given = base.iter().rfind(|(other, _)| other == name);
                self.variables.extend(given.map(|(name, value)| exported(name, value)));
            }
        }
        self
    }

    fn variable(&self, name: &str) -> Option<&Statement> {
        self.variables.iter().find(|one| one.name == name)
    }

    /// Whether it has a variable of that name.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.variable(name).is_some()
    }

    /// The text that declares its variables.
    pub(super) fn variables(&self) -> Vec<u8> {
        self.variables.iter().flat_map(|one| &one.text).copied().collect()
    }

    /// The commands that set its traps.
    pub(super) fn traps(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for trap in &self.traps {
            text.extend_from_slice(b"\\builtin ");
            text.extend_from_slice(&trap.text);
        }
        text
    }

    /// Whether a trap on that is set.
    pub(super) fn has_trap(&self, name: &str) -> bool {
        self.traps.iter().any(|one| one.name == name)
    }

    /// Whether bash was in POSIX mode.
    pub(super) fn is_posix(&self) -> bool {
        self.has("posix")
    }

    /// Whether it was tracing.
    pub(super) fn is_traced(&self) -> bool {
        self.has("xtrace")
    }

    fn has(&self, option: &str) -> bool {
        self.options.iter().any(|one| one == option)
    }

    /// Whether a `shopt` option is on.
    pub(super) fn has_shopt(&self, name: &str) -> bool {
        self.shopts.iter().any(|one| one == name)
    }

    /// Whether an alias has a name that a trap's text would need as a reserved word.
    pub(super) fn has_reserved_alias(&self) -> bool {
        self.has_shopt("expand_aliases")
            && [&b"alias {="[..], b"alias [[="]
                .iter()
                .any(|start| memchr::memmem::find(&self.aliases, start).is_some())
    }

    /// The command that puts its `shopt` options on in a bash that has none on.
    pub(super) fn shopts(&self) -> String {
        let names = self.shopts.iter().map(String::as_str);
        let names: Vec<&str> = names.filter(|one| !NOT_CARRIED_SHOPTS.contains(one)).collect();
        if names.is_empty() {
            return String::new();
        }
        format!("\\builtin shopt -s {}\n", names.join(" "))
    }

    /// The commands that set its `set` options, but for tracing and POSIX mode.
    pub(super) fn options(&self) -> String {
        let mut text = String::new();
        for name in &self.options {
            if !NOT_CARRIED_OPTIONS.contains(&name.as_str())
                && !ON_BY_DEFAULT.contains(&name.as_str())
            {
                let _infallible = writeln!(text, "\\builtin set -o {name}");
            }
        }
        for name in ON_BY_DEFAULT.iter().filter(|name| !self.has(name)) {
            let _infallible = writeln!(text, "\\builtin set +o {name}");
        }
        text
    }
}

fn exported(name: &str, value: &str) -> Statement {
    let text = format!("declare -x {name}={}\n", quote(value));
    Statement { name: name.to_owned(), text: text.into_bytes() }
}

/// Whether bash can have a variable of that name.
pub(super) fn is_variable_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Reads a file that a shell in a sandbox may have put there: no link is followed, no FIFO waited for, and no more is
/// read than a state has.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    super::files::read_plain(path, MAX_STATE_BYTES).ok()
}

/// Longest state that is read. A shell with a megabyte of functions is rare.
const MAX_STATE_BYTES: u64 = 64 * 1024 * 1024;

#[cfg(test)]
#[path = "state_cases.rs"]
mod cases;
