//! Determines which layer of the corrections applies to a stop.

use crate::{corrections::Corrections, source_data::SourceData};

/// Which stops the station corrections of each layer apply to.
pub(super) struct LayerScope {
    by_layer: Vec<Vec<bool>>,
}

impl LayerScope {
    pub(super) fn of(data: &SourceData, corrections: &Corrections) -> Self {
        let of_layer = |layer: &Corrections| match layer.area() {
            None => vec![true; data.stops.len()],
            Some(area) => {
                let mut inside: Vec<bool> = data.stops.iter().map(|stop| area.contains(stop.position)).collect();
                for line in data.lines.iter().filter(|line| layer.takes_whole(line.code, &line.key)) {
                    line.runs.iter().flatten().for_each(|&stop| inside[stop] = true);
                }
                inside
            }
        };
        Self { by_layer: corrections.layers().into_iter().map(of_layer).collect() }
    }

    /// The first answer from a layer that applies to one of these stops.
    pub(super) fn first<'a, T>(
        &self,
        corrections: &'a Corrections,
        stops: &[usize],
        ask: impl Fn(&'a Corrections) -> Option<T>,
    ) -> Option<T> {
        let layers = corrections.layers().into_iter().zip(&self.by_layer);
        layers.filter(|(_, inside)| stops.iter().any(|&stop| inside[stop])).find_map(|(layer, _)| ask(layer))
    }
}
