//! The threshold of familiarity, below which a picture belongs to none of the classes.

/// How much less familiar than the least familiar training picture a picture may be.
const SLACK: f32 = 0.9;

/// With fewer pictures, no threshold can be chosen.
const FEWEST: usize = 8;

/// The threshold: somewhat below the second percentile of pictures that were left out, and at most halfway between it
/// and the usual cosine with other classes. `left_out` holds the class of each, and its cosines with all means.
///
/// It is -1, so that every picture is familiar, when there are few pictures or they are of few of the classes.
///
/// The second number is the cosine of the usual picture, if there is a threshold.
pub(super) fn threshold(left_out: &[(usize, Vec<f32>)], classes: usize) -> (f32, Option<f32>) {
    let mut seen: Vec<usize> = left_out.iter().map(|(class, _)| *class).collect();
    seen.sort_unstable();
    seen.dedup();
    if left_out.len() < FEWEST || seen.len() * 2 < classes {
        return (-1.0, None);
    }
    let most = |row: &[f32], without: Option<usize>| {
        let counted = row.iter().enumerate().filter(|(class, _)| Some(*class) != without);
        counted.map(|(_, cosine)| *cosine).fold(-1.0, f32::max)
    };
    let known = sorted(left_out.iter().map(|(_, row)| most(row, None)));
    let others = sorted(left_out.iter().map(|(class, row)| most(row, Some(*class))));
    let (strangest, other) = (known[known.len() / 50], others[others.len() / 2]);
    ((strangest * SLACK).min(f32::midpoint(strangest, other)), Some(known[known.len() / 2]))
}

fn sorted(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values
}
