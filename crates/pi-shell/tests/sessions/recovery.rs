//! What becomes of a session whose shell ended or whose means were destroyed.

use std::path::Path;
use std::time::Instant;

use pi_shell::{LostWithShell, Shell, ShellOptions};

use crate::support::{answer, output_of, run, session, shell_options, status_of};

#[tokio::test]
async fn a_shell_that_ends_is_replaced_with_its_state() {
    let shell = session();
    run(&shell, "cd /usr; V=kept; f(){ echo F; }; export E=env; unset HOME").await;
    for (text, status, lost) in [
        ("exit 42", 42, false),
        ("set -e; W=2; false", 1, false),
        ("false || exit 1", 1, false),
        ("exec sh -c 'exit 7'", 7, false),
        ("X=1; exec sh -c 'exit 7'", 7, true),
        ("kill -9 $$", 137, true),
        ("kill -9 0", 137, true),
        ("exec >&- 2>&-; exit 3", 3, false),
        (": ${NOPE:?msg}", 1, false),
        ("g(){ local V=local; exit 5; }; g", 5, false),
    ] {
        let result = run(&shell, text).await;

        assert_eq!(status_of(&result), status, "{text}");
        assert_eq!(result.session_reset, lost, "{text}");
        let (output, _) =
            answer(&shell, "echo $V $(f) $(sh -c 'echo $E') ${HOME-unset}; pwd").await;
        assert_eq!(output, "kept F env unset\n/usr\n", "after {text}");
    }
    shell.close().await;
}

#[tokio::test]
async fn exit_in_a_sessions_first_command_keeps_what_it_set() {
    let shell = session();

    let result = run(&shell, "V=kept; exit 3").await;

    assert_eq!((status_of(&result), result.session_reset), (3, false));
    assert_eq!(answer(&shell, "echo $V $?").await.0, "kept 3\n");
    shell.close().await;
}

#[tokio::test]
async fn a_destroyed_driver_is_replaced() {
    let shell = session();
    run(&shell, "V=kept").await;
    for text in [
        "set -n",
        "shopt -s extdebug; trap false DEBUG",
        "enable -n printf echo eval trap read",
        "shopt -s expand_aliases; alias printf=false echo=false builtin=false eval=false",
        "readonly PATH IFS PS1 PS4 PWD _ 2>/dev/null; set -r",
        "exec <&- >&- 2>&-; for fd in {3..255}; do eval \"exec $fd>&-\"; done",
        "unset __p",
        "readonly LINENO",
        "readonly __pi_m=1",
        "__pi_e(){ :; }",
        "unset(){ :; }; builtin(){ :; }; eval(){ :; }",
        "declare -i __pi_m",
        "declare -n __pi_d=V __pi_m=V __pi_c=V; __pi_o=x",
        "declare -A __pi_o __pi_c",
        "readonly __pi_c",
        "set -r",
        "TMOUT=1",
    ] {
        run(&shell, text).await;

        let result = run(&shell, "/bin/echo ok $V").await;

        assert_eq!(output_of(&result), "ok kept\n", "after {text}");
        // One that does not fit an order.
        let long = format!("/bin/echo long $V {}", "# ".repeat(400));
        assert_eq!(answer(&shell, &long).await.0, "long kept\n", "after {text}");
    }
    shell.close().await;
}

#[tokio::test]
async fn a_restricted_shell_is_replaced_and_the_loss_reported() {
    let shell = session();
    run(&shell, "V=kept").await;

    let restricted = run(&shell, "W=lost; set -r; echo done").await;

    assert_eq!((output_of(&restricted).as_str(), restricted.session_reset), ("done\n", true));
    let next = run(&shell, "cd /usr && echo $V${W-} >/dev/stdout").await;
    assert_eq!((output_of(&next).as_str(), next.session_reset), ("kept\n", false));
    shell.close().await;
}

#[tokio::test]
async fn an_alias_named_like_a_word_of_the_driver_stops_nothing() {
    let shell = session();
    let names = ["{", "[[", "if", "while", "do", "done", "builtin", "eval", "test", "shopt"];
    let aliases = names.map(|name| format!("alias -- '{name}=nope '")).join("\n");
    run(&shell, &format!("V=kept; cd /usr; cd /tmp; shopt -s expand_aliases\n{aliases}")).await;
    for text in ["/bin/echo began", "exit 1", "kill -9 $$", "trap '/bin/echo bye' EXIT", "pushd /"]
    {
        run(&shell, text).await;

        let (output, _) = answer(&shell, "/bin/echo $V $OLDPWD; alias -p | grep -c nope").await;
        let expected = format!("kept {}\n10\n", if text == "pushd /" { "/tmp" } else { "/usr" });
        assert_eq!(output, expected, "after {text}");
    }
    run(&shell, "exit 1").await;
    assert_eq!(answer(&shell, "dirs").await.0, "/ /tmp\n");
    shell.close().await;
}

#[tokio::test]
async fn a_snapshot_that_restricts_the_shell_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = folder.path().join("snapshot.sh");
    std::fs::write(&snapshot, "set -r").unwrap();
    let options = ShellOptions { snapshot_path: Some(snapshot), ..shell_options() };
    let shell = Shell::new(options).unwrap();

    assert_eq!(answer(&shell, "cd /usr && echo ok >/dev/stdout").await, ("ok\n".to_owned(), 0));
    shell.close().await;
}

/// What the driver does is traced too: all of it together takes far longer than finding a shell lost.
#[tokio::test]
async fn ss_13_a_driver_that_waits_for_a_slow_prompt_of_traces_is_not_lost() {
    let shell = session();
    run(&shell, "V=kept; PS4='$(sleep 0.15)+ '").await;
    let result = run(&shell, "set -x").await;
    assert!(!result.session_reset);

    let result = run(&shell, "set +x").await;

    assert_eq!((status_of(&result), result.session_reset), (0, false));
    assert_eq!(answer(&shell, "/bin/echo $V").await.0, "kept\n");
    shell.close().await;
}

#[tokio::test]
async fn ss_06_a_text_that_ends_too_soon_does_not_touch_the_next_command() {
    for text in ["echo hi \\", "echo \"abc", "if true; then", "echo $(", "case x in", "echo )"] {
        let shell = session();
        run(&shell, text).await;

        for _ in 0..2 {
            let next = run(&shell, "echo ok").await;
            assert_eq!((output_of(&next).as_str(), status_of(&next)), ("ok\n", 0), "after {text}");
            assert!(!next.session_reset, "after {text}");
        }
        shell.close().await;
    }
}

#[tokio::test]
async fn a_session_outlives_its_supervisor_and_its_folder() {
    let shell = session();
    let (supervisor, _) = answer(&shell, "echo $PPID").await;
    let killed = std::process::Command::new("kill").args(["-9", supervisor.trim()]).status();
    assert!(killed.unwrap().success());
    crate::support::eventually("it is dead", || {
        !crate::support::is_alive(supervisor.trim().parse().unwrap())
    })
    .await;

    // The first ones may still meet the old bash, which goes with its supervisor: when that is
    // known here depends on how busy the machine is.
    let deadline = Instant::now() + crate::support::PATIENCE;
    // A bash for each command loses nothing: the state is the host's.
    while !crate::support::is_per_command() && !run(&shell, "/bin/echo ok").await.session_reset {
        assert!(Instant::now() < deadline, "the loss was never reported");
    }
    assert_eq!(answer(&shell, "/bin/echo ok").await.0, "ok\n");

    let (text, _) = answer(&shell, "trap 'x' USR1; trap -p EXIT; readlink /proc/$$/fd/255").await;
    let at = text.find("/pi-bash-").unwrap();
    let (before, after) = text.split_at(at);
    let name = after.trim_start_matches('/').split(['/', '\'', ' ', '\n']).next().unwrap();
    let before = before.rsplit(['\'', ' ', '\n']).next().unwrap();
    std::fs::remove_dir_all(Path::new(before).join(name)).unwrap();
    run(&shell, "/bin/echo first").await;
    assert_eq!(answer(&shell, "/bin/echo ok").await.0, "ok\n");
    shell.close().await;
}

#[tokio::test]
async fn a_restored_function_names_no_private_file() {
    let shell = session();
    run(&shell, "f(){\n echo hi\n nosuch\n}; declare -A __packages=([a]=1)").await;
    run(&shell, "exit 1").await;

    let (output, _) = answer(&shell, "f; echo ${__packages[a]}").await;

    assert!(!output.contains("pi-bash"), "{output}");
    assert!(output.ends_with(": nosuch: command not found\n1\n"), "{output}");
    shell.close().await;
}

#[tokio::test]
async fn an_order_in_a_file_that_cannot_be_opened_is_given_to_another_shell() {
    let long = format!("/bin/echo ok # {}", "x".repeat(1000));
    // With a trap on CHLD an order is longer than a message, too.
    for (before, command) in [(":", long.as_str()), ("trap : CHLD", "/bin/echo ok")] {
        let shell = session();
        run(&shell, before).await;
        run(&shell, "ulimit -n 4").await;

        let (output, _) = answer(&shell, command).await;

        assert_eq!(output, "ok\n", "after {before}");
        shell.close().await;
    }
}

#[tokio::test]
async fn limits_that_stop_the_shell_do_not_stop_the_session() {
    let shell = session();

    for limit in [3, 4] {
        run(&shell, &format!("ulimit -n {limit}")).await;
        // The driver gets by with them, so the shell is kept: as in any script that says so, no program starts.
        let command = if crate::support::is_driven() { "echo ok" } else { "/bin/echo ok" };
        assert_eq!(answer(&shell, command).await.0, "ok\n");
    }
    shell.close().await;

    let shell = session();
    run(&shell, "ulimit -n 6; ulimit -f 0").await;
    run(&shell, "/bin/echo ok").await;
    assert_eq!(answer(&shell, "/bin/echo ok").await.0, "ok\n");
    shell.close().await;
}

#[tokio::test]
async fn a_traced_shell_that_ends_tells_nothing_of_the_driver() {
    let within = session();
    let at_once = run(&within, "set -x; exit 2").await;
    let before = session();
    run(&before, "set -x").await;
    let later = run(&before, "trap 'echo bye' EXIT\nexit 2 # it's").await;
    let limited = session();
    let low = run(&limited, "ulimit -n 64; exit 2").await;

    // Shell text runs a command two evaluations deep, a bash of its own one.
    let deep = match () {
        () if crate::support::is_driven() => "+",
        () if crate::support::is_per_command() => "++",
        () => "+++++",
    };
    assert_eq!(output_of(&at_once), format!("{deep} exit 2\n"));
    let lines = format!("{deep} trap 'echo bye' EXIT\n{deep} exit 2\n+ echo bye\nbye\n");
    assert_eq!(output_of(&later), lines);
    assert_eq!(output_of(&low), "");
    for result in [at_once, later, low] {
        assert_eq!(status_of(&result), 2);
    }
    for shell in [within, before, limited] {
        shell.close().await;
    }
}

#[tokio::test]
async fn what_a_new_shell_lacks_is_named_after_a_stop_as_after_an_exit() {
    use LostWithShell::{Descriptors, Jobs};

    if crate::support::is_per_command() {
        // Each command has a new shell: see `per_command/carrying.rs`.
        return;
    }

    // Over the driver, what ends a script leaves the shell, and a standby has the descriptors.
    let by_text = |lost| if crate::support::is_driven() { &[][..] } else { lost };
    let with_standby = if crate::support::is_driven() { &[Jobs][..] } else { &[Jobs, Descriptors] };
    for (before, last, lost) in [
        ("V=kept", "exit 3", &[][..]),
        ("V=kept", "kill -9 $$", &[]),
        ("V=kept; sleep 30 & W=1", "exit 3", by_text(&[Jobs])),
        ("V=kept; exec 5</dev/null", "set -e; false", by_text(&[Descriptors])),
        ("V=kept; exec 5</dev/null; sleep 30 &", "exec true", with_standby),
        ("V=kept; exec 5</dev/null; sleep 30 &", "kill -9 $$", with_standby),
        ("V=kept; exec 5</dev/null 5<&-", "exit", &[]),
    ] {
        let shell = session();
        run(&shell, before).await;
        let ended = run(&shell, last).await;
        assert_eq!(ended.lost_with_shell, lost, "{before}, {last}");

        let next = run(&shell, "echo $V").await;
        assert_eq!(
            (output_of(&next).as_str(), next.lost_with_shell.as_slice()),
            ("kept\n", &[][..])
        );
        shell.close().await;
    }
}
