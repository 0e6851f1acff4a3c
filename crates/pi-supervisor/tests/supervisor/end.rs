//! The host is gone, in whatever way: nothing it started is left.

use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use crate::host::{Host, eventually, line_in, wait_for_end};

/// A tree of every kind: plain, stubborn, stopped, and a daemon in a session of its own.
const MIXED_TREE: &str = "
    sleep 1000 | cat &
    (trap '' TERM INT HUP QUIT; while :; do sleep 1000; done) &
    sh -c 'kill -STOP $$; sleep 1000' &
    setsid sh -c 'setsid sleep 1000 & setsid sleep 1000 &' &
    wait";

fn start_mixed_tree(host: &mut Host) {
    host.shell(MIXED_TREE);
    // sh, sleep, cat, subshell and its sleep, the stopped sh, two daemons.
    eventually("the tree is complete", || host.tagged().len() >= 8);
}

#[test]
fn a_host_that_closes_its_socket_leaves_nothing() {
    let mut host = Host::start();
    start_mixed_tree(&mut host);
    let (status, left) = host.hang_up();
    assert_eq!(left, Vec::<i32>::new());
    assert!(status.success());
}

#[test]
fn a_host_killed_by_sigkill_leaves_nothing() {
    let mut host = Host::start();
    start_mixed_tree(&mut host);
    // The socket passes to a process that then is what the supervisor knows as its host.
    let end = OwnedFd::from(host.socket.try_clone().unwrap());
    let mut victim = Command::new("sleep").arg("1000").stdin(Stdio::from(end)).spawn().unwrap();
    let (dummy, _) = std::os::unix::net::UnixStream::pair().unwrap();
    drop(std::mem::replace(&mut host.socket, dummy));
    assert!(host.supervisor.try_wait().unwrap().is_none(), "its host still lives");
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(wait_for_end(&mut host.supervisor).success());
    assert_eq!(host.tagged(), Vec::<i32>::new());
}

#[test]
fn a_host_that_talks_nonsense_is_gone() {
    let mut host = Host::start();
    start_mixed_tree(&mut host);
    host.socket.write_all(&[0xff; 64]).unwrap();
    wait_for_end(&mut host.supervisor);
    assert_eq!(host.tagged(), Vec::<i32>::new());
}

#[test]
fn a_host_that_dies_within_a_request_leaves_nothing() {
    let mut host = Host::start();
    start_mixed_tree(&mut host);
    let spawn = host.request(&["/bin/sleep", "1000"]);
    let bytes = pi_supervisor::wire::Request::Spawn(spawn).encode().unwrap();
    host.socket.write_all(&bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(host.hang_up().1, Vec::<i32>::new());
}

#[test]
fn pt_07_a_respawner_in_new_sessions_is_beaten() {
    let mut host = Host::start();
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("respawn");
    let generations = folder.path().join("generations");
    // Every 5 ms a replacement of itself in a session of its own; then it ends.
    let text = format!(
        "echo x >> {}\nsleep 0.005\nsetsid sh {} &\n",
        generations.to_str().unwrap(),
        script.to_str().unwrap()
    );
    std::fs::write(&script, text).unwrap();
    for _ in 0..3 {
        host.shell(&format!("sh {}", script.to_str().unwrap()));
    }
    let count = || std::fs::metadata(&generations).map_or(0, |file| file.len());
    eventually("some generations lived", || count() > 60);
    let (status, left) = host.hang_up();
    assert_eq!(left, Vec::<i32>::new());
    assert!(status.success());
    // No one is left who could write.
    let at_end = count();
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(count(), at_end);
}

#[test]
fn a_respawner_that_never_pauses_is_beaten() {
    let mut host = Host::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("started");
    // A fork for each generation and nothing else, so one lives for a fraction of a millisecond.
    let script = format!("f() {{ f & }}; echo go > {}; f", file.to_str().unwrap());
    let spawn = host.request(&["/bin/bash", "-c", &script]);
    host.try_spawn(spawn, crate::host::null_streams()).unwrap();
    line_in(&file);
    let (status, left) = host.hang_up();
    assert_eq!(left, Vec::<i32>::new());
    assert!(status.success());
}

#[test]
fn a_fork_bomb_under_a_process_limit_is_beaten() {
    use pi_supervisor::wire::{Limit, Resource};
    if !crate::host::is_root() {
        // The limit counts a user's processes, and only root can take an idle user.
        return;
    }
    let mut host = Host::start();
    let bomb = "b() { b | b & }; b; sleep 1000";
    let user = ["/usr/bin/setpriv", "--reuid", "61007", "--clear-groups"];
    let mut spawn = host.request(&[&user[..], &["/bin/bash", "-c", bomb]].concat());
    spawn.limits = vec![Limit { resource: Resource::Processes, soft: 60, hard: 60 }];
    host.try_spawn(spawn, crate::host::null_streams()).unwrap();
    eventually("it has exploded", || host.tagged().len() > 20);
    let (status, left) = host.hang_up();
    assert_eq!(left, Vec::<i32>::new());
    assert!(status.success());
}

#[test]
fn an_idle_supervisor_ends_with_its_host() {
    assert!(Host::start().hang_up().0.success());
}

#[test]
fn started_by_hand_it_explains_itself() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_pi-supervisor")).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("started by pi-bash"));
}

#[test]
fn the_private_folder_goes_with_the_host_whatever_commands_made_of_it() {
    let yard = tempfile::tempdir().unwrap();
    let folder = yard.path().join("private");
    std::fs::create_dir(&folder).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_pi-supervisor"));
    command.arg(pi_supervisor::PRIVATE_FOLDER_OPTION).arg(&folder);
    let mut host = Host::start_by(command);
    // It goes on making folders as long as it lives.
    let line = format!(
        "cd {} && mkdir -p a/b && echo x > a/b/f && chmod 0 a/b; n=0; while mkdir $n; do n=$((n+1)); done",
        folder.display()
    );
    host.shell(&line);
    eventually("it makes folders", || folder.join("10").exists());

    let (status, left) = host.hang_up();

    assert!(left.is_empty() && status.success());
    assert!(!folder.exists());
}
