//! The report as HTML: a document with a page for each finding, which a browser shows and prints.

use std::fmt::Write as _;

use super::sheet::{Block, Drawn, Fact, HISTORY, MOTTO, Printed, Reported, SIGNED, Sheet, Value, title};
use super::svg::escaped;

/// The words of a clause are quoted up to here, characters; the rest is in the rulebook.
const QUOTED_MAX: usize = 420;
/// Entries of the history that are listed.
const HISTORY_MAX: usize = 3;

/// A document with a page for each finding.
pub fn document(reports: &[Reported], printed: &Printed) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n<style>@page {{ size: {}; margin: 16mm }}\n{}</style></head><body>\n",
        escaped(&title(reports)),
        printed.paper.css(),
        include_str!("page.css")
    );
    for (number, report) in reports.iter().enumerate() {
        page(&mut out, &report.sheet(printed), (number + 1, reports.len()));
    }
    out + "</body></html>\n"
}

fn page(out: &mut String, sheet: &Sheet, (number, count): (usize, usize)) {
    let (verdict, sign) = if sheet.is_breach { ("breach", "!") } else { ("possible", "?") };
    let [agency, waterway] = &sheet.head;
    let id = escaped(&sheet.id);
    let _ = writeln!(
        out,
        "<article class=\"sheet\"><header><div><b>{}</b> · {} · finding <code>{id}</code></div><div>{}</div></header>",
        escaped(agency),
        escaped(waterway),
        escaped(&sheet.printed)
    );
    let _ = writeln!(
        out,
        "<h1 class=\"{verdict}\"><span class=\"sign\">{sign}</span> {}</h1><p class=\"sentence\">{}</p>",
        escaped(&sheet.title),
        escaped(&sheet.sentence)
    );
    for drawn in &sheet.drawn {
        match drawn {
            Drawn::Picture(picture) => *out += &picture.svg,
            Drawn::Nothing(why) => {
                let _ = write!(out, "<p class=\"none\">{}</p>", escaped(why));
            }
        }
    }
    *out += "<div class=\"columns\">";
    for column in &sheet.columns {
        *out += "<div>";
        for (i, piece) in column.iter().enumerate() {
            block(out, piece, i == 0);
        }
        *out += "</div>";
    }
    let [officer, reviewer] = SIGNED;
    let _ = writeln!(
        out,
        "</div><div class=\"sign-here\"><span>{officer}</span><span>{reviewer}</span></div><footer><span><code>{id}</code></span><span>{MOTTO}</span><span>page {number} of {count}</span></footer></article>"
    );
}

fn block(out: &mut String, block: &Block, is_first: bool) {
    // Writing to a string cannot fail.
    let _ = match block {
        Block::Heading(text) if is_first => write!(out, "<h2 class=\"first\">{}</h2>", escaped(text)),
        Block::Heading(text) => write!(out, "<h2>{}</h2>", escaped(text)),
        Block::Paragraph(text) => write!(out, "<p>{}</p>", escaped(text)),
        Block::Warning(text) => write!(out, "<p><b>{}</b></p>", escaped(text)),
        Block::Quote(text) => write!(out, "<blockquote>{}</blockquote>", escaped(&cut(text))),
        Block::Formula(lines) => {
            let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
            write!(out, "<p class=\"formula\">{}</p>", lines.join("<br>"))
        }
        Block::Facts(facts) => write!(out, "<table>{}</table>", rows(facts)),
        Block::Sources(facts, link) => {
            let link = link.as_ref().map_or("", |picture| &picture.svg);
            write!(out, "<div class=\"sources\"><table class=\"hashes\">{}</table>{link}</div>", rows(facts))
        }
        Block::History(entries) => {
            let mut items: Vec<String> = entries.iter().take(HISTORY_MAX).map(|entry| escaped(entry)).collect();
            if entries.len() > HISTORY_MAX {
                items.push(format!("{} earlier entries", entries.len() - HISTORY_MAX));
            }
            write!(out, "<h2>{HISTORY}</h2><ul><li>{}</li></ul>", items.join("</li><li>"))
        }
    };
}

fn rows(facts: &[Fact]) -> String {
    let value = |value: &Value| match value {
        Value::Text(text) => escaped(text),
        Value::Code(text) => format!("<code>{}</code>", escaped(text)),
    };
    let row = |fact: &Fact| {
        let lines: Vec<String> = fact.lines.iter().map(value).collect();
        format!("<tr><th>{}</th><td>{}</td></tr>", fact.name, lines.join("<br>"))
    };
    facts.iter().map(row).collect()
}

/// A quotation that is short enough for the page.
fn cut(text: &str) -> String {
    if text.chars().count() <= QUOTED_MAX {
        return text.to_owned();
    }
    text.chars().take(QUOTED_MAX).collect::<String>() + " …"
}
