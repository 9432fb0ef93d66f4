//! Stretches of time within one leg, as sorted disjoint closed spans of seconds since its start.

use smallvec::SmallVec;

/// A closed stretch `from_s ..= to_s`, in seconds since the start of a leg. An instant has both equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Where it begins, seconds.
    pub from_s: f64,
    /// Where it ends, seconds; never before `from_s`.
    pub to_s: f64,
}

impl Span {
    /// The span between two ends, or `None` where they are out of order or no numbers.
    pub fn new(from_s: f64, to_s: f64) -> Option<Self> {
        (from_s <= to_s).then_some(Self { from_s, to_s })
    }
    /// What two spans share, if anything.
    pub fn intersect(self, o: Self) -> Option<Self> {
        Self::new(self.from_s.max(o.from_s), self.to_s.min(o.to_s))
    }
    /// Whether the instant lies in it, ends included.
    pub fn contains(self, s: f64) -> bool {
        self.from_s <= s && s <= self.to_s
    }
    /// The same on a clock that shows `by_s` more.
    pub fn later(self, by_s: f64) -> Self {
        Self { from_s: self.from_s + by_s, to_s: self.to_s + by_s }
    }
    /// Its length in seconds.
    pub fn length_s(self) -> f64 {
        self.to_s - self.from_s
    }
}

/// What is shorter is left of a subtraction by rounding, seconds.
const SLIVER_S: f64 = 1e-6;

/// Sorted, disjoint spans.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spans(SmallVec<[Span; 2]>);

impl Spans {
    /// No time at all.
    pub fn none() -> Self {
        Self::default()
    }
    /// One span.
    pub fn one(span: Span) -> Self {
        let mut list = SmallVec::new();
        list.push(span);
        Self(list)
    }
    /// Whether there is no instant in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The spans in order.
    pub fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().copied()
    }
    /// Whether the instant lies in one of them.
    pub fn contains(&self, s: f64) -> bool {
        self.iter().any(|span| span.contains(s))
    }
    /// Adds a span, joining those it touches.
    pub fn add(&mut self, span: Span) {
        let first = self.0.iter().position(|o| o.to_s >= span.from_s).unwrap_or(self.0.len());
        let mut joined = span;
        let mut last = first;
        while last < self.0.len() && self.0[last].from_s <= joined.to_s {
            joined.from_s = joined.from_s.min(self.0[last].from_s);
            joined.to_s = joined.to_s.max(self.0[last].to_s);
            last += 1;
        }
        if first == last {
            self.0.insert(first, joined);
        } else {
            self.0[first] = joined;
            self.0.drain(first + 1..last);
        }
    }
    /// What lies both here and in `window`.
    pub fn within(&self, window: Span) -> Self {
        Self(self.iter().filter_map(|s| s.intersect(window)).collect())
    }
    /// What lies in both.
    pub fn intersect(&self, o: &Self) -> Self {
        let mut out = Self::none();
        for span in self.iter() {
            for other in o.iter() {
                if let Some(shared) = span.intersect(other) {
                    out.add(shared);
                }
            }
        }
        out
    }
    /// What is left once `o` is taken away. Ends stay closed: a removed stretch leaves its own ends. Slivers
    /// that only rounding leaves, where both begin or end at one place, are no time at all.
    pub fn subtract(&self, o: &Self) -> Self {
        let mut out = Self::none();
        for span in self.iter() {
            let sliver_s = SLIVER_S.min(span.length_s());
            let mut from_s = span.from_s;
            let mut swallowed = false;
            for hole in o.iter().filter(|h| h.to_s >= span.from_s && h.from_s <= span.to_s) {
                if hole.from_s > from_s && hole.from_s - from_s >= sliver_s {
                    out.0.push(Span { from_s, to_s: hole.from_s });
                }
                from_s = from_s.max(hole.to_s);
                swallowed = hole.to_s >= span.to_s;
            }
            if !swallowed && span.to_s - from_s >= sliver_s {
                out.0.push(Span { from_s, to_s: span.to_s });
            }
        }
        out
    }
    /// Total length in seconds.
    pub fn length_s(&self) -> f64 {
        self.iter().map(Span::length_s).sum()
    }
}

impl FromIterator<Span> for Spans {
    fn from_iter<I: IntoIterator<Item = Span>>(iter: I) -> Self {
        let mut out = Self::none();
        for span in iter {
            out.add(span);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(list: &[(f64, f64)]) -> Spans {
        list.iter().map(|&(a, b)| Span { from_s: a, to_s: b }).collect()
    }

    #[test]
    fn touching_spans_join() {
        assert_eq!(spans(&[(0.0, 1.0), (2.0, 3.0), (1.0, 2.0)]), spans(&[(0.0, 3.0)]));
        assert_eq!(spans(&[(4.0, 5.0), (0.0, 1.0)]).iter().count(), 2);
    }

    #[test]
    fn what_two_share_and_what_is_left() {
        let a = spans(&[(0.0, 10.0), (20.0, 30.0)]);
        let b = spans(&[(5.0, 22.0), (29.0, 40.0)]);
        assert_eq!(a.intersect(&b), spans(&[(5.0, 10.0), (20.0, 22.0), (29.0, 30.0)]));
        assert_eq!(a.subtract(&b), spans(&[(0.0, 5.0), (22.0, 29.0)]));
        assert!(a.subtract(&spans(&[(-1.0, 50.0)])).is_empty());
    }

    #[test]
    fn an_instant_is_a_span() {
        let mut a = spans(&[(1.0, 1.0)]);
        assert!(a.contains(1.0) && a.length_s() == 0.0);
        a.add(Span { from_s: 0.5, to_s: 1.0 });
        assert_eq!(a, spans(&[(0.5, 1.0)]));
        assert_eq!(Span::new(2.0, 1.0), None);
        assert_eq!(Span::new(f64::NAN, 1.0), None);
    }
}
