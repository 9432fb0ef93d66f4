//! Review, report, map editing and OGC API Features over HTTP, against a daemon that judged a scenario.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use buoyline::console::{self, Settings};
use buoyline::report::{Paper, Printed, Reported, document, pdf};
use buoyline::review::{LawPair, Lead, Made, Progress, Question, explain, what_would_change};
use buoyline::serve::{self, Running};
use buoyline::store::{Law, Sqlite};
use buoyline::zones::ZoneFile;
use serde_json::{Value, json};

use crate::support::http::{Answer, Client};
use crate::support::stage;

const PATIENCE: Duration = Duration::from_secs(60);

/// A daemon with an open console on a scenario.
struct Stage {
    stage: stage::Stage,
    waterway: String,
    running: Running,
    client: Client,
}

impl Stage {
    async fn new(seed: u64) -> Self {
        let stage = stage::Stage::new(seed);
        let config = stage.config("");
        let settings = Settings { is_open: true, ..Settings::of(&config) };
        let running = serve::start_with(&config, |desk| Ok(console::open(desk, settings)?.0)).await.expect("a daemon");
        let waterway = running.board().law().borrow().map.waterways[0].id.to_string();
        let client = Client::new(running.http_address().expect("HTTP is served"));
        let csrf = client.get("/api/v1/me").await.json()["csrf"].as_str().expect("a key").to_owned();
        Self { stage, waterway, running, client: client.with("x-buoyline-csrf", &csrf) }
    }

    /// Plays the scenario and waits until its findings are closed.
    async fn play(&self) -> Vec<Value> {
        stage::play(&self.running, &self.stage.lines).await;
        let since = Instant::now();
        loop {
            let found = self.get("/api/v1/findings?limit=1000").await.json();
            let findings = found["findings"].as_array().expect("findings").clone();
            let closed: Vec<Value> = findings.into_iter().filter(|finding| finding["status"] == "closed").collect();
            if closed.len() >= 3 {
                return closed;
            }
            assert!(since.elapsed() < PATIENCE, "findings in {PATIENCE:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn get(&self, path: &str) -> Answer {
        self.client.get(path).await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.client.post(path, body).await
    }

    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.client.ask_with(method, path, headers, body).await
    }

    fn store(&self) -> Sqlite {
        self.stage.store()
    }

    /// The period of the scenario.
    fn period(&self) -> String {
        "from=2025-06-15T15:00:00Z&to=2025-06-16T14:59:59Z".to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_period_is_reviewed_from_the_store_and_from_a_file_alike() {
    let stage = Stage::new(7).await;
    let findings = stage.play().await;
    let (waterway, period) = (&stage.waterway, stage.period());
    let review = stage.get(&format!("/api/v1/review?waterway={waterway}&{period}&purpose=test")).await;
    assert_eq!(review.status, 200, "{}", review.text());
    let review = review.json();
    let vessels = review["vessels"].as_array().expect("vessels");
    assert!(!vessels.is_empty());
    let mut has_limit = false;
    for vessel in vessels {
        let fixes = &vessel["fixes"];
        let count = fixes["t_ms"].as_array().expect("times").len();
        for column in [
            "lat",
            "lon",
            "sog_mps",
            "is_derived",
            "cog_deg",
            "accuracy_m",
            "limit_mps",
            "limit_rule",
            "distance_m",
            "nearest",
        ] {
            assert_eq!(fixes[column].as_array().map(Vec::len), Some(count), "{column} of {}", vessel["id"]);
        }
        let reasons = vessel["limit_reasons"].as_array().expect("reasons").len() as u64;
        let rules = fixes["limit_rule"].as_array().expect("rules").iter().filter_map(Value::as_u64);
        assert!(rules.inspect(|_| has_limit = true).all(|rule| rule < reasons));
        let times: Vec<i64> = fixes["t_ms"].as_array().expect("times").iter().filter_map(Value::as_i64).collect();
        assert!(times.is_sorted());
    }
    assert!(has_limit, "somebody is under some limit");
    assert!(review["findings"].as_array().expect("findings").iter().all(|finding| finding["state"].is_string()));
    assert!(review["sun"].as_array().is_some_and(|sun| sun.len() >= 2), "{}", review["sun"]);

    let recording = stage.stage.recording.join("\n");
    let path = format!("/api/v1/review?waterway={waterway}&name=lake.ndjson");
    let uploaded = stage.ask("POST", &path, &[], recording.as_bytes()).await;
    assert_eq!(uploaded.status, 200, "{}", uploaded.text());
    let uploaded = uploaded.json();
    let ids = |review: &Value| {
        let all = review["findings"].as_array().expect("findings").clone();
        all.into_iter().filter(|f| f["status"] == "closed").map(|f| f["id"].to_string()).collect::<Vec<_>>()
    };
    let of_upload = ids(&uploaded);
    assert!(findings.iter().all(|f| f["waterway"] != waterway.as_str() || of_upload.contains(&f["id"].to_string())));
    let nonsense = stage.ask("POST", &path.replace(".ndjson", ".bin"), &[], b"\x00\x01\x02nothing").await;
    assert_eq!(nonsense.status, 422, "{}", nonsense.text());
    let audit = stage.get("/api/v1/audit?limit=100").await.text();
    assert!(audit.contains("\"review\"") && audit.contains("test"), "{audit}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_is_explained_reported_and_exported() {
    let stage = Stage::new(7).await;
    let findings = stage.play().await;
    let store = stage.store();
    let mut is_any_reproduced = false;
    for finding in findings.iter().take(3) {
        let id = finding["id"].as_str().expect("an id");
        let lead = Lead::of(&store, id).expect("a store").expect("a finding");
        let explained = explain(&lead);
        is_any_reproduced |= explained.is_reproduced;
        if explained.is_reproduced {
            let whats: Vec<&str> = explained.would_change.iter().map(|one| one.what).collect();
            assert_eq!(whats, ["speed", "position", "accuracy", "map", "time", "reading", "exemption"]);
        }
        let detail = stage.get(&format!("/api/v1/findings/{id}")).await.json();
        assert_eq!(detail["finding"]["id"], id);
        assert!(detail["clause"]["citation"].is_string() && detail["measured"].is_array(), "{detail}");
    }
    assert!(is_any_reproduced, "what was found is found again");

    let id = findings[0]["id"].as_str().expect("an id");
    let report = stage.get(&format!("/api/v1/findings/{id}/report?paper=a4")).await;
    assert_eq!(report.status, 200);
    let html = report.text();
    for part in [
        "A lead for an officer, not a ruling.",
        "<svg class=\"map\"",
        "class=\"chart\"",
        "class=\"qr\"",
        "size: A4",
        id,
        "History",
    ] {
        assert!(html.contains(part), "the report has no {part}");
    }
    let lower = html.to_lowercase();
    assert!(["violat", "offend", "guilty", "illegal", "suspect"].iter().all(|word| !lower.contains(word)));
    assert!(report.header("content-security-policy").is_some_and(|policy| !policy.contains("script-src")));
    assert_eq!(stage.get("/api/v1/findings/none/report").await.status, 404);

    let (waterway, period) = (&stage.waterway, stage.period());
    for ending in ["csv", "geojson", "gpx", "kml"] {
        let findings = stage.get(&format!("/api/v1/findings.{ending}?from=2025-06-01T00:00:00Z")).await;
        assert!(
            findings.status == 200 && findings.text().contains(id) || ending == "gpx" || ending == "kml",
            "{ending}"
        );
        let tracks = stage.get(&format!("/api/v1/tracks.{ending}?waterway={waterway}&{period}")).await;
        assert_eq!(tracks.status, 200, "{ending}");
        let vessel = findings_vessel(&stage.get(&format!("/api/v1/findings/{id}")).await.json());
        assert!(tracks.text().contains(&vessel), "{ending}");
    }
    let both: Vec<Reported> = findings
        .iter()
        .take(2)
        .map(|f| Reported::of(&store, f["id"].as_str().expect("an id")).expect("a store").expect("a finding"))
        .collect();
    let printed = Printed { by: "test".to_owned(), paper: Paper::Letter, ..Printed::default() };
    assert_eq!(document(&both, &printed).matches("<article").count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_a_pdf_file_with_all_that_its_page_tells() {
    let stage = Stage::new(7).await;
    let findings = stage.play().await;
    let id = findings[0]["id"].as_str().expect("an id");
    let path = format!("/api/v1/findings/{id}/report.pdf");
    let answer = stage.get(&format!("{path}?paper=a4&purpose=court")).await.with(200);
    assert_eq!(answer.header("content-type"), Some("application/pdf"));
    assert_eq!(answer.header("content-disposition"), Some(&*format!("attachment; filename=\"finding-{id}.pdf\"")));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    let (text, papers) = read_pdf(&answer.body);
    assert!(text.contains(id) && text.contains("A lead for an officer, not a ruling."), "{text}");
    assert_eq!(papers.first(), Some(&(595, 842)), "A4 in points");
    let audit = stage.get("/api/v1/audit?limit=100").await.text();
    assert!(audit.contains("\"report\"") && audit.contains("court"), "{audit}");
    let wrong = stage.get(&format!("{path}?paper=a3")).await.with(400).text();
    assert!(wrong.contains("take letter or a4"), "{wrong}");
    assert_eq!(stage.get("/api/v1/findings/none/report.pdf").await.status, 404);

    let store = stage.store();
    let printed = Printed { by: "test".to_owned(), ..Printed::default() };
    let of_each_rule: BTreeMap<&str, &Value> =
        findings.iter().map(|finding| (finding["rule"].as_str().expect("a rule"), finding)).collect();
    for finding in of_each_rule.values().take(3) {
        let id = finding["id"].as_str().expect("an id");
        let report = [Reported::of(&store, id).expect("a store").expect("a finding")];
        let file = pdf(&report, &printed).expect("a document");
        assert!(file == pdf(&report, &printed).expect("a document"), "{id} is not the same twice");
        let (text, papers) = read_pdf(&file);
        assert_eq!(papers.first(), Some(&(612, 792)), "letter in points");
        let text = text.replace(char::is_whitespace, "");
        let html = document(&report, &printed);
        // What the page cuts for lack of room ends in three dots; pages are counted in each for itself.
        let words = words_of(&html).filter(|word| *word != "…");
        let lost: Vec<&str> = words.filter(|word| !text.contains(*word)).collect();
        assert!(lost.len() <= 2, "{id} ({}): {lost:?} is not in the file", finding["rule"]);
    }
}

/// The words of a PDF document, and the sizes of its pages in whole points.
fn read_pdf(bytes: &[u8]) -> (String, Vec<(i64, i64)>) {
    let document = lopdf::Document::load_mem(bytes).expect("a PDF document");
    let pages = document.get_pages();
    let numbers: Vec<u32> = pages.keys().copied().collect();
    let text = document.extract_text(&numbers).expect("text");
    let size = |id: &lopdf::ObjectId| {
        let page = document.get_dictionary(*id).expect("a page");
        let corners = page.get(b"MediaBox").and_then(lopdf::Object::as_array).expect("a box");
        let corner = |i: usize| corners[i].as_float().expect("a number").round() as i64;
        (corner(2), corner(3))
    };
    let sizes = pages.values().map(size).collect();
    (text.split_whitespace().collect::<Vec<_>>().join(" "), sizes)
}

/// The words of a page of HTML.
fn words_of(html: &str) -> impl Iterator<Item = &str> {
    let body = html.split_once("<body>").expect("a body").1;
    let texts = body.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text);
    texts.flat_map(str::split_whitespace).filter(|word| !word.contains('&'))
}

fn findings_vessel(detail: &Value) -> String {
    detail["finding"]["vessel"].as_str().expect("a vessel").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_map_is_drafted_checked_published_and_merged() {
    let stage = Stage::new(7).await;
    stage.play().await;
    let waterway = &stage.waterway;
    let source = stage.get(&format!("/api/v1/waterways/{waterway}/source")).await;
    let published = source.header("etag").expect("a version");
    let begin = |name: &str| json!({"name": name});
    let path = format!("/api/v1/waterways/{waterway}/drafts");
    let mut drafts = Vec::new();
    for name in ["north docks", "south docks"] {
        let made = stage.post(&path, &begin(name)).await;
        assert_eq!(made.status, 201, "{}", made.text());
        drafts.push(made.json()["id"].as_str().expect("an id").to_owned());
    }
    let dock = |map: &mut Value, id: &str, shift: f64| {
        let water =
            map["features"].as_array().expect("features").iter().find(|f| f["properties"]["kind"] == "waterway");
        let corner = water.expect("water")["geometry"]["coordinates"].clone();
        let mut at = &corner;
        while at[0].is_array() {
            at = &at[0];
        }
        let (lon, lat) = (at[0].as_f64().expect("lon"), at[1].as_f64().expect("lat"));
        let point = json!({"type": "Feature", "id": id, "properties": {"kind": "dock", "x-owner": "kept", "lit": true},
            "geometry": {"type": "Point", "coordinates": [lon + shift, lat]}});
        map["features"].as_array_mut().expect("features").push(point);
    };
    let change = async |draft: &str, id: &str, shift: f64| {
        let now = stage.get(&format!("/api/v1/drafts/{draft}")).await;
        let etag = now.header("etag").expect("an etag");
        let mut map = now.json()["source"].clone();
        map["x-survey"] = json!("kept as well");
        dock(&mut map, id, shift);
        let body = map.to_string();
        let put = stage.ask("PUT", &format!("/api/v1/drafts/{draft}"), &[("if-match", etag)], body.as_bytes()).await;
        assert_eq!(put.status, 200, "{}", put.text());
        // The same version once more: somebody else came first.
        let late = stage.ask("PUT", &format!("/api/v1/drafts/{draft}"), &[("if-match", etag)], body.as_bytes()).await;
        assert_eq!(late.status, 412, "{}", late.text());
    };
    change(&drafts[0], "new-north", 0.000_01).await;
    change(&drafts[1], "new-south", 0.000_02).await;
    let faults = stage.post(&format!("/api/v1/drafts/{}/check", drafts[0]), &json!({})).await;
    assert!(
        faults.json().as_array().is_some_and(|all| all.iter().all(|f| f["severity"] != "error")),
        "{}",
        faults.text()
    );
    let map = stage.get(&format!("/api/v1/drafts/{}/map", drafts[0])).await;
    assert!(map.text().contains("new-north"), "{}", map.status);

    let job = stage
        .post(
            &format!("/api/v1/drafts/{}/what-would-change", drafts[0]),
            &json!({"from": "2025-06-15T00:00:00Z", "to": "2025-06-17T00:00:00Z"}),
        )
        .await;
    assert_eq!(job.status, 202, "{}", job.text());
    let job = job.json()["id"].as_str().expect("an id").to_owned();
    let since = Instant::now();
    let told = loop {
        let told = stage.get(&format!("/api/v1/jobs/{job}")).await.json();
        if told["state"] != "running" {
            break told;
        }
        assert!(since.elapsed() < PATIENCE, "{told}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(told["state"] == "done" && told["fixes"].as_u64() > Some(0), "{told}");

    let publish = async |draft: &str, version: &str| {
        let path = format!("/api/v1/drafts/{draft}/publish");
        let headers = [("if-match", version), ("content-type", "application/json")];
        stage.ask("POST", &path, &headers, json!({"comment": "a dock was built"}).to_string().as_bytes()).await
    };
    let first = publish(&drafts[0], published).await;
    assert!(first.status == 200 && first.json()["in_force"] == true, "{} {}", first.status, first.text());
    // What only one side changed goes together by itself.
    let second = publish(&drafts[1], published).await;
    assert!(second.status == 200 && second.json()["merged"] == true, "{} {}", second.status, second.text());
    let now = stage.get(&format!("/api/v1/waterways/{waterway}/source")).await.json();
    let ids: Vec<String> = now["features"].as_array().expect("features").iter().map(|f| f["id"].to_string()).collect();
    assert!(ids.contains(&"\"new-north\"".to_owned()) && ids.contains(&"\"new-south\"".to_owned()), "{ids:?}");
    assert_eq!(now["x-survey"], "kept as well");
    assert!(now.to_string().contains("x-owner"));

    // Both move the same dock.
    let mut rivals = Vec::new();
    for shift in [0.000_03, 0.000_04] {
        let made = stage.post(&path, &begin("rival")).await.json();
        let draft = made["id"].as_str().expect("an id").to_owned();
        let current = stage.get(&format!("/api/v1/drafts/{draft}")).await;
        let mut map = current.json()["source"].clone();
        let all = map["features"].as_array_mut().expect("features");
        let north = all.iter_mut().find(|f| f["id"] == "new-north").expect("the dock");
        let lon = north["geometry"]["coordinates"][0].as_f64().expect("lon");
        north["geometry"]["coordinates"][0] = (lon + shift).into();
        let etag = current.header("etag").expect("an etag");
        stage.ask("PUT", &format!("/api/v1/drafts/{draft}"), &[("if-match", etag)], map.to_string().as_bytes()).await;
        rivals.push((draft, made["base_version"].as_str().expect("a version").to_owned()));
    }
    assert_eq!(publish(&rivals[0].0, &rivals[0].1).await.status, 200);
    let conflict = publish(&rivals[1].0, &rivals[1].1).await;
    assert_eq!(conflict.status, 412, "{}", conflict.text());
    let conflict = conflict.json();
    assert_eq!(conflict["conflicts"][0]["id"], "new-north");
    assert!(conflict["base"]["features"].is_array() && conflict["theirs"]["features"].is_array());
    // Who has seen theirs and says so has the last word.
    let settled = publish(&rivals[1].0, conflict["version"].as_str().expect("a version")).await;
    assert_eq!(settled.status, 200, "{}", settled.text());

    let versions = stage.get(&format!("/api/v1/waterways/{waterway}/versions")).await.json();
    assert_eq!(versions.as_array().map(Vec::len), Some(5), "{versions}");
    assert!(versions[0]["is_in_force"] == true && versions[4]["author"] == "file");
    let difference = stage.get(&format!("/api/v1/waterways/{waterway}/diff?a=1&b=3")).await.json();
    assert_eq!(difference.as_array().map(Vec::len), Some(2), "{difference}");
    // Undo: the first version again.
    let undo = stage.post(&path, &json!({"name": "undo", "version": "1"})).await.json();
    let undone =
        publish(undo["id"].as_str().expect("an id"), versions[0]["version"].as_str().expect("a version")).await;
    assert_eq!(undone.status, 200, "{}", undone.text());
    let now = stage.get(&format!("/api/v1/waterways/{waterway}/source")).await.text();
    assert!(!now.contains("new-north") && !now.contains("x-survey"));
}

#[tokio::test(flavor = "multi_thread")]
async fn map_programs_read_features_page_by_page() {
    let stage = Stage::new(7).await;
    let findings = stage.play().await;
    let landing = stage.get("/ogc/").await.json();
    let rels: Vec<&str> =
        landing["links"].as_array().expect("links").iter().filter_map(|l| l["rel"].as_str()).collect();
    for rel in ["self", "service-desc", "conformance", "data"] {
        assert!(rels.contains(&rel), "no {rel}");
    }
    let conforms = stage.get("/ogc/conformance").await.text();
    assert!(["conf/core", "conf/geojson", "conf/oas30"].iter().all(|class| conforms.contains(class)));
    let collections = stage.get("/ogc/collections").await.json();
    assert_eq!(collections["collections"].as_array().map(Vec::len), Some(4));
    let api = stage.get("/ogc/api").await.json();
    assert!(api["paths"]["/collections/{collectionId}/items"].is_object());

    let mut path = "/ogc/collections/zones/items?limit=2".to_owned();
    let (mut seen, mut matched) = (std::collections::BTreeSet::new(), 0);
    loop {
        let page = stage.get(&path).await.json();
        matched = page["numberMatched"].as_u64().unwrap_or(matched);
        for feature in page["features"].as_array().expect("features") {
            assert!(seen.insert(feature["id"].to_string()), "{} comes twice", feature["id"]);
        }
        let next = page["links"].as_array().expect("links").iter().find(|link| link["rel"] == "next");
        let Some(next) = next.and_then(|link| link["href"].as_str()) else { break };
        path = next.split_once("/ogc").map(|(_, rest)| format!("/ogc{rest}")).expect("a path");
    }
    assert_eq!(seen.len() as u64, matched);
    let one = seen.first().expect("a zone").trim_matches('"').to_owned();
    assert_eq!(stage.get(&format!("/ogc/collections/zones/items/{one}")).await.json()["id"], one);

    let all = stage.get("/ogc/collections/findings/items?limit=1000").await.json();
    assert!(all["numberReturned"].as_u64() >= Some(findings.len() as u64), "{all}");
    let none =
        stage.get("/ogc/collections/findings/items?datetime=1999-01-01T00:00:00Z/2000-01-01T00:00:00Z").await.json();
    assert_eq!(none["numberReturned"], 0);
    let far = stage.get("/ogc/collections/findings/items?bbox=10,10,11,11").await.json();
    assert_eq!(far["numberReturned"], 0);
    let tracks =
        stage.get("/ogc/collections/tracks/items?datetime=2025-06-15T15:00:00Z/2025-06-16T14:59:59Z").await.json();
    assert!(tracks["numberReturned"].as_u64() > Some(0), "{tracks}");
    let positions = stage.get("/ogc/collections/positions/items").await;
    assert_eq!(positions.status, 200);
    for wrong in ["zones/items?bbox=1,2,3", "zones/items?colour=red", "zones/items?datetime=yesterday"] {
        assert_eq!(stage.get(&format!("/ogc/collections/{wrong}")).await.status, 400, "{wrong}");
    }
    assert_eq!(stage.get("/ogc/collections/nothing").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_without_a_feature_loses_what_rested_on_it() {
    let stage = Stage::new(7).await;
    let findings = stage.play().await;
    let store = stage.store();
    let rests_on_one = |finding: &&Value| {
        let features = finding["features"].as_array().expect("features");
        let id = features.first().and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_own = ["waterway", "shore", "inshore"].iter().all(|word| !id.contains(word));
        features.len() == 1 && is_own && finding["rule"] == "wake-zone"
    };
    let finding = findings.iter().find(rests_on_one).expect("a finding that rests on one feature");
    let (id, feature) = (finding["id"].as_str().expect("an id"), finding["features"][0].as_str().expect("a feature"));
    let lead = Lead::of(&store, id).expect("a store").expect("a finding");
    let without = |file: &ZoneFile| {
        let mut map: Value = serde_json::from_slice(&file.bytes).expect("JSON");
        map["features"]
            .as_array_mut()
            .expect("features")
            .retain(|one| one["id"] != feature && one["properties"]["id"] != feature);
        ZoneFile { name: file.name.clone(), bytes: map.to_string().into_bytes() }
    };
    let zones = lead.law.zones.iter().map(without).collect();
    let draft = Law { zones, ..lead.law.clone() }.read().expect("a map");
    let (from, to) = (lead.start.plus_seconds(-86_400.0), lead.end.plus_seconds(86_400.0));
    let in_force = (lead.map.clone(), lead.rulebook.clone());
    let ask = |draft: LawPair| {
        let question = Question { from, to, in_force: in_force.clone(), draft };
        what_would_change(&store, &question, &Progress::default()).expect("a store")
    };
    let changed = ask(draft.clone());
    let lost: Vec<&str> = changed.lost.iter().map(|made| made.id.as_str()).collect();
    assert!(lost.contains(&id), "{id} rests on {feature}; lost are {lost:?}");
    let rests_on_it = |made: &Arc<Made>| {
        let finding: Value = serde_json::from_str(&made.line).expect("JSON");
        finding["features"].as_array().expect("features").iter().any(|of| of == feature)
    };
    assert!(changed.lost.iter().all(rests_on_it), "{:?}", changed.lost);
    assert!(changed.gained.is_empty() && changed.fixes > 0);
    // What is in the store is what judging the period by the law in force makes of it.
    let renamed = |file: &ZoneFile| {
        let mut map: Value = serde_json::from_slice(&file.bytes).expect("JSON");
        map["features"][0]["properties"]["note"] = "surveyed".into();
        ZoneFile { name: file.name.clone(), bytes: map.to_string().into_bytes() }
    };
    let zones = lead.law.zones.iter().map(renamed).collect();
    let same = Law { zones, ..lead.law.clone() }.read().expect("a map");
    let unchanged = ask(same.clone());
    assert!(
        unchanged.gained.is_empty() && unchanged.lost.is_empty() && unchanged.other_odds.is_empty(),
        "{unchanged:?}"
    );
    assert!(unchanged.same >= changed.lost.len() && unchanged.fixes > 0);
    let question = Question { from, to, in_force: same, draft };
    let judged_twice = what_would_change(&store, &question, &Progress::default()).expect("a store");
    // What is published is rounded.
    let starts = |all: &[Arc<Made>]| all.iter().map(|made| made.start.unix_ms()).collect::<Vec<_>>();
    assert_eq!(starts(&judged_twice.lost), starts(&changed.lost));
    assert_eq!((judged_twice.gained.len(), judged_twice.same), (0, changed.same));
    let nothing = ask(in_force.clone());
    assert!(nothing.waterways.is_empty() && nothing.lost.is_empty() && nothing.fixes == 0);
}
