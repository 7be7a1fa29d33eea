//! The sizes that several steps of the layout share.

use kaisatsu_render::{LINE_PITCH, LINE_WIDTH};

/// Map units per grid step.
pub(crate) const GRID_UNIT: f64 = 16.0;
/// The desired length of one station distance, in grid steps.
pub(crate) const STEPS_PER_STATION: f32 = 2.4;
/// The radius of a station's mark.
pub(crate) const STATION_RADIUS: f64 = 5.0;
/// The radius of an interchange's mark.
pub(crate) const INTERCHANGE_RADIUS: f64 = 7.0;
/// Half of the width of a line.
pub(crate) const HALF_LINE_WIDTH: f64 = LINE_WIDTH / 2.0;
/// The largest width of a bundle. Up to six lines fit at full pitch, as many as run in parallel in New York.
pub(crate) const MAX_BUNDLE_WIDTH: f64 = 30.0;
/// The shortest visible part of a connector, in map units.
pub(crate) const MIN_CONNECTOR: f64 = 6.0;
/// A group is drawn apart if a connector is longer than this between its marks, in map units. Neighbouring stations of
/// a line are hardly nearer to each other on the densest maps.
pub(crate) const MAX_CONNECTOR: f64 = 72.0;

/// The distance between adjacent lines in a bundle.
#[expect(clippy::cast_precision_loss, reason = "bundles are small")]
pub(crate) fn line_pitch(lines: usize) -> f64 {
    if lines < 2 { LINE_PITCH } else { LINE_PITCH.min(MAX_BUNDLE_WIDTH / (lines - 1) as f64) }
}

/// The distance between the outer lines of a bundle.
#[expect(clippy::cast_precision_loss, reason = "bundles are small")]
pub(crate) fn bundle_width(lines: usize) -> f64 {
    line_pitch(lines) * lines.saturating_sub(1) as f64
}
