//! From a railway network to a route map: eight directions, bundles of lines, labels that never collide.
//!
//! | step | file |
//! |---|---|
//! | stations that lines share become one vertex | `graph.rs` |
//! | crossings become vertices; from here on the order around each vertex is fixed | `plane.rs` |
//! | islands come nearer, crowded centres open, lines go straight, nothing crosses | `gather.rs`, `relax.rs` |
//! | stations with two neighbours are taken out | `skeleton.rs` |
//! | joints get places on a grid, links negotiate their ways | `place.rs`, `router.rs`, `board.rs`, `body.rs`, `draft.rs` |
//! | joints try the places around them | `improve.rs` |
//! | lines that run side by side get an order | `bundle.rs` |
//! | stations are put back, strokes drawn | `scene.rs`, `strokes.rs` |
//! | names look for places; where there is none, or wide bundles touch, the drawing is stretched | `labels.rs`, `touch.rs`, `stretch.rs` |
//! | a corner for the legend, and everything into one sheet | `sheet.rs` |
//! | is it still the same network, and how good is it | `verify.rs`, `quality.rs` |
//!
//! The methods come from Bast, Brosi and Storandt, "Metro Maps on Octilinear Grid Graphs" (2020) and "Metro Maps on Flexible Base
//! Grids" (2021); Bertault, "A Force-Directed Algorithm that Preserves Edge Crossing Properties" (1999); and `McMurchie` and Ebeling,
//! "`PathFinder`" (1995). The code is our own.

mod board;
mod body;
mod build;
mod bundle;
mod cells;
mod draft;
mod faces;
mod gather;
mod geometry;
mod graph;
mod improve;
mod labels;
mod place;
mod plane;
mod quality;
mod relax;
mod router;
mod scene;
mod sheet;
mod skeleton;
mod stretch;
mod strokes;
mod touch;
mod verify;

pub use build::{Built, Options, Step, Unbuildable, build};
pub use quality::Quality;
pub use verify::Violations;
