//! What was run: from a command line, or from an invocation the caller already knows, to argument lists.
//!
//! The tokenizer is conservative: it proves that a line is one simple command or a plain list of
//! them, and calls everything else opaque. An opaque line is never minimized, because the text of a
//! pipe or a loop is not the text of the program it names. Programs are never run, files never read.

mod unwrap;

/// An argument list after the shell has expanded it and wrappers such as `sudo` are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program and its arguments. Wrappers and runners may still stand in front.
    pub argv: Vec<String>,
}

/// What produced an output.
#[derive(Debug, Clone, Copy)]
pub enum Command<'a> {
    /// A command line as typed; minimized where it is provably one simple command or a plain list.
    Text(&'a str),
    /// An argument list from a real parser.
    Invocation(&'a Invocation),
}

/// One program with its arguments, wrappers and runners gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Base name of the program in lower case, without `.exe` and without a version suffix.
    pub(crate) program: String,
    /// The arguments after the program.
    pub(crate) args: Vec<String>,
}

/// What the tokenizer could prove about a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plan {
    /// One program printed everything.
    Simple(Target),
    /// Several programs one after the other; who printed what is unknown.
    List(Vec<Target>),
    /// Anything else, with the reason.
    Opaque(&'static str),
}

impl Target {
    /// Builds a target from the words of a command without wrappers.
    pub(crate) fn new(words: &[String]) -> Option<Self> {
        let (path, args) = words.split_first()?;
        let base = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
        let base = base.strip_suffix(".exe").unwrap_or(&base);
        let program = match base {
            _ if base.starts_with("python") => "python",
            _ if base.starts_with("pip") && base.bytes().skip(3).all(is_version) => "pip",
            _ if is_cross_compiler(base, "g++") => "g++",
            _ if is_cross_compiler(base, "gcc") => "gcc",
            _ if is_cross_compiler(base, "clang++") => "clang++",
            _ if is_cross_compiler(base, "clang") => "clang",
            other => other,
        };
        Some(Self { program: program.to_owned(), args: args.to_vec() })
    }

    /// The subcommand: the first argument that is neither an option nor an option's value.
    pub(crate) fn subcommand(&self) -> &str {
        let with_value: &[&str] = match self.program.as_str() {
            "git" => &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"],
            "docker" | "podman" => {
                &["-H", "--host", "-c", "--context", "--config", "-l", "--log-level"]
            }
            "kubectl" | "oc" => {
                &["-n", "--namespace", "--context", "--kubeconfig", "-s", "--server"]
            }
            "helm" => &["-n", "--namespace", "--kube-context", "--kubeconfig"],
            "npm" | "pnpm" | "yarn" | "bun" => {
                &["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F"]
            }
            "cargo" => &["-C", "-Z", "--config", "--color", "--manifest-path", "--target-dir"],
            "go" => &["-C"],
            "gh" | "glab" => &["-R", "--repo"],
            "uv" | "pip" | "poetry" => {
                &["--directory", "--project", "-C", "--cache-dir", "--python"]
            }
            _ => &[],
        };
        let mut rest = self.args.iter();
        while let Some(arg) = rest.next() {
            if with_value.contains(&arg.as_str()) {
                rest.next();
            } else if !arg.starts_with('-') && !arg.starts_with('+') {
                return arg;
            }
        }
        ""
    }

    /// True where one of `flags` was given, alone or as `flag=value`.
    pub(crate) fn has_flag(&self, flags: &[&str]) -> bool {
        self.args.iter().take_while(|arg| *arg != "--").any(|arg| {
            let name = arg.split_once('=').map_or(arg.as_str(), |(name, _)| name);
            flags.contains(&name)
        })
    }

    /// True where a short option is given, also inside a cluster as in `-rn`.
    pub(crate) fn has_short(&self, letter: char) -> bool {
        self.args.iter().take_while(|arg| *arg != "--").any(|arg| {
            arg.strip_prefix('-')
                .is_some_and(|rest| !rest.starts_with('-') && rest.contains(letter))
        })
    }
}

fn is_version(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// `gcc-13`, `x86_64-linux-gnu-gcc` and `gcc` are one program.
fn is_cross_compiler(base: &str, name: &str) -> bool {
    let stem =
        base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
    let stem = if base.ends_with(name) { base } else { stem };
    stem == name || stem.strip_suffix(name).is_some_and(|front| front.ends_with('-'))
}

/// Programs that print nothing when they succeed: a chain may begin with them.
const SILENT: [&str; 13] = [
    "cd", "export", "set", "source", ".", "unset", "umask", "alias", "shopt", "ulimit", "true",
    ":", "mkdir",
];

/// Proves what `command` ran.
pub(crate) fn plan(command: Command<'_>) -> Plan {
    match command {
        Command::Invocation(invocation) => match unwrap::unwrap(&invocation.argv, 0) {
            Some(plan) => plan,
            None => Plan::Opaque("empty"),
        },
        Command::Text(text) => plan_text(text, 0),
    }
}

/// Plans a command line; `depth` counts `bash -c` inside `bash -c`.
pub(crate) fn plan_text(text: &str, depth: usize) -> Plan {
    let commands = match tokenize(text) {
        Ok(commands) => commands,
        Err(reason) => return Plan::Opaque(reason),
    };
    let mut targets = Vec::new();
    let mut silent = 0;
    for argv in &commands {
        match unwrap::unwrap(argv, depth) {
            None => silent += 1,
            Some(Plan::Simple(target)) if SILENT.contains(&target.program.as_str()) => silent += 1,
            Some(Plan::Simple(target)) => targets.push(target),
            Some(Plan::List(list)) => targets.extend(list),
            Some(opaque @ Plan::Opaque(_)) => return opaque,
        }
    }
    match (targets.pop(), targets.is_empty()) {
        (Some(only), true) => Plan::Simple(only),
        (Some(last), false) => {
            targets.push(last);
            Plan::List(targets)
        }
        (None, _) if silent > 0 => Plan::Opaque("silent"),
        (None, _) => Plan::Opaque("empty"),
    }
}

/// Words that begin a compound command, or change what the words after them mean.
const KEYWORDS: [&str; 20] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "{", "}", "[[", "!", "coproc", "eval",
];

/// Splits a line into simple commands, or says why it cannot.
fn tokenize(text: &str) -> Result<Vec<Vec<String>>, &'static str> {
    let mut commands = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut skip_next = false; // the word after a redirection names a file
    let mut chars = text.chars().peekable();
    let finish = |word: &mut Option<String>, words: &mut Vec<String>, skip: &mut bool| {
        if let Some(done) = word.take() {
            if *skip {
                *skip = false;
            } else {
                words.push(done);
            }
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let target = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => target.push(c),
                        None => return Err("unterminated quote"),
                    }
                }
            }
            '"' => double_quoted(&mut chars, word.get_or_insert_default())?,
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err("trailing backslash"),
            },
            '`' => return Err("substitution"),
            '$' if chars.peek() == Some(&'(') => return Err("substitution"),
            '#' if word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            '(' | ')' => return Err("subshell"),
            '|' => return Err(if chars.peek() == Some(&'|') { "alternative" } else { "piped" }),
            '&' if chars.peek() == Some(&'>') => finish(&mut word, &mut words, &mut skip_next),
            '&' if chars.next_if_eq(&'&').is_none() => return Err("background"),
            '<' if chars.peek() == Some(&'<') || chars.peek() == Some(&'(') => {
                return Err("here-document");
            }
            '<' | '>' => {
                // A number right before the sign is a descriptor, not an argument.
                if word.as_deref().is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit())) {
                    word = None;
                }
                finish(&mut word, &mut words, &mut skip_next);
                while chars.next_if(|c| matches!(c, '>' | '|')).is_some() {}
                if chars.next_if_eq(&'&').is_some() {
                    while chars.next_if(|c| c.is_ascii_digit() || *c == '-').is_some() {}
                } else if chars.peek() == Some(&'(') {
                    return Err("substitution");
                } else {
                    skip_next = true;
                }
            }
            '&' | ';' | '\n' => {
                finish(&mut word, &mut words, &mut skip_next);
                commands.push(std::mem::take(&mut words));
            }
            c if c.is_whitespace() => finish(&mut word, &mut words, &mut skip_next),
            c => word.get_or_insert_default().push(c),
        }
    }
    finish(&mut word, &mut words, &mut skip_next);
    commands.push(words);
    commands.retain(|words| !words.is_empty());
    if commands.iter().any(|words| words.first().is_some_and(|w| KEYWORDS.contains(&w.as_str()))) {
        return Err("compound");
    }
    Ok(commands)
}

fn double_quoted(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    word: &mut String,
) -> Result<(), &'static str> {
    loop {
        match chars.next() {
            Some('"') => return Ok(()),
            Some('`') => return Err("substitution"),
            Some('$') if chars.peek() == Some(&'(') => return Err("substitution"),
            Some('\\') => match chars.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some('\n') => {}
                Some(c) => word.extend(['\\', c]),
                None => return Err("unterminated quote"),
            },
            Some(c) => word.push(c),
            None => return Err("unterminated quote"),
        }
    }
}

#[cfg(test)]
mod tests;
