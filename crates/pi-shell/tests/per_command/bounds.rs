//! What bounds a session and what encloses it holds for the bash of each command.

use std::path::Path;
use std::time::Duration;

use pi_shell::{
    LimitMet, ResourceLimits, RunOptions, SandboxMode, SandboxNetwork, SandboxOptions, Shell,
    ShellError, ShellOptions,
};

use crate::support::{
    answer, attempt, command, eventually, output_of, run, shell_options, status_of,
};

fn sandbox(mode: SandboxMode, writable_paths: &[&Path]) -> SandboxOptions {
    SandboxOptions {
        mode,
        network: SandboxNetwork::None,
        backend: None,
        writable_paths: writable_paths.iter().map(|path| path.to_path_buf()).collect(),
        protected_paths: Vec::new(),
        hidden_paths: Vec::new(),
        allow_degraded: false,
    }
}

#[tokio::test]
async fn a_session_in_a_sandbox_keeps_its_state_and_is_kept_in() {
    let outside = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = outside.path().join("file");
    let options =
        ShellOptions { sandbox: Some(sandbox(SandboxMode::ReadOnly, &[])), ..shell_options() };
    let shell = Shell::new(options).unwrap();

    let first =
        run(&shell, "V=kept; f() { echo F; }; cd /usr; mkdir -p $TMPDIR/d; sleep 300 &").await;
    assert!(first.sandbox.is_some() && !first.session_reset, "{}", output_of(&first));
    assert_eq!(first.survivors.len(), 1);
    for text in ["exit 3", "kill -9 $$", "cd $TMPDIR/d; pwd"] {
        let result = run(&shell, text).await;
        assert!(result.sandbox.is_some(), "{text}");
        let (output, status) = answer(&shell, &format!("echo $V; f; : >{}", file.display())).await;
        assert!(output.starts_with("kept\nF\n"), "{output}");
        assert_ne!(status, 0);
        assert!(!file.exists());
    }
    let copy = RunOptions {
        concurrency: pi_shell::Concurrency::Clone,
        ..command(&format!("echo $V; : >{}", file.display()))
    };
    assert!(output_of(&attempt(&shell, copy).await.unwrap()).starts_with("kept\n"));
    assert!(!file.exists());
    shell.close().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_network_with_rules_has_its_proxy_for_each_bash_of_the_session() {
    let rules = pi_shell::NetworkRules::parse(&["a.example".to_owned()]).unwrap();
    let sandbox = SandboxOptions {
        network: SandboxNetwork::Rules(rules),
        ..sandbox(SandboxMode::ReadOnly, &[])
    };
    let session_env = vec![("http_proxy".to_owned(), "http://ann:secret@proxy.example".to_owned())];
    let shell = Shell::new(ShellOptions { sandbox: Some(sandbox), session_env, ..shell_options() })
        .unwrap();
    let ask = "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT b.example:443 HTTP/1.0\\r\\n\\r\\n' >&3; head -n 1 <&3";

    for _ in 0..2 {
        let result = match attempt(&shell, command(&format!("echo $http_proxy; {ask}"))).await {
            // A machine on which this user has no namespaces.
            Err(ShellError::SandboxUnavailable { .. }) => return,
            result => result.unwrap(),
        };

        assert_eq!(output_of(&result), "http://127.0.0.1:3128\nHTTP/1.0 403 Forbidden\n");
        let refused = result.sandbox.unwrap().refused;
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].target, "b.example:443");
    }
    shell.close().await;
}

#[tokio::test]
async fn what_a_command_leaves_for_others_to_run_is_reported() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let options = ShellOptions {
        sandbox: Some(sandbox(SandboxMode::WorkspaceWrite, &[folder.path()])),
        cwd: Some(folder.path().to_path_buf()),
        ..shell_options()
    };
    let shell = Shell::new(options).unwrap();
    run(&shell, "V=kept").await;

    let text = "mkdir -p sub/hooks sub/objects sub/refs; echo 'ref: refs/heads/main' >sub/HEAD; \
        printf '[core]\\n\\tfsmonitor = /bin/false\\n' >sub/config; echo $V";
    let result = run(&shell, text).await;

    assert_eq!(output_of(&result), "kept\n");
    let report = result.sandbox.unwrap();
    assert!(!report.planted.is_empty(), "{report:?}");
    shell.close().await;
}

#[tokio::test]
async fn a_limit_of_the_session_holds_for_all_that_its_commands_start() {
    let limits = ResourceLimits { session_processes: Some(20), ..ResourceLimits::default() };
    let shell = Shell::new(ShellOptions { limits, ..shell_options() }).unwrap();
    let first = match attempt(&shell, command("V=kept; sleep 300 & sleep 300 &")).await {
        Ok(first) => first,
        // Reported as that, where the machine gives this user no control group: then nothing was run.
        Err(error) => {
            assert!(matches!(error, ShellError::LimitsUnavailable { .. }), "{error}");
            return;
        }
    };
    assert!(first.limits_met.is_empty());

    // Bash tries a fork that was refused again for seconds.
    let many = RunOptions {
        timeout: Some(Duration::from_secs(2)),
        ..command("for i in {1..40}; do sleep 300 & done")
    };
    let result = attempt(&shell, many).await.unwrap();

    assert_eq!(result.limits_met, [LimitMet::Processes]);
    assert_eq!(answer(&shell, "echo $V").await.0, "kept\n");
    shell.close().await;
}

#[tokio::test]
async fn a_limit_that_a_command_met_is_named() {
    let limits = ResourceLimits { file_size: Some(1_000_000), ..ResourceLimits::default() };
    let shell = Shell::new(ShellOptions { limits, ..shell_options() }).unwrap();
    run(&shell, "V=kept").await;
    let folder = tempfile::tempdir().unwrap();

    let text = format!("head -c 2000000 /dev/zero >{}", folder.path().join("f").display());
    let result = run(&shell, &text).await;

    assert_eq!(
        (status_of(&result), result.limits_met.as_slice()),
        (153, &[LimitMet::FileSize][..])
    );
    assert!(!result.session_reset);
    assert_eq!(answer(&shell, "echo $V").await.0, "kept\n");
    shell.close().await;
}

#[tokio::test]
async fn a_folder_without_a_session_goes_with_it_and_so_do_its_files() {
    let shell = Shell::new(shell_options()).unwrap();
    let (text, _) = answer(&shell, "readlink /proc/$$/fd/255").await;
    let folder = Path::new(text.trim()).parent().and_then(Path::parent).unwrap().to_path_buf();
    run(&shell, "V=1; exit 2").await;
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        entries.map(|one| one.file_name().to_string_lossy().into_owned()).collect()
    };

    assert!(
        !names(&folder).iter().any(|name| name.starts_with(['c', 'p'])),
        "{:?}",
        names(&folder)
    );
    assert!(names(&folder.join("w")).is_empty());
    shell.close().await;
    eventually("the folder is gone", || !folder.exists()).await;
}

#[tokio::test]
async fn nothing_is_run_that_was_to_be_read_only() {
    let shell = Shell::new(shell_options()).unwrap();
    for concurrency in [pi_shell::Concurrency::Queue, pi_shell::Concurrency::Clone] {
        let options = RunOptions { read_only: true, concurrency, ..command("echo here") };

        let error = attempt(&shell, options).await.unwrap_err();

        assert_eq!(error.code(), "PI_READ_ONLY_UNAVAILABLE");
        assert!(error.to_string().contains("@pi-bash/bash-driver"), "{error}");
    }
    let mut options = shell_options();
    options.kind = Some(pi_shell::SessionKind::PerCommand);
    let run = RunOptions { read_only: true, ..command("echo here") };
    let observer = std::sync::Arc::new(crate::support::Recorder::default());
    let cancel = tokio_util::sync::CancellationToken::new();
    let error = pi_shell::execute_shell(options, run, observer, cancel).await.unwrap_err();
    assert_eq!(error.code(), "PI_READ_ONLY_UNAVAILABLE");
    assert_eq!(answer(&shell, "echo on").await.0, "on\n");
    shell.close().await;
}
