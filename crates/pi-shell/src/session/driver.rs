//! The driver: the functions and variables of a session's bash that obey orders, and its EXIT trap.
//!
//! Orders themselves stand in `protocol`. Every word here begins with a backslash or is quoted, so that
//! aliases do not matter. Pure text: no process is touched.

use std::path::Path;

use super::descriptors::Descriptors;
use super::protocol::{MESSAGE_BYTES, SHORT_MESSAGE_BYTES, STATE_FOLDER_NAME, TRAMPOLINE, plain};
use crate::script::{UNSET_OLDPWD, quote_path};

/// File that has the trap on CHLD while a standby is forked, in the session's folder.
pub(super) const CHILD_TRAP_FILE: &str = "w/g";

/// The driver: defines the trampoline's text and the functions that answer, then greets.
///
/// `__pi_r` sets `$?`, as the left side of `&&`, so that no ERR trap runs for it; `__pi_e` ends a
/// command (errexit and verbose are scoped to it) and reports, also where builtins were disabled; a
/// command that closed the report pipe (its fourth word) has closed what bash takes its redirections
/// back from, so the shell ends, with its state written down, before it answers on the command's output;
/// `__pi_t` tells the EXIT trap, and unsets the variables of orders, which takes bash 6 us that a
/// plain builtin is spared. `__pi_f` is what a fork evaluates to leave a copy of the shell, the
/// standby, which obeys orders from a FIFO; none of a restricted shell, which could not write its
/// state. It is no function: what a copy runs may say `return` and
/// `declare -x`. It has a process group of its own, so that `kill 0` does not reach it; it
/// sets no traps, so that its saved state has those of the user. `__pi_s` has the trap on CHLD, which is
/// gone while the fork is reaped. `__pi_u` reports for a command that an error took bash out of, to its
/// top level: there `__pi_k` still has the order's token. See docs/session-protocol.md.
pub(super) fn boot_text(
    folder: &Path,
    cwd: &Path,
    generation: u64,
    descriptors: Descriptors,
    token: &str,
) -> String {
    format!(
        concat!(
            r#"{{ \unalias -a;\builtin cd -- {cwd} || \builtin cd /;{unset_oldpwd};{descriptors}{driver};{trap};"#,
            r#"\builtin printf '\001%s r %s %s\000\002' {token} "${{BASH_VERSINFO[0]}}" "${{BASH_VERSINFO[1]}}";}}<&$((LINENO=0))"#,
            "\n{trampoline}"
        ),
        cwd = quote_path(cwd),
        descriptors = descriptors.boot(),
        unset_oldpwd = UNSET_OLDPWD,
        driver = driver_text(),
        trap = exit_trap(folder, generation),
        token = token,
        trampoline = TRAMPOLINE,
    )
}

/// The variables and functions of the driver. Set anew after a state was restored, which has them
/// as a command may have left them.
pub(super) fn driver_text() -> String {
    format!(
        concat!(
            // `TMOUT` of a command would end the wait.
            r#"__pi_m= __pi_k= __pi_o= __pi_s=;__p='\builtin eval "${{__pi_k:+__pi_u \"\$?\"}}";TMOUT= \builtin read -r -N {short} __pi_m;\builtin eval "$__pi_m"';"#,
            r#"__pi_r(){{ \return "$1"; }};"#,
            r#"__pi_e(){{ \unset -f builtin eval;\builtin set +ev;\builtin true >&"${{4:-1}}" || \builtin exit "$1";"#,
            r#"{report} || {{ \builtin enable printf read eval trap mapfile;{report}; }}; }};"#,
            r#"__pi_u(){{ \builtin set -- "$1" "$__pi_k" u;__pi_e "$@";__pi_t "$2"; }};"#,
            r#"__pi_t(){{ \builtin printf '\001%s t\000' "$1";\builtin trap -p EXIT;\builtin printf '\000\002';"#,
            r#"\builtin unset -n {own};\builtin unset -v {own}; }};"#,
            r#"__pi_f='\builtin set -m +ex;\builtin test "${{-/r}}" = "$-" || \builtin exit;("#,
            r#"\builtin eval "$__pi_v")<"$__pi_o" &';"#,
            // It has reserved words, which aliases may be named like.
            r#"__pi_v='\builtin shopt -q expand_aliases;__pi_o=$?;\builtin shopt -u expand_aliases;\builtin eval "$__pi_w"';"#,
            r#"__pi_w='\builtin test "$__pi_o" = 0 && \builtin shopt -s expand_aliases;"#,
            r#"\builtin printf "\001%s b %s\000\002" "$__pi_k" "$BASHPID";__pi_k= __pi_o=;"#,
            r#"while __pi_m=;\builtin read -r -t 100000000 -N {size} __pi_m && [[ $__pi_m ]];"#,
            r#"do \builtin eval "$__pi_m";done';"#,
            // Where a restored state has `set -a`.
            r#"\builtin export -n __p __pi_f __pi_v __pi_w __pi_m __pi_k __pi_o __pi_s;\builtin export -nf __pi_r __pi_e __pi_u __pi_t"#,
        ),
        size = MESSAGE_BYTES,
        short = SHORT_MESSAGE_BYTES,
        // Also what a command made of them: a whole number, or the name of another variable.
        own = "__pi_m __pi_o __pi_d __pi_c __pi_k",
        // Twice instead of in a function of its own, whose call takes bash 4 us.
        report = concat!(
            r"\builtin printf '\001%s s %s %s %s\000%s\000\002'",
            r#" "$2" "$1" "${3-}" "$-${POSIXLY_CORRECT+_}" "${PWD-}""#,
        ),
    )
}

/// Sets the trap that writes the shell's state down when it ends for whatever reason of its own.
///
/// A child that is killed before it became a program runs it too, if it is as young as that; what it
/// writes has a name of its own.
pub(super) fn exit_trap(folder: &Path, generation: u64) -> String {
    let folder = plain(folder);
    format!(
        r"\builtin trap '\builtin . {folder}/x >|{folder}/{STATE_FOLDER_NAME}/k{generation}-$((BASHPID-$$)) 2>/dev/null' EXIT"
    )
}

/// Name of the file that the shell of a generation writes its state to, in the state folder.
pub(super) fn last_breath_name(generation: u64) -> String {
    format!("k{generation}-0")
}

/// The text that `trap -p EXIT` prints while our trap stands.
pub(super) fn own_trap_text(folder: &Path, generation: u64) -> String {
    let folder = plain(folder);
    format!(
        "trap -- '\\builtin . {folder}/x >|{folder}/{STATE_FOLDER_NAME}/k{generation}-$((BASHPID-$$)) 2>/dev/null' EXIT"
    )
}
