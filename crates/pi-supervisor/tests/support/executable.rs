//! Where tests of other crates find the supervisor: cargo tells the path of an executable to tests of its own package
//! only. They include this file, which needs no crate.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Path of the executable beside this test's own target folder, built from the present sources.
///
/// `cargo test -p` of another crate does not build it, and an old one would be tested unnoticed; so
/// cargo is asked once a test process, which takes a moment when there is nothing to do.
pub(crate) fn executable() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        // TARGET/PROFILE/deps/NAME-HASH
        let test = std::env::current_exe().unwrap();
        let profile_folder = test.parent().and_then(Path::parent).unwrap();
        let target = profile_folder.parent().unwrap();
        let is_release = profile_folder.ends_with("release");
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--quiet", "--package", "pi-supervisor", "--target-dir"])
            .arg(target)
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        if is_release {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success(), "cannot build pi-supervisor");
        profile_folder.join("pi-supervisor")
    })
}
