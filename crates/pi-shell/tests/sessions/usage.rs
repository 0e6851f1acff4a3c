//! What a command used: time, and, where its result is asked to say so, processor time and peak memory.

use std::time::Duration;

use pi_shell::{Concurrency, ResourceUsage, RunOptions};

use crate::support::{attempt, command, run, session};

/// `tail` keeps 48 MiB of its input.
const NEEDS_MEMORY: &str = "head -c 60000000 /dev/zero | tail -c 50331648 | wc -c";
const NEEDED_BYTES: u64 = 48 * 1024 * 1024;

/// The shell itself counts.
const NEEDS_TIME: &str = "for ((i = 0; i < 100000; i++)); do :; done";

fn measured(text: &str) -> RunOptions {
    RunOptions { usage: true, ..command(text) }
}

fn apart(text: &str) -> RunOptions {
    RunOptions { concurrency: Concurrency::Clone, ..measured(text) }
}

async fn used(shell: &pi_shell::Shell, options: RunOptions) -> ResourceUsage {
    attempt(shell, options).await.unwrap().usage.unwrap()
}

fn total(usage: ResourceUsage) -> Duration {
    usage.user + usage.system
}

#[tokio::test]
async fn a_result_says_what_was_used_where_it_is_asked_to() {
    let shell = session();
    assert_eq!(run(&shell, NEEDS_TIME).await.usage, None);
    let usage = used(&shell, measured(NEEDS_MEMORY)).await;
    assert!(usage.peak_memory_bytes.unwrap() >= NEEDED_BYTES, "{usage:?}");
    assert!(total(usage) > Duration::ZERO);
    shell.close().await;
}

#[tokio::test]
async fn a_result_says_how_long_its_command_took() {
    let shell = session();
    for concurrency in [Concurrency::Queue, Concurrency::Clone] {
        let asked = std::time::Instant::now();
        let options = RunOptions { concurrency, ..command("sleep 0.2") };
        let took = attempt(&shell, options).await.unwrap().wall_time;
        let most = asked.elapsed();
        assert!(took >= Duration::from_millis(200), "{concurrency:?}: {took:?}");
        assert!(took <= most, "{concurrency:?}: {took:?} of {most:?}");
    }
    shell.close().await;
}

#[tokio::test]
async fn each_command_is_counted_by_itself() {
    let shell = session();
    let much = used(&shell, measured(NEEDS_TIME)).await;
    let little = used(&shell, measured("true")).await;
    assert!(total(much) > Duration::from_millis(10), "{much:?}");
    assert!(total(little) * 4 < total(much), "{little:?} after {much:?}");
    shell.close().await;
}

#[tokio::test]
async fn children_of_children_count() {
    let shell = session();
    let usage = used(&shell, measured(&format!("sh -c '{NEEDS_MEMORY}; true'"))).await;
    assert!(usage.peak_memory_bytes.unwrap() >= NEEDED_BYTES, "{usage:?}");
    shell.close().await;
}

#[tokio::test]
async fn the_memory_of_a_smaller_command_is_never_that_of_a_larger_one_before() {
    let shell = session();
    used(&shell, measured(NEEDS_MEMORY)).await;
    let after = used(&shell, measured("ls / >/dev/null")).await;
    assert!(after.peak_memory_bytes.is_none_or(|bytes| bytes < NEEDED_BYTES), "{after:?}");
    let beside = used(&shell, apart("ls / >/dev/null")).await;
    let bytes = beside.peak_memory_bytes.unwrap();
    assert!(bytes > 0 && bytes < NEEDED_BYTES, "{beside:?}");
    shell.close().await;
}

#[tokio::test]
async fn a_copy_whose_command_takes_its_place_is_counted() {
    let shell = session();
    let usage = used(&shell, apart("exec tail -c 50331648 < <(head -c 60000000 /dev/zero)")).await;
    assert!(usage.peak_memory_bytes.unwrap() >= NEEDED_BYTES, "{usage:?}");
    shell.close().await;
}

#[tokio::test]
async fn a_command_that_was_stopped_says_what_it_used_until_then() {
    let shell = session();
    let endless = "while :; do :; done";
    let options = RunOptions { timeout: Some(Duration::from_millis(300)), ..measured(endless) };
    let usage = used(&shell, options).await;
    assert!(total(usage) > Duration::from_millis(50), "{usage:?}");
    shell.close().await;
}

#[tokio::test]
async fn a_program_that_takes_the_shell_s_place_is_counted_where_the_shell_had_run_nothing_else() {
    if crate::support::is_per_command() {
        // Each command has a shell that has run nothing else.
        return;
    }
    let shell = session();
    used(&shell, measured("exec true")).await;
    run(&shell, ":").await;
    assert_eq!(attempt(&shell, measured("exec true")).await.unwrap().usage, None);
    shell.close().await;
}
