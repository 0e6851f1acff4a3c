//! Links the addon as N-API wants it.
fn main() {
    napi_build::setup();
}
