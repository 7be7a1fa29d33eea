//! Lays out a railway network as an octilinear route map, with bundled lines and labels that do not overlap.
//!
//! | step | file |
//! |---|---|
//! | build a graph: stations are vertices; lines between the same two, or past them, share an edge | `graph.rs` |
//! | turn it, if its streets lie across the eight directions | `turn.rs` |
//! | join the stations of each group by walks, which stay short | `walks.rs` |
//! | planarise it: crossings become vertices, and the rotation of each vertex is fixed | `planar_graph.rs` |
//! | move disconnected components closer | `components.rs` |
//! | relax by forces that preserve the embedding | `force_layout.rs` |
//! | contract stations of degree two: junctions and corridors remain | `topology.rs` |
//! | place junctions on a grid and route corridors by negotiated congestion | `initial_layout.rs`, `router.rs` |
//! | the state of the layout on the grid | `grid_layout.rs`, `routing_grid.rs`, `footprint.rs`, `faces.rs` |
//! | improve the layout by local search | `local_search.rs` |
//! | order the lines within each corridor to reduce crossings | `line_order.rs` |
//! | compute the geometry of lines and stations | `map_geometry.rs`, `line_geometry.rs`, `station_marks.rs` |
//! | place the labels, in rounds | `labels.rs`, `label_rounds.rs` |
//! | where labels do not fit or bundles touch, make room | `contacts.rs`, `room.rs`, `expand.rs` |
//! | take back the space that labels do not need | `compaction.rs`, `seams.rs` |
//! | shorten what is far longer than the rest | `shifts.rs`, `movables.rs`, `shift_costs.rs`, `min_cut.rs` |
//! | place the bullets of lines and the numbers of stations | `bullets.rs`, `station_numbers.rs`, `free_space.rs` |
//! | place the legend and assemble the map document | `document.rs` |
//! | with more effort, do this in several manners and keep the best map | `manners.rs` |
//! | verify that the layout preserves the network, and measure its quality | `verify.rs`, `quality.rs` |
//!
//! The methods are from Bast, Brosi and Storandt, "Metro Maps on Octilinear Grid Graphs" (2020) and "Metro Maps on
//! Flexible Base Grids" (2021); Bertault, "A Force-Directed Algorithm that Preserves Edge Crossing Properties" (1999);
//! and `McMurchie` and Ebeling, "`PathFinder`" (1995). The implementation is our own. `build.rs` runs the steps.

mod build;
mod bullets;
mod compaction;
mod components;
mod contacts;
mod dimensions;
mod document;
mod error;
mod expand;
mod faces;
mod footprint;
mod force_layout;
mod free_space;
mod geometry;
mod graph;
mod grid_layout;
mod initial_layout;
mod label_rounds;
mod labels;
mod line_geometry;
mod line_order;
mod local_search;
mod manners;
mod map_geometry;
mod min_cut;
mod movables;
mod planar_graph;
mod quality;
mod room;
mod router;
mod routing_grid;
mod seams;
mod segment_index;
mod shift_costs;
mod shifts;
mod side_by_side;
mod station_marks;
mod station_numbers;
mod topology;
mod turn;
mod verify;
mod walks;

pub use build::{BuiltMap, Options, Step, build};
pub use error::LayoutError;
pub use manners::{MAX_EFFORT, score};
pub use quality::Quality;
pub use verify::Violations;
