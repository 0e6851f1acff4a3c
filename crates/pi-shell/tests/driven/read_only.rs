//! Read-only commands: what they see, what they cannot do, and what of them is kept.

use std::fs;

use pi_shell::RunOptions;

use crate::support::{attempt, command, output_of, run, session, status_of, told};

fn read_only(text: &str) -> RunOptions {
    RunOptions { read_only: true, ..command(text) }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_cannot_write() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("file");
    fs::write(&path, "kept\n").unwrap();
    let shell = session();
    run(
        &shell,
        &format!(
            "cd {}; shopt -s extglob; list=(a b); f() {{ echo from f; }}",
            scratch.path().display()
        ),
    )
    .await;

    let read = attempt(&shell, read_only("cat file; f; echo ${list[1]} $PWD")).await.unwrap();
    assert_eq!(output_of(&read), format!("kept\nfrom f\nb {}\n", scratch.path().display()));
    assert!(read.read_only.is_some());

    let removed = attempt(&shell, read_only("rm -f file")).await.unwrap();
    assert_ne!(status_of(&removed), 0, "{}", output_of(&removed));
    let written = attempt(
        &shell,
        read_only(
            "echo x > file; echo $?; echo y > /dev/stderr; echo z | tee /dev/stderr; cat <<< here",
        ),
    )
    .await
    .unwrap();
    println!("{}", output_of(&written));
    assert_eq!(fs::read_to_string(&path).unwrap(), "kept\n");
    assert_eq!(told(&shell, "cat file").await.0, "kept\n");
    shell.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn timing() {
    let shell = session();
    run(&shell, "true").await;
    for (name, read_only, change) in [
        ("clone", false, false),
        ("read-only", true, false),
        ("read-only after change", true, true),
        ("clone after change", false, true),
    ] {
        let mut all = Vec::new();
        for _ in 0..200 {
            if change {
                run(&shell, "x=$RANDOM").await;
            }
            let options = RunOptions {
                read_only,
                concurrency: pi_shell::Concurrency::Clone,
                ..command("true")
            };
            let begun = std::time::Instant::now();
            attempt(&shell, options).await.unwrap();
            all.push(begun.elapsed().as_micros());
        }
        all.sort();
        println!("{name}: best {} p50 {}", all[0], all[100]);
    }
    shell.close().await;
}
