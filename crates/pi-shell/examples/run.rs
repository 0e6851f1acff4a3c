//! Runs each argument as a command of one session and prints what came back: a manual driver.
//!
//! `cargo build -p pi-supervisor && cargo run -p pi-shell --example run -- 'cd /usr' pwd`

#![expect(clippy::print_stdout, reason = "printing is what the example is for")]

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use pi_shell::{Observer, RunOptions, Shell, ShellOptions, SinkOptions, SinkUpdate};
use tokio_util::sync::CancellationToken;

struct Silent;

impl Observer for Silent {
    fn wants_chunks(&self) -> bool {
        false
    }
    fn chunk(&self, _text: &str) {}
    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
    fn wants_updates(&self) -> bool {
        false
    }
    fn update(&self, _update: SinkUpdate) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let supervisor = std::env::current_exe()?.with_file_name("../pi-supervisor");
    let options = ShellOptions { supervisor: Some(supervisor), ..ShellOptions::default() };
    let shell = Shell::new(options)?;
    for command in std::env::args().skip(1) {
        let run = RunOptions {
            command: command.clone(),
            sink: Some(SinkOptions::default()),
            timeout: Some(Duration::from_secs(10)),
            ..RunOptions::default()
        };
        let result = shell.run(run, Arc::new(Silent), CancellationToken::new()).await?;
        println!(
            "$ {command}\n{:?} reset={} {:?} {:?}",
            result.outcome, result.session_reset, result.working_dir, result.wall_time
        );
        println!("{}", result.output.map(|output| output.text).unwrap_or_default());
        for survivor in result.survivors {
            println!("  survivor: {survivor:?}");
        }
    }
    shell.close().await;
    Ok(())
}
