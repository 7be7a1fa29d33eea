//! Segments of the catalogue. One process at a time writes them ([`SegmentWriter`]); every server that answers brings
//! its catalogue to the recorded ones ([`SegmentKeeper`]).

mod keeper;
mod plan;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use keeper::SegmentKeeper;
pub(crate) use writer::SegmentWriter;
