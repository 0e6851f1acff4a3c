//! Inline runs, with `poll(2)` in the place of an event loop and a pipe in the place of a shell.

use std::os::fd::OwnedFd;
use std::sync::mpsc;
use std::thread::ThreadId;

use rustix::event::{PollFd, PollFlags};
use tokio::runtime::{Builder, Runtime};

use super::*;
use crate::inline::{elsewhere, is_inline, report_of};

/// Longest wait for anything here.
const LIMIT: Duration = Duration::from_secs(10);

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// A pipe that a run expects its report on.
fn report() -> (Arc<OwnedFd>, OwnedFd) {
    let (reader, writer) = pi_process::sys::pipe().unwrap();
    rustix::io::ioctl_fionbio(&reader, true).unwrap();
    (Arc::new(reader), writer)
}

/// Waits for a byte as a shell's channel does, and says on which thread it came.
async fn heard_on(report: Arc<OwnedFd>) -> ThreadId {
    let mut byte = [0_u8; 1];
    loop {
        if rustix::io::read(&*report, &mut byte).is_ok() {
            return std::thread::current().id();
        }
        if is_inline() {
            report_of(&report).await;
        } else {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

fn wait_readable(runs: &InlineRuns) {
    let mut watched = [PollFd::new(runs, PollFlags::IN)];
    let limit = Timespec { tv_sec: 10, tv_nsec: 0 };
    assert_eq!(rustix::event::poll(&mut watched, Some(&limit)), Ok(1));
}

/// Begins a run that tells where its report was heard.
fn begin_hearing(runs: &Arc<InlineRuns>, report: &Arc<OwnedFd>) -> mpsc::Receiver<ThreadId> {
    let (tell, heard) = mpsc::channel();
    let report = Arc::clone(report);
    runs.begin(async move { tell.send(heard_on(report).await).unwrap() });
    heard
}

/// Whether a report that is there is heard on this thread, in one of many tries: the machine may hold this thread up for
/// longer than the patience, and then the run is the runtime's, once.
fn is_heard_here(turn: impl Fn(&Arc<InlineRuns>)) -> bool {
    let runtime = runtime();
    let runs = InlineRuns::new(runtime.handle()).unwrap();
    let (report, writer) = report();
    (0..20).any(|_| {
        let heard = begin_hearing(&runs, &report);
        rustix::io::write(&writer, b"x").unwrap();
        turn(&runs);
        heard.recv_timeout(LIMIT).unwrap() == std::thread::current().id()
    })
}

#[test]
fn a_run_whose_report_comes_at_once_ends_on_the_thread_that_began_it() {
    assert!(is_heard_here(|runs| {
        wait_readable(runs);
        runs.turn();
    }));
}

#[test]
fn a_report_that_comes_during_a_wait_in_the_call_is_heard_there() {
    assert!(is_heard_here(|runs| runs.turn_within(LIMIT)));
}

#[test]
fn a_run_whose_report_is_late_goes_on_in_the_runtime_without_its_thread() {
    let runtime = runtime();
    let runs = InlineRuns::new(runtime.handle()).unwrap();
    let (report, writer) = report();
    let heard = begin_hearing(&runs, &report);
    // Nothing calls `turn`: the thread is busy.
    let end = Instant::now() + LIMIT;
    while runs.has_parked() {
        assert!(Instant::now() < end, "it is still parked");
        std::thread::yield_now();
    }
    rustix::io::write(&writer, b"x").unwrap();

    assert_ne!(heard.recv_timeout(LIMIT).unwrap(), std::thread::current().id());
}

#[test]
fn a_run_that_is_woken_goes_on_in_the_runtime() {
    let runtime = runtime();
    let runs = InlineRuns::new(runtime.handle()).unwrap();
    let (report, _writer) = report();
    let cancel = tokio_util::sync::CancellationToken::new();
    let (tell, heard) = mpsc::channel();
    let cancelled = cancel.clone();
    runs.begin(async move {
        tokio::select! {
            _ = heard_on(report) => {}
            () = cancelled.cancelled() => tell.send(std::thread::current().id()).unwrap(),
        }
    });
    cancel.cancel();

    assert_ne!(heard.recv_timeout(LIMIT).unwrap(), std::thread::current().id());
}

#[test]
fn what_may_block_is_done_in_the_runtime() {
    let runtime = runtime();
    let runs = InlineRuns::new(runtime.handle()).unwrap();
    let (tell, heard) = mpsc::channel();
    runs.begin(async move {
        elsewhere().await;
        tell.send(std::thread::current().id()).unwrap();
    });
    assert!(!is_inline(), "only while a run is polled");

    assert_ne!(heard.recv_timeout(LIMIT).unwrap(), std::thread::current().id());
}

#[test]
fn each_of_many_runs_ends_once() {
    let runtime = runtime();
    let runs = InlineRuns::new(runtime.handle()).unwrap();
    let reports: Vec<_> = (0..100).map(|_| report()).collect();
    let (tell, heard) = mpsc::channel();
    for (number, (report, _)) in reports.iter().enumerate() {
        let (tell, report) = (tell.clone(), Arc::clone(report));
        runs.begin(async move {
            heard_on(report).await;
            tell.send(number).unwrap();
        });
    }
    for (_, writer) in &reports {
        rustix::io::write(writer, b"x").unwrap();
        runs.turn();
    }
    let mut ended: Vec<usize> =
        reports.iter().map(|_| heard.recv_timeout(LIMIT).unwrap()).collect();
    ended.sort_unstable();

    assert_eq!(ended, (0..reports.len()).collect::<Vec<_>>());
    assert!(heard.try_recv().is_err());
}

#[test]
fn a_set_that_is_dropped_leaves_its_runs_to_the_runtime() {
    let runtime = runtime();
    let runs = InlineRuns::new(runtime.handle()).unwrap();
    let (report, writer) = report();
    let heard = begin_hearing(&runs, &report);
    drop(runs);
    rustix::io::write(&writer, b"x").unwrap();

    assert_ne!(heard.recv_timeout(LIMIT).unwrap(), std::thread::current().id());
}

#[test]
fn a_wait_in_the_call_is_bounded() {
    let runtime = runtime();
    let runs = InlineRuns::new(runtime.handle()).unwrap();
    let (report, writer) = report();
    let heard = begin_hearing(&runs, &report);
    runs.turn_within(Duration::from_micros(200));

    assert!(heard.try_recv().is_err());
    rustix::io::write(&writer, b"x").unwrap();
    heard.recv_timeout(LIMIT).unwrap();
}

#[test]
fn a_wait_in_the_call_is_over_at_once_where_no_run_is_parked() {
    let runtime = runtime();
    let runs = InlineRuns::new(runtime.handle()).unwrap();
    let start = Instant::now();
    runs.turn_within(LIMIT);
    assert!(start.elapsed() < LIMIT);
}
