//! Versions of the map that are published for a later day.

use std::collections::BTreeSet;
use std::time::Duration;

use buoyline::serve::{Judge, Judged};
use buoyline::store::Log as _;
use buoyline::time::EventTime;
use serde_json::{Value, json};

use super::{Lake, at_home, fix, now, publish, until};
use crate::support::http::Client;

const VERSIONS: &str = "/api/v1/waterways/long-lake/versions";

/// A dock a little east of the one that is there.
fn dock(id: &str, lon: f64) -> Value {
    json!({"type": "Feature", "id": id, "properties": {"kind": "dock", "x-owner": "kept"},
        "geometry": {"type": "LineString", "coordinates": [[lon, 47.6095], [lon, 47.6105]]}})
}

/// A draft of what is published with this change.
async fn draft(client: &Client, change: impl FnOnce(&mut Vec<Value>)) -> String {
    let made = client.post("/api/v1/waterways/long-lake/drafts", &json!({"name": "docks"})).await.with(201).json();
    let id = made["id"].as_str().expect("an id").to_owned();
    let mut source = client.get(&format!("/api/v1/drafts/{id}")).await.with(200).json()["source"].clone();
    change(source["features"].as_array_mut().expect("features"));
    save(client, &id, &source).await;
    id
}

async fn save(client: &Client, id: &str, source: &Value) {
    let path = format!("/api/v1/drafts/{id}");
    client.ask_with("PUT", &path, &[("if-match", "*")], source.to_string().as_bytes()).await.with(200);
}

async fn publish_draft(client: &Client, id: &str, from: Option<EventTime>) -> crate::support::http::Answer {
    let said = json!({"comment": "new docks", "valid_from": from, "skip_reason": "a test"});
    client.post(&format!("/api/v1/drafts/{id}/publish"), &said).await
}

async fn history(client: &Client) -> Vec<Value> {
    client.get(VERSIONS).await.with(200).json().as_array().expect("a list").clone()
}

/// A boat that goes north past a place at 20 knots, from `first` s to `last` s about `t`, when it is there.
fn passing(vessel: &str, t: EventTime, lon: f64, first: i32, last: i32) -> Vec<buoyline::replay::player::Line> {
    let step_deg = 20.0 * 1852.0 / 3600.0 / 111_180.0;
    (first..=last)
        .map(|s| fix(vessel, t.plus_seconds(f64::from(s)), 47.61 + f64::from(s) * step_deg, lon, 20.0))
        .collect()
}

async fn until_clock(t: EventTime) {
    let wait_s = t.seconds_since(now());
    tokio::time::sleep(Duration::from_secs_f64(wait_s.max(0.0))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_of_fixes_decides_which_map_judges_them() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let client = at_home(&running).await;
    let id = draft(&client, |features| features.push(dock("D-20", -117.402))).await;
    let from = now().plus_seconds(6.0);
    let answer = publish_draft(&client, &id, Some(from)).await.with(200).json();
    assert_eq!((answer["in_force"].as_bool(), answer["valid_from"].is_string()), (Some(false), true), "{answer}");
    let listed = history(&client).await;
    assert_eq!((listed[0]["is_coming"].as_bool(), listed[0]["fault"].is_null()), (Some(true), true), "{listed:?}");
    assert_eq!(listed.iter().filter(|one| one["is_in_force"] == true).count(), 1, "{listed:?}");
    assert!(!std::fs::read_to_string(lake.folder.path().join("lake.geojson")).expect("a map").contains("D-20"));

    // Past the dock before its time: nothing stands there yet.
    publish(&running, passing("early", from.plus_seconds(-40.0), -117.402, -15, 15)).await;
    // Nothing of that time has been heard; the first fix of it brings the map along.
    until_clock(from).await;
    let before = running.board().law().borrow().version.clone();
    publish(&running, passing("on-time", from.plus_seconds(0.05), -117.402, -12, 0)).await;
    let mut law = running.board().law();
    law.wait_for(|law| law.version != before).await.expect("it comes into force");
    publish(&running, passing("on-time", from.plus_seconds(0.05), -117.402, 1, 20)).await;
    publish(&running, passing("later", from.plus_seconds(20.0), -117.402, -15, 15)).await;
    let found = until(&client, "/api/v1/findings?rule=wake-zone&limit=100", |found| {
        let all = found["findings"].as_array().expect("a list");
        all.iter().any(|one| one["vessel"] == "later")
    });
    let found = found.await;
    for finding in found["findings"].as_array().expect("a list") {
        assert_ne!(finding["vessel"], "early");
        assert_eq!(finding["map_version"], answer["version"], "{finding}");
        let start = EventTime::parse_rfc3339(finding["start"].as_str().expect("a time")).expect("a time");
        assert!(start.seconds_since(from) >= -1.0, "nothing is judged by it that was before: {finding}");
    }
    let listed = history(&client).await;
    assert_eq!((listed[0]["is_in_force"].as_bool(), listed[0]["is_coming"].as_bool()), (Some(true), Some(false)));
    assert!(listed[0]["came_at"].is_string() && listed[0]["author"].is_string(), "{listed:?}");
    assert!(std::fs::read_to_string(lake.folder.path().join("lake.geojson")).expect("a map").contains("x-owner"));
    running.stop().await.expect("it stops");

    // Replayed it is the same.
    let store = lake.store();
    let kept: BTreeSet<String> = store.revisions().expect("findings").into_iter().map(|(.., json)| json).collect();
    let mut judge = Judge::from_the_beginning(&store).expect("a law");
    let mut again = BTreeSet::new();
    let last = store.last_position().expect("a log");
    let mut take = |judged: Judged| again.extend(judged.findings.into_iter().map(|(.., line)| line));
    judge.catch_up(&store, last, &mut take).expect("judged again");
    assert!(!again.is_empty() && again == kept, "{again:?} {kept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_to_come_survives_a_restart_and_comes_on_a_silent_lake() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let client = at_home(&running).await;
    let id = draft(&client, |features| features.push(dock("D-20", -117.402))).await;
    let from = now().plus_seconds(2.0);
    let answer = publish_draft(&client, &id, Some(from)).await.with(200).json();
    running.stop().await.expect("it stops");

    until_clock(from).await;
    let (running, _) = lake.start(true).await;
    let client = at_home(&running).await;
    let law = until(&client, "/api/v1/waterways", |all| all[0]["law"]["map_version"] == answer["version"]).await;
    assert!(law[0]["law"]["fault"].is_null(), "{law}");
    let is_come = |all: &Value| all[0]["came_at"].is_string() && all[0]["is_in_force"] == true;
    until(&client, VERSIONS, is_come).await;
    running.stop().await.expect("it stops");
    // It stays in force, and nothing comes twice.
    let (running, _) = lake.start(true).await;
    let client = at_home(&running).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let listed = history(&client).await;
    assert_eq!(listed.iter().filter(|one| one["is_in_force"] == true).count(), 1, "{listed:?}");
    assert_eq!(client.get("/api/v1/waterways").await.json()[0]["law"]["map_version"], answer["version"]);
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_to_come_is_withdrawn_or_merged_with_what_is_published_before() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let client = at_home(&running).await;
    let path = lake.folder.path().join("lake.geojson");
    let tomorrow = now().plus_seconds(86_400.0);

    // Withdrawn it never comes, and the draft still has it.
    let id = draft(&client, |features| features.push(dock("D-21", -117.403))).await;
    let answer = publish_draft(&client, &id, Some(tomorrow)).await.with(200).json();
    let withdrawn = format!("{VERSIONS}/{}", answer["n"]);
    client.ask("DELETE", &withdrawn, None).await.with(204);
    client.ask("DELETE", &withdrawn, None).await.with(409);
    let listed = history(&client).await;
    assert_eq!((listed[0]["is_coming"].as_bool(), listed[0]["withdrawn_by"].is_string()), (Some(false), true));
    assert!(client.get(&format!("/api/v1/drafts/{id}")).await.text().contains("D-21"));
    let audit = client.get("/api/v1/audit?limit=100").await.text();
    assert!(audit.contains("map_published") && audit.contains("map_withdrawn"), "{audit}");

    // One moves a dock from tomorrow on; to move it now in another way does not go with that.
    let move_to = |lon: f64| {
        move |features: &mut Vec<Value>| {
            let at = features.iter().position(|feature| feature["id"] == "D-19").expect("the dock");
            features[at] = dock("D-19", lon);
        }
    };
    let coming = draft(&client, move_to(-117.401)).await;
    publish_draft(&client, &coming, Some(tomorrow)).await.with(200);
    let other = draft(&client, move_to(-117.409)).await;
    let refused = publish_draft(&client, &other, None).await.with(409).json();
    assert!(refused["detail"].as_str().is_some_and(|text| text.contains("D-19")), "{refused}");
    publish_draft(&client, &other, Some(tomorrow.plus_seconds(60.0))).await.with(409);
    assert!(!std::fs::read_to_string(&path).expect("a map").contains("-117.409"), "nothing was written");

    // What lies elsewhere goes with it: now, and soon.
    let now_too = draft(&client, |features| features.push(dock("D-30", -117.395))).await;
    let first = publish_draft(&client, &now_too, None).await.with(200).json();
    assert_eq!(first["in_force"], true, "{first}");
    let soon = draft(&client, |features| features.push(dock("D-31", -117.396))).await;
    let soon = publish_draft(&client, &soon, Some(now().plus_seconds(3.0))).await.with(200).json();
    // A hand that edits the file meanwhile is not overwritten.
    let edited = std::fs::read_to_string(&path).expect("a map").replace("Long Lake", "Longest Lake");
    std::fs::write(&path, edited).expect("written");
    let name = |all: &Value| all[0]["name"] == "Longest Lake";
    until(&client, "/api/v1/waterways", name).await;
    until(&client, VERSIONS, |all| {
        all.as_array().is_some_and(|all| all.iter().any(|one| one["n"] == soon["n"] && one["came_at"].is_string()))
    })
    .await;
    let text = std::fs::read_to_string(&path).expect("a map");
    for part in ["Longest Lake", "D-30", "D-31"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    until(&client, VERSIONS, |all| all.as_array().is_some_and(|all| all.iter().any(|v| v["is_in_force"] == true)))
        .await;

    // A hand that changes what is to come as well: it is told, and the version waits.
    let text = std::fs::read_to_string(&path).expect("a map").replace("-117.405", "-117.4055");
    std::fs::write(&path, text).expect("written");
    let told = until(&client, VERSIONS, |all| {
        all.as_array().is_some_and(|all| all.iter().any(|one| one["is_coming"] == true && one["fault"].is_string()))
    });
    let told = told.await;
    let fault = told.as_array().expect("a list").iter().find_map(|one| one["fault"].as_str()).expect("why");
    assert!(fault.contains("D-19"), "{fault}");
    running.stop().await.expect("it stops");
}
