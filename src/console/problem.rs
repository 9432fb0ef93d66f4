//! What a request is told when it cannot be done: `application/problem+json` (RFC 9457).

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::serve::NotStored;
use crate::store::StoreError;

/// Why a request was not done. Small, as it is what nearly every handler may end with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// What kind of problem it is: always `about:blank`, the status says it.
    #[serde(rename = "type")]
    #[schema(example = "about:blank")]
    kind: &'static str,
    /// What is wrong, in a few words.
    title: Box<str>,
    /// The status of the answer.
    status: u16,
    /// What is wrong with this request.
    #[serde(skip_serializing_if = "str::is_empty")]
    detail: Box<str>,
    /// Where in the request: a parameter, or the path to a value in its body.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Box<str>>,
    /// What would help.
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<Box<str>>,
    /// Seconds after which it may be tried again.
    #[serde(skip)]
    retry_after_s: Option<u64>,
}

impl Problem {
    /// A problem with this status.
    pub fn new(status: StatusCode, title: impl Into<String>) -> Self {
        let title = title.into().into();
        let (status, detail) = (status.as_u16(), Box::default());
        Self { kind: "about:blank", title, status, detail, place: None, mend: None, retry_after_s: None }
    }

    /// 400: the request cannot be understood.
    pub fn bad(title: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, title)
    }

    /// 401: nobody is known to ask.
    pub fn log_in() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "log in")
    }

    /// 403: who asks may not.
    pub fn forbidden(title: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, title)
    }

    /// 404: there is no such thing.
    pub fn not_found(what: &str, id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("there is no {what} {id:?}"))
    }

    /// 409: it stands against what is there.
    pub fn conflict(title: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, title)
    }

    /// 412: it was made for another version.
    pub fn changed(title: impl Into<String>) -> Self {
        Self::new(StatusCode::PRECONDITION_FAILED, title)
    }

    /// 422: it is understood, and cannot be done.
    pub fn unusable(title: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, title)
    }

    /// 429: too much, for a while.
    pub fn too_many(title: impl Into<String>, retry_after_s: u64) -> Self {
        Self { retry_after_s: Some(retry_after_s), ..Self::new(StatusCode::TOO_MANY_REQUESTS, title) }
    }

    /// 500: a fault of this program. What is inside goes to the log, not outside.
    pub fn inside(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "a request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "this failed by a fault of the daemon; its log says more")
    }

    /// 413 or 400: the body is too large, or cannot be read.
    fn body(status: StatusCode, why: String) -> Self {
        let is_too_large = status == StatusCode::PAYLOAD_TOO_LARGE;
        Self::new(if is_too_large { status } else { StatusCode::BAD_REQUEST }, "the body cannot be read").detail(why)
    }

    /// With what is wrong with this request.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into().into();
        self
    }

    /// With where in the request.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into().into());
        self
    }

    /// With what would help.
    #[must_use]
    pub fn mend(mut self, mend: impl Into<String>) -> Self {
        self.mend = Some(mend.into().into());
        self
    }

    /// The status of the answer.
    pub fn status(&self) -> u16 {
        self.status
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).expect("a problem has only keys that are text");
        let mut response = (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        if error.may_pass() {
            tracing::warn!(%error, "the store could not be used");
            return Self::new(StatusCode::SERVICE_UNAVAILABLE, "the store is busy; try again");
        }
        Self::inside(&error)
    }
}

impl From<NotStored> for Problem {
    fn from(error: NotStored) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        Self::body(rejection.status(), rejection.body_text())
    }
}

impl From<BytesRejection> for Problem {
    fn from(rejection: BytesRejection) -> Self {
        Self::body(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Self::bad("the parameters cannot be read").detail(rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Self::bad("the address cannot be read").detail(rejection.body_text())
    }
}

/// A JSON body; what is wrong with it is told as a [`Problem`].
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let axum::Json(value) = axum::Json::<T>::from_request(request, state).await?;
        Ok(Self(value))
    }
}

/// A body as it is; one that is too large is told as a [`Problem`].
#[derive(Debug)]
pub struct Raw(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for Raw {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        Ok(Self(Bytes::from_request(request, state).await?))
    }
}

/// The parameters of an address; what is wrong with them is told as a [`Problem`].
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let axum::extract::Query(value) = axum::extract::Query::<T>::from_request_parts(parts, state).await?;
        Ok(Self(value))
    }
}

/// What stands in the address itself; what is wrong with it is told as a [`Problem`].
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let axum::extract::Path(value) = axum::extract::Path::<T>::from_request_parts(parts, state).await?;
        Ok(Self(value))
    }
}
