//! Findings as files: the evidence report of one, and lists in exchange formats.

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Asked, Id, shown};
use crate::console::problem::{Path, Query};
use crate::console::review::{download, purpose};
use crate::console::session::audit_with;
use crate::console::{Console, Problem, Viewer, Who};
use crate::export::PUBLISHED_FORMATS;
use crate::report::{Paper, PdfError, Printed, Reported, document, pdf};
use crate::store::StandingQuery;

/// Findings in one file at most.
const FINDINGS_MAX: usize = 20_000;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(report))
        .routes(routes!(report_pdf))
        .routes(routes!(csv))
        .routes(routes!(geojson))
        .routes(routes!(gpx))
        .routes(routes!(kml))
}

/// How it is printed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Print {
    /// letter or a4.
    paper: Option<String>,
    /// What the look is for; it goes into the audit log.
    purpose: Option<String>,
}

/// The evidence report of a finding: a page of HTML that prints on Letter and A4, with all its pictures in it.
#[utoipa::path(get, path = "/findings/{id}/report", tag = "findings", params(("id" = String, Path), Print),
    responses((status = 200, content_type = "text/html", body = String), (status = 404, body = Problem)))]
async fn report(
    State(console): State<Console>,
    Viewer(who): Viewer,
    headers: HeaderMap,
    Path(id): Id,
    Query(print): Query<Print>,
) -> Result<Response, Problem> {
    let write = |reports: &[Reported], printed: &Printed| Ok(document(reports, printed).into_bytes());
    let html = printed(&console, who, &headers, &id, print, write).await?;
    // Its own style stands in the page; nothing else is let in.
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'self'";
    Ok(([(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, policy)], html)
        .into_response())
}

/// The same report as a PDF file (PDF/A-2a, PDF/UA-1), with the clause and the history whole.
#[utoipa::path(get, path = "/findings/{id}/report.pdf", tag = "findings", params(("id" = String, Path), Print),
    responses((status = 200, content_type = "application/pdf", body = [u8]), (status = 404, body = Problem)))]
async fn report_pdf(
    State(console): State<Console>,
    Viewer(who): Viewer,
    headers: HeaderMap,
    Path(id): Id,
    Query(print): Query<Print>,
) -> Result<Response, Problem> {
    let pdf = printed(&console, who, &headers, &id, print, pdf).await?;
    download(pdf, "application/pdf", &format!("finding-{id}.pdf"))
}

/// The report of a finding as `write` writes it, with the look at it in the audit log.
async fn printed(
    console: &Console,
    who: Who,
    headers: &HeaderMap,
    id: &str,
    print: Print,
    write: impl FnOnce(&[Reported], &Printed) -> Result<Vec<u8>, PdfError> + Send + 'static,
) -> Result<Vec<u8>, Problem> {
    console.heavy(&who)?;
    let paper = match print.paper.as_deref().filter(|name| !name.is_empty()) {
        None => Paper::default(),
        Some(name) => Paper::from_name(name)
            .ok_or_else(|| Problem::bad(format!("{name:?} is no paper")).at("paper").mend("take letter or a4"))?,
    };
    let asked = id.to_owned();
    let reported = console.work(move |store| Reported::of(store, &asked)).await?;
    let Some(reported) = reported else { return Err(Problem::not_found("finding", id)) };
    let purpose = purpose(headers, print.purpose.as_ref());
    audit_with(console, &who.name, "report", reported.vessel(), purpose, Some(format!("finding {id}"))).await?;
    let scheme = if console.settings().is_behind_tls { "https" } else { "http" };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let printed = Printed {
        by: who.name,
        at: Some(console.desk().now()),
        agency: None,
        link: host.map(|host| format!("{scheme}://{host}/findings/")),
        paper,
    };
    let written = tokio::task::spawn_blocking(move || write(&[reported], &printed)).await;
    written.map_err(|error| Problem::inside(&error))?.map_err(|error| Problem::inside(&error))
}

/// A list in a format of `export`: the handler of its address.
macro_rules! list {
    ($name:ident, $path:literal, $media_type:literal, $about:literal) => {
        #[doc = $about]
        #[utoipa::path(get, path = $path, tag = "findings", params(Asked),
            responses((status = 200, content_type = $media_type, body = String), (status = 400, body = Problem)))]
        async fn $name(
            console: State<Console>,
            who: Viewer,
            headers: HeaderMap,
            asked: Query<Asked>,
        ) -> Result<Response, Problem> {
            file(stringify!($name), console, who, headers, asked).await
        }
    };
}

list!(csv, "/findings.csv", "text/csv", "Findings as a table.");
list!(
    geojson,
    "/findings.geojson",
    "application/geo+json",
    "Findings as GeoJSON, each at the place of its worst instant."
);
list!(gpx, "/findings.gpx", "application/gpx+xml", "Findings as GPX waypoints.");
list!(kml, "/findings.kml", "application/vnd.google-earth.kml+xml", "Findings as KML.");

async fn file(
    ending: &'static str,
    State(console): State<Console>,
    Viewer(who): Viewer,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    console.heavy(&who)?;
    let query = StandingQuery { limit: FINDINGS_MAX, after: None, ..asked.query()? };
    let standings = console.shelf().read(move |store| store.standings(&query)).await?;
    let about = asked.vessel.clone().unwrap_or_else(|| "findings".to_owned());
    let (purpose, detail) = (purpose(&headers, None), format!("{} findings", standings.len()));
    audit_with(&console, &who.name, "export_findings", &about, purpose, Some(detail)).await?;
    let law = console.law();
    let findings: Vec<_> = standings.iter().map(|standing| shown(standing, &law.rulebook)).collect();
    let Some(format) = PUBLISHED_FORMATS.iter().find(|format| format.name == ending) else {
        return Err(Problem::not_found("format", ending));
    };
    let mut bytes = Vec::new();
    (format.write)(&findings, &mut bytes).map_err(|error| Problem::inside(&error))?;
    download(bytes, format.media_type, &format!("findings.{ending}"))
}
