//! Sessions whose runs are polled inline, by a thread that is not the runtime's, with `poll(2)` in the place of an event
//! loop. What a run does may not depend on where it is polled.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use pi_shell::{ExitOutcome, InlineRuns, RunOptions, RunResult, Shell, SinkOptions};
use rustix::event::{PollFd, PollFlags, Timespec};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::support::{PATIENCE, Recorder, command, output_of, session, status_of};

/// A thread with an event loop, as Node's is.
struct Host {
    runtime: Runtime,
    runs: Arc<InlineRuns>,
    shell: Shell,
}

type Report = mpsc::Receiver<RunResult>;

impl Host {
    fn new() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let runs = InlineRuns::new(runtime.handle()).unwrap();
        Self { runtime, runs, shell: session() }
    }

    fn begin(&self, options: RunOptions, cancel: &CancellationToken) -> Report {
        let (tell, report) = mpsc::channel();
        let (shell, cancel) = (self.shell.clone(), cancel.clone());
        self.runs.begin(async move {
            let result = shell.run_to_end(options, Arc::new(Recorder::default()), cancel).await;
            tell.send(result.unwrap()).unwrap();
        });
        report
    }

    /// Turns its loop until the run has ended.
    fn end(&self, report: &Report) -> RunResult {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut watched = [PollFd::new(&*self.runs, PollFlags::IN)];
            let moment = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };
            if rustix::event::poll(&mut watched, Some(&moment)).unwrap() > 0 {
                self.runs.turn();
            }
            if let Ok(result) = report.try_recv() {
                return result;
            }
            assert!(Instant::now() < deadline, "the run never settled");
        }
    }

    fn answer(&self, text: &str) -> (String, i32) {
        let result = self.end(&self.begin(command(text), &CancellationToken::new()));
        assert!(!result.session_reset, "{text}");
        (output_of(&result), status_of(&result))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.runtime.block_on(self.shell.close());
    }
}

#[test]
fn a_session_is_the_same_whoever_polls_it() {
    let host = Host::new();
    for (text, output, status) in [
        ("x=1; f() { return 4; }; cd /tmp", "", 0),
        ("echo $x $PWD; f", "1 /tmp\n", 4),
        ("exit 3", "", 3),
        ("/bin/echo $x; (exit 5)", "1\n", 5),
        ("seq 1 100000 | tail -1", "100000\n", 0),
        ("echo $x; kill -9 $$", "1\n", 137),
    ] {
        let result = host.end(&host.begin(command(text), &CancellationToken::new()));
        assert_eq!((output_of(&result).as_str(), status_of(&result)), (output, status), "{text}");
    }
    assert_eq!(host.answer("echo $x; f"), ("1\n".to_owned(), 4), "the standby has taken over");
}

#[test]
fn runs_of_one_session_have_their_turns_in_the_order_of_their_calls() {
    let host = Host::new();
    let texts = (0..30).map(|number| match number % 3 {
        0 => format!("order+={number},"),
        1 => format!("/bin/true; order+={number},"),
        _ => format!("sleep 0.002; order+={number},"),
    });
    let runs: Vec<Report> =
        texts.map(|text| host.begin(command(&text), &CancellationToken::new())).collect();
    for run in &runs {
        host.end(run);
    }

    let expected: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    assert_eq!(host.answer("echo $order").0, format!("{},\n", expected.join(",")));
}

#[test]
fn output_that_no_pipe_holds_is_taken_while_the_loop_stands_still() {
    let host = Host::new();
    host.answer(":");
    let folder = tempfile::tempdir().unwrap();
    let done = folder.path().join("done");
    // A builtin, so that nothing moves the run to the runtime but the time that it takes.
    let text = format!("printf '%0300000d' 1; : >{}", done.display());
    let report = host.begin(command(&text), &CancellationToken::new());
    let deadline = Instant::now() + PATIENCE;
    while !done.exists() {
        assert!(Instant::now() < deadline, "the command stands still with its host");
        std::thread::yield_now();
    }

    assert_eq!(host.end(&report).output.unwrap().total_bytes, 300_000);
}

#[test]
fn a_deadline_and_a_cancel_hold_while_the_loop_stands_still() {
    let host = Host::new();
    host.answer("x=kept");
    let options = RunOptions {
        timeout: Some(Duration::from_millis(50)),
        ..command("read -t 300 < <(sleep 300)")
    };
    let report = host.begin(options, &CancellationToken::new());
    let result = report.recv_timeout(PATIENCE).unwrap();
    assert_eq!(result.outcome, ExitOutcome::TimedOut);

    let cancel = CancellationToken::new();
    let report = host.begin(command("while :; do :; done"), &cancel);
    cancel.cancel();
    assert_eq!(report.recv_timeout(PATIENCE).unwrap().outcome, ExitOutcome::Cancelled);
    assert_eq!(host.answer("echo $x").0, "kept\n");
}

#[test]
fn a_copy_runs_beside_an_inline_run_and_has_what_the_one_before_set() {
    let host = Host::new();
    for number in 0..20 {
        let before = host.begin(command(&format!("x={number}")), &CancellationToken::new());
        let options = RunOptions {
            concurrency: pi_shell::Concurrency::Clone,
            ..command("echo $x; x=changed")
        };
        host.end(&before);
        let copy = host.begin(options, &CancellationToken::new());
        assert_eq!(output_of(&host.end(&copy)), format!("{number}\n"));
    }
    assert_eq!(host.answer("echo $x").0, "19\n");
}

/// Bytes that this thread has written to files and pipes.
fn written_here() -> u64 {
    let report = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    report.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap().parse().unwrap()
}

#[test]
fn a_file_of_the_output_is_written_by_another_thread_than_the_callers() {
    let host = Host::new();
    host.answer(":");
    let folder = tempfile::tempdir().unwrap();
    let limits = SinkOptions::default();
    for (number, options) in [
        SinkOptions { max_bytes: 1000, ..limits.clone() },
        SinkOptions { max_bytes: 200_000, max_line_bytes: Some(1000), ..limits.clone() },
        SinkOptions { max_bytes: 200_000, spill_from_start: true, ..limits },
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.path().join(number.to_string());
        let sink = Some(SinkOptions { spill_path: Some(file.clone()), ..options });
        // A plain builtin whose output is there with its report, which this thread takes.
        let run = RunOptions { sink, ..command("printf '%050000d\n' 1") };
        let before = written_here();
        let result = host.end(&host.begin(run, &CancellationToken::new()));
        let written = written_here() - before;

        assert_eq!(result.outcome, ExitOutcome::Exited { code: 0 });
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 50_001);
        assert!(written < 5_000, "{written} bytes, of which 50,001 are the file's");
    }
}
