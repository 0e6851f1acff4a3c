//! What the proxy does for programs that ask for what rules allow, and what it says to the others.
#![allow(
    clippy::unwrap_used,
    clippy::allow_attributes,
    clippy::missing_docs_in_private_items,
    reason = "tests may panic"
)]

mod support;

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use self::support::{GOOD, PATIENCE, Place, socks_name, text, until};

/// A server at `good.example:22`, where anything passes, that handles one connection as `handle` says.
async fn serve<F>(place: &Place, handle: impl FnOnce(TcpStream) -> F + Send + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    place.net.route(GOOD, 22, listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        handle(stream).await;
    });
}

/// A tunnel to a target, granted.
async fn tunnel(proxy: SocketAddr, target: &str) -> TcpStream {
    let mut stream = TcpStream::connect(proxy).await.unwrap();
    stream.write_all(format!("CONNECT {target} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(timeout(PATIENCE, stream.read_u8()).await.unwrap().unwrap());
    }
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    stream
}

#[tokio::test]
async fn a_refusal_is_answered_with_the_rule_to_add_and_kept_once() {
    let place = Place::open(&["good.example"]).await;
    let asked = "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n".repeat(3);

    let answer = place.send(&text(&asked)).await;

    assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{answer}");
    let line = "pi-bash: the sandbox refused `evil.example:80`, which no rule allows; the user can add `evil.example` to `sandbox.network.allow`\n";
    assert_eq!(answer.matches(line).count(), 3, "{answer}");
    let refused = place.refused().await;
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].target, "evil.example:80");
    assert_eq!(refused[0].rule.as_deref(), Some("evil.example"));
}

#[tokio::test]
async fn a_name_of_an_inner_address_is_refused_with_the_address_to_allow() {
    let place = Place::open(&["loop.example"]).await;

    let answer = place.send(&text("CONNECT loop.example:443 HTTP/1.1\r\n\r\n")).await;

    assert!(answer.contains("stands for 127.0.0.1, a loopback address"), "{answer}");
    assert_eq!(place.refused().await[0].rule.as_deref(), Some("127.0.0.1:443"));
    assert!(place.net.connected().is_empty());
}

#[tokio::test]
async fn of_several_addresses_only_those_that_may_be_reached_are() {
    let place = Place::open(&["mixed.example:22"]).await;
    place.net.name("mixed.example", &[&["10.0.0.5", "::1", GOOD]]);

    tunnel(place.address, "mixed.example:22").await;

    assert_eq!(place.net.connected(), [SocketAddr::new(GOOD.parse().unwrap(), 22)]);
}

#[tokio::test]
async fn a_name_is_looked_up_once_for_a_connection_and_judged_again_for_the_next() {
    let place = Place::open(&["rebind.example:22"]).await;

    tunnel(place.address, "rebind.example:22").await;
    assert_eq!(place.net.lookups.lock().unwrap().len(), 1);
    let answer = place.send(&text("CONNECT rebind.example:22 HTTP/1.1\r\n\r\n")).await;

    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert_eq!(place.net.connected().len(), 1);
}

#[tokio::test]
async fn localhost_is_this_machine_and_never_looked_up() {
    let place = Place::open(&["localhost:4873"]).await;

    let answer = place
        .send(&text("GET http://localhost:4873/ HTTP/1.1\r\nHost: localhost:4873\r\n\r\n"))
        .await;

    assert!(answer.ends_with("reached evil"), "{answer}");
    assert!(place.net.lookups.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_cannot_be_reached_is_no_refusal() {
    let place = Place::open(&["good.example:9", "missing.example"]).await;

    for target in ["good.example:9", "missing.example:443"] {
        let answer = place.send(&text(&format!("CONNECT {target} HTTP/1.1\r\n\r\n"))).await;
        assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
        assert!(answer.contains(&format!("cannot reach `{target}`")), "{answer}");
    }
    assert!(place.proxy.refusals().take().is_empty());
}

#[tokio::test]
async fn requests_on_a_kept_connection_share_one_to_the_server() {
    let place = Place::open(&["good.example"]).await;
    let request = "GET http://good.example/a?b=c HTTP/1.1\r\nHost: good.example\r\n\r\n";

    let answer = place.send(&text(&request.repeat(5))).await;

    assert_eq!(answer.matches("reached good").count(), 5, "{answer}");
    assert_eq!(place.net.connected().len(), 1);
    assert_eq!(place.good.received().matches("GET /a?b=c HTTP/1.1\r\n").count(), 5);
}

#[tokio::test]
async fn a_server_that_ended_a_kept_connection_is_asked_over_another() {
    let place = Place::open(&["good.example:22"]).await;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    place.net.route(GOOD, 22, listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        for _ in 0..3 {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                request.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
        }
    });
    let mut client = TcpStream::connect(place.address).await.unwrap();
    for _ in 0..3 {
        client
            .write_all(b"GET http://good.example:22/ HTTP/1.1\r\nHost: good.example:22\r\n\r\n")
            .await
            .unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\nok") {
            answer.push(timeout(PATIENCE, client.read_u8()).await.unwrap().unwrap());
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"));
    }
    server.await.unwrap();
}

#[tokio::test]
async fn a_server_is_sent_neither_what_is_for_proxies_nor_two_ways_to_read_a_length() {
    let place = Place::open(&["good.example"]).await;
    let request = "POST http://good.example/ HTTP/1.1\r\nHost: GOOD.example:80\r\nProxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\nX-Theirs: 2\r\nTE: trailers\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";

    let answer = place.send(&text(request)).await;

    assert!(answer.ends_with("reached good"), "{answer}");
    let received = place.good.received().to_ascii_lowercase();
    for field in ["proxy-", "x-mine", "connection:", "te:", "expect:", "content-length:"] {
        assert!(!received.contains(&format!("\r\n{field}")), "{field} {received}");
    }
    assert!(received.contains("\r\nhost: good.example\r\n"), "{received}");
    assert!(received.contains("\r\nx-theirs: 2\r\n"), "{received}");
}

#[tokio::test]
async fn one_end_can_close_its_half_and_hear_the_other() {
    let place = Place::open(&["good.example:22"]).await;
    serve(&place, async |mut stream| {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.unwrap();
        stream.write_all(format!("heard {}", all.len()).as_bytes()).await.unwrap();
    })
    .await;
    let mut client = tunnel(place.address, "good.example:22").await;

    client.write_all(&vec![1; 100_000]).await.unwrap();
    client.shutdown().await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, client.read_to_string(&mut answer)).await.unwrap().unwrap();

    assert_eq!(answer, "heard 100000");
}

#[tokio::test]
async fn much_passes_whole_to_a_program_that_reads_slowly() {
    const BYTES: usize = 16 * 1024 * 1024;
    let place = Place::open(&["good.example:22"]).await;
    serve(&place, async |mut stream| {
        for at in 0..BYTES / 4096 {
            stream.write_all(&[u8::try_from(at % 251).unwrap(); 4096]).await.unwrap();
        }
    })
    .await;
    let mut client = tunnel(place.address, "good.example:22").await;

    let (mut count, mut sum) = (0, 0_u64);
    let mut chunk = vec![0; 100_000];
    while let read @ 1.. = timeout(PATIENCE, client.read(&mut chunk)).await.unwrap().unwrap() {
        count += read;
        sum += chunk[..read].iter().map(|byte| u64::from(*byte)).sum::<u64>();
        tokio::task::yield_now().await;
    }

    let expected: u64 = (0..BYTES / 4096).map(|at| u64::try_from(at % 251).unwrap() * 4096).sum();
    assert_eq!((count, sum), (BYTES, expected));
}

/// More connections than a proxy has places for.
const MANY: usize = 300;

/// Many requests at once; each client's connection, with what was answered up to the end of the body.
async fn ask_at_once(place: &Place, header: &'static str) -> Vec<(TcpStream, String)> {
    let address = place.address;
    let mut clients = JoinSet::new();
    for _ in 0..MANY {
        clients.spawn(async move {
            let mut client = TcpStream::connect(address).await.unwrap();
            let request =
                format!("GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n{header}\r\n");
            client.write_all(request.as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            while !answer.ends_with(b"reached good") {
                answer.push(client.read_u8().await.unwrap());
            }
            (client, String::from_utf8(answer).unwrap())
        });
    }
    timeout(PATIENCE, clients.join_all()).await.unwrap()
}

#[tokio::test]
async fn more_connections_than_there_are_places_wait_for_theirs() {
    let place = Place::open(&["good.example"]).await;

    for (mut client, _) in ask_at_once(&place, "Connection: close\r\n").await {
        let mut rest = Vec::new();
        timeout(PATIENCE, client.read_to_end(&mut rest)).await.unwrap().unwrap();
        assert!(rest.is_empty(), "the answer is whole, and the connection closed");
    }
}

#[tokio::test]
async fn connections_that_are_kept_for_nothing_make_place_for_others() {
    let place = Place::open(&["good.example"]).await;

    let kept = ask_at_once(&place, "").await;

    assert_eq!(kept.len(), MANY);
}

#[tokio::test]
async fn a_program_that_goes_away_lets_the_server_go() {
    let place = Place::open(&["good.example:22"]).await;
    let (ended, end) = tokio::sync::oneshot::channel();
    serve(&place, async |mut stream| {
        while stream.write_all(&[0; 4096]).await.is_ok() {}
        ended.send(()).unwrap();
    })
    .await;

    drop(tunnel(place.address, "good.example:22").await);

    timeout(PATIENCE, end).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_dropped_proxy_closes_its_listener_and_every_connection() {
    let place = Place::open(&["good.example:22", "good.example"]).await;
    let mut client = tunnel(place.address, "good.example:22").await;
    let mut idle = TcpStream::connect(place.address).await.unwrap();
    let address = place.address;

    drop(place.proxy);

    let mut rest = Vec::new();
    timeout(PATIENCE, client.read_to_end(&mut rest)).await.unwrap().ok();
    timeout(PATIENCE, idle.read_to_end(&mut rest)).await.unwrap().ok();
    assert!(rest.is_empty());
    timeout(PATIENCE, async { while TcpStream::connect(address).await.is_ok() {} }).await.unwrap();
}

#[tokio::test]
async fn heads_that_are_too_long_and_bytes_that_are_no_protocol_end_the_connection() {
    let place = Place::open(&["good.example"]).await;
    let long = format!("GET http://good.example/ HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(200_000));
    let many = format!("GET http://good.example/ HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(500));
    let name = format!("CONNECT {}.example:443 HTTP/1.1\r\n\r\n", "a.".repeat(5_000));

    for sent in
        [long, many, name, "\0\0\0\0".to_owned(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()]
    {
        let answer = place.send(&text(&sent)).await;
        assert!(!answer.contains("200 OK"), "{answer}");
    }
    assert_eq!(place.good.received(), "");
}

#[tokio::test]
async fn socks_says_that_a_rule_is_missing_and_that_a_server_does_not_answer() {
    let place = Place::open(&["good.example:9", "good.example:22"]).await;

    let reply = async |name: &str, port| {
        let parts = socks_name(name.as_bytes(), port);
        let mut client = TcpStream::connect(place.address).await.unwrap();
        let mut answer = [0; 4];
        client.write_all(&parts[0]).await.unwrap();
        client.read_exact(&mut answer[..2]).await.unwrap();
        client.write_all(&parts[1]).await.unwrap();
        client.read_exact(&mut answer).await.unwrap();
        answer[1]
    };

    assert_eq!(reply("evil.example", 443).await, 2);
    assert_eq!(reply("good.example", 9).await, 5);
    assert_eq!(reply("good.example", 22).await, 0);
    assert_eq!(place.refused().await.len(), 1);
}

#[tokio::test]
async fn tls_is_passed_whole_also_where_its_first_message_comes_in_pieces() {
    let place = Place::open(&["good.example"]).await;
    let hello = support::client_hello(&["GOOD.example"], &support::encrypted_client_hello());
    let mut client = tunnel(place.address, "good.example:443").await;

    for byte in &hello {
        client.write_all(&[*byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
    client.write_all(b"and more").await.unwrap();

    let expected = [&hello[..], b"and more"].concat();
    until(|| place.good.bytes() == expected).await;
    assert!(place.proxy.refusals().take().is_empty());
}

#[tokio::test]
async fn tls_without_signature_algorithms_is_refused() {
    let place = Place::open(&["good.example"]).await;
    let mut client = tunnel(place.address, "good.example:443").await;

    client.write_all(&support::client_hello(&["good.example"], support::OLD)).await.unwrap();
    let mut alert = Vec::new();
    timeout(PATIENCE, client.read_to_end(&mut alert)).await.unwrap().unwrap();

    assert_eq!(
        place.proxy.refusals().take()[0].reason,
        "expects TLS 1.2 or later and was sent something else"
    );
    assert!(place.good.bytes().is_empty());
}

#[tokio::test]
async fn refusals_within_tls_are_kept_before_the_program_learns_of_them() {
    let place = Place::open(&["good.example"]).await;
    let mut client = tunnel(place.address, "good.example:443").await;

    client.write_all(&support::client_hello(&["evil.example"], &[])).await.unwrap();
    let mut alert = Vec::new();
    timeout(PATIENCE, client.read_to_end(&mut alert)).await.unwrap().unwrap();

    assert_eq!(alert, [0x15, 3, 3, 0, 2, 2, 112]);
    let refused = place.proxy.refusals().take();
    assert_eq!(refused[0].reason, "was sent TLS for another name, `evil.example`");
    assert!(place.good.bytes().is_empty());
}
