//! Rectangles that lines take on a page.

/// Columns belong to one block when the gap between them is at most this many times the width of the wider one, and
/// their heights share this part of the lower one.
const GAP: f32 = 2.0;
const SHARED: f32 = 0.5;

/// A rectangle along the rows of the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
}

impl Extent {
    pub(super) fn around(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            right: self.right.max(other.right),
            top: self.top.min(other.top),
            bottom: self.bottom.max(other.bottom),
        }
    }

    pub(super) fn middle(self) -> f32 {
        f32::midpoint(self.top, self.bottom)
    }

    /// Whether both stand in one row: the middle of each is between the upper and the lower edge of the other.
    pub(super) fn beside(self, other: Self) -> bool {
        let holds = |row: Self, middle: f32| row.top < middle && middle < row.bottom;
        holds(self, other.middle()) && holds(other, self.middle())
    }

    /// Whether two columns belong to one block.
    pub(super) fn same_block(self, other: Self) -> bool {
        let overlap = |from: f32, to: f32, start: f32, end: f32| to.min(end) - from.max(start);
        let height = overlap(self.top, self.bottom, other.top, other.bottom);
        let lower = (self.bottom - self.top).min(other.bottom - other.top);
        let wider = (self.right - self.left).max(other.right - other.left);
        let gap = -overlap(self.left, self.right, other.left, other.right);
        height >= SHARED * lower && gap <= GAP * wider
    }
}
