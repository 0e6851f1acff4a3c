//! Supervisor.
fn main() {}
