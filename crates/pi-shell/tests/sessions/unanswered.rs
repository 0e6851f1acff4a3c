//! Commands one of whose programs waits for a person's input, though the command has no terminal.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use pi_shell::{ExitOutcome, OnInputWait, RunOptions, RunResult};

use crate::support::{
    answer, attempt, command, eventually, is_alive, output_of, run, session, skip,
};

/// More than a wait that counts needs to be seen: a quarter of a second, and the two seconds that it has to last.
const LONG_ENOUGH: Duration = Duration::from_secs(5);

/// Waits to read what only it writes, as `vim` does.
const READS_ITS_OUTPUT: &str = "python3 -c 'import select; select.select([2], [], [])'";

/// The same as one of an event loop's, whose other descriptors may bring work.
const WATCHES_ITS_OUTPUT: &str = "python3 -c '
import os, select
r, w = os.pipe()
select.select([1, r], [], [])'";

/// Another thread of the program watches for the end of the output's reader.
const WATCHES_IN_A_THREAD: &str = "python3 -c '
import select, threading, time
threading.Thread(target=lambda: select.select([1], [], []), daemon=True).start()
time.sleep(60)'";

/// `asyncio` watches the pipe that it writes to.
const WRITES_BY_ASYNCIO: &str = "python3 -c '
import asyncio, sys
async def main():
    loop = asyncio.get_running_loop()
    await loop.connect_write_pipe(asyncio.BaseProtocol, sys.stdout)
    await asyncio.sleep(60)
asyncio.run(main())'";

/// A program reads a terminal whose other end waits for that program.
const READS_INNER_TERMINAL: &str =
    "python3 -c 'import pty; pty.spawn([\"sh\", \"-c\", \"read answer </dev/tty\"])'";

/// The same where the other end goes on by itself after a time.
const EXPECTS_FOR_A_TIME: &str = "python3 -c '
import os, pty, select
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(\"sh\", [\"sh\", \"-c\", \"read answer\"])
select.select([terminal], [], [], 60)'";

fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skip(&format!("there is no {program}"));
    }
    found
}

async fn within(text: &str, timeout: Duration, on_input_wait: OnInputWait) -> RunResult {
    let shell = session();
    let options = RunOptions { timeout: Some(timeout), on_input_wait, ..command(text) };
    let result = attempt(&shell, options).await.unwrap();
    shell.close().await;
    result
}

/// Runs a command that is ended for a program of this name, and checks what it leaves.
async fn check_ended(text: &str, program: &str) {
    let shell = session();
    run(&shell, "KEPT=yes").await;
    let options = RunOptions { timeout: Some(Duration::from_secs(25)), ..command(text) };

    let result = attempt(&shell, options).await.unwrap();

    assert_eq!(result.outcome, ExitOutcome::Unanswered, "{text}: {}", output_of(&result));
    let wanted = result.input_wanted.unwrap();
    assert!(wanted.program.starts_with(program), "{wanted:?}");
    assert!(result.survivors.is_empty(), "{:?}", result.survivors);
    assert!(!is_alive(wanted.pid), "{wanted:?} is left");
    assert_eq!(answer(&shell, "echo $KEPT").await, ("yes\n".to_owned(), 0));
    shell.close().await;
}

#[tokio::test]
async fn a_program_that_waits_to_read_its_own_output_ends_the_command() {
    if has("python3") {
        check_ended(READS_ITS_OUTPUT, "python").await;
    }
}

#[tokio::test]
async fn a_program_that_reads_a_terminal_without_a_person_ends_the_command() {
    if has("python3") {
        check_ended(READS_INNER_TERMINAL, "sh").await;
    }
}

#[tokio::test]
async fn vim_ends_the_command_and_what_follows_it_does_not_run() {
    if !has("vim") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let never = folder.path().join("never");
    let begin = Instant::now();
    check_ended(
        &format!("vim -u NONE {}/f; : >{}", folder.path().display(), never.display()),
        "vim",
    )
    .await;
    assert!(!never.exists());
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[tokio::test]
async fn a_commit_that_opens_vim_is_ended_and_leaves_nothing_of_it() {
    if !has("vim") || !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().display();
    let script = format!(
        "cd {home}; export HOME={home}; git init -q .; git config user.email a@b.c; git config user.name a
        GIT_EDITOR='vim -u NONE' git commit --allow-empty"
    );
    check_ended(&script, "vim").await;
    assert!(!Path::new(&format!("{home}/.git/.COMMIT_EDITMSG.swp")).exists(), "vim was killed");
}

#[tokio::test]
async fn a_command_that_is_only_to_be_noted_goes_on_and_its_result_says_who_waits() {
    if !has("python3") {
        return;
    }
    let result = within(READS_ITS_OUTPUT, LONG_ENOUGH, OnInputWait::Note).await;
    assert_eq!(result.outcome, ExitOutcome::TimedOut);
    assert!(result.input_wanted.unwrap().program.starts_with("python"));
}

#[tokio::test]
async fn a_wait_that_is_over_is_not_noted() {
    if !has("python3") {
        return;
    }
    let text = "python3 -c 'import select; select.select([2], [], [], 3.5)'; echo over; sleep 1";
    let result = within(text, Duration::from_secs(25), OnInputWait::Note).await;
    assert_eq!(result.outcome, ExitOutcome::Exited { code: 0 });
    assert_eq!(result.input_wanted, None);
}

#[tokio::test]
async fn silent_work_is_never_taken_for_a_wait() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().display();
    let mut texts = vec![
        "sleep 60 | cat".to_owned(),
        format!("mkfifo {home}/f; cat {home}/f"),
        format!("flock {home}/l sleep 60 & sleep 0.2; flock {home}/l true"),
        "sleep 60".to_owned(),
        format!(": >{home}/log; tail -f {home}/log"),
        "sleep 60 > >(cat)".to_owned(),
        "coproc cat; read -r line <&\"${COPROC[0]}\"".to_owned(),
        "cat </dev/tcp/127.0.0.1/9 || sleep 60".to_owned(),
    ];
    if has("python3") {
        let programs =
            [WATCHES_ITS_OUTPUT, WATCHES_IN_A_THREAD, WRITES_BY_ASYNCIO, EXPECTS_FOR_A_TIME];
        texts.extend(programs.map(str::to_owned));
        texts.push(format!("{READS_ITS_OUTPUT} & while :; do :; done"));
    }
    let mut runs = Vec::new();
    for text in texts {
        runs.push(tokio::spawn(async move {
            let result = within(&text, LONG_ENOUGH, OnInputWait::End).await;
            assert_eq!(result.outcome, ExitOutcome::TimedOut, "{text}: {}", output_of(&result));
            assert_eq!(result.input_wanted, None, "{text}");
        }));
    }
    for run in runs {
        run.await.unwrap();
    }
}

#[tokio::test]
async fn a_program_of_an_earlier_command_ends_no_later_one() {
    if !has("python3") {
        return;
    }
    let shell = session();
    let result = run(&shell, &format!("{READS_ITS_OUTPUT} & echo $!")).await;
    let pid = output_of(&result).trim().parse().unwrap();
    let options = RunOptions { timeout: Some(LONG_ENOUGH), ..command("sleep 60") };

    let result = attempt(&shell, options).await.unwrap();

    assert_eq!(result.outcome, ExitOutcome::TimedOut);
    assert!(is_alive(pid));
    shell.close().await;
    eventually("it ends with its session", || !is_alive(pid)).await;
}
