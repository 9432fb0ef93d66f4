//! Which kind a drawn feature is, and the zone file that comes of it.
//!
//! In this order: what whoever imports says of features like it, its own `kind`, the words of OpenStreetMap, S-57 or
//! the US hydrography, its folder or type where that is a kind's name, and last what whoever imports says of the rest.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use ::geojson::{Feature, Geometry, GeometryValue, feature::Id};
use serde_json::{Map as JsonMap, Value};

use super::{Drawn, waters};
use crate::geo::Position;
use crate::units::Speed;
use crate::zones::{ZoneKind, kind_in_other_words};

/// Features with a property of a value: `TYPE=DOCK`. `file` is the name of the file, `folder` a folder of KML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    key: String,
    value: String,
}

/// A kind for some features, or for all that say none: `dock`, `TYPE=DOCK:dock`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    of: Option<Selector>,
    kind: ZoneKind,
}

impl FromStr for Selector {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (key, value) = text.split_once('=').ok_or("write KEY=VALUE, as in NAME=\"Mirror Lake\"")?;
        Ok(Self { key: key.trim().to_owned(), value: value.trim().to_owned() })
    }
}

impl FromStr for Choice {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (of, kind) = match text.rsplit_once(':') {
            Some((of, kind)) => (Some(of.parse()?), kind),
            None => (None, text),
        };
        let kinds = || ZoneKind::ALL.iter().filter(|&&k| k != ZoneKind::InshoreArea).map(|k| k.as_str());
        let known = || format!("no such kind; known are {}", kinds().collect::<Vec<_>>().join(", "));
        let kind = ZoneKind::from_name(kind.trim()).filter(|&k| k != ZoneKind::InshoreArea).ok_or_else(known)?;
        Ok(Self { of, kind })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

impl Selector {
    /// What to say of it where it fits no feature: what there is instead; `None` where it fits one.
    fn in_vain(&self, drawn: &[Drawn]) -> Option<String> {
        const NAMED_MAX: usize = 8;
        if drawn.iter().any(|one| self.fits(one) == Some(true)) {
            return None;
        }
        let values: BTreeSet<String> = match self.key.as_str() {
            "file" => drawn.iter().map(|one| one.file.clone()).collect(),
            "folder" => drawn.iter().flat_map(|one| one.folders.clone()).collect(),
            key => {
                let values = drawn.iter().filter_map(|one| one.properties.get(key)).filter(|value| !value.is_null());
                values.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
            }
        };
        let keys: BTreeSet<String> = drawn.iter().flat_map(|one| one.properties.keys().cloned()).collect();
        let (found, what) = match (values.is_empty(), keys.is_empty()) {
            (false, _) => (values, format!("{} is", self.key)),
            (true, false) => (keys, format!("nothing has {:?}; there are", self.key)),
            (true, true) => return Some(format!("{self} fits no feature: they have no properties")),
        };
        let more = if found.len() > NAMED_MAX { ", …" } else { "" };
        let found = found.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
        Some(format!("{self} fits no feature: {what} {found}{more}"))
    }

    /// Whether the feature has the property at all, and whether with this value.
    fn fits(&self, drawn: &Drawn) -> Option<bool> {
        let is = |text: &str| text.trim() == self.value;
        match self.key.as_str() {
            "file" => Some(is(&drawn.file)),
            "folder" => Some(drawn.folders.iter().any(|folder| is(folder))),
            key => match drawn.properties.get(key)? {
                Value::Null => None,
                Value::String(text) => Some(is(text)),
                other => Some(is(&other.to_string())),
            },
        }
    }
}

/// What whoever imports says.
#[derive(Debug, Clone, Default)]
pub struct Mapping {
    /// Kinds.
    pub kinds: Vec<Choice>,
    /// Of files in which features have such a property only those with this value.
    pub only: Vec<Selector>,
    /// The waterway's id.
    pub waterway_id: Option<String>,
    /// The limit of speed zones that have none.
    pub speed_limit: Option<Speed>,
}

/// A feature that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Where it stands.
    pub place: String,
    /// What it says of itself, shortened.
    pub says: String,
    /// Why.
    pub reason: String,
    /// What would bring it in.
    pub cause: Cause,
}

/// What kind of reason a feature is left out for: each has a mend of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Whoever imports did not ask for it.
    NotAsked,
    /// Nothing says what it is.
    NoKind,
    /// It cannot be used as it is drawn.
    Unusable,
}

/// The features of a zone file to be.
#[derive(Debug, Clone, Default)]
pub struct Collection {
    /// Each with the place it comes from.
    pub features: Vec<(Feature, String)>,
    /// What is left out.
    pub left: Vec<Left>,
}

impl Mapping {
    /// What was said of features that are not there, with what there is instead: `--where` and `--kind` in vain.
    pub fn in_vain(&self, drawn: &[Drawn]) -> Vec<String> {
        let only = self.only.iter().map(|only| ("--where", only));
        let kinds = self.kinds.iter().filter_map(|choice| Some(("--kind", choice.of.as_ref()?)));
        let all = only.chain(kinds);
        all.filter_map(|(option, of)| of.in_vain(drawn).map(|text| format!("{option} {text}"))).collect()
    }

    /// The zone file of what was drawn.
    ///
    /// # Errors
    /// Where it draws several waters: which of them is meant has to be said.
    pub fn collect(&self, drawn: Vec<Drawn>) -> Result<Collection, String> {
        let mut left = Vec::new();
        // In a file whose features have the property, those without it are not asked for.
        let files_with = |only: &Selector| {
            drawn.iter().filter(|one| only.fits(one).is_some()).map(|one| one.file.clone()).collect::<BTreeSet<_>>()
        };
        let speaking: Vec<BTreeSet<String>> = self.only.iter().map(files_with).collect();
        let mut kept: Vec<(Drawn, ZoneKind, GeometryValue)> = Vec::new();
        for mut one in drawn {
            let is_asked = |(only, files): (&Selector, &BTreeSet<String>)| match only.fits(&one) {
                Some(fits) => fits,
                None => !files.contains(&one.file),
            };
            if !self.only.iter().zip(&speaking).all(is_asked) {
                left.push(Left::of(&one, "not asked for with --where".to_owned(), Cause::NotAsked));
                continue;
            }
            let geometry = std::mem::replace(&mut one.geometry, Err(String::new())).and_then(in_range);
            match (geometry, self.kind_of(&one)) {
                (Err(reason), _) => left.push(Left::of(&one, reason, Cause::Unusable)),
                (Ok(_), Err(reason)) => left.push(Left::of(&one, reason, Cause::NoKind)),
                (Ok(geometry), Ok(kind)) => kept.push((one, kind, geometry)),
            }
        }
        waters::only_one(&kept)?;
        let mut taken = BTreeSet::new();
        let features = kept.into_iter().map(|(drawn, kind, geometry)| {
            let place = drawn.place.clone();
            (self.feature(drawn, kind, geometry, &mut taken), place)
        });
        Ok(Collection { features: features.collect(), left })
    }

    fn kind_of(&self, drawn: &Drawn) -> Result<ZoneKind, String> {
        let said = self.kinds.iter().find(|c| c.of.as_ref().is_some_and(|of| of.fits(drawn) == Some(true)));
        if let Some(choice) = said {
            return Ok(choice.kind);
        }
        let word = |text: Option<&str>| text.and_then(ZoneKind::from_word);
        let own = drawn.properties.get("kind").and_then(Value::as_str);
        if let Some(kind) = word(own) {
            return Ok(kind);
        }
        let foreign = kind_in_other_words(&drawn.properties);
        if let Some(Ok(kind)) = foreign {
            return Ok(kind);
        }
        let folder = drawn.folders.iter().rev().find_map(|folder| ZoneKind::from_word(folder));
        let kind_of_point = word(drawn.properties.get("type").and_then(Value::as_str));
        let rest = self.kinds.iter().find(|choice| choice.of.is_none()).map(|choice| choice.kind);
        folder.or(kind_of_point).or(rest).ok_or_else(|| match foreign {
            Some(Err(name)) => format!("{name} has no counterpart among the kinds"),
            _ => "nothing says what kind it is".to_owned(),
        })
    }

    fn feature(&self, drawn: Drawn, kind: ZoneKind, geometry: GeometryValue, taken: &mut BTreeSet<String>) -> Feature {
        let mut properties = JsonMap::new();
        properties.insert("kind".to_owned(), kind.as_str().into());
        let name = name_of(&drawn.properties);
        if let Some(name) = name.as_ref().filter(|_| !drawn.properties.contains_key("name")) {
            properties.insert("name".to_owned(), name.as_str().into());
        }
        let needs_limit = kind == ZoneKind::SpeedZone
            && ["speed_limit", "maxspeed"].iter().all(|key| drawn.properties.get(*key).is_none_or(Value::is_null));
        if let Some(limit) = self.speed_limit.filter(|_| needs_limit) {
            properties.insert("speed_limit".to_owned(), limit.to_string().into());
        }
        let id = match (kind, &self.waterway_id) {
            (ZoneKind::Waterway, Some(id)) => Some(id.clone()),
            (ZoneKind::Waterway, None) => {
                Some(name.as_deref().map(slug).filter(|id| !id.is_empty()).unwrap_or_else(|| slug(&drawn.file)))
            }
            _ => id_of(&drawn, kind, name.as_deref()).map(|id| free(id, taken)),
        };
        for (key, value) in drawn.properties {
            match key.as_str() {
                "id" => {}
                "kind" if value.as_str() == Some(kind.as_str()) => {}
                "kind" => _ = properties.insert("kind_in_source".to_owned(), value),
                _ => _ = properties.insert(key, value),
            }
        }
        Feature {
            id: id.map(Id::String),
            geometry: Some(Geometry::new(geometry)),
            properties: Some(properties),
            ..Feature::default()
        }
    }
}

impl Left {
    /// A feature, and why it is left out.
    pub fn of(drawn: &Drawn, reason: String, cause: Cause) -> Self {
        const SHOWN: usize = 4;
        let plain = |value: &Value| !(value.is_null() || value.is_object() || value.is_array());
        let is_name = |key: &str| key.to_lowercase().contains("nam");
        let mut says: Vec<_> = drawn.properties.iter().filter(|(_, value)| plain(value)).collect();
        says.sort_by_key(|(key, _)| !is_name(key));
        let says: Vec<String> = says
            .into_iter()
            .take(SHOWN)
            .map(|(key, value)| match value.as_str() {
                Some(text) => format!("{key}={}", text.chars().take(30).collect::<String>()),
                None => format!("{key}={value}"),
            })
            .collect();
        let folder = drawn.folders.last().map(|folder| format!("folder={folder}"));
        let says = folder.into_iter().chain(says).collect::<Vec<_>>().join(", ");
        Self { place: drawn.place.clone(), says, reason, cause }
    }
}

/// The geometry, if all its positions are on the Earth.
fn in_range(value: GeometryValue) -> Result<GeometryValue, String> {
    fn check(value: &GeometryValue) -> Result<(), String> {
        let one = |p: &::geojson::Position| match p.as_slice() {
            &[lon, lat, ..] => Position::from_geojson([lon, lat]).map(|_| ()).map_err(|error| error.to_string()),
            _ => Err("a position has fewer than two numbers".to_owned()),
        };
        match value {
            GeometryValue::Point { coordinates } => one(coordinates),
            GeometryValue::MultiPoint { coordinates } | GeometryValue::LineString { coordinates } => {
                coordinates.iter().try_for_each(one)
            }
            GeometryValue::MultiLineString { coordinates } | GeometryValue::Polygon { coordinates } => {
                coordinates.iter().flatten().try_for_each(one)
            }
            GeometryValue::MultiPolygon { coordinates } => coordinates.iter().flatten().flatten().try_for_each(one),
            GeometryValue::GeometryCollection { geometries } => geometries.iter().try_for_each(|g| check(&g.value)),
        }
    }
    check(&value)?;
    Ok(value)
}

/// The name in any of the usual spellings.
pub(super) fn name_of(properties: &JsonMap<String, Value>) -> Option<String> {
    let keys = ["name", "Name", "NAME", "OBJNAM", "GNIS_NAME", "GNIS_Name", "gnis_name", "seamark:name"];
    let texts = keys.into_iter().filter_map(|key| properties.get(key).and_then(Value::as_str));
    texts.map(str::trim).find(|text| !text.is_empty() && *text != "<Null>").map(str::to_owned)
}

/// An id that will be the same when the layer is imported again; `None` where there is nothing to make it of.
fn id_of(drawn: &Drawn, kind: ZoneKind, name: Option<&str>) -> Option<String> {
    const KEYS: [&str; 9] =
        ["id", "@id", "osm_id", "LNAM", "GlobalID", "GLOBALID", "Permanent_Identifier", "COMID", "comid"];
    let own = KEYS.iter().filter_map(|key| match drawn.properties.get(*key)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let own = own.into_iter().next().or_else(|| drawn.id.clone());
    let named = |id: String| if id.bytes().all(|b| b.is_ascii_digit()) { format!("{kind}-{id}") } else { id };
    own.map(named).or_else(|| name.map(slug).filter(|id| !id.is_empty()))
}

/// The id, with a number where another feature has it.
fn free(id: String, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2_u32..).map(|n| format!("{id}-{n}"));
    let free = std::iter::once(id.clone()).chain(numbered).find(|id| !taken.contains(id)).unwrap_or(id);
    taken.insert(free.clone());
    free
}

/// A name in lower-case letters, digits and hyphens.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') && c != '\'' {
            slug.push('-');
        }
    }
    slug.truncate(64);
    slug.trim_end_matches('-').to_owned()
}
