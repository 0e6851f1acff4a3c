//! Whom a stop ends, and by which signals.

use std::fs::File;
#[cfg(target_os = "linux")]
use std::io::Read as _;
use std::io::{BufRead as _, BufReader, PipeReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::spared::Spared;
#[cfg(target_os = "linux")]
use crate::supervisor::ChildExit;
use crate::supervisor::{SpawnRequest, Supervisor, executable};

async fn launch() -> Supervisor {
    Supervisor::launch(executable::executable(), None, None).await.unwrap()
}

/// Starts a bash, which ignores no signal whatever this process ignores; with it comes what it says. It ends with the
/// supervisor.
async fn start(supervisor: &Supervisor, script: &str) -> (Child, BufReader<PipeReader>) {
    let (said, output) = std::io::pipe().unwrap();
    let null = || File::options().read(true).write(true).open("/dev/null").unwrap().into();
    let path = std::env::var_os("PATH").unwrap();
    let bash =
        std::env::split_paths(&path).map(|folder| folder.join("bash")).find(|bash| bash.is_file());
    let request = SpawnRequest {
        argv: vec![bash.unwrap().into(), "-c".into(), script.into()],
        cwd: "/".into(),
        descriptors: vec![null(), output.into(), null()],
        ..SpawnRequest::default()
    };
    (supervisor.spawn(request).await.unwrap(), BufReader::new(said))
}

#[tokio::test]
async fn a_process_that_was_spared_while_a_shell_started_is_ended_all_the_same() {
    let supervisor = launch().await;
    let (shell, _) = start(&supervisor, "exec sleep 1000").await;
    let (left, _) = start(&supervisor, "exec sleep 1000").await;
    let (looks, pid) = (AtomicUsize::new(0), left.pid());
    let plan = StopPlan {
        supervisor: supervisor.pid(),
        shell: ShellTarget::Main(shell),
        is_beside: false,
        spared: Arc::new(move || {
            // As long as another command's shell is being started, any child may be that one.
            let is_provisional = looks.fetch_add(1, Ordering::SeqCst) < 20;
            let pids = if is_provisional { [pid].into() } else { HashSet::new() };
            Spared { pids, is_provisional, ..Spared::default() }
        }),
        report: None,
        older: HashSet::new(),
    };

    assert!(stop(&plan).await.is_empty());

    assert!(!tree::is_alive(left.identity()));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_ladder_begins_with_the_first_signal_that_is_not_ignored() {
    use Rung::{Interrupt, Kill, Terminate};
    let supervisor = launch().await;
    for (ignored, from_interrupt, from_terminate) in [
        ("WINCH", Interrupt, Terminate),
        ("INT", Terminate, Terminate),
        ("TERM", Interrupt, Kill),
        ("INT TERM", Kill, Kill),
    ] {
        let script = format!("trap '' {ignored}; echo ready; exec sleep 1000");
        let (shell, mut said) = start(&supervisor, &script).await;
        said.read_line(&mut String::new()).unwrap();

        assert!(Interrupt.heeded_by(shell.pid()) == from_interrupt, "{ignored}");
        assert!(Terminate.heeded_by(shell.pid()) == from_terminate, "{ignored}");
        assert!(Kill.heeded_by(shell.pid()) == Kill, "{ignored}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn each_rung_is_sent_once_however_often_one_looks() {
    // A wait is over with each signal that is trapped.
    let script = "trap 'echo interrupt' INT; trap 'echo terminate' TERM
                  trap 'echo end; kill $!; exit' PWR
                  sleep 1000 >/dev/null & echo ready; while :; do wait; done";
    let supervisor = launch().await;
    let (shell, mut said) = start(&supervisor, script).await;
    let (targets, mut signalled) = ([shell.identity()], HashMap::new());
    let mut text = String::new();
    said.read_line(&mut text).unwrap();

    signal_once(&targets, Rung::Interrupt, &mut signalled);
    said.read_line(&mut text).unwrap();
    for rung in [Rung::Interrupt, Rung::Terminate, Rung::Terminate] {
        signal_once(&targets, rung, &mut signalled);
    }
    said.read_line(&mut text).unwrap();
    signal_quietly(shell.identity(), libc::SIGPWR);
    said.read_to_string(&mut text).unwrap();

    assert_eq!(text, "ready\ninterrupt\nterminate\nend\n");
}

/// A driven shell that is at `stage` with its command.
#[cfg(target_os = "linux")]
fn driven(child: &Child, stage: u8) -> DrivenTarget {
    let stage = Arc::new(Stage(AtomicU8::new(stage)));
    DrivenTarget { child: child.clone(), sequence: 1, stage }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_driven_shell_is_done_once_it_has_answered_or_is_gone() {
    let supervisor = launch().await;
    let (living, _) = start(&supervisor, "exec sleep 1000").await;
    let (ended, _) = start(&supervisor, "exit").await;
    ended.exited().await;
    for (child, stage, is_done, is_another) in [
        (&living, 0, false, false),
        (&living, Stage::DONE, true, false),
        (&living, Stage::NOT_A_SHELL, false, true),
        (&ended, 0, true, false),
        (&ended, Stage::NOT_A_SHELL, true, false),
    ] {
        let target = driven(child, stage);
        assert_eq!(target.is_another_program(), is_another, "{stage}");
        let shell = ShellTarget::Driven(target);
        assert_eq!(shell.is_done(), is_done, "{stage}");
        assert!(shell.lives_on());
    }
    assert!(!ShellTarget::Main(living.clone()).is_done());
    assert!(ShellTarget::Main(ended).is_done());
    assert!(!ShellTarget::Main(living).lives_on());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stopped_shell_goes_on_and_is_sent_the_driver_s_signal_unless_it_is_another_program() {
    let supervisor = launch().await;
    // Without the driver it dies of its signal.
    let (shell, _) = start(&supervisor, "exec sleep 1000").await;
    let has_stopped = || tree::entry_of(shell.pid()).unwrap().state == tree::ProcessState::Stopped;
    let until = async |stopped: bool| {
        let bound = Instant::now() + Duration::from_secs(30);
        while has_stopped() != stopped {
            assert!(Instant::now() < bound, "never stopped: {stopped}");
            tokio::task::yield_now().await;
        }
    };
    signal_quietly(shell.identity(), STOP);
    until(true).await;

    ShellTarget::Driven(driven(&shell, Stage::NOT_A_SHELL)).interrupt_and_resume();
    until(false).await;
    assert!(tree::is_alive(shell.identity()));

    ShellTarget::Driven(driven(&shell, 0)).interrupt_and_resume();
    let exit = tokio::time::timeout(Duration::from_secs(30), shell.exited()).await.unwrap();
    assert_eq!(exit, ChildExit::Signaled(DRIVER_STOP_SIGNAL));
}

#[tokio::test]
async fn a_stop_beside_the_session_is_for_what_is_below_its_shell_and_below_what_lost_its_parent() {
    let supervisor = launch().await;
    let parent = async || {
        let (shell, mut said) = start(&supervisor, "sleep 1000 & echo; wait").await;
        said.read_line(&mut String::new()).unwrap();
        let child = tree::descendants(shell.pid())[0].identity;
        (shell, child)
    };
    let ((shell, child), (lost, child_of_lost)) = (parent().await, parent().await);
    let (ended, _) = start(&supervisor, "exit").await;
    ended.exited().await;
    let looks = AtomicUsize::new(0);
    let plan = StopPlan {
        supervisor: supervisor.pid(),
        shell: ShellTarget::Main(shell),
        is_beside: true,
        spared: Arc::new(move || {
            let is_provisional = looks.fetch_add(1, Ordering::SeqCst) % 2 == 1;
            Spared { is_provisional, ..Spared::default() }
        }),
        report: None,
        older: HashSet::new(),
    };
    let known = HashSet::from([child, lost.identity(), ended.identity()]);

    let Targets { found, is_whole } = plan.find_targets(&known);

    assert_eq!(found, [child, lost.identity(), child_of_lost]);
    assert!(!is_whole, "the second look was provisional");
    let targets: Vec<_> = plan.targets().into_iter().map(|entry| entry.identity).collect();
    assert_eq!(targets, [child]);
}
