//! What a session's own doings keep from the traps of its user, and what they do not lose of them.

use pi_shell::{Concurrency, RunOptions};

use crate::support::{answer, attempt, command, output_of, run, session, status_of};

fn copy(text: &str) -> RunOptions {
    RunOptions { concurrency: Concurrency::Clone, ..command(text) }
}

#[tokio::test]
async fn an_err_trap_runs_once_for_what_fails() {
    let shell = session();
    run(&shell, "n=0; trap 'n=$((n+1))' ERR").await;
    for (text, status, expected) in
        [("false", 1, "1"), ("(exit 7)", 7, "2"), ("echo $?", 0, "2"), ("true | false", 1, "3")]
    {
        assert_eq!(status_of(&run(&shell, text).await), status, "{text}");

        assert_eq!(answer(&shell, "echo $n").await.0, format!("{expected}\n"), "after {text}");
    }
    shell.close().await;
}

#[tokio::test]
async fn a_chld_trap_runs_for_the_children_of_commands_only() {
    let shell = session();
    run(&shell, "n=0; trap 'n=$((n+1))' CHLD").await;
    run(&shell, "x=1").await;

    assert_eq!(answer(&shell, "echo $n; (:); echo $n").await.0, "0\n1\n");
    assert_eq!(answer(&shell, "echo $n").await.0, "1\n");
    shell.close().await;
}

#[tokio::test]
async fn a_chld_trap_that_exits_ends_no_session() {
    let shell = session();
    for how in ["trap 'exit 5' CHLD", "eval \"trap 'exit 5' \"CH\"LD\""] {
        run(&shell, "trap - CHLD; x=kept").await;
        run(&shell, how).await;

        for text in ["y=2", "echo $x $y"] {
            let result = attempt(&shell, command(text)).await.unwrap();
            assert_eq!(status_of(&result), 0, "{text} after {how}");
        }
        assert_eq!(answer(&shell, "echo $x $y").await.0, "kept 2\n", "after {how}");
    }
    shell.close().await;
}

#[tokio::test]
async fn traps_outlive_the_shell_also_where_it_could_not_tell_them() {
    let shell = session();
    let traps = "trap 'echo r' RETURN; trap 'echo e' ERR; trap 'echo c' CHLD; trap 'echo u' USR1";
    run(&shell, traps).await;
    let before = answer(&shell, "trap -p ERR RETURN CHLD USR1").await.0;
    for how in ["kill -9 $$", "exit 3", "set -u; x=1; exit 4"] {
        run(&shell, how).await;

        assert_eq!(answer(&shell, "trap -p ERR RETURN CHLD USR1").await.0, before, "after {how}");
    }
    assert_eq!(answer(&shell, "echo $x; shopt -po nounset").await.0, "1\nset -o nounset\n");
    shell.close().await;
}

#[tokio::test]
async fn an_exit_trap_runs_in_a_traced_shell_and_below_a_low_limit() {
    let shell = session();
    let traced = run(&shell, "set -x; trap 'echo bye' EXIT").await;
    assert!(output_of(&traced).ends_with("\nbye\n"), "{}", output_of(&traced));
    run(&shell, "set +x").await;

    let limited = run(&shell, "trap 'echo bye' EXIT; ulimit -Sn 64").await;

    assert_eq!((output_of(&limited).as_str(), status_of(&limited)), ("bye\n", 0));
    shell.close().await;
}

#[tokio::test]
async fn an_error_that_ends_at_the_top_level_ends_its_command_and_nothing_else() {
    let shell = session();
    run(&shell, "V=kept; exec 5</etc/passwd; sleep 300 &").await;
    for text in ["V=kept; m[a b]=1; echo no", "W=1; unset l; l=([x y]=1); echo no"] {
        let result = run(&shell, text).await;

        assert_eq!((status_of(&result), result.session_reset), (1, false), "{text}");
        let (output, _) = answer(&shell, "echo $? $V").await;
        assert_eq!(output, "1 kept\n", "after {text}");
        // Neither of them outlives a bash.
        if !crate::support::is_per_command() {
            assert_eq!(answer(&shell, "read -r -u 5 _ && jobs | wc -l").await.0, "1\n", "{text}");
        }
    }
    run(&shell, "kill -9 $$").await;
    assert_eq!(answer(&shell, "echo $V $W").await.0, "kept 1\n");
    shell.close().await;
}

#[tokio::test]
async fn what_a_new_bash_has_does_not_come_back_where_the_session_had_it_not() {
    let shell = session();
    let declared = "declare -p OLDPWD 2>/dev/null; echo ${IFS-unset}";
    assert_eq!(
        answer(&shell, &format!("unset IFS; {declared}")).await.0,
        "declare -x OLDPWD\nunset\n"
    );
    for (before, expected) in [
        (":", "declare -x OLDPWD\nunset\n"),
        ("cd /usr", "declare -x OLDPWD=\"/\"\nunset\n"),
        ("declare +x OLDPWD", "declare -- OLDPWD=\"/\"\nunset\n"),
        ("unset OLDPWD", "unset\n"),
    ] {
        run(&shell, before).await;
        run(&shell, "exit 1").await;

        assert_eq!(answer(&shell, declared).await.0, expected, "after {before}");
    }
    shell.close().await;
}

#[tokio::test]
async fn the_directory_stack_outlives_a_shell_in_posix_mode() {
    let shell = session();
    run(&shell, "pushd -n /etc; pushd -n /usr; set -o posix").await;

    run(&shell, "exit 7").await;

    assert_eq!(answer(&shell, "dirs").await.0, "/ /usr /etc\n");
    shell.close().await;
}

#[tokio::test]
async fn a_copy_is_a_script_with_the_status_and_options_of_the_session() {
    let shell = session();
    run(&shell, "export E=env; (exit 4)").await;
    for (text, output, status) in [
        ("echo $?", "4\n", 0),
        ("echo $?; : $$", "4\n", 0),
        ("declare -x E; sh -c 'echo $E'", "env\n", 0),
        ("case $- in *m*) echo monitor;; esac; echo ${FUNCNAME-none}", "none\n", 0),
        ("return 4 2>/dev/null; echo on; (exit 6)", "on\n", 6),
    ] {
        let result = attempt(&shell, copy(text)).await.unwrap();

        assert_eq!((output_of(&result).as_str(), status_of(&result)), (output, status), "{text}");
    }
    run(&shell, "trap ':' ERR; trap ':' CHLD").await;
    assert_eq!(status_of(&attempt(&shell, copy("(exit 6)")).await.unwrap()), 6);
    assert_eq!(status_of(&attempt(&shell, copy(": $$; (exit 6)")).await.unwrap()), 6);
    shell.close().await;
}
