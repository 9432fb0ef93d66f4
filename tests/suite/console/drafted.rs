//! A past period reviewed under a draft of the map.

use serde_json::{Value, json};

use super::{Lake, client, now, pass, publish, until};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_draft_would_find_opens_in_review_under_the_draft() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let first = first.expect("the first admin");
    let admin = client(&running).log_in(&first.user, &first.password).await;
    let said = json!({"name": "screen", "role": "officer"});
    let token = admin.post("/api/v1/tokens", &said).await.with(201).json();
    let officer = client(&running).with("authorization", &format!("Bearer {}", token["token"].as_str().expect("told")));
    let t = now().plus_seconds(-200.0);
    // One passes where a dock is to be, another by the dock that is there.
    publish(&running, pass("free", t, 47.61, -117.402, 30)).await;
    publish(&running, pass("at-dock", t, 47.61, -117.4049, 30)).await;
    let begun = admin.post("/api/v1/waterways/long-lake/drafts", &json!({"name": "new dock"})).await.with(201).json();
    let id = begun["id"].as_str().expect("an id");
    let mut source = admin.get(&format!("/api/v1/drafts/{id}")).await.with(200).json()["source"].clone();
    source["features"].as_array_mut().expect("features").push(json!({"type": "Feature", "id": "D-20",
        "properties": {"kind": "dock"}, "geometry": {"type": "LineString",
        "coordinates": [[-117.402, 47.6095], [-117.402, 47.6105]]}}));
    let path = format!("/api/v1/drafts/{id}");
    admin.ask_with("PUT", &path, &[("if-match", "*")], source.to_string().as_bytes()).await.with(200);

    let (from, to) = (t.plus_seconds(-3_600.0).to_rfc3339(), t.plus_seconds(180.0).to_rfc3339());
    let job = admin.post(&format!("{path}/what-would-change"), &json!({"from": from, "to": to})).await.with(202).json();
    let job = format!("/api/v1/jobs/{}", job["id"].as_str().expect("an id"));
    let told = until(&admin, &job, |told| told["state"] == "done").await;
    let gained = &told["gained"][0];
    assert_eq!((gained["vessel"].as_str(), gained["rule"].as_str()), (Some("free"), Some("wake-zone")), "{told}");

    let (from, to) = (t.plus_seconds(-60.0).to_rfc3339(), t.plus_seconds(60.0).to_rfc3339());
    let period = format!("/api/v1/review?waterway=long-lake&from={from}&to={to}");
    let of = |review: &Value, vessel: &str| {
        let all = review["findings"].as_array().expect("findings").iter();
        // Whatever the hour: at night they are too fast besides.
        all.filter(|one| one["vessel"] == vessel && one["rule"] == "wake-zone")
            .map(|one| one["id"].to_string())
            .collect::<Vec<_>>()
    };
    let as_published = admin.get(&period).await.with(200).json();
    assert!(as_published["draft"].is_null() && of(&as_published, "free").is_empty());
    let review = admin.get(&format!("{period}&draft={id}")).await.with(200).json();
    assert_eq!(review["draft"], json!({"id": id, "name": "new dock"}));
    assert_eq!(of(&review, "free"), [gained["id"].to_string()], "{review}");
    assert_eq!(of(&review, "at-dock").len(), of(&as_published, "at-dock").len());
    assert_ne!(review["law"]["map_version"], as_published["law"]["map_version"]);
    // The limit in force beside the new dock is that of the draft.
    let free = review["vessels"].as_array().expect("vessels").iter().find(|one| one["id"] == "free").expect("it");
    assert!(free["limit_reasons"].to_string().contains("D-20"), "{free}");
    let only = admin.get(&format!("{period}&draft={id}&vessels=at-dock")).await.with(200).json();
    assert!(of(&only, "free").is_empty() && !of(&only, "at-dock").is_empty());
    // Nothing of it is stored.
    let kept = admin.get("/api/v1/findings?vessel=free&rule=wake-zone").await.with(200).json();
    assert_eq!(kept["findings"], json!([]));

    officer.get(&period).await.with(200);
    let refused = officer.get(&format!("{period}&draft={id}")).await.with(403).json();
    assert_eq!(refused["title"], "this needs the role manager");
    admin.get(&format!("{period}&draft=none")).await.with(404);
    running.stop().await.expect("it stops");
}
