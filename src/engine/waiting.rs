//! Fixes that wait to be judged: they come in order of time and are judged vessel by vessel.

use crate::track::TrackFix;

/// The fixes that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// In the order in which they came, and behind them room of earlier ones.
    fixes: Vec<TrackFix>,
    /// The slot of the vessel of each.
    slots: Vec<u32>,
    /// By slot.
    rows: Vec<Row>,
    /// The fixes by vessel, once they are [sorted](Self::sort): their places in `fixes`.
    sorted: Vec<u32>,
}

/// The fixes of one vessel.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    /// How many wait.
    count: u32,
    /// The last one.
    last: u32,
    /// Once sorted, behind the last one in `sorted`.
    end: u32,
}

impl Waiting {
    /// How many fixes wait.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Puts a fix of the vessel in a slot behind its others. Whether it is the first.
    #[inline]
    pub fn push(&mut self, slot: u32, fix: TrackFix) -> bool {
        if self.rows.len() <= slot as usize {
            self.rows.resize(slot as usize + 1, Row::default());
        }
        let at = self.slots.len();
        let row = &mut self.rows[slot as usize];
        row.count += 1;
        row.last = at as u32;
        self.slots.push(slot);
        match self.fixes.get_mut(at) {
            Some(there) => *there = fix,
            None => self.fixes.push(fix),
        }
        row.count == 1
    }

    /// The last fix of the vessel in a slot.
    pub fn last_of(&self, slot: u32) -> Option<&TrackFix> {
        let row = self.rows.get(slot as usize).filter(|row| row.count > 0)?;
        Some(&self.fixes[row.last as usize])
    }

    /// Sorts them by vessel, these in the order in which they are going to be asked for; `order` has every slot of which any
    /// wait. Each fix is then found without the one before it, so that several are fetched from memory at a time.
    pub fn sort(&mut self, order: &[u32]) {
        let mut end = 0;
        for &slot in order {
            let row = &mut self.rows[slot as usize];
            row.end = end;
            end += row.count;
        }
        self.sorted.resize(self.slots.len(), 0);
        for (slot, at) in self.slots.iter().zip(0_u32..) {
            let row = &mut self.rows[*slot as usize];
            self.sorted[row.end as usize] = at;
            row.end += 1;
        }
    }

    /// The fixes of the vessel in a slot, in the order in which they came. They have to be sorted.
    pub fn of(&self, slot: u32) -> impl Iterator<Item = &TrackFix> + Clone {
        let Row { count, end, .. } = self.rows[slot as usize];
        self.sorted[(end - count) as usize..end as usize].iter().map(|at| &self.fixes[*at as usize])
    }

    /// Forgets all fixes.
    pub fn clear(&mut self) {
        for slot in self.slots.drain(..) {
            self.rows[slot as usize].count = 0;
        }
        self.sorted.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Position;
    use crate::observation::Fix;
    use crate::time::EventTime;

    #[test]
    fn each_vessel_has_its_own_in_order() {
        let fix = |source| TrackFix::new(&Fix::new(EventTime::MIN, Position::NULL_ISLAND), source);
        let mut waiting = Waiting::default();
        for round in 0..3 {
            for source in 0..600_u64 {
                let slot = (source % 200) as u32;
                assert_eq!(waiting.push(slot, fix(source)), source < 200, "in round {round}");
            }
            assert_eq!(waiting.len(), 600);
            let order: Vec<u32> = (0..200).map(|i| i * 7 % 200).collect();
            waiting.sort(&order);
            for slot in 0..200 {
                let sources: Vec<u64> = waiting.of(slot).map(|fix| fix.source).collect();
                assert_eq!(sources, [0, 200, 400].map(|from| from + u64::from(slot)));
                assert_eq!(waiting.last_of(slot).map(|fix| fix.source), sources.last().copied());
            }
            waiting.clear();
            assert_eq!((waiting.len(), waiting.last_of(3)), (0, None));
        }
    }
}
