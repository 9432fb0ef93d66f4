//! The rulebooks that were in force, and what differs between them.

use serde_json::Value;

use super::{Lake, at_home, until};

#[tokio::test(flavor = "multi_thread")]
async fn rulebooks_are_listed_with_when_they_were_in_force_and_compared() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let client = at_home(&running).await;
    let first = client.get("/api/v1/rulebooks").await.with(200).json();
    let only = first.as_array().expect("a list");
    assert_eq!(only.len(), 1, "{first}");
    assert_eq!(only[0]["is_in_force"], true);
    assert_eq!(only[0]["waterways"], serde_json::json!(["long-lake"]));
    assert!(only[0]["edition"].as_str().is_some_and(|text| text.contains("C29112")), "{first}");
    let old = only[0]["version"].as_str().expect("a hash").to_owned();

    let path = lake.folder.path().join("rules.toml");
    let text =
        std::fs::read_to_string(&path).expect("a rulebook").replacen("limit = \"50 mph\"", "limit = \"45 mph\"", 1);
    std::fs::write(&path, text).expect("written");
    let listed = until(&client, "/api/v1/rulebooks", |all| all.as_array().is_some_and(|all| all.len() == 2)).await;
    assert_eq!((listed[0]["is_in_force"].as_bool(), listed[1]["version"].as_str()), (Some(true), Some(old.as_str())));
    let new = listed[0]["version"].as_str().expect("a hash");
    assert_eq!(listed[1]["periods"][0]["to"], listed[0]["periods"][0]["from"], "{listed}");
    assert!(listed[0]["periods"][0]["to"].is_null(), "{listed}");

    let told = client.get(&format!("/api/v1/rulebooks/{old}/diff?with={new}")).await.with(200).json();
    let told = told.as_array().expect("a list");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0]["before"].as_str(), told[0]["after"].as_str()), (Some("50 mph"), Some("45 mph")));
    let at: Vec<&str> = told[0]["at"].as_array().expect("keys").iter().filter_map(Value::as_str).collect();
    assert_eq!(at, ["rules", "speed-cap", "clause", "SMC 10.14.140(A)", "limit"]);

    let kept = client.get(&format!("/api/v1/rulebooks/{old}")).await.with(200).json();
    assert_eq!(kept["version"], old.as_str());
    assert!(kept["toml"].as_str().is_some_and(|text| text.contains("50 mph")) && kept["rules"].is_array());
    client.get("/api/v1/rulebooks/none").await.with(404);
    client.get(&format!("/api/v1/rulebooks/{old}/diff?with=none")).await.with(404);
    client.get(&format!("/api/v1/rulebooks/{old}/diff")).await.with(400);
    running.stop().await.expect("it stops");
}
