//! The profile for `sandbox-exec` of macOS. Pure text, so that it is tested on every system.
//!
//! Later rules win over earlier ones there, so what is protected stands after what is writable.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The program that puts a profile in force.
#[cfg(not(target_os = "linux"))]
pub(super) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// What a profile is made of. All paths are absolute and without symbolic links.
pub(super) struct Profile<'a> {
    pub(super) writable: &'a [PathBuf],
    pub(super) protected: &'a [PathBuf],
    pub(super) hidden: &'a [PathBuf],
    pub(super) network: bool,
    /// The session's own terminal.
    pub(super) terminal: Option<&'a Path>,
}

/// The text of the profile.
pub(super) fn text(profile: &Profile<'_>) -> String {
    let mut text = String::from(
        "(version 1)\n(deny default)\n\
         (allow process-fork)\n(allow process-exec)\n(allow process-info* (target same-sandbox))\n\
         (allow signal (target same-sandbox))\n(allow sysctl-read)\n\
         (allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\"))\n\
         (allow file-read*)\n(allow pseudo-tty)\n\
         (allow file-write* file-ioctl (regex #\"^/dev/(null|zero|tty|ptmx|fd/.*)$\"))\n\
         (deny file-read* file-write* \
         (regex #\"^/dev/(tty.+|pty.+|cu\\..+|console|r?disk.+|bpf.+)$\"))\n\
         (allow file-read* file-write* file-ioctl (require-all \
         (regex #\"^/dev/ttys[0-9]+$\") (extension \"com.apple.sandbox.pty\")))\n",
    );
    // Writing to a string cannot fail.
    if let Some(terminal) = profile.terminal {
        let own = quoted(terminal);
        let _infallible =
            writeln!(text, "(allow file-read* file-write* file-ioctl (literal {own}))");
    }
    for path in profile.writable {
        let _infallible = writeln!(text, "(allow file-write* (subpath {}))", quoted(path));
    }
    for path in profile.protected {
        let _infallible = writeln!(text, "(deny file-write* (subpath {}))", quoted(path));
        // A folder above it could be renamed away, and another put in its place.
        for above in path.ancestors().skip(1) {
            if profile.writable.iter().any(|root| above.starts_with(root)) {
                let above = quoted(above);
                let _infallible =
                    writeln!(text, "(deny file-write-unlink file-write-create (literal {above}))");
            }
        }
    }
    for path in profile.hidden {
        let _infallible =
            writeln!(text, "(deny file-read* file-write* (subpath {}))", quoted(path));
    }
    if profile.network {
        text.push_str("(allow network-outbound (remote ip))\n(allow network-inbound (local ip))\n");
        text.push_str("(allow network-bind (local ip))\n(allow system-socket)\n");
    }
    text
}

/// A path as a string of the profile's language.
fn quoted(path: &Path) -> String {
    let mut text = String::from("\"");
    for character in path.to_string_lossy().chars() {
        if matches!(character, '"' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(network: bool) -> String {
        text(&Profile {
            writable: &[PathBuf::from("/Users/ann/wo\"rk")],
            protected: &[PathBuf::from("/Users/ann/wo\"rk/.git/hooks")],
            hidden: &[PathBuf::from("/Users/ann/.ssh")],
            network,
            terminal: Some(Path::new("/dev/ttys007")),
        })
    }

    #[test]
    fn terminals_are_denied_before_the_own_one_and_new_ones_are_allowed() {
        let text = profile(false);
        let at = |part: &str| text.find(part).unwrap();

        assert!(
            at("(allow file-read*)") < at("(deny file-read* file-write* (regex #\"^/dev/(tty.+")
        );
        assert!(at("^/dev/(tty.+") < at("(extension \"com.apple.sandbox.pty\")"));
        assert!(at("^/dev/(tty.+") < at("(literal \"/dev/ttys007\")"));
    }

    #[test]
    fn everything_is_denied_before_anything_is_allowed() {
        assert!(profile(false).starts_with("(version 1)\n(deny default)\n"));
    }

    #[test]
    fn what_is_protected_is_denied_after_the_folder_was_allowed() {
        let text = profile(false);
        let allowed = text.find("(allow file-write* (subpath \"/Users/ann/wo\\\"rk\"))").unwrap();
        let denied =
            text.find("(deny file-write* (subpath \"/Users/ann/wo\\\"rk/.git/hooks\"))").unwrap();

        assert!(allowed < denied);
        assert!(text.contains("(literal \"/Users/ann/wo\\\"rk/.git\")"), "{text}");
        assert!(!text.contains("(literal \"/Users/ann\")"), "{text}");
    }

    #[test]
    fn the_network_is_there_only_when_asked_for_and_never_for_local_sockets() {
        assert!(!profile(false).contains("network"));
        assert!(profile(true).contains("(allow network-outbound (remote ip))"));
        assert!(!profile(true).contains("unix-socket"));
    }

    #[test]
    fn hidden_paths_cannot_be_read() {
        assert!(
            profile(false).contains("(deny file-read* file-write* (subpath \"/Users/ann/.ssh\"))")
        );
    }
}
