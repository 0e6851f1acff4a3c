//! How one session is started in a sandbox: what its supervisor is wrapped in, and what it gives
//! up itself.
//!
//! Which backend, and whether it holds, is `proven`'s.

#[cfg(target_os = "linux")]
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use pi_process::supervisor::Surroundings;
#[cfg(target_os = "linux")]
use pi_supervisor::wire::{Confine, Namespaces};

#[cfg(target_os = "linux")]
use super::confinement::PROXY_ADDRESS;
#[cfg(target_os = "linux")]
use super::devices::CONSOLE;
use super::layout::Layout;
#[cfg(not(target_os = "linux"))]
use super::seatbelt;
use super::technique::Technique;
use super::{Plants, Sandbox, SandboxMode, Stubs};
#[cfg(target_os = "linux")]
use super::{SandboxNetwork, bubblewrap, devices, landlock, seccomp};
use crate::SandboxUnavailable;

/// How one session's supervisor is started in a sandbox.
#[derive(Debug, Default)]
pub struct Enclosure {
    /// What the supervisor is started in.
    pub surroundings: Surroundings,
    /// Where programs put temporary files.
    pub temporary: PathBuf,
    /// Kept as long as the session.
    stubs: Stubs,
    /// Looks for what commands leave behind, where they can write.
    plants: Option<Plants>,
}

impl Enclosure {
    /// What looks for what commands leave behind; `None`: they can write nowhere.
    pub fn plants(&self) -> Option<Plants> {
        self.plants.clone()
    }

    /// What has to be kept until the session's end.
    pub fn into_stubs(self) -> Stubs {
        self.stubs
    }
}

/// What a session has of its own.
pub struct SessionPaths<'a> {
    /// The supervisor.
    pub executable: &'a Path,
    /// The private folder.
    pub folder: &'a Path,
    /// The part of it that its shells may write to.
    pub state: &'a Path,
    /// The part of it for temporary files, where there is no private `/tmp`.
    pub temporary: &'a Path,
    /// What must be seen, wherever it is.
    pub visible: Vec<PathBuf>,
    /// Its own terminal, by the host's path. `None`: it has none.
    pub terminal: Option<PathBuf>,
}

impl Sandbox {
    /// How a session is started in it.
    pub fn enclose(&self, session: &SessionPaths<'_>) -> Result<Enclosure, SandboxUnavailable> {
        self.plan(session)
            .map_err(|reason| SandboxUnavailable { mode: self.options.mode.name(), reason })
    }

    /// The same, with the reason alone where it fails: for the proof, which has more to say.
    pub(super) fn plan(&self, session: &SessionPaths<'_>) -> Result<Enclosure, String> {
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
                    Layout::unprotected(writable)?
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
            network: self.options.network.is_host(),
            terminal: session.terminal.as_deref(),
        });
        Enclosure {
            surroundings: Surroundings {
                wrapper: vec![program.into(), "-p".into(), text.into()],
                ..Surroundings::default()
            },
            temporary: session.temporary.to_path_buf(),
            stubs: layout.stubs,
            plants: layout.plants,
        }
    }
}

#[cfg(target_os = "linux")]
impl Sandbox {
    /// Where the proxy listens in the network namespace; 0: there is none.
    fn listener_port(&self) -> u16 {
        match self.options.network {
            SandboxNetwork::Rules(_) => PROXY_ADDRESS.port(),
            SandboxNetwork::None | SandboxNetwork::Host => 0,
        }
    }

    fn in_bubblewrap(
        &self,
        program: &Path,
        landlock: i64,
        layout: Layout,
        session: &SessionPaths<'_>,
    ) -> Enclosure {
        let temporary = PathBuf::from("/tmp");
        let mut visible = session.visible.clone();
        visible.push(session.executable.to_path_buf());
        // It would be the host's, and read-only.
        visible.retain(|path| !temporary.starts_with(path));
        let surroundings = bubblewrap::Surroundings {
            network: self.options.network.is_host(),
            visible: &visible,
            folder: session.folder,
            state: session.state,
            hidden: &self.options.hidden_paths,
            terminal: session.terminal.as_deref(),
        };
        let mut wrapper = vec![program.as_os_str().to_owned()];
        wrapper.extend(bubblewrap::arguments(&layout, &surroundings));
        let mut rules = common_rules(&layout, session);
        if session.terminal.is_some() {
            // Also by the descriptors it is given, which lead to the host's name.
            rules.push((PathBuf::from(CONSOLE), landlock::USE));
        }
        rules.extend([
            (PathBuf::from("/"), landlock::READ),
            (temporary.clone(), landlock::ALL),
            (PathBuf::from("/dev"), landlock::ALL),
            (PathBuf::from("/proc"), landlock::READ | landlock::USE),
        ]);
        let landlock =
            (landlock >= landlock::OLDEST).then(|| landlock::ruleset(landlock, false, &rules));
        let seccomp =
            seccomp::program(seccomp::Choices { internet: true, metadata: true, reading: None });
        let listener_port = self.listener_port();
        let confine = Confine { id: 0, namespaces: None, listener_port, landlock, seccomp };
        Enclosure {
            surroundings: Surroundings { wrapper, confine: Some(confine), own_pids: true },
            temporary,
            stubs: layout.stubs,
            plants: layout.plants,
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
        rules.extend(devices::rules());
        // Without a place at which its own one could be shown, the others are kept from it by rules.
        let terminals = namespaces && (session.terminal.is_none() || Path::new(CONSOLE).exists());
        let own = session.terminal.as_deref().filter(|_| !terminals);
        rules.extend(own.map(|path| (path.to_path_buf(), landlock::USE)));
        let console = session.terminal.clone().filter(|_| terminals);
        if terminals {
            rules.push((PathBuf::from("/dev/pts"), landlock::USE | landlock::LIST));
            rules.extend(console.as_ref().map(|_| (PathBuf::from(CONSOLE), landlock::USE)));
        }
        let network = self.options.network.is_host();
        let tcp = !network && !namespaces;
        let landlock = landlock::ruleset(version, tcp, &rules);
        let seccomp = seccomp::program(seccomp::Choices {
            internet: network || namespaces,
            metadata: namespaces || self.options.mode != SandboxMode::ReadOnly,
            reading: None,
        });
        let namespaces = namespaces.then(|| {
            let mut writable = layout.writable.clone();
            writable.extend([session.state.to_path_buf(), session.temporary.to_path_buf()]);
            Namespaces {
                network: !network,
                writable: bytes(&writable),
                pinned: bytes(&layout.pinned),
                read_only: bytes(&layout.read_only),
                terminals,
                console: console.map(|path| path.into_os_string().into_vec()).unwrap_or_default(),
            }
        });
        let confine = Confine {
            id: 0,
            namespaces,
            listener_port: self.listener_port(),
            landlock: Some(landlock),
            seccomp,
        };
        Enclosure {
            surroundings: Surroundings { confine: Some(confine), ..Surroundings::default() },
            temporary: session.temporary.to_path_buf(),
            stubs: layout.stubs,
            plants: layout.plants,
        }
    }
}

/// What every session of Linux may do with files.
#[cfg(target_os = "linux")]
fn common_rules(layout: &Layout, session: &SessionPaths<'_>) -> Vec<(PathBuf, u64)> {
    let mut rules = vec![
        // What the host puts there is read; nothing in it can be made or removed.
        (session.folder.to_path_buf(), landlock::READ),
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

#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "enclosure_cases.rs"]
mod cases;
