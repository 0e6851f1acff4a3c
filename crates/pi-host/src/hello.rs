//! What this side says of itself and its machine. What takes milliseconds (the digest of this program, bash, what works) is
//! found out on a thread while near's first frame is on its way.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use pi_shell::SessionKind;

use crate::elf;
use crate::machine;
use crate::message::{Bash, Build, Capabilities, FarHello, ReadOnlyCapability, prefix};
use crate::place::{Place, digest_of};

/// Most bytes of the environment in a `Hello`.
const MAX_ENV_BYTES: usize = 2 * 1024 * 1024;

/// Most names of variables that are left out.
const MAX_LEFT_OUT: usize = 64;

/// Most bytes of such a name.
const MAX_NAME_BYTES: usize = 256;

/// What is the same for each link. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    slow: Arc<OnceLock<Slow>>,
}

/// What takes time to find out.
struct Slow {
    digest: Option<String>,
    bash: Result<Bash, String>,
    libc: Option<&'static str>,
    drivers: Vec<String>,
    capabilities: Capabilities,
}

impl Facts {
    /// Begins to find out what takes time.
    pub(crate) fn begin() -> Self {
        let facts = Self::default();
        let own = facts.clone();
        // Without a thread the first `hello` does it.
        drop(std::thread::Builder::new().name("facts".to_owned()).spawn(move || {
            own.slow.get_or_init(Slow::find);
        }));
        facts
    }

    /// The first frame of this side. Waits for what is not found out yet.
    pub(crate) fn hello(&self, place: &Place, protocol: u32, token: Option<String>) -> FarHello {
        let slow = self.slow.get_or_init(Slow::find);
        let (env, env_left_out) = environment();
        let uid = rustix::process::getuid().as_raw();
        let (user, home) = user_and_home(uid);
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        FarHello {
            protocol,
            build: Build { version: env!("CARGO_PKG_VERSION"), digest: slow.digest.clone() },
            instance: place.instance().to_owned(),
            token,
            pid: std::process::id(),
            boot_id: machine::boot_id(),
            clock_ms: u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX),
            os: std::env::consts::OS,
            arch: std::env::consts::ARCH,
            libc: slow.libc,
            uid,
            user,
            home,
            cwd: std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned(),
            host: machine::host_name(),
            env,
            env_left_out,
            bash: slow.bash.as_ref().ok().cloned(),
            bash_error: slow.bash.as_ref().err().cloned(),
            capabilities: slow.capabilities.clone(),
            folder: place.path().to_string_lossy().into_owned(),
            free_bytes: place.free_bytes(),
            drivers: slow.drivers.clone(),
        }
    }
}

impl Slow {
    fn find() -> Self {
        let program = fs::File::open("/proc/self/exe");
        let found = pi_shell::find_bash();
        let image = found.as_ref().ok().and_then(|bash| elf::look(&bash.path));
        let capabilities = capabilities();
        let driver = image.as_ref().filter(|image| image.interpreter.is_some());
        Self {
            digest: program.and_then(digest_of).ok(),
            libc: image.as_ref().and_then(elf::Image::libc),
            drivers: driver
                .and_then(|image| image.architecture)
                .map(|architecture| format!("linux-{architecture}"))
                .into_iter()
                .collect(),
            bash: found.map_err(|error| error.to_string()).map(|bash| Bash {
                path: bash.path.to_string_lossy().into_owned(),
                version: bash.version,
            }),
            capabilities,
        }
    }
}

fn capabilities() -> Capabilities {
    let found = pi_shell::capabilities();
    Capabilities {
        platform: found.platform,
        session: match found.session {
            SessionKind::Persistent => "persistent",
            SessionKind::PerCommand => "per-command",
        },
        supervisor: found.supervisor,
        pty: found.pty,
        clone: found.clone,
        sandbox: found.sandbox,
        read_only: ReadOnlyCapability {
            available: found.read_only.is_ok(),
            degraded: found.read_only.iter().flatten().copied().collect(),
            reason: found.read_only.err(),
        },
    }
}

/// The environment that the transport gave, the smallest variables first; and what has no room, or is not UTF-8.
fn environment() -> (BTreeMap<String, String>, Vec<String>) {
    let (mut fits, mut left_out) = (Vec::new(), Vec::new());
    for (name, value) in std::env::vars_os() {
        match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => fits.push((name, value)),
            (Ok(name), Err(_)) => left_out.push(name),
            (Err(name), _) => left_out.push(name.to_string_lossy().into_owned()),
        }
    }
    fits.sort_unstable_by_key(|(name, value)| name.len() + value.len());
    let mut room = MAX_ENV_BYTES;
    let mut env = BTreeMap::new();
    for (name, value) in fits {
        match room.checked_sub(name.len() + value.len() + 8) {
            Some(rest) => {
                room = rest;
                env.insert(name, value);
            }
            None => left_out.push(name),
        }
    }
    left_out.truncate(MAX_LEFT_OUT);
    for name in &mut left_out {
        name.truncate(prefix(name, MAX_NAME_BYTES).len());
    }
    (env, left_out)
}

/// By the environment, else by the file of users.
fn user_and_home(uid: u32) -> (Option<String>, Option<String>) {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let entry = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let number: u32 = fields.nth(1)?.parse().ok()?;
        let home = fields.nth(2)?;
        (number == uid).then_some((name.to_owned(), home.to_owned()))
    });
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (name, home) = entry.unzip();
    (name.or_else(|| variable("USER")).or_else(|| variable("LOGNAME")), variable("HOME").or(home))
}
