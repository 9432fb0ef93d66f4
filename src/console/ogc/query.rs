//! What can be asked of items: `bbox`, `datetime`, `limit`, `offset`.

use serde_json::Value;

use crate::console::Problem;
use crate::console::bbox::Bbox;
use crate::time::EventTime;

/// Features in one answer unless another number is asked for, and at most.
pub(super) const LIMIT: usize = 100;
pub(super) const LIMIT_MAX: usize = 10_000;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    /// Where.
    pub bbox: Option<Bbox>,
    /// From when and until when; `None` is open.
    pub time: Option<(Option<EventTime>, Option<EventTime>)>,
    pub limit: usize,
    pub offset: usize,
    /// The parameters as they were given, less `offset`: what links repeat.
    pub repeated: String,
}

impl Asked {
    /// Reads the parameters of an address. Unknown ones are refused, as the standard asks (requirement 23).
    ///
    /// # Errors
    /// One that cannot be read, or is not known.
    pub fn parse(query: &str) -> Result<Self, Problem> {
        let mut asked = Self { bbox: None, time: None, limit: LIMIT, offset: 0, repeated: String::new() };
        let mut repeated = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let wrong = |mend: &str| Problem::bad(format!("{value:?} cannot be used")).at(name.to_string()).mend(mend);
            match &*name {
                "bbox" => asked.bbox = Some(Bbox::read(&value).ok_or_else(|| wrong(Bbox::MEND))?),
                "bbox-crs" | "crs" if value == super::CRS84 => {}
                "datetime" => {
                    let mend = "write an instant, or two with / between them, .. for an open end";
                    asked.time = Some(interval(&value).ok_or_else(|| wrong(mend))?);
                }
                "limit" => {
                    let limit: usize =
                        value.parse().ok().filter(|n| *n > 0).ok_or_else(|| wrong("write a whole number"))?;
                    asked.limit = limit.min(LIMIT_MAX);
                }
                "offset" => asked.offset = value.parse().map_err(|_| wrong("write a whole number"))?,
                "f" if value == "json" => {}
                other => {
                    let mend = "known are bbox, datetime, limit and offset";
                    return Err(Problem::bad(format!("{other:?} is no parameter of this")).at(other).mend(mend));
                }
            }
            if name != "offset" {
                repeated.append_pair(&name, &value);
            }
        }
        asked.repeated = repeated.finish();
        Ok(asked)
    }

    /// Whether a geometry meets the box that is asked for.
    pub fn meets(&self, geometry: &Value) -> bool {
        self.bbox.is_none_or(|bbox| box_of(geometry).is_some_and(|of| bbox.meets(of)))
    }

    /// Whether a time from `start` to `end` meets the one that is asked for.
    pub fn is_in_time(&self, start: Option<EventTime>, end: Option<EventTime>) -> bool {
        let Some((from, to)) = self.time else { return true };
        let begins_in_time = to.is_none_or(|to| start.is_none_or(|start| start <= to));
        let ends_in_time = from.is_none_or(|from| end.is_none_or(|end| end >= from));
        begins_in_time && ends_in_time
    }
}

/// An instant is an interval of no length; `..` and nothing are open ends.
fn interval(text: &str) -> Option<(Option<EventTime>, Option<EventTime>)> {
    let instant = |text: &str| match text {
        "" | ".." => Some(None),
        text => EventTime::parse_rfc3339(text).ok().map(Some),
    };
    let (from, to) = match text.split_once('/') {
        Some((from, to)) => (instant(from)?, instant(to)?),
        None => {
            let at = EventTime::parse_rfc3339(text).ok()?;
            (Some(at), Some(at))
        }
    };
    let is_forward = from.zip(to).is_none_or(|(from, to)| from <= to);
    (is_forward && (from.is_some() || to.is_some())).then_some((from, to))
}

/// The box around the coordinates of a geometry.
fn box_of(geometry: &Value) -> Option<[f64; 4]> {
    fn widen(value: &Value, bounds: &mut Option<[f64; 4]>) {
        let Value::Array(items) = value else { return };
        if let [Value::Number(x), Value::Number(y), ..] = items.as_slice() {
            let (Some(x), Some(y)) = (x.as_f64(), y.as_f64()) else { return };
            let [w, s, e, n] = bounds.get_or_insert([x, y, x, y]);
            (*w, *s, *e, *n) = (w.min(x), s.min(y), e.max(x), n.max(y));
        } else {
            items.iter().for_each(|item| widen(item, bounds));
        }
    }
    let mut bounds = None;
    match geometry["geometries"].as_array() {
        Some(parts) => parts.iter().for_each(|part| widen(&part["coordinates"], &mut bounds)),
        None => widen(&geometry["coordinates"], &mut bounds),
    }
    bounds
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_are_read_or_refused() {
        let asked = Asked::parse("bbox=-117.1,47.6,-117.0,47.7&limit=7&offset=14&f=json").expect("read");
        assert_eq!((asked.bbox.is_some(), asked.limit, asked.offset), (true, 7, 14));
        assert_eq!(asked.repeated, "bbox=-117.1%2C47.6%2C-117.0%2C47.7&limit=7&f=json");
        assert_eq!(Asked::parse("limit=99999").expect("read").limit, LIMIT_MAX);
        for wrong in
            ["bbox=1,2,3", "bbox=0,9,1,3", "limit=0", "limit=x", "datetime=yesterday", "datetime=../..", "colour=red"]
        {
            assert_eq!(Asked::parse(wrong).expect_err(wrong).status(), 400, "{wrong}");
        }
    }

    #[test]
    fn boxes_and_times_select() {
        let point = json!({"type": "Point", "coordinates": [10.0, 20.0]});
        let inside = |query: &str| Asked::parse(query).expect("read").meets(&point);
        assert!(inside("bbox=10,20,11,21") && inside("") && inside("bbox=9,19,-5,11,21,5"));
        assert!(!inside("bbox=10.1,20,11,21"));
        assert!(inside("bbox=170,19,11,21"), "across the antimeridian");
        let t = |text: &str| EventTime::parse_rfc3339(text).ok();
        let (start, end) = (t("2026-07-04T10:00:00Z"), t("2026-07-04T10:05:00Z"));
        let is_in = |query: &str| Asked::parse(query).expect("read").is_in_time(start, end);
        assert!(is_in("datetime=2026-07-04T10:03:00Z") && is_in("datetime=2026-07-04T10:05:00Z/.."));
        assert!(is_in("datetime=../2026-07-04T10:00:00Z") && is_in("datetime=/2026-07-05T00:00:00Z"));
        assert!(!is_in("datetime=2026-07-04T10:06:00Z/2026-07-04T11:00:00Z"));
    }
}
