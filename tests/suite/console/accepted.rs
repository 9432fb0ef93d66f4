//! Whose word it is that a warning may stand.

use serde_json::{Value, json};

use super::{Lake, client};

#[tokio::test(flavor = "multi_thread")]
async fn a_warning_is_accepted_by_who_saves_it_and_by_nobody_else() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let first = first.expect("the first admin");
    let nobody = client(&running);
    let admin = nobody.clone().log_in(&first.user, &first.password).await;
    let mut managers = Vec::new();
    for user in ["hale", "ortiz"] {
        let said = json!({"user": user, "role": "manager", "password": "correct horse battery"});
        admin.post("/api/v1/accounts", &said).await.with(201);
        managers.push(nobody.clone().log_in(user, "correct horse battery").await);
    }
    let (hale, ortiz) = (&managers[0], &managers[1]);
    let begun = hale.post("/api/v1/waterways/long-lake/drafts", &json!({"name": "dock"})).await.with(201).json();
    let path = format!("/api/v1/drafts/{}", begun["id"].as_str().expect("an id"));
    let accept = |source: &mut Value, says: &str, by: &str| {
        let dock = source["features"].as_array_mut().expect("features");
        let dock = dock.iter_mut().find(|one| one["id"] == "D-19").expect("the dock");
        let said = json!({"lint": "spike", "says": says, "reason": "surveyed", "by": by, "at": "2020-01-01T00:00:00Z"});
        match dock["properties"]["accepted_warnings"].as_array_mut() {
            Some(list) => list.push(said),
            None => dock["properties"]["accepted_warnings"] = json!([said]),
        }
    };
    let signed = |source: &Value| {
        let all = source["features"].as_array().expect("features").iter();
        let lists = all.filter_map(|one| one["properties"]["accepted_warnings"].as_array());
        let said = |one: &Value| {
            (one["says"].as_str().expect("words").to_owned(), one["by"].as_str().expect("who").to_owned())
        };
        lists.flatten().map(said).collect::<Vec<_>>()
    };
    let pair = |says: &str, by: &str| (says.to_owned(), by.to_owned());

    let mut source = hale.get(&path).await.with(200).json()["source"].clone();
    accept(&mut source, "one", "hale");
    hale.ask_with("PUT", &path, &[("if-match", "*")], source.to_string().as_bytes()).await.with(200);
    let mut source = ortiz.get(&path).await.with(200).json()["source"].clone();
    assert!(!source.to_string().contains("2020-01-01"), "the time is the daemon's: {source}");
    accept(&mut source, "two", "hale");
    accept(&mut source, "three", "ortiz");
    ortiz.ask_with("PUT", &path, &[("if-match", "*")], source.to_string().as_bytes()).await.with(200);
    let source = ortiz.get(&path).await.with(200).json()["source"].clone();
    let all = [pair("one", "hale"), pair("two", "ortiz"), pair("three", "ortiz")];
    assert_eq!(signed(&source), all);

    // Published, taken out, and taken over from the earlier version by somebody else it is still theirs.
    let said = json!({"comment": "accepted", "skip_reason": "a test"});
    ortiz.post(&format!("{path}/publish"), &said).await.with(200);
    let mut bare = source.clone();
    for feature in bare["features"].as_array_mut().expect("features") {
        feature["properties"].as_object_mut().expect("properties").remove("accepted_warnings");
    }
    for body in [&bare, &source] {
        hale.ask_with("PUT", &path, &[("if-match", "*")], body.to_string().as_bytes()).await.with(200);
        if body == &bare {
            let said = json!({"comment": "none accepted", "skip_reason": "a test"});
            hale.post(&format!("{path}/publish"), &said).await.with(200);
        }
    }
    assert_eq!(signed(&hale.get(&path).await.with(200).json()["source"]), all);
    running.stop().await.expect("it stops");
}
