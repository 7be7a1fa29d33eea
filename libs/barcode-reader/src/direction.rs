//! Finds the directions across bars from the gradients of blocks of the image.

use super::view::View;

/// Pixels of a block's side.
const BLOCK: usize = 24;
/// Bins of five degrees.
const BINS: usize = 36;
/// The least part of the gradient of a block that must lie in one direction.
const COHERENT: f32 = 0.55;

/// The directions across bars, in degrees from 0 to 180, the strongest first.
///
/// In a block full of bars the brightness changes along one line only (the structure tensor has one large eigenvalue),
/// and as often up as down; along the edge of a table it changes along one line too, but only once.
pub(super) fn directions(view: &View, most: usize) -> Vec<f32> {
    let mut bins = [Bin::default(); BINS];
    for top in (1..view.height.saturating_sub(BLOCK)).step_by(BLOCK) {
        for left in (1..view.width.saturating_sub(BLOCK)).step_by(BLOCK) {
            if let Some((angle, weight)) = block(view, left, top) {
                let bin = (angle / std::f32::consts::PI * BINS as f32) as usize % BINS;
                if let Some(bin) = bins.get_mut(bin) {
                    bin.weight += weight;
                    bin.cos += weight * (2.0 * angle).cos();
                    bin.sin += weight * (2.0 * angle).sin();
                }
            }
        }
    }
    let mut peaks = Vec::new();
    for _ in 0..most {
        // A peak is a bin with its neighbours, which are then used up.
        let around = |at: usize| [(at + BINS - 1) % BINS, at, (at + 1) % BINS];
        let sum = |at: usize| around(at).map(|bin| bins[bin].weight).iter().sum::<f32>();
        let Some(best) = (0..BINS).max_by(|a, b| sum(*a).total_cmp(&sum(*b))).filter(|best| sum(*best) > 0.0) else {
            break;
        };
        let (cos, sin) =
            around(best).iter().fold((0.0, 0.0), |(cos, sin), at| (cos + bins[*at].cos, sin + bins[*at].sin));
        peaks.push((sin.atan2(cos) / 2.0).to_degrees().rem_euclid(180.0));
        for at in around(best) {
            bins[at] = Bin::default();
        }
    }
    peaks
}

#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    weight: f32,
    cos: f32,
    sin: f32,
}

/// The direction in which a block changes, in radians from 0 to π, and how much it looks like bars.
fn block(view: &View, left: usize, top: usize) -> Option<(f32, f32)> {
    let (mut xx, mut yy, mut xy) = (0.0f32, 0.0f32, 0.0f32);
    let (mut sum_x, mut sum_y, mut size) = (0.0f32, 0.0f32, 0.0f32);
    for y in (top..top + BLOCK).step_by(2) {
        let (above, row, below) = (view.row(y - 1), view.row(y), view.row(y + 1));
        for x in left..left + BLOCK {
            let (Some(l), Some(r), Some(a), Some(b)) = (row.get(x - 1), row.get(x + 1), above.get(x), below.get(x))
            else {
                continue;
            };
            let (dx, dy) = (f32::from(*r) - f32::from(*l), f32::from(*b) - f32::from(*a));
            xx += dx * dx;
            yy += dy * dy;
            xy += dx * dy;
            sum_x += dx;
            sum_y += dy;
            size += dx.abs() + dy.abs();
        }
    }
    let (trace, spread) = (xx + yy, (xx - yy).hypot(2.0 * xy));
    // Mean change below two grey levels: a plain surface.
    if trace < (BLOCK * BLOCK / 2) as f32 * 16.0 || spread < COHERENT * trace {
        return None;
    }
    let to_and_fro = 1.0 - (sum_x.abs() + sum_y.abs()) / size.max(1.0);
    let angle = ((2.0 * xy).atan2(xx - yy) / 2.0).rem_euclid(std::f32::consts::PI);
    Some((angle, (spread / trace).powi(2) * to_and_fro.powi(2) * trace.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::{View, directions};

    #[test]
    fn stripes_are_found_whichever_way_they_lie() {
        for degrees in [0.0f32, 17.0, 45.0, 90.0, 133.0] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let value = |at: usize| {
                let along = (at % 200) as f32 * cos + (at / 200) as f32 * sin;
                if along.rem_euclid(6.0) < 3.0 { 20 } else { 230 }
            };
            let view = View::new(200, 200, (0..40_000).map(value).collect());
            let found = directions(&view, 1);
            let off = (found[0] - degrees).abs();
            assert!(off.min(180.0 - off) < 4.0, "{degrees}: {found:?}");
        }
    }

    #[test]
    fn a_plain_picture_has_no_direction() {
        assert!(directions(&View::new(100, 100, vec![128; 10_000]), 3).is_empty());
        assert!(directions(&View::new(3, 3, vec![1; 9]), 3).is_empty());
    }
}
