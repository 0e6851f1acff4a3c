//! Copies of a session: commands that run at once beside whatever the session does.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use std::sync::Arc;

use pi_shell::{Concurrency, ExitOutcome, RunOptions};
use support::{
    PATIENCE, Recorder, attempt, command, eventually, output_of, run, session, status_of, told,
};
use tokio_util::sync::CancellationToken;

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
    assert_eq!(told(&shell, "echo $V; pwd").await.0, "kept\n/usr\n");
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
    assert_eq!(told(&shell, "echo $V").await.0, "kept\n");
    shell.close().await;
}

/// A run of the session that ends once `go` exists.
fn busy_until(shell: &pi_shell::Shell, go: &std::path::Path) -> tokio::task::JoinHandle<String> {
    let text = format!("until [ -e {} ]; do sleep 0.01; done; echo busy", go.display());
    let shell = shell.clone();
    tokio::spawn(async move { output_of(&run(&shell, &text).await) })
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
