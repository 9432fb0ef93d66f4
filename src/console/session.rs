//! `/me`, logging in and out.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::limit::Limited;
use super::problem::Body;
use super::who::{self, COOKIE};
use super::{Anybody, Console, Problem, Viewer, Who, secret};
use crate::config::BaseMapSettings;
use crate::store::{Audited, Role, Session};

/// The longest name of an account.
pub(super) const NAME_BYTES_MAX: usize = 64;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(me))
        .routes(routes!(login))
        .routes(routes!(logout))
        .routes(routes!(change_password))
}

/// Who asks, and what they may do.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Me {
    /// The account; null for somebody who has not logged in.
    user: Option<String>,
    /// What it may do: viewer, officer, manager or admin.
    #[schema(value_type = Option<String>)]
    role: Option<Role>,
    /// What requests that change something carry in the header `x-buoyline-csrf`.
    csrf: Option<String>,
    /// Whether this is `buoyline demo`, where nobody has to log in.
    is_demo: bool,
    /// The version of the program.
    version: &'static str,
    /// How things are shown.
    display: Display,
    /// What lies below the zones; null for nothing.
    base_map: Option<BaseMap>,
}

/// What lies below the zones: a style or tiles.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct BaseMap {
    /// The address of a MapLibre style.
    #[serde(skip_serializing_if = "Option::is_none")]
    style_url: Option<String>,
    /// The address of raster tiles, with `{z}`, `{x}` and `{y}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tiles: Option<String>,
    /// Who made it.
    attribution: String,
}

impl BaseMap {
    fn of(settings: &BaseMapSettings) -> Option<Self> {
        let given = |address: &String| (!address.is_empty()).then(|| address.clone());
        let BaseMapSettings { style_url, tiles, attribution, .. } = settings;
        settings.is_given().then(|| Self {
            style_url: given(style_url),
            tiles: given(tiles),
            attribution: attribution.clone(),
        })
    }
}

/// How things are shown unless somebody chose otherwise.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Display {
    /// Whether the public view is open.
    is_public: bool,
    /// When a fix of a boat is stale at the earliest, seconds.
    stale_s: u32,
    /// When a boat counts as lost, seconds.
    lost_s: u32,
}

impl Me {
    fn new(who: Option<&Who>, console: &Console) -> Self {
        let settings = console.settings();
        Self {
            user: who.map(|who| who.name.clone()),
            role: who.map(|who| who.role),
            csrf: who.and_then(|who| who.csrf.clone()),
            is_demo: settings.is_open,
            version: env!("CARGO_PKG_VERSION"),
            display: Display { is_public: settings.is_public, stale_s: 10, lost_s: 300 },
            base_map: BaseMap::of(&settings.base_map),
        }
    }
}

/// Who asks, and what they may do.
#[utoipa::path(get, path = "/me", tag = "session", responses((status = 200, body = Me)))]
async fn me(State(console): State<Console>, Anybody(who): Anybody) -> Json<Me> {
    Json(Me::new(who.as_ref(), &console))
}

/// A name and its password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Login {
    user: String,
    password: String,
}

/// Where a request comes from.
pub(super) struct Peer(pub String);

impl FromRequestParts<Console> for Peer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Console) -> Result<Self, Problem> {
        Ok(Self(who::peer(parts).map_or_else(|| "unknown".to_owned(), |peer| peer.ip().to_string())))
    }
}

/// Begins a session: the answer sets its cookie.
#[utoipa::path(post, path = "/login", tag = "session", request_body = Login,
    responses((status = 200, body = Me), (status = 401, body = Problem), (status = 429, body = Problem)))]
async fn login(
    State(console): State<Console>,
    Peer(peer): Peer,
    Body(Login { user, password }): Body<Login>,
) -> Result<Response, Problem> {
    console.limits().take(Limited::Login, &format!("from {peer}"))?;
    if user.len() > NAME_BYTES_MAX {
        return Err(wrong());
    }
    console.limits().take(Limited::Login, &format!("as {user}"))?;
    let now = console.desk().now();
    let asked = user.clone();
    let account = console.shelf().read(move |store| store.account(&asked)).await?;
    let known = account.clone();
    let is_right = check(&console, password, known.map(|account| account.password)).await?;
    let (Some(account), true) = (account, is_right) else {
        audit(&console, &user, "login_failed", &peer).await?;
        return Err(wrong());
    };
    let (key, csrf) = (secret::random_text(), secret::random_text());
    let session = Session {
        account: account.name.clone(),
        role: account.role,
        csrf: csrf.clone(),
        until: now.plus_seconds(console.settings().session_s),
    };
    let hash = secret::hash_of(&key);
    console.shelf().write(move |store| store.begin_session(&hash, &session, now)).await?;
    audit(&console, &account.name, "login", &peer).await?;
    let who = Who { name: account.name, role: account.role, csrf: Some(csrf) };
    let cookie = set_cookie(&console, &key, console.settings().session_s as u64)?;
    Ok(([(header::SET_COOKIE, cookie)], Json(Me::new(Some(&who), &console))).into_response())
}

fn wrong() -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "name or password is wrong")
}

/// Ends the session.
#[utoipa::path(post, path = "/logout", tag = "session", responses((status = 204)))]
async fn logout(State(console): State<Console>, Viewer(who): Viewer, headers: HeaderMap) -> Result<Response, Problem> {
    if let Some(key) = who::cookie(&headers) {
        let hash = secret::hash_of(key);
        console.shelf().write(move |store| store.end_session(&hash)).await?;
        audit(&console, &who.name, "logout", "").await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, set_cookie(&console, "", 0)?)]).into_response())
}

/// The old and the new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PasswordChange {
    old: String,
    new: String,
}

/// Changes the own password; all sessions of the account end.
#[utoipa::path(post, path = "/me/password", tag = "session", request_body = PasswordChange,
    responses((status = 204), (status = 401, body = Problem), (status = 422, body = Problem)))]
async fn change_password(
    State(console): State<Console>,
    Viewer(who): Viewer,
    Body(PasswordChange { old, new }): Body<PasswordChange>,
) -> Result<StatusCode, Problem> {
    console.limits().take(Limited::Login, &format!("as {}", who.name))?;
    let name = who.name.clone();
    let account = console.shelf().read(move |store| store.account(&name)).await?;
    let Some(account) = account else { return Err(Problem::not_found("account", &who.name)) };
    if !check(&console, old, Some(account.password)).await? {
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "the old password is wrong").at("old"));
    }
    let hash = hash(&console, new).await?;
    let now = console.desk().now();
    let name = who.name.clone();
    console.shelf().write(move |store| store.change_account(&name, None, Some(&hash), now)).await?;
    audit(&console, &who.name, "password", &who.name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Whether it is the password, found on a thread that may take its time.
async fn check(console: &Console, password: String, hash: Option<String>) -> Result<bool, Problem> {
    if password.len() > secret::PASSWORD_BYTES_MAX {
        return Ok(false);
    }
    let _may = console.inner.may_hash.acquire().await.map_err(|error| Problem::inside(&error))?;
    let checked = tokio::task::spawn_blocking(move || secret::is_password(&password, hash.as_deref())).await;
    checked.map_err(|error| Problem::inside(&error))?.map_err(|error| Problem::inside(&error))
}

/// The hash of a new password that will do.
///
/// # Errors
/// Why it will not.
pub(super) async fn hash(console: &Console, password: String) -> Result<String, Problem> {
    if password.chars().count() < secret::PASSWORD_CHARS_MIN || password.len() > secret::PASSWORD_BYTES_MAX {
        let mend = format!("take at least {} characters", secret::PASSWORD_CHARS_MIN);
        return Err(Problem::unusable("the password is too short or too long").at("password").mend(mend));
    }
    let _may = console.inner.may_hash.acquire().await.map_err(|error| Problem::inside(&error))?;
    let hashed = tokio::task::spawn_blocking(move || secret::hash_password(&password)).await;
    hashed.map_err(|error| Problem::inside(&error))?.map_err(|error| Problem::inside(&error))
}

/// Notes who did what.
///
/// # Errors
/// The store.
pub(super) async fn audit(console: &Console, who: &str, action: &str, about: &str) -> Result<(), Problem> {
    audit_with(console, who, action, about, None, None).await
}

/// Notes who did what, what for, and what more there is to know.
///
/// # Errors
/// The store.
pub(super) async fn audit_with(
    console: &Console,
    who: &str,
    action: &str,
    about: &str,
    purpose: Option<String>,
    detail: Option<String>,
) -> Result<(), Problem> {
    let (who, action, about) = (who.to_owned(), action.to_owned(), about.to_owned());
    let entry = Audited { n: 0, at: console.desk().now(), who, action, about, purpose, detail };
    console.shelf().write(move |store| store.audit(&entry)).await
}

fn set_cookie(console: &Console, key: &str, max_age_s: u64) -> Result<HeaderValue, Problem> {
    let secure = if console.settings().is_behind_tls { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={key}; Path=/; HttpOnly; SameSite=Strict; Max-Age={max_age_s}{secure}");
    cookie.try_into().map_err(|error| Problem::inside(&error))
}
