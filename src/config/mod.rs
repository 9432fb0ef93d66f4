//! The daemon's settings: one TOML file over the documented defaults of `config/buoyline.toml`.
//!
//! Every default stands in that file and nowhere else; it is built into the program. A key that is not known is
//! refused, a span of time has its unit, and a secret may come from the environment.

mod base_map;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

pub use base_map::BaseMapSettings;

use crate::ingest::{self, Decoder, DecoderError, TopicPattern};
use crate::units::TimeSpan;

/// The documented defaults.
pub const DEFAULTS: &str = include_str!("../../config/buoyline.toml");

/// The name of the broker inside the program.
pub const EMBEDDED: &str = "embedded";

/// What stands for a broker where messages are posted.
pub const HTTP: &str = "http";

/// A track is over after half an hour of silence and up to a minute more, seconds.
const SILENCE_S_MIN: f64 = 1_920.0;

/// What is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {place}{reason}")]
pub struct ConfigError {
    /// Which file.
    pub file: String,
    /// The key, followed by a colon, or nothing.
    pub place: String,
    /// What is wrong and how to mend it.
    pub reason: String,
}

/// All settings.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Map files, or folders of them.
    pub zones: Vec<PathBuf>,
    /// The rulebook.
    pub rules: PathBuf,
    /// What this daemon is called.
    pub name: String,
    /// The store.
    pub store: StoreSettings,
    /// Judging.
    pub judging: JudgingSettings,
    /// The broker inside the program.
    pub broker: BrokerSettings,
    /// Other brokers.
    pub brokers: BTreeMap<String, Connection>,
    /// What is listened to.
    pub sources: Vec<SourceSettings>,
    /// What is published.
    pub publish: PublishSettings,
    /// Health, metrics and where the console is.
    pub http: HttpSettings,
    /// The web console.
    pub console: ConsoleSettings,
    /// What is logged.
    pub log: LogSettings,
}

/// The store.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreSettings {
    /// The file.
    pub path: PathBuf,
    /// When a message counts as stored.
    pub durable: Durable,
    /// How long tracks are kept.
    pub keep_tracks: TimeSpan,
    /// How much of them stays around findings.
    pub keep_around_findings: TimeSpan,
    /// How long messages that could not be read are kept.
    pub keep_refused: TimeSpan,
    /// How often the state of the judge is kept.
    pub checkpoint_every: TimeSpan,
}

/// When a message counts as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durable {
    /// On the disk.
    Disk,
    /// With the operating system.
    System,
}

/// Judging.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgingSettings {
    /// After which silence a waterway is told the time.
    pub silence: TimeSpan,
}

/// The broker inside the program.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrokerSettings {
    /// Whether it runs.
    pub enabled: bool,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where it keeps retained messages and sessions.
    #[serde(deserialize_with = "none_if_empty")]
    pub folder: Option<PathBuf>,
    /// Who may connect.
    pub users: Vec<User>,
    /// The same over TLS.
    pub tls: TlsSettings,
}

/// Where the broker inside speaks TLS.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsSettings {
    /// Where it listens.
    #[serde(deserialize_with = "none_if_empty")]
    pub listen: Option<SocketAddr>,
    /// Its certificate and those that vouch for it, PEM.
    pub certificate: PathBuf,
    /// The key of its certificate, PEM.
    pub key: PathBuf,
    /// Certificates of authorities, PEM; clients then have to show a certificate that one of them gave.
    #[serde(deserialize_with = "none_if_empty")]
    pub client_ca: Option<PathBuf>,
}

/// Somebody who may connect.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// The name.
    pub name: String,
    /// The password.
    pub password: Secret,
    /// Topic filters of what may be published; by default what has the user's name in it.
    pub publish: Option<Vec<String>>,
}

/// How a broker is reached.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// `mqtt://host:port`, `mqtts://host:port`, `ws://host:port/path` or `wss://host:port/path`.
    pub url: String,
    /// The user.
    pub user: Option<String>,
    /// The password.
    pub password: Option<Secret>,
    /// Certificates of authorities that are trusted instead of the system's, PEM.
    pub ca: Option<PathBuf>,
    /// The certificate this program shows, PEM.
    pub client_certificate: Option<PathBuf>,
    /// Its key, PEM.
    pub client_key: Option<PathBuf>,
}

/// A source of messages.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceSettings {
    /// What it is called: in counts, in the store, in its client id.
    pub name: String,
    /// The broker.
    pub broker: String,
    /// Topic filters, in which a level may read `{vessel}`.
    pub topics: Vec<TopicPattern>,
    /// What the messages are.
    pub decoder: String,
    /// Quality of service of the subscription, 0 or 1.
    pub qos: u8,
    /// After which silence the connection is made anew.
    pub silence: TimeSpan,
    /// What whoever posts messages has to know.
    pub token: Option<Secret>,
    /// What its messages do not say themselves.
    pub messages: ingest::Settings,
}

impl SourceSettings {
    /// Whether its messages come without a connection of its own.
    pub fn is_inside(&self) -> bool {
        self.broker == EMBEDDED || self.broker == HTTP
    }

    /// A decoder of its messages.
    ///
    /// # Errors
    /// Why there is none.
    pub fn decoder(&self) -> Result<Decoder, DecoderError> {
        let mut messages = self.messages.clone();
        if let ([only], None) = (self.topics.as_slice(), &messages.topic) {
            messages.topic = Some(only.clone());
        }
        Decoder::new(&self.decoder, messages)
    }

    /// The topic filters to subscribe to.
    pub fn filters(&self) -> Vec<String> {
        self.topics.iter().map(TopicPattern::filter).collect()
    }
}

/// What is published.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishSettings {
    /// The broker.
    pub broker: String,
    /// How often the state of a vessel is published at most.
    pub state_every: TimeSpan,
}

/// Health and metrics.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpSettings {
    /// Where they are served.
    #[serde(deserialize_with = "none_if_empty")]
    pub listen: Option<SocketAddr>,
}

/// The web console.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsoleSettings {
    /// Whether there is one.
    pub enabled: bool,
    /// Whether browsers reach it over TLS.
    pub behind_tls: bool,
    /// How long a session lasts.
    pub session: TimeSpan,
    /// Whether the public view is shown.
    pub public: bool,
    /// What lies below the zones.
    pub base_map: BaseMapSettings,
}

/// What is logged.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSettings {
    /// From which level on.
    pub level: String,
    /// How.
    pub format: LogFormat,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Something that must not be shown: a password, or the environment variable that holds it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// A secret with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself.
    ///
    /// # Errors
    /// The environment variable that is not set.
    pub fn reveal(&self) -> Result<String, String> {
        match self.0.strip_prefix("env:") {
            Some(name) => std::env::var(name).map_err(|_| format!("the environment variable {name} is not set")),
            None => Ok(self.0.clone()),
        }
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Config {
    /// The documented defaults.
    pub fn defaults() -> Self {
        Self::from_toml("built-in config/buoyline.toml", "").expect("the documented defaults are read by a test")
    }

    /// Reads a file over the defaults.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError {
            file: name.clone(),
            place: String::new(),
            reason: format!("cannot be read: {error}"),
        })?;
        Self::from_toml(&name, &text)
    }

    /// Reads a text over the defaults; `file` is its name, for messages.
    ///
    /// # Errors
    /// What is wrong with it: no TOML, a key that is not known, a value that will not do.
    pub fn from_toml(file: &str, text: &str) -> Result<Self, ConfigError> {
        let fault = |reason: String| ConfigError { file: file.to_owned(), place: String::new(), reason };
        let mut settings: Table = DEFAULTS.parse().map_err(|error: toml::de::Error| fault(error.to_string()))?;
        let given: Table = text.parse().map_err(|error: toml::de::Error| fault(format!("no TOML: {error}")))?;
        lay_over(&mut settings, given);
        // What holds for a source that says nothing else.
        if let (Some(Value::Table(default)), Some(Value::Array(sources))) =
            (settings.remove("sources_default"), settings.get_mut("sources"))
        {
            for source in sources {
                if let Value::Table(source) = source {
                    let mut whole = default.clone();
                    lay_over(&mut whole, std::mem::take(source));
                    *source = whole;
                }
            }
        }
        let config: Self = typed(file, settings)?;
        config.check().map_err(|(place, reason)| ConfigError { file: file.to_owned(), place, reason })?;
        Ok(config)
    }

    /// What no single value shows.
    fn check(&self) -> Result<(), (String, String)> {
        let fault = |place: String, reason: String| Err((format!("{place}: "), reason));
        let is_word =
            |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        if !is_word(&self.name) {
            return fault("name".to_owned(), format!("{:?} should be letters, digits, '_' and '-'", self.name));
        }
        if self.zones.is_empty() {
            return fault("zones".to_owned(), "names no map; name a GeoJSON file or a folder of them".to_owned());
        }
        if self.judging.silence.s() < SILENCE_S_MIN {
            let reason = format!("{} is too short: a track is over after 31 minutes", self.judging.silence);
            return fault("judging.silence".to_owned(), reason);
        }
        if let Err((key, reason)) = self.console.base_map.origins() {
            return fault(format!("console.base_map.{key}"), reason);
        }
        if self.broker.enabled && !self.broker.listen.ip().is_loopback() && self.broker.users.is_empty() {
            let reason = format!(
                "{} can be reached from outside, and no users are named: add [[broker.users]], or listen on {}",
                self.broker.listen,
                SocketAddr::new(IpAddr::from([127, 0, 0, 1]), self.broker.listen.port())
            );
            return fault("broker.listen".to_owned(), reason);
        }
        if let Some(listen) = self.broker.tls.listen {
            if !self.broker.enabled {
                return fault("broker.tls.listen".to_owned(), "the embedded broker is not enabled".to_owned());
            }
            if !listen.ip().is_loopback() && self.broker.users.is_empty() {
                let reason =
                    format!("{listen} can be reached from outside, and no users are named: add [[broker.users]]");
                return fault("broker.tls.listen".to_owned(), reason);
            }
            for (key, path) in [("certificate", &self.broker.tls.certificate), ("key", &self.broker.tls.key)] {
                if path.as_os_str().is_empty() {
                    return fault(format!("broker.tls.{key}"), "names no file; TLS needs one (PEM)".to_owned());
                }
            }
        }
        for user in &self.broker.users {
            let place = format!("broker.users {:?}", user.name);
            user.password.reveal().or_else(|reason| fault(place.clone(), reason).map(|()| String::new()))?;
            if user.name.is_empty() || user.name.contains(['/', '+', '#']) {
                return fault(place, "a name has none of / + # and is not empty".to_owned());
            }
        }
        for (name, connection) in &self.brokers {
            if name == EMBEDDED || name == HTTP {
                return fault(format!("brokers.{name}"), "has a meaning of its own; call it otherwise".to_owned());
            }
            if let Some(password) = &connection.password {
                password
                    .reveal()
                    .or_else(|reason| fault(format!("brokers.{name}.password"), reason).map(|()| String::new()))?;
            }
        }
        self.check_broker("publish.broker", &self.publish.broker)?;
        let mut names: Vec<&str> = Vec::new();
        for source in &self.sources {
            let place = format!("sources {:?}", source.name);
            if !is_word(&source.name) || names.contains(&source.name.as_str()) {
                return fault(place, "each source has a name of its own of letters, digits, '_' and '-'".to_owned());
            }
            names.push(&source.name);
            self.check_source(&place, source)?;
            if source.qos > 1 {
                return fault(place, format!("qos {} should be 0 or 1", source.qos));
            }
            if source.topics.is_empty() {
                return fault(place, "names no topics".to_owned());
            }
            let names_vessels = source.topics.iter().filter(|topic| topic.to_string().contains("{vessel}")).count();
            if names_vessels > 0 && source.topics.len() > 1 {
                let reason = "where a topic has {vessel}, it is the only one; make a source of each".to_owned();
                return fault(place, reason);
            }
            if let Err(error) = source.decoder() {
                return fault(place, error.to_string());
            }
        }
        if self.sources.is_empty() {
            return fault("sources".to_owned(), "there is none; nothing would ever be heard".to_owned());
        }
        Ok(())
    }

    fn check_source(&self, place: &str, source: &SourceSettings) -> Result<(), (String, String)> {
        let fault = |reason: &str| Err((format!("{place}: "), reason.to_owned()));
        if source.broker != HTTP {
            return match source.token {
                Some(_) => fault("`token` is for sources with broker = \"http\"; a broker has users"),
                None => self.check_broker(place, &source.broker),
            };
        }
        if self.http.listen.is_none() {
            return fault("messages are posted to it, but http.listen is empty");
        }
        if source.topics.len() != 1 {
            return fault("where messages are posted, there is one topic");
        }
        match &source.token {
            None => fault("where messages are posted, there is a `token`, or anybody could"),
            Some(token) => token.reveal().map(drop).map_err(|reason| (format!("{place}: token: "), reason)),
        }
    }

    fn check_broker(&self, place: &str, name: &str) -> Result<(), (String, String)> {
        if name == EMBEDDED && !self.broker.enabled {
            return Err((format!("{place}: "), "the embedded broker is not enabled".to_owned()));
        }
        if name != EMBEDDED && !self.brokers.contains_key(name) {
            let known: Vec<&str> = self.brokers.keys().map(String::as_str).chain([EMBEDDED]).collect();
            return Err((format!("{place}: "), format!("no broker {name:?}; known are {}", known.join(", "))));
        }
        Ok(())
    }
}

/// Puts what is given in the place of what was there, table by table.
fn lay_over(settings: &mut Table, given: Table) {
    for (key, value) in given {
        match (settings.get_mut(&key), value) {
            (Some(Value::Table(there)), Value::Table(given)) => lay_over(there, given),
            (_, value) => {
                settings.insert(key, value);
            }
        }
    }
}

fn typed<T: DeserializeOwned>(file: &str, settings: Table) -> Result<T, ConfigError> {
    serde_path_to_error::deserialize(Value::Table(settings)).map_err(|error| {
        let path = error.path().to_string();
        ConfigError {
            file: file.to_owned(),
            place: if path == "." { String::new() } else { format!("{path}: ") },
            reason: error.into_inner().message().to_owned(),
        }
    })
}

/// A value that may be left empty.
fn none_if_empty<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Config::from_toml("my.toml", text).expect_err("refused").to_string()
    }

    #[test]
    fn the_documented_defaults_are_what_holds() {
        let config = Config::defaults();
        assert_eq!(config.broker.listen, "127.0.0.1:1883".parse().expect("an address"));
        assert_eq!(config.store.keep_tracks.s(), 14.0 * 86_400.0);
        assert_eq!((config.sources.len(), config.sources[0].qos), (1, 1));
        assert_eq!(config.broker.folder, None);
    }

    #[test]
    fn a_file_needs_only_what_differs() {
        let text = "[store]\npath = \"other.db\"\n[brokers.lake]\nurl = \"mqtt://lake\"\n\
                    [[sources]]\nname = \"a\"\nbroker = \"lake\"\ntopics = [\"t/#\"]\ndecoder = \"native\"\nqos = 0\n";
        let config = Config::from_toml("my.toml", text).expect("settings");
        assert_eq!(config.store.path, Path::new("other.db"));
        assert_eq!(config.store.checkpoint_every.s(), 60.0);
        assert_eq!((config.sources.len(), config.sources[0].qos), (1, 0));
        assert_eq!(config.sources[0].silence.s(), 900.0);
    }

    #[test]
    fn what_will_not_do_is_named() {
        for (text, says) in [
            ("nmae = 1", "unknown field `nmae`"),
            ("[store]\nkeep_tracks = 14", "store.keep_tracks"),
            ("[store]\nkeep_tracks = \"14\"", "a bare number has no unit"),
            ("[store\n", "no TOML"),
            ("[broker]\nlisten = \"0.0.0.0:1883\"", "can be reached from outside"),
            ("[publish]\nbroker = \"lake\"", "no broker \"lake\"; known are embedded"),
            ("[broker]\nenabled = false", "the embedded broker is not enabled"),
            ("sources = []", "there is none"),
            ("[judging]\nsilence = \"5 min\"", "is too short"),
            ("[console.base_map]\ntiles = \"tiles.example\"", "console.base_map.tiles"),
            ("[[sources]]\nname=\"a\"\nbroker=\"http\"\ntopics=[\"a\"]\ndecoder=\"native\"", "there is a `token`"),
            ("[[sources]]\nname=\"a\"\nbroker=\"embedded\"\ntopics=[\"a\"]\ndecoder=\"morse\"", "is no decoder"),
            (
                "[[sources]]\nname=\"a\"\nbroker=\"embedded\"\ntopics=[\"a/#/b\"]\ndecoder=\"native\"",
                "should be its last level",
            ),
            (
                "[[broker.users]]\nname = \"a\"\npassword = \"env:BUOYLINE_TEST_NOT_SET\"",
                "BUOYLINE_TEST_NOT_SET is not set",
            ),
        ] {
            let refused = refused(text);
            assert!(refused.starts_with("my.toml: ") && refused.contains(says), "{text}: {refused}");
        }
    }

    #[test]
    fn a_secret_is_not_shown() {
        let config =
            Config::from_toml("my.toml", "[[broker.users]]\nname = \"a\"\npassword = \"hush\"").expect("settings");
        assert!(!format!("{config:?}").contains("hush"));
        assert_eq!(config.broker.users[0].password.reveal(), Ok("hush".to_owned()));
    }
}
