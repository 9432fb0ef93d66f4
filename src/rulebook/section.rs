//! A table of a rulebook from which a rule takes its settings, one by one.
//!
//! Nothing here stops at the first fault: a setting that is missing or wrong is noted with its place
//! and comes back as `None`, and the reader goes on.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::clause::{Clause, VesselFilter};
use super::fault::{Faults, nearest};
use super::setting::Setting;
use crate::window::Window;

/// One table of a rulebook, with the faults found so far.
///
/// Take every setting first and use `?` only after [`Section::finish`], so that all faults of a table
/// are told at once:
///
/// ```ignore
/// let (limit, within) = (section.need::<Speed>("limit"), section.need::<Length>("within"));
/// section.finish();
/// Some(WakeZone { limit: limit?, within: within? })
/// ```
#[derive(Debug)]
#[must_use = "finish it, so that keys which nobody asked for are told"]
pub struct Section<'d> {
    table: &'d DeTable<'d>,
    span: Range<usize>,
    path: String,
    asked: Vec<&'static str>,
    foreign: Vec<&'d str>,
    faults: &'d Faults<'d>,
}

impl<'d> Section<'d> {
    pub(super) fn new(table: &'d DeTable<'d>, span: Range<usize>, path: String, faults: &'d Faults<'d>) -> Self {
        Self { table, span, path, asked: Vec::new(), foreign: Vec::new(), faults }
    }

    /// A setting that may be absent: `None` if it is, or if it is faulty (and the fault is noted).
    pub fn opt<T: Setting>(&mut self, key: &'static str) -> Option<T> {
        T::read(&self.entry(key)?)
    }

    /// A setting that has to be there; absent or faulty, the fault is noted.
    pub fn need<T: Setting>(&mut self, key: &'static str) -> Option<T> {
        if !self.table.contains_key(key) {
            self.missing(key, &T::example());
        }
        self.opt(key)
    }

    /// A setting with a default. Faulty, it is noted, and the default stands in until the reading ends.
    pub fn or<T: Setting>(&mut self, key: &'static str, default: T) -> T {
        self.opt(key).unwrap_or(default)
    }

    /// One of a few named choices, if the key is there.
    pub fn choice<T: Copy>(&mut self, key: &'static str, choices: &[(&'static str, T)]) -> Option<T> {
        let entry = self.entry(key)?;
        let text = entry.text()?;
        let chosen = choices.iter().find(|(name, _)| *name == text);
        if chosen.is_none() {
            let known: Vec<_> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
            entry.fault(format!("unknown choice; known are {}", known.join(", ")));
        }
        chosen.map(|&(_, value)| value)
    }

    /// The tables under a key, in order: an array of tables, or one table. None where it is absent.
    pub fn tables(&mut self, key: &'static str) -> Vec<Section<'d>> {
        let Some(entry) = self.entry(key) else { return Vec::new() };
        match entry.value.get_ref() {
            DeValue::Array(_) => entry.items().iter().filter_map(Entry::section).collect(),
            _ => entry.section().into_iter().collect(),
        }
    }

    /// The clauses of a rule that asks for nothing beside them.
    pub fn bare_clauses(&mut self) -> Vec<Clause> {
        let of_table = |mut table: Section<'d>| {
            let clause = table.clause();
            table.finish();
            clause
        };
        self.tables("clause").into_iter().map(of_table).collect()
    }

    /// The table under a key, if it is there.
    pub fn table(&mut self, key: &'static str) -> Option<Section<'d>> {
        self.entry(key)?.section()
    }

    /// What every clause has: its citation, and where given its title, text, reading, vessels and window.
    pub fn clause(&mut self) -> Clause {
        Clause {
            citation: self.need("citation").unwrap_or_default(),
            title: self.opt("title"),
            text: self.opt("text"),
            reading: self.opt("reading"),
            vessels: self.or("vessels", VesselFilter::all()),
            when: self.or("when", Window::always()),
        }
    }

    /// Notes a fault about a key, where the rule itself sees that its value will not do or that it is
    /// missing.
    pub fn fault(&mut self, key: &'static str, reason: impl Into<String>) {
        match self.entry(key) {
            Some(entry) => entry.fault(reason),
            None => self.faults.add(self.span.clone(), &self.path_of(key), false, reason),
        }
    }

    /// Ends the reading: any key that nobody asked for is a fault.
    pub fn finish(self) {
        for key in self.table.keys() {
            let name = key.get_ref().as_ref();
            if !self.asked.contains(&name) && !self.foreign.contains(&name) {
                self.faults.add(
                    key.span(),
                    &self.path_of(name),
                    false,
                    format!("unknown key; {}", nearest(name, &self.asked)),
                );
            }
        }
    }

    /// How many faults the whole text has so far.
    pub(super) fn faults_so_far(&self) -> usize {
        self.faults.len()
    }

    /// Notes a fault about a key that nobody asks for, and counts it as asked for.
    pub(super) fn fault_at_key(&mut self, key: &'d Spanned<DeString<'d>>, reason: String) {
        let name = key.get_ref().as_ref();
        self.faults.add(key.span(), &self.path_of(name), false, reason);
        self.foreign.push(name);
    }

    /// Notes where a rule has no clause, and where two of its clauses share a citation: findings are
    /// told apart by it.
    pub(super) fn check_citations(&self) {
        let clauses = self.table.get("clause");
        let Some(clauses) = clauses.filter(|c| c.get_ref().as_array().is_none_or(|list| !list.is_empty())) else {
            self.faults.add(
                self.span.clone(),
                &self.path_of("clause"),
                false,
                format!("missing; add one, as in [[{}.clause]]", self.path),
            );
            return;
        };
        let mut seen: Vec<(&str, usize)> = Vec::new();
        let clauses = clauses.get_ref().as_array().map_or(&[][..], |clauses| clauses);
        for (at, clause) in clauses.iter().enumerate() {
            let citation = clause.get_ref().as_table().and_then(|table| table.get("citation"));
            let Some((name, place)) = citation.and_then(|c| Some((c.get_ref().as_str()?, c.span()))) else { continue };
            match seen.iter().find(|(other, _)| *other == name) {
                Some((_, line)) => self.faults.add(
                    place,
                    &format!("{}.clause#{}.citation", self.path, at + 1),
                    true,
                    format!("already the citation of the clause at line {line}; give each clause its own"),
                ),
                None => seen.push((name, self.faults.place(place.start).0)),
            }
        }
    }

    /// The names of all keys in it.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'d Spanned<DeString<'d>>> + use<'d> {
        self.table.keys()
    }

    /// Counts a key as asked for.
    pub(super) fn know(&mut self, key: &'static str) {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
    }

    /// Notes that a key is missing from this table, with an example of its value.
    pub(super) fn missing(&mut self, key: &'static str, example: &str) {
        let at = self.span.clone();
        self.faults.add(at, &self.path_of(key), false, format!("missing; add it, as in {key} = {example}"));
    }

    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn entry(&mut self, key: &'static str) -> Option<Entry<'d>> {
        self.know(key);
        let value = self.table.get(key)?;
        Some(Entry { value, path: self.path_of(key), faults: self.faults })
    }
}

/// A value of a rulebook with its place.
#[derive(Debug)]
pub struct Entry<'d> {
    value: &'d Spanned<DeValue<'d>>,
    path: String,
    faults: &'d Faults<'d>,
}

impl<'d> Entry<'d> {
    /// The value as TOML has it.
    pub fn value(&self) -> &'d DeValue<'d> {
        self.value.get_ref()
    }

    /// Notes what is wrong with it.
    pub fn fault(&self, reason: impl Into<String>) {
        self.faults.add(self.value.span(), &self.path, true, reason);
    }

    /// Its text; anything but a text is noted as a fault.
    pub fn text(&self) -> Option<&'d str> {
        let text = self.value().as_str();
        if text.is_none() {
            self.fault("should be a text in quotes");
        }
        text
    }

    /// Its items; anything but a list is noted as a fault.
    pub fn items(&self) -> Vec<Entry<'d>> {
        let Some(items) = self.value().as_array() else {
            self.fault("should be a list, in square brackets");
            return Vec::new();
        };
        let entry = |(at, value)| Entry { value, path: format!("{}#{}", self.path, at + 1), faults: self.faults };
        items.iter().enumerate().map(entry).collect()
    }

    /// Its table; anything else is noted as a fault.
    pub fn section(&self) -> Option<Section<'d>> {
        let table = self.value().as_table();
        if table.is_none() {
            self.fault("should be a table of settings");
        }
        Some(Section::new(table?, self.value.span(), self.path.clone(), self.faults))
    }
}
