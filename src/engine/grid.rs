//! Which vessels have lately been near a place: a grid of cells over one waterway.
//!
//! Made for things that move. A vessel is entered in every cell that the path in question touches, and
//! leaves it some time after. An entry in a near cell is a candidate, no more.

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geo::Position;
use crate::geo::frame::metres_per_degree;
use crate::geo::position::wrap_lon_deg;
use crate::time::EventTime;
use crate::track::Water;

/// Which cell.
pub(super) type Cell = (i32, i32);

/// Why a vessel is in a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Pace {
    /// It was fast enough for a rule.
    Fast,
    /// It was at rest or trolling.
    Notable,
    /// It had somebody in tow.
    Towing,
}

/// A vessel's place in a grid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The waterway's number.
    pub water: Water,
    /// Which of its grids.
    pub pace: Pace,
    /// Which cell.
    pub cell: Cell,
    /// Until when its path was there, as far as known.
    pub until: EventTime,
}

/// Height and width of a cell, metres.
const CELL_M: f64 = 200.0;

/// A box in degrees: longitudes relative to the grid's reference, so that it does not break at ±180°.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    west_deg: f64,
    south_deg: f64,
    east_deg: f64,
    north_deg: f64,
}

/// The largest whole number that is no larger. Without a call into the mathematical library, which is most of the work.
fn floor(x: f64) -> i32 {
    let toward_zero = x as i32;
    toward_zero.saturating_sub(i32::from(f64::from(toward_zero) > x))
}

/// The vessels of one waterway by cell.
#[derive(Debug, Clone)]
pub(super) struct MoverGrid {
    reference_lon_deg: f64,
    rows_per_deg: f64,
    columns_per_deg: f64,
    cells: IndexMap<Cell, SmallVec<[u32; 4]>, FixedState>,
}

impl MoverGrid {
    /// An empty grid for a waterway around `centre`.
    pub fn around(centre: Position) -> Self {
        let (north_m, east_m) = metres_per_degree(centre.lat_deg());
        Self {
            reference_lon_deg: centre.lon_deg(),
            rows_per_deg: north_m / CELL_M,
            columns_per_deg: east_m.max(1.0) / CELL_M,
            cells: IndexMap::default(),
        }
    }

    /// The box around a position.
    pub fn extent_of(&self, p: Position) -> Extent {
        let (x, y) = (self.relative_deg(p), p.lat_deg());
        Extent { west_deg: x, south_deg: y, east_deg: x, north_deg: y }
    }

    /// The box around two positions.
    pub fn extent(&self, a: Position, b: Position) -> Extent {
        self.extent_of(a).union(&self.extent_of(b))
    }

    /// The cells that a box touches.
    pub fn cells_of(&self, extent: &Extent) -> impl Iterator<Item = Cell> + use<> {
        let (west, east) = (extent.west_deg * self.columns_per_deg, extent.east_deg * self.columns_per_deg);
        let (south, north) = (extent.south_deg * self.rows_per_deg, extent.north_deg * self.rows_per_deg);
        let (last_column, first_row, last_row) = (floor(east), floor(south), floor(north));
        // Nearly always there is but one.
        std::iter::successors(Some((floor(west), first_row)), move |&(column, row)| {
            if row < last_row {
                Some((column, row + 1))
            } else {
                (column < last_column).then_some((column + 1, first_row))
            }
        })
    }

    /// Whether two positions are in one cell.
    pub fn is_one_cell(&self, a: Position, b: Position) -> bool {
        let mut cells = self.cells_of(&self.extent(a, b));
        cells.next().is_some() && cells.next().is_none()
    }

    /// Enters a vessel in a cell, once.
    pub fn enter(&mut self, cell: Cell, slot: u32) {
        let there = self.cells.entry(cell).or_default();
        if !there.contains(&slot) {
            there.push(slot);
        }
    }

    /// Takes a vessel out of a cell.
    pub fn leave(&mut self, cell: Cell, slot: u32) {
        if let Some(there) = self.cells.get_mut(&cell) {
            there.retain(|other| *other != slot);
            if there.is_empty() {
                self.cells.swap_remove(&cell);
            }
        }
    }

    /// Adds the vessels in cells within `reach_m` of a box to `out`, each once, in order.
    pub fn near(&self, extent: &Extent, reach_m: f64, out: &mut Vec<u32>) {
        let cells = reach_m / CELL_M;
        let (lat_deg, lon_deg) = (cells / self.rows_per_deg, 1.01 * cells / self.columns_per_deg);
        let wide = Extent {
            west_deg: extent.west_deg - lon_deg,
            south_deg: extent.south_deg - lat_deg,
            east_deg: extent.east_deg + lon_deg,
            north_deg: extent.north_deg + lat_deg,
        };
        // Where the reach is wider than all that is entered, it is less work to look at what is.
        let columns = (wide.east_deg - wide.west_deg) * self.columns_per_deg;
        let rows = (wide.north_deg - wide.south_deg) * self.rows_per_deg;
        if columns * rows > 64.0 + self.cells.len() as f64 {
            self.cells.values().for_each(|there| out.extend_from_slice(there));
        } else {
            for cell in self.cells_of(&wide) {
                if let Some(there) = self.cells.get(&cell) {
                    out.extend_from_slice(there);
                }
            }
        }
        out.sort_unstable();
        out.dedup();
    }

    /// Whether nobody is in it.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Bytes held, as far as they can be counted.
    pub fn heap_bytes(&self) -> usize {
        self.cells.capacity() * (size_of::<Cell>() + size_of::<SmallVec<[u32; 4]>>() + 2 * size_of::<usize>())
    }

    fn relative_deg(&self, p: Position) -> f64 {
        wrap_lon_deg(p.lon_deg() - self.reference_lon_deg)
    }
}

impl Extent {
    /// The box around both.
    pub fn union(&self, o: &Self) -> Self {
        Self {
            west_deg: self.west_deg.min(o.west_deg),
            south_deg: self.south_deg.min(o.south_deg),
            east_deg: self.east_deg.max(o.east_deg),
            north_deg: self.north_deg.max(o.north_deg),
        }
    }

    /// How far apart two boxes are in longitude and in latitude, degrees; less than zero where they overlap.
    pub fn apart_deg(&self, o: &Self) -> (f64, f64) {
        let east_deg = (self.west_deg - o.east_deg).max(o.west_deg - self.east_deg);
        (east_deg, (self.south_deg - o.north_deg).max(o.south_deg - self.north_deg))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(lat: f64, lon: f64) -> Position {
        Position::from_lat_lon(lat, lon).expect("a position")
    }

    #[test]
    fn vessels_are_found_near_their_cell_and_not_far_from_it() {
        let mut grid = MoverGrid::around(at(47.66, -117.43));
        let here = grid.extent(at(47.66, -117.43), at(47.66, -117.43));
        for cell in grid.cells_of(&here).collect::<Vec<_>>() {
            grid.enter(cell, 7);
            grid.enter(cell, 7);
        }
        let mut found = Vec::new();
        grid.near(&grid.extent(at(47.6601, -117.4301), at(47.6602, -117.43)), 15.0, &mut found);
        assert_eq!(found, [7]);
        found.clear();
        grid.near(&grid.extent(at(47.67, -117.43), at(47.67, -117.43)), 15.0, &mut found);
        assert!(found.is_empty());
        for cell in grid.cells_of(&here).collect::<Vec<_>>() {
            grid.leave(cell, 7);
        }
        assert_eq!(grid.cells.len(), 0);
    }

    #[test]
    fn a_box_across_the_antimeridian_is_small() {
        let grid = MoverGrid::around(at(-18.1, 179.99));
        assert!(grid.cells_of(&grid.extent(at(-18.1, 179.9995), at(-18.1, -179.9995))).count() <= 2);
    }
}
