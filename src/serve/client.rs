//! How a broker is reached.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rumqttc::{MqttOptions, TlsConfiguration, Transport};
use rustls::{ClientConfig, RootCertStore};
use url::Url;

use super::{PACKET_BYTES_MAX, REQUESTS};
use crate::config::Connection;

/// After this much silence the connection is tested.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long it waits before it connects again, at first and at most.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));

/// Why a broker cannot be reached as configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The address will not do.
    #[error(
        "{url:?} is no address of a broker: {reason}; write it as in \"mqtt://host:1883\", \"mqtts://host:8883\", \
         \"ws://host:9001/mqtt\" or \"wss://host/mqtt\""
    )]
    Url {
        /// As written.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// A certificate, key or password cannot be had.
    #[error("{what}: {reason}")]
    Credential {
        /// Which.
        what: String,
        /// What is wrong.
        reason: String,
    },
}

/// A broker and how to log in there.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The host, or for a WebSocket the whole address, without user and password.
    address: String,
    port: u16,
    wire: Wire,
    login: Option<(String, String)>,
}

/// What is spoken under MQTT.
#[derive(Debug, Clone)]
enum Wire {
    Tcp,
    Tls(TlsConfiguration),
    WebSocket,
    SecureWebSocket(TlsConfiguration),
}

impl Endpoint {
    /// Without TLS.
    pub fn plain(host: &str, port: u16, login: Option<(String, String)>) -> Self {
        Self { address: host.to_owned(), port, wire: Wire::Tcp, login }
    }

    /// As configured.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn new(connection: &Connection) -> Result<Self, ClientError> {
        let fault = |reason: &str| ClientError::Url { url: connection.url.clone(), reason: reason.to_owned() };
        let url = Url::parse(&connection.url).map_err(|error| fault(&error.to_string()))?;
        let (is_tls, is_web, default_port) = match url.scheme() {
            "mqtt" | "tcp" => (false, false, 1883),
            "mqtts" | "ssl" => (true, false, 8883),
            "ws" => (false, true, 80),
            "wss" => (true, true, 443),
            _ => return Err(fault("the scheme is none of mqtt, mqtts, ws, wss")),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| fault("it names no host"))?;
        let port = url.port().unwrap_or(default_port);
        let password = match &connection.password {
            Some(password) => Some(password.reveal().map_err(|reason| credential("password", reason))?),
            None => url.password().map(str::to_owned),
        };
        let user = connection.user.clone().or_else(|| Some(url.username().to_owned()).filter(|user| !user.is_empty()));
        let login = user.map(|user| (user, password.unwrap_or_default()));
        let wire = match (is_tls, is_web) {
            (false, false) => Wire::Tcp,
            (true, false) => Wire::Tls(tls(connection)?),
            (false, true) => Wire::WebSocket,
            (true, true) => Wire::SecureWebSocket(tls(connection)?),
        };
        let address = if is_web { without_login(&url) } else { host.to_owned() };
        Ok(Self { address, port, wire, login })
    }

    /// Options of a client with this id. With `keeps` the broker keeps its subscriptions and what it misses.
    pub fn options(&self, client_id: &str, keeps: bool) -> MqttOptions {
        let mut options = MqttOptions::new(client_id, &self.address, self.port);
        options.set_keep_alive(KEEP_ALIVE);
        options.set_clean_session(!keeps);
        options.set_max_packet_size(PACKET_BYTES_MAX, PACKET_BYTES_MAX);
        options.set_request_channel_capacity(REQUESTS);
        if let Some((user, password)) = &self.login {
            options.set_credentials(user, password);
        }
        options.set_transport(match &self.wire {
            Wire::Tcp => Transport::Tcp,
            Wire::Tls(tls) => Transport::Tls(tls.clone()),
            Wire::WebSocket => Transport::Ws,
            Wire::SecureWebSocket(tls) => Transport::Wss(tls.clone()),
        });
        options
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.wire {
            Wire::Tcp => write!(f, "mqtt://{}:{}", self.address, self.port),
            Wire::Tls(_) => write!(f, "mqtts://{}:{}", self.address, self.port),
            Wire::WebSocket | Wire::SecureWebSocket(_) => f.write_str(&self.address),
        }
    }
}

/// An address that may be shown.
fn without_login(url: &Url) -> String {
    let mut url = url.clone();
    // An address with a host takes both.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

/// How long to wait before the attempt after `failures` of them: longer each time, and never the same for all.
pub fn backoff(failures: u32) -> Duration {
    let longest = BACK_OFF.0.saturating_mul(1 << failures.min(16)).min(BACK_OFF.1);
    longest.mul_f64(0.5 + 0.5 * fastrand::f64())
}

fn tls(connection: &Connection) -> Result<TlsConfiguration, ClientError> {
    let client_auth = match (&connection.client_certificate, &connection.client_key) {
        (Some(certificate), Some(key)) => Some((read("client_certificate", certificate)?, read("client_key", key)?)),
        (None, None) => None,
        _ => return Err(credential("client_certificate, client_key", "one needs the other".to_owned())),
    };
    if let Some(ca) = &connection.ca {
        return Ok(TlsConfiguration::Simple { ca: read("ca", ca)?, alpn: None, client_auth });
    }
    if client_auth.is_some() {
        return Err(credential("client_certificate", "name the broker's `ca` as well".to_owned()));
    }
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        return Err(credential(
            "ca",
            "the system has no certificates of authorities; name the broker's `ca`".to_owned(),
        ));
    }
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    Ok(TlsConfiguration::Rustls(Arc::new(config)))
}

fn read(what: &str, path: &Path) -> Result<Vec<u8>, ClientError> {
    std::fs::read(path).map_err(|error| credential(what, format!("{}: cannot be read: {error}", path.display())))
}

fn credential(what: &str, reason: String) -> ClientError {
    ClientError::Credential { what: what.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Result<Endpoint, ClientError> {
        let none = (None, None, None, None, None);
        let (user, password, ca, client_certificate, client_key) = none;
        Endpoint::new(&Connection { url: url.to_owned(), user, password, ca, client_certificate, client_key })
    }

    #[test]
    fn addresses_are_read() {
        assert_eq!(of("mqtt://lake").expect("an address").to_string(), "mqtt://lake:1883");
        assert_eq!(of("mqtt://lake:99").expect("an address").to_string(), "mqtt://lake:99");
        let with_login = of("mqtt://anna:oar@lake").expect("an address");
        assert_eq!(with_login.login, Some(("anna".to_owned(), "oar".to_owned())));
        assert!(!with_login.to_string().contains("oar"), "a password is not shown");
        let over_web = of("ws://anna:oar@lake:9001/mqtt").expect("an address");
        assert_eq!(over_web.to_string(), "ws://lake:9001/mqtt");
        assert_eq!(over_web.login, Some(("anna".to_owned(), "oar".to_owned())));
        for bad in ["lake", "http://lake", "mqtt://", "ws://", ""] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn waiting_grows_and_ends() {
        for failures in 0..100 {
            let wait = backoff(failures);
            assert!(wait >= BACK_OFF.0 / 2 && wait <= BACK_OFF.1, "{failures}: {wait:?}");
        }
        assert!(backoff(30) >= BACK_OFF.1 / 2);
    }
}
