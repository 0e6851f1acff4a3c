//! The command line of `bwrap`, which makes the namespaces and mounts of a sandbox.
//!
//! The supervisor is what runs in it, as process 1 of a pid namespace: when it ends, the kernel
//! kills whatever else is there. It ends when the host's socket does, which is why
//! `--die-with-parent` is left out: that is bound to the host's *thread*, and threads of a runtime
//! end while the host lives on.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::devices::CONSOLE;
use super::layout::Layout;

/// Where the program is looked for: never in `PATH`, which a project can change.
const PLACES: [&str; 4] =
    ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// The installed program.
pub(super) fn find() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// What a session has beside its layout.
pub(super) struct Surroundings<'a> {
    pub(super) network: bool,
    /// Files and folders that must be seen in the sandbox, wherever they are.
    pub(super) visible: &'a [PathBuf],
    /// The session's private folder, which it cannot change.
    pub(super) folder: &'a Path,
    /// The part of it that it can.
    pub(super) state: &'a Path,
    pub(super) hidden: &'a [PathBuf],
    /// The host's path of the session's own terminal.
    pub(super) terminal: Option<&'a Path>,
}

/// Everything before the program that is to run.
pub(super) fn arguments(layout: &Layout, surroundings: &Surroundings<'_>) -> Vec<OsString> {
    let mut line = Line(Vec::new());
    line.words(&[
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ]);
    if !surroundings.network {
        line.words(&["--unshare-net"]);
    }
    line.words(&["--disable-userns", "--cap-drop", "ALL", "--new-session", "--as-pid-1"]);
    line.words(&["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]);
    if let Some(terminal) = surroundings.terminal {
        line.words(&["--dev-bind-try"]);
        line.path(terminal);
        line.words(&[CONSOLE]);
    }
    for path in surroundings.visible {
        line.mount("--ro-bind-try", path);
    }
    for path in layout.writable.iter().chain(&layout.pinned) {
        line.mount("--bind", path);
    }
    for path in &layout.read_only {
        line.mount("--ro-bind", path);
    }
    for path in surroundings.hidden {
        if path.is_dir() {
            line.words(&["--tmpfs"]);
            line.path(path);
            line.words(&["--remount-ro"]);
            line.path(path);
        } else {
            line.words(&["--ro-bind", "/dev/null"]);
            line.path(path);
        }
    }
    line.mount("--ro-bind", surroundings.folder);
    line.mount("--bind", surroundings.state);
    line.words(&["--chdir", "/", "--"]);
    line.0
}

struct Line(Vec<OsString>);

impl Line {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn path(&mut self, path: &Path) {
        self.0.push(path.as_os_str().to_owned());
    }

    /// A path at its own place.
    fn mount(&mut self, how: &str, path: &Path) {
        self.words(&[how]);
        self.path(path);
        self.path(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(network: bool) -> Vec<String> {
        let layout = Layout {
            writable: vec![PathBuf::from("/project")],
            pinned: vec![PathBuf::from("/project/.git")],
            read_only: vec![PathBuf::from("/project/.git/hooks")],
            ..Layout::default()
        };
        let surroundings = Surroundings {
            network,
            visible: &[],
            folder: Path::new("/run/private"),
            state: Path::new("/run/private/w"),
            hidden: &[],
            terminal: Some(Path::new("/dev/pts/7")),
        };
        arguments(&layout, &surroundings)
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect()
    }

    #[test]
    fn rights_are_given_up_also_when_the_user_is_root() {
        let line = line(false);

        for needed in ["--unshare-user", "--unshare-pid", "--disable-userns", "--new-session"] {
            assert!(line.contains(&needed.to_owned()), "{needed}");
        }
        assert!(line.windows(2).any(|pair| pair == ["--cap-drop", "ALL"]));
    }

    #[test]
    fn the_network_is_a_namespace_unless_it_was_asked_for() {
        assert!(line(false).contains(&"--unshare-net".to_owned()));
        assert!(!line(true).contains(&"--unshare-net".to_owned()));
    }

    #[test]
    fn mounts_come_in_the_order_in_which_they_cover_each_other() {
        let line = line(false);
        let at = |path: &str| line.iter().position(|word| word == path).unwrap();

        assert!(at("/dev") < at("/dev/pts/7"));
        assert_eq!(line[at("/dev/pts/7") + 1], "/dev/console");
        assert!(at("/tmp") < at("/project"));
        assert!(at("/project") < at("/project/.git"));
        assert!(at("/project/.git") < at("/project/.git/hooks"));
    }

    #[test]
    fn what_is_shown_is_mounted_at_its_place_and_what_is_hidden_is_covered() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let (visible, hidden) =
            ([PathBuf::from("/opt/bash")], [folder.path().into(), file.clone()]);
        let surroundings = Surroundings {
            network: true,
            visible: &visible,
            folder: Path::new("/run/private"),
            state: Path::new("/run/private/w"),
            hidden: &hidden,
            terminal: None,
        };

        let line = arguments(&Layout::default(), &surroundings);

        let has =
            |words: &[&std::ffi::OsStr]| line.windows(words.len()).any(|found| found == words);
        let folder = folder.path().as_os_str();
        assert!(has(&["--ro-bind-try".as_ref(), "/opt/bash".as_ref(), "/opt/bash".as_ref()]));
        assert!(has(&["--tmpfs".as_ref(), folder, "--remount-ro".as_ref(), folder]));
        assert!(has(&["--ro-bind".as_ref(), "/dev/null".as_ref(), file.as_ref()]));
        assert!(has(&["--ro-bind".as_ref(), "/run/private".as_ref(), "/run/private".as_ref()]));
        assert!(has(&["--bind".as_ref(), "/run/private/w".as_ref(), "/run/private/w".as_ref()]));
        assert_eq!(line.last().unwrap(), "--");
        assert!(find().is_none_or(|program| program.ends_with("bwrap")));
    }
}
