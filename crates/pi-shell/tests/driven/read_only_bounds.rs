//! What read-only commands and trials can use up, and what the kernel answers to what its tables do not know.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use pi_shell::{ResourceLimits, Shell, ShellOptions};

use crate::read_only::read;
use crate::support::{answer, run, session, shell_options, skip};

/// Soft and hard limit, as the kernel says them.
async fn limits(shell: &Shell, name: &str) -> (String, String) {
    let (line, _) = read(shell, &format!("grep '^{name}' /proc/self/limits")).await;
    let mut values = line.trim_start_matches(name).split_whitespace().map(str::to_owned);
    (values.next().unwrap(), values.next().unwrap())
}

fn both(value: &str) -> (String, String) {
    (value.to_owned(), value.to_owned())
}

/// Whether this process may have core dumps at all: without, no session of its can be given the limit.
fn can_have_core_size() -> bool {
    let core = rustix::process::getrlimit(rustix::process::Resource::Core);
    core.maximum != Some(0) || rustix::process::geteuid().is_root()
}

#[tokio::test]
async fn a_crash_starts_no_handler_and_a_command_cannot_change_that() {
    if !can_have_core_size() {
        skip("the hard limit of core dumps is 0, and only root raises it");
        return;
    }
    let shell = session();

    // With 1 the kernel starts no program of `core_pattern`; with 0 it does.
    assert_eq!(limits(&shell, "Max core file size").await, both("1"));
    let old_call = if cfg!(target_arch = "x86_64") { 160 } else { 164 };
    let old_call = format!("perl -e 'my $l = pack(\"QQ\", 0, 0); syscall({old_call}, 4, $l)'");
    let attempts = [
        "ulimit -c 0",
        "ulimit -Sc 0",
        "ulimit -c unlimited",
        "python3 -c 'import resource as r; r.setrlimit(r.RLIMIT_CORE, (0, 0))'",
        "prlimit --core=0 --pid $BASHPID",
        &old_call,
    ];
    for attempt in attempts {
        let text = format!("{attempt} 2> /dev/null; grep '^Max core' /proc/self/limits");
        let (line, _) = read(&shell, &text).await;
        let values: Vec<_> = line.split_whitespace().rev().skip(1).take(2).collect();
        assert_eq!(values, ["1", "1"], "{attempt}");
    }
    // Programs that handle secrets do without dumps, and give up where that fails.
    assert_eq!(read(&shell, "ulimit -c 0 && ulimit -c").await, ("0\n".to_owned(), 0));
    shell.close().await;
}

#[tokio::test]
async fn a_session_that_may_dump_cores_has_none_in_a_read_only_command() {
    if !can_have_core_size() {
        skip("the hard limit of core dumps is 0, and only root raises it");
        return;
    }
    let limits_of = ResourceLimits { core_size: Some(1 << 20), ..ResourceLimits::default() };
    let shell = Shell::new(ShellOptions { limits: limits_of, ..shell_options() }).unwrap();

    assert_eq!(limits(&shell, "Max core file size").await, both("1"));
    assert_eq!(answer(&shell, "ulimit -c").await.0, "1024\n", "the session keeps its own");
    shell.close().await;
}

#[tokio::test]
async fn a_file_that_a_command_writes_has_a_bound() {
    let shell = session();

    assert_eq!(limits(&shell, "Max file size").await, both("1073741824"));
    // Sparse, so that it needs no memory: `truncate` is bounded as writing is.
    let text = "cd $TMPDIR; truncate -s 1G most && echo most; truncate -s 1073741825 more; echo $?; \
                ulimit -f unlimited 2> /dev/null || echo kept; rm most more";
    let (output, _) = read(&shell, text).await;
    assert!(output.starts_with("most\n") && output.ends_with("153\nkept\n"), "{output}");
    assert_eq!(answer(&shell, "ulimit -f").await.0, "unlimited\n", "the session's is as before");
    shell.close().await;
}

#[tokio::test]
async fn a_lower_bound_of_the_session_stays() {
    let of_session = ResourceLimits { file_size: Some(1 << 20), ..ResourceLimits::default() };
    let shell = Shell::new(ShellOptions { limits: of_session, ..shell_options() }).unwrap();
    assert_eq!(limits(&shell, "Max file size").await, both("1048576"));
    shell.close().await;

    let shell = session();
    run(&shell, "ulimit -Sf 4").await;
    let (soft, hard) = limits(&shell, "Max file size").await;
    assert_eq!((soft.as_str(), hard.as_str()), ("4096", "1073741824"));
    shell.close().await;
}

#[tokio::test]
async fn calls_that_are_newer_than_the_tables_are_not_there() {
    let shell = session();
    // No kernel has the last ones, so the tests of the program say more; here it is the kernel that reads it.
    let text = "for n in 470 471 600 4000; do \
                perl -e 'syscall($ARGV[0], -1, 0, 0, 0) == -1 or exit 9; print $!{ENOSYS} ? 1 : $!' $n; done";

    assert_eq!(read(&shell, text).await, ("1111".to_owned(), 0));
    shell.close().await;
}

#[tokio::test]
async fn memory_of_files_is_not_moved_for_others() {
    let shell = session();
    // `mbind`, by the number of the architecture.
    let number = if cfg!(target_arch = "x86_64") { 237 } else { 235 };
    let text = format!("perl -e 'syscall({number}, 0, 0, 0, 0, 0, 0); print $!{{EPERM}} ? 1 : $!'");

    assert_eq!(read(&shell, &text).await.0, "1");
    shell.close().await;
}

/// A bash that is tried out may die of a fault, and its dump has no reader.
#[tokio::test]
async fn the_trial_of_a_bash_dumps_no_memory_whatever_the_session_may() {
    if !can_have_core_size() {
        skip("the hard limit of core dumps is 0, and only root raises it");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let wrapper = scratch.path().join("bash");
    let text = "#!/bin/sh\nulimit -c >> \"${0%/*}/sizes\"\nexec /bin/bash \"$@\"\n";
    fs::write(&wrapper, text).unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    let limits = ResourceLimits { core_size: Some(1 << 20), ..ResourceLimits::default() };
    let shell =
        Shell::new(ShellOptions { shell: Some(wrapper), limits, ..shell_options() }).unwrap();

    assert_eq!(answer(&shell, "ulimit -c").await.0, "1024\n");
    shell.close().await;

    let sizes = fs::read_to_string(scratch.path().join("sizes")).unwrap();
    let sizes: std::collections::BTreeSet<_> = sizes.lines().map(str::trim).collect();
    assert!(sizes.len() == 2 && sizes.contains("0"), "{sizes:?}");
}
