//! A small HTTP client, and what a stream of server-sent events says.

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use flate2::write::GzDecoder;
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
        let body = body.map(Value::to_string).unwrap_or_default();
        self.ask_with(method, path, &[("content-type", "application/json")], body.as_bytes()).await
    }

    /// The same with headers of this request alone, and any body.
    pub async fn ask_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.send(method, path, headers, body, "connection: close\r\n").await;
        let mut answer = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("in time").expect("an answer");
        let end = answer.windows(4).position(|at| at == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers: Vec<_> = headers.map(|(key, value)| (key.to_lowercase(), value.to_owned())).collect();
        let is_chunked = headers.iter().any(|(key, value)| key == "transfer-encoding" && value == "chunked");
        let body = &answer[end + 4..];
        Answer { status, headers, body: if is_chunked { unchunked(body) } else { body.to_vec() } }
    }

    /// Begins to listen to a stream.
    pub async fn listen(&self, path: &str) -> Events {
        let mut reader = BufReader::new(self.send("GET", path, &[], b"", "").await);
        let mut line = String::new();
        reader.read_line(&mut line).await.expect("a status");
        assert!(line.contains(" 200 "), "{line}");
        Events { reader }
    }

    /// Begins to listen to a stream that comes packed.
    pub async fn listen_packed(&self, path: &str) -> PackedEvents {
        let stream = self.send("GET", path, &[("accept-encoding", "gzip")], b"", "").await;
        let mut reader = BufReader::new(stream);
        let (mut head, mut line) = (String::new(), String::new());
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).await.expect("a head") > 0, "{head}");
            head += &line;
        }
        assert!(head.contains(" 200 ") && head.contains("content-encoding: gzip"), "{head}");
        PackedEvents { reader, unpacked: GzDecoder::new(Vec::new()), text: String::new(), bytes: 0 }
    }

    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8], more: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n{more}", self.address);
        for (name, value) in self.headers.iter().map(|(name, value)| (&**name, &**value)).chain(headers.iter().copied())
        {
            request += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            request += &format!("content-length: {}\r\n", body.len());
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).await.expect("sent");
        // Whoever has read enough of a body that is too large answers, and reads no more of it.
        let _ = stream.write_all(body).await;
        stream
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).ok().and_then(|text| usize::from_str_radix(text.trim(), 16).ok());
        let size = size.expect("the size of a chunk");
        out.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[(end + 4 + size).min(bytes.len())..];
        if size == 0 {
            break;
        }
    }
    out
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

/// A stream of events that comes packed.
pub struct PackedEvents {
    reader: BufReader<TcpStream>,
    unpacked: GzDecoder<Vec<u8>>,
    text: String,
    /// How much has come so far, bytes.
    pub bytes: usize,
}

impl PackedEvents {
    /// The data of the next event of a kind.
    pub async fn next(&mut self, kind: &str) -> Value {
        loop {
            while let Some(end) = self.text.find("\n\n") {
                let event: String = self.text.drain(..end + 2).collect();
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                if field("event: ") == Some(kind) {
                    return serde_json::from_str(field("data: ").expect("data")).expect("JSON");
                }
            }
            timeout(PATIENCE, self.more()).await.expect("in time");
        }
    }

    /// Takes the next chunk.
    async fn more(&mut self) {
        let mut line = String::new();
        self.bytes += self.reader.read_line(&mut line).await.expect("a chunk");
        let size = usize::from_str_radix(line.trim(), 16).expect("the size of a chunk");
        let mut chunk = vec![0; size + 2];
        self.bytes += self.reader.read_exact(&mut chunk).await.expect("a chunk");
        self.unpacked.write_all(&chunk[..size]).and_then(|()| self.unpacked.flush()).expect("gzip");
        self.text += &String::from_utf8(std::mem::take(self.unpacked.get_mut())).expect("text");
    }
}
