//! What becomes of findings, and streams that are taken up again: by id, through a restart, by somebody who reads slowly.

use std::time::Duration;

use serde_json::json;

use super::{Lake, at_home, client, now, pass, publish, until};

/// A boat runs past the dock at 20 knots and on: a finding that closes.
async fn passing(running: &buoyline::serve::Running, vessel: &str, seconds_ago: f64) {
    let t = now().plus_seconds(-seconds_ago);
    publish(running, pass(vessel, t, 47.61, -117.405 + 0.0001, 10)).await;
    let later = pass(vessel, t.plus_seconds(40.0), 47.6138, -117.4049, 25);
    publish(running, later).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn outcomes_are_added_and_never_changed() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let first = first.expect("the first admin");
    let officer = client(&running).log_in(&first.user, &first.password).await;
    let mut events = officer.listen("/api/v1/waterways/long-lake/stream").await;
    events.wait("hello", |_| true).await;
    passing(&running, "runabout", 120.0).await;
    let heard = events.wait("finding", |f| f["rule"] == "wake-zone").await;
    let id = heard.data["id"].as_str().expect("an id").to_owned();
    let at = format!("/api/v1/findings/{id}/outcomes");

    officer.post("/api/v1/findings/none/outcomes", &json!({ "action": "acknowledge" })).await.with(404);
    officer.post(&at, &json!({ "action": "note" })).await.with(422);
    officer.post(&at, &json!({ "action": "cite", "text": "no reason" })).await.with(422);
    officer.post(&at, &json!({ "action": "arrest" })).await.with(400);
    let done = json!({ "action": "acknowledge", "made_at": now() });
    let entry = officer.post(&at, &done).await.with(201).json();
    assert_eq!((entry["by"].as_str(), entry["action"].as_str()), (Some("admin"), Some("acknowledge")));
    // A phone that is not sure sends it again.
    assert_eq!(officer.post(&at, &done).await.with(201).json()["n"], entry["n"]);
    let cited = officer.post(&at, &json!({ "action": "cite", "reason": "no wake" })).await.with(201).json();
    let told = events.wait("outcome", |data| data["entry"]["action"] == "cite").await;
    assert_eq!((told.data["finding"].as_str(), told.data["state"].as_str()), (Some(&*id), Some("cited")));
    let reverse = json!({ "action": "reverse", "reverses": cited["n"] });
    officer.post(&at, &reverse).await.with(201);
    officer.post(&at, &reverse).await.with(409);

    let explained = officer.get(&format!("/api/v1/findings/{id}")).await.with(200).json();
    assert_eq!(explained["finding"]["state"], "acknowledged");
    assert_eq!(explained["outcomes"].as_array().expect("a history").len(), 3);
    assert!(explained["clause"]["text"].as_str().expect("the law").len() > 20, "{}", explained["clause"]);
    let listed = officer.get("/api/v1/findings?state=acknowledged&rule=wake-zone").await.with(200).json();
    assert_eq!(listed["findings"][0]["id"], *id);
    assert_eq!(listed["counts"]["by_state"]["acknowledged"], 1);
    running.stop().await.expect("it stops");

    // The store itself refuses to change what was said.
    let store = rusqlite::Connection::open(lake.folder.path().join("store.db")).expect("a store");
    for statement in ["UPDATE outcome SET reason = 'other'", "DELETE FROM outcome", "DELETE FROM audit"] {
        assert!(store.execute(statement, []).is_err(), "{statement}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_is_taken_up_where_it_broke_off_through_a_restart() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let home = at_home(&running).await;
    let mut events = home.listen("/api/v1/waterways/long-lake/stream").await;
    events.wait("hello", |_| true).await;
    passing(&running, "first", 200.0).await;
    let last = events.wait("finding", |f| f["vessel"] == "first").await.id.expect("an id");
    drop(events);
    passing(&running, "second", 140.0).await;
    until(&home, "/api/v1/findings?vessel=second", |f| !f["findings"].as_array().expect("a list").is_empty()).await;
    let all = home.get("/api/v1/findings").await.json()["findings"].to_string();
    running.stop().await.expect("it stops");

    let (running, _) = lake.start(true).await;
    let home = at_home(&running).await;
    let again = home.clone().with("last-event-id", &last.to_string());
    let mut events = again.listen("/api/v1/waterways/long-lake/stream").await;
    let hello = events.wait("hello", |_| true).await;
    assert_eq!(hello.data["seq"], last);
    let mut seen = Vec::new();
    while !seen.iter().any(|(_, vessel): &(i64, String)| vessel == "second") {
        let heard = events.wait("finding", |_| true).await;
        seen.push((heard.id.expect("an id"), heard.data["vessel"].as_str().expect("a vessel").to_owned()));
    }
    let ids: Vec<i64> = seen.iter().map(|(id, _)| *id).collect();
    assert!(ids[0] == last + 1 && ids.windows(2).all(|pair| pair[1] == pair[0] + 1), "{last}: {seen:?}");
    // Nothing that was found is another one after the restart.
    for finding in home.get("/api/v1/findings").await.json()["findings"].as_array().expect("a list") {
        assert!(all.contains(finding["id"].as_str().expect("an id")));
    }
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_reads_slowly_gets_the_newest_state_and_every_finding() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let home = at_home(&running).await;
    let mut events = home.listen("/api/v1/waterways/long-lake/stream?every_s=0.2").await;
    events.wait("hello", |_| true).await;
    // Many boats report again and again while nobody reads; more than any buffer on the way holds.
    let begin = now().plus_seconds(-300.0);
    for round in 0..40 {
        let mut lines = Vec::new();
        for boat in 0..250 {
            let lat = 47.6115 + f64::from(boat) * 2e-5;
            let t = begin.plus_seconds(f64::from(round));
            lines.push(super::fix(&format!("boat-{boat}"), t, lat, -117.40 + f64::from(round) * 1e-5, 3.0));
        }
        publish(&running, lines).await;
    }
    passing(&running, "runabout", 100.0).await;
    until(&home, "/api/v1/findings?vessel=runabout", |f| !f["findings"].as_array().expect("a list").is_empty()).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut newest: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    let (mut bunches, mut found) = (0, false);
    let last = begin.plus_seconds(39.0).to_string();
    let is_whole = |newest: &std::collections::BTreeMap<String, String>| {
        newest.len() > 250 && newest.iter().filter(|(id, t)| id.starts_with("boat-") && **t == last).count() == 250
    };
    while !(found && is_whole(&newest)) {
        let heard = events.next().await.expect("it goes on");
        match &*heard.event {
            "boats" => {
                bunches += 1;
                for boat in heard.data["boats"].as_array().expect("a list") {
                    let text = |key: &str| boat[key].as_str().expect("a text").to_owned();
                    let before = newest.insert(text("id"), text("t"));
                    assert!(before.is_none_or(|before| before <= text("t")));
                }
            }
            "finding" => found |= heard.data["vessel"] == "runabout",
            _ => {}
        }
    }
    assert!(bunches < 40 * 250, "{bunches}");
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_is_described_and_the_public_sees_no_boats() {
    let lake = Lake::new();
    let (running, _) = lake.start(false).await;
    let nobody = client(&running);
    let described = nobody.get("/api/openapi.json").await.with(200).json();
    for (path, method) in [
        ("/api/v1/waterways/{waterway}/stream", "get"),
        ("/api/v1/findings/{id}/outcomes", "post"),
        ("/api/v1/marks/{id}", "patch"),
        ("/api/v1/login", "post"),
    ] {
        assert!(described["paths"][path][method]["responses"].is_object(), "{method} {path}");
    }
    let page = nobody.get("/api").await.with(200).text();
    assert!(page.contains("/api/v1/findings/{id}/outcomes") && !page.contains("https://") && !page.contains("<script"));

    let shown = nobody.get("/api/v1/public/waterways/long-lake").await.with(200).json();
    assert_eq!(shown["waterway"]["limits"]["strip_m"], 15.24);
    assert!(shown["waterway"]["sun"]["sunset"].is_string());
    let map = nobody.get("/api/v1/public/waterways/long-lake/map").await.with(200).json();
    assert_eq!(shown["zones"], map);
    let derived =
        |what: &str| map["features"].as_array().expect("features").iter().any(|f| f["properties"]["derived"] == what);
    assert!(derived("strip") && derived("water") && derived("direction"), "{map}");
    nobody.get("/api/v1/waterways/long-lake/boats").await.with(401);
    nobody.get("/api/v1/nothing").await.with(404);
    let etag_of = |answer: &crate::support::http::Answer| answer.header("etag").expect("a version").to_owned();
    let etag = etag_of(&nobody.get("/api/v1/public/waterways/long-lake/map").await);
    nobody.with("if-none-match", &etag).get("/api/v1/public/waterways/long-lake/map").await.with(304);
    running.stop().await.expect("it stops");
}
