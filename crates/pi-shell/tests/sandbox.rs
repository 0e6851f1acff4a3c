//! Sessions in a sandbox work as others do, and cannot reach what is outside.

mod support;

use pi_shell::{SandboxBackend, SandboxMode, SandboxOptions, Shell, ShellOptions};
use support::*;

fn options(backend: SandboxBackend, writable: &std::path::Path) -> ShellOptions {
    ShellOptions {
        cwd: Some(writable.to_path_buf()),
        sandbox: Some(SandboxOptions {
            mode: SandboxMode::WorkspaceWrite,
            network: false,
            backend: Some(backend),
            writable_paths: vec![writable.to_path_buf()],
            protected_paths: Vec::new(),
            hidden_paths: Vec::new(),
            allow_degraded: false,
        }),
        ..shell_options()
    }
}

async fn try_backend(backend: SandboxBackend) {
    let scratch = tempfile::tempdir().unwrap();
    let shell = Shell::new(options(backend, scratch.path())).unwrap();
    for text in [
        "echo hi; id -u; pwd; echo $$ $PPID; env | grep TMP",
        "cat /proc/self/status | grep -E 'Cap|NoNew|Seccomp|NSpid'",
        "echo x > f && cat f; touch /etc/x; echo y > /usr/y; ls -la; mkdir -p .git; ls -la .git",
        "sleep 100 & echo started; x=5",
        "echo $x; kill -9 $$",
        "echo $x; jobs; ps | head",
        "exec 3<>/dev/tcp/127.0.0.1/22; python3 -c 'import socket;socket.socket(socket.AF_UNIX)'; mktemp",
    ] {
        let start = std::time::Instant::now();
        let result = run(&shell, text).await;
        println!(
            "$ {text}\n{:?} {:?} reset={} survivors={:?} {:?}\n{}",
            start.elapsed(),
            result.outcome,
            result.session_reset,
            result.survivors,
            result.sandbox,
            output_of(&result)
        );
    }
    shell.close().await;
}

#[tokio::test]
async fn bw() {
    try_backend(SandboxBackend::Bubblewrap).await;
}
#[tokio::test]
async fn ll() {
    try_backend(SandboxBackend::Landlock).await;
}
