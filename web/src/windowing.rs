//! Which rows of a long list are worth having in the page.

use std::ops::Range;

/// Rows kept beyond either edge of what is in sight.
const MARGIN: usize = 6;

/// Rows of one height: those in sight, a margin either side.
pub fn even(scroll: f64, height: f64, row: f64, count: usize) -> Range<usize> {
    if count == 0 || row <= 0.0 {
        return 0..0;
    }
    let first = (scroll.max(0.0) / row).floor() as usize;
    let last = ((scroll.max(0.0) + height.max(0.0)) / row).ceil() as usize;
    first.saturating_sub(MARGIN).min(count)..last.saturating_add(MARGIN).min(count)
}

/// The scroll position that brings a row of an even list into sight with the least movement.
pub fn reveal(scroll: f64, height: f64, row: f64, index: usize) -> f64 {
    let top = index as f64 * row;
    let bottom = top + row;
    if top < scroll + row {
        (top - row).max(0.0)
    } else if bottom > scroll + height - row {
        bottom - height + row
    } else {
        scroll
    }
}

/// Rows of their own heights: guessed until measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heights {
    heights: Vec<f64>,
}

impl Heights {
    /// Heights guessed for a list.
    pub fn guessed(heights: Vec<f64>) -> Self {
        Self { heights }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.heights.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.heights.is_empty()
    }

    /// By how much a measured height differs from what is known; nothing within half a pixel.
    pub fn differs(&self, index: usize, height: f64) -> Option<f64> {
        let by = height - self.heights.get(index)?;
        (by.abs() >= 0.5).then_some(by)
    }

    /// Takes a measured height.
    pub fn measure(&mut self, index: usize, height: f64) {
        if let Some(known) = self.heights.get_mut(index) {
            *known = height;
        }
    }

    /// Where a row begins.
    pub fn top(&self, index: usize) -> f64 {
        self.heights.iter().take(index).sum()
    }

    /// How high the list is.
    pub fn total(&self) -> f64 {
        self.heights.iter().sum()
    }

    /// The rows between two heights, a margin of pixels either side.
    pub fn between(&self, from: f64, to: f64, margin: f64) -> Range<usize> {
        let (from, to) = (from - margin, to + margin);
        let mut top = 0.0;
        let mut first = None;
        let mut last = 0;
        for (index, height) in self.heights.iter().enumerate() {
            let bottom = top + height;
            if bottom > from && top < to {
                first.get_or_insert(index);
                last = index + 1;
            }
            top = bottom;
        }
        first.map_or(0..0, |first| first..last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_even_list_shows_what_is_in_sight_and_a_margin() {
        assert_eq!(even(0.0, 240.0, 24.0, 5000), 0..16);
        assert_eq!(even(2400.0, 240.0, 24.0, 5000), 94..116);
        assert_eq!(even(1e9, 240.0, 24.0, 5000), 5000..5000);
        assert_eq!(even(-40.0, 240.0, 24.0, 3), 0..3);
        assert_eq!(even(0.0, 240.0, 24.0, 0), 0..0);
    }

    #[test]
    fn revealing_moves_least() {
        assert_eq!(reveal(100.0, 240.0, 24.0, 6), 100.0);
        assert_eq!(reveal(100.0, 240.0, 24.0, 0), 0.0);
        assert_eq!(
            reveal(0.0, 240.0, 24.0, 20),
            20.0 * 24.0 + 24.0 - 240.0 + 24.0
        );
    }

    #[test]
    fn measured_heights_move_what_is_below() {
        let mut heights = Heights::guessed(vec![40.0; 100]);
        assert_eq!(heights.between(0.0, 100.0, 0.0), 0..3);
        assert_eq!(heights.differs(0, 90.0), Some(50.0));
        heights.measure(0, 90.0);
        assert_eq!(heights.differs(0, 90.2), None);
        assert_eq!(heights.differs(100, 1.0), None);
        assert_eq!(heights.between(0.0, 100.0, 0.0), 0..2);
        assert_eq!(heights.top(2), 130.0);
        assert_eq!(heights.total(), 4050.0);
        assert_eq!(heights.between(5000.0, 6000.0, 0.0), 0..0);
    }
}
