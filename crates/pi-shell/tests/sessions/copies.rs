//! Copies of a session: commands that run at once beside whatever the session does.

use std::sync::Arc;
use std::time::Duration;

use pi_shell::{Concurrency, ExitOutcome, RunOptions, RunResult, ShellError};
use tokio_util::sync::CancellationToken;

use crate::support::{
    PATIENCE, Recorder, answer, attempt, command, eventually, is_alive, output_of, run, session,
    status_of,
};

fn copy(text: &str) -> RunOptions {
    RunOptions { concurrency: Concurrency::Clone, ..command(text) }
}

#[tokio::test]
async fn a_copy_runs_beside_the_session_with_its_state_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let shell = session();
    run(&shell, "V=kept; f(){ echo F; }; cd /usr").await;
    let busy = tokio::spawn({
        let (shell, text) = (
            shell.clone(),
            format!("until [ -e {} ]; do sleep 0.01; done; echo busy", go.display()),
        );
        async move { run(&shell, &text).await }
    });

    let results = tokio::join!(
        attempt(&shell, copy("echo $V $(f); pwd; V=changed; cd /")),
        attempt(&shell, copy("trap 'echo bye' EXIT; exit 7")),
        attempt(&shell, copy("kill -9 $BASHPID")),
        attempt(&shell, copy("echo 'é'; sleep 60 & echo hi")),
    );

    assert_eq!(output_of(results.0.as_ref().unwrap()), "kept F\n/usr\n");
    assert_eq!(status_of(results.1.as_ref().unwrap()), 7);
    assert_eq!(output_of(results.1.as_ref().unwrap()), "bye\n");
    assert_eq!(status_of(results.2.as_ref().unwrap()), 137);
    assert_eq!(output_of(results.3.as_ref().unwrap()), "é\nhi\n");
    std::fs::write(&go, "").unwrap();
    assert_eq!(output_of(&busy.await.unwrap()), "busy\n");
    assert_eq!(answer(&shell, "echo $V; pwd").await.0, "kept\n/usr\n");
    shell.close().await;
}

#[tokio::test]
async fn a_copy_has_the_positional_parameters_of_the_session() {
    let shell = session();
    run(&shell, "set -- 'a b' c").await;

    let result = attempt(&shell, copy("echo $#:$1:$2; shift; echo $1")).await.unwrap();

    assert_eq!(output_of(&result), "2:a b:c\nc\n");
    shell.close().await;
}

#[tokio::test]
async fn a_copy_is_cancelled_without_harm_to_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let shell = session();
    run(&shell, "V=kept").await;
    let cancel = CancellationToken::new();
    let running = tokio::spawn({
        let (shell, cancel) = (shell.clone(), cancel.clone());
        let options = copy(&format!("setsid sleep 1000 & : >{}; sleep 1000", ready.display()));
        async move { shell.run(options, Arc::new(Recorder::default()), cancel).await }
    });
    eventually("it began", || ready.exists()).await;
    cancel.cancel();

    let result = tokio::time::timeout(PATIENCE, running).await.unwrap().unwrap().unwrap();

    assert_eq!(result.outcome, ExitOutcome::Cancelled);
    assert_eq!(shell.live_background_job_count().await, 0);
    assert_eq!(answer(&shell, "echo $V").await.0, "kept\n");
    shell.close().await;
}

/// A run of the session that ends once `go` exists.
fn busy_until(shell: &pi_shell::Shell, go: &std::path::Path) -> tokio::task::JoinHandle<String> {
    let text = format!("until [ -e {} ]; do sleep 0.01; done; echo busy", go.display());
    let shell = shell.clone();
    tokio::spawn(async move { output_of(&run(&shell, &text).await) })
}

#[tokio::test]
async fn what_loses_its_parent_while_a_copy_is_stopped_is_ended_with_what_it_starts_then() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let script = folder.path().join("script");
    // The parent ends by the first signal; the child does not, and starts something when it has lost its parent.
    let child = format!("trap : TERM; echo $BASHPID >{0}.new; mv {0}.new {0}", pid_file.display());
    let then = "while kill -0 $$ 2>/dev/null; do sleep 0.02; done; sleep 1000; sleep 1000";
    let text = format!("trap 'exit 1' INT TERM\n({child}; {then}) &\nwait\n");
    std::fs::write(&script, text).unwrap();
    let shell = session();
    let cancel = CancellationToken::new();
    let running = tokio::spawn({
        let options = copy(&format!("bash {}", script.display()));
        let (shell, cancel) = (shell.clone(), cancel.clone());
        async move { shell.run(options, Arc::new(Recorder::default()), cancel).await }
    });
    eventually("the child began", || pid_file.exists()).await;
    let child = std::fs::read_to_string(&pid_file).unwrap().trim().parse().unwrap();
    cancel.cancel();
    let result = tokio::time::timeout(PATIENCE, running).await.unwrap().unwrap().unwrap();

    assert_eq!(result.outcome, ExitOutcome::Cancelled);
    assert!(!is_alive(child) && result.survivors.is_empty(), "{:?}", result.survivors);
    shell.close().await;
}

#[tokio::test]
async fn a_copy_asked_for_together_with_the_first_run_does_not_wait_for_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let shell = session();
    let busy = busy_until(&shell, &go);
    // The first run has its turn before the copy is asked for.
    tokio::task::yield_now().await;

    let copied = attempt(&shell, copy("echo copied")).await.unwrap();

    assert_eq!(output_of(&copied), "copied\n");
    std::fs::write(&go, "").unwrap();
    assert_eq!(busy.await.unwrap(), "busy\n");
    shell.close().await;
}

#[tokio::test]
async fn a_copy_that_kills_its_shell_ends_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let shell = session();
    run(&shell, "V=kept; bye() { kill -9 $$; }; shopt -s expand_aliases; alias end='kill -9 $$'")
        .await;
    let busy = busy_until(&shell, &go);

    let results = tokio::join!(
        attempt(&shell, copy("echo own $V; kill -9 $$; echo after")),
        attempt(&shell, copy("echo own; bye; echo after")),
        attempt(&shell, copy("echo own; end; echo after")),
        attempt(
            &shell,
            copy(
                "[ $$ = $BASHPID ] && echo \"${$}\" >own.$$; ls own.$$; rm own.$$; kill -TERM ${$}"
            )
        ),
    );

    for result in [&results.0, &results.1, &results.2] {
        let result = result.as_ref().unwrap();
        assert_eq!(status_of(result), 137);
        assert!(output_of(result).starts_with("own"), "{}", output_of(result));
        assert!(!output_of(result).contains("after"));
        assert!(!result.session_reset);
    }
    let terminated = results.3.unwrap();
    assert_eq!(status_of(&terminated), 143);
    assert!(output_of(&terminated).starts_with("own."));
    std::fs::write(&go, "").unwrap();
    assert_eq!(busy.await.unwrap(), "busy\n");
    assert_eq!(answer(&shell, "echo $V").await.0, "kept\n");
    shell.close().await;
}

#[tokio::test]
async fn a_copy_with_a_process_id_of_its_own_has_the_state_of_the_session() {
    let shell = session();
    run(
        &shell,
        concat!(
            "V=kept; export X=y; a=(1 '2 3'); f() { echo \"F $1\"; }; cd /usr; set -- p 'q r'\n",
            "shopt -s expand_aliases extglob; alias hi='echo hello'; umask 027; ulimit -n 300\n",
            "trap 'echo usr1' USR1; set -u",
        ),
    )
    .await;

    let state = concat!(
        ": $$; echo $V $X \"${a[1]}\" $#:$2; f 1; pwd; hi; umask; ulimit -n; shopt -p extglob\n",
        "echo $- ; kill -USR1 $$; echo line $LINENO; sh -c 'echo $X'; cat\n",
    );
    let own = attempt(&shell, copy(state)).await.unwrap();

    let flags = answer(&shell, "echo $-").await.0;
    let expected = format!(
        "kept y 2 3 2:q r\nF 1\n/usr\nhello\n0027\n300\nshopt -s extglob\n{flags}usr1\nline 2\ny\n"
    );
    assert_eq!(output_of(&own), expected);
    assert_eq!(status_of(&own), 0);
    shell.close().await;
}

#[tokio::test]
async fn a_copy_with_a_process_id_of_its_own_runs_as_other_copies_do() {
    let folder = tempfile::tempdir().unwrap();
    let shell = session();
    run(&shell, "trap '' INT").await;
    let with = |text: &str| RunOptions {
        cwd: Some(folder.path().to_path_buf()),
        env: vec![("CALL".into(), "x y".into())],
        ..copy(text)
    };
    let long = format!(": $$; echo 'é{}' | wc -c; echo \"$CALL\"; pwd", "x".repeat(4000));

    let results = tokio::join!(
        attempt(&shell, with("trap 'echo bye $CALL; exit 9' EXIT; : $$; exit 7")),
        attempt(&shell, with("echo $$ >/dev/null; echo \"$CALL\"; pwd; (exit 3)")),
        attempt(&shell, with(&long)),
        attempt(&shell, copy("echo $$ >/dev/null; sleep 60 & echo hi; no-such-program")),
        attempt(&shell, copy(": $$ 'a\nb'; if")),
        attempt(&shell, copy(": $$; grep Sig[BIC] /proc/self/status")),
        attempt(&shell, copy("grep Sig[BIC] /proc/self/status")),
    );

    let at = folder.path().canonicalize().unwrap();
    let at = at.display();
    let of = |result: &Result<RunResult, ShellError>| {
        let result = result.as_ref().unwrap();
        (output_of(result), status_of(result))
    };
    assert_eq!(of(&results.0), ("bye x y\n".into(), 9));
    assert_eq!(of(&results.1), (format!("x y\n{at}\n"), 3));
    assert_eq!(of(&results.2), (format!("4003\nx y\n{at}\n"), 0));
    let unknown = "hi\nbash: line 1: no-such-program: command not found\n";
    assert_eq!(of(&results.3), (unknown.into(), 127));
    let within = if crate::support::is_driven() { "" } else { "eval: " };
    // Newer ones say of what command.
    let unfinished = format!("bash: {within}line 3: syntax error: unexpected end of file");
    assert!(of(&results.4).0.starts_with(&unfinished), "{:?}", of(&results.4));
    assert_eq!(of(&results.4).1, 2);
    assert_eq!(of(&results.5), of(&results.6), "signals are handled as in a fork");
    assert_eq!(shell.live_background_job_count().await, 1);
    shell.close().await;
}

#[tokio::test]
async fn a_copy_that_is_asked_for_while_the_session_is_stopped_has_the_new_shell_s_state() {
    let shell = session();
    run(&shell, "V=kept").await;
    for round in 0..30 {
        let cancel = CancellationToken::new();
        let stopped = tokio::spawn({
            let (shell, cancel) = (shell.clone(), cancel.clone());
            let options = command("until false; do sleep 0.01; done");
            async move { shell.run(options, Arc::new(Recorder::default()), cancel).await }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        cancel.cancel();
        // At any time of the stop and of what comes behind it.
        tokio::time::sleep(Duration::from_millis(round)).await;

        let copied = attempt(&shell, copy("echo $V")).await.unwrap();

        assert_eq!(output_of(&copied), "kept\n", "round {round}");
        assert!(copied.wall_time < Duration::from_secs(2), "round {round}: {:?}", copied.wall_time);
        stopped.await.unwrap().unwrap();
    }
    shell.close().await;
}
