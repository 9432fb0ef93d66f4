//! `/healthz`, `/readyz` and `/metrics`; `/in/…`, where messages are posted; and everything else is pages.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::board::Board;
use super::post::{self, Letterboxes};

/// Serves until the daemon stops.
pub(super) async fn run(
    listener: TcpListener,
    board: Board,
    letterboxes: Letterboxes,
    pages: Router,
    mut stop: watch::Receiver<bool>,
) {
    let app = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(board)
        .merge(post::routes(letterboxes))
        .merge(pages)
        .into_make_service_with_connect_info::<SocketAddr>();
    let stopped = async move { super::stopped(&mut stop).await };
    if let Err(error) = axum::serve(listener, app).with_graceful_shutdown(stopped).await {
        tracing::error!(%error, "nothing is served over HTTP any more");
    }
}

/// Ready is who stores and judges. That findings cannot be published is told, and no reason to be restarted.
async fn ready(State(board): State<Board>) -> impl IntoResponse {
    let publishes = if board.publishes() { "connected" } else { "not connected; findings wait in the outbox" };
    if board.is_ready() {
        (StatusCode::OK, format!("ready\nfindings: {publishes}\n"))
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: the store cannot be written\nfindings: {publishes}\n"))
    }
}

async fn metrics(State(board): State<Board>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], board.metrics())
}
