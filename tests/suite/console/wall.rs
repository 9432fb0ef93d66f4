//! The display on a wall, where boats have no names.

use serde_json::{Value, json};

use super::{Lake, client, fix, now, publish, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_wall_display_is_opened_by_a_manager_and_names_nobody() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let first = first.expect("the first admin");
    let nobody = client(&running);
    let admin = nobody.clone().log_in(&first.user, &first.password).await;
    let wall = "/api/v1/public/waterways/long-lake/wall";
    // One out on the lake, one at rest at the dock, one that passes close by a boat at rest.
    let t = now().plus_seconds(-90.0);
    for s in 0..=90 {
        let at = t.plus_seconds(f64::from(s));
        let lines = vec![
            fix("WN-4417", at, 47.615 + f64::from(s) * 1e-5, -117.41, 3.0),
            fix("WN-2290", at, 47.61, -117.40502, 0.0),
            fix("WN-9031", at, 47.605, -117.41, 0.0),
            fix("WN-7702", at, 47.605, -117.41005, 1.0),
        ];
        publish(&running, lines).await;
    }
    let profile = json!({"name": "Windrose", "class": "sailboat", "length_m": 7.5}).to_string();
    let topic = "buoyline/vessels/WN-4417/profile".to_owned();
    publish(&running, vec![buoyline::replay::player::Line { at_s: 0.0, topic, payload: profile, retain: false }]).await;
    until(&admin, "/api/v1/waterways/long-lake/boats", |all| {
        let boats = all["boats"].as_array().expect("boats");
        boats.len() == 4 && boats.iter().any(|boat| boat["state"] == "at_dock" && boat["id"] == "WN-2290")
    })
    .await;

    nobody.get(wall).await.with(404);
    let set = |is_open: bool| json!({ "is_open": is_open });
    let said = json!({"name": "patrol", "role": "officer"});
    let token = admin.post("/api/v1/tokens", &said).await.with(201).json();
    let officer = nobody.clone().with("authorization", &format!("Bearer {}", token["token"].as_str().expect("told")));
    officer.ask("PUT", "/api/v1/waterways/long-lake/wall", Some(&set(true))).await.with(403);
    admin.ask("PUT", "/api/v1/waterways/long-lake/wall", Some(&set(true))).await.with(204);
    let public = nobody.get("/api/v1/public/waterways/long-lake").await.with(200).json();
    assert_eq!(public["has_wall"], true);

    let shown = nobody.get(wall).await.with(200);
    let boats = shown.json()["boats"].as_array().expect("boats").clone();
    assert_eq!(boats.len(), 3, "who lies at a dock is left out: {boats:?}");
    let text = shown.text();
    for told in ["WN-", "4417", "Windrose", "7.5", "D-19"] {
        assert!(!text.contains(told), "{told}: {text}");
    }
    let names = |boats: &[Value]| boats.iter().map(|boat| boat["id"].to_string()).collect::<Vec<_>>();
    assert!(boats.iter().any(|boat| boat["limit"]["reason"] == "near another boat"), "{text}");
    // The same all day, through a restart.
    let before = names(&boats);
    running.stop().await.expect("it stops");
    let (running, _) = lake.start(false).await;
    let nobody = client(&running);
    assert_eq!(names(nobody.get(wall).await.with(200).json()["boats"].as_array().expect("boats")), before);
    let admin = nobody.clone().log_in(&first.user, &first.password).await;
    admin.ask("PUT", "/api/v1/waterways/long-lake/wall", Some(&set(false))).await.with(204);
    nobody.get(wall).await.with(404);
    let audit = admin.get("/api/v1/audit?limit=100").await.text();
    assert!(audit.contains("wall_opened") && audit.contains("wall_closed"), "{audit}");
    running.stop().await.expect("it stops");
}
