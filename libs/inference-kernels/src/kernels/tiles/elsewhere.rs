//! Where there are no tiles, nothing here is ever called: [`super::Tiles`] cannot be made.

use super::{Quad, Sums};
use crate::kernels::rows::Strips;

pub(super) fn enable() -> bool {
    false
}

pub(super) struct Configured;

impl Configured {
    pub(super) fn new() -> Self {
        Self
    }
}

pub(super) fn split(_: Strips<'_>, _: usize, _: usize, _: &mut [Quad]) {}

pub(super) fn multiply(_: &[Quad], _: &[Quad], _: bool, _: bool, _: &mut Sums) {}
