//! What the bash of one command evaluates: the state before, the command, the state after. Pure text and the files it goes
//! through; nothing is started here.
//!
//! # Theory of operation
//! ```text
//! bash bash    one line, which is parsed before the command runs: program, command, and what has the state printed
//!   program    out of sight: folder, umask, variables, aliases, functions
//!   command    PRELUDE, one group out of sight: options, traps, limits, `$?`     then the command's own text
//!   dump       sourced behind the command, or by the EXIT trap where the command ends bash itself
//! ```
//! A function goes before a builtin of its name, an alias before a word. So everything is said by `\builtin`, and what
//! could come between us and bash is set where no word of ours is looked up any more: `set` options, traps and aliases in
//! the prelude, which is parsed as a whole before it runs, and a function called `builtin` as the last of that. Behind the
//! command, a bash whose `builtin` does not answer is put into POSIX mode by an assignment: there `export`, `unset` and `.`
//! come before functions.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::dump::DUMP;
use super::files::{Files, SCRIPT_NAME, for_bash};
use super::state::{State, is_variable_name};
use crate::proxy_variables;
use crate::request::{EnvironmentEntry, ShellOptions};
use crate::script::{UNSET_OLDPWD, quote};

/// Name of a command's output while its program gets ready.
const OUTPUT: u32 = 8;

/// The same for its standard error, which has flags of its own.
const ERRORS: u32 = 9;

/// A descriptor that no command has.
const UNUSED: u32 = 241;

/// Read before anything else, when bash has been put where it belongs: what it starts before would not be there.
const WAIT_FOR_START: &str =
    "IFS= \\builtin read -r __pi_m;\\exec </dev/null;\\builtin unset -v __pi_m;";

/// Around what is said behind a command. Nothing is opened for it, which a restricted shell could not.
const SILENTLY: &str = "2>&- >&-";

/// Status of a command that bash could not parse (`EX_BADUSAGE` in its sources). A text that ends inside of `$(` leaves
/// the parser of bash 5.2 broken, which crashes with what it reads next: the state is reported by a fork then, and where that
/// crashes by the EXIT trap, before which bash sets its parser up again.
const SYNTAX_ERROR: u8 = 2;

/// So much of the mark stands in the names of our variables.
const TAG_LENGTH: usize = 8;

/// Puts the folders that are positional parameters on the stack, the last one first.
const PUSH_FOLDERS: &str =
    "while (($#));do \\builtin pushd -n \"${@:$#}\";\\builtin set -- \"${@:1:$#-1}\";done\n";

/// Variables that a bash without an environment begins with.
const OF_A_NEW_BASH: [&str; 12] = [
    "HOSTNAME",
    "HOSTTYPE",
    "IFS",
    "MACHTYPE",
    "MAILCHECK",
    "OPTERR",
    "OPTIND",
    "OSTYPE",
    "PATH",
    "PS4",
    "SHELL",
    "TERM",
];

/// Says where the shell is, in the form that the host understands: MSYS has `/c/…` for `C:/…`.
const TELL_DIRECTORY: &str = if cfg!(windows) {
    "\\builtin pwd -W"
} else {
    "if [[ ${PWD-} == /* ]];then \\builtin printf '%s\\n' \"$PWD\";else \\builtin pwd;fi"
};

/// One command, as its bash is notified of it.
pub(super) struct Program<'a> {
    pub(super) files: &'a Files,
    /// Written before each part of a state; no command knows it beforehand.
    pub(super) mark: &'a str,
    /// What the bash before had. None for the session's first.
    pub(super) state: Option<&'a State>,
    /// Whether what the command leaves is of use.
    pub(super) keeps: bool,
    /// What the session begins with.
    pub(super) options: &'a ShellOptions,
    /// Whether bash has to wait until it was put where it belongs.
    pub(super) holds_back: bool,
    /// Where programs put temporary files, in a sandbox.
    pub(super) temporary: Option<&'a Path>,
    /// What bash is started with and has to be without again; empty where it has just the state.
    pub(super) base_env: &'a [EnvironmentEntry],
    /// Where the command is to run, where that is not where the state is.
    pub(super) cwd: Option<&'a Path>,
    pub(super) status: i32,
    pub(super) env: &'a [EnvironmentEntry],
}

impl Program<'_> {
    /// Writes what bash reads.
    pub(super) fn write(&self, command: &str) -> io::Result<()> {
        std::fs::create_dir(&self.files.folder)?;
        let mut text = self.prelude();
        text.extend_from_slice(command.as_bytes());
        std::fs::write(&self.files.command, text)?;
        if self.status != 0 {
            std::fs::write(&self.files.status, format!("\\builtin return {}\n", self.status))?;
        }
        if self.keeps {
            std::fs::write(&self.files.dump, self.dump())?;
        }
        if let Some(state) = self.state {
            std::fs::write(&self.files.functions, &state.functions)?;
        }
        std::fs::write(&self.files.program, self.text())?;
        std::fs::write(self.files.folder.join(SCRIPT_NAME), self.line())
    }

    /// The script that bash is started with: the program's file and the command's, then the end. `read` takes a file whole
    /// up to a NUL, also in the bash 3.2 of macOS. What stands behind the command keeps the status without that being
    /// traced, in the name of a descriptor that is closed, and leaves it as the script's own. There is no `exit`: what is
    /// redirected there would stay so in an EXIT trap of the command's.
    fn line(&self) -> String {
        let wait = if self.holds_back { WAIT_FOR_START } else { "" };
        let end = if self.keeps {
            format!(
                concat!(
                    r#"{{ {{ if ((__pi_s=={syntax_error}));then (__pi_y=_;{tell})&&__pi_z=_;else {tell}||\builtin :;__pi_z=_;fi;((!__pi_s))||{{ \builtin set +e;(\builtin exit "$__pi_s");}};}} {silently};}} "#,
                    "{unused}>&\"${{__pi_a[__pi_s=$?]--}}\""
                ),
                tell = self.tell(),
                syntax_error = SYNTAX_ERROR,
                silently = SILENTLY,
                unused = UNUSED,
            )
        } else {
            String::new()
        };
        self.own(&format!(
            concat!(
                r#"{wait}IFS= \builtin read -r -d '' __pi_m <{program};\builtin eval "$__pi_m";\builtin eval "$__pi_c";"#,
                "{end}\n"
            ),
            wait = wait,
            program = for_bash(&self.files.program),
            end = end,
        ))
    }

    /// What has the state written. Reserved words stand in it: it must not be parsed where aliases have their names.
    fn tell(&self) -> String {
        format!(
            concat!(
                "__pi_o=${{BASHOPTS-}} __pi_p=$SHELLOPTS __pi_q= __pi_b=builtin;",
                "\\builtin eval '__pi_b=${{FUNCNAME-}}';",
                "[[ $__pi_b == builtin ]]&&{{ __pi_q=${{POSIXLY_CORRECT-_}} POSIXLY_CORRECT=${{POSIXLY_CORRECT-y}};",
                "\\export -f builtin&&{{ \\unset -v POSIXLY_CORRECT;\\export -pf >|{builtin};POSIXLY_CORRECT=y;}};",
                "\\unset -f builtin;\\builtin :||\\enable builtin;}};\\builtin . {dump}"
            ),
            builtin = for_bash(&self.files.builtin),
            dump = for_bash(&self.files.dump),
        )
    }

    /// The EXIT trap that has it written where the command ends bash.
    fn trap(&self) -> String {
        let text = if self.state.is_some_and(State::has_reserved_alias) {
            format!(
                "__pi_o= __pi_p=$SHELLOPTS __pi_q= __pi_b=;\\builtin . {}",
                for_bash(&self.files.dump)
            )
        } else {
            format!("{{ {};}} {SILENTLY}", self.tell())
        };
        format!("\\builtin trap {} EXIT\n", quote(&self.own(&text)))
    }

    /// What gets everything ready but what the prelude does. None of it shows.
    fn text(&self) -> Vec<u8> {
        let Files { begun, command, functions, .. } = self.files;
        let mut text = format!(
            "\\exec {OUTPUT}>&1 {ERRORS}>&2 >/dev/null 2>&1\n: >|{}\nIFS= \\builtin read -r -d '' {} <{}\n",
            for_bash(begun),
            self.own("__pi_c"),
            for_bash(command),
        )
        .into_bytes();
        let is_first = self.state.is_none();
        if is_first {
            // What it leaves in OLDPWD is gone with what comes next.
            text.extend_from_slice(self.enter().as_bytes());
        }
        match self.state {
            Some(state) => {
                let functions = for_bash(functions);
                let name = self.own("__pi_f");
                let read = format!("IFS= \\builtin read -r -d '' {name} <{functions}\n");
                text.extend_from_slice(read.as_bytes());
                self.push_state(&mut text, state);
            }
            None => self.push_first(&mut text),
        }
        let mut rest = String::new();
        for (name, value) in self.env {
            let _infallible = writeln!(
                rest,
                "\\builtin unset -n {name};\\builtin unset -v {name};\\builtin export {name}={}",
                quote(value)
            );
        }
        if !is_first {
            rest.push_str(&self.enter());
        }
        let _infallible = writeln!(rest, "\\exec >&{OUTPUT} 2>&{ERRORS} {OUTPUT}>&- {ERRORS}>&-");
        text.extend_from_slice(rest.as_bytes());
        text
    }

    /// Goes where the command is to run. With `PWD` read-only, `cd` fails and goes there all the same.
    fn enter(&self) -> String {
        let Some(cwd) = self.cwd.map(for_bash) else { return String::new() };
        format!(
            "\\builtin cd -- {cwd}||[[ . -ef {cwd} ]]||{{ \\builtin printf d >>{};\\builtin exit 126;}}\n",
            for_bash(&self.files.begun)
        )
    }

    /// The text with names that no command knew when it ran: one may have made `__pi_s` read-only, or a name for another.
    fn own(&self, text: &str) -> String {
        let tag = self.mark.get(self.mark.len().saturating_sub(TAG_LENGTH)..).unwrap_or_default();
        text.replace("__pi_", &format!("__pi_{tag}"))
    }

    /// What a session begins with.
    fn push_first(&self, text: &mut Vec<u8>) {
        let mut first = format!("{UNSET_OLDPWD}\n");
        if let Some(temporary) = self.temporary {
            let _infallible = writeln!(first, "\\builtin export TMPDIR={}", for_bash(temporary));
        }
        for (name, value) in &self.options.session_env {
            let _infallible = writeln!(first, "\\builtin export {name}={}", quote(value));
        }
        if let Some(snapshot) = self.options.snapshot_path.as_deref().filter(|path| path.is_file())
        {
            let _infallible = writeln!(first, "\\builtin . {}", for_bash(snapshot));
            // What a person's own shell exports is not for a sandbox that has a proxy of its own.
            for (name, value) in proxy_variables::of_sandbox(self.options.sandbox.as_ref()) {
                let _infallible = writeln!(first, "\\builtin export {name}={}", quote(&value));
            }
        }
        text.extend_from_slice(first.as_bytes());
    }

    /// The state, but for what the prelude sets.
    fn push_state(&self, text: &mut Vec<u8>, state: &State) {
        let begun = for_bash(&self.files.begun);
        text.extend_from_slice(b"\\builtin shopt -u ${BASHOPTS//:/ }\n");
        if state.has_shopt("extglob") {
            text.extend_from_slice(b"\\builtin shopt -s extglob\n");
        }
        let directory = for_bash(&state.directory);
        // A folder that is gone: `PWD` must not say that the shell is there.
        let gone = self.own("__pi_g");
        let enter = format!(
            "{gone}=;\\builtin cd -- {directory}||{{ \\builtin cd /;{gone}=_;}}\n\\builtin unset -v OLDPWD\n"
        );
        text.extend_from_slice(enter.as_bytes());
        text.extend_from_slice(&state.umask);
        self.push_unset(text, state);
        text.extend_from_slice(&state.variables());
        let leave = format!("[[ ${gone} ]]&&\\builtin cd /\n\\builtin set --");
        text.extend_from_slice(leave.as_bytes());
        text.extend_from_slice(&state.stack);
        text.push(b'\n');
        text.extend_from_slice(PUSH_FOLDERS.as_bytes());
        text.extend_from_slice(b"\\builtin set --");
        text.extend_from_slice(&state.arguments);
        text.push(b'\n');
        text.extend_from_slice(&state.aliases);
        let define = format!("\\builtin eval \"$__pi_f\"||\\builtin printf f >>{begun}\n");
        text.extend_from_slice(self.own(&define).as_bytes());
        text.extend_from_slice(&state.attributes);
    }

    /// Unsets what a bash begins with and the state does not have.
    fn push_unset(&self, text: &mut Vec<u8>, state: &State) {
        let given = self.base_env.iter().map(|(name, _)| name.as_str());
        for name in given.chain(OF_A_NEW_BASH) {
            if is_variable_name(name) && !state.declares(name) {
                text.extend_from_slice(format!("\\builtin unset -v {name}\n").as_bytes());
            }
        }
    }

    /// What is set right before the command, in one group that is parsed before any of it holds. The lines of the command
    /// are counted from behind it.
    fn prelude(&self) -> Vec<u8> {
        let begun = for_bash(&self.files.begun);
        let first = format!(
            "{{ \\builtin printf c >>{begun};\\builtin unset -v __pi_m __pi_c __pi_f __pi_g\n"
        );
        let mut text = self.own(&first).into_bytes();
        if let Some(state) = self.state {
            push_late(&mut text, state);
        }
        if self.keeps {
            text.extend_from_slice(self.trap().as_bytes());
        }
        if let Some(state) = self.state {
            // Before the traps: one on ERR would run for a limit that cannot be set.
            text.extend_from_slice(state.limits.as_bytes());
            text.extend_from_slice(&state.traps());
            if state.is_traced() {
                text.extend_from_slice(b"\\builtin set -x\n");
            }
            text.extend_from_slice(state.builtin.as_deref().unwrap_or_default());
        }
        text.extend_from_slice(self.show_status().as_bytes());
        text.extend_from_slice(b"} >/dev/null 2>&1 <&\"$((LINENO=0))\"\n");
        text
    }

    /// Leaves a status in `$?`, where neither a trap on ERR nor one on a function's or a child's end runs for it.
    fn show_status(&self) -> String {
        let status = self.status;
        match self.state {
            _ if status == 0 => String::from("[[ x ]]\n"),
            Some(state) if state.builtin.is_some() => {
                format!("/bin/sh -c 'exit {status}'&&[[ x ]]\n")
            }
            Some(state) if state.has_trap("RETURN") => {
                format!("(\\builtin exit {status})&&[[ x ]]\n")
            }
            _ => format!("\\builtin . {}&&[[ x ]]\n", for_bash(&self.files.status)),
        }
    }

    /// The script that prints the state. Its first lines hold no reserved word: an alias may have its name.
    fn dump(&self) -> String {
        let Files { state, locals, .. } = self.files;
        self.own(DUMP)
            .replace("@MARK@", self.mark)
            .replace("@LOCALS@", &for_bash(locals))
            .replace("@DIRECTORY@", TELL_DIRECTORY)
            .replace("@STATE@", &for_bash(state))
    }
}

/// Options, which change how text is read and what an error does.
fn push_late(text: &mut Vec<u8>, state: &State) {
    if state.is_posix() {
        text.extend_from_slice(b"\\builtin set -o posix\n");
    }
    text.extend_from_slice(state.shopts().as_bytes());
    // POSIX mode puts it on.
    if !state.has_shopt("expand_aliases") {
        text.extend_from_slice(b"\\builtin shopt -u expand_aliases\n");
    }
    text.extend_from_slice(state.options().as_bytes());
}
