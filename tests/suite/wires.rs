//! What MQTT may travel over: TLS, with and without certificates of clients, and WebSockets.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use buoyline::broker::{Tls, pass_on};
use buoyline::config::{Config, Connection};
use buoyline::replay::player::Line;
use buoyline::serve::{self, Endpoint, Player, Running};
use buoyline::store::{Log, Sqlite};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::support::scratch;

/// Nothing that works takes this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a daemon's files, an authority, a server's certificate and a client's.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { folder: scratch() };
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority =
            CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
        std::fs::write(desk.at("ca.pem"), authority.pem()).expect("written");
        for who in ["localhost", "tracker"] {
            let key = KeyPair::generate().expect("a key");
            let params = CertificateParams::new([who.to_owned()]).expect("parameters");
            let certificate = params.signed_by(&key, &authority).expect("a certificate");
            std::fs::write(desk.at(&format!("{who}.pem")), certificate.pem()).expect("written");
            std::fs::write(desk.at(&format!("{who}.key")), key.serialize_pem()).expect("written");
        }
        desk
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn config(&self, tls: &str) -> Config {
        let zones = Path::new(env!("CARGO_MANIFEST_DIR")).join("zones");
        std::fs::write(self.at("rules.toml"), buoyline::rulebook::SHIPPED[0].1).expect("a rulebook");
        let text = format!(
            "zones = [{zones:?}]\nrules = {:?}\n{tls}\n[store]\npath = {:?}\ndurable = \"system\"\n[http]\nlisten = \"\"\n",
            self.at("rules.toml"),
            self.at("store.db"),
        );
        let mut config = Config::from_toml("test.toml", &text).expect("settings");
        config.broker.listen.set_port(0);
        config
    }

    async fn with_tls(&self, more: &str) -> Running {
        let tls = format!(
            "[broker.tls]\nlisten = \"127.0.0.1:0\"\ncertificate = {:?}\nkey = {:?}\n{more}",
            self.at("localhost.pem"),
            self.at("localhost.key")
        );
        serve::start(&self.config(&tls)).await.expect("a daemon")
    }

    fn connection(&self, url: String, ca: &str) -> Connection {
        let ca = Some(self.at(ca));
        Connection { url, user: None, password: None, ca, client_certificate: None, client_key: None }
    }

    fn stored(&self) -> u64 {
        // The first entry is the law.
        Sqlite::open_to_read(&self.at("store.db")).expect("a store").last_position().expect("read") - 1
    }
}

/// Publishes one fix and waits until it is acknowledged; else why it is not.
async fn publish(connection: &Connection, vessel: &str) -> Result<(), String> {
    let line = Line {
        at_s: 0.0,
        topic: format!("buoyline/vessels/{vessel}/fix"),
        payload: r#"{"t":"2026-07-04T12:00:00Z","lat":42.36,"lon":-71.09,"sog_kn":3.0}"#.to_owned(),
        retain: false,
    };
    let endpoint = Endpoint::new(connection).expect("an address");
    let player = Player { endpoint, client_id: vessel.to_owned(), speed: 0.0, lines: vec![line].into() };
    let mut nobody_asks = |_| {};
    let played = tokio::time::timeout(PATIENCE, player.play(&mut nobody_asks)).await;
    played.map_err(|_| "nothing happens".to_owned())?.map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_says_nothing_holds_up_nobody() {
    let desk = Desk::new();
    let running = desk.with_tls("").await;
    let address = running.tls_address().expect("TLS is spoken");
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(TcpStream::connect(address).await.expect("a connection"));
    }
    let lake = desk.connection(format!("mqtts://localhost:{}", address.port()), "ca.pem");
    let since = std::time::Instant::now();
    publish(&lake, "rental-1").await.expect("it is acknowledged");
    // A handshake that waited for one of the silent ones would have waited ten seconds.
    assert!(since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
    assert_eq!(desk.stored(), 1);
    drop(silent);
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_nobody_vouches_for_is_not_spoken_to() {
    let (desk, other) = (Desk::new(), Desk::new());
    let running = desk.with_tls("").await;
    let address = running.tls_address().expect("TLS is spoken");
    let lake = other.connection(format!("mqtts://localhost:{}", address.port()), "ca.pem");
    let reason = publish(&lake, "rental-1").await.expect_err("it is not acknowledged");
    assert!(reason.contains("invalid peer certificate"), "{reason}");
    assert_eq!(desk.stored(), 0);
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_clients_need_certificates_those_without_are_refused() {
    let desk = Desk::new();
    let running = desk.with_tls(&format!("client_ca = {:?}", desk.at("ca.pem"))).await;
    let address = running.tls_address().expect("TLS is spoken");
    let mut lake = desk.connection(format!("mqtts://localhost:{}", address.port()), "ca.pem");
    let reason = publish(&lake, "rental-1").await.expect_err("it is not acknowledged");
    assert!(reason.contains("CertificateRequired"), "{reason}");
    lake.client_certificate = Some(desk.at("tracker.pem"));
    lake.client_key = Some(desk.at("tracker.key"));
    publish(&lake, "rental-1").await.expect("it is acknowledged");
    assert_eq!(desk.stored(), 1);
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn fixes_come_over_websockets_with_and_without_tls() {
    let desk = Desk::new();
    let running = serve::start(&desk.config("")).await.expect("a daemon");
    let web = bridge(running.broker_address().expect("a broker")).await;
    let plain = desk.connection(format!("ws://127.0.0.1:{}/mqtt", web.port()), "ca.pem");
    publish(&plain, "rental-1").await.expect("it is acknowledged");

    let (_stop, stops) = watch::channel(false);
    let tls = Tls {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        certificate: desk.at("localhost.pem"),
        key: desk.at("localhost.key"),
        client_ca: None,
    };
    let secure = pass_on(&tls, web, stops).await.expect("TLS is spoken");
    let url = format!("wss://localhost:{}/mqtt", secure.port());
    publish(&desk.connection(url, "ca.pem"), "rental-2").await.expect("it is acknowledged");
    assert_eq!(desk.stored(), 2);
    running.stop().await.expect("it stops");
}

/// Takes WebSockets and passes what they carry on to a broker.
async fn bridge(broker: SocketAddr) -> SocketAddr {
    use async_tungstenite::tungstenite::handshake::server::{Request, Response};
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(async move {
                #[expect(clippy::result_large_err, reason = "the library's own signature")]
                let speaks_mqtt = |_: &Request, mut response: Response| {
                    response.headers_mut().insert("Sec-WebSocket-Protocol", "mqtt".parse().expect("a header"));
                    Ok(response)
                };
                let client =
                    async_tungstenite::tokio::accept_hdr_async(client, speaks_mqtt).await.expect("a WebSocket");
                let mut client = ws_stream_tungstenite::WsStream::new(client);
                let mut broker = TcpStream::connect(broker).await.expect("the broker listens");
                let _ = tokio::io::copy_bidirectional(&mut client, &mut broker).await;
            });
        }
    });
    address
}

#[test]
fn settings_that_would_let_anybody_in_are_refused() {
    let of = |text: &str| Config::from_toml("test.toml", text).map(drop).map_err(|error| error.to_string());
    let open = "[broker.tls]\nlisten = \"0.0.0.0:8883\"\ncertificate = \"a.pem\"\nkey = \"a.key\"\n";
    assert!(of(open).expect_err("refused").contains("no users are named"));
    let bare = "[broker.tls]\nlisten = \"127.0.0.1:8883\"\n";
    assert!(of(bare).expect_err("refused").contains("broker.tls.certificate"));
}
