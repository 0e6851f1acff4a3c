//! What a session's supervisor is started in, by what is asked for and by what a host has.

use super::seccomp::Choices;
use super::*;
use crate::{SandboxBackend, SandboxOptions, SandboxReport};

const FREE: Choices = Choices { internet: true, metadata: true, reading: None };

fn sandbox(mode: SandboxMode, network: SandboxNetwork, technique: Technique) -> Sandbox {
    Sandbox {
        options: SandboxOptions::new(mode, network.clone()),
        report: SandboxReport::new(mode, SandboxBackend::Landlock, network),
        technique,
    }
}

fn rules_of_the_network() -> SandboxNetwork {
    SandboxNetwork::Rules(pi_proxy::Rules::parse(&["a.example".to_owned()]).unwrap())
}

/// How a session with these paths is started; with a terminal of its own where one is named.
fn enclosed(sandbox: &Sandbox, terminal: Option<&str>) -> Enclosure {
    let paths = SessionPaths {
        executable: Path::new("/opt/pi-supervisor"),
        folder: Path::new("/run/private"),
        state: Path::new("/run/private/state"),
        temporary: Path::new("/run/private/tmp"),
        visible: ["/opt/bash", "/", "/tmp"].map(PathBuf::from).to_vec(),
        terminal: terminal.map(PathBuf::from),
    };
    sandbox.enclose(&paths).unwrap()
}

fn confined(sandbox: &Sandbox, terminal: Option<&str>) -> Confine {
    enclosed(sandbox, terminal).surroundings.confine.unwrap()
}

/// What is allowed below a path.
fn access(confine: &Confine, path: &str) -> Option<u64> {
    let rules = &confine.landlock.as_ref().unwrap().rules;
    rules.iter().find(|rule| rule.path == path.as_bytes()).map(|rule| rule.access)
}

fn has_word(enclosure: &Enclosure, word: &str) -> bool {
    enclosure.surroundings.wrapper.iter().any(|one| one == word)
}

#[test]
fn landlock_alone_refuses_what_namespaces_would_have_kept_away() {
    let alone = Technique::Landlock { version: 6, namespaces: false };
    let of = |mode, network| confined(&sandbox(mode, network, alone.clone()), None);
    for (mode, network, tcp, choices) in [
        (SandboxMode::WorkspaceWrite, SandboxNetwork::Host, 0, FREE),
        (SandboxMode::WorkspaceWrite, SandboxNetwork::None, 3, Choices { internet: false, ..FREE }),
        (SandboxMode::ReadOnly, SandboxNetwork::Host, 0, Choices { metadata: false, ..FREE }),
    ] {
        let confine = of(mode, network);
        assert_eq!(confine.namespaces, None);
        assert_eq!(confine.landlock.as_ref().unwrap().network, tcp, "{choices:?}");
        assert_eq!(confine.seccomp, seccomp::program(choices), "{choices:?}");
        assert_eq!(confine.listener_port, 0);
        assert_eq!(access(&confine, "/dev/pts"), None);
    }
}

#[test]
fn a_session_reads_its_folder_and_writes_to_its_state_and_its_temporary_files() {
    let technique = Technique::Landlock { version: 6, namespaces: true };
    let sandbox = sandbox(SandboxMode::ReadOnly, SandboxNetwork::None, technique);
    let enclosure = enclosed(&sandbox, None);
    assert_eq!(enclosure.temporary, Path::new("/run/private/tmp"));
    assert!(enclosure.plants().is_none(), "nothing can be written");
    assert!(enclosure.surroundings.wrapper.is_empty() && !enclosure.surroundings.own_pids);
    let confine = enclosure.surroundings.confine.unwrap();
    assert_eq!(access(&confine, "/run/private"), Some(landlock::READ));
    for folder in ["/run/private/state", "/run/private/tmp"] {
        assert_eq!(access(&confine, folder), Some(0xffff), "{folder}");
    }
    let namespaces = confine.namespaces.clone().unwrap();
    assert_eq!(namespaces.writable, [b"/run/private/state".to_vec(), b"/run/private/tmp".to_vec()]);
    assert!(namespaces.network && namespaces.terminals && namespaces.console.is_empty());
    assert_eq!(access(&confine, "/dev/pts"), Some(landlock::USE | landlock::LIST));
    assert_eq!(confine.seccomp, seccomp::program(FREE), "namespaces keep it all away");
    assert_eq!(confine.landlock.unwrap().network, 0);
}

#[test]
fn the_network_is_the_host_s_or_a_namespace_with_a_proxy_where_there_are_rules() {
    let technique = Technique::Landlock { version: 6, namespaces: true };
    let of = |network| confined(&sandbox(SandboxMode::ReadOnly, network, technique.clone()), None);
    let (host, rules) = (of(SandboxNetwork::Host), of(rules_of_the_network()));
    assert!(!host.namespaces.unwrap().network);
    assert!(rules.namespaces.unwrap().network);
    assert_eq!((host.listener_port, rules.listener_port), (0, PROXY_ADDRESS.port()));
}

/// Where a machine has no console, a session's terminal cannot be shown at its place.
#[test]
fn a_terminal_is_the_only_one_of_its_session() {
    let technique = Technique::Landlock { version: 6, namespaces: true };
    let with = sandbox(SandboxMode::ReadOnly, SandboxNetwork::None, technique);
    let confine = confined(&with, Some("/dev/pts/7"));
    let namespaces = confine.namespaces.as_ref().unwrap();
    if Path::new(CONSOLE).exists() {
        assert!(namespaces.terminals);
        assert_eq!(namespaces.console, b"/dev/pts/7");
        let console = &confine.landlock.as_ref().unwrap().rules;
        assert!(
            console.iter().any(|rule| rule.path == CONSOLE.as_bytes()
                && rule.access & landlock::USE == landlock::USE)
        );
        assert_eq!(access(&confine, "/dev/pts/7"), None);
    } else {
        assert!(!namespaces.terminals && namespaces.console.is_empty());
        assert_eq!(access(&confine, "/dev/pts/7"), Some(landlock::USE));
    }

    let technique = Technique::Landlock { version: 6, namespaces: false };
    let alone = sandbox(SandboxMode::ReadOnly, SandboxNetwork::None, technique);
    let confine = confined(&alone, Some("/dev/pts/7"));
    assert_eq!(access(&confine, "/dev/pts/7"), Some(landlock::USE));
}

#[test]
fn bubblewrap_is_around_the_supervisor_and_landlock_is_entered_where_there_is_one() {
    let technique = |landlock| Technique::Bubblewrap { program: "/usr/bin/bwrap".into(), landlock };
    let of = |network, landlock, terminal| {
        enclosed(&sandbox(SandboxMode::ReadOnly, network, technique(landlock)), terminal)
    };
    let enclosure = of(SandboxNetwork::None, landlock::OLDEST, None);
    assert_eq!(enclosure.surroundings.wrapper[0], "/usr/bin/bwrap");
    assert!(enclosure.surroundings.own_pids && has_word(&enclosure, "--unshare-net"));
    assert_eq!(enclosure.temporary, Path::new("/tmp"));
    for path in ["/opt/bash", "/opt/pi-supervisor", "/run/private", "/run/private/state"] {
        assert!(has_word(&enclosure, path), "{path}");
    }
    let shown = enclosure.surroundings.wrapper.windows(2).filter(|pair| pair[0] == "--ro-bind-try");
    assert_eq!(shown.count(), 2, "what has the folder for temporary files in it is not shown");
    let confine = enclosure.surroundings.confine.unwrap();
    assert_eq!(confine.namespaces, None);
    assert_eq!(confine.seccomp, seccomp::program(FREE));
    assert_eq!(access(&confine, "/"), Some(landlock::READ));
    assert_eq!(access(&confine, "/tmp"), Some(0x7fff));
    let process = landlock::READ | landlock::USE;
    assert_eq!(access(&confine, "/proc"), Some(process & 0x7fff));
    assert_eq!(access(&confine, CONSOLE), None);

    let with_terminal = of(SandboxNetwork::Host, landlock::OLDEST, Some("/dev/pts/7"));
    assert!(has_word(&with_terminal, "/dev/pts/7") && !has_word(&with_terminal, "--unshare-net"));
    let confine = with_terminal.surroundings.confine.unwrap();
    assert_eq!(access(&confine, CONSOLE), Some(landlock::USE & 0x7fff));

    let old = of(rules_of_the_network(), landlock::OLDEST - 1, None);
    let confine = old.surroundings.confine.unwrap();
    assert_eq!((confine.landlock, confine.listener_port), (None, PROXY_ADDRESS.port()));
}

#[test]
fn a_session_that_may_write_is_protected_where_mounts_can_be_made() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    for namespaces in [true, false] {
        let technique = Technique::Landlock { version: 6, namespaces };
        let mut sandbox = sandbox(SandboxMode::WorkspaceWrite, SandboxNetwork::None, technique);
        sandbox.options.writable_paths = vec![root.clone()];

        let enclosure = enclosed(&sandbox, None);

        assert!(enclosure.plants().is_some());
        assert_eq!(root.join(".vscode").exists(), namespaces, "a stub is in the place");
        let confine = enclosure.surroundings.confine.clone().unwrap();
        assert_eq!(access(&confine, root.to_str().unwrap()), Some(0xffff));
        if let Some(namespaces) = confine.namespaces {
            assert!(
                namespaces.read_only.contains(&root.join(".vscode").into_os_string().into_vec())
            );
        }
        let stubs = enclosure.into_stubs();
        assert_eq!(root.join(".vscode").exists(), namespaces, "it stays as long as the session");
        drop(stubs);
        assert!(!root.join(".vscode").exists());
    }
}
