//! Lines of `/proc`, and walks through trees that change.

use std::process::Command;

use super::{ProcessState, Stat, children_by_parent, walk_by};

const TAIL: &str = "100 200 300 0 -1 4194560 1 2 3 4 5 6 7 8 20 0";

fn stat(name: &str, state: &str, threads: u32) -> Option<Stat> {
    Stat::parse(format!("7 ({name}) {state} {TAIL} {threads} 0 987654 1 2 3\n").as_bytes())
}

#[test]
fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
    let stat = stat(") R 1 (x y", "S", 1).unwrap();
    assert_eq!((stat.parent, stat.group, stat.session), (100, 200, 300));
    assert_eq!(stat.start_time, 987_654);
    assert_eq!((stat.terminal, stat.ticks), (0, 5 + 6));
    assert_eq!(stat.state, ProcessState::Sleeping);
}

#[test]
fn a_leader_that_ended_before_its_threads_is_not_a_zombie() {
    assert_eq!(stat("a", "Z", 3).unwrap().state, ProcessState::Other);
    assert_eq!(stat("a", "Z", 1).unwrap().state, ProcessState::Zombie);
}

#[test]
fn each_letter_is_a_state() {
    let state = |letter| stat("a", letter, 1).unwrap().state;
    assert_eq!(state("R"), ProcessState::Running);
    for (letters, expected) in [
        (["S", "I"], ProcessState::Sleeping),
        (["T", "t"], ProcessState::Stopped),
        (["X", "x"], ProcessState::Zombie),
        (["P", "?"], ProcessState::Other),
    ] {
        assert_eq!(letters.map(state), [expected; 2]);
    }
    assert_eq!(state("D"), ProcessState::Waiting);
}

#[test]
fn the_foreground_is_the_group_that_the_terminal_names() {
    let stat = |foreground: i32| {
        let fields = format!("100 200 300 34817 {foreground} 0 1 2 3 4 5 6 7 8 20 0 1 0 9 1");
        Stat::parse(format!("7 (a) S {fields}\n").as_bytes()).unwrap()
    };
    assert_eq!((stat(200).is_foreground, stat(200).terminal), (true, 34_817));
    assert_eq!([-1, 100, 201].map(|group| stat(group).is_foreground), [false; 3]);
}

#[test]
fn a_walk_counts_who_was_listed_and_is_gone() {
    let own = i32::try_from(std::process::id()).unwrap();
    let mut met = Vec::new();
    let walk = walk_by(0, &mut |entry| met.push(entry.identity.pid), &|pid| {
        // Above every pid there is; this process is listed twice.
        if pid == 0 { vec![i32::MAX, own, i32::MAX - 1, own] } else { Vec::new() }
    });
    assert_eq!((walk.vanished, met), (2, vec![own]));
}

#[test]
fn a_stat_cut_short_is_no_one() {
    assert_eq!(Stat::parse(b"7 (a) S 100 200"), None);
    assert_eq!(Stat::parse(b""), None);
    assert_eq!(Stat::parse(b"7 (a)"), None);
}

#[test]
fn one_pass_over_all_processes_gives_the_children_of_each() {
    let mut shell = Command::new("sh").args(["-c", "sleep 1000 & wait"]).spawn().unwrap();
    let [own, shell_pid] = [std::process::id(), shell.id()].map(|pid| i32::try_from(pid).unwrap());
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let children = loop {
        let children = children_by_parent();
        if children.contains_key(&shell_pid) || std::time::Instant::now() > deadline {
            break children;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    let sleeper = children.get(&shell_pid).cloned().unwrap_or_default();
    let mut below = Vec::new();
    walk_by(shell_pid, &mut |entry| below.push(entry.identity.pid), &|pid| {
        children.get(&pid).cloned().unwrap_or_default()
    });
    for pid in &sleeper {
        drop(super::sys::signal_pid(*pid, libc::SIGKILL));
    }
    shell.kill().ok();
    shell.wait().ok();

    assert_eq!(sleeper.len(), 1);
    assert_eq!(below, sleeper);
    assert!(children.get(&own).is_some_and(|all| all.contains(&shell_pid)));
    assert!(!children.get(&own).is_some_and(|all| all.contains(&sleeper[0])));
}
