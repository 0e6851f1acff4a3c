//! The client against the real executable: answers, ends in every way, and nothing left behind.

use std::ffi::OsString;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use pi_supervisor::wire::{Confine, ConfineStep, Event, VERSION};

use super::executable::executable;
use super::{ChildExit, SpawnFailure, SpawnRequest, SpawnStep, Supervisor, Surroundings};
use crate::ProcessError;
use crate::tree::{self, ProcessIdentity, descendants, identity_of, is_alive};

/// Far more than anything takes on a busy machine; reached only by a defect.
const PATIENCE: Duration = Duration::from_secs(30);

fn null() -> OwnedFd {
    std::fs::File::options().read(true).write(true).open("/dev/null").unwrap().into()
}

fn program(argv: &[&str]) -> SpawnRequest {
    SpawnRequest {
        argv: argv.iter().map(OsString::from).collect(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: "/".into(),
        descriptors: vec![null(), null(), null()],
        ..SpawnRequest::default()
    }
}

fn shell(script: &str) -> SpawnRequest {
    program(&["/bin/sh", "-c", script])
}

async fn launch() -> Supervisor {
    Supervisor::launch(executable(), None, None).await.unwrap()
}

fn identity(supervisor: &Supervisor) -> ProcessIdentity {
    identity_of(supervisor.pid()).unwrap()
}

/// Polls until `condition` holds.
async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Neither alive nor a zombie.
fn is_gone(process: ProcessIdentity) -> bool {
    identity_of(process.pid) != Some(process)
}

#[tokio::test]
async fn every_waiter_learns_how_a_program_ended() {
    let supervisor = launch().await;
    let child = supervisor.spawn(shell("exit 7")).await.unwrap();
    let copy = child.clone();
    let (one, other) = tokio::join!(child.exited(), copy.exited());
    assert_eq!((one, other), (ChildExit::Exited(7), ChildExit::Exited(7)));
    assert_eq!(child.exit_status(), Some(ChildExit::Exited(7)));
    assert_eq!(child.exited().await, ChildExit::Exited(7));

    let child = supervisor.spawn(shell("kill -9 $$; sleep 1000")).await.unwrap();
    assert_eq!(child.exited().await, ChildExit::Signaled(9));
}

#[tokio::test]
async fn a_wait_that_is_dropped_loses_nothing() {
    let supervisor = launch().await;
    let child = supervisor.spawn(shell("sleep 1000")).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(10), child.exited()).await.is_err());
    assert_eq!(child.exit_status(), None);
    tree::signal(child.identity(), 15).unwrap();
    assert_eq!(child.exited().await, ChildExit::Signaled(15));
}

#[tokio::test]
async fn a_program_that_cannot_start_names_the_step() {
    let supervisor = launch().await;
    let failed = async |request| {
        let SpawnFailure { step, source } = supervisor.spawn(request).await.unwrap_err();
        (step, source.raw_os_error())
    };
    let missing = program(&["/nonexistent/program"]);
    assert_eq!(failed(missing).await, (SpawnStep::Execute, Some(libc::ENOENT)));
    let astray = SpawnRequest { cwd: "/nonexistent".into(), ..shell("true") };
    assert_eq!(failed(astray).await, (SpawnStep::ChangeDirectory, Some(libc::ENOENT)));
    let nul = program(&["/bin/echo", "a\0b"]);
    assert_eq!(failed(nul).await, (SpawnStep::Execute, Some(libc::EINVAL)));
    let huge = SpawnRequest {
        env: vec![("BIG".into(), "x".repeat(17 * 1024 * 1024).into())],
        ..shell("true")
    };
    assert_eq!(failed(huge).await, (SpawnStep::Request, Some(libc::E2BIG)));

    let child = supervisor.spawn(shell("exit 1")).await.unwrap();
    assert_eq!(child.exited().await, ChildExit::Exited(1));
}

#[tokio::test]
async fn descriptors_and_a_large_environment_arrive_whole() {
    let supervisor = launch().await;
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut request = shell("cat /proc/self/environ | wc -c");
    // Many times the socket's buffer, below what the kernel takes with an 8 MiB stack.
    request.env.extend(
        (0..15).map(|index| {
            (OsString::from(format!("V{index}")), OsString::from("x".repeat(100_000)))
        }),
    );
    request.descriptors = vec![null(), writer.into(), null()];
    supervisor.spawn(request).await.unwrap();
    let text = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        text
    })
    .await
    .unwrap();
    assert!(text.trim().parse::<usize>().unwrap() > 1_500_000, "{text}");
}

#[tokio::test]
async fn many_programs_at_once_get_their_own_answers() {
    let supervisor = launch().await;
    let mut tasks = tokio::task::JoinSet::new();
    for code in 0..40_u8 {
        let supervisor = supervisor.clone();
        tasks.spawn(async move {
            let child = supervisor.spawn(shell(&format!("exit {code}"))).await.unwrap();
            (child.exited().await, ChildExit::Exited(code))
        });
    }
    while let Some(result) = tasks.join_next().await {
        let (status, expected) = result.unwrap();
        assert_eq!(status, expected);
    }
}

#[tokio::test]
async fn closing_twice_at_once_ends_the_tree_and_leaves_no_zombie() {
    let supervisor = launch().await;
    let own = identity(&supervisor);
    let child = supervisor.spawn(shell("trap '' TERM INT; sleep 1000; sleep 1000")).await.unwrap();
    tokio::join!(supervisor.close(PATIENCE), supervisor.close(PATIENCE));
    supervisor.close(PATIENCE).await;
    assert!(is_gone(own), "reaped before close returns");
    assert!(is_gone(child.identity()));
    assert_eq!(child.exited().await, ChildExit::Signaled(9));
    let failure = supervisor.spawn(shell("true")).await.unwrap_err();
    assert_eq!(failure.step, SpawnStep::Request);
}

#[tokio::test]
async fn a_stopped_supervisor_can_be_closed() {
    let supervisor = launch().await;
    let own = identity(&supervisor);
    let child = supervisor.spawn(shell("sleep 1000")).await.unwrap();
    tree::signal(own, libc::SIGSTOP).unwrap();
    supervisor.close(PATIENCE).await;
    assert!(is_gone(own));
    assert!(!is_alive(child.identity()));
}

#[tokio::test]
async fn a_stopped_supervisor_starts_programs_and_tells_of_their_ends() {
    let supervisor = launch().await;
    let own = identity(&supervisor);
    tree::signal(own, libc::SIGSTOP).unwrap();
    let child = tokio::time::timeout(PATIENCE, supervisor.spawn(shell("exit 7"))).await;
    let child = child.unwrap().unwrap();
    assert_eq!(tokio::time::timeout(PATIENCE, child.exited()).await.unwrap(), ChildExit::Exited(7));
    supervisor.close(PATIENCE).await;
}

#[tokio::test]
async fn dropping_the_last_handle_ends_the_tree_and_leaves_no_zombie() {
    let supervisor = launch().await;
    let own = identity(&supervisor);
    let child = supervisor.spawn(shell("setsid sleep 1000 & sleep 1000")).await.unwrap();
    let copy = supervisor.clone();
    drop(supervisor);
    assert!(is_alive(own));
    let second = copy.spawn(shell("sleep 1000")).await.unwrap();
    drop(copy);
    assert_eq!(child.exited().await, ChildExit::Signaled(9));
    assert_eq!(second.exited().await, ChildExit::Signaled(9));
    eventually("the supervisor is reaped", || is_gone(own)).await;
}

#[test]
fn a_runtime_that_ends_first_still_ends_the_tree_and_leaves_no_zombie() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (supervisor, child) = runtime.block_on(async {
        let supervisor = launch().await;
        let child = supervisor.spawn(shell("sleep 1000")).await.unwrap();
        (supervisor, child)
    });
    let own = identity(&supervisor);
    runtime.shutdown_background();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        eventually("the supervisor is reaped", || is_gone(own)).await;
        assert!(!is_alive(child.identity()));
        assert_eq!(child.exited().await, ChildExit::Lost);
        assert_eq!(child.exit_status(), Some(ChildExit::Lost));
        supervisor.close(PATIENCE).await;
    });
}

#[tokio::test]
async fn a_supervisor_that_is_killed_takes_its_tree_along() {
    let supervisor = launch().await;
    let own = identity(&supervisor);
    let child = supervisor.spawn(shell("sleep 1000 & sleep 1000 & wait")).await.unwrap();
    let pid = supervisor.pid();
    eventually("the tree is complete", || descendants(pid).len() == 3).await;
    let tree: Vec<_> = descendants(pid).into_iter().map(|entry| entry.identity).collect();
    tree::signal(own, 9).unwrap();
    assert_eq!(child.exited().await, ChildExit::Lost);
    eventually("the orphans are dead", || !tree.iter().any(|one| is_alive(*one))).await;
    supervisor.close(PATIENCE).await;
    assert!(is_gone(own));
    assert_eq!(supervisor.spawn(shell("true")).await.unwrap_err().step, SpawnStep::Request);
}

#[tokio::test]
async fn a_spawn_that_is_dropped_leaves_no_program() {
    let supervisor = launch().await;
    for _ in 0..5 {
        // Polled once: the request is queued, the answer has not come.
        tokio::select! {
            biased;
            answer = supervisor.spawn(shell("sleep 1000 & wait")) => panic!("answered at once: {answer:?}"),
            () = std::future::ready(()) => {}
        }
    }
    // Requests are answered in their order, so those before this one have been.
    let child = supervisor.spawn(program(&["/bin/sleep", "1000"])).await.unwrap();
    let pid = supervisor.pid();
    eventually("only the last is left", || {
        let below = descendants(pid);
        below.len() == 1 && below.iter().all(|entry| entry.identity == child.identity())
    })
    .await;
}

#[tokio::test]
async fn what_is_no_supervisor_is_a_typed_error() {
    let missing = Supervisor::launch(Path::new("/nonexistent/pi-supervisor"), None, None).await;
    let Err(ProcessError::Supervisor { path, source }) = missing else {
        panic!("a missing executable was launched")
    };
    assert_eq!(path, Path::new("/nonexistent/pi-supervisor"));
    assert_eq!(source.raw_os_error(), Some(libc::ENOENT));

    let Err(ProcessError::Supervisor { source, .. }) =
        Supervisor::launch(Path::new("/bin/true"), None, None).await
    else {
        panic!("/bin/true was launched")
    };
    assert_eq!(source.kind(), std::io::ErrorKind::UnexpectedEof);

    let Err(ProcessError::Supervisor { source, .. }) =
        Supervisor::launch(Path::new("/etc"), None, None).await
    else {
        panic!("a folder was launched")
    };
    assert_eq!(source.raw_os_error(), Some(libc::EACCES));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_supervisor_is_called_so_whatever_its_file_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("another");
    std::os::unix::fs::symlink(executable(), &program).unwrap();

    let supervisor = Supervisor::launch(&program, None, None).await.unwrap();

    let command = tree::describe(identity(&supervisor)).unwrap().command;
    assert!(command.starts_with(pi_supervisor::wire::PROGRAM_NAME), "{command}");
}

#[tokio::test]
async fn what_the_program_around_a_supervisor_complains_of_is_why_there_is_none() {
    let wrapper = ["/bin/sh", "-c", "echo no such right >&2; exit 1"].map(OsString::from).to_vec();
    let surroundings = Surroundings { wrapper, ..Surroundings::default() };
    let Err(ProcessError::Supervisor { source, .. }) =
        Supervisor::launch(executable(), None, Some(&surroundings)).await
    else {
        panic!("it was launched")
    };
    assert_eq!(source.to_string(), "ended before it was ready: no such right");
}

/// A program in `folder` that is the supervisor of a test: it says `events`, then does what `rest` says.
fn that_says(folder: &Path, events: &[Event], rest: &str) -> PathBuf {
    let said: Vec<u8> = events.iter().flat_map(|event| event.encode().unwrap()).collect();
    std::fs::write(folder.join("said"), said).unwrap();
    let program = folder.join("supervisor");
    let text = format!("#!/bin/sh\ncd \"${{0%/*}}\"\ncat said >&0\n{rest}\n");
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program
}

const READY: Event = Event::Ready { version: VERSION };

#[tokio::test]
async fn what_a_supervisor_says_instead_of_being_confined_is_why_it_is_not_used() {
    let failed = Event::ConfineFailed { id: 0, step: ConfineStep::Landlock, errno: libc::EINVAL };
    for (events, listener_port, expected) in [
        (vec![Event::Ready { version: VERSION + 1 }], 0, "is of another build"),
        (vec![READY, failed], 0, "Landlock failed: Invalid argument"),
        (vec![READY, Event::Swept { left: Vec::new() }], 0, "answers something else"),
        (vec![READY, Event::Confined { id: 0 }], 80, "hands no listener over"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let program = that_says(folder.path(), &events, "exec sleep 1000");
        let confine = Some(Confine { listener_port, ..Confine::default() });
        let surroundings = Surroundings { confine, ..Surroundings::default() };
        let Err(error) = Supervisor::launch(&program, None, Some(&surroundings)).await else {
            panic!("it is used: {events:?}")
        };
        let ProcessError::Supervisor { source, .. } = error else { panic!("untyped: {error}") };
        assert!(source.to_string().contains(expected), "{source}");
    }
}

#[tokio::test]
async fn a_supervisor_that_makes_no_sense_any_more_has_time_to_end_its_tree() {
    let folder = tempfile::tempdir().unwrap();
    // A frame of no bytes is none. What follows takes as long as a sweep.
    let rest = "printf '\\0\\0\\0\\0' >&0\nsleep 0.3\n: >swept";
    let program = that_says(folder.path(), &[READY], rest);

    let supervisor = Supervisor::launch(&program, None, None).await.unwrap();
    supervisor.close(PATIENCE).await;

    assert!(folder.path().join("swept").exists());
}

/// Numbers of the open descriptors of this process.
fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Runs in a process of its own, because other tests share this one's descriptors.
#[test]
fn a_host_without_descriptors_gets_a_typed_error_and_loses_nothing() {
    const ROLE: &str = "PI_TEST_WITHOUT_DESCRIPTORS";
    if std::env::var_os(ROLE).is_some() {
        return without_descriptors();
    }
    let name = std::thread::current().name().unwrap().to_owned();
    let output = Command::new("/bin/sh")
        .args(["-c", "ulimit -n 64; exec \"$0\" --exact \"$1\" --nocapture"])
        .arg(std::env::current_exe().unwrap())
        .arg(name)
        .env(ROLE, executable())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
}

fn without_descriptors() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let path = std::env::var_os("PI_TEST_WITHOUT_DESCRIPTORS").unwrap();
    runtime.block_on(async {
        let mut ballast = Vec::new();
        while let Ok(file) = std::fs::File::open("/dev/null") {
            ballast.push(file);
        }
        // From none free to enough: each step of a launch fails once for want of one.
        let mut errors = 0;
        loop {
            let before = ballast.len();
            match Supervisor::launch(Path::new(&path), None, None).await {
                Ok(supervisor) => {
                    supervisor.close(PATIENCE).await;
                    break;
                }
                Err(
                    ProcessError::System { source, .. } | ProcessError::Supervisor { source, .. },
                ) => {
                    assert_eq!(source.raw_os_error(), Some(libc::EMFILE), "{source}");
                    errors += 1;
                }
            }
            ballast.pop();
            // What a failed launch had opened is closed again: the table fills up just as far.
            let mut free = Vec::new();
            while let Ok(file) = std::fs::File::open("/dev/null") {
                free.push(file);
            }
            let after = free.len() + ballast.len();
            assert!(after >= before, "a failed launch kept {} descriptors", before - after);
        }
        assert!(errors >= 2, "{errors} launches failed");
        drop(ballast);
        assert!(open_descriptors() < 20);
    });
}
