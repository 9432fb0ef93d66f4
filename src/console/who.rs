//! Who asks, and whether they may: a handler takes the least role that it asks for.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};

use super::limit::Limited;
use super::{Console, Problem, secret};
use crate::store::Role;

/// The cookie of a session.
pub(super) const COOKIE: &str = "buoyline";
/// The header that requests of a session carry where they change something.
pub(super) const CSRF: &str = "x-buoyline-csrf";
/// Who asks where no login is needed.
const DEMO: &str = "demo";

/// Somebody who is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    /// The account, or the token as `token:NAME`.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// What requests that change something have to carry; `None` for a token.
    pub(super) csrf: Option<String>,
}

/// Whoever asks, known or not.
#[derive(Debug, Clone)]
pub struct Anybody(pub Option<Who>);
/// Somebody who may look.
#[derive(Debug, Clone)]
pub struct Viewer(pub Who);
/// Somebody who may say what became of findings and put out marks.
#[derive(Debug, Clone)]
pub struct Officer(pub Who);
/// Somebody who may change the map.
#[derive(Debug, Clone)]
pub struct Manager(pub Who);
/// Somebody who may give accounts.
#[derive(Debug, Clone)]
pub struct Admin(pub Who);

macro_rules! at_least {
    ($name:ident, $role:expr) => {
        impl FromRequestParts<Console> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, console: &Console) -> Result<Self, Problem> {
                let who = known(parts, console).await?.ok_or_else(Problem::log_in)?;
                if who.role < $role {
                    let title = format!("this needs the role {}", $role);
                    return Err(Problem::forbidden(title).detail(format!("{} has the role {}", who.name, who.role)));
                }
                Ok(Self(who))
            }
        }
    };
}

at_least!(Viewer, Role::Viewer);
at_least!(Officer, Role::Officer);
at_least!(Manager, Role::Manager);
at_least!(Admin, Role::Admin);

impl FromRequestParts<Console> for Anybody {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, console: &Console) -> Result<Self, Problem> {
        Ok(Self(known(parts, console).await?))
    }
}

impl Console {
    /// Lets somebody do something that takes long, unless they did so too often.
    ///
    /// # Errors
    /// A [`Problem`] that says when they may again.
    pub fn heavy(&self, who: &Who) -> Result<(), Problem> {
        self.limits().take(Limited::Heavy, &who.name)
    }

    /// Lets somebody look at what was recorded, unless they did so too often for somebody who reads what they see.
    ///
    /// # Errors
    /// A [`Problem`] that says when they may again.
    pub fn look(&self, who: &Who) -> Result<(), Problem> {
        self.limits().take(Limited::Look, &who.name)
    }
}

/// Who it is: by token, by session, or where no login is needed, by asking from this machine.
async fn known(parts: &Parts, console: &Console) -> Result<Option<Who>, Problem> {
    let who = if let Some(token) = bearer(&parts.headers) {
        let hash = secret::hash_of(token);
        let now = console.desk().now();
        let known = console.shelf().read(move |store| store.token(&hash, now)).await?;
        let Some(token) = known else { return Err(Problem::log_in().detail("the token is not known, or has ended")) };
        let is_stale = token.used_at.is_none_or(|at| now.seconds_since(at) > 60.0);
        if is_stale {
            console.shelf().write(move |store| store.token_used(token.n, now)).await?;
        }
        Some(Who { name: format!("token:{}", token.name), role: token.role, csrf: None })
    } else if let Some(key) = cookie(&parts.headers) {
        let hash = secret::hash_of(key);
        let now = console.desk().now();
        let session = console.shelf().read(move |store| store.session(&hash, now)).await?;
        session.map(|session| Who { name: session.account, role: session.role, csrf: Some(session.csrf) })
    } else {
        None
    };
    let who = who.or_else(|| {
        let is_open = console.settings().is_open && is_from_here(parts);
        is_open.then(|| Who { name: DEMO.to_owned(), role: Role::Admin, csrf: Some(console.inner.open_csrf.clone()) })
    });
    if let Some(Who { csrf: Some(csrf), .. }) = &who
        && ![Method::GET, Method::HEAD, Method::OPTIONS].contains(&parts.method)
        && parts.headers.get(CSRF).is_none_or(|given| given.as_bytes() != csrf.as_bytes())
    {
        let title = format!("the header {CSRF} is missing or not that of this session");
        return Err(Problem::forbidden(title).mend("send the value of `csrf` from GET /api/v1/me"));
    }
    Ok(who)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The key of a session.
pub(super) fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find_map(|(name, value)| (name == COOKIE && !value.is_empty()).then_some(value))
}

/// Where the request comes from.
pub(super) fn peer(parts: &Parts) -> Option<SocketAddr> {
    parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer)
}

/// Whether it comes from this machine, and was meant for it: a page elsewhere whose name leads here has another host.
fn is_from_here(parts: &Parts) -> bool {
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| if port.ends_with(']') { host } else { name });
    let is_meant = name == "localhost" || name.ends_with(".localhost") || name == "127.0.0.1" || name == "[::1]";
    is_meant && peer(parts).is_some_and(|peer| peer.ip().is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn parts(host: &str, peer: &str) -> Parts {
        let mut request = Request::builder().header("host", host).header("cookie", "a=b; buoyline=key").body(());
        if let (Ok(request), Ok(peer)) = (&mut request, peer.parse::<SocketAddr>()) {
            request.extensions_mut().insert(ConnectInfo(peer));
        }
        request.expect("a request").into_parts().0
    }

    #[test]
    fn only_this_machine_by_its_own_name_needs_no_login() {
        for (host, peer, is_here) in [
            ("localhost:8080", "127.0.0.1:5000", true),
            ("127.0.0.1", "127.0.0.1:5000", true),
            ("[::1]:8080", "[::1]:5000", true),
            ("[::1]", "[::1]:5000", true),
            ("lake.example:8080", "127.0.0.1:5000", false),
            ("localhost", "192.0.2.1:5000", false),
            ("localhost", "none", false),
            ("", "127.0.0.1:5000", false),
        ] {
            assert_eq!(is_from_here(&parts(host, peer)), is_here, "{host} {peer}");
        }
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        assert_eq!(cookie(&parts("a", "").headers), Some("key"));
        assert_eq!(cookie(&HeaderMap::new()), None);
    }
}
