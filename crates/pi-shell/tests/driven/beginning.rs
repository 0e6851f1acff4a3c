//! Whether a session is driven at all, and how it begins.

use std::os::unix::fs::PermissionsExt as _;

use pi_shell::{SandboxMode, SandboxNetwork, SandboxOptions, Shell, ShellOptions};

use crate::support::{answer, eventually, is_alive, run, session, shell_options};

/// The script that a driven bash was started with has this name.
const WHICH: &str = "readlink /proc/$$/fd/255";

async fn is_driven(options: ShellOptions) -> bool {
    let shell = Shell::new(options).unwrap();
    let (output, _) = answer(&shell, &format!("KEPT=kept; {WHICH}")).await;
    // Whichever it is, the state goes on.
    assert_eq!(answer(&shell, "echo $KEPT").await.0, "kept\n");
    shell.close().await;
    output.ends_with("/boot\n")
}

#[tokio::test]
async fn a_session_is_driven_where_bash_takes_the_driver() {
    assert!(is_driven(shell_options()).await);
    assert!(!is_driven(ShellOptions { driver: None, ..shell_options() }).await);
}

#[tokio::test]
async fn the_process_above_everything_is_that_of_its_shell_and_known_from_the_first_run_on() {
    for options in [shell_options(), ShellOptions { driver: None, ..shell_options() }] {
        let shell = Shell::new(options).unwrap();
        assert_eq!(shell.root_pid(), None);
        let (parent, _) = answer(&shell, "echo $PPID").await;
        let again = answer(&shell, "echo $PPID").await.0;
        let root = shell.root_pid().map(|pid| format!("{pid}\n"));
        assert_eq!(root.as_deref(), Some(parent.as_str()));
        assert_eq!(again, parent);
        shell.close().await;
    }
}

#[tokio::test]
async fn where_the_driver_is_missing_or_not_to_be_trusted_each_command_has_a_bash_and_the_state_goes_on()
 {
    let folder = tempfile::tempdir().unwrap();
    let (text, open) = (folder.path().join("text"), folder.path().join("open"));
    std::fs::write(&text, "not an object").unwrap();
    std::fs::copy(shell_options().driver.unwrap(), &open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o666)).unwrap();
    for driver in [folder.path().join("missing"), text, open, folder.path().to_path_buf()] {
        let options = ShellOptions { driver: Some(driver.clone()), ..shell_options() };
        assert!(!is_driven(options).await, "{}", driver.display());
    }
}

#[tokio::test]
async fn a_bash_that_fails_the_trial_is_not_kept() {
    // A wrapper that has bash begin with `f` read-only, so that the first trial ends with another status.
    let folder = tempfile::tempdir().unwrap();
    let wrapper = folder.path().join("bash");
    let text = "#!/bin/sh\nexport BASH_ENV=${0%/*}/env\nexec /bin/bash \"$@\"\n";
    std::fs::write(&wrapper, text).unwrap();
    std::fs::write(folder.path().join("env"), "readonly V=other\n").unwrap();
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();

    let options = ShellOptions { shell: Some(wrapper), ..shell_options() };
    assert!(!is_driven(options).await);
    assert!(is_driven(shell_options()).await, "another bash's failure is its own");
}

#[tokio::test]
async fn functions_of_the_environment_do_not_meet_the_driver() {
    let names = ["enable", "builtin", "exec", "pi_driver"];
    let function = |name: &&str| (format!("BASH_FUNC_{name}%%"), "() {  echo mine\n}".to_owned());
    let base_env = names.iter().map(function).collect();
    let options = ShellOptions { base_env: Some(base_env), ..shell_options() };

    assert!(is_driven(options).await);
}

#[tokio::test]
async fn a_session_begins_like_a_script() {
    let shell = session();
    for (text, expected) in [
        ("echo $0 $# $- ${BASH_SOURCE[0]}", "bash 0 hB bash\n"),
        ("echo ${OLDPWD-unset}; env | grep -c OLDPWD", "unset\n0\n"),
        (
            "compgen -v | grep -i pi_; compgen -A function; compgen -b | grep driver; trap; alias",
            "",
        ),
        ("enable -p | grep -c driver; jobs; echo $?", "0\n0\n"),
    ] {
        assert_eq!(answer(&shell, text).await.0, expected, "{text}");
    }
    shell.close().await;
}

#[tokio::test]
async fn a_session_in_a_sandbox_is_driven_and_kept_in() {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = folder.path().join("file");
    let sandbox = SandboxOptions::new(SandboxMode::ReadOnly, SandboxNetwork::None);
    let options = ShellOptions { sandbox: Some(sandbox), ..shell_options() };
    let shell = Shell::new(options).unwrap();

    let text = format!("V=kept; {WHICH}; : >{}", file.display());
    let (output, status) = answer(&shell, &text).await;
    assert!(output.contains("/boot\n"), "{output}");
    assert_ne!(status, 0);
    assert!(!file.exists());
    // Copies and standbys are in it too.
    run(&shell, "kill -9 $$").await;
    let (output, status) = answer(&shell, &format!("echo $V; : >{}", file.display())).await;
    assert!(output.starts_with("kept\n"), "{output}");
    assert_ne!(status, 0);
    assert!(!file.exists());
    shell.close().await;
}

#[tokio::test]
async fn a_snapshot_that_is_left_out_leaves_nothing_running() {
    let folder = tempfile::tempdir().unwrap();
    let (snapshot, pid) = (folder.path().join("snapshot.sh"), folder.path().join("pid"));
    let text = format!("sleep 1000 & echo $! >{}; exec false", pid.display());
    std::fs::write(&snapshot, text).unwrap();
    let options = ShellOptions { snapshot_path: Some(snapshot), ..shell_options() };
    let shell = Shell::new(options).unwrap();

    assert_eq!(answer(&shell, "echo ok").await.0, "ok\n");

    let pid = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    eventually("what the snapshot started has ended", || !is_alive(pid)).await;
    shell.close().await;
}
