//! What a page tells: what was found, pictures, numbers, the law, and where it all comes from.

use std::fmt::Write as _;

use chrono_tz::Tz;
use qrcode::{EcLevel, QrCode};
use sha2::{Digest, Sha256};

use super::svg::opened;
use super::{chart, picture};
use crate::geo::Position;
use crate::review::{Explained, Lead, around, explain};
use crate::serve::JudgeError;
use crate::store::Sqlite;
use crate::time::EventTime;
use crate::units::LengthUnit;

/// What is shown before and after the finding, seconds.
const AROUND_S: f64 = 30.0;
/// How broad and high the link as a picture is, millimetres.
const QR_MM: f64 = 17.0;

/// The paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Paper {
    /// 8.5 × 11 inches.
    #[default]
    Letter,
    /// 210 × 297 mm.
    A4,
}

impl Paper {
    /// By its name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "letter" => Some(Self::Letter),
            "a4" => Some(Self::A4),
            _ => None,
        }
    }

    /// Its name in a style sheet.
    pub(super) const fn css(self) -> &'static str {
        match self {
            Self::Letter => "letter",
            Self::A4 => "A4",
        }
    }

    /// How broad and how high it is, millimetres.
    pub(super) const fn size_mm(self) -> (f64, f64) {
        match self {
            Self::Letter => (215.9, 279.4),
            Self::A4 => (210.0, 297.0),
        }
    }
}

/// Who prints it, when, and what stands on it beside the finding.
#[derive(Debug, Clone, Default)]
pub struct Printed {
    /// Who prints it.
    pub by: String,
    /// When.
    pub at: Option<EventTime>,
    /// The agency.
    pub agency: Option<String>,
    /// Where the finding is found, without its id: `https://lake.example/findings/`.
    pub link: Option<String>,
    /// The paper.
    pub paper: Paper,
}

/// Something that happened to a finding.
#[derive(Debug, Clone)]
pub struct Happened {
    /// When.
    pub at: EventTime,
    /// What, in words.
    pub what: String,
}

/// A finding with all that its page tells.
#[derive(Debug)]
pub struct Reported {
    lead: Lead,
    explained: Explained,
    history: Vec<Happened>,
    /// How many records the fixes of the finding came in, and the hash over all of theirs.
    records: (usize, String),
}

impl Reported {
    /// Gathers it from the store; `None` where there is no such finding.
    ///
    /// # Errors
    /// [`JudgeError`].
    pub fn of(store: &Sqlite, id: &str) -> Result<Option<Self>, JudgeError> {
        let Some(lead) = Lead::of(store, id)? else { return Ok(None) };
        let explained = explain(&lead);
        let mut history: Vec<Happened> = Vec::new();
        for (at, json) in store.revisions_of(id)? {
            let finding: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
            let what = format!(
                "revision {}, {}, {}",
                finding["revision"],
                finding["status"].as_str().unwrap_or_default(),
                odds(finding["confidence"].as_f64().unwrap_or_default())
            );
            history.push(Happened { at, what });
        }
        for outcome in store.outcomes_of(id)? {
            let said = outcome.said;
            let why = [said.reason, said.text].into_iter().flatten().collect::<Vec<_>>().join(": ");
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            history.push(Happened { at: said.made_at, what: format!("{} by {}{why}", said.action, said.by) });
        }
        history.sort_by_key(|happened| happened.at);
        let messages = store.messages_of(&lead.vessel, lead.start.plus_seconds(-15.0), lead.end.plus_seconds(15.0))?;
        let mut hash = Sha256::new();
        messages.iter().for_each(|(_, message)| hash.update(message));
        let records = (messages.len(), hex(&hash.finalize()));
        Ok(Some(Self { lead, explained, history, records }))
    }

    /// The vessel it is about.
    pub fn vessel(&self) -> &str {
        self.lead.vessel.as_str()
    }

    /// What is known of it.
    pub fn explained(&self) -> &Explained {
        &self.explained
    }
}

/// What a page tells, in the order in which it is told; how it looks is the business of those who write it.
pub(super) struct Sheet {
    /// The id of the finding.
    pub id: String,
    /// The agency and the waterway.
    pub head: [String; 2],
    /// Who printed it and when.
    pub printed: String,
    /// Whether it is a breach.
    pub is_breach: bool,
    /// The verdict and the odds.
    pub title: String,
    /// The finding in a sentence.
    pub sentence: String,
    /// The map, what it is drawn with, and the charts.
    pub drawn: Vec<Drawn>,
    /// What was measured and how sure that is; the law and where it all comes from.
    pub columns: [Vec<Block>; 2],
}

/// Something as broad as the page.
pub(super) enum Drawn {
    /// A picture.
    Picture(Picture),
    /// Why there is none.
    Nothing(&'static str),
}

/// A picture.
pub(super) struct Picture {
    /// The picture as SVG.
    pub svg: String,
    /// What it shows, for those who do not see it.
    pub about: String,
    /// Millimetres.
    pub width_mm: f64,
    /// Millimetres.
    pub height_mm: f64,
}

/// A piece of text.
pub(super) enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Paragraph(String),
    /// A paragraph that must not be overlooked.
    Warning(&'static str),
    /// Lines of a formula.
    Formula(Vec<String>),
    /// Words of the law.
    Quote(String),
    /// A table of names and values.
    Facts(Vec<Fact>),
    /// What happened, the last first, under its heading.
    History(Vec<String>),
    /// A table of names and values with the link beside it.
    Sources(Vec<Fact>, Option<Picture>),
}

/// A line of a table.
pub(super) struct Fact {
    /// What it is.
    pub name: &'static str,
    /// The value, a line each.
    pub lines: Vec<Value>,
}

/// A value.
pub(super) enum Value {
    /// Words.
    Text(String),
    /// A hash or an id.
    Code(String),
}

/// What stands over the history.
pub(super) const HISTORY: &str = "History, the last first";
/// What stands at the foot of every page.
pub(super) const MOTTO: &str = "A lead for an officer, not a ruling.";
/// Who signs.
pub(super) const SIGNED: [&str; 2] = ["Officer, date", "Reviewed by, date"];

/// What a document with these findings is called.
pub(super) fn title(reports: &[Reported]) -> String {
    match reports {
        [one] => format!("Finding {}", one.lead.id),
        _ => format!("{} findings", reports.len()),
    }
}

impl Reported {
    /// The end of the finding.
    pub(super) fn end(&self) -> EventTime {
        self.lead.end
    }

    /// Its page.
    pub(super) fn sheet(&self, printed: &Printed) -> Sheet {
        let Self { lead, explained, .. } = self;
        let zone = lead.rulebook.time_zone;
        let review = around(lead, AROUND_S, AROUND_S);
        let error_of = |what: &str| explained.measured.iter().find(|measured| measured.what == what)?.error;
        let peak = (lead.number("peak", "lat").zip(lead.number("peak", "lon")))
            .and_then(|(lat, lon)| Position::from_lat_lon(lat, lon).ok())
            .unwrap_or(Position::NULL_ISLAND);
        let metric = !matches!(lead.rulebook.texts.distance, LengthUnit::Ft | LengthUnit::Yd | LengthUnit::Mi);
        let is_breach = lead.text("verdict") == "breach";
        let verdict = if is_breach { "Breach" } else { "Possible" };
        let at = printed.at.map(|at| clock(at, zone)).unwrap_or_default();
        let drawn = [
            picture::picture(lead, &review, peak, metric).map(Drawn::Picture),
            Some(Drawn::Picture(picture::key())),
            chart::speed(lead, &review, error_of("speed"), zone).map(Drawn::Picture),
            chart::distance(lead, &review, error_of("distance"), zone),
        ];
        Sheet {
            id: lead.id.clone(),
            head: [printed.agency.clone().unwrap_or_else(|| "Buoyline".to_owned()), lead.waterway.to_string()],
            printed: format!("printed {at} by {}", printed.by),
            is_breach,
            title: format!("{verdict} · {}", odds(explained.odds.confidence)),
            sentence: lead.text("text").to_owned(),
            drawn: drawn.into_iter().flatten().collect(),
            columns: [self.measured(zone), self.law(printed, zone)],
        }
    }

    /// What was measured, how sure that is, and what happened to it.
    fn measured(&self, zone: Tz) -> Vec<Block> {
        let Self { lead, explained, .. } = self;
        let fact = |name, value| Fact { name, lines: vec![Value::Text(value)] };
        let mut who = vec![lead.vessel.to_string()];
        who.extend(lead.other.as_ref().map(|other| format!("other vessel {other}")));
        let (start, end) = (clock(lead.start, zone), time_only(lead.end, zone));
        let mut facts = vec![
            fact("Vessel", who.join(", ")),
            fact("Interval", format!("{start} to {end} ({:.1} s)", lead.end.seconds_since(lead.start))),
            fact("Worst instant", clock(lead.peak_t, zone)),
        ];
        facts.extend(explained.measured.iter().map(|measured| {
            let name = match measured.what {
                "speed" => "Speed",
                "distance" => "Distance",
                _ => "Course",
            };
            fact(name, measured.text.clone())
        }));
        let (fixes, between_s) = (explained.odds.fixes, explained.odds.interpolated_s);
        let told = format!("{fixes} in the interval; {between_s:.1} s of its ends lie between a fix and the end");
        facts.push(fact("Fixes", told));
        let errors = explained.odds.errors_used.join("; ");
        let mut blocks = vec![
            Block::Facts(facts),
            Block::Heading("How sure".to_owned()),
            Block::Formula(explained.odds.formula.clone()),
            Block::Paragraph(format!("Errors are one standard deviation along a line: {errors}.")),
            Block::History(self.history.iter().rev().map(|happened| happened.told(zone)).collect()),
        ];
        if !explained.is_reproduced {
            blocks.push(Block::Warning("Judged again from what is stored, the finding does not come out."));
        }
        blocks
    }

    /// The law, the sun, and where it comes from.
    fn law(&self, printed: &Printed, zone: Tz) -> Vec<Block> {
        let Self { lead, explained, records, .. } = self;
        let clause = &explained.clause;
        let mut blocks = vec![Block::Heading(clause.citation.clone())];
        let quoted = clause.text.as_ref().or(clause.title.as_ref());
        blocks.extend(quoted.map(|text| Block::Quote(text.split_whitespace().collect::<Vec<_>>().join(" "))));
        let mut facts = Vec::new();
        facts.extend(explained.law.reading.as_ref().map(|reading| format!("reading applied: {reading}")));
        let sun = explained.sun_times.iter().map(|sun| format!("{} {}", sun.event, time_only(sun.t, zone)));
        facts.push(sun.collect::<Vec<_>>().join(", "));
        facts.push(if explained.exemptions.is_empty() {
            "exemptions checked: no permit area covers the place".to_owned()
        } else {
            let told = explained.exemptions.iter().map(|permit| format!("{} ({})", permit.id, permit.reason));
            format!("exemptions checked: {}", told.collect::<Vec<_>>().join("; "))
        });
        blocks.push(Block::Paragraph(format!("{}.", facts.join("; "))));
        let link = match &printed.link {
            Some(base) => format!("{base}{}", lead.id),
            None => format!("urn:buoyline:finding:{}", lead.id),
        };
        let fact = |name, lines| Fact { name, lines };
        let code = |name: &str| Value::Code(lead.text(name).to_owned());
        let hashes = vec![
            fact("Map", vec![code("map_version")]),
            fact("Rulebook", vec![Value::Text(explained.law.rulebook_name.clone()), code("rulebook_version")]),
            fact(
                "Records",
                vec![
                    Value::Text(format!("{} fixes, SHA-256 of their hashes", records.0)),
                    Value::Code(records.1.clone()),
                ],
            ),
            fact("Software", vec![Value::Text(format!("Buoyline {}", env!("CARGO_PKG_VERSION")))]),
        ];
        blocks.push(Block::Sources(hashes, qr(&link)));
        blocks
    }
}

impl Happened {
    fn told(&self, zone: Tz) -> String {
        format!("{}: {}", self.at.to_chrono().with_timezone(&zone).format("%Y-%m-%d %H:%M:%S %Z"), self.what)
    }
}

/// "odds 99 in 100", never 100.
fn odds(confidence: f64) -> String {
    if confidence > 0.99 {
        "odds more than 99 in 100".to_owned()
    } else {
        format!("odds {:.0} in 100", (100.0 * confidence).floor())
    }
}

fn clock(t: EventTime, zone: Tz) -> String {
    let local = t.to_chrono().with_timezone(&zone);
    let utc = t.to_chrono();
    let is_other_day = local.date_naive() != utc.date_naive();
    let utc = if is_other_day { utc.format("%Y-%m-%d %H:%M:%S UTC") } else { utc.format("%H:%M:%S UTC") };
    let tenth = local.timestamp_subsec_millis() / 100;
    format!("{}.{tenth} {} ({utc})", local.format("%Y-%m-%d %H:%M:%S"), local.format("%Z"))
}

fn time_only(t: EventTime, zone: Tz) -> String {
    t.to_chrono().with_timezone(&zone).format("%H:%M:%S %Z").to_string()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The link as a QR code, dark squares as one path.
fn qr(link: &str) -> Option<Picture> {
    let code = QrCode::with_error_correction_level(link, EcLevel::M).ok()?;
    let width = code.width();
    let mut d = String::new();
    for (i, color) in code.to_colors().into_iter().enumerate() {
        if color == qrcode::Color::Dark {
            let _ = write!(d, "M{} {}h1v1h-1z", i % width + 4, i / width + 4);
        }
    }
    let size = width + 8;
    let svg = format!(
        "{}<rect width=\"{size}\" height=\"{size}\" fill=\"#fff\"/><path d=\"{d}\"/></svg>",
        opened("qr", size as f64, size as f64, link)
    );
    Some(Picture { svg, about: link.to_owned(), width_mm: QR_MM, height_mm: QR_MM })
}
