//! What is told of a driver that bash does not load. A test of its own, since the process knows one answer at a time.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod support;

use pi_shell::{DriverState, RunOptions, Shell, ShellOptions, driver_state};

use crate::support::{attempt, command, shell_options, told};

#[tokio::test]
async fn the_reason_is_in_the_words_of_bash() {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("pi-driver.so");
    std::fs::write(&object, "not an object").unwrap();
    // Another file each time, so that each is tried.
    for _ in 0..5 {
        std::fs::copy(&object, folder.path().join("next")).unwrap();
        std::fs::rename(folder.path().join("next"), &object).unwrap();
        let options = ShellOptions { driver: Some(object.clone()), ..shell_options() };
        let shell = Shell::new(options).unwrap();
        // Nothing is run without protection because the driver that gives it does not load.
        let read_only = RunOptions { read_only: true, ..command("echo here") };
        let refused = attempt(&shell, read_only).await.unwrap_err();
        assert_eq!(refused.code(), "PI_READ_ONLY_UNAVAILABLE", "{refused}");
        assert_eq!(told(&shell, "echo here").await.0, "here\n");
        shell.close().await;

        let DriverState::Unfit(reason) = driver_state() else { panic!("it fits") };
        assert!(reason.contains("cannot open shared object"), "{reason}");
    }
}
