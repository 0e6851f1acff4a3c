//! Commands that turn bash against what is said to it: the next command finds the session as it was left.

use crate::support::{answer, output_of, run, session, status_of};

/// What the next commands see of the state, whatever the command did. Programs only: its builtins may be anything.
const SHOWN: &str = "/bin/echo \"$V\"";

#[tokio::test]
async fn functions_and_aliases_with_names_of_bash_s_own_words_are_carried_on_and_harm_nothing() {
    for (text, calls, expected) in [
        ("eval() { /bin/echo my eval; }", "eval x", "my eval\n"),
        ("builtin() { /bin/echo my builtin; }", "builtin x", "my builtin\n"),
        ("declare() { /bin/echo my declare; }; typeset() { :; }", "declare x", "my declare\n"),
        ("trap() { /bin/echo my trap; }", "trap x", "my trap\n"),
        ("exit() { /bin/echo my exit; }", "exit x", "my exit\n"),
        ("unset() { :; }; eval() { :; }; builtin() { /bin/echo both; }", "builtin x", "both\n"),
        (
            "builtin() { command builtin \"$@\"; }; printf() { :; }; test() { :; }",
            "builtin echo x",
            "x\n",
        ),
        (".() { /bin/echo dot; }; source() { :; }; read() { :; }; cd() { :; }", ". x", "dot\n"),
        (
            "set() { :; }; shopt() { :; }; alias() { /bin/echo my alias; }; umask() { :; }",
            "alias",
            "my alias\n",
        ),
        ("function [[ { :; }; function { { :; }; function : { /bin/echo colon; }", ":", "colon\n"),
        ("command_not_found_handle() { /bin/echo handled $1; }", "nope", "handled nope\n"),
        (
            "shopt -s expand_aliases; alias {='/bin/echo brace' [[='/bin/echo bracket'",
            "{",
            "brace\n",
        ),
        (
            "shopt -s expand_aliases; alias if=nope for=nope case=nope exit='/bin/echo bye'",
            "exit",
            "bye\n",
        ),
    ] {
        let shell = session();
        run(&shell, "V=kept; k() { /bin/echo K; }").await;
        let result = run(&shell, text).await;

        assert_eq!((output_of(&result).as_str(), status_of(&result)), ("", 0), "{text}");
        assert!(!result.session_reset, "{text}");
        for round in 0..3 {
            let (output, _) = answer(&shell, &format!("{SHOWN}; k\n{calls}")).await;
            assert_eq!(output, format!("kept\nK\n{expected}"), "{text}, round {round}");
        }
        // A status is shown whatever stands in the way.
        run(&shell, "/bin/sh -c 'exit 7'").await;
        assert_eq!(answer(&shell, "/bin/echo $?").await.0, "7\n", "{text}");
        shell.close().await;
    }
}

#[tokio::test]
async fn options_and_values_that_change_how_bash_reads_are_carried_on_and_harm_nothing() {
    for text in [
        "IFS=' _/pi'",
        "IFS=",
        "IFS=-",
        "IFS=0123456789",
        "GLOBIGNORE='*'",
        "POSIXLY_CORRECT=y",
        "set -o posix; exit 3",
        "set -k",
        "set -a",
        "set -f",
        "set -C",
        "set -u",
        "set -e; trap 'echo ret >/dev/stdout' RETURN",
        "set -T; trap ': debug' DEBUG",
        "set -E; trap 'n=1' ERR",
        "shopt -s nocasematch failglob nullglob extglob localvar_unset",
        "shopt -s compat31 2>/dev/null; shopt -u extquote",
        "set -x",
        "set -v",
        "BASH_XTRACEFD=7",
        "PS4='$(exit 3)'",
        "BASH_COMPAT=3.1",
        "TMOUT=1",
        "readonly PATH IFS PWD OLDPWD PS4 LINENO BASH_COMPAT POSIXLY_CORRECT",
        "readonly __pi_s __pi_c __pi_m __pi_o; declare -n __pi_d=V",
        "enable -n printf declare trap eval",
        "enable -n builtin",
        "exec <&-",
        "exec >&- 2>&-",
        "for ((n = 0; n < 300; n++)); do eval \"exec $n>&-\"; done",
        "ulimit -n 20",
        "ulimit -n 6",
        "unset BASHPID FUNCNAME DIRSTACK LINENO",
        "unset PWD; cd /usr",
        "PWD=/lie",
        "mkdir -p $TMPDIR/gone && cd $TMPDIR/gone && rmdir ../gone",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let shell = session();
        run(&shell, &format!("V=kept; TMPDIR={}", folder.path().display())).await;
        let result = run(&shell, text).await;

        let status = if text.ends_with("exit 3") { 3 } else { 0 };
        assert_eq!(status_of(&result), status, "{text}: {}", output_of(&result));
        assert!(!output_of(&result).contains("__pi_"), "{text}: {}", output_of(&result));
        for round in 0..2 {
            let next = run(&shell, SHOWN).await;
            let output = output_of(&next);
            assert!(output.ends_with("kept\n"), "{text}, round {round}: {output}");
            assert!(!output.contains("__pi_"), "{text}: {output}");
            assert!(!next.session_reset, "{text}, round {round}");
        }
        shell.close().await;
    }
}
