//! A small HTTP client, and what a stream of server-sent events says.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Nothing here takes this long, on a slow machine either.
const PATIENCE: Duration = Duration::from_secs(60);

/// Somebody with a browser.
#[derive(Debug, Clone)]
pub struct Client {
    address: SocketAddr,
    /// Sent with every request.
    pub headers: Vec<(String, String)>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The same, where the status is this.
    #[track_caller]
    pub fn with(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        Self { address, headers: Vec::new() }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Logs in: the cookie and the header against forged requests are sent from then on.
    pub async fn log_in(self, user: &str, password: &str) -> Self {
        let answer = self.post("/api/v1/login", &serde_json::json!({ "user": user, "password": password })).await;
        let answer = answer.with(200);
        let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let key = cookie.split(';').next().expect("a value").to_owned();
        let csrf = answer.json()["csrf"].as_str().expect("a value").to_owned();
        self.with("cookie", &key).with("x-buoyline-csrf", &csrf)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, None).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, Some(body)).await
    }

    pub async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let mut stream = self.send(method, path, body, "connection: close\r\n").await;
        let mut answer = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("in time").expect("an answer");
        let end = answer.windows(4).position(|at| at == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(key, value)| (key.to_lowercase(), value.to_owned())).collect();
        Answer { status, headers, body: answer[end + 4..].to_vec() }
    }

    /// Begins to listen to a stream.
    pub async fn listen(&self, path: &str) -> Events {
        let mut reader = BufReader::new(self.send("GET", path, None, "").await);
        let mut line = String::new();
        reader.read_line(&mut line).await.expect("a status");
        assert!(line.contains(" 200 "), "{line}");
        Events { reader }
    }

    async fn send(&self, method: &str, path: &str, body: Option<&Value>, more: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n{more}", self.address);
        for (name, value) in &self.headers {
            request += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            request += &format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).await.expect("sent");
        stream
    }
}

/// A stream of events.
pub struct Events {
    reader: BufReader<TcpStream>,
}

/// An event.
#[derive(Debug, Clone)]
pub struct Heard {
    pub id: Option<i64>,
    pub event: String,
    pub data: Value,
}

impl Events {
    /// The next event; the sizes of chunks between the lines are left out.
    pub async fn next(&mut self) -> Option<Heard> {
        let (mut id, mut event, mut data) = (None, String::new(), String::new());
        loop {
            let mut line = String::new();
            let read = timeout(PATIENCE, self.reader.read_line(&mut line)).await.expect("in time");
            if !read.is_ok_and(|bytes| bytes > 0) {
                return None;
            }
            let line = line.trim_end();
            if let Some(text) = line.strip_prefix("id: ") {
                id = text.parse().ok();
            } else if let Some(text) = line.strip_prefix("event: ") {
                event = text.to_owned();
            } else if let Some(text) = line.strip_prefix("data: ") {
                data += text;
            } else if line.is_empty() && !data.is_empty() {
                let data = serde_json::from_str(&data).unwrap_or_else(|error| panic!("{error}: {data}"));
                return Some(Heard { id, event, data });
            }
        }
    }

    /// The next event of a kind that is wanted.
    pub async fn wait(&mut self, kind: &str, mut is_wanted: impl FnMut(&Value) -> bool) -> Heard {
        loop {
            let heard = self.next().await.unwrap_or_else(|| panic!("the stream ended before {kind}"));
            if heard.event == kind && is_wanted(&heard.data) {
                return heard;
            }
        }
    }
}
