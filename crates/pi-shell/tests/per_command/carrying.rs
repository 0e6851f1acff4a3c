//! What goes on from bash to bash, beside what a driven session keeps, and what does not.

use std::time::Duration;

use pi_shell::{LostWithShell, RunOptions, Shell, ShellOptions};

use crate::support::{
    answer, attempt, cancel_when, command, driver, output_of, run, session, shell_options,
    status_of,
};

/// Commands that set something, and one that shows it.
const STATES: [(&str, &str); 29] = [
    ("cd /usr; cd /tmp; pushd /var; pushd -n /etc", "dirs; echo $OLDPWD; cd -"),
    ("a=(1 'b c' $'d\\ne'); a[7]=x; unset 'a[0]'", "declare -p a"),
    ("declare -A m=(['k 1']=v [$'n\\n']='\"q\" $x `y`'); m[]]=z", "declare -p m | tr -d ' '"),
    (
        "declare -i n=3; declare -l low=ABC; declare -u up=abc",
        "n+=4; low=XYZ; up=xyz; echo $n $low $up",
    ),
    ("declare -ir both=5; declare -rx ro=1", "both=6; echo $both; declare -p both ro"),
    ("target=T; declare -n ref=target", "ref=changed; echo $target; declare -p ref"),
    (
        "export E='a b'; declare -x unset_but_exported; unexported=1",
        "env | grep -c '^E=a b'; declare -p unset_but_exported",
    ),
    (
        "f() { local x=1; echo \"f $x $1\"; }; export -f f; readonly -f f",
        "f a; bash -c 'f b'; declare -F f",
    ),
    ("g() { cat <<END\n$1 'quoted'\nEND\n}; h() { [[ $1 == @(a|b) ]]; }", "g x; h a; echo $?"),
    (
        "function a-b { echo dash; }; function if { echo word; }; é() { echo accent; }",
        "a-b; \\if; é",
    ),
    ("shopt -s expand_aliases; alias hi='echo hello' two=$'echo a\\necho b'", "hi; two"),
    (
        "shopt -s nullglob extglob nocasematch globstar; shopt -u sourcepath",
        "shopt | grep -c on; shopt sourcepath nullglob",
    ),
    (
        "set -o pipefail -o nounset -o noglob -o noclobber -o allexport; set +o braceexpand",
        "shopt -o | sort",
    ),
    ("set -o physical; cd /usr", "shopt -o physical; pwd"),
    ("set -o posix", "shopt -o posix; alias x=y; echo $POSIXLY_CORRECT"),
    (
        "trap 'echo usr' USR1; trap '' HUP; trap 'echo err' ERR; trap 'echo \"it'\"'\"'s\"' WINCH",
        "trap -p USR1 HUP ERR WINCH; kill -USR1 $$; false",
    ),
    ("r() { :; }; trap 'echo returned' RETURN", "trap -p RETURN"),
    ("umask 027", "umask; umask -S"),
    (
        "ulimit -Sn 200; ulimit -Hn 300; ulimit -c 0",
        "ulimit -Sn; ulimit -Hn; ulimit -n 400 2>/dev/null; echo $?",
    ),
    ("set -- 'a b' '' $'c\\nd' '*'", "printf '<%s>' \"$#\" \"$@\""),
    ("IFS=:; x=a:b", "set -- $x; echo $1; printf '%q' \"$IFS\""),
    ("unset IFS PATH HOME", "echo ${IFS-u} ${PATH-u} ${HOME-u}"),
    (
        "GLOBIGNORE='*'; BASH_ENV=/nonexistent; export BASH_ENV",
        "echo $GLOBIGNORE $BASH_ENV; shopt dotglob",
    ),
    (
        "x=$'\\xff\\xfe'; y=$'\\001\\177'; declare -A z=([$'\\xff']=1)",
        "printf %s \"$x$y${!z[@]}\" | od -An -c",
    ),
    ("(exit 37)", "echo $?"),
    // A status is shown without what such traps run for.
    ("n=0; trap '((++n))' RETURN; false", "echo $? $n"),
    ("n=0; trap '((++n))' CHLD; false", "echo $? $n"),
    ("OPTIND=3; getopts ab: o -a; echo $o", "echo $OPTIND"),
    ("printf -v big %0100000d 7; v=\\'; w='$(touch /never)'", "echo ${#big} \"$v\" \"$w\""),
];

fn driven() -> Shell {
    let driver = Some(driver::object().to_path_buf());
    Shell::new(ShellOptions { kind: None, driver, ..shell_options() }).unwrap()
}

#[tokio::test]
async fn state_is_carried_on_as_a_driven_session_keeps_it() {
    let kept = driven();
    run(&kept, "true").await;
    for (set, show) in STATES {
        let (carried, kept) = (session(), driven());
        let expected = (answer(&kept, set).await, answer(&kept, show).await);

        let found = (answer(&carried, set).await, answer(&carried, show).await);

        assert_eq!(found, expected, "{set} | {show}");
        // And once more, from what was carried.
        assert_eq!(
            answer(&carried, show).await,
            answer(&kept, show).await,
            "again: {set} | {show}"
        );
        carried.close().await;
        kept.close().await;
    }
    kept.close().await;
}

#[tokio::test]
async fn what_ends_a_script_keeps_what_it_had_set() {
    let shell = session();
    for (text, status) in [
        ("exit 3", 3),
        ("set -e; false; V=no", 1),
        ("set -u; echo $nope; V=no", 1),
        (": ${x:?no}; V=no", 1),
        ("if", 2),
        ("V=set$N; ) ", 2),
        ("echo $(", 2),
        ("f() { local V=local x=1; set -- p q; W=f$N; exit 4; }; f; V=no", 4),
        ("f() { local -n V=W; set -e; false; }; f; V=no", 1),
        ("kill -TERM $$; sleep 5", 143),
    ] {
        run(&shell, "set +eu; N=$((N+1)); V=before$N; W=w; cd /; set -- 1 'two 2'").await;
        let result = run(&shell, &format!("V=set$N; cd /usr\n{text}")).await;

        assert_eq!(status_of(&result), status, "{text}");
        assert!(!result.session_reset, "{text}");
        let (output, _) = answer(&shell, "echo ${V#set} ${W/f$N/w}; pwd; echo $# $2").await;
        let number = answer(&shell, "echo $N").await.0;
        let number = number.trim();
        assert_eq!(output, format!("{number} w\n/usr\n2 two 2\n"), "{text}");
    }
    shell.close().await;
}

#[tokio::test]
async fn a_stop_and_a_deadline_keep_what_the_command_had_set() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let shell = session();
    for text in ["sleep 300", "while :; do :; done", "wait", "f() { local V=l; sleep 300; }; f"] {
        let text = format!("V=stopped; cd /usr; sleep 300 & : >{}; {text}", ready.display());
        run(&shell, "V=before; cd /").await;
        let result = cancel_when(&shell, &text, &ready).await;
        std::fs::remove_file(&ready).unwrap();

        assert!(!result.session_reset && result.lost_with_shell.is_empty(), "{text}");
        assert_eq!(answer(&shell, "echo $V; pwd").await.0, "stopped\n/usr\n", "{text}");
    }
    let timed = RunOptions {
        timeout: Some(Duration::from_millis(500)),
        ..command("V=late; sleep 300 | cat")
    };
    assert!(!attempt(&shell, timed).await.unwrap().session_reset);
    assert_eq!(answer(&shell, "echo $V").await.0, "late\n");
    shell.close().await;
}

#[tokio::test]
async fn a_bash_that_cannot_tell_its_state_leaves_the_one_from_before_and_says_so() {
    for text in [
        "V=lost; kill -9 $$",
        "V=lost; exec true",
        "V=lost; trap 'echo bye' EXIT; exit 3",
        "f() { local V=lost; g; }; g() { local W=1; exit 3; }; f",
        "V=lost; set -n\ntrue",
        "V=lost; set -r",
        "V=lost; ulimit -f 0",
    ] {
        let shell = session();
        run(&shell, "V=kept; cd /usr").await;
        let result = run(&shell, text).await;

        assert!(result.session_reset, "{text}");
        let next = run(&shell, "echo $V; pwd").await;
        assert_eq!(
            (output_of(&next).as_str(), next.session_reset),
            ("kept\n/usr\n", false),
            "{text}"
        );
        shell.close().await;
    }
    let shell = session();
    assert!(!run(&shell, "exec true").await.session_reset, "it had set nothing");
    let limited = run(&shell, "ulimit -f 0").await;
    assert_eq!(
        status_of(&limited),
        0,
        "that its state could not be written is not the command's end"
    );
    shell.close().await;
}

#[tokio::test]
async fn an_exit_trap_is_read_and_run_as_in_a_script() {
    let shell = session();
    run(&shell, "shopt -s expand_aliases; alias say='echo aliased'").await;

    assert_eq!(
        answer(&shell, "trap 'say bye $?' EXIT; (exit 3)").await,
        ("aliased bye 3\n".to_owned(), 3)
    );
    assert_eq!(
        answer(&shell, "set -u; trap 'say $nope; say on' EXIT").await.0.matches("aliased").count(),
        0
    );
    shell.close().await;
}

#[tokio::test]
async fn jobs_and_descriptors_are_named_where_a_command_leaves_some() {
    use LostWithShell::{Descriptors, Jobs};

    let shell = session();
    for (text, lost) in [
        ("V=1", &[][..]),
        ("sleep 300 &", &[Jobs]),
        ("echo $V", &[]),
        ("exec 5</dev/null", &[Descriptors]),
        ("exec 5</dev/null 5<&-", &[]),
        ("exec 7</dev/null; sleep 300 &", &[Jobs, Descriptors]),
        ("sleep 0.01 & wait", &[]),
    ] {
        let result = run(&shell, text).await;
        assert_eq!(result.lost_with_shell, lost, "{text}");
        assert!(!result.session_reset, "{text}");
    }
    assert_eq!(answer(&shell, "jobs; read -u 5 line").await.1, 1);
    assert_eq!(shell.live_background_job_count().await, 2);
    shell.close().await;
}

#[tokio::test]
async fn a_state_of_megabytes_is_carried_on() {
    let shell = session();
    let text = "for i in {1..3000}; do printf -v \"v$i\" %01000d $i; eval \"f$i() { echo $i; : '$(printf %0100d 0)'; }\"; done";
    run(&shell, text).await;
    for _ in 0..3 {
        assert_eq!(answer(&shell, "f2999; echo ${#v3000}").await.0, "2999\n1000\n");
    }
    shell.close().await;
}
