//! Text for people: what was judged by what, one line a finding, and a table by vessel and rule.
//!
//! Where the report has a width, lines are broken there; else a finding stays on its line.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::summary::{Tally, tallies};
use super::{Format, Report, in_force_days};
use crate::encounter::{Closest, Encounter, Terms};
use crate::engine::{Account, RuleAccount};
use crate::findings::{Finding, Words};
use crate::time::EventTime;
use crate::zones::Waterway;

pub(super) const FORMAT: Format =
    Format { name: "text", purpose: "for people", draws_paths: false, tells_accounts: true, write, write_encounters };

/// How many waterways are named, and how many vessels without findings.
const NAMED_MAX: usize = 12;
/// The indent of the second and further lines of what is broken.
const INDENT: &str = "    ";

fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_head(report, out)?;
    let Some((first, last)) = report.outcome.period else {
        return writeln!(out, "\nNothing to judge: no position was read of the time and vessels asked for.");
    };
    let when =
        format!("From {} to {}, on the clocks of {}.", local(first, report), local(last, report), report.time_zone);
    write_broken(&when, report, out)?;
    writeln!(out)?;
    for finding in &report.outcome.findings {
        write_broken(&line(finding, report), report, out)?;
    }
    if report.outcome.findings.is_empty() {
        writeln!(out, "No findings.")?;
    } else {
        let sure = 100.0 * report.rulebook.findings.breach_confidence;
        let legend = format!(
            "A finding is a lead to look into. How likely it is allows for the errors of position and speed, over all \
             fixes around; \"breach\" from {sure:.0} % on, \"possible\" below."
        );
        writeln!(out)?;
        write_broken(&legend, report, out)?;
    }
    write_table(report, out)
}

/// A table with a row for each encounter.
fn write_encounters(met: &[Encounter], report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let words = Words::of(report.rulebook);
    let Terms { within_m, close_m, .. } = Terms::usual(report.rulebook.motion.max_gap_s);
    if met.is_empty() {
        return writeln!(out, "No two vessels closed in within {within_m} m of each other.");
    }
    let said = format!(
        "Vessels that closed in within {within_m} m of each other, and the nearest they came, on the clocks of {}.",
        report.time_zone
    );
    write_broken(&said, report, out)?;
    writeln!(out)?;
    let within = format!("within {}", words.reach(close_m));
    let head = ["start", "vessel", "other", "lasting", "closest", "at", "speeds", &within].map(str::to_owned);
    let rows: Vec<[String; 8]> = std::iter::once(head)
        .chain(met.iter().map(|met| {
            let Closest { t, distance_m, speeds_mps, .. } = met.closest;
            [
                local(met.start, report),
                called_by(met, 0),
                called_by(met, 1),
                clock(met.end.seconds_since(met.start)),
                words.distance(distance_m),
                t.to_chrono().with_timezone(&report.time_zone).format("%H:%M:%S").to_string(),
                format!("{} and {}", words.speed(speeds_mps[0]), words.speed(speeds_mps[1])),
                clock(met.close_s),
            ]
        }))
        .collect();
    write_columns(&rows, 3, out)
}

/// One of the two as people call it: a tracker on a skier is no vessel.
fn called_by(met: &Encounter, which: usize) -> String {
    let id = &met.vessels[which];
    met.towed_by[which].as_ref().map_or_else(|| id.to_string(), |tower| format!("{id}, a skier behind {tower}"))
}

/// Rows in columns, the first few set to the left, the others to the right.
fn write_columns<const N: usize>(rows: &[[String; N]], left: usize, out: &mut dyn Write) -> io::Result<()> {
    let widths: [usize; N] = std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    for row in rows {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  "))?;
    }
    Ok(())
}

/// By what, and where, was judged.
fn write_head(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rulebook = report.rulebook;
    write_broken(&format!("Judged by {}: {}.", rulebook.name, rulebook.edition), report, out)?;
    if let Some(days) = in_force_days(rulebook) {
        write_broken(&format!("Edition {days}."), report, out)?;
    }
    let waterways = &report.map.waterways;
    let named: Vec<&str> = waterways.iter().take(NAMED_MAX).map(called).collect();
    let more = match waterways.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    write_broken(&format!("On {}{more}.", named.join(", ")), report, out)
}

fn called(waterway: &Waterway) -> &str {
    waterway.water().name.as_deref().unwrap_or(waterway.id.as_str())
}

/// When, for how long, and the finding's sentence.
fn line(finding: &Finding, report: &Report<'_>) -> String {
    let lasting = finding.end.map_or(0.0, |end| end.seconds_since(finding.start));
    let mut line = format!("{}  {:>10}  {}", local(finding.start, report), span(lasting), finding.text);
    if finding.below_min_confidence {
        line += " [too unsure for an alert]";
    }
    if !report.in_force(finding) {
        line += " [this edition was not in force on that day]";
    }
    line
}

/// One row a vessel and rule, and one for each vessel without findings.
fn write_table(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tallies = tallies(&report.outcome.findings);
    let accounts: BTreeMap<&str, &Account> =
        report.outcome.accounts.iter().map(|(id, account)| (id.as_str(), account)).collect();
    let mut rows: Vec<[String; 7]> = Vec::new();
    for (&(vessel, rule), Tally { breaches, possible, lasting_s }) in &tallies {
        let account = accounts.get(vessel).and_then(|account| account.rules.get(rule)).copied().unwrap_or_default();
        let not = account.not_evaluable_s;
        rows.push([
            vessel.to_owned(),
            rule.to_owned(),
            breaches.to_string(),
            possible.to_string(),
            clock(*lasting_s),
            clock(account.judged_s),
            clock(not.gap_too_long + not.attribute_never_declared + not.accuracy_too_poor),
        ]);
    }
    let with_findings: BTreeSet<&str> = tallies.keys().map(|key| key.0).collect();
    let (mut clear, mut silent) = (Vec::new(), Vec::new());
    for (&vessel, account) in accounts.iter().filter(|(id, _)| !with_findings.contains(*id)) {
        let longest = |of: fn(&RuleAccount) -> f64| account.rules.values().map(of).fold(0.0, f64::max);
        let judged_s = longest(|rule| rule.judged_s);
        if judged_s > 0.0 {
            clear.push((vessel, judged_s, longest(|rule| rule.not_evaluable_s.gap_too_long)));
        } else {
            silent.push(vessel);
        }
    }
    for &(vessel, judged_s, gaps_s) in clear.iter().take(NAMED_MAX) {
        let none = || "-".to_owned();
        rows.push([
            vessel.to_owned(),
            "no findings".to_owned(),
            none(),
            none(),
            none(),
            clock(judged_s),
            clock(gaps_s),
        ]);
    }
    if !rows.is_empty() {
        writeln!(out)?;
        write_rows(&rows, out)?;
    }
    if clear.len() > NAMED_MAX {
        writeln!(out, "and {} more vessels without findings", clear.len() - NAMED_MAX)?;
    }
    let (trackers, silent): (Vec<&str>, Vec<&str>) = silent
        .into_iter()
        .partition(|vessel| report.outcome.trackers.iter().any(|tracker| tracker.as_str() == *vessel));
    if rows.is_empty() || !silent.is_empty() || !trackers.is_empty() {
        writeln!(out)?;
    }
    if !silent.is_empty() {
        let why = "Never judged, for being off the water or heard only now and then";
        write_broken(&format!("{why}: {}.", some_of(&silent)), report, out)?;
    } else if rows.is_empty() {
        write_broken("No vessel could be judged.", report, out)?;
    }
    if !trackers.is_empty() {
        let why = "Judged with the towing vessel only, as the tracker of a skier";
        write_broken(&format!("{why}: {}.", some_of(&trackers)), report, out)?;
    }
    Ok(())
}

/// The first few of several names, and how many there are beside.
fn some_of(names: &[&str]) -> String {
    let some = names[..names.len().min(NAMED_MAX)].join(", ");
    match names.len().saturating_sub(NAMED_MAX) {
        0 => some,
        more => format!("{some} and {more} more"),
    }
}

fn write_rows(rows: &[[String; 7]], out: &mut dyn Write) -> io::Result<()> {
    let head = ["vessel", "rule", "breach", "possible", "lasting", "judged", "unjudged"].map(str::to_owned);
    let all: Vec<[String; 7]> = std::iter::once(head).chain(rows.iter().cloned()).collect();
    write_columns(&all, 2, out)
}

/// An instant on the clocks of the report's time zone.
fn local(t: EventTime, report: &Report<'_>) -> String {
    t.to_chrono().with_timezone(&report.time_zone).format("%Y-%m-%d %H:%M:%S %Z").to_string()
}

/// A span of time in words, as in "25 s", "2 min 5 s" and "1 h 40 min"; "an instant" where it has no length.
pub fn span(s: f64) -> String {
    let whole = s.round() as u64;
    match whole {
        0 if s <= 0.0 => "an instant".to_owned(),
        0..10 => format!("{:.1} s", s.max(0.1)),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A span of time in hours, minutes and seconds, as in "1:40:05".
fn clock(s: f64) -> String {
    let whole = s.round() as u64;
    format!("{}:{:02}:{:02}", whole / 3600, whole % 3600 / 60, whole % 60)
}

/// Writes a line, broken between words where the report has a width.
fn write_broken(line: &str, report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(columns) = report.columns else { return writeln!(out, "{line}") };
    let (mut used, mut spaces) = (0, "");
    for piece in line.split_inclusive(' ') {
        let word = piece.trim_end();
        let length = word.chars().count();
        if used > INDENT.len() && used + spaces.len() + length > columns {
            write!(out, "\n{INDENT}{word}")?;
            used = INDENT.len() + length;
        } else {
            write!(out, "{spaces}{word}")?;
            used += spaces.len() + length;
        }
        spaces = &piece[word.len()..];
    }
    writeln!(out)
}
