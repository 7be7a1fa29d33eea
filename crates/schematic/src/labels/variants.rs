//! The variants of a label: in one row, in two rows, or vertical, and in large type where passengers change or trains
//! end.

use std::collections::HashSet;

use kaisatsu_model::MapLanguage;
use kaisatsu_railmap::{
    Label,
    name_breaks::{KnownNames, is_japanese, split_name},
};
use kaisatsu_transit::{Network, Station};

/// Returns the width and the height of a label.
pub(crate) type MeasureLabel<'a> = dyn Fn(&Label) -> (i32, i32) + 'a;

/// A label and its size.
#[derive(Debug, Clone)]
pub(super) struct LabelVariant {
    pub(super) label: Label,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) cost: f32,
}

/// The font size of the names of termini and interchanges, in map units.
const LARGE_SIZE: u8 = 15;
/// What it costs to set such a name no larger than the others: a large one may stand on a worse side, but evicts no
/// other name.
const NOT_LARGE: f32 = 2.0;

/// The variants of the labels of all stations, by station.
pub(crate) struct LabelVariants(Vec<Vec<LabelVariant>>);

impl LabelVariants {
    /// `prominent` are the stations whose names are larger, where there is room.
    pub(crate) fn of(
        network: &Network,
        prominent: &HashSet<usize>,
        language: MapLanguage,
        measure: &MeasureLabel<'_>,
    ) -> Self {
        let known: KnownNames<'_> = network.stations.iter().map(|station| station.name.as_str()).collect();
        let variants = |(at, station)| {
            let plain = labels(station, &known, language);
            let large = plain.clone().into_iter().map(|(label, cost)| (Label { size: LARGE_SIZE, ..label }, cost));
            let all: Vec<_> = if prominent.contains(&at) {
                plain.iter().cloned().map(|(label, cost)| (label, cost + NOT_LARGE)).chain(large).collect()
            } else {
                plain
            };
            all.into_iter().map(|(label, cost)| variant(label, cost, measure)).collect()
        };
        Self(network.stations.iter().enumerate().map(variants).collect())
    }

    /// The size of a station's label in one row, in the type of most names.
    pub(crate) fn size(&self, station: usize) -> (i64, i64) {
        self.0[station].first().map_or((0, 0), |variant| (variant.width, variant.height))
    }

    pub(super) fn of_station(&self, station: usize) -> &[LabelVariant] {
        &self.0[station]
    }
}

fn variant(label: Label, cost: f32, measure: &MeasureLabel<'_>) -> LabelVariant {
    let (width, height) = measure(&label);
    LabelVariant { label, width: i64::from(width), height: i64::from(height), cost }
}

/// How a name can be set, with what it costs.
fn labels(station: &Station, known: &KnownNames<'_>, language: MapLanguage) -> Vec<(Label, f32)> {
    let has_second = language == MapLanguage::Both && !station.translation.is_empty();
    let text = language.choose(&station.name, &station.translation);
    let small = |rows: usize| match (has_second, rows) {
        (false, _) => Vec::new(),
        (true, 1) => vec![station.translation.clone()],
        (true, _) => split_name(&station.translation, known).unwrap_or_else(|| vec![station.translation.clone()]),
    };
    let name = vec![text.to_owned()];
    let label = |rows: &[String], small: Vec<String>, down: bool| {
        let size = Label::SIZE;
        Label { rows: rows.to_vec(), small, down, size }
    };
    let mut labels = vec![(label(&name, small(1), false), 0.0)];
    if let Some(rows) = split_name(text, known) {
        labels.push((label(&rows, small(2), false), 1.2));
        labels.push((label(&rows, small(1), true), 3.0));
    }
    labels.push((label(&name, small(1), true), if is_japanese(text) { 1.4 } else { 3.5 }));
    labels
}
