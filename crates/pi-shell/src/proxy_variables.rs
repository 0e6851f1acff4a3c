//! Variables that lead programs to a proxy: those of the host stay out of a sandbox that is bounded,
//! and where rules bound it, its own are set.
//!
//! A proxy of the host cannot be reached from a network namespace, and its address may hold a
//! password.

use std::ffi::OsStr;
#[cfg(unix)]
use std::ffi::OsString;

use pi_sandbox::{PROXY_ADDRESS, SandboxNetwork, SandboxOptions};

use crate::request::{EnvironmentEntry, ShellOptions};

/// Variables with the proxy's address. Programs differ in the case they read; `ALL_PROXY` is HTTP
/// too, because Python's clients fail on a SOCKS address without a package that is seldom there.
const ADDRESSES: [&str; 8] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    // Yarn from version 2 on has its own.
    "YARN_HTTP_PROXY",
    "YARN_HTTPS_PROXY",
];

/// Variables with what is reached without it.
const EXCEPTIONS: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// Has Node (22.21, 24 and later) read the variables for `fetch` and `http`.
const NODE_SWITCH: &str = "NODE_USE_ENV_PROXY";

/// End in the same letters and name servers of Go modules.
const NOT_PROXIES: [&str; 2] = ["goproxy", "gonoproxy"];

/// Whether a variable says how a proxy is reached, or what is reached without it: `HTTP_PROXY`,
/// `npm_config_https_proxy`, `CARGO_HTTP_PROXY`, `CLOUDSDK_PROXY_PASSWORD` and the like.
fn is_about_proxies(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_lowercase();
    let is_about = name.ends_with("proxy") || name.contains("proxy_");
    is_about && !NOT_PROXIES.contains(&name.as_str())
}

/// Whether the host's proxies mean nothing to a session.
fn is_bounded(sandbox: Option<&SandboxOptions>) -> bool {
    sandbox.is_some_and(|sandbox| sandbox.network != SandboxNetwork::Host)
}

/// An environment without the host's proxies, where a sandbox bounds the network.
pub(crate) fn without_host_proxies<T: AsRef<OsStr>>(
    mut env: Vec<(T, T)>,
    sandbox: Option<&SandboxOptions>,
) -> Vec<(T, T)> {
    if is_bounded(sandbox) {
        env.retain(|(name, _)| !is_about_proxies(name.as_ref()));
    }
    env
}

/// The variables of a sandbox whose network has rules.
pub(crate) fn of_sandbox(sandbox: Option<&SandboxOptions>) -> Vec<EnvironmentEntry> {
    let Some(SandboxNetwork::Rules(rules)) = sandbox.map(|sandbox| &sandbox.network) else {
        return Vec::new();
    };
    let address = format!("http://{PROXY_ADDRESS}");
    let own = rules.own_loopback_names().join(",");
    let addresses = ADDRESSES.map(|name| (name.to_owned(), address.clone()));
    let exceptions = EXCEPTIONS.map(|name| (name.to_owned(), own.clone()));
    let switch = (NODE_SWITCH.to_owned(), "1".to_owned());
    addresses.into_iter().chain(exceptions).chain([switch]).collect()
}

/// An environment with the sandbox's proxy in the place of the host's. What a terminal has; there is none on Windows.
#[cfg(unix)]
pub(crate) fn in_sandbox(
    env: Vec<(OsString, OsString)>,
    sandbox: Option<&SandboxOptions>,
) -> Vec<(OsString, OsString)> {
    let mut env = without_host_proxies(env, sandbox);
    let own = of_sandbox(sandbox).into_iter();
    env.extend(own.map(|(name, value)| (name.into(), value.into())));
    env
}

/// The same for what a session exports on top of its environment.
pub(crate) fn bound(options: &mut ShellOptions) {
    let session_env = std::mem::take(&mut options.session_env);
    options.session_env = without_host_proxies(session_env, options.sandbox.as_ref());
    options.session_env.extend(of_sandbox(options.sandbox.as_ref()));
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use pi_proxy::Rules;
    use pi_sandbox::SandboxMode;

    use super::*;

    fn sandbox(network: SandboxNetwork) -> SandboxOptions {
        SandboxOptions::new(SandboxMode::ReadOnly, network)
    }

    fn rules(texts: &[&str]) -> SandboxNetwork {
        let texts: Vec<_> = texts.iter().map(ToString::to_string).collect();
        SandboxNetwork::Rules(Rules::parse(&texts).unwrap())
    }

    fn host() -> Vec<(OsString, OsString)> {
        [
            ("HTTPS_PROXY", "http://ann:secret@proxy.example:8080"),
            ("npm_config_proxy", "http://ann:secret@proxy.example:8080"),
            ("npm_config_noproxy", "a.example"),
            ("CARGO_HTTP_PROXY", "http://ann:secret@proxy.example:8080"),
            ("CLOUDSDK_PROXY_PASSWORD", "secret"),
            ("no_proxy", "a.example"),
            ("GOPROXY", "https://modules.example"),
            ("PATH", "/bin"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into()
    }

    #[test]
    fn a_proxy_of_the_host_stays_out_of_a_bounded_sandbox() {
        for network in [SandboxNetwork::None, rules(&["a.example"])] {
            let env = in_sandbox(host(), Some(&sandbox(network)));

            assert!(env.iter().all(|(_, value)| !value.to_string_lossy().contains("secret")));
            assert!(env.contains(&("GOPROXY".into(), "https://modules.example".into())));
            assert!(env.contains(&("PATH".into(), "/bin".into())));
        }
    }

    #[test]
    fn the_network_of_the_host_comes_with_its_proxies() {
        assert_eq!(in_sandbox(host(), Some(&sandbox(SandboxNetwork::Host))), host());
        assert_eq!(in_sandbox(host(), None), host());
    }

    #[test]
    fn rules_come_with_a_proxy_of_the_session() {
        let sandbox = sandbox(rules(&["a.example", "127.0.0.1:4873"]));
        let env = of_sandbox(Some(&sandbox));

        let value =
            |name: &str| env.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str());
        for name in ["HTTP_PROXY", "https_proxy", "ALL_PROXY"] {
            assert_eq!(value(name), Some("http://127.0.0.1:3128"), "{name}");
        }
        assert_eq!(value("NO_PROXY"), Some("localhost,::1"));
        assert_eq!(value("NODE_USE_ENV_PROXY"), Some("1"));
    }

    #[test]
    fn what_a_session_exports_cannot_bring_the_proxy_of_the_host_back() {
        let mut options = ShellOptions {
            session_env: vec![("http_proxy".into(), "http://ann:secret@proxy.example".into())],
            sandbox: Some(sandbox(rules(&[]))),
            ..ShellOptions::default()
        };

        bound(&mut options);

        let values: Vec<_> =
            options.session_env.iter().filter(|(name, _)| name == "http_proxy").collect();
        assert_eq!(values, [&("http_proxy".to_owned(), "http://127.0.0.1:3128".to_owned())]);
    }
}
