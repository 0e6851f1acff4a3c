//! When a driven session forks a standby: before a command that may end its shell, and when it rests.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use pi_shell::{Concurrency, ExitOutcome, RunOptions, Shell};
use rustix::process::{Pid, Signal};

use crate::read_only::{read, read_only};
use crate::support::{
    PATIENCE, answer, attempt, command, eventually, is_alive, output_of, run, session, status_of,
};

/// The shell and the supervisor above it.
async fn shell_and_supervisor(shell: &Shell) -> (i32, i32) {
    let (output, _) = answer(shell, "echo $BASHPID $PPID").await;
    let mut pids = output.split_whitespace().map(|pid| pid.parse().unwrap());
    (pids.next().unwrap(), pids.next().unwrap())
}

fn children_of(pid: i32) -> BTreeSet<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

fn kill(pid: i32) {
    signal(pid, Signal::KILL);
}

fn signal(pid: i32, signal: Signal) {
    rustix::process::kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// The letter of a process's state (`proc_pid_stat(5)`).
fn state_of(pid: i32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// A session that has run `text` and rests since: it, its bash and its supervisor.
async fn session_with_standby(text: &str) -> (Shell, i32, i32) {
    let shell = session();
    let (bash, supervisor) = shell_and_supervisor(&shell).await;
    run(&shell, text).await;
    eventually("a standby stands", || children_of(supervisor).len() == 2).await;
    (shell, bash, supervisor)
}

/// Kills the shell and waits until it is gone.
async fn end_shell(bash: i32, supervisor: i32) {
    kill(bash);
    eventually("the shell is gone", || !children_of(supervisor).contains(&bash)).await;
}

#[tokio::test]
async fn a_session_that_rests_has_a_standby_with_its_state() {
    let (shell, bash, supervisor) = session_with_standby("x=kept").await;
    end_shell(bash, supervisor).await;

    let result = run(&shell, "echo $x").await;
    assert_eq!(output_of(&result), "kept\n");
    assert!(!result.session_reset, "nothing was lost");
    shell.close().await;
}

#[tokio::test]
async fn a_session_rests_beside_what_its_last_command_left_running() {
    let (shell, bash, supervisor) = session_with_standby("x=before").await;
    let before = children_of(supervisor);
    run(&shell, "x=kept; sleep 1000 &").await;
    let is_another = || before.intersection(&children_of(supervisor)).eq([&bash]);
    eventually("another one does", || is_another() && children_of(supervisor).len() == 2).await;
    end_shell(bash, supervisor).await;

    let result = run(&shell, "echo $x").await;
    assert_eq!((output_of(&result).as_str(), result.session_reset), ("kept\n", false));
    shell.close().await;
}

#[tokio::test]
async fn a_session_whose_shell_and_standby_are_killed_says_that_its_state_is_lost() {
    let (shell, _, supervisor) = session_with_standby("x=1; cd /usr").await;
    for pid in children_of(supervisor) {
        kill(pid);
    }
    eventually("both are gone", || children_of(supervisor).is_empty()).await;

    let result = run(&shell, "echo ${x-gone}; pwd").await;
    assert_eq!((output_of(&result).as_str(), result.session_reset), ("gone\n/usr\n", true));
    shell.close().await;
}

#[tokio::test]
async fn a_session_that_has_changed_nothing_loses_nothing_with_its_shell_and_standby() {
    let shell = session();
    run(&shell, "/bin/true").await;
    let supervisor = shell.root_pid().unwrap();
    eventually("a standby stands", || children_of(supervisor).len() == 2).await;
    for pid in children_of(supervisor) {
        kill(pid);
    }
    eventually("both are gone", || children_of(supervisor).is_empty()).await;

    let result = run(&shell, "echo on").await;
    assert_eq!((output_of(&result).as_str(), result.session_reset), ("on\n", false));
    shell.close().await;
}

#[tokio::test]
async fn a_session_that_rests_readies_its_read_only_commands_for_the_state_that_it_has_by_then() {
    let shell = session();
    let (bash, supervisor) = shell_and_supervisor(&shell).await;
    assert_eq!(read(&shell, "echo $x").await.0, "\n");
    let three = || children_of(supervisor).len() == 3;
    eventually("a confined standby stands beside the other", three).await;
    let before = children_of(supervisor);
    run(&shell, "x=1").await;
    let both_are_others = || before.intersection(&children_of(supervisor)).eq([&bash]);
    eventually("both have been replaced", || three() && both_are_others()).await;

    let ready = children_of(supervisor);
    assert_eq!(read(&shell, "echo $x").await.0, "1\n");
    assert_eq!(children_of(supervisor), ready, "the command found all that it needs");
    shell.close().await;
}

#[tokio::test]
async fn a_shell_that_is_killed_right_after_a_plain_builtin_has_lost_what_the_result_says() {
    for _ in 0..20 {
        let shell = session();
        let (bash, supervisor) = shell_and_supervisor(&shell).await;
        run(&shell, "y=before; :; $(:)").await;
        run(&shell, "x=1").await;
        kill(bash);
        eventually("the shell is gone", || !children_of(supervisor).contains(&bash)).await;

        let result = run(&shell, "echo ${x-gone}").await;
        let expected = if result.session_reset { "gone\n" } else { "1\n" };
        assert_eq!(output_of(&result), expected);
        shell.close().await;
    }
}

#[tokio::test]
async fn an_order_that_a_dead_shell_has_not_read_is_given_to_another() {
    // A subshell, which has its shell's socket and keeps it open; nothing that does.
    for before in ["while :; do sleep 60; done >/dev/null 2>&1 &", "/bin/true;"] {
        let shell = session();
        run(&shell, "x=kept").await;
        let (bash, _) = answer(&shell, &format!("{before} echo $$")).await;
        let bash = bash.trim().parse().unwrap();
        kill(bash);
        // Without a turn of the runtime, which would hear of it.
        while is_alive(bash) {
            std::thread::sleep(Duration::from_millis(1));
        }

        let result = run(&shell, "echo $x").await;
        assert_eq!((output_of(&result).as_str(), status_of(&result)), ("kept\n", 0), "{before}");
        shell.close().await;
    }
}

#[tokio::test]
async fn an_order_that_a_stopped_shell_had_not_read_when_it_was_killed_is_given_to_another() {
    let (shell, bash, _) = session_with_standby("x=kept").await;
    signal(bash, Signal::STOP);
    // Until then it may still read.
    eventually("it is stopped", || state_of(bash) == Some('T')).await;
    let running = tokio::spawn({
        let shell = shell.clone();
        async move { run(&shell, "echo ${x-gone}").await }
    });
    // Until the order is sent; a shell that is dead before has not read it either.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    kill(bash);

    let result = running.await.unwrap();
    assert_eq!((output_of(&result).as_str(), result.session_reset), ("kept\n", false));
    shell.close().await;
}

#[tokio::test]
async fn a_read_only_command_is_run_though_what_its_copies_are_made_from_was_killed() {
    let (shell, bash, supervisor) = session_with_standby("x=kept").await;
    assert_eq!(read(&shell, "echo $x").await.0, "kept\n");
    let mut killed = children_of(supervisor);
    killed.remove(&bash);
    killed.iter().copied().for_each(kill);
    eventually("they are gone", || killed.is_disjoint(&children_of(supervisor))).await;

    assert_eq!(read(&shell, "echo $x").await, ("kept\n".to_owned(), 0));
    shell.close().await;
}

#[tokio::test]
async fn a_read_only_command_sees_nothing_of_what_the_session_has_lost() {
    let (shell, _, supervisor) = session_with_standby("x=1").await;
    let lost = children_of(supervisor);
    let before = attempt(&shell, read_only("echo $x")).await.unwrap();
    assert_eq!((output_of(&before).as_str(), before.session_reset), ("1\n", false));
    // What read-only copies are made from lives on.
    lost.into_iter().for_each(kill);

    let deadline = Instant::now() + PATIENCE;
    let after = loop {
        let after = attempt(&shell, read_only("echo ${x-gone}")).await.unwrap();
        if after.session_reset {
            break after;
        }
        assert!(Instant::now() < deadline, "the loss was never reported");
    };
    assert_eq!(output_of(&after), "gone\n");
    shell.close().await;
}

#[tokio::test]
async fn programs_that_change_nothing_cost_no_standby() {
    let shell = session();
    let (_, supervisor) = shell_and_supervisor(&shell).await;
    run(&shell, "x=1; ls / >/dev/null").await;
    run(&shell, "ls / >/dev/null").await;
    eventually("a standby stands", || children_of(supervisor).len() == 2).await;
    let before = children_of(supervisor);
    for text in ["ls / | head -1", "/bin/echo $x", "true", "(x=2; exit 3)"] {
        run(&shell, text).await;
    }

    assert_eq!(children_of(supervisor), before);
    assert_eq!(answer(&shell, "echo $x").await.0, "1\n");
    shell.close().await;
}

#[tokio::test]
async fn plain_builtins_that_follow_each_other_at_once_cost_no_standby_each() {
    let shell = session();
    let (bash, supervisor) = shell_and_supervisor(&shell).await;
    let mut seen = BTreeSet::new();
    for number in 0..40 {
        run(&shell, &format!("x={number}")).await;
        seen.extend(children_of(supervisor));
    }

    seen.remove(&bash);
    assert!(seen.len() < 20, "a few, where this thread was held up, not {}", seen.len());
    shell.close().await;
}

#[tokio::test]
async fn a_copy_right_after_a_plain_builtin_has_what_it_set() {
    let shell = session();
    for number in 0..30 {
        run(&shell, &format!("x={number}")).await;
        let options = RunOptions { concurrency: Concurrency::Clone, ..command("echo $x") };
        let result = attempt(&shell, options).await.unwrap();
        assert_eq!(output_of(&result), format!("{number}\n"));
    }
    shell.close().await;
}

#[tokio::test]
async fn a_standby_that_was_killed_is_replaced_before_it_is_needed() {
    let (shell, bash, supervisor) = session_with_standby("x=kept").await;
    for standby in children_of(supervisor) {
        if standby != bash {
            kill(standby);
        }
    }
    eventually("it is gone", || children_of(supervisor).len() == 1).await;
    run(&shell, "kill -9 $$").await;

    assert_eq!(answer(&shell, "echo $x").await.0, "kept\n");
    shell.close().await;
}

#[tokio::test]
async fn a_trap_that_runs_beside_plain_builtins_is_reckoned_with() {
    let shell = session();
    run(&shell, "trap 'kill -9 $$' ERR").await;
    run(&shell, "x=kept").await;
    let result = run(&shell, "cd /nowhere").await;

    assert_eq!(result.outcome, ExitOutcome::Signaled { signal: 9 });
    assert_eq!(answer(&shell, "echo $x").await.0, "kept\n");
    shell.close().await;
}

#[tokio::test]
async fn what_a_trap_sets_beside_a_program_is_kept() {
    let shell = session();
    run(&shell, "x=before; trap 'x=trapped' USR1").await;
    run(&shell, "ls / >/dev/null").await;
    run(&shell, "/bin/kill -USR1 $$").await;
    let result = run(&shell, "kill -9 $$").await;

    assert!(result.session_reset);
    assert_eq!(answer(&shell, "echo $x").await.0, "trapped\n");
    shell.close().await;
}

#[tokio::test]
async fn a_function_in_the_place_of_a_plain_builtin_is_reckoned_with() {
    let shell = session();
    run(&shell, "cd() { kill -9 $$; }").await;
    run(&shell, "y=new").await;
    run(&shell, "cd /").await;

    assert_eq!(answer(&shell, "echo $y").await.0, "new\n");
    let changed = "pwd() { builtin pwd; n=changed; }";
    run(&shell, changed).await;
    run(&shell, "pwd").await;
    let options = RunOptions { concurrency: Concurrency::Clone, ..command("echo $n") };
    assert_eq!(output_of(&attempt(&shell, options).await.unwrap()), "changed\n");
    shell.close().await;
}

/// A run that the shell refuses, since its directory is not there.
fn refused() -> RunOptions {
    RunOptions { cwd: Some("/nowhere/at/all".into()), ..command("echo no") }
}

#[tokio::test]
async fn what_was_lost_is_reported_though_a_run_was_refused_in_between() {
    for _ in 0..10 {
        let shell = session();
        let (bash, supervisor) = shell_and_supervisor(&shell).await;
        run(&shell, "y=before; $(:)").await;
        run(&shell, "x=1").await;
        kill(bash);
        eventually("the shell is gone", || !children_of(supervisor).contains(&bash)).await;
        assert!(attempt(&shell, refused()).await.is_err());

        let result = run(&shell, "echo ${x-gone}").await;
        let expected = if result.session_reset { "gone\n" } else { "1\n" };
        assert_eq!(output_of(&result), expected);
        shell.close().await;
    }
}

#[tokio::test]
async fn a_refused_run_loses_neither_the_status_nor_anything_else() {
    let shell = session();
    run(&shell, "(exit 7)").await;
    assert!(attempt(&shell, refused()).await.is_err());
    assert_eq!(answer(&shell, "echo $?").await.0, "7\n");
    run(&shell, "kill -9 $$").await;
    assert!(attempt(&shell, refused()).await.is_err());
    assert_eq!(answer(&shell, "echo $?; x=kept").await.0, "137\n");

    let (bash, supervisor) = shell_and_supervisor(&shell).await;
    // Leaves a standby before it, and changes nothing.
    run(&shell, "ls / >/dev/null").await;
    assert!(attempt(&shell, refused()).await.is_err());
    end_shell(bash, supervisor).await;
    let result = run(&shell, "echo $x").await;
    assert_eq!((output_of(&result).as_str(), result.session_reset), ("kept\n", false));
    shell.close().await;
}

#[tokio::test]
async fn a_shell_in_another_ones_place_has_its_own_pid_after_a_refused_run_too() {
    let shell = session();
    run(&shell, "kill -9 $$").await;
    assert!(attempt(&shell, refused()).await.is_err());

    let (output, _) = answer(&shell, "echo $$ $BASHPID").await;
    let pids: Vec<_> = output.split_whitespace().collect();
    assert_eq!(pids.first(), pids.last(), "{output}");
    run(&shell, "x=kept").await;
    let result = run(&shell, "kill -9 $$").await;
    assert_eq!(result.outcome, ExitOutcome::Signaled { signal: 9 });
    shell.close().await;
}
