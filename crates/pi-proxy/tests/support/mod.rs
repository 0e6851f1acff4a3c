//! A network of names and addresses that exists in a test alone, with servers that say what reached them.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::allow_attributes,
    clippy::missing_docs_in_private_items,
    reason = "each test file uses a part of it; tests may panic"
)]

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pi_proxy::{Answer, Outside, Proxy, Refusal, Rules};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// Bound of everything that is waited for; a busy machine keeps it.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Addresses of the names that every test has.
pub const GOOD: &str = "93.184.216.34";
pub const EVIL: &str = "93.184.216.99";

/// Names, the answers of successive lookups, and the servers behind addresses.
#[derive(Default)]
pub struct Net {
    names: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
    routes: Mutex<HashMap<SocketAddr, SocketAddr>>,
    connected: Mutex<Vec<SocketAddr>>,
    pub lookups: Mutex<Vec<String>>,
}

impl Net {
    /// Successive answers of a name; the last one stays.
    pub fn name(&self, name: &str, answers: &[&[&str]]) {
        let answers = answers
            .iter()
            .map(|answer| answer.iter().map(|address| address.parse().unwrap()).collect())
            .collect();
        self.names.lock().unwrap().insert(name.to_owned(), answers);
    }

    /// Puts a server behind an address.
    pub fn route(&self, address: &str, port: u16, server: SocketAddr) {
        let address = SocketAddr::new(address.parse().unwrap(), port);
        self.routes.lock().unwrap().insert(address, server);
    }

    /// Addresses that were connected to.
    pub fn connected(&self) -> Vec<SocketAddr> {
        self.connected.lock().unwrap().clone()
    }
}

/// The network as the proxy has it.
#[derive(Clone)]
pub struct Way(pub Arc<Net>);

impl Outside for Way {
    fn resolve<'a>(&'a self, name: &'a str) -> Answer<'a, Vec<IpAddr>> {
        Box::pin(async move {
            self.0.lookups.lock().unwrap().push(name.to_owned());
            let mut names = self.0.names.lock().unwrap();
            let answers = names.get_mut(name).ok_or(io::ErrorKind::NotFound)?;
            Ok(if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() })
        })
    }

    fn connect(&self, address: SocketAddr) -> Answer<'_, TcpStream> {
        Box::pin(async move {
            self.0.connected.lock().unwrap().push(address);
            let server = self.0.routes.lock().unwrap().get(&address).copied();
            TcpStream::connect(server.ok_or(io::ErrorKind::ConnectionRefused)?).await
        })
    }
}

/// A server that keeps what it is sent and answers each head of a request, or the first bytes of
/// anything else, with its name.
pub struct Server {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Server {
    pub async fn start(name: &'static str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, name, Arc::clone(&kept)));
            }
        });
        Self { address, received }
    }

    /// What it was sent, of all connections, as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.received.lock().unwrap().clone()
    }

    /// What it was sent, of all connections.
    pub fn received(&self) -> String {
        String::from_utf8_lossy(&self.received.lock().unwrap()).into_owned()
    }
}

async fn answer(mut stream: TcpStream, name: &'static str, kept: Arc<Mutex<Vec<u8>>>) {
    let mut head = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut chunk).await {
        kept.lock().unwrap().extend_from_slice(&chunk[..count]);
        head.extend_from_slice(&chunk[..count]);
        let is_http = head.windows(6).any(|part| part == b"HTTP/1");
        if is_http && !head.windows(4).any(|end| end == b"\r\n\r\n") {
            continue;
        }
        head.clear();
        let body = format!("reached {name}");
        let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        if stream.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A proxy with rules in a network in which `good.example`, `evil.example` and more have servers.
pub struct Place {
    pub net: Arc<Net>,
    pub good: Server,
    pub evil: Server,
    pub proxy: Proxy,
    pub address: SocketAddr,
}

impl Place {
    pub async fn open(rules: &[&str]) -> Self {
        let (good, evil) = (Server::start("good").await, Server::start("evil").await);
        let net = Arc::new(Net::default());
        net.name("good.example", &[&[GOOD]]);
        net.name("evil.example", &[&[EVIL]]);
        net.name("evil.good.example", &[&[EVIL]]);
        net.name("evilgood.example", &[&[EVIL]]);
        net.name("good.example.evil.example", &[&[EVIL]]);
        net.name("loop.example", &[&["127.0.0.1"]]);
        net.name("rebind.example", &[&[GOOD], &["127.0.0.1"]]);
        for port in [22, 80, 443, 4873, 8080] {
            net.route(GOOD, port, good.address);
            for address in
                [EVIL, "127.0.0.1", "::1", "169.254.169.254", "10.0.0.5", "::ffff:127.0.0.1"]
            {
                net.route(address, port, evil.address);
            }
        }
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let rules: Vec<_> = rules.iter().map(ToString::to_string).collect();
        let rules = Rules::parse(&rules).unwrap();
        let proxy = Proxy::start(listener, rules, Way(Arc::clone(&net))).unwrap();
        Self { net, good, evil, proxy, address }
    }

    /// Sends `parts` to the proxy, each when the one before was answered, and reads to the end.
    pub async fn send(&self, parts: &[Vec<u8>]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut answer = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            if stream.write_all(part).await.is_err() {
                break;
            }
            let is_last = at + 1 == parts.len();
            if is_last {
                stream.shutdown().await.ok();
                // An end by reset is an end.
                timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap().ok();
            } else {
                let mut chunk = [0; 4096];
                match timeout(PATIENCE, stream.read(&mut chunk)).await.unwrap() {
                    Ok(count @ 1..) => answer.extend_from_slice(&chunk[..count]),
                    _ => break,
                }
            }
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// What the proxy says it refused; waits until there is something.
    pub async fn refused(&self) -> Vec<Refusal> {
        let mut found = Vec::new();
        until(|| {
            found.extend(self.proxy.refusals().take());
            !found.is_empty()
        })
        .await;
        found
    }
}

/// Waits until something holds.
pub async fn until(mut holds: impl FnMut() -> bool) {
    timeout(PATIENCE, async {
        while !holds() {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
}

/// Leaves out what TLS has from version 1.2 on, an empty extension of no meaning in its place.
pub const OLD: &[u8] = &[0xff, 0xee, 0, 0];

/// The first message of TLS, with a server name or without; `more` are further extensions.
pub fn client_hello(names: &[&str], more: &[u8]) -> Vec<u8> {
    let sized = |size: usize, bytes: &[u8]| {
        let length = bytes.len().to_be_bytes();
        [&length[length.len() - size..], bytes].concat()
    };
    let extension = |kind: u16, body: &[u8]| [&kind.to_be_bytes()[..], &sized(2, body)].concat();
    let mut extensions = Vec::new();
    if !names.is_empty() {
        let list: Vec<u8> =
            names.iter().flat_map(|name| [vec![0], sized(2, name.as_bytes())].concat()).collect();
        extensions.extend(extension(0, &sized(2, &list)));
    }
    if more != OLD {
        extensions.extend(extension(13, &sized(2, &[0x08, 0x04, 0x04, 0x03])));
    }
    extensions.extend(extension(43, &sized(1, &[0x03, 0x04])));
    extensions.extend(extension(10, &sized(2, &[0x00, 0x1d])));
    extensions.extend_from_slice(more);
    let body = [
        &[3, 3][..],
        &[7; 32],
        &[0],
        &sized(2, &[0x13, 0x01]),
        &sized(1, &[0]),
        &sized(2, &extensions),
    ]
    .concat();
    let message = [vec![1], sized(3, &body)].concat();
    [vec![0x16, 3, 1], sized(2, &message)].concat()
}

/// An extension of TLS that says what looks like an encrypted server name.
pub fn encrypted_client_hello() -> Vec<u8> {
    let body = [0, 0, 1, 0, 1, 7, 0, 2, 9, 9, 0, 4, 1, 2, 3, 4];
    [&[0xfe, 0x0d, 0, 16][..], &body].concat()
}

/// The greeting and the request of SOCKS5, each to be sent when the one before was answered.
pub fn socks(command: u8, kind: u8, address: &[u8], port: u16) -> Vec<Vec<u8>> {
    let request = [&[5, command, 0, kind][..], address, &port.to_be_bytes()].concat();
    vec![vec![5, 1, 0], request]
}

/// The same by name.
pub fn socks_name(name: &[u8], port: u16) -> Vec<Vec<u8>> {
    let length = u8::try_from(name.len()).unwrap();
    socks(1, 3, &[&[length][..], name].concat(), port)
}

pub fn text(text: &str) -> Vec<Vec<u8>> {
    vec![text.as_bytes().to_vec()]
}
