//! Who may connect, and who may publish what.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// What only the daemon publishes.
const RESERVED: &[&str] = &["buoyline/findings/#", "buoyline/status/#", "buoyline/vessels/+/state"];

/// What a user may do.
#[derive(Debug, Clone)]
pub struct Grant {
    password_hash: [u8; 32],
    /// Topic filters of what may be published; `None` for what has the user's name as its second or third level.
    publish: Option<Vec<String>>,
    is_daemon: bool,
}

/// The list of users. Without any, everybody may connect and publish what is not reserved.
#[derive(Debug, Clone, Default)]
pub struct Access {
    users: BTreeMap<String, Grant>,
    needs_name: bool,
}

impl Access {
    /// Adds a user. From then on everybody has to say who they are.
    pub fn grant(&mut self, user: &str, password: &str, publish: Option<Vec<String>>) {
        self.needs_name = true;
        self.users
            .insert(user.to_owned(), Grant { password_hash: hash(password.as_bytes()), publish, is_daemon: false });
    }

    /// Adds the daemon itself, which may publish everything; others need not say who they are for its sake.
    pub fn grant_daemon(&mut self, user: &str, password: &str) {
        self.users.insert(
            user.to_owned(),
            Grant { password_hash: hash(password.as_bytes()), publish: None, is_daemon: true },
        );
    }

    /// Whether somebody may connect.
    pub fn admits(&self, user: Option<&str>, password: Option<&[u8]>) -> bool {
        let Some(user) = user.filter(|user| !user.is_empty()) else { return !self.needs_name };
        match self.users.get(user) {
            // Hashes are compared, so that the time it takes tells nothing of the password.
            Some(grant) => password.is_some_and(|password| hash(password) == grant.password_hash),
            None => !self.needs_name,
        }
    }

    /// Whether somebody who is connected may publish to a topic.
    pub fn may_publish(&self, user: Option<&str>, topic: &str) -> bool {
        let grant = user.and_then(|user| self.users.get(user));
        if grant.is_some_and(|grant| grant.is_daemon) {
            return true;
        }
        if topic.starts_with('$') || RESERVED.iter().any(|filter| matches(filter, topic)) {
            return false;
        }
        match (grant, user) {
            (Some(Grant { publish: Some(filters), .. }), _) => filters.iter().any(|filter| matches(filter, topic)),
            (Some(_), Some(user)) => topic.split('/').skip(1).take(2).any(|level| level == user),
            _ => !self.needs_name,
        }
    }

    /// Whether somebody who is connected may subscribe: findings are no secret between users of one site.
    pub fn may_subscribe(&self, user: Option<&str>) -> bool {
        !self.needs_name || user.is_some_and(|user| self.users.contains_key(user))
    }
}

/// Whether a topic filter matches a topic (MQTT 3.1.1, section 4.7).
pub fn matches(filter: &str, topic: &str) -> bool {
    let (mut wanted, mut found) = (filter.split('/'), topic.split('/'));
    if topic.starts_with('$') && !filter.starts_with('$') {
        return false;
    }
    loop {
        match (wanted.next(), found.next()) {
            (Some("#"), _) | (None, None) => return true,
            (Some("+"), Some(_)) => {}
            (Some(level), Some(other)) if level == other => {}
            _ => return false,
        }
    }
}

fn hash(password: &[u8]) -> [u8; 32] {
    Sha256::digest(password).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_match_as_the_standard_says() {
        for (filter, topic, does) in [
            ("a/+/c", "a/b/c", true),
            ("a/+/c", "a/b/d", false),
            ("a/#", "a", true),
            ("a/#", "a/b/c", true),
            ("#", "a/b", true),
            ("#", "$SYS/x", false),
            ("+/x", "$SYS/x", false),
            ("a/b", "a/b/c", false),
            ("a/b/c", "a/b", false),
            ("a/+", "a/", true),
        ] {
            assert_eq!(matches(filter, topic), does, "{filter} {topic}");
        }
    }

    #[test]
    fn a_tracker_publishes_under_its_own_name_only() {
        let mut access = Access::default();
        access.grant("rental-7", "oar", None);
        access.grant("feed", "net", Some(vec!["ais/#".to_owned()]));
        access.grant_daemon("daemon", "key");

        assert!(!access.admits(None, None));
        assert!(!access.admits(Some("rental-7"), Some(b"paddle")));
        assert!(!access.admits(Some("rental-7"), None));
        assert!(!access.admits(Some("nobody"), Some(b"oar")));
        assert!(access.admits(Some("rental-7"), Some(b"oar")));

        let may = |user, topic| access.may_publish(Some(user), topic);
        assert!(may("rental-7", "buoyline/vessels/rental-7/fix"));
        assert!(may("rental-7", "owntracks/rental-7/phone"));
        assert!(!may("rental-7", "buoyline/vessels/rental-8/fix"));
        assert!(!may("rental-7", "buoyline/vessels/rental-7/state"), "that is the daemon's");
        assert!(!may("rental-7", "buoyline/findings/lake/wake-zone/rental-7"));
        assert!(may("feed", "ais/raw"));
        assert!(!may("feed", "buoyline/vessels/feed/fix"));
        assert!(may("daemon", "buoyline/findings/lake/wake-zone/rental-7"));
        assert!(access.may_subscribe(Some("feed")) && !access.may_subscribe(None));
    }

    #[test]
    fn without_users_everybody_may_publish_what_is_not_reserved() {
        let mut access = Access::default();
        access.grant_daemon("daemon", "key");
        assert!(access.admits(None, None));
        assert!(!access.admits(Some("daemon"), Some(b"guess")));
        assert!(access.may_publish(None, "buoyline/vessels/a/fix"));
        assert!(!access.may_publish(None, "buoyline/status"));
        assert!(access.may_subscribe(None));
    }
}
