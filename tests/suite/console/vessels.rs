//! The list of vessels, and the record of one for a day.

use buoyline::console::FirstLogin;
use buoyline::replay::player::Line;
use buoyline::time::EventTime;
use chrono_tz::America::Los_Angeles;
use serde_json::{Value, json};

use super::{Lake, client, fix, now, pass, publish, until};

fn ids(listed: &Value) -> Vec<&str> {
    let vessels = listed["vessels"].as_array().expect("a list");
    vessels.iter().map(|row| row["id"].as_str().expect("an id")).collect()
}

fn profile(vessel: &str, name: &str) -> Line {
    let payload = json!({ "name": name, "class": "motorboat" }).to_string();
    Line { at_s: 0.0, topic: format!("buoyline/vessels/{vessel}/profile"), payload, retain: true }
}

/// The day on the lake's clocks.
fn day_of(t: EventTime) -> String {
    t.to_chrono().with_timezone(&Los_Angeles).date_naive().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn vessels_are_listed_and_the_record_of_one_is_for_officers_and_noted() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let FirstLogin { user, password } = first.expect("the first admin");
    let nobody = client(&running);
    nobody.get("/api/v1/vessels").await.with(401);
    let admin = nobody.clone().log_in(&user, &password).await;
    for (user, role) in [("guest", "viewer"), ("ortiz", "officer")] {
        let account = json!({ "user": user, "password": "anchors aweigh", "role": role });
        admin.post("/api/v1/accounts", &account).await.with(201);
    }
    let guest = nobody.clone().log_in("guest", "anchors aweigh").await;
    let officer = nobody.clone().log_in("ortiz", "anchors aweigh").await;
    assert!(ids(&guest.get("/api/v1/vessels").await.with(200).json()).is_empty());

    // One passes the dock too fast, is silent for a minute, and reports once more; another lies still; a third was
    // here five hours ago, and is on the board no more.
    let t = now().plus_seconds(-100.0);
    let earlier = t.plus_seconds(-18_000.0);
    publish(&running, vec![profile("WN-0001", "Early Bird"), fix("WN-0001", earlier, 47.612, -117.40, 3.0)]).await;
    let mut lines = vec![profile("WN-0002", "Sea Otter")];
    lines.extend(pass("WN-0002", t, 47.61, -117.405 + 0.0001, 10));
    lines.push(fix("WN-0002", t.plus_seconds(70.0), 47.615, -117.405, 20.0));
    lines.push(fix("WN-0003", t, 47.602, -117.41, 0.0));
    publish(&running, lines).await;
    let is_heard = |listed: &Value| {
        let rows = listed["vessels"].as_array().expect("a list");
        rows.len() == 3 && rows.iter().any(|row| row["name"] == "Sea Otter" && row["findings"] != 0)
    };
    let listed = until(&guest, "/api/v1/vessels", is_heard).await;
    assert_eq!((ids(&listed), &listed["next"]), (vec!["WN-0001", "WN-0002", "WN-0003"], &Value::Null));
    let otter = &listed["vessels"][1];
    assert_eq!((&otter["class"], &otter["waterway"]), (&json!("motorboat"), &json!("long-lake")));
    assert_eq!(otter["t"], json!(t.plus_seconds(70.0)));
    assert_eq!(listed["vessels"][2]["name"], Value::Null);

    // By id, by name in any case, and page by page.
    assert_eq!(ids(&guest.get("/api/v1/vessels?q=sea%20OTT").await.with(200).json()), ["WN-0002"]);
    assert_eq!(ids(&guest.get("/api/v1/vessels?q=early").await.with(200).json()), ["WN-0001"]);
    assert_eq!(ids(&guest.get("/api/v1/vessels?q=0003").await.with(200).json()), ["WN-0003"]);
    assert!(ids(&guest.get("/api/v1/vessels?q=nobody").await.with(200).json()).is_empty());
    let page = guest.get("/api/v1/vessels?limit=2").await.with(200).json();
    assert_eq!((ids(&page), &page["next"]), (vec!["WN-0001", "WN-0002"], &json!("WN-0002")));
    let page = guest.get("/api/v1/vessels?limit=2&after=WN-0002").await.with(200).json();
    assert_eq!((ids(&page), &page["next"]), (vec!["WN-0003"], &Value::Null));

    // Who newly comes is found as well, though the log is not read again from its beginning.
    publish(&running, vec![fix("WN-0000", earlier.plus_seconds(60.0), 47.612, -117.40, 3.0)]).await;
    until(&guest, "/api/v1/vessels", |listed| ids(listed).first() == Some(&"WN-0000")).await;

    let refused = guest.get("/api/v1/vessels/WN-0002").await.with(403).json();
    assert_eq!(refused["title"], "this needs the role officer");
    let day = day_of(t);
    let path = format!("/api/v1/vessels/WN-0002?day={day}&purpose=complaint");
    let one = officer.get(&path).await.with(200).json();
    assert_eq!(
        (&one["name"], &one["day"], &one["time_zone"]),
        (&json!("Sea Otter"), &json!(day), &json!("America/Los_Angeles"))
    );
    assert_eq!(one["profile"]["class"], "motorboat");
    assert_eq!((&one["device"]["fixes"], &one["device"]["interval_s"]), (&json!(22), &json!(1.0)));
    assert_eq!((&one["device"]["longest_s"], &one["device"]["accuracy_m"]), (&json!(60.0), &json!(2.0)));
    assert!(one["device"]["last_fix_age_s"].as_f64().expect("an age") >= 29.0, "{one}");
    assert_eq!((&one["judged_s"], &one["not_judged_s"]), (&json!(20.0), &json!(60.0)), "{one}");
    assert_eq!(one["gaps"].as_array().map(Vec::len), Some(1), "{one}");
    assert_eq!(one["gaps"][0]["from"], json!(t.plus_seconds(10.0)), "{one}");
    let rules: Vec<&str> =
        one["day_findings"].as_array().expect("a list").iter().filter_map(|found| found["rule"].as_str()).collect();
    assert!(rules.contains(&"wake-zone") && one["findings"] == rules.len(), "{one}");

    // On a day without it there is nothing to tell; days that are none, and boats that nobody knows.
    let none = officer.get("/api/v1/vessels/WN-0002?day=2026-01-02").await.with(200).json();
    assert_eq!((&none["judged_s"], &none["device"]["fixes"], &none["findings"]), (&json!(0.0), &json!(0), &json!(0)));
    assert_eq!(
        (&none["from"], &none["to"]),
        (&json!("2026-01-02T08:00:00Z"), &json!("2026-01-03T07:59:59.999999999Z"))
    );
    assert_eq!(officer.get("/api/v1/vessels/WN-0002?day=yesterday").await.with(400).json()["place"], "day");
    officer.get("/api/v1/vessels/WN-9999").await.with(404);

    let audited = admin.get("/api/v1/audit?action=vessel").await.with(200).json();
    let looks = audited.as_array().expect("a list");
    assert_eq!(looks.len(), 3, "each look that was answered, or led nowhere: {audited}");
    let look = &looks[2];
    assert_eq!((&look["who"], &look["about"]), (&json!("ortiz"), &json!("WN-0002")));
    assert_eq!((&look["purpose"], &look["detail"]), (&json!("complaint"), &json!(day)));
    running.stop().await.expect("it stops");
}
