//! Real programs on real terminals: what they are given, how they end, and what is left of them.
//! Programs that a person drives are tested from JavaScript, with a screen. One file, since all of them are started and
//! watched by the same few functions.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pi_output::SinkUpdate;
use pi_process::tree::{self, ProcessIdentity};
use pi_waiting::Report;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{OnStart, PtyArgvStartOptions, PtyError, PtyOptions, PtySession, PtyStartOptions};
use crate::executable::executable;
use crate::observer::Observer;
use crate::outcome::ExitOutcome;

/// Far more than anything takes on a busy machine; reached only by a defect.
const PATIENCE: Duration = Duration::from_secs(30);

/// A screen that remembers everything, and takes pieces only while it has permits.
struct Screen {
    text: Mutex<String>,
    reports: Mutex<Vec<Report>>,
    permits: Semaphore,
}

impl Screen {
    fn new() -> Arc<Self> {
        Self::with_permits(Semaphore::MAX_PERMITS)
    }

    fn with_permits(permits: usize) -> Arc<Self> {
        let permits = Semaphore::new(permits);
        Arc::new(Self { text: Mutex::default(), reports: Mutex::default(), permits })
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }
}

impl Observer for Screen {
    fn wants_chunks(&self) -> bool {
        true
    }

    fn chunk(&self, text: &str) {
        self.text.lock().unwrap().push_str(text);
    }

    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async { self.permits.acquire().await.unwrap().forget() })
    }

    fn wants_updates(&self) -> bool {
        false
    }

    fn update(&self, _: SinkUpdate) {}

    fn wants_quiet(&self) -> bool {
        true
    }

    fn quiet(&self, report: Report) {
        self.reports.lock().unwrap().push(report);
    }
}

fn options() -> PtyOptions {
    let env = vec![("LC_ALL".to_owned(), "C.UTF-8".to_owned())];
    PtyOptions { supervisor: Some(executable().to_path_buf()), env, ..PtyOptions::default() }
}

fn command(text: &str) -> PtyStartOptions {
    PtyStartOptions { command: text.to_owned(), options: options(), ..Default::default() }
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("still not settled")
}

async fn run(text: &str) -> (ExitOutcome, String) {
    let screen = Screen::new();
    let session = PtySession::new();
    let started = session.start(command(text), screen.clone(), None, &CancellationToken::new());
    let result = within(started).await.unwrap();
    (result.outcome, screen.text())
}

/// A program that runs beside the test.
struct Running {
    session: PtySession,
    screen: Arc<Screen>,
    cancel: CancellationToken,
    end: tokio::task::JoinHandle<Result<super::PtyResult, PtyError>>,
}

impl Running {
    fn start(options: PtyStartOptions, screen: Arc<Screen>, on_start: Option<OnStart>) -> Self {
        let session = PtySession::new();
        let cancel = CancellationToken::new();
        let end = tokio::spawn(session.start(options, screen.clone(), on_start, &cancel));
        Self { session, screen, cancel, end }
    }

    async fn shows(&self, text: &str) {
        eventually(text, || self.screen.text().contains(text)).await;
    }

    async fn outcome(self) -> ExitOutcome {
        within(self.end).await.unwrap().unwrap().outcome
    }
}

/// Polls until `condition` holds.
async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Identities of the pids that a program printed, one a line.
fn printed(text: &str) -> Vec<ProcessIdentity> {
    let pids = text.lines().filter_map(|line| line.trim().parse().ok());
    pids.map(|pid| tree::identity_of(pid).expect("it lives")).collect()
}

#[tokio::test]
async fn the_result_says_what_the_program_and_its_children_used() {
    let needs_memory = command("head -c 60000000 /dev/zero | tail -c 50331648 | wc -c");
    let session = PtySession::new();
    let started = session.start(needs_memory, Screen::new(), None, &CancellationToken::new());
    let usage = within(started).await.unwrap().usage.unwrap();
    assert!(usage.peak_memory_bytes.unwrap() >= 48 * 1024 * 1024, "{usage:?}");
    assert!(usage.user + usage.system > Duration::ZERO);
}

#[tokio::test]
async fn every_byte_and_the_status_arrive_however_short_the_program_lives() {
    for _ in 0..10 {
        let (outcome, text) = run("seq 1 20000; exit 7").await;

        assert_eq!(outcome, ExitOutcome::Exited { code: 7 });
        assert_eq!(text.len(), 128_894);
        assert!(text.ends_with("19999\r\n20000\r\n"));
    }
}

#[tokio::test]
async fn a_program_has_a_controlling_terminal_of_the_default_size_that_it_leads() {
    let (outcome, text) = run("read -r _ _ _ _ _ session _ </proc/$$/stat; stty size </dev/tty; \
                               test -t 0 && test $session = $$ && echo \"$TERM\"")
    .await;

    assert_eq!(outcome, ExitOutcome::Exited { code: 0 });
    assert_eq!(text, "40 120\r\nxterm-256color\r\n");
}

/// Bash takes a terminal for its own where it has none.
#[tokio::test]
async fn a_program_other_than_bash_has_a_controlling_terminal_too() {
    let screen = Screen::new();
    let options = PtyArgvStartOptions {
        application: "stty".to_owned(),
        args: ["-F", "/dev/tty", "size"].map(str::to_owned).to_vec(),
        options: options(),
    };
    let started =
        PtySession::new().start_argv(options, screen.clone(), None, &CancellationToken::new());

    assert_eq!(within(started).await.unwrap().outcome, ExitOutcome::Exited { code: 0 });
    assert_eq!(screen.text(), "40 120\r\n");
}

#[tokio::test]
async fn py_05_the_end_of_file_key_ends_a_reader() {
    let running = Running::start(command("cat"), Screen::new(), None);
    running.session.write(b"hi\n\x04").unwrap();

    let screen = running.screen.clone();
    assert_eq!(running.outcome().await, ExitOutcome::Exited { code: 0 });
    assert_eq!(screen.text(), "hi\r\nhi\r\n");
}

#[tokio::test]
async fn a_quiet_terminal_is_reported_with_who_reads_it_and_what_was_typed_by_then() {
    let running = Running::start(command("exec cat"), Screen::new(), None);
    let reads = |typed: u64| {
        let reports = running.screen.reports.lock().unwrap();
        let is_cat = |report: &Report| report.readers.iter().any(|it| it.program.name == "cat");
        reports.iter().any(|report| report.typed_bytes == typed && is_cat(report))
    };
    eventually("a report of `cat`", || reads(0)).await;
    running.session.write(b"hi\n").unwrap();
    running.shows("hi").await;

    eventually("a report of `cat` behind what was typed", || reads(3)).await;
    running.session.write(b"\x04").unwrap();
    assert_eq!(running.outcome().await, ExitOutcome::Exited { code: 0 });
}

#[tokio::test]
async fn py_04_the_interrupt_key_ends_a_program() {
    let running = Running::start(command("echo ready; sleep 300"), Screen::new(), None);
    running.shows("ready").await;
    // The shell may still be starting `sleep`; either of them dies of it.
    running.session.write(b"\x03").unwrap();

    let outcome = running.outcome().await;
    assert!(
        matches!(outcome, ExitOutcome::Exited { code: 130 } | ExitOutcome::Signaled { signal: 2 }),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn what_is_asked_for_before_the_program_runs_is_done_when_it_does() {
    let session = PtySession::new();
    let screen = Screen::new();
    let started = session.start(
        command("read line; stty size; echo \"$line\"; sleep 300"),
        screen.clone(),
        None,
        &CancellationToken::new(),
    );
    // Nothing was polled yet.
    session.resize(100, 30).unwrap();
    session.write(b"early\n").unwrap();
    let end = tokio::spawn(started);
    eventually("the line", || screen.text().ends_with("30 100\r\nearly\r\n")).await;
    session.kill(Some(9)).unwrap();

    let outcome = within(end).await.unwrap().unwrap().outcome;
    assert_eq!(outcome, ExitOutcome::Signaled { signal: 9 });
}

#[tokio::test]
async fn a_signal_is_for_the_group_in_the_foreground_and_not_for_the_shell_that_waits_for_it() {
    let script = "set -m; sh -c 'echo ready; exec sleep 300'; echo status $?";
    let running = Running::start(command(script), Screen::new(), None);
    running.shows("ready").await;
    running.session.kill(Some(15)).unwrap();

    let screen = running.screen.clone();
    assert_eq!(running.outcome().await, ExitOutcome::Exited { code: 0 });
    assert!(screen.text().ends_with("status 143\r\n"), "{}", screen.text());
}

#[tokio::test]
async fn py_03_a_session_that_does_not_run_says_so_and_can_be_started_again() {
    let session = PtySession::new();
    for _ in 0..2 {
        for refused in [
            session.write(b"x").map(drop),
            session.resize(0, 70_000),
            session.kill(None),
            session.kill(Some(15)),
        ] {
            assert_eq!(refused.unwrap_err().to_string(), "PTY session is not running");
        }
        let screen = Screen::new();
        let cancel = CancellationToken::new();
        let started = session.start(command("echo once"), screen.clone(), None, &cancel);
        let second = session.start(command("echo twice"), screen.clone(), None, &cancel);
        assert_eq!(second.await.unwrap_err().to_string(), "PTY session already running");
        assert!(session.resize(0, 70_000).is_ok());
        assert_eq!(session.kill(Some(4711)).unwrap_err().code(), "PI_INVALID_OPTION");

        within(started).await.unwrap();
        assert_eq!(screen.text(), "once\r\n");
    }
}

#[tokio::test]
async fn py_10_a_kill_ends_the_whole_tree_whatever_it_ignores() {
    let script = "trap '' HUP TERM INT; sleep 300 | cat & setsid sleep 300 & \
                  (trap '' HUP TERM INT; while :; do sleep 300; done) & jobs -p; wait";
    let running = Running::start(command(script), Screen::new(), None);
    eventually("three pids", || running.screen.text().lines().count() == 3).await;
    let members = printed(&running.screen.text());
    running.session.kill(None).unwrap();

    assert_eq!(running.outcome().await, ExitOutcome::Cancelled);
    for member in members {
        assert_ne!(tree::identity_of(member.pid), Some(member));
    }
}

#[tokio::test]
async fn a_program_is_hung_up_before_it_is_killed() {
    let script = "trap 'echo saved; exit' HUP; echo ready; while :; do sleep 0.05; done";
    let running = Running::start(command(script), Screen::new(), None);
    running.shows("ready").await;
    running.cancel.cancel();
    let screen = running.screen.clone();

    assert_eq!(running.outcome().await, ExitOutcome::Cancelled);
    assert!(screen.text().ends_with("saved\r\n"), "{}", screen.text());
}

#[tokio::test]
async fn a_deadline_ends_a_program_that_prints_for_ever_without_a_reader() {
    let mut forever = command("trap '' HUP TERM; yes");
    forever.options.timeout = Some(Duration::from_millis(300));
    let running = Running::start(forever, Screen::with_permits(0), None);

    assert_eq!(running.outcome().await, ExitOutcome::TimedOut);
}

#[tokio::test]
async fn a_daemon_that_holds_the_terminal_ends_with_its_leader() {
    let script = "(trap '' HUP; exec setsid sleep 300) & echo $!; exit 3";
    let (started, pid) = std::sync::mpsc::channel();
    let tell: OnStart = Box::new(move |pid| started.send(pid).unwrap());
    let running = Running::start(command(script), Screen::new(), Some(tell));
    let screen = running.screen.clone();

    assert_eq!(running.outcome().await, ExitOutcome::Exited { code: 3 });
    let daemon: i32 = screen.text().trim().parse().unwrap();
    assert_ne!(daemon, pid.recv().unwrap());
    assert!(tree::identity_of(daemon).is_none());
}

#[tokio::test]
async fn a_slow_consumer_gets_every_byte_of_a_program_that_ended_long_ago() {
    let screen = Screen::with_permits(0);
    let (started, pid) = std::sync::mpsc::channel();
    let tell: OnStart = Box::new(move |pid| started.send(pid).unwrap());
    // Less than the kernel holds while no one reads, and a consumer that takes nothing.
    let running =
        Running::start(command("printf '%*s' 1000 x; exit 5"), screen.clone(), Some(tell));
    eventually("a first piece", || !screen.text().is_empty()).await;
    let pid = pid.recv().unwrap();
    eventually("its end", || tree::identity_of(pid).is_none()).await;
    assert!(!running.end.is_finished());
    screen.permits.add_permits(1_000);

    assert_eq!(running.outcome().await, ExitOutcome::Exited { code: 5 });
    assert_eq!(screen.text().len(), 1_000);
}

#[tokio::test]
async fn py_11_a_megabyte_typed_at_once_is_queued_and_arrives() {
    let running = Running::start(
        command("stty raw -echo; echo ready; head -c 1048576 | cksum"),
        Screen::new(),
        None,
    );
    running.shows("ready").await;
    let has_room = running.session.write(&vec![b'x'; 1024 * 1024]).unwrap();
    assert!(!has_room, "back-pressure is reported");
    let screen = running.screen.clone();

    assert_eq!(running.outcome().await, ExitOutcome::Exited { code: 0 });
    // `head -c 1048576 /dev/zero | tr '\0' x | cksum`
    assert!(screen.text().contains("2477837332 1048576"), "{}", screen.text());
}

#[tokio::test]
async fn input_without_a_reader_is_bounded() {
    let running =
        Running::start(command("stty raw -echo; echo ready; sleep 300"), Screen::new(), None);
    running.shows("ready").await;
    let piece = vec![b'x'; 4 * 1024 * 1024];
    let refused = (0..6).find_map(|_| running.session.write(&piece).err()).unwrap();
    assert_eq!(refused.code(), "PI_PTY_INPUT_FULL");
    // Less than a piece has room left, and the terminal took little.
    let pending = running.session.pending_input();
    assert!((3 * piece.len()..=4 * piece.len()).contains(&pending), "{pending}");
    running.session.kill(None).unwrap();

    assert_eq!(running.outcome().await, ExitOutcome::Cancelled);
}

#[tokio::test]
async fn py_15_a_terminal_is_not_held_open_by_another_session() {
    let long = Running::start(command("echo up; sleep 300"), Screen::new(), None);
    let both = tokio::join!(run("echo hi"), run("ls -l /proc/self/fd | grep -c pts"));
    assert_eq!(both.0, (ExitOutcome::Exited { code: 0 }, "hi\r\n".to_owned()));
    // `ls` has its own three, `/proc/self/fd` is not one of them.
    assert_eq!(both.1.1.trim().parse(), Ok(2), "grep has the pipe, ls two of the terminal");
    long.session.kill(None).unwrap();
    assert_eq!(long.outcome().await, ExitOutcome::Cancelled);
}

#[tokio::test]
async fn a_program_that_cannot_start_is_an_error_that_names_it() {
    let session = PtySession::new();
    let cancel = CancellationToken::new();
    let argv = |application: &str| PtyArgvStartOptions {
        application: application.to_owned(),
        args: Vec::new(),
        options: options(),
    };
    for (name, text) in [
        ("/nope/at/all", "Failed to spawn PTY command: `/nope/at/all`: No such file"),
        ("/etc/passwd", "Failed to spawn PTY command: `/etc/passwd`: Permission denied"),
        ("no-such-program-here", "Failed to spawn PTY command: no `no-such-program-here` in PATH"),
    ] {
        let error = within(session.start_argv(argv(name), Screen::new(), None, &cancel)).await;
        let error = error.unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
        assert_eq!(error.code(), "PI_PTY_SPAWN");
    }
    let mut nowhere = command("true");
    nowhere.options.cwd = Some("/nope".into());
    let error = within(session.start(nowhere, Screen::new(), None, &cancel)).await.unwrap_err();
    assert_eq!(error.to_string(), "Working directory does not exist: /nope");
}

#[tokio::test]
async fn arguments_reach_a_program_as_they_are() {
    let screen = Screen::new();
    let options = PtyArgvStartOptions {
        application: "printf".to_owned(),
        args: ["%s|", "a b", "$HOME", "", "é"].map(str::to_owned).to_vec(),
        options: options(),
    };
    let started =
        PtySession::new().start_argv(options, screen.clone(), None, &CancellationToken::new());

    assert_eq!(within(started).await.unwrap().outcome, ExitOutcome::Exited { code: 0 });
    assert_eq!(screen.text(), "a b|$HOME||é|");
}

#[tokio::test]
async fn a_program_runs_in_its_folder_with_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let screen = Screen::new();
    let mut options = options();
    options.cwd = Some(folder.clone());
    options.env.push(("OF_THE_CALL".to_owned(), "yes".to_owned()));
    let start = PtyStartOptions {
        command: "pwd -P; echo $OF_THE_CALL".to_owned(),
        options,
        ..Default::default()
    };
    let started = PtySession::new().start(start, screen.clone(), None, &CancellationToken::new());

    assert_eq!(within(started).await.unwrap().outcome, ExitOutcome::Exited { code: 0 });
    assert_eq!(screen.text(), format!("{}\r\nyes\r\n", folder.display()));
}

#[tokio::test]
async fn a_start_that_was_cancelled_before_starts_nothing() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let tell: OnStart = Box::new(|_| panic!("it started"));
    let started = PtySession::new().start(command("echo x"), Screen::new(), Some(tell), &cancel);

    assert_eq!(within(started).await.unwrap().outcome, ExitOutcome::Cancelled);
}

#[tokio::test]
async fn a_session_that_is_dropped_while_it_runs_takes_its_program_along() {
    let (started, pid) = std::sync::mpsc::channel();
    let tell: OnStart = Box::new(move |pid| started.send(pid).unwrap());
    let running = Running::start(command("echo up; sleep 300"), Screen::new(), Some(tell));
    running.shows("up").await;
    let program = tree::identity_of(pid.recv().unwrap()).unwrap();
    running.end.abort();

    eventually("its end", || tree::identity_of(program.pid) != Some(program)).await;
    eventually("a free session", || running.session.kill(None).is_err()).await;
}

#[tokio::test]
async fn many_terminals_in_a_row_leave_no_descriptor() {
    run("true").await;
    let before = open_terminals();
    for _ in 0..30 {
        assert_eq!(run("true").await.0, ExitOutcome::Exited { code: 0 });
    }
    // Other tests of this process have terminals of their own, but none of these.
    assert!(open_terminals() < before + 30);
}

/// How many of this process's descriptors are controller ends.
fn open_terminals() -> usize {
    let entries = std::fs::read_dir("/proc/self/fd").unwrap();
    let links = entries.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    links.filter(|link| link.to_string_lossy().contains("ptmx")).count()
}
