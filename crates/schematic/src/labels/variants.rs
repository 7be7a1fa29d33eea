//! The variants of a label: in one row, in two rows, or vertical.

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

/// The variants of the labels of all stations, by station.
pub(crate) struct LabelVariants(Vec<Vec<LabelVariant>>);

impl LabelVariants {
    pub(crate) fn of(network: &Network, language: MapLanguage, measure: &MeasureLabel<'_>) -> Self {
        let known: KnownNames<'_> = network.stations.iter().map(|station| station.name.as_str()).collect();
        Self(network.stations.iter().map(|station| variants(station, &known, language, measure)).collect())
    }

    /// The size of a station's label in one row.
    pub(crate) fn size(&self, station: usize) -> (i64, i64) {
        self.0[station].first().map_or((0, 0), |variant| (variant.width, variant.height))
    }

    pub(super) fn of_station(&self, station: usize) -> &[LabelVariant] {
        &self.0[station]
    }
}

fn variants(
    station: &Station,
    known: &KnownNames<'_>,
    language: MapLanguage,
    measure: &MeasureLabel<'_>,
) -> Vec<LabelVariant> {
    let has_second = language == MapLanguage::Both && !station.translation.is_empty();
    let text = language.choose(&station.name, &station.translation);
    let small = |rows: usize| match (has_second, rows) {
        (false, _) => Vec::new(),
        (true, 1) => vec![station.translation.clone()],
        (true, _) => split_name(&station.translation, known).unwrap_or_else(|| vec![station.translation.clone()]),
    };
    let name = vec![text.to_owned()];
    let mut variants = vec![(Label { rows: name.clone(), small: small(1), down: false }, 0.0)];
    if let Some(rows) = split_name(text, known) {
        variants.push((Label { rows: rows.clone(), small: small(2), down: false }, 1.2));
        variants.push((Label { rows, small: small(1), down: true }, 3.0));
    }
    variants.push((Label { rows: name, small: small(1), down: true }, if is_japanese(text) { 1.4 } else { 3.5 }));
    variants
        .into_iter()
        .map(|(label, cost)| {
            let (width, height) = measure(&label);
            LabelVariant { label, width: i64::from(width), height: i64::from(height), cost }
        })
        .collect()
}
