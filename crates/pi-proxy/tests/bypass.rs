//! Ways past a list of hosts that were reported of proxies like this one, and of others: each does not
//! reach `evil.example` (or what stands for it), and each has a control in which the same bytes with
//! another list, or nearly the same with this one, do reach a server.
//!
//! One table, and so longer than other files.
#![allow(
    clippy::unwrap_used,
    clippy::allow_attributes,
    clippy::too_many_lines,
    clippy::missing_docs_in_private_items,
    reason = "a table; tests may panic"
)]

mod support;

use self::support::{Place, client_hello, encrypted_client_hello, socks, socks_name, text};

/// What shows that an attempt is one.
enum Control {
    /// The same bytes with these rules reach `evil.example`'s server.
    Rules(&'static [&'static str]),
    /// These bytes with the same rules reach `good.example`'s server.
    Bytes(Vec<Vec<u8>>),
}

struct Attempt {
    name: &'static str,
    sent: Vec<Vec<u8>>,
    control: Control,
}

/// The rules that attempts are made against.
const RULES: &[&str] = &["good.example", "*.good.example:8080", "good.example:22"];

const EVIL: Control = Control::Rules(&["evil.example", "evil.example:22"]);

fn connect(target: &str, host: &str, then: &[u8]) -> Vec<Vec<u8>> {
    vec![format!("CONNECT {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes(), then.to_vec()]
}

fn get(target: &str, host: &str) -> Vec<Vec<u8>> {
    text(&format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
}

fn followed_by(mut sent: Vec<Vec<u8>>, then: &[u8]) -> Vec<Vec<u8>> {
    sent.push(then.to_vec());
    sent
}

fn attempts() -> Vec<Attempt> {
    let hello = |names: &[&str]| client_hello(names, &[]);
    let request = b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    let good_get = || Control::Bytes(get("http://good.example/", "good.example"));
    let good_tls = || {
        Control::Bytes(connect("good.example:443", "good.example:443", &hello(&["good.example"])))
    };
    let good_socks =
        || Control::Bytes(followed_by(socks_name(b"good.example", 443), &hello(&["good.example"])));
    let attempt = |name, sent, control| Attempt { name, sent, control };
    vec![
        attempt(
            "CONNECT to a host that no rule names",
            connect("evil.example:443", "evil.example:443", &hello(&["evil.example"])),
            EVIL,
        ),
        attempt(
            "CONNECT with the Host of an allowed one",
            connect("evil.example:443", "good.example:443", &hello(&["evil.example"])),
            good_tls(),
        ),
        attempt(
            "CONNECT to an allowed host with the Host of another",
            connect("good.example:443", "evil.example", &hello(&["good.example"])),
            good_tls(),
        ),
        attempt(
            "TLS for another name",
            connect("good.example:443", "good.example:443", &hello(&["evil.example"])),
            good_tls(),
        ),
        attempt(
            "TLS for a name below",
            connect("good.example:443", "good.example:443", &hello(&["evil.good.example"])),
            good_tls(),
        ),
        attempt(
            "TLS without a name",
            connect("good.example:443", "good.example:443", &hello(&[])),
            good_tls(),
        ),
        attempt(
            "TLS of an old version",
            connect(
                "good.example:443",
                "good.example:443",
                &client_hello(&["good.example"], support::OLD),
            ),
            good_tls(),
        ),
        attempt(
            "TLS with two names",
            connect(
                "good.example:443",
                "good.example:443",
                &hello(&["good.example", "evil.example"]),
            ),
            good_tls(),
        ),
        attempt(
            "TLS whose encrypted name has another outer one",
            connect(
                "good.example:443",
                "good.example:443",
                &client_hello(&["evil.example"], &encrypted_client_hello()),
            ),
            Control::Bytes(connect(
                "good.example:443",
                "good.example:443",
                &client_hello(&["good.example"], &encrypted_client_hello()),
            )),
        ),
        attempt(
            "TLS for a name with a NUL byte",
            connect("good.example:443", "good.example:443", &hello(&["evil.example\0.good.example"])),
            good_tls(),
        ),
        attempt(
            "HTTP where TLS is expected",
            connect("good.example:443", "good.example:443", request),
            good_tls(),
        ),
        attempt(
            "SSH where TLS is expected",
            connect("good.example:443", "good.example:443", b"SSH-2.0-x\r\n"),
            Control::Bytes(connect("good.example:22", "good.example:22", b"SSH-2.0-x\r\n")),
        ),
        attempt(
            "a port that the rule does not name",
            connect("good.example:8080", "good.example:8080", b"x"),
            Control::Bytes(connect("good.example:22", "good.example:22", b"x")),
        ),
        attempt(
            "a name that ends with an allowed one",
            connect("evilgood.example:443", "evilgood.example:443", &hello(&["evilgood.example"])),
            Control::Rules(&["evilgood.example"]),
        ),
        attempt(
            "a name that begins with an allowed one",
            connect(
                "good.example.evil.example:443",
                "good.example.evil.example:443",
                &hello(&["good.example.evil.example"]),
            ),
            Control::Rules(&["*.evil.example"]),
        ),
        attempt(
            "a name below an allowed one",
            connect("evil.good.example:443", "evil.good.example:443", &hello(&["evil.good.example"])),
            Control::Rules(&["*.good.example"]),
        ),
        attempt(
            "a user before the host",
            connect(
                "good.example:443@evil.example:443",
                "good.example:443",
                &hello(&["evil.example"]),
            ),
            good_tls(),
        ),
        attempt(
            "a trailing dot",
            connect("evil.example.:443", "evil.example.:443", &hello(&["evil.example"])),
            Control::Bytes(connect(
                "good.example:443",
                "good.example:443",
                &hello(&["good.example"]),
            )),
        ),
        attempt(
            "upper case",
            connect("EVIL.example:443", "EVIL.example:443", &hello(&["evil.example"])),
            EVIL,
        ),
        attempt(
            "a line break in the target",
            text("CONNECT evil.example:443\r\n.good.example:443 HTTP/1.1\r\n\r\n"),
            good_tls(),
        ),
        attempt(
            "a space in the target",
            text("CONNECT evil.example:443 .good.example:443 HTTP/1.1\r\n\r\n"),
            good_tls(),
        ),
        attempt(
            "port 0",
            connect("evil.example:0", "evil.example", b"x"),
            good_tls(),
        ),
        attempt(
            "two ports",
            connect("good.example:443:80", "good.example", &hello(&["good.example"])),
            good_tls(),
        ),
        attempt(
            "an address of another host",
            connect("93.184.216.99:443", "93.184.216.99:443", &hello(&["good.example"])),
            Control::Rules(&["93.184.216.99:443"]),
        ),
        attempt(
            "the address of an allowed host",
            connect("93.184.216.34:443", "93.184.216.34:443", &hello(&["evil.example"])),
            good_tls(),
        ),
        attempt(
            "loopback",
            connect("127.0.0.1:4873", "127.0.0.1:4873", b"x"),
            Control::Rules(&["127.0.0.1:4873"]),
        ),
        attempt(
            "loopback of IPv6",
            connect("[::1]:4873", "[::1]:4873", b"x"),
            Control::Rules(&["[::1]:4873"]),
        ),
        attempt(
            "the service of metadata",
            get("http://169.254.169.254/latest/meta-data/", "169.254.169.254"),
            Control::Rules(&["169.254.169.254:80"]),
        ),
        attempt(
            "a name that stands for loopback",
            get("http://loop.example/", "loop.example"),
            Control::Rules(&["loop.example", "127.0.0.1:80"]),
        ),
        attempt(
            "localhost",
            get("http://localhost:4873/", "localhost:4873"),
            Control::Rules(&["localhost:4873"]),
        ),
        attempt(
            "a plain request to a host that no rule names",
            get("http://evil.example/", "evil.example"),
            EVIL,
        ),
        attempt(
            "a plain request with the Host of an allowed one",
            get("http://evil.example/", "good.example"),
            good_get(),
        ),
        attempt(
            "a plain request to an allowed host with the Host of another",
            get("http://good.example/", "evil.example"),
            good_get(),
        ),
        attempt(
            "two Hosts",
            text("GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
            good_get(),
        ),
        attempt(
            "a Host with a user",
            get("http://good.example/", "good.example@evil.example"),
            good_get(),
        ),
        attempt(
            "a request without a host, of HTTP 1.0",
            text("GET / HTTP/1.0\r\n\r\n"),
            Control::Bytes(text("GET http://good.example/ HTTP/1.0\r\n\r\n")),
        ),
        attempt(
            "a user in the address of a plain request",
            get("http://good.example@evil.example/", "evil.example"),
            good_get(),
        ),
        attempt(
            "a backslash in the address",
            get("http://evil.example\\.good.example/", "good.example"),
            good_get(),
        ),
        attempt(
            "a request within a tunnel, with the Host of another",
            connect("good.example:80", "good.example:80", request),
            Control::Bytes(connect(
                "good.example:80",
                "good.example:80",
                b"GET / HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
            )),
        ),
        attempt(
            "a whole address of another host within a tunnel",
            connect(
                "good.example:80",
                "good.example:80",
                b"GET http://evil.example/ HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
            ),
            Control::Bytes(connect(
                "good.example:80",
                "good.example:80",
                b"GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
            )),
        ),
        attempt(
            "CONNECT within a tunnel",
            connect("good.example:80", "good.example:80", b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n"),
            Control::Bytes(connect(
                "good.example:80",
                "good.example:80",
                b"GET / HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
            )),
        ),
        attempt(
            "a second request on an allowed connection",
            text("GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\nGET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
            EVIL_AND_GOOD,
        ),
        attempt(
            "a request that is smuggled by Transfer-Encoding and Content-Length",
            text("POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
            Control::Bytes(text("POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")),
        ),
        attempt(
            "a request that is smuggled by an odd Transfer-Encoding",
            text("POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nTransfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
            good_get(),
        ),
        attempt(
            "a request that is smuggled by two lengths",
            text("POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
            good_get(),
        ),
        attempt(
            "a request that is smuggled by a bare line feed in a field",
            text("GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nX: a\n\nGET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
            good_get(),
        ),
        attempt(
            "an upgrade to what is not judged",
            text("GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nConnection: Upgrade, Host, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n"),
            good_get(),
        ),
        attempt(
            "another scheme",
            get("https://evil.example/", "evil.example"),
            Control::Bytes(get("http://good.example/", "good.example")),
        ),
        attempt(
            "plain HTTP to the port of TLS",
            get("http://good.example:443/", "good.example:443"),
            good_get(),
        ),
        attempt(
            "SOCKS to a host that no rule names",
            followed_by(socks_name(b"evil.example", 443), &hello(&["evil.example"])),
            EVIL,
        ),
        attempt(
            "SOCKS with a NUL byte before an allowed name",
            followed_by(socks_name(b"evil.example\0.good.example", 8080), b"x"),
            good_socks(),
        ),
        attempt(
            "SOCKS with a line break in the name",
            followed_by(socks_name(b"evil.example\r\n.good.example", 8080), b"x"),
            good_socks(),
        ),
        attempt(
            "SOCKS with a name that is not UTF-8",
            followed_by(socks_name(b"evil\xff.good.example", 8080), b"x"),
            good_socks(),
        ),
        attempt(
            "SOCKS with an address for a name",
            followed_by(socks_name(b"127.0.0.1", 4873), b"x"),
            Control::Rules(&["127.0.0.1:4873"]),
        ),
        attempt(
            "SOCKS with a decimal address for a name",
            followed_by(socks_name(b"2130706433", 4873), b"x"),
            good_socks(),
        ),
        attempt(
            "SOCKS with an IPv4 address",
            followed_by(socks(1, 1, &[127, 0, 0, 1], 4873), b"x"),
            Control::Rules(&["127.0.0.1:4873"]),
        ),
        attempt(
            "SOCKS with an IPv4 address within an IPv6 one",
            followed_by(
                socks(1, 4, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1], 4873),
                b"x",
            ),
            good_socks(),
        ),
        attempt(
            "SOCKS with TLS for another name",
            followed_by(socks_name(b"good.example", 443), &hello(&["evil.example"])),
            good_socks(),
        ),
        attempt(
            "SOCKS with a request for another host",
            followed_by(socks_name(b"good.example", 80), request),
            Control::Bytes(followed_by(
                socks_name(b"good.example", 80),
                b"GET / HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
            )),
        ),
        attempt("SOCKS that listens", socks(2, 3, b"\x0cevil.example", 443), good_socks()),
        attempt("SOCKS over UDP", socks(3, 1, &[0; 4], 53), good_socks()),
        attempt(
            "SOCKS of version 4",
            vec![[&[4, 1, 1, 187, 93, 184, 216, 99][..], b"x\0"].concat()],
            good_socks(),
        ),
    ]
}

const EVIL_AND_GOOD: Control = Control::Rules(&["evil.example", "good.example"]);

#[tokio::test]
async fn no_attempt_reaches_what_no_rule_names() {
    for Attempt { name, sent, .. } in attempts() {
        let place = Place::open(RULES).await;

        let answer = place.send(&sent).await;

        assert!(!answer.contains("reached evil"), "{name}: {answer}");
        assert_eq!(place.evil.received(), "", "{name}");
        let good = place.good.received();
        assert!(!good.contains("evil"), "{name}: {good}");
        assert!(!good.to_ascii_lowercase().contains("upgrade"), "{name}: {good}");
    }
}

#[tokio::test]
async fn each_attempt_is_one() {
    assert!(attempts().len() >= 40);
    let mut harmless = Vec::new();
    for Attempt { name, sent, control } in attempts() {
        let (place, sent, expected) = match control {
            Control::Rules(rules) => (Place::open(rules).await, sent, "reached evil"),
            Control::Bytes(sent) => (Place::open(RULES).await, sent, "reached good"),
        };

        let answer = place.send(&sent).await;

        if !answer.contains(expected) {
            harmless.push(format!("{name}: {answer}"));
        }
    }
    assert!(harmless.is_empty(), "{harmless:#?}");
}
