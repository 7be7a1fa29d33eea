//! Places the labels in rounds: where one does not fit, room is made, until all are placed.

use std::collections::BTreeMap;

use kaisatsu_transit::Network;

use crate::{
    build::Step,
    compaction::Labelled,
    contacts::{Contact, find_contacts},
    error::LayoutError,
    expand::{Axis, expand},
    geometry::Point,
    grid_layout::GridLayout,
    labels::{self, LabelVariants, PlacedLabel},
    local_search::optimise_around,
    manners::Manner,
    map_geometry::MapGeometry,
    planar_graph::VertexKind,
    room::{Need, label_cells, make_room, move_apart},
};

/// Margin around the layout while labels are placed; the unused part is cropped at the end.
const LABEL_MARGIN: f64 = 240.0;
/// The most rounds of label placement.
const MAX_LABEL_ROUNDS: usize = 60;

/// After this many rounds, labels may also be placed farther from their marks.
const NEAR_LABEL_ROUNDS: usize = 10;

/// After this many rounds, the grid unit grows instead of the grid, while labels keep their size. In the end every
/// label fits.
const EXPANSION_ROUNDS: usize = 24;
/// In this many rounds, contacts between wide bundles also cause an expansion. Later ones are accepted. Walks that are
/// too long are not until the last expansion, because groups would be drawn apart.
const CONTACT_ROUNDS: usize = 20;
/// The largest crowding cost of a corridor. Three neighbours at a node must cost less than one missing step of length;
/// otherwise corridors would become too short.
const MAX_CROWDING_COST: f32 = 1.9;

/// The largest cost of each step of a walk.
const MAX_WALK_COST: f32 = 200.0;

/// What has been tried to make room.
struct RoomTries {
    most: usize,
    stations: Vec<usize>,
    contacts: BTreeMap<Vec<usize>, usize>,
}

/// Places the labels, and makes room where one does not fit, until all are placed.
pub(crate) fn place_labels(
    network: &Network,
    layout: &mut GridLayout<'_>,
    variants: &LabelVariants,
    manner: &Manner,
    progress: &mut dyn FnMut(Step),
) -> Result<(Labelled, bool, Vec<f64>), LayoutError> {
    // The shape is final from here on. The displacement weight keeps it.
    layout.displacement_weight = 1.5;
    layout.reset_targets();
    let mut unplaced = Vec::new();
    let mut nudges = vec![0.0; network.stations.len()];
    let desired = layout.desired_lengths.clone();
    let stations = vec![0; network.stations.len()];
    let mut tries = RoomTries { most: manner.room_tries, stations, contacts: BTreeMap::new() };
    for round in 0..MAX_LABEL_ROUNDS {
        let low = layout.min_corner();
        #[expect(clippy::cast_precision_loss, reason = "rounds are few")]
        let cell = manner.cell + 2.0 * round.saturating_sub(EXPANSION_ROUNDS) as f64;
        let shift = Point::new(f64::from(low.x) * cell - LABEL_MARGIN, f64::from(low.y) * cell - LABEL_MARGIN);
        let geometry = MapGeometry::of(layout, &nudges, network.lines.len(), cell, shift);
        let placed = labels::place_labels(&geometry, variants, round > NEAR_LABEL_ROUNDS);
        let overlapping_marks = geometry.overlapping_marks();
        // Marks overlap when a corridor is too short for its stations. Junctions never overlap.
        for (corridor, _) in overlapping_marks.iter().filter_map(|&station| geometry.stops[station].on_corridor) {
            layout.desired_lengths[corridor] += 0.3;
        }
        // A name that has found no place for long needs its neighbours farther away, whose names it would seem to be.
        if (NEAR_LABEL_ROUNDS..EXPANSION_ROUNDS).contains(&round) {
            for station in (0..placed.len()).filter(|&at| placed[at].is_none()) {
                for corridor in corridors_at(layout, &geometry, station) {
                    layout.desired_lengths[corridor] += 0.3;
                }
            }
        }
        unplaced = overlapping_marks;
        unplaced.extend((0..placed.len()).filter(|&at| placed[at].is_none()));
        unplaced.sort_unstable();
        unplaced.dedup();
        let contacts = find_contacts(layout.topology, &geometry);
        let long = long_walks(layout, &geometry);
        progress(Step::Labelling { missing: unplaced.len() + contacts.len() + long.len() });
        let is_settled =
            (contacts.is_empty() || round >= CONTACT_ROUNDS) && (long.is_empty() || round >= EXPANSION_ROUNDS);
        if unplaced.is_empty() && is_settled {
            let placed = placed.into_iter().flatten().collect();
            return Ok((Labelled { geometry, placed, cell, shift }, round > NEAR_LABEL_ROUNDS, nudges));
        }
        let sides = (cell, shift);
        let nudged = labels::nudge(&geometry, variants, layout, &unplaced, sides, &mut nudges);
        if (!nudged || round > 2) && round < EXPANSION_ROUNDS {
            let spots: Vec<Contact> = unplaced.iter().map(|&at| spot_of(layout, &geometry, at)).collect();
            let left =
                make_rooms(layout, &geometry, (&unplaced, spots, contacts), (&placed, variants, sides), &mut tries);
            add_space(layout, &left, sides, round);
        }
        // Space for names must not keep the stations of a group apart.
        for &walk in &long {
            layout.desired_lengths[walk] = desired[walk];
        }
        shorten(layout, &long);
    }
    let names: Vec<&str> = unplaced.iter().take(10).map(|&at| network.stations[at].name.as_str()).collect();
    Err(LayoutError::UnplacedLabels(names.join(", ")))
}

/// Makes room by moving parts. Returns where rows and columns are needed, because there was no way or it did not help.
fn make_rooms(
    layout: &mut GridLayout<'_>,
    geometry: &MapGeometry,
    (unplaced, spots, contacts): (&[usize], Vec<Contact>, Vec<Contact>),
    (placed, variants, (cell, shift)): (&[Option<PlacedLabel>], &LabelVariants, (f64, Point)),
    tries: &mut RoomTries,
) -> Vec<Contact> {
    let mut left = Vec::new();
    if tries.most == 0 {
        left.extend(spots.into_iter().chain(contacts));
        return left;
    }
    let rects = placed.iter().enumerate().filter_map(|(at, placed)| Some((at, placed.as_ref()?.rect, 1.0)));
    let labels = label_cells(layout, geometry, rects, (cell, shift));
    for (&station, spot) in unplaced.iter().zip(spots) {
        tries.stations[station] += 1;
        let need = Need::of(variants.size(station), cell);
        let attempt = tries.stations[station];
        if attempt > tries.most || !make_room(layout, geometry, (station, need, attempt), &labels) {
            left.push(spot);
        }
    }
    for contact in contacts {
        let attempt = tries.contacts.entry(contact.corridors.clone()).or_default();
        *attempt += 1;
        if *attempt > tries.most || !move_apart(layout, &contact, &labels) {
            left.push(contact);
        }
    }
    left
}

fn spot_of(layout: &GridLayout<'_>, geometry: &MapGeometry, station: usize) -> Contact {
    Contact { at: geometry.stops[station].middle(), corridors: corridors_at(layout, geometry, station) }
}

/// Places the labels on a layout whose size is final. The error has the stations whose labels do not fit.
pub(crate) fn label_again(
    network: &Network,
    layout: &GridLayout<'_>,
    variants: &LabelVariants,
    (cell, far, nudges): (f64, bool, &[f64]),
) -> Result<Labelled, Vec<usize>> {
    let low = layout.min_corner();
    let shift = Point::new(f64::from(low.x) * cell - LABEL_MARGIN, f64::from(low.y) * cell - LABEL_MARGIN);
    let geometry = MapGeometry::of(layout, nudges, network.lines.len(), cell, shift);
    let overlapping_marks = geometry.overlapping_marks();
    if !overlapping_marks.is_empty() {
        return Err(overlapping_marks);
    }
    let placed = labels::place_labels(&geometry, variants, far);
    let missing: Vec<usize> = (0..placed.len()).filter(|&station| placed[station].is_none()).collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    Ok(Labelled { geometry, placed: placed.into_iter().flatten().collect(), cell, shift })
}

/// The corridors of the walks that are too long.
pub(crate) fn long_walks(layout: &GridLayout<'_>, geometry: &MapGeometry) -> Vec<usize> {
    let long: Vec<usize> = geometry.long_connectors().map(|connector| connector.walk).collect();
    let is_long = |at: &usize| layout.topology.corridors[*at].walk.is_some_and(|walk| long.contains(&walk));
    (0..layout.topology.corridors.len()).filter(is_long).collect()
}

/// Makes long walks more expensive, and lets their stations move towards each other.
fn shorten(layout: &mut GridLayout<'_>, walks: &[usize]) {
    for &corridor in walks {
        layout.walk_costs[corridor] = (layout.walk_costs[corridor] * 1.6).min(MAX_WALK_COST);
    }
    if !walks.is_empty() {
        optimise_around(layout, walks, 6);
        layout.reset_targets();
    }
}

/// Expands the grid at some points, by rows and columns alternately, and raises the crowding cost of the corridors
/// there.
fn add_space(layout: &mut GridLayout<'_>, spots: &[Contact], (cell, shift): (f64, Point), round: usize) {
    let axis = if round.is_multiple_of(2) { Axis::Rows } else { Axis::Columns };
    let mut cuts = Vec::new();
    let mut corridors: Vec<usize> = Vec::new();
    for spot in spots {
        let at = spot.at.plus(shift).times(1.0 / cell);
        #[expect(clippy::cast_possible_truncation, reason = "the grid is small")]
        let cut = if axis == Axis::Rows { at.y.floor() as i32 } else { at.x.floor() as i32 };
        // After it in some rounds and before it in others: what is too near may be on either side.
        cuts.push(cut - i32::from(round % 4 > 1));
        corridors.extend(&spot.corridors);
    }
    corridors.sort_unstable();
    corridors.dedup();
    for &corridor in &corridors {
        layout.crowding_costs[corridor] = (layout.crowding_costs[corridor] * 1.6).min(MAX_CROWDING_COST);
    }
    cuts.sort_unstable();
    cuts.dedup_by(|later, earlier| *later - *earlier < 3);
    // Last cut first, so that the positions of earlier cuts stay valid.
    corridors.extend(cuts.into_iter().rev().flat_map(|cut| expand(layout, axis, cut, 2)));
    corridors.sort_unstable();
    corridors.dedup();
    optimise_around(layout, &corridors, 6);
    layout.reset_targets();
}

fn corridors_at(layout: &GridLayout<'_>, geometry: &MapGeometry, station: usize) -> Vec<usize> {
    if let Some((corridor, _)) = geometry.stops[station].on_corridor {
        return vec![corridor];
    }
    let junction = layout.topology.junctions.iter().position(|junction| junction.kind == VertexKind::Station(station));
    junction.map(|junction| layout.ends_at(junction).map(|end| end.corridor).collect()).unwrap_or_default()
}
