//! Processes that tests have started, found by a mark in their environment.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::PATIENCE;

/// Waits until something is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Processes whose environment has this mark: what a test's commands have started.
pub fn marked(mark: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else { continue };
        let is_marked = environment.split(|byte| *byte == 0).any(|one| one == mark.as_bytes());
        if is_marked && is_alive(pid) {
            found.push(pid);
        }
    }
    found
}

/// It runs, and is not a zombie.
pub fn is_alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z'))
    })
}

/// Memory of a process, in KiB.
pub fn resident_kib(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

/// A mark for one test's processes, and the session options that give it to them.
pub fn mark(options: &Value) -> (String, Value) {
    let mark = format!("PI_HOST_MARK={}-{:?}", std::process::id(), std::thread::current().id());
    let mut options = options.clone();
    options["sessionEnv"] = json!({ "PI_HOST_MARK": mark.split('=').nth(1).unwrap() });
    (mark, options)
}

pub fn signal(pid: i32, name: &str) {
    let status = Command::new("/bin/kill").args([&format!("-{name}"), &pid.to_string()]).status();
    assert!(status.unwrap().success());
}
