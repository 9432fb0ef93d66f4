//! A box on the map, as addresses ask for it.

/// West, south, east and north edge, degrees; where west lies beyond east, it crosses the antimeridian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bbox {
    west: f64,
    south: f64,
    east: f64,
    north: f64,
}

impl Bbox {
    /// What would help whoever wrote none.
    pub const MEND: &str = "write west,south,east,north in degrees";

    /// Reads four numbers, or six with heights, of which those are left out; `None` where it is no box.
    pub fn read(text: &str) -> Option<Self> {
        let number = |part: &str| part.trim().parse().ok().filter(|n: &f64| n.is_finite());
        let numbers: Vec<f64> = text.split(',').map(number).collect::<Option<_>>()?;
        let (west, south, east, north) = match numbers[..] {
            [west, south, east, north] | [west, south, _, east, north, _] => (west, south, east, north),
            _ => return None,
        };
        (south <= north).then_some(Self { west, south, east, north })
    }

    /// West, south, east and north edge.
    pub fn edges(self) -> [f64; 4] {
        [self.west, self.south, self.east, self.north]
    }

    /// Whether a place lies in it.
    pub fn holds(&self, lat: f64, lon: f64) -> bool {
        self.meets([lon, lat, lon, lat])
    }

    /// Whether it and the box of something else (west, south, east, north, not across the antimeridian) meet.
    pub fn meets(&self, [w, s, e, n]: [f64; 4]) -> bool {
        let Self { west, south, east, north } = *self;
        let beside = if west <= east { w <= east && e >= west } else { w <= east || e >= west };
        beside && s <= north && n >= south
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_four_numbers_or_six_and_nothing_else() {
        let plain = Bbox::read("-71.2, 42.3,-71,42.4").expect("a box");
        assert_eq!(plain, Bbox { west: -71.2, south: 42.3, east: -71.0, north: 42.4 });
        assert_eq!(Bbox::read("-71.2,42.3,-5,-71,42.4,5"), Some(plain));
        for text in ["", "1,2,3", "1,5,3,4", "a,2,3,4", "a,1,2,3,4", "1,2,3,4,5", "1,2,3,4,", "1,2,NaN,4", "1,2,inf,4"]
        {
            assert_eq!(Bbox::read(text), None, "{text}");
        }
    }

    #[test]
    fn what_lies_across_the_antimeridian_is_held() {
        let fiji = Bbox::read("177,-19,-178,-16").expect("a box");
        assert!(fiji.holds(-17.0, 179.0) && fiji.holds(-17.0, -179.0) && !fiji.holds(-17.0, 0.0));
        let lake = Bbox::read("10,20,11,21").expect("a box");
        assert!(lake.holds(20.0, 10.0) && !lake.holds(21.1, 10.5));
    }
}
