//! For how long boats were judged, and whether sources are heard, as a viewer sees it.

use serde_json::{Value, json};

use super::{Lake, client, fix, now, publish, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_sees_what_was_judged_and_what_not_and_whether_sources_are_heard() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let first = first.expect("the first admin");
    let admin = client(&running).log_in(&first.user, &first.password).await;
    let said = json!({"name": "screen", "role": "viewer"});
    let token = admin.post("/api/v1/tokens", &said).await.with(201).json();
    let viewer = client(&running).with("authorization", &format!("Bearer {}", token["token"].as_str().expect("told")));
    let sources = viewer.get("/api/v1/sources").await.with(200).json();
    assert_eq!(sources[0]["state"], "never", "{sources}");
    assert!(sources[0]["usual_interval_s"].is_null(), "{sources}");

    // Half a minute at the mooring's pace, a gap of five minutes, and half a minute more; then twice the same.
    let t = now().plus_seconds(-600.0);
    let at = |s: f64| fix("gappy", t.plus_seconds(s), 47.615 + s * 1e-7, -117.41, 1.0);
    let mut lines: Vec<_> = (0..=30).map(|s| at(f64::from(s))).collect();
    lines.extend((330..=360).map(|s| at(f64::from(s))));
    lines.push(fix("gappy", t.plus_seconds(360.0), 47.615, -117.41, 1.5));
    lines.extend((0..=20).map(|s| fix("steady", now().plus_seconds(f64::from(s - 20)), 47.605, -117.41, 1.0)));
    publish(&running, lines).await;
    let told = until(&viewer, "/api/v1/waterways/long-lake/judged", |told| {
        let boats = told["boats"].as_array().expect("boats");
        let of = |id: &str| boats.iter().find(|boat| boat["id"] == id).cloned().unwrap_or(Value::Null);
        let (gappy, steady) = (of("gappy"), of("steady"));
        steady["judged_s"].as_f64().is_some_and(|s| s >= 20.0)
            && gappy["judged_s"].as_f64().is_some_and(|s| s >= 59.9)
            && gappy["refused"]["duplicate"] == 1
            && gappy["not_judged_s"]["silent"].as_f64().is_some_and(|s| s < 400.0)
    });
    let told = told.await;
    let gappy = told["boats"].as_array().expect("boats").iter().find(|boat| boat["id"] == "gappy").expect("it");
    assert_eq!(gappy["judged_s"], 60.0, "{told}");
    assert_eq!(gappy["not_judged_s"]["gap"], 300.0, "{told}");
    assert!(gappy["not_judged_s"]["silent"].as_f64().is_some_and(|s| (235.0..400.0).contains(&s)), "{told}");
    assert_eq!(told["not_judged_s"]["gap"], 300.0, "{told}");
    assert!(told["judged_s"].as_f64().is_some_and(|s| s >= 80.0), "{told}");
    // The dock's neighbours are told nothing of where anybody was.
    assert!(!told.to_string().contains("47.6"), "{told}");

    let sources = viewer.get("/api/v1/sources").await.with(200).json();
    assert_eq!(sources[0]["state"], "heard", "{sources}");
    assert!(sources[0]["usual_interval_s"].as_f64().is_some_and(|s| (0.0..2.0).contains(&s)), "{sources}");
    viewer.get("/api/v1/health").await.with(403);
    running.stop().await.expect("it stops");
}
