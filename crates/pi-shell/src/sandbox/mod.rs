//! Sandboxes: what commands of a session can reach, and how that is held.
//!
//! # Theory of operation
//! The whole session is inside: its supervisor gives rights up before it starts anything, so every
//! bash of the session, also one that replaces another, has the same ones. `open` chooses the first
//! backend that works and proves it by attempts that must fail (`probe`); `enclose` says how one
//! session's supervisor is started (`bwrap` around it, or nothing) and what it then gives up itself
//! (Landlock, capabilities, seccomp).
//!
//! | backend | files, processes, network | and, on top |
//! |---|---|---|
//! | bubblewrap | namespaces and mounts that `bwrap` makes | Landlock, seccomp |
//! | landlock | Landlock; namespaces and mounts of our own where they can be had | seccomp |
//! | seatbelt | a profile of macOS | |
//!
//! What may run at all is not decided here. See docs/sandbox.md.
#![cfg(unix)]

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod landlock;
mod layout;
mod probe;
#[cfg(any(test, not(target_os = "linux")))]
mod seatbelt;
#[cfg(target_os = "linux")]
mod seccomp;
mod stubs;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pi_supervisor::wire::Confine;
#[cfg(target_os = "linux")]
use pi_supervisor::wire::Namespaces;

use self::layout::Layout;
pub(crate) use self::stubs::Stubs;
pub(crate) use crate::confinement::{SandboxBackend, SandboxMode, SandboxOptions, SandboxReport};
use crate::error::ShellError;

/// Results of probes that are kept: an agent has one or two configurations.
const MAX_REMEMBERED: usize = 64;

/// A sandbox that was proven to hold.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sandbox {
    options: SandboxOptions,
    report: SandboxReport,
    technique: Technique,
}

/// What a backend makes use of on this host.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Technique {
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

/// How one session's supervisor is started in a sandbox.
#[derive(Debug, Default)]
pub(crate) struct Enclosure {
    /// Program and arguments before the supervisor's own path; empty: none.
    pub(crate) wrapper: Vec<OsString>,
    /// What the supervisor gives up before it starts anything.
    pub(crate) confine: Option<Confine>,
    /// The supervisor has a pid namespace of its own.
    pub(crate) own_pids: bool,
    /// Where programs put temporary files.
    pub(crate) temporary: PathBuf,
    /// Kept as long as the session.
    stubs: Stubs,
}

impl Enclosure {
    /// What has to be kept until the session's end.
    pub(crate) fn into_stubs(self) -> Stubs {
        self.stubs
    }
}

/// What a session has of its own.
#[cfg_attr(
    target_os = "macos",
    expect(dead_code, reason = "a profile there names files and mounts nothing")
)]
pub(crate) struct SessionPaths<'a> {
    /// The supervisor.
    pub(crate) executable: &'a Path,
    /// The private folder.
    pub(crate) folder: &'a Path,
    /// The part of it that its shells may write to.
    pub(crate) state: &'a Path,
    /// The part of it for temporary files, where there is no private `/tmp`.
    pub(crate) temporary: &'a Path,
    /// What must be seen, wherever it is.
    pub(crate) visible: Vec<PathBuf>,
}

/// Devices that programs write to, in `/dev`, where it is the host's.
#[cfg(target_os = "linux")]
const DEVICES: [&str; 8] = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"];

static PROVEN: Mutex<Vec<(PathBuf, Arc<Sandbox>)>> = Mutex::new(Vec::new());

impl Sandbox {
    /// The sandbox for these options: proven now, or earlier in this process's life.
    ///
    /// # Errors
    /// [`ShellError::SandboxUnavailable`] with what each backend lacks, and the remedy.
    pub(crate) async fn open(
        options: &SandboxOptions,
        executable: &Path,
    ) -> Result<Arc<Self>, ShellError> {
        if let Some(known) = remembered(options, executable) {
            return Ok(known);
        }
        let mut reasons = Vec::new();
        for backend in backends_of(options) {
            match prove(options, backend, executable).await {
                Ok(sandbox) => {
                    let sandbox = Arc::new(sandbox);
                    remember(executable, &sandbox);
                    return Ok(sandbox);
                }
                Err(reason) => reasons.push(format!("{}: {reason}", backend.name())),
            }
        }
        if reasons.is_empty() {
            reasons.push("this system has no backend".to_owned());
        }
        Err(ShellError::SandboxUnavailable {
            mode: options.mode.name(),
            reason: reasons.join("; "),
        })
    }

    /// What commands in it are told to have run in.
    pub(crate) fn report(&self) -> &SandboxReport {
        &self.report
    }

    /// How a session is started in it.
    pub(crate) fn enclose(&self, session: &SessionPaths<'_>) -> Result<Enclosure, ShellError> {
        self.plan(session).map_err(|reason| ShellError::SandboxUnavailable {
            mode: self.options.mode.name(),
            reason,
        })
    }

    fn plan(&self, session: &SessionPaths<'_>) -> Result<Enclosure, String> {
        let writable = match self.options.mode {
            SandboxMode::ReadOnly => &[],
            SandboxMode::WorkspaceWrite => self.options.writable_paths.as_slice(),
        };
        match &self.technique {
            #[cfg(target_os = "linux")]
            Technique::Bubblewrap { program, landlock } => {
                let layout = self.layout(writable)?;
                Ok(self.in_bubblewrap(program, *landlock, layout, session))
            }
            #[cfg(target_os = "linux")]
            Technique::Landlock { version, namespaces } => {
                let layout = if *namespaces {
                    self.layout(writable)?
                } else {
                    let writable = layout::resolve_writable(writable)?;
                    Layout { writable, ..Layout::default() }
                };
                Ok(self.in_landlock(*version, *namespaces, layout, session))
            }
            #[cfg(not(target_os = "linux"))]
            Technique::Seatbelt { program } => {
                let layout = self.layout(writable)?;
                Ok(self.in_seatbelt(program, layout, session))
            }
        }
    }

    fn layout(&self, writable: &[PathBuf]) -> Result<Layout, String> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Layout::new(writable, &self.options.protected_paths, home.as_deref())
    }

    #[cfg(not(target_os = "linux"))]
    fn in_seatbelt(&self, program: &Path, layout: Layout, session: &SessionPaths<'_>) -> Enclosure {
        let mut writable = layout.writable.clone();
        writable.push(session.folder.to_path_buf());
        let text = seatbelt::text(&seatbelt::Profile {
            writable: &writable,
            protected: &layout.read_only,
            hidden: &self.options.hidden_paths,
            network: self.options.network,
        });
        Enclosure {
            wrapper: vec![program.into(), "-p".into(), text.into()],
            confine: None,
            own_pids: false,
            temporary: session.temporary.to_path_buf(),
            stubs: layout.stubs,
        }
    }
}

#[cfg(target_os = "linux")]
impl Sandbox {
    fn in_bubblewrap(
        &self,
        program: &Path,
        landlock: i64,
        layout: Layout,
        session: &SessionPaths<'_>,
    ) -> Enclosure {
        let mut visible = session.visible.clone();
        visible.push(session.executable.to_path_buf());
        let surroundings = bubblewrap::Surroundings {
            network: self.options.network,
            visible: &visible,
            folder: session.folder,
            state: session.state,
            hidden: &self.options.hidden_paths,
        };
        let mut wrapper = vec![program.as_os_str().to_owned()];
        wrapper.extend(bubblewrap::arguments(&layout, &surroundings));
        let temporary = PathBuf::from("/tmp");
        let mut rules = common_rules(&layout, session);
        rules.extend([
            (temporary.clone(), landlock::ALL),
            (PathBuf::from("/dev"), landlock::ALL),
            (PathBuf::from("/proc"), landlock::READ | landlock::USE),
        ]);
        let landlock =
            (landlock >= landlock::OLDEST).then(|| landlock::ruleset(landlock, false, &rules));
        let seccomp = seccomp::program(seccomp::Choices { internet: true, metadata: true });
        let confine = Confine { id: 0, namespaces: None, landlock, seccomp };
        Enclosure {
            wrapper,
            confine: Some(confine),
            own_pids: true,
            temporary,
            stubs: layout.stubs,
        }
    }

    fn in_landlock(
        &self,
        version: i64,
        namespaces: bool,
        layout: Layout,
        session: &SessionPaths<'_>,
    ) -> Enclosure {
        let mut rules = common_rules(&layout, session);
        rules.push((session.temporary.to_path_buf(), landlock::ALL));
        let device = |name: &&str| (Path::new("/dev").join(name), landlock::USE);
        rules.extend(DEVICES.iter().map(device));
        let network = self.options.network;
        let tcp = !network && !namespaces;
        let landlock = landlock::ruleset(version, tcp, &rules);
        let seccomp = seccomp::program(seccomp::Choices {
            internet: network || namespaces,
            metadata: namespaces || self.options.mode != SandboxMode::ReadOnly,
        });
        let namespaces = namespaces.then(|| {
            let mut writable = layout.writable.clone();
            writable.extend([session.state.to_path_buf(), session.temporary.to_path_buf()]);
            Namespaces {
                network: !network,
                writable: bytes(&writable),
                pinned: bytes(&layout.pinned),
                read_only: bytes(&layout.read_only),
            }
        });
        Enclosure {
            wrapper: Vec::new(),
            confine: Some(Confine { id: 0, namespaces, landlock: Some(landlock), seccomp }),
            own_pids: false,
            temporary: session.temporary.to_path_buf(),
            stubs: layout.stubs,
        }
    }
}

/// What every session of Linux may do with files.
#[cfg(target_os = "linux")]
fn common_rules(layout: &Layout, session: &SessionPaths<'_>) -> Vec<(PathBuf, u64)> {
    let mut rules = vec![
        (PathBuf::from("/"), landlock::READ),
        // FIFOs in it are written to; nothing in it can be made or removed.
        (session.folder.to_path_buf(), landlock::READ | landlock::USE),
        (session.state.to_path_buf(), landlock::ALL),
    ];
    rules.extend(layout.writable.iter().map(|path| (path.clone(), landlock::ALL)));
    rules
}

#[cfg(target_os = "linux")]
fn bytes(paths: &[PathBuf]) -> Vec<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt as _;
    paths.iter().map(|path| path.as_os_str().as_bytes().to_vec()).collect()
}

/// The backends to try, the best first.
fn backends_of(options: &SandboxOptions) -> Vec<SandboxBackend> {
    match options.backend {
        Some(backend) => vec![backend],
        None if cfg!(target_os = "macos") => vec![SandboxBackend::Seatbelt],
        None if cfg!(target_os = "linux") => {
            vec![SandboxBackend::Bubblewrap, SandboxBackend::Landlock]
        }
        None => Vec::new(),
    }
}

/// The backends that can be asked for on this host, by name.
///
/// What the system says of itself, which takes no time; whether one holds is proven when it is
/// asked for.
pub(crate) fn offered_backends() -> Vec<&'static str> {
    #[cfg(target_os = "linux")]
    {
        let mut names = Vec::new();
        if bubblewrap::find().is_some() && may_have_namespaces() {
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
    let restricted = value("kernel/apparmor_restrict_unprivileged_userns") == Some(1)
        || value("kernel/unprivileged_userns_clone") == Some(0);
    let is_root = rustix::process::geteuid().is_root();
    value("user/max_user_namespaces").is_none_or(|most| most > 0) && (is_root || !restricted)
}

fn remembered(options: &SandboxOptions, executable: &Path) -> Option<Arc<Sandbox>> {
    let proven = PROVEN.lock().unwrap_or_else(PoisonError::into_inner);
    proven
        .iter()
        .find(|(known, sandbox)| known == executable && sandbox.options == *options)
        .map(|(_, sandbox)| Arc::clone(sandbox))
}

fn remember(executable: &Path, sandbox: &Arc<Sandbox>) {
    let mut proven = PROVEN.lock().unwrap_or_else(PoisonError::into_inner);
    if proven.len() >= MAX_REMEMBERED {
        proven.remove(0);
    }
    proven.push((executable.to_path_buf(), Arc::clone(sandbox)));
}

/// A sandbox of this backend, proven by attempts that must fail.
async fn prove(
    options: &SandboxOptions,
    backend: SandboxBackend,
    executable: &Path,
) -> Result<Sandbox, String> {
    let mut last = String::new();
    for technique in techniques(backend, options)? {
        let report = SandboxReport {
            mode: options.mode,
            backend,
            network: options.network,
            degraded: technique.lacks(options.mode),
        };
        let mut sandbox = Sandbox { options: options.clone(), report, technique };
        match probe::attempts_that_succeed(&sandbox, executable).await {
            Ok(possible) => {
                let degraded = judge(possible, options)?;
                sandbox.report.degraded.extend(degraded);
                let degraded = sandbox.report.degraded.join(", ");
                if degraded.is_empty() || options.allow_degraded {
                    return Ok(sandbox);
                }
                last = format!("does not contain: {degraded}; `allowDegraded` accepts that");
            }
            Err(reason) => last = reason,
        }
    }
    Err(last)
}

/// Whether what was possible can be accepted at all; returns what of it is a shortcoming.
fn judge(possible: Vec<String>, options: &SandboxOptions) -> Result<Vec<String>, String> {
    let mut degraded = Vec::new();
    for name in possible {
        match name.as_str() {
            "network" if options.network => {}
            // An older Landlock cannot refuse these.
            "signal" | "unix-socket" => degraded.push(name),
            _ => return Err(format!("does not hold here: `{name}` was possible")),
        }
    }
    Ok(degraded)
}

impl Technique {
    /// What it does not contain, whatever the host.
    fn lacks(&self, mode: SandboxMode) -> Vec<String> {
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
fn techniques(backend: SandboxBackend, options: &SandboxOptions) -> Result<Vec<Technique>, String> {
    let version = crate::sys::landlock_version();
    match backend {
        SandboxBackend::Bubblewrap => {
            let program = bubblewrap::find().ok_or(
                "`bwrap` is not installed; install the package `bubblewrap` (0.8 or newer)",
            )?;
            Ok(vec![Technique::Bubblewrap { program, landlock: version }])
        }
        SandboxBackend::Landlock if !options.hidden_paths.is_empty() => {
            Err("cannot hide paths; use bubblewrap or leave `hiddenPaths` out".to_owned())
        }
        SandboxBackend::Landlock if version < landlock::OLDEST => Err(format!(
            "the kernel has version {version} of Landlock, {} is needed (Linux 6.2, with `landlock` in its `lsm=` list)",
            landlock::OLDEST
        )),
        SandboxBackend::Landlock => Ok(vec![
            Technique::Landlock { version, namespaces: true },
            Technique::Landlock { version, namespaces: false },
        ]),
        SandboxBackend::Seatbelt => Err("only macOS has it".to_owned()),
    }
}

/// The ways in which a backend may work here, the best first.
#[cfg(not(target_os = "linux"))]
fn techniques(
    backend: SandboxBackend,
    _options: &SandboxOptions,
) -> Result<Vec<Technique>, String> {
    let program = PathBuf::from(seatbelt::PROGRAM);
    match backend {
        SandboxBackend::Seatbelt if program.is_file() => Ok(vec![Technique::Seatbelt { program }]),
        SandboxBackend::Seatbelt => Err(format!("`{}` is missing", seatbelt::PROGRAM)),
        _ => Err("only Linux has it".to_owned()),
    }
}
