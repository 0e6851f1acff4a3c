//! What a read-only command costs beside one in a plain copy: `cargo run --release -p pi-shell --example read_only`, and after
//! `--` texts that are timed instead.
//!
//! In a module, so that the program is one on every system; on others it does nothing.

#[cfg(target_os = "linux")]
mod measure;

fn main() {
    #[cfg(target_os = "linux")]
    measure::main();
}
