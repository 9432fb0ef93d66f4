//! Findings of a part of the waters.

use serde_json::Value;

use super::{Lake, at_home, now, pass, publish, until};

#[tokio::test(flavor = "multi_thread")]
async fn findings_are_asked_for_by_box_and_area_in_lists_and_files_alike() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let client = at_home(&running).await;
    let t = now().plus_seconds(-60.0);
    publish(&running, pass("at-dock", t, 47.61, -117.4049, 30)).await;
    publish(&running, pass("at-shore", t, 47.61, -117.4199, 30)).await;
    until(&client, "/api/v1/findings", |found| {
        let all = found["findings"].as_array().expect("a list");
        ["at-dock", "at-shore"].iter().all(|vessel| all.iter().any(|one| one["vessel"] == **vessel))
    })
    .await;
    let vessels = |found: &Value| {
        let all = found["findings"].as_array().expect("a list").iter();
        let mut all: Vec<String> = all.map(|one| one["vessel"].as_str().expect("an id").to_owned()).collect();
        all.sort();
        all.dedup();
        all
    };
    for (asked, wanted) in [
        ("bbox=-117.41,47.60,-117.40,47.62", vec!["at-dock"]),
        ("bbox=-117.43,47.60,-117.41,47.62", vec!["at-shore"]),
        ("bbox=-117.43,47.60,-117.40,47.62", vec!["at-dock", "at-shore"]),
        ("bbox=10,47.60,11,47.62", vec![]),
        // Across the antimeridian: all but what lies between.
        ("bbox=-117.41,47.60,-117.415,47.62", vec!["at-dock", "at-shore"]),
        ("bbox=", vec!["at-dock", "at-shore"]),
        // A triangle whose box has both, and which has one.
        ("area=47.60,-117.421;47.621,-117.421;47.62,-117.40", vec!["at-shore"]),
        ("area=47.60,-117.421;47.621,-117.421;47.62,-117.40&bbox=-117.41,47.60,-117.40,47.62", vec![]),
        ("area=47.60,-117.41;47.60,-117.40;47.62,-117.40;47.62,-117.41;", vec!["at-dock"]),
    ] {
        let found = client.get(&format!("/api/v1/findings?{asked}")).await.with(200).json();
        assert_eq!(vessels(&found), wanted, "{asked}");
        let counted: u64 =
            found["counts"]["by_rule"].as_object().expect("counts").values().filter_map(Value::as_u64).sum();
        assert_eq!(counted, found["findings"].as_array().expect("a list").len() as u64, "{asked}");
        // A few files: who asks for many waits.
        let endings: &[&str] = if wanted == ["at-dock"] { &["csv", "geojson", "gpx", "kml"] } else { &[] };
        for ending in endings {
            let file = client.get(&format!("/api/v1/findings.{ending}?{asked}")).await.with(200).text();
            for vessel in ["at-dock", "at-shore"] {
                assert_eq!(file.contains(vessel), wanted.contains(&vessel), "{ending} {asked} {vessel}");
            }
        }
    }
    // A page at a time gives the same as all at once.
    let first = client.get("/api/v1/findings?bbox=-117.43,47.60,-117.40,47.62&limit=1").await.with(200).json();
    let next = first["next"].as_str().expect("there is more");
    let path = format!("/api/v1/findings?bbox=-117.43,47.60,-117.40,47.62&limit=1&after={next}");
    assert_ne!(client.get(&path).await.with(200).json()["findings"][0]["id"], first["findings"][0]["id"]);
    for wrong in ["bbox=1,2,3", "bbox=1,3,2,1", "area=1,2;3,4", "area=1,2;3,4;95,6", "area=x"] {
        let problem = client.get(&format!("/api/v1/findings?{wrong}")).await.with(400).json();
        assert_eq!(problem["place"], wrong.split('=').next().expect("a name"), "{problem}");
    }
    running.stop().await.expect("it stops");
}
