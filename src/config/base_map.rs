//! What lies below the zones on the console's map: nothing, unless a style or tiles are named. Browsers then ask whoever
//! serves those, and nobody else.

use serde::Deserialize;
use url::Url;

/// A base map.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseMapSettings {
    /// The address of a MapLibre style; empty for none.
    pub style_url: String,
    /// The address of raster tiles, with `{z}`, `{x}` and `{y}`; empty for none.
    pub tiles: String,
    /// Who made it, as it is shown on the map.
    pub attribution: String,
    /// Where else a style loads from.
    pub origins: Vec<String>,
}

impl BaseMapSettings {
    /// Whether there is one.
    pub fn is_given(&self) -> bool {
        !self.style_url.is_empty() || !self.tiles.is_empty()
    }

    /// The origins that browsers load it from, other than the daemon itself, as in `https://tiles.example:8443`.
    ///
    /// # Errors
    /// The key, and what is wrong with its value.
    pub fn origins(&self) -> Result<Vec<String>, (&'static str, String)> {
        let both = !self.style_url.is_empty() && !self.tiles.is_empty();
        if both {
            return Err(("tiles", "there is a style_url as well; name one of them".to_owned()));
        }
        if !self.tiles.is_empty() && !["{z}", "{x}", "{y}"].iter().all(|part| self.tiles.contains(part)) {
            return Err(("tiles", format!("{:?} should have {{z}}, {{x}} and {{y}}", self.tiles)));
        }
        if self.is_given() && self.attribution.is_empty() {
            return Err(("attribution", "is empty; say who made the base map".to_owned()));
        }
        let given = [("style_url", &self.style_url), ("tiles", &self.tiles)];
        let given = given.into_iter().filter(|(_, address)| !address.is_empty());
        let mut origins = Vec::new();
        for (key, address) in given.chain(self.origins.iter().map(|origin| ("origins", origin))) {
            origins.extend(origin_of(address).map_err(|reason| (key, format!("{address:?} {reason}")))?);
        }
        origins.sort();
        origins.dedup();
        Ok(origins)
    }
}

/// The origin of an address; `None` of a path of the daemon itself.
fn origin_of(address: &str) -> Result<Option<String>, String> {
    if address.starts_with('/') && !address.starts_with("//") {
        return Ok(None);
    }
    let url = Url::parse(address).map_err(|error| format!("is no address ({error}); write https://… or /…"))?;
    if !["http", "https"].contains(&url.scheme()) || !url.username().is_empty() || url.password().is_some() {
        return Err("should begin with https:// or http:// and have no user".to_owned());
    }
    let origin = url.origin().ascii_serialization();
    // It stands in a header whose parts are divided by these.
    if origin.contains([';', ',', ' ', '\'', '{', '}', '*', '%']) {
        return Err("should name its host in full".to_owned());
    }
    Ok(Some(origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(tiles: &str) -> BaseMapSettings {
        BaseMapSettings { tiles: tiles.to_owned(), attribution: "a".to_owned(), ..BaseMapSettings::default() }
    }

    #[test]
    fn browsers_are_let_to_the_origins_of_the_base_map_alone() {
        assert_eq!(BaseMapSettings::default().origins(), Ok(Vec::new()));
        let of = |address: &str| tiles(address).origins().expect("origins");
        assert_eq!(of("https://Tiles.example:8443/a/{z}/{x}/{y}.png?key=1"), ["https://tiles.example:8443"]);
        assert_eq!(of("https://tiles.example:443/{z}/{x}/{y}"), ["https://tiles.example"]);
        assert_eq!(of("/tiles/{z}/{x}/{y}.png"), [""; 0]);
        let style = BaseMapSettings {
            style_url: "https://maps.example/style.json".to_owned(),
            attribution: "Maps".to_owned(),
            origins: vec!["https://glyphs.example".to_owned(), "https://maps.example".to_owned()],
            ..BaseMapSettings::default()
        };
        assert_eq!(style.origins().expect("origins"), ["https://glyphs.example", "https://maps.example"]);
    }

    #[test]
    fn what_would_open_more_is_refused() {
        for (address, says) in [
            ("https://tiles.example/{z}/{x}.png", "should have {z}, {x} and {y}"),
            ("tiles.example/{z}/{x}/{y}.png", "is no address"),
            ("//tiles.example/{z}/{x}/{y}.png", "is no address"),
            ("ftp://tiles.example/{z}/{x}/{y}.png", "should begin with https://"),
            ("https://me:pass@tiles.example/{z}/{x}/{y}", "have no user"),
            ("https://*.example/{z}/{x}/{y}", "should name its host in full"),
        ] {
            let (key, reason) = tiles(address).origins().expect_err(address);
            assert!(key == "tiles" && reason.contains(says), "{address}: {reason}");
        }
        let unsigned = BaseMapSettings { attribution: String::new(), ..tiles("/{z}/{x}/{y}") };
        assert_eq!(unsigned.origins().expect_err("no maker").0, "attribution");
        let both = BaseMapSettings { style_url: "/style.json".to_owned(), ..tiles("/{z}/{x}/{y}") };
        assert_eq!(both.origins().expect_err("two").0, "tiles");
    }
}
