//! Links the addon as N-API wants it.
//!
//! On Linux that includes `-z nodelete`: a worker that ends unloads its addons, and the threads of
//! `runtime.rs` still execute this image then.
fn main() {
    napi_build::setup();
}
