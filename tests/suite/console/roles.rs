//! Every route, and what may be asked of it: by whom, with what, how often, and what is written down of it. A route that
//! stands in no line here is a fault, so that none slips in without a role.

use std::collections::BTreeSet;

use buoyline::console::FirstLogin;
use serde_json::{Value, json};

use super::{Lake, client, now, pass, publish, until};
use crate::support::http::Client;

/// The least that somebody has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Least {
    Anybody,
    Viewer,
    Officer,
    Manager,
    Admin,
}
use Least::{Admin, Anybody, Manager, Officer, Viewer};

impl Least {
    fn name(self) -> &'static str {
        ["", "viewer", "officer", "manager", "admin"][self as usize]
    }
}

/// Method, path, the least role, and what the audit log calls it where it shows where boats were.
const ROUTES: &[(&str, &str, Least, &str)] = &[
    ("GET", "/me", Anybody, ""),
    ("POST", "/login", Anybody, ""),
    ("POST", "/logout", Viewer, ""),
    ("POST", "/me/password", Viewer, ""),
    ("GET", "/accounts", Admin, ""),
    ("POST", "/accounts", Admin, ""),
    ("PATCH", "/accounts/{user}", Admin, ""),
    ("DELETE", "/accounts/{user}", Admin, ""),
    ("GET", "/tokens", Admin, ""),
    ("POST", "/tokens", Admin, ""),
    ("DELETE", "/tokens/{id}", Admin, ""),
    ("GET", "/audit", Admin, ""),
    ("GET", "/health", Admin, ""),
    ("GET", "/waterways", Viewer, ""),
    ("GET", "/waterways/{waterway}/map", Viewer, ""),
    ("GET", "/rulebook", Viewer, ""),
    ("GET", "/rulebooks", Viewer, ""),
    ("GET", "/rulebooks/{version}", Viewer, ""),
    ("GET", "/rulebooks/{version}/diff", Viewer, ""),
    ("GET", "/public/waterways", Anybody, ""),
    ("GET", "/public/waterways/{waterway}", Anybody, ""),
    ("GET", "/public/waterways/{waterway}/map", Anybody, ""),
    ("GET", "/public/waterways/{waterway}/wall", Anybody, ""),
    ("PUT", "/waterways/{waterway}/wall", Manager, ""),
    ("GET", "/waterways/{waterway}/boats", Viewer, ""),
    ("GET", "/waterways/{waterway}/stream", Viewer, ""),
    ("GET", "/waterways/{waterway}/judged", Viewer, ""),
    ("GET", "/sources", Viewer, ""),
    ("GET", "/findings", Viewer, ""),
    ("GET", "/findings/{id}", Viewer, "finding"),
    ("GET", "/findings/{id}/report", Viewer, "report"),
    ("GET", "/findings/{id}/report.pdf", Viewer, "report"),
    ("POST", "/findings/{id}/outcomes", Officer, ""),
    ("GET", "/findings.csv", Viewer, "export_findings"),
    ("GET", "/findings.geojson", Viewer, "export_findings"),
    ("GET", "/findings.gpx", Viewer, "export_findings"),
    ("GET", "/findings.kml", Viewer, "export_findings"),
    ("GET", "/quiet", Viewer, ""),
    ("POST", "/quiet", Officer, ""),
    ("DELETE", "/quiet/{id}", Officer, ""),
    ("GET", "/marks", Viewer, ""),
    ("POST", "/marks", Officer, ""),
    ("PATCH", "/marks/{id}", Officer, ""),
    ("DELETE", "/marks/{id}", Officer, ""),
    ("POST", "/vessels/{vessel}/tow", Officer, ""),
    ("DELETE", "/vessels/{vessel}/tow", Officer, ""),
    ("POST", "/waterways/{waterway}/conditions", Officer, ""),
    ("GET", "/vessels", Viewer, ""),
    ("GET", "/vessels/{id}", Officer, "vessel"),
    ("GET", "/review", Viewer, "review"),
    ("POST", "/review", Viewer, ""),
    ("GET", "/tracks.csv", Viewer, "export_tracks"),
    ("GET", "/tracks.geojson", Viewer, "export_tracks"),
    ("GET", "/tracks.gpx", Viewer, "export_tracks"),
    ("GET", "/tracks.kml", Viewer, "export_tracks"),
    ("POST", "/jobs", Officer, ""),
    ("GET", "/jobs/{id}", Officer, ""),
    ("DELETE", "/jobs/{id}", Officer, ""),
    ("GET", "/waterways/{waterway}/source", Viewer, ""),
    ("GET", "/waterways/{waterway}/versions", Viewer, ""),
    ("GET", "/waterways/{waterway}/versions/{version}", Viewer, ""),
    ("DELETE", "/waterways/{waterway}/versions/{version}", Manager, ""),
    ("GET", "/waterways/{waterway}/diff", Viewer, ""),
    ("GET", "/waterways/{waterway}/drafts", Manager, ""),
    ("POST", "/waterways/{waterway}/drafts", Manager, ""),
    ("GET", "/drafts/{id}", Manager, ""),
    ("PUT", "/drafts/{id}", Manager, ""),
    ("DELETE", "/drafts/{id}", Manager, ""),
    ("GET", "/drafts/{id}/base", Manager, ""),
    ("GET", "/drafts/{id}/map", Manager, ""),
    ("POST", "/drafts/{id}/check", Manager, ""),
    ("POST", "/drafts/{id}/what-would-change", Manager, ""),
    ("POST", "/drafts/{id}/publish", Manager, ""),
    ("POST", "/check", Manager, ""),
    ("POST", "/import", Manager, ""),
];

/// A path with something in each gap of it that is nowhere.
fn nowhere(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "none" } else { part });
    format!("/api/v1{}", parts.collect::<Vec<_>>().join("/"))
}

/// A program with a role.
async fn with_role(admin: &Client, nobody: &Client, role: Least, name: &str) -> Client {
    let token = admin.post("/api/v1/tokens", &json!({ "name": name, "role": role.name() })).await.with(201).json();
    nobody.clone().with("authorization", &format!("Bearer {}", token["token"].as_str().expect("told once")))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_lets_in_who_has_its_role_and_nobody_else() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let FirstLogin { user, password } = first.expect("the first admin");
    let nobody = client(&running);
    let admin = nobody.clone().log_in(&user, &password).await;

    let described = nobody.get("/api/openapi.json").await.with(200).json();
    let paths = described["paths"].as_object().expect("paths");
    let methods = paths.iter().flat_map(|(path, of)| of.as_object().expect("methods").keys().map(move |m| (m, path)));
    let described: BTreeSet<(String, String)> =
        methods.map(|(method, path)| (method.to_uppercase(), path.replacen("/api/v1", "", 1))).collect();
    let listed: BTreeSet<(String, String)> =
        ROUTES.iter().map(|(method, path, ..)| ((*method).to_owned(), (*path).to_owned())).collect();
    assert_eq!(described, listed, "each route stands in the list above, with its role");

    for role in [Anybody, Viewer, Officer, Manager, Admin] {
        let who = if role == Anybody { nobody.clone() } else { with_role(&admin, &nobody, role, role.name()).await };
        for (method, path, least, _) in ROUTES {
            let answer = who.ask(method, &nowhere(path), Some(&json!({}))).await;
            let status = answer.status;
            let what = format!("{method} {path} by {role:?}: {status} {}", answer.text());
            if role >= *least {
                assert!(status < 500 && ![401, 403, 405].contains(&status), "{what}");
            } else if role == Anybody {
                assert_eq!(status, 401, "{what}");
            } else {
                assert_eq!(status, 403, "{what}");
                assert_eq!(answer.json()["title"], format!("this needs the role {}", least.name()), "{what}");
            }
        }
        for (collection, least) in [("zones", Anybody), ("positions", Viewer), ("findings", Viewer), ("tracks", Viewer)]
        {
            for path in [format!("{collection}/items"), format!("{collection}/items/none")] {
                let status = who.get(&format!("/ogc/collections/{path}")).await.status;
                assert_eq!(status == 401, role < least, "{path} by {role:?}: {status}");
            }
        }
    }

    // A page elsewhere can have a browser send the cookie, and not the header.
    let mut forged = admin.clone();
    forged.headers.retain(|(name, _)| name == "cookie");
    let wrong = forged.clone().with("x-buoyline-csrf", "guessed");
    let writing = ROUTES.iter().filter(|(method, path, ..)| *method != "GET" && *path != "/login");
    for (method, path, ..) in writing {
        for who in [&forged, &wrong] {
            let answer = who.ask(method, &nowhere(path), Some(&json!({}))).await.with(403).json();
            let title = answer["title"].as_str().expect("a title");
            assert!(title.contains("x-buoyline-csrf"), "{method} {path}: {title}");
        }
    }
    admin.get("/api/v1/me").await.with(200);
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_look_at_where_a_boat_was_is_written_down() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let FirstLogin { user, password } = first.expect("the first admin");
    let nobody = client(&running);
    let admin = nobody.clone().log_in(&user, &password).await;
    let officer = with_role(&admin, &nobody, Officer, "patrol").await.with("x-buoyline-purpose", "case 7");
    let t = now().plus_seconds(-40.0);
    publish(&running, pass("near-dock", t, 47.61, -117.405 + 0.0001, 30)).await;
    let found = until(&officer, "/api/v1/findings?vessel=near-dock", |found| {
        !found["findings"].as_array().expect("a list").is_empty()
    });
    let finding = found.await["findings"][0]["id"].as_str().expect("an id").to_owned();

    let (from, to) = (t.plus_seconds(-60.0).to_rfc3339(), t.plus_seconds(60.0).to_rfc3339());
    let period = format!("waterway=long-lake&from={from}&to={to}");
    let day = &from[..10];
    let audited = async || {
        let all = admin.get("/api/v1/audit?limit=1000").await.with(200).json();
        let of_patrol = all.as_array().expect("a list").iter().filter(|entry| entry["who"] == "token:patrol");
        of_patrol.cloned().collect::<Vec<Value>>()
    };
    let mut looks: Vec<(String, &str)> = Vec::new();
    for (_, path, _, action) in ROUTES.iter().filter(|(.., action)| !action.is_empty()) {
        let filled = match *path {
            "/vessels/{id}" => format!("/vessels/near-dock?day={day}&waterway=long-lake"),
            "/review" => format!("/review?{period}"),
            tracks if tracks.starts_with("/tracks") => format!("{tracks}?{period}&vessels=near-dock"),
            other => other.replace("{id}", &finding),
        };
        looks.push((format!("/api/v1{filled}"), action));
    }
    for of in
        ["tracks/items", "tracks/items/near-dock", "positions/items", "positions/items/near-dock", "findings/items"]
    {
        looks.push((format!("/ogc/collections/{of}"), "ogc"));
    }
    looks.push((format!("/ogc/collections/findings/items/{finding}"), "ogc"));
    for (path, action) in looks {
        let before = audited().await;
        officer.get(&path).await.with(200);
        let after = audited().await;
        let new: Vec<&Value> = after.iter().filter(|entry| !before.contains(entry)).collect();
        assert_eq!(new.len(), 1, "{path}: {new:?}");
        assert_eq!((new[0]["action"].as_str(), new[0]["purpose"].as_str()), (Some(action), Some("case 7")), "{path}");
    }
    // Several boats are several looks.
    let before = audited().await.len();
    officer.get(&format!("/api/v1/review?{period}&vessels=near-dock,far-out")).await.with(200);
    assert_eq!(audited().await.len(), before + 2);
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_for_too_much_waits_and_what_is_too_large_is_not_taken() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let FirstLogin { user, password } = first.expect("the first admin");
    let nobody = client(&running);
    let admin = nobody.clone().log_in(&user, &password).await;
    let (one, other) =
        (with_role(&admin, &nobody, Manager, "one").await, with_role(&admin, &nobody, Viewer, "other").await);

    let t = now().to_rfc3339();
    let tracks = format!("/api/v1/tracks.csv?waterway=long-lake&from={t}&to={t}");
    for path in [tracks.as_str(), "/ogc/collections/positions/items", "/api/v1/public/waterways"] {
        let mut refused = None;
        for _ in 0..2_000 {
            let answer = other.get(path).await;
            if answer.status != 200 {
                refused = Some(answer.with(429));
                break;
            }
        }
        let refused = refused.unwrap_or_else(|| panic!("{path} may be asked for without end"));
        assert!(refused.header("retry-after").is_some_and(|s| s.parse::<u32>().is_ok()), "{path}");
        assert_eq!(refused.header("content-type"), Some("application/problem+json"));
    }
    one.get(&tracks).await.with(200);

    for (path, most) in
        [("/api/v1/marks", 256 << 10), ("/api/v1/check?waterway=long-lake", 32 << 20), ("/api/v1/review", 64 << 20)]
    {
        let body = vec![b' '; most + 1];
        let answer = one.ask_with("POST", path, &[("content-type", "application/json")], &body).await.with(413);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{path}");
    }
    running.stop().await.expect("it stops");
}
