//! Where a matrix product writes its result.

/// Where the result goes: block `b` of row `r` to `b · plane +` the place of `r`.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) plane: usize,
    pub(crate) places: Places,
}

/// Where the rows of a result have their places.
#[derive(Clone, Copy)]
pub(crate) enum Places {
    /// One after the other, from here on.
    From(usize),
    /// `across` in a line, from `before` on; a line has `width`, and is at its number modulo `lines`.
    Lines { first: usize, across: usize, before: usize, width: usize, lines: usize },
}

impl Places {
    /// Lists the places of some rows.
    #[inline(always)]
    pub(super) fn list(self, row: usize, list: &mut [usize]) {
        match self {
            Self::From(first) => list.iter_mut().zip(first + row..).for_each(|(place, at)| *place = at),
            Self::Lines { first, across, before, width, lines } => {
                let (mut line, mut column) = ((first + row / across) % lines, row % across);
                for place in list {
                    *place = line * width + before + column;
                    column += 1;
                    if column == across {
                        (line, column) = ((line + 1) % lines, 0);
                    }
                }
            }
        }
    }
}
