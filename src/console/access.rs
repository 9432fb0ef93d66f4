//! How the console is set.

use crate::config::{BaseMapSettings, Config};

/// Settings of the console.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Whoever asks from this machine is an admin without a login: for `demo` only.
    pub is_open: bool,
    /// Browsers reach it over TLS, through a proxy: cookies say so.
    pub is_behind_tls: bool,
    /// A session ends after this, seconds.
    pub session_s: f64,
    /// Whether the public view is shown.
    pub is_public: bool,
    /// What lies below the zones.
    pub base_map: BaseMapSettings,
}

impl Settings {
    /// As the configuration says: everybody logs in.
    pub fn of(config: &Config) -> Self {
        let console = &config.console;
        Self {
            is_open: false,
            is_behind_tls: console.behind_tls,
            session_s: console.session.s(),
            is_public: console.public,
            base_map: console.base_map.clone(),
        }
    }
}
