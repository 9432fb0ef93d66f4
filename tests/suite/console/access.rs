//! Who may do what.

use buoyline::console::FirstLogin;
use serde_json::{Value, json};

use super::{Lake, client, now};

#[tokio::test(flavor = "multi_thread")]
async fn everybody_logs_in_and_does_what_the_role_allows() {
    let lake = Lake::new();
    let (running, first) = lake.start(false).await;
    let FirstLogin { user, password } = first.expect("the first admin");
    let nobody = client(&running);
    let asked = nobody.get("/api/v1/waterways").await.with(401);
    assert_eq!(asked.header("content-type"), Some("application/problem+json"));
    assert_eq!(asked.json()["title"], "log in");
    assert!(asked.header("content-security-policy").expect("a policy").contains("default-src 'none'"));
    assert_eq!(nobody.get("/api/v1/me").await.with(200).json()["role"], Value::Null);
    for (name, given) in [(&*user, "wrong password"), ("nobody", &*password)] {
        let answer = nobody.post("/api/v1/login", &json!({ "user": name, "password": given })).await.with(401);
        assert!(answer.header("set-cookie").is_none());
    }
    let admin = nobody.clone().log_in(&user, &password).await;
    assert_eq!(admin.get("/api/v1/me").await.json()["role"], "admin");

    // Without the header of its session a request changes nothing.
    let mut forged = admin.clone();
    forged.headers.truncate(1);
    let new = json!({ "user": "ortiz", "password": "anchors aweigh", "role": "officer" });
    forged.post("/api/v1/accounts", &new).await.with(403);
    admin.post("/api/v1/accounts", &json!({ "user": "ortiz", "password": "short", "role": "officer" })).await.with(422);
    admin.post("/api/v1/accounts", &new).await.with(201);
    admin.post("/api/v1/accounts", &new).await.with(409);
    let viewer = json!({ "user": "guest", "password": "look, only look", "role": "viewer" });
    admin.post("/api/v1/accounts", &viewer).await.with(201);

    let officer = nobody.clone().log_in("ortiz", "anchors aweigh").await;
    let guest = nobody.clone().log_in("guest", "look, only look").await;
    let flag = json!({ "kind": "dive_flag", "lat": 47.61, "lon": -117.40, "until": now().plus_seconds(600.0) });
    let refused = guest.post("/api/v1/marks", &flag).await.with(403).json();
    assert_eq!(refused["title"], "this needs the role officer");
    officer.post("/api/v1/marks", &flag).await.with(201);
    for path in ["/api/v1/accounts", "/api/v1/audit", "/api/v1/health"] {
        officer.get(path).await.with(403);
        admin.get(path).await.with(200);
    }
    admin.ask("DELETE", &format!("/api/v1/accounts/{user}"), None).await.with(409);

    // A token is no session: it needs no header, and ends when it is taken away.
    let token = admin.post("/api/v1/tokens", &json!({ "name": "gis", "role": "viewer" })).await.with(201).json();
    let bearer = format!("Bearer {}", token["token"].as_str().expect("told once"));
    let program = nobody.clone().with("authorization", &bearer);
    program.get("/api/v1/waterways").await.with(200);
    program.post("/api/v1/marks", &flag).await.with(403);
    assert!(admin.get("/api/v1/tokens").await.json()[0].get("token").is_none());
    admin.ask("DELETE", &format!("/api/v1/tokens/{}", token["id"]), None).await.with(204);
    program.get("/api/v1/waterways").await.with(401);

    // A new password ends sessions; so does logging out.
    let changed = json!({ "old": "look, only look", "new": "looking further" });
    guest.post("/api/v1/me/password", &changed).await.with(204);
    guest.get("/api/v1/waterways").await.with(401);
    officer.post("/api/v1/logout", &json!({})).await.with(204);
    officer.get("/api/v1/waterways").await.with(401);
    let audited = admin.get("/api/v1/audit?limit=1000").await.json();
    let actions: Vec<&str> = audited.as_array().expect("a list").iter().filter_map(|e| e["action"].as_str()).collect();
    for action in ["login", "login_failed", "account_added", "token_added", "token_removed", "password", "logout"] {
        assert!(actions.contains(&action), "{action}: {actions:?}");
    }
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_guesses_passwords_has_to_wait() {
    let lake = Lake::new();
    let (running, _) = lake.start(false).await;
    let nobody = client(&running);
    let guess = json!({ "user": "admin", "password": "a wrong guess" });
    let mut answers = Vec::new();
    for _ in 0..12 {
        answers.push(nobody.post("/api/v1/login", &guess).await);
    }
    let refused = answers.iter().find(|answer| answer.status == 429).expect("one too many");
    assert!(refused.header("retry-after").is_some());
    running.stop().await.expect("it stops");
}
