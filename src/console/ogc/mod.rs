//! OGC API - Features 1.0 (OGC 17-069r4): zones, findings, latest positions and tracks as layers for map programs.
//!
//! Parts: landing page, conformance classes (core, GeoJSON, OpenAPI 3.0), collections, items with `bbox`, `datetime`,
//! `limit` and paging by `next` links. Everything is in CRS84. Zones are open to all; what shows boats asks for a
//! token or a session with the role viewer, like the rest.

mod collection;
mod items;
mod query;

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use super::{Anybody, Console, Problem};
use collection::{COLLECTIONS, Collection};

/// What this keeps to.
const CONFORMANCE: [&str; 3] = [
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
];
/// The reference system of everything.
const CRS84: &str = "http://www.opengis.net/def/crs/OGC/1.3/CRS84";

pub(super) fn routes() -> Router<Console> {
    Router::new()
        .route("/ogc", get(landing))
        .route("/ogc/", get(landing))
        .route("/ogc/conformance", get(conformance))
        .route("/ogc/api", get(api))
        .route("/ogc/collections", get(collections))
        .route("/ogc/collections/{collection}", get(one))
        .route("/ogc/collections/{collection}/items", get(items::list))
        .route("/ogc/collections/{collection}/items/{id}", get(items::one))
}

/// The address under which who asks reached this.
fn base(console: &Console, headers: &HeaderMap) -> String {
    let scheme = if console.settings().is_behind_tls { "https" } else { "http" };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("{scheme}://{host}/ogc")
}

fn link(rel: &str, media_type: &str, title: &str, href: String) -> Value {
    json!({"rel": rel, "type": media_type, "title": title, "href": href})
}

async fn landing(State(console): State<Console>, headers: HeaderMap) -> Json<Value> {
    let base = base(&console, &headers);
    let json = "application/json";
    Json(json!({
        "title": "Buoyline",
        "description": "Zones, findings, latest positions and tracks of boats. A finding is a lead for an officer, not a ruling.",
        "links": [
            link("self", json, "this document", format!("{base}/")),
            link("service-desc", "application/vnd.oai.openapi+json;version=3.0", "description of the interface", format!("{base}/api")),
            link("conformance", json, "what it keeps to", format!("{base}/conformance")),
            link("data", json, "the collections", format!("{base}/collections")),
        ],
    }))
}

async fn conformance() -> Json<Value> {
    Json(json!({"conformsTo": CONFORMANCE}))
}

async fn collections(State(console): State<Console>, headers: HeaderMap) -> Json<Value> {
    let base = base(&console, &headers);
    let all: Vec<Value> = COLLECTIONS.iter().map(|collection| described(collection, &console, &base)).collect();
    let own = link("self", "application/json", "this document", format!("{base}/collections"));
    Json(json!({"links": [own], "collections": all}))
}

async fn one(
    State(console): State<Console>,
    super::problem::Path(id): super::problem::Path<String>,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    let collection = Collection::of(&id)?;
    Ok(Json(described(collection, &console, &base(&console, &headers))))
}

fn described(collection: &Collection, console: &Console, base: &str) -> Value {
    let law = console.law();
    let mut bbox: Option<[f64; 4]> = None;
    for waterway in &law.map.waterways {
        let of = super::chart::bbox(waterway);
        let all = bbox.get_or_insert(of);
        *all = [all[0].min(of[0]), all[1].min(of[1]), all[2].max(of[2]), all[3].max(of[3])];
    }
    let id = collection.id;
    let mut described = json!({
        "id": id,
        "title": collection.title,
        "description": collection.description,
        "itemType": "feature",
        "crs": [CRS84],
        "links": [
            link("self", "application/json", collection.title, format!("{base}/collections/{id}")),
            link("items", "application/geo+json", collection.title, format!("{base}/collections/{id}/items")),
        ],
    });
    if let Some(bbox) = bbox {
        described["extent"] = json!({"spatial": {"bbox": [bbox], "crs": CRS84}});
        if collection.is_temporal {
            let trs = "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian";
            described["extent"]["temporal"] = json!({"interval": [[null, null]], "trs": trs});
        }
    }
    described
}

/// OpenAPI 3.0 of these parts alone.
async fn api(State(console): State<Console>, headers: HeaderMap) -> Response {
    let number = |name: &str, about: &str| json!({"name": name, "in": "query", "description": about, "schema": {"type": "integer", "minimum": 1, "maximum": query::LIMIT_MAX, "default": query::LIMIT}, "style": "form", "explode": false});
    let text = |name: &str, about: &str| json!({"name": name, "in": "query", "description": about, "schema": {"type": "string"}, "style": "form", "explode": false});
    let bbox = json!({"name": "bbox", "in": "query", "description": "west,south,east,north in CRS84", "style": "form", "explode": false,
        "schema": {"type": "array", "minItems": 4, "maxItems": 6, "items": {"type": "number"}}});
    let collection = json!({"name": "collectionId", "in": "path", "required": true,
        "schema": {"type": "string", "enum": COLLECTIONS.iter().map(|collection| collection.id).collect::<Vec<_>>()}});
    let feature = json!({"name": "featureId", "in": "path", "required": true, "schema": {"type": "string"}});
    let ok = |media_type: &str| json!({"200": {"description": "as asked", "content": {media_type: {"schema": {"type": "object"}}}}, "default": {"description": "a problem", "content": {"application/problem+json": {"schema": {"type": "object"}}}}});
    let get = |id: &str, parameters: Value, media_type: &str| json!({"get": {"operationId": id, "tags": ["features"], "parameters": parameters, "responses": ok(media_type)}});
    let document = json!({
        "openapi": "3.0.3",
        "info": {"title": "Buoyline, OGC API - Features", "version": env!("CARGO_PKG_VERSION")},
        "servers": [{"url": base(&console, &headers)}],
        "paths": {
            "/": get("getLandingPage", json!([]), "application/json"),
            "/conformance": get("getConformance", json!([]), "application/json"),
            "/collections": get("getCollections", json!([]), "application/json"),
            "/collections/{collectionId}": get("describeCollection", json!([collection]), "application/json"),
            "/collections/{collectionId}/items": get("getFeatures", json!([
                collection, number("limit", "features in one answer"), bbox, text("datetime", "an instant, or an interval with / between its ends, .. for an open one"),
                json!({"name": "offset", "in": "query", "description": "how many to leave out", "schema": {"type": "integer", "minimum": 0, "default": 0}, "style": "form", "explode": false}),
            ]), "application/geo+json"),
            "/collections/{collectionId}/items/{featureId}": get("getFeature", json!([collection, feature]), "application/geo+json"),
        },
    });
    ([(header::CONTENT_TYPE, "application/vnd.oai.openapi+json;version=3.0")], document.to_string()).into_response()
}

/// Who may see a collection: zones everybody where the public view is open, boats only who may look.
fn may_see(collection: &Collection, who: &Anybody, console: &Console) -> Result<(), Problem> {
    let is_open = !collection.shows_boats && console.settings().is_public;
    if is_open || who.0.is_some() { Ok(()) } else { Err(Problem::log_in()) }
}
