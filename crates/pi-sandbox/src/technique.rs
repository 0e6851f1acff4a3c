//! What a backend makes use of on a host: which there are, and what each needs and lacks.
//!
//! What the system says of itself; whether one holds is proven in `probe`.

use std::path::{Path, PathBuf};

#[cfg(not(target_os = "linux"))]
use super::seatbelt;
use super::{SandboxBackend, SandboxMode, SandboxNetwork, SandboxOptions};
#[cfg(target_os = "linux")]
use super::{bubblewrap, landlock};

/// What a backend makes use of on this host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Technique {
    /// The program, and the version of Landlock or 0.
    #[cfg(target_os = "linux")]
    Bubblewrap { program: PathBuf, landlock: i64 },
    /// The version, and whether this user can have namespaces.
    #[cfg(target_os = "linux")]
    Landlock { version: i64, namespaces: bool },
    /// The program.
    #[cfg(not(target_os = "linux"))]
    Seatbelt { program: PathBuf },
}

/// The backends of this system, the best first.
const BACKENDS: &[SandboxBackend] = if cfg!(target_os = "macos") {
    &[SandboxBackend::Seatbelt]
} else if cfg!(target_os = "linux") {
    &[SandboxBackend::Bubblewrap, SandboxBackend::Landlock]
} else {
    &[]
};

/// The backends to try, the best first.
pub(super) fn backends_of(options: &SandboxOptions) -> Vec<SandboxBackend> {
    options.backend.map_or_else(|| BACKENDS.to_vec(), |asked| vec![asked])
}

/// The backends that can be asked for on this host, by name.
///
/// What the system says of itself, which takes no time; whether one holds is proven when it is
/// asked for.
pub fn offered_backends() -> Vec<&'static str> {
    #[cfg(target_os = "linux")]
    {
        let mut names = Vec::new();
        if bubblewrap::find().is_some_and(|_program| may_have_namespaces()) {
            names.push(SandboxBackend::Bubblewrap.name());
        }
        if crate::sys::landlock_version() >= landlock::OLDEST {
            names.push(SandboxBackend::Landlock.name());
        }
        names
    }
    #[cfg(not(target_os = "linux"))]
    {
        let seatbelt = cfg!(target_os = "macos") && Path::new(seatbelt::PROGRAM).is_file();
        if seatbelt { vec![SandboxBackend::Seatbelt.name()] } else { Vec::new() }
    }
}

/// Whether the system's switches let this user have a user namespace.
#[cfg(target_os = "linux")]
fn may_have_namespaces() -> bool {
    let value = |name: &str| {
        let text = std::fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
        text.trim().parse::<i64>().ok()
    };
    allow_namespaces(value, rustix::process::geteuid().is_root())
}

/// The same for these values of sysctl(8), of which a kernel may have none.
#[cfg(target_os = "linux")]
fn allow_namespaces(value: impl Fn(&str) -> Option<i64>, is_root: bool) -> bool {
    let restricted = value("kernel/apparmor_restrict_unprivileged_userns") == Some(1)
        || value("kernel/unprivileged_userns_clone") == Some(0);
    value("user/max_user_namespaces").is_none_or(|most| most > 0) && (is_root || !restricted)
}

impl Technique {
    /// What it does not contain, whatever the host.
    pub(super) fn lacks(&self, mode: SandboxMode) -> Vec<String> {
        if mode == SandboxMode::ReadOnly {
            // Nothing in it to protect, and the filter refuses what Landlock does not know.
            return Vec::new();
        }
        match self {
            #[cfg(target_os = "linux")]
            Self::Landlock { namespaces: false, .. } => {
                vec!["protected-paths".to_owned(), "file-metadata".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

/// The ways in which a backend may work here, the best first.
#[cfg(target_os = "linux")]
pub(super) fn techniques(
    backend: SandboxBackend,
    options: &SandboxOptions,
) -> Result<Vec<Technique>, String> {
    let version = crate::sys::landlock_version();
    match backend {
        SandboxBackend::Bubblewrap => {
            let program = bubblewrap::find().ok_or(
                "`bwrap` is not installed; install the package `bubblewrap` (0.8 or newer)",
            )?;
            Ok(vec![Technique::Bubblewrap { program, landlock: version }])
        }
        SandboxBackend::Landlock => ways_of_landlock(options, version),
        SandboxBackend::Seatbelt => Err("only macOS has it".to_owned()),
    }
}

/// The same for a kernel with this version of Landlock.
#[cfg(target_os = "linux")]
fn ways_of_landlock(options: &SandboxOptions, version: i64) -> Result<Vec<Technique>, String> {
    if !options.hidden_paths.is_empty() {
        return Err("cannot hide paths; use bubblewrap or leave `hiddenPaths` out".to_owned());
    }
    if version < landlock::OLDEST {
        return Err(format!(
            "the kernel has version {version} of Landlock, {} is needed (Linux 6.2, with `landlock` in its `lsm=` list)",
            landlock::OLDEST
        ));
    }
    let mut ways = vec![Technique::Landlock { version, namespaces: true }];
    // Without a namespace of its own a session could pass the proxy by.
    if !has_rules(options) {
        ways.push(Technique::Landlock { version, namespaces: false });
    }
    Ok(ways)
}

/// Whether the network has rules, which need a network namespace.
fn has_rules(options: &SandboxOptions) -> bool {
    matches!(options.network, SandboxNetwork::Rules(_))
}

/// The ways in which a backend may work here, the best first.
#[cfg(not(target_os = "linux"))]
pub(super) fn techniques(
    backend: SandboxBackend,
    options: &SandboxOptions,
) -> Result<Vec<Technique>, String> {
    let program = PathBuf::from(seatbelt::PROGRAM);
    match backend {
        SandboxBackend::Seatbelt if has_rules(options) => Err(
            "has no network namespace, which `network.allow` needs; set `network` to true or false"
                .to_owned(),
        ),
        SandboxBackend::Seatbelt if program.is_file() => Ok(vec![Technique::Seatbelt { program }]),
        SandboxBackend::Seatbelt => Err(format!("`{}` is missing", seatbelt::PROGRAM)),
        _ => Err("only Linux has it".to_owned()),
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn options() -> SandboxOptions {
        SandboxOptions::new(SandboxMode::WorkspaceWrite, SandboxNetwork::None)
    }

    #[test]
    fn the_backend_that_is_asked_for_is_tried_alone_and_else_bubblewrap_first() {
        let best = [SandboxBackend::Bubblewrap, SandboxBackend::Landlock];
        assert_eq!(backends_of(&options()), best);
        let asked = SandboxOptions { backend: Some(SandboxBackend::Seatbelt), ..options() };
        assert_eq!(backends_of(&asked), [SandboxBackend::Seatbelt]);
    }

    #[test]
    fn landlock_alone_protects_no_paths_where_something_can_be_written() {
        let alone = Technique::Landlock { version: 6, namespaces: false };
        let lacks = ["protected-paths", "file-metadata"];
        assert_eq!(alone.lacks(SandboxMode::WorkspaceWrite), lacks);
        assert_eq!(alone.lacks(SandboxMode::ReadOnly), [""; 0]);
        for technique in [
            Technique::Landlock { version: 6, namespaces: true },
            Technique::Bubblewrap { program: "/bin/bwrap".into(), landlock: 0 },
        ] {
            assert_eq!(technique.lacks(SandboxMode::WorkspaceWrite), [""; 0]);
        }
    }

    #[test]
    fn a_backend_that_cannot_do_what_is_asked_says_so() {
        let hiding = SandboxOptions { hidden_paths: vec!["/etc".into()], ..options() };
        let reason = techniques(SandboxBackend::Landlock, &hiding).unwrap_err();
        assert!(reason.starts_with("cannot hide paths"), "{reason}");
        let reason = techniques(SandboxBackend::Seatbelt, &options()).unwrap_err();
        assert_eq!(reason, "only macOS has it");
    }

    #[test]
    fn namespaces_are_had_unless_a_switch_of_the_system_refuses_them() {
        let (most, by_apparmor, clone) = (
            "user/max_user_namespaces",
            "kernel/apparmor_restrict_unprivileged_userns",
            "kernel/unprivileged_userns_clone",
        );
        for (switches, of_a_user, of_root) in [
            (vec![], true, true),
            (vec![(most, 1)], true, true),
            (vec![(most, 0)], false, false),
            (vec![(by_apparmor, 1)], false, true),
            (vec![(by_apparmor, 0)], true, true),
            (vec![(clone, 0)], false, true),
            (vec![(clone, 1), (by_apparmor, 1)], false, true),
            (vec![(clone, 1), (most, 9), (by_apparmor, 0)], true, true),
        ] {
            let value = |name: &str| switches.iter().find(|it| it.0 == name).map(|it| it.1);
            let found = (allow_namespaces(value, false), allow_namespaces(value, true));
            assert_eq!(found, (of_a_user, of_root), "{switches:?}");
        }
    }

    #[test]
    fn rules_for_the_network_leave_the_way_with_a_namespace() {
        let ways =
            |network, version| ways_of_landlock(&SandboxOptions { network, ..options() }, version);
        let rules = pi_proxy::Rules::parse(&["example.org".to_owned()]).unwrap();
        for version in [landlock::OLDEST, landlock::OLDEST + 1] {
            let [best, other] =
                [true, false].map(|namespaces| Technique::Landlock { version, namespaces });
            let with_rules = ways(SandboxNetwork::Rules(rules.clone()), version).unwrap();
            assert_eq!(with_rules, std::slice::from_ref(&best));
            assert_eq!(ways(SandboxNetwork::Host, version).unwrap(), [best, other]);
        }
        for version in [0, landlock::OLDEST - 1] {
            let reason = ways(SandboxNetwork::Host, version).unwrap_err();
            assert!(reason.contains(&format!("has version {version} of Landlock")), "{reason}");
        }
    }

    #[test]
    fn a_backend_that_works_here_is_offered() {
        let offered = offered_backends();
        let is_offered = |backend: SandboxBackend| offered.contains(&backend.name());
        let has_landlock = techniques(SandboxBackend::Landlock, &options()).is_ok();
        assert_eq!(is_offered(SandboxBackend::Landlock), has_landlock);
        let mut namespaces = std::process::Command::new("unshare");
        let tried = namespaces.args(["--user", "--map-root-user", "--mount", "true"]).output();
        if Path::new("/usr/bin/bwrap").is_file() && tried.is_ok_and(|it| it.status.success()) {
            assert!(is_offered(SandboxBackend::Bubblewrap));
        }
    }
}
