//! Where tests find the bash driver: built from the present sources, once a test process.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Path of the object beside this test's own target folder.
pub(crate) fn object() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let folder = test.parent().unwrap().join("bash-driver");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bash-driver/build.mjs");
        let built = Command::new("node").arg(script).arg(&folder).status().unwrap();
        assert!(built.success(), "cannot build the bash driver");
        folder.join("pi-driver.so")
    })
}
