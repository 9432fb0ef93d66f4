//! What is seen live, and what people state.

use std::time::{Duration, Instant};

use buoyline::console::{self, Settings};
use buoyline::serve;
use buoyline::time::EventTime;
use serde_json::json;

use super::{Lake, at_home, fix, now, pass, publish, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_boat_is_seen_with_the_limit_in_force_and_why() {
    let lake = Lake::new();
    let (running, first) = lake.start(true).await;
    assert_eq!(first, None, "nobody has to log in");
    let home = at_home(&running).await;
    assert_eq!(home.get("/api/v1/me").await.json()["is_demo"], true);
    home.clone().with("x-buoyline-csrf", "forged").get("/api/v1/waterways").await.with(200);

    let mut lines = pass("near-dock", now().plus_seconds(-11.0), 47.61, -117.405 + 0.0001, 10);
    lines.extend(pass("far-out", now().plus_seconds(-11.0), 47.614, -117.40, 10));
    publish(&running, lines).await;
    let boats = until(&home, "/api/v1/waterways/long-lake/boats", |seen| {
        seen["boats"]
            .as_array()
            .is_some_and(|boats| boats.iter().all(|boat| boat["interval_s"] == 1.0) && boats.len() == 2)
    });
    let boats = boats.await;
    let far = &boats["boats"][0];
    assert_eq!((far["id"].as_str(), far["state"].as_str()), (Some("far-out"), Some("under_way")));
    // By day the cap, by night the night limit.
    assert!(["speed-cap", "night-speed"].contains(&far["limit"]["rule"].as_str().expect("a rule")));
    let near = &boats["boats"][1];
    assert_eq!(near["nearest"]["feature"], "D-19");

    // Beside the dock the dock's limit holds, and there is a finding about it.
    publish(&running, vec![fix("near-dock", now(), 47.6105, -117.405 + 0.0001, 20.0)]).await;
    let boats = until(&home, "/api/v1/waterways/long-lake/boats", |seen| {
        seen["boats"].as_array().is_some_and(|b| b.iter().any(|boat| boat["limit"]["rule"] == "wake-zone"))
    });
    let boats = boats.await;
    let limit = &boats["boats"][1]["limit"];
    assert_eq!(limit["reason"], "within 50 ft of dock D-19", "{limit}");
    assert_eq!((limit["clause"].as_str(), limit["feature"].as_str()), (Some("SMC 10.14.140(B)(2)"), Some("D-19")));
    let found = until(&home, "/api/v1/findings?rule=wake-zone&vessel=near-dock", |found| {
        !found["findings"].as_array().expect("a list").is_empty()
    });
    let finding = &found.await["findings"][0];
    assert_eq!(finding["title"], "near a dock or pier");
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dive_flag_that_is_put_out_makes_the_finding_of_a_boat_that_passes() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let home = at_home(&running).await;
    let (lat, lon) = (47.6150, -117.4000);
    let mut events = home.listen("/api/v1/waterways/long-lake/stream?every_s=0.2").await;
    events.wait("hello", |_| true).await;
    let flag = json!({ "kind": "dive_flag", "lat": lat, "lon": lon, "until": now().plus_seconds(1800.0) });
    let asked = Instant::now();
    let stated = home.post("/api/v1/marks", &flag).await.with(201).json();
    let id = stated["id"].as_str().expect("an id").to_owned();
    events.wait("marks", |marks| marks.as_array().is_some_and(|m| m.iter().any(|mark| mark["id"] == *id))).await;
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    let marks = home.get("/api/v1/marks?waterway=long-lake").await.with(200).json();
    assert_eq!((marks[0]["by"].as_str(), marks[0]["kind"].as_str()), (Some("demo"), Some("dive_flag")));
    home.post(
        "/api/v1/marks",
        &json!({ "kind": "dive_flag", "lat": 48.0, "lon": -117.4, "until": now().plus_seconds(60.0) }),
    )
    .await
    .with(422);

    let t = EventTime::parse_rfc3339(stated["t"].as_str().expect("a time")).expect("a time").plus_seconds(6.0);
    publish(&running, pass("runabout", t, lat, lon, 5)).await;
    let finding = events.wait("finding", |f| f["clause"] == "SMC 10.14.140(B)(8)").await;
    assert_eq!((finding.data["vessel"].as_str(), finding.data["features"][0].as_str()), (Some("runabout"), Some(&*id)));

    // Taken in, the next pass breaks nothing there.
    let gone = home.ask("DELETE", &format!("/api/v1/marks/{id}"), None).await.with(200).json();
    assert_eq!(home.get("/api/v1/marks").await.json(), json!([]));
    let t = EventTime::parse_rfc3339(gone["t"].as_str().expect("a time")).expect("a time").plus_seconds(6.0);
    publish(&running, pass("skiff", t, lat, lon, 5)).await;
    until(&home, "/api/v1/waterways/long-lake/boats", |seen| seen["boats"].to_string().contains("skiff")).await;
    let found = home.get("/api/v1/findings?vessel=skiff&rule=wake-zone").await.json();
    assert_eq!(found["findings"], json!([]));
    running.stop().await.expect("it stops");

    // It all stands in the log, so a replay finds the same.
    let entries = buoyline::store::Log::read(&lake.store(), 0, 1_000_000).expect("a log");
    let marks = entries.iter().filter(|entry| format!("{:?}", entry.content).contains("Mark(")).count();
    assert_eq!(marks, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tow_and_the_weather_are_stated() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let home = at_home(&running).await;
    home.post("/api/v1/vessels/ski-boat/tow", &json!({ "state": "up" })).await.with(404);
    publish(&running, pass("ski-boat", now().plus_seconds(-6.0), 47.613, -117.40, 5)).await;
    until(&home, "/api/v1/waterways/long-lake/boats", |seen| seen["boats"].to_string().contains("ski-boat")).await;
    home.post("/api/v1/vessels/ski-boat/tow", &json!({ "state": "up", "rope_m": 0 })).await.with(422);
    home.post("/api/v1/vessels/ski-boat/tow", &json!({ "state": "up", "rope_m": 20, "persons": 1 })).await.with(201);
    let boats = until(&home, "/api/v1/waterways/long-lake/boats", |seen| !seen["boats"][0]["tow"].is_null()).await;
    let tow = &boats["boats"][0]["tow"];
    assert_eq!((tow["state"].as_str(), tow["rope_m"].as_f64()), (Some("up"), Some(20.0)));
    assert_eq!(tow["by"], "declared by demo");
    publish(&running, pass("ski-boat", now().plus_seconds(3.0), 47.6135, -117.40, 2)).await;
    let boats = until(&home, "/api/v1/waterways/long-lake/boats", |s| !s["boats"][0]["tow"]["skier"].is_null()).await;
    assert_eq!(boats["boats"][0]["tow"]["skier"]["is_estimated"], true);
    home.ask("DELETE", "/api/v1/vessels/ski-boat/tow", None).await.with(200);
    until(&home, "/api/v1/waterways/long-lake/boats", |seen| seen["boats"][0]["tow"].is_null()).await;

    let fog = json!({ "weather": "fog", "visibility_m": 40 });
    home.post("/api/v1/waterways/no-lake/conditions", &fog).await.with(404);
    home.post("/api/v1/waterways/long-lake/conditions", &json!({})).await.with(422);
    home.post("/api/v1/waterways/long-lake/conditions", &fog).await.with(201);
    let law = until(&home, "/api/v1/waterways", |all| !all[0]["conditions"].is_null()).await;
    let conditions = &law[0]["conditions"];
    assert_eq!((conditions["weather"].as_str(), conditions["by"].as_str()), (Some("fog"), Some("demo")));
    assert!(conditions["until"].is_string());
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_boats_are_where_they_were_last_seen() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let home = at_home(&running).await;
    let t = now().plus_seconds(-60.0);
    let mut lines = pass("far-out", t, 47.614, -117.40, 10);
    // Beside the dock, and too fast, when the daemon stops.
    lines.extend(pass("near-dock", t, 47.6095, -117.405 + 0.0001, 10));
    publish(&running, lines).await;
    let is_all = |seen: &serde_json::Value| {
        let boats = seen["boats"].as_array().expect("boats");
        let is_last = |boat: &serde_json::Value| boat["t"] == json!(t.plus_seconds(10.0));
        boats.len() == 2
            && boats.iter().all(is_last)
            && boats.iter().any(|boat| !boat["open"].as_array().expect("a list").is_empty())
    };
    let before = until(&home, "/api/v1/waterways/long-lake/boats", is_all).await;
    running.stop().await.expect("it stops");

    let (running, _) = lake.start(true).await;
    let home = at_home(&running).await;
    let after = until(&home, "/api/v1/waterways/long-lake/boats", is_all).await;
    assert_eq!(after["boats"], before["boats"]);
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_base_map_is_told_and_let_in_and_nothing_else() {
    let lake = Lake::new();
    let plain = lake.start(true).await.0;
    let home = at_home(&plain).await;
    let me = home.get("/api/v1/me").await.with(200);
    assert!(me.json()["base_map"].is_null());
    assert!(me.header("content-security-policy").expect("a policy").contains("connect-src 'self';"));
    plain.stop().await.expect("it stops");

    let mut config = lake.config();
    config.console.base_map.tiles = "https://tiles.example/{z}/{x}/{y}.png".to_owned();
    config.console.base_map.attribution = "Tiles".to_owned();
    let settings = Settings { is_open: true, ..Settings::of(&config) };
    let running = serve::start_with(&config, |desk| Ok(console::open(desk, settings)?.0)).await.expect("a daemon");
    let home = at_home(&running).await;
    let me = home.get("/api/v1/me").await.with(200);
    assert_eq!(
        me.json()["base_map"],
        json!({ "tiles": "https://tiles.example/{z}/{x}/{y}.png", "attribution": "Tiles" })
    );
    let policy = me.header("content-security-policy").expect("a policy");
    assert!(policy.contains("connect-src 'self' https://tiles.example;"), "{policy}");
    assert!(policy.contains("img-src 'self' data: https://tiles.example;"), "{policy}");
    assert!(policy.contains("script-src 'self';"), "{policy}");
    running.stop().await.expect("it stops");
}
