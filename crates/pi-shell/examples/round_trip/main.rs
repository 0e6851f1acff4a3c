//! What one command costs over both engines: `cargo run --release -p pi-shell --example round_trip`.
//!
//! In a module, so that the program is one on every system; on others it does nothing.

#[cfg(unix)]
mod measure;

fn main() {
    #[cfg(unix)]
    measure::main();
}
