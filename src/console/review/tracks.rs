//! Tracks of a period as files.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Period;
use crate::console::problem::Query;
use crate::console::{Console, Problem, Viewer, chart};
use crate::export::{TRACK_FORMATS, TrackOf};
use crate::geo::near_lon_deg;
use crate::observation::{Fix, Observation, VesselId};
use crate::review::Asked;
use crate::store::{Bunches, Sqlite, StoreError};

/// The longest period in one file, seconds.
const PERIOD_MAX_S: f64 = 7.0 * 86_400.0;
/// Fixes in one file at most.
pub(in crate::console) const FIXES_MAX: usize = 1_000_000;
/// How far around the water tracks go on, degrees.
const MARGIN_DEG: f64 = 0.005;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(gpx)).routes(routes!(kml)).routes(routes!(geojson)).routes(routes!(csv))
}

/// Tracks in a format of `export`: the handler of its address.
macro_rules! list {
    ($name:ident, $path:literal, $media_type:literal, $about:literal) => {
        #[doc = $about]
        #[utoipa::path(get, path = $path, tag = "review", params(Period),
            responses((status = 200, content_type = $media_type, body = String), (status = 422, body = Problem)))]
        async fn $name(
            console: State<Console>,
            who: Viewer,
            headers: HeaderMap,
            period: Query<Period>,
        ) -> Result<Response, Problem> {
            file(stringify!($name), console, who, headers, period).await
        }
    };
}

list!(gpx, "/tracks.gpx", "application/gpx+xml", "Tracks as GPX.");
list!(kml, "/tracks.kml", "application/vnd.google-earth.kml+xml", "Tracks as KML.");
list!(geojson, "/tracks.geojson", "application/geo+json", "Tracks as GeoJSON.");
list!(csv, "/tracks.csv", "text/csv", "Tracks as a table.");

async fn file(
    ending: &'static str,
    State(console): State<Console>,
    Viewer(who): Viewer,
    headers: HeaderMap,
    Query(period): Query<Period>,
) -> Result<Response, Problem> {
    console.heavy(&who)?;
    let law = console.law();
    let bbox = chart::bbox(console.waterway(&law, &period.waterway)?);
    let asked = period.asked(PERIOD_MAX_S)?;
    period.looked(&console, &who, "export_tracks", &headers).await?;
    let Some(format) = TRACK_FORMATS.iter().find(|format| format.name == ending) else {
        return Err(Problem::not_found("format", ending));
    };
    let tracks = console.shelf().read(move |store| tracks_of(store, &asked, bbox, FIXES_MAX)).await?;
    let Some(tracks) = tracks else {
        let mend = "ask for a shorter period or for single vessels";
        return Err(Problem::unusable(format!("there are more than {FIXES_MAX} fixes")).mend(mend));
    };
    let mut bytes = Vec::new();
    (format.write)(&tracks, &mut bytes).map_err(|error| Problem::inside(&error))?;
    download(bytes, format.media_type, &format!("tracks-{}.{ending}", period.waterway))
}

/// A file to be kept.
pub(in crate::console) fn download(bytes: Vec<u8>, media_type: &'static str, name: &str) -> Result<Response, Problem> {
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    let disposition = disposition.map_err(|error| Problem::inside(&error))?;
    let media_type = HeaderValue::from_static(media_type);
    Ok(([(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, disposition)], bytes).into_response())
}

/// The fixes of a period in and around a box; `None` where there are more than `most`.
pub(in crate::console) fn tracks_of(
    store: &Sqlite,
    asked: &Asked,
    [west, south, east, north]: [f64; 4],
    most: usize,
) -> Result<Option<Vec<TrackOf>>, StoreError> {
    let Some((first, last)) = store.positions_between(asked.from, asked.to)? else { return Ok(Some(Vec::new())) };
    let is_near = |lat: f64, lon: f64| {
        let lon = near_lon_deg(lon, 0.5 * (west + east));
        (south - MARGIN_DEG..=north + MARGIN_DEG).contains(&lat)
            && (west - MARGIN_DEG..=east + MARGIN_DEG).contains(&lon)
    };
    let bunches = Bunches { after: first.saturating_sub(1), until: last, from: asked.from, to: asked.to, size: 4_096 };
    let (mut tracks, mut count): (BTreeMap<VesselId, Vec<Fix>>, usize) = (BTreeMap::new(), 0);
    store.each_bunch(&bunches, is_near, |bunch, _| {
        for (_, observation) in bunch {
            if let Observation::Fix(vessel, fix) = observation
                && (asked.vessels.is_empty() || asked.vessels.contains(&vessel))
            {
                count += 1;
                tracks.entry(vessel).or_default().push(fix);
            }
        }
        count <= most
    })?;
    if count > most {
        return Ok(None);
    }
    for fixes in tracks.values_mut() {
        fixes.sort_by_key(|fix| fix.t);
    }
    Ok(Some(tracks.into_iter().collect()))
}
