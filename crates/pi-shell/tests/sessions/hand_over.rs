//! Commands that go on in the background: each keeps its shell, and the session has another one.

use std::path::Path;
use std::sync::Arc;

use pi_shell::{ExitOutcome, RunResult, Shell};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::support::{
    PATIENCE, Recorder, answer, command, eventually, output_of, run, session, status_of,
};

/// A run of the session, begun.
fn begin(shell: &Shell, text: &str, cancel: &CancellationToken) -> JoinHandle<RunResult> {
    let (shell, options, cancel) = (shell.clone(), command(text), cancel.clone());
    tokio::spawn(
        async move { shell.run(options, Arc::new(Recorder::default()), cancel).await.unwrap() },
    )
}

async fn end_of(job: JoinHandle<RunResult>) -> RunResult {
    tokio::time::timeout(PATIENCE, job).await.unwrap().unwrap()
}

fn until(go: &Path) -> String {
    format!("until [ -e {} ]; do sleep 0.01; done", go.display())
}

/// Whether a process with this number lives; a zombie does not.
fn lives(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
}

#[tokio::test]
async fn what_is_set_after_a_hand_over_lasts_and_what_was_set_before_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let shell = session();
    run(
        &shell,
        "V=kept; f() { echo F; }; shopt -s extglob; cd /usr; umask 027; trap 'echo U' USR1",
    )
    .await;
    let job = begin(&shell, &format!("{}; echo job $V", until(&go)), &CancellationToken::new());

    assert!(shell.hand_over().await);

    let first =
        run(&shell, "export A=after; g() { echo G; }; cd /; alias x='echo X'; set -o pipefail")
            .await;
    assert!(!first.session_reset);
    run(&shell, "arr=(1 '2 3')").await;
    let (seen, status) = answer(
        &shell,
        "echo $V $(f) $(g) $A \"${arr[1]}\"; pwd; umask; shopt -q extglob && shopt -qo pipefail",
    )
    .await;
    assert_eq!((seen.as_str(), status), ("kept F G after 2 3\n/\n0027\n", 0));
    assert_eq!(answer(&shell, "kill -USR1 $$").await.0, "U\n");
    std::fs::write(&go, "").unwrap();
    let ended = end_of(job).await;
    assert_eq!((output_of(&ended).as_str(), status_of(&ended)), ("job kept\n", 0));
    assert!(!ended.session_reset);
    assert_eq!(answer(&shell, "echo $A; pwd").await.0, "after\n/\n");
    shell.close().await;
}

#[tokio::test]
async fn a_session_hands_over_as_often_as_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let shell = session();
    let mut jobs = Vec::new();
    for number in 0..5 {
        let text = format!("export N{number}=set; {}; echo job {number}", until(&go));
        jobs.push(begin(&shell, &text, &CancellationToken::new()));
        assert!(shell.hand_over().await);
        run(&shell, &format!("S={number}${{S-}}")).await;
    }

    assert_eq!(answer(&shell, "echo $S; env | grep -c '^N[0-9]='").await.0, "43210\n0\n");
    std::fs::write(&go, "").unwrap();
    for (number, job) in jobs.into_iter().enumerate() {
        assert_eq!(output_of(&end_of(job).await), format!("job {number}\n"));
    }
    assert_eq!(answer(&shell, "echo $S").await.0, "43210\n");
    assert_eq!(shell.live_background_job_count().await, 0);
    shell.close().await;
}

#[tokio::test]
async fn nothing_is_handed_over_where_nothing_runs() {
    let shell = session();
    assert!(!shell.hand_over().await);
    run(&shell, "V=kept").await;
    assert!(!shell.hand_over().await);
    assert_eq!(answer(&shell, "echo $V").await.0, "kept\n");
    shell.close().await;
    assert!(!shell.hand_over().await);
}

#[tokio::test]
async fn a_run_that_waits_for_its_turn_has_it_when_the_session_is_handed_over() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let shell = session();
    let job = begin(&shell, &until(&go), &CancellationToken::new());
    eventually("the job holds the session", || !job.is_finished()).await;
    tokio::task::yield_now().await;
    let waiting = begin(&shell, "W=waited; echo run", &CancellationToken::new());
    tokio::task::yield_now().await;

    assert!(shell.hand_over().await);

    assert_eq!(output_of(&end_of(waiting).await), "run\n");
    assert_eq!(answer(&shell, "echo $W").await.0, "waited\n");
    assert!(!job.is_finished());
    std::fs::write(&go, "").unwrap();
    assert_eq!(status_of(&end_of(job).await), 0);
    shell.close().await;
}

#[tokio::test]
async fn a_stop_ends_the_command_that_was_handed_over_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    let shell = session();
    let (before, _) = answer(&shell, "sleep 1000 >/dev/null & echo $!").await;
    let cancel = CancellationToken::new();
    let text =
        format!("sleep 1000 & echo $! >{0}.part; mv {0}.part {0}; sleep 1000", own.display());
    let job = begin(&shell, &text, &cancel);
    eventually("it began", || own.exists()).await;
    assert!(shell.hand_over().await);
    let (after, _) = answer(&shell, "sleep 1000 >/dev/null & echo $!").await;

    cancel.cancel();

    assert_eq!(end_of(job).await.outcome, ExitOutcome::Cancelled);
    assert!(!lives(&std::fs::read_to_string(&own).unwrap()));
    assert!(lives(&before) && lives(&after));
    assert_eq!(shell.live_background_job_count().await, 2);
    shell.close().await;
    assert!(!lives(&before) && !lives(&after));
}

#[tokio::test]
async fn a_stop_of_the_session_s_command_spares_the_one_that_was_handed_over() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let ready = folder.path().join("ready");
    let shell = session();
    let job = begin(&shell, &format!("{}; echo whole", until(&go)), &CancellationToken::new());
    assert!(shell.hand_over().await);
    let cancel = CancellationToken::new();
    let stopped = begin(&shell, &format!("V=1; : >{}; sleep 1000", ready.display()), &cancel);
    eventually("it began", || ready.exists()).await;

    cancel.cancel();

    assert_eq!(end_of(stopped).await.outcome, ExitOutcome::Cancelled);
    std::fs::write(&go, "").unwrap();
    assert_eq!(output_of(&end_of(job).await), "whole\n");
    shell.close().await;
}

#[tokio::test]
async fn a_handed_over_command_ends_as_any_other() {
    let folder = tempfile::tempdir().unwrap();
    for (end, status, output) in [
        ("exit 3", 3, "begun\n"),
        ("trap 'echo bye' EXIT; exit 4", 4, "begun\nbye\n"),
        ("exec sh -c 'echo other; exit 5'", 5, "begun\nother\n"),
        ("kill -9 $$", 137, "begun\n"),
        ("sleep 1000 >/dev/null 2>&1 & echo left", 0, "begun\nleft\n"),
        ("(exit 6)", 6, "begun\n"),
    ] {
        let go = folder.path().join("go");
        let shell = session();
        run(&shell, "V=kept").await;
        let text = format!("echo begun; {}; {end}", until(&go));
        let job = begin(&shell, &text, &CancellationToken::new());
        assert!(shell.hand_over().await);
        std::fs::write(&go, "").unwrap();

        let result = end_of(job).await;

        assert_eq!((status_of(&result), output_of(&result).as_str()), (status, output), "{end}");
        let survivors = usize::from(end.contains('&'));
        assert_eq!(result.survivors.len(), survivors, "{end}");
        assert_eq!(shell.live_background_job_count().await, survivors, "{end}");
        let (next, _) = answer(&shell, "echo $V").await;
        assert_eq!(next, "kept\n", "{end}");
        shell.close().await;
        std::fs::remove_file(&go).unwrap();
    }
}

#[tokio::test]
async fn a_session_that_is_closed_ends_what_it_handed_over() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    let shell = session();
    let text = format!("sleep 1000 & echo $! >{0}.part; mv {0}.part {0}; wait", own.display());
    let job = begin(&shell, &text, &CancellationToken::new());
    eventually("it began", || own.exists()).await;
    assert!(shell.hand_over().await);
    run(&shell, "V=1").await;

    shell.close().await;

    assert_eq!(end_of(job).await.outcome, ExitOutcome::Cancelled);
    assert!(!lives(&std::fs::read_to_string(&own).unwrap()));
}
