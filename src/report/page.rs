//! The page: what was found, pictures, numbers, the law, where it all comes from, and room for a signature.

use std::fmt::Write as _;

use chrono_tz::Tz;
use qrcode::{EcLevel, QrCode};
use sha2::{Digest, Sha256};

use super::svg::escaped;
use super::{chart, picture};
use crate::geo::Position;
use crate::review::{Explained, Lead, around, explain};
use crate::serve::JudgeError;
use crate::store::Sqlite;
use crate::time::EventTime;
use crate::units::LengthUnit;

/// What is shown before and after the finding, seconds.
const AROUND_S: f64 = 30.0;
/// The words of a clause are quoted up to here, characters; the rest is in the rulebook.
const QUOTED_MAX: usize = 420;
/// What the picture is drawn with.
const KEY: &str = "<p class=\"key\"><span>&#9473; within the limit</span><span>&#9552; beyond it</span><span>&#9476; gap</span><span>&#183;&#8211;&#183; other vessel</span><span>&#9679; fix</span><span>&#9675; fix, speed by path</span><span>&#9711; worst instant</span><span>grey: where the clause binds</span></p>";
/// Entries of the history that are listed.
const HISTORY_MAX: usize = 3;

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

    const fn css(self) -> &'static str {
        match self {
            Self::Letter => "letter",
            Self::A4 => "A4",
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

/// A document with a page for each finding.
pub fn document(reports: &[Reported], printed: &Printed) -> String {
    let title = match reports {
        [one] => format!("Finding {}", one.lead.id),
        _ => format!("{} findings", reports.len()),
    };
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n<style>@page {{ size: {}; margin: 16mm }}\n{}</style></head><body>\n",
        printed.paper.css(),
        include_str!("page.css")
    );
    for (number, report) in reports.iter().enumerate() {
        page(&mut out, report, printed, (number + 1, reports.len()));
    }
    out + "</body></html>\n"
}

fn page(out: &mut String, report: &Reported, printed: &Printed, (number, count): (usize, usize)) {
    let Reported { lead, explained, .. } = report;
    let zone = lead.rulebook.time_zone;
    let review = around(lead, AROUND_S, AROUND_S);
    let error_of = |what: &str| explained.measured.iter().find(|measured| measured.what == what).and_then(|m| m.error);
    let peak = (lead.number("peak", "lat").zip(lead.number("peak", "lon")))
        .and_then(|(lat, lon)| Position::from_lat_lon(lat, lon).ok())
        .unwrap_or(Position::NULL_ISLAND);
    let metric = !matches!(lead.rulebook.texts.distance, LengthUnit::Ft | LengthUnit::Yd | LengthUnit::Mi);
    let is_breach = lead.text("verdict") == "breach";
    let verdict = if is_breach { "Breach" } else { "Possible" };
    let sign = if is_breach { "!" } else { "?" };
    let who = printed.agency.as_deref().unwrap_or("Buoyline");
    let at = printed.at.map(|at| clock(at, zone)).unwrap_or_default();
    let _ = writeln!(
        out,
        "<article class=\"sheet\"><header><div><b>{}</b> · {} · finding <code>{}</code></div><div>printed {} by {}</div></header>",
        escaped(who),
        escaped(lead.waterway.as_str()),
        escaped(&lead.id),
        escaped(&at),
        escaped(&printed.by)
    );
    let _ = writeln!(
        out,
        "<h1 class=\"{}\"><span class=\"sign\">{sign}</span> {verdict} · {}</h1><p class=\"sentence\">{}</p>",
        verdict.to_lowercase(),
        odds(explained.odds.confidence),
        escaped(lead.text("text"))
    );
    *out += &picture::picture(lead, &review, peak, metric);
    *out += KEY;
    *out += &chart::speed(lead, &review, error_of("speed"), zone);
    *out += &chart::distance(lead, &review, error_of("distance"), zone);
    *out += "<div class=\"columns\"><div>";
    left(out, report, zone);
    *out += "</div><div>";
    right(out, report, printed, zone);
    *out += "</div></div>";
    *out += "<div class=\"sign-here\"><span>Officer, date</span><span>Reviewed by, date</span></div>";
    let _ = writeln!(
        out,
        "<footer><span><code>{}</code></span><span>A lead for an officer, not a ruling.</span><span>page {number} of {count}</span></footer></article>",
        escaped(&lead.id)
    );
}

/// What was measured, how sure that is, and what happened to it.
fn left(out: &mut String, report: &Reported, zone: Tz) {
    let Reported { lead, explained, .. } = report;
    let mut who = vec![lead.vessel.to_string()];
    who.extend(lead.other.as_ref().map(|other| format!("other vessel {other}")));
    let _ = write!(
        out,
        "<table><tr><th>Vessel</th><td>{}</td></tr><tr><th>Interval</th><td>{} to {} ({:.1} s)</td></tr><tr><th>Worst instant</th><td>{}</td></tr>",
        escaped(&who.join(", ")),
        escaped(&clock(lead.start, zone)),
        escaped(&time_only(lead.end, zone)),
        lead.end.seconds_since(lead.start),
        escaped(&clock(lead.peak_t, zone)),
    );
    for measured in &explained.measured {
        let name = match measured.what {
            "speed" => "Speed",
            "distance" => "Distance",
            _ => "Course",
        };
        let _ = write!(out, "<tr><th>{name}</th><td>{}</td></tr>", escaped(&measured.text));
    }
    let _ = write!(
        out,
        "<tr><th>Fixes</th><td>{} in the interval; {:.1} s of its ends lie between a fix and the end</td></tr></table>",
        explained.odds.fixes, explained.odds.interpolated_s
    );
    let _ = write!(out, "<h2>How sure</h2><p class=\"formula\">");
    for line in &explained.odds.formula {
        let _ = write!(out, "{}<br>", escaped(line));
    }
    let _ = write!(
        out,
        "</p><p>Errors are one standard deviation along a line: {}.</p>",
        escaped(&explained.odds.errors_used.join("; "))
    );
    tell_history(out, &report.history, zone);
    if !explained.is_reproduced {
        *out += "<p><b>Judged again from what is stored, the finding does not come out.</b></p>";
    }
}

/// The law, the sun, and where it comes from.
fn right(out: &mut String, report: &Reported, printed: &Printed, zone: Tz) {
    let Reported { lead, explained, records, .. } = report;
    let clause = &explained.clause;
    let _ = write!(out, "<h2 class=\"first\">{}</h2>", escaped(&clause.citation));
    let quoted = clause.text.as_ref().or(clause.title.as_ref());
    if let Some(text) = quoted {
        let cut: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let cut = if cut.chars().count() > QUOTED_MAX {
            cut.chars().take(QUOTED_MAX).collect::<String>() + " …"
        } else {
            cut
        };
        let _ = write!(out, "<blockquote>{}</blockquote>", escaped(&cut));
    }
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
    let _ = write!(out, "<p>{}.</p>", escaped(&facts.join("; ")));
    let link = match &printed.link {
        Some(base) => format!("{base}{}", lead.id),
        None => format!("urn:buoyline:finding:{}", lead.id),
    };
    let _ = write!(
        out,
        "<div class=\"sources\"><table class=\"hashes\"><tr><th>Map</th><td><code>{}</code></td></tr><tr><th>Rulebook</th><td>{}<br><code>{}</code></td></tr><tr><th>Records</th><td>{} fixes, SHA-256 of their hashes<br><code>{}</code></td></tr><tr><th>Software</th><td>Buoyline {}</td></tr></table>{}</div>",
        escaped(lead.text("map_version")),
        escaped(&explained.law.rulebook_name),
        escaped(lead.text("rulebook_version")),
        records.0,
        records.1,
        env!("CARGO_PKG_VERSION"),
        qr(&link)
    );
}

/// What happened to it, the last first.
fn tell_history(out: &mut String, history: &[Happened], zone: Tz) {
    *out += "<h2>History, the last first</h2><ul>";
    for happened in history.iter().rev().take(HISTORY_MAX) {
        let at = happened.at.to_chrono().with_timezone(&zone).format("%Y-%m-%d %H:%M:%S %Z").to_string();
        let _ = write!(out, "<li>{}: {}</li>", escaped(&at), escaped(&happened.what));
    }
    if history.len() > HISTORY_MAX {
        let _ = write!(out, "<li>{} earlier entries</li>", history.len() - HISTORY_MAX);
    }
    *out += "</ul>";
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
fn qr(link: &str) -> String {
    let Ok(code) = QrCode::with_error_correction_level(link, EcLevel::M) else { return String::new() };
    let width = code.width();
    let mut d = String::new();
    for (i, color) in code.to_colors().into_iter().enumerate() {
        if color == qrcode::Color::Dark {
            let _ = write!(d, "M{} {}h1v1h-1z", i % width + 4, i / width + 4);
        }
    }
    let size = width + 8;
    format!(
        "<svg class=\"qr\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"{}\"><rect width=\"{size}\" height=\"{size}\" fill=\"#fff\"/><path d=\"{d}\"/></svg>",
        escaped(link)
    )
}
