//! Accounts, tokens of other programs, and who looked at what.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Body, Path, Query};
use super::session::{NAME_BYTES_MAX, audit, hash};
use super::{Admin, Console, Problem, secret};
use crate::store::{Account, AuditQuery, Role, Token};
use crate::time::EventTime;

/// Entries of the audit log in one answer at most.
const AUDIT_MAX: usize = 1_000;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(accounts, add_account))
        .routes(routes!(change_account, remove_account))
        .routes(routes!(tokens, add_token))
        .routes(routes!(remove_token))
        .routes(routes!(audited))
}

/// An account, without its password.
#[derive(Serialize, ToSchema)]
struct ShownAccount {
    user: String,
    #[schema(value_type = String)]
    role: Role,
    #[schema(value_type = String)]
    created: EventTime,
    made_by: String,
    #[schema(value_type = String)]
    changed_at: EventTime,
}

impl From<Account> for ShownAccount {
    fn from(account: Account) -> Self {
        let Account { name, role, made_at, made_by, changed_at, .. } = account;
        Self { user: name, role, created: made_at, made_by, changed_at }
    }
}

/// All accounts.
#[utoipa::path(get, path = "/accounts", tag = "admin", responses((status = 200, body = [ShownAccount])))]
async fn accounts(State(console): State<Console>, _: Admin) -> Result<Json<Vec<ShownAccount>>, Problem> {
    let accounts = console.shelf().read(|store| store.accounts()).await?;
    Ok(Json(accounts.into_iter().map(ShownAccount::from).collect()))
}

/// A new account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewAccount {
    /// 1 to 64 of letters, digits, `.`, `_`, `@` and `-`.
    user: String,
    password: String,
    #[schema(value_type = String)]
    role: Role,
}

/// Makes an account.
#[utoipa::path(post, path = "/accounts", tag = "admin", request_body = NewAccount,
    responses((status = 201, body = ShownAccount), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn add_account(
    State(console): State<Console>,
    Admin(who): Admin,
    Body(new): Body<NewAccount>,
) -> Result<(StatusCode, Json<ShownAccount>), Problem> {
    let is_name = (1..=NAME_BYTES_MAX).contains(&new.user.len())
        && new.user.bytes().all(|b| b.is_ascii_alphanumeric() || b"._@-".contains(&b));
    if !is_name {
        let mend = "take 1 to 64 of letters, digits, '.', '_', '@' and '-'";
        return Err(Problem::unusable(format!("{:?} is no name", new.user)).at("user").mend(mend));
    }
    let now = console.desk().now();
    let account = Account {
        name: new.user,
        role: new.role,
        password: hash(&console, new.password).await?,
        made_at: now,
        made_by: who.name.clone(),
        changed_at: now,
    };
    let added = account.clone();
    if !console.shelf().write(move |store| store.add_account(&added)).await? {
        return Err(Problem::conflict(format!("there is an account {:?} already", account.name)).at("user"));
    }
    audit(&console, &who.name, "account_added", &account.name).await?;
    Ok((StatusCode::CREATED, Json(account.into())))
}

/// What changes of an account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AccountChange {
    #[schema(value_type = Option<String>)]
    role: Option<Role>,
    password: Option<String>,
}

/// Changes role or password of an account; its sessions end.
#[utoipa::path(patch, path = "/accounts/{user}", tag = "admin", request_body = AccountChange,
    params(("user" = String, Path)), responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn change_account(
    State(console): State<Console>,
    Admin(who): Admin,
    Path(user): Path<String>,
    Body(change): Body<AccountChange>,
) -> Result<StatusCode, Problem> {
    if change.role.is_some_and(|role| role < Role::Admin) {
        spare_last_admin(&console, &user).await?;
    }
    let password = match change.password {
        Some(password) => Some(hash(&console, password).await?),
        None => None,
    };
    let (now, name) = (console.desk().now(), user.clone());
    let changed =
        console.shelf().write(move |store| store.change_account(&name, change.role, password.as_deref(), now)).await?;
    if !changed {
        return Err(Problem::not_found("account", &user));
    }
    audit(&console, &who.name, "account_changed", &user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes an account away; what it did stays under its name.
#[utoipa::path(delete, path = "/accounts/{user}", tag = "admin", params(("user" = String, Path)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn remove_account(
    State(console): State<Console>,
    Admin(who): Admin,
    Path(user): Path<String>,
) -> Result<StatusCode, Problem> {
    spare_last_admin(&console, &user).await?;
    let name = user.clone();
    if !console.shelf().write(move |store| store.remove_account(&name)).await? {
        return Err(Problem::not_found("account", &user));
    }
    audit(&console, &who.name, "account_removed", &user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Without an admin nobody could give accounts any more.
async fn spare_last_admin(console: &Console, user: &str) -> Result<(), Problem> {
    let accounts = console.shelf().read(|store| store.accounts()).await?;
    let is_admin = |account: &&Account| account.role == Role::Admin;
    let is_last = accounts.iter().filter(is_admin).all(|account| account.name == user)
        && accounts.iter().any(|account| account.name == user);
    if is_last { Err(Problem::conflict("this is the last admin").mend("make another one first")) } else { Ok(()) }
}

/// A token, without its secret.
#[derive(Serialize, ToSchema)]
struct ShownToken {
    id: i64,
    name: String,
    #[schema(value_type = String)]
    role: Role,
    made_by: String,
    #[schema(value_type = String)]
    created: EventTime,
    #[schema(value_type = Option<String>)]
    until: Option<EventTime>,
    #[schema(value_type = Option<String>)]
    used_at: Option<EventTime>,
    /// The token itself, told once when it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl ShownToken {
    fn new(known: Token, token: Option<String>) -> Self {
        let Token { n, name, role, made_by, made_at, until, used_at } = known;
        Self { id: n, name, role, made_by, created: made_at, until, used_at, token }
    }
}

/// All tokens.
#[utoipa::path(get, path = "/tokens", tag = "admin", responses((status = 200, body = [ShownToken])))]
async fn tokens(State(console): State<Console>, _: Admin) -> Result<Json<Vec<ShownToken>>, Problem> {
    let tokens = console.shelf().read(|store| store.tokens()).await?;
    Ok(Json(tokens.into_iter().map(|token| ShownToken::new(token, None)).collect()))
}

/// A new token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewToken {
    /// What it is for.
    name: String,
    #[schema(value_type = String)]
    role: Role,
    /// When it ends; never where it is left out.
    #[schema(value_type = Option<String>)]
    until: Option<EventTime>,
}

/// Gives a token; the answer is the only place where it is told.
#[utoipa::path(post, path = "/tokens", tag = "admin", request_body = NewToken,
    responses((status = 201, body = ShownToken), (status = 422, body = Problem)))]
async fn add_token(
    State(console): State<Console>,
    Admin(who): Admin,
    Body(new): Body<NewToken>,
) -> Result<(StatusCode, Json<ShownToken>), Problem> {
    if new.name.trim().is_empty() || new.name.len() > 100 {
        return Err(Problem::unusable("say what the token is for, in up to 100 characters").at("name"));
    }
    let secret = format!("buoyline_{}", secret::random_text());
    let hash = secret::hash_of(&secret);
    let mut token = Token {
        n: 0,
        name: new.name,
        role: new.role,
        made_by: who.name.clone(),
        made_at: console.desk().now(),
        until: new.until,
        used_at: None,
    };
    let kept = token.clone();
    token.n = console.shelf().write(move |store| store.add_token(&hash, &kept)).await?;
    audit(&console, &who.name, "token_added", &token.name).await?;
    Ok((StatusCode::CREATED, Json(ShownToken::new(token, Some(secret)))))
}

/// Takes a token away.
#[utoipa::path(delete, path = "/tokens/{id}", tag = "admin", params(("id" = i64, Path)),
    responses((status = 204), (status = 404, body = Problem)))]
async fn remove_token(
    State(console): State<Console>,
    Admin(who): Admin,
    Path(id): Path<i64>,
) -> Result<StatusCode, Problem> {
    if !console.shelf().write(move |store| store.remove_token(id)).await? {
        return Err(Problem::not_found("token", &id.to_string()));
    }
    audit(&console, &who.name, "token_removed", &id.to_string()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Which entries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// Who did it.
    who: Option<String>,
    /// What was done, as in `track`.
    action: Option<String>,
    /// To what: a vessel, an account.
    about: Option<String>,
    #[param(value_type = Option<String>)]
    from: Option<EventTime>,
    #[param(value_type = Option<String>)]
    to: Option<EventTime>,
    /// Entries before this number.
    before: Option<i64>,
    /// At most 1,000.
    limit: Option<usize>,
}

/// An entry of the audit log.
#[derive(Serialize, ToSchema)]
struct Entry {
    n: i64,
    #[schema(value_type = String)]
    at: EventTime,
    who: String,
    action: String,
    about: String,
    purpose: Option<String>,
    detail: Option<String>,
}

/// Who looked at what, and did what; the newest first.
#[utoipa::path(get, path = "/audit", tag = "admin", params(Asked), responses((status = 200, body = [Entry])))]
async fn audited(
    State(console): State<Console>,
    _: Admin,
    Query(asked): Query<Asked>,
) -> Result<Json<Vec<Entry>>, Problem> {
    let Asked { who, action, about, from, to, before, limit } = asked;
    let limit = limit.unwrap_or(100).min(AUDIT_MAX);
    let query = AuditQuery { who, action, about, from, to, before, limit };
    let entries = console.shelf().read(move |store| store.audited(&query)).await?;
    let shown = entries.into_iter().map(|entry| Entry {
        n: entry.n,
        at: entry.at,
        who: entry.who,
        action: entry.action,
        about: entry.about,
        purpose: entry.purpose,
        detail: entry.detail,
    });
    Ok(Json(shown.collect()))
}
