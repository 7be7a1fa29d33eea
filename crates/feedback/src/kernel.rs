//! The kernel: the weight of an exemplar for a query, from the cosine of their vectors around the centre of all
//! exemplars.
//!
//! The kernel narrows where exemplars are crowded. Among many similar pictures, a wide kernel lets one false
//! confirmation attract all of them; among few, a narrow kernel finds nothing to learn from.

use crate::{
    exemplars::{ExemplarSet, SUM_SCALE},
    quantised::{QuantisedVector, Sketch},
};

/// The smallest cosine at which the kernel ends. From there to a cosine of 1 the weight grows with the square of the
/// excess. The cosines of unrelated photographs are around 0, and 1 in 20 exceeds this.
pub(crate) const MIN_COSINE: f32 = 0.2;

/// The largest cosine at which the kernel ends. Pictures nearer than that always count, so that more verdicts on almost
/// the same picture make the estimate more certain.
const MAX_END: f32 = 0.5;

/// The total weight of the neighbours above which the kernel narrows, where 1 is an exemplar with a cosine of 1.
const CROWDED: f32 = 1.0;

/// The number of steps in which the kernel narrows.
const STEPS: u8 = 16;

/// The weight of the origin in the centre, in exemplars: with few exemplars the centre stays close to the origin.
const CENTRE_PRIOR_COUNT: f32 = 8.0;

/// The weight of an exemplar with a cosine of 1. Weights are integers in this unit.
pub(crate) const UNIT_WEIGHT: f32 = 65_536.0;

/// The picture whose candidates are scored.
pub(crate) struct Query {
    pub(crate) vector: QuantisedVector,
    pub(crate) sketch: Sketch,
    /// The components, widened for the inner loops.
    pub(crate) components: Vec<i16>,
}

impl Query {
    pub(crate) fn new(vector: QuantisedVector) -> Self {
        let components = vector.components().iter().map(|component| i16::from(*component)).collect();
        Self { sketch: vector.sketch(), components, vector }
    }

    /// The factor that turns the components into a unit vector.
    fn unit(&self) -> f32 {
        self.vector.scaling().unit
    }
}

/// The mean of the exemplars' unit vectors. Cosines are measured around it, because what all exemplars have in common
/// does not tell them apart.
pub(crate) struct Centre {
    pub(crate) components: Vec<i16>,
    /// The value of one unit of a component.
    step: f32,
    squared_norm: f32,
    dot_query: f32,
}

impl Centre {
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "rounded to eleven bits and a sign on purpose"
    )]
    pub(crate) fn new(sets: &[&ExemplarSet], query: &Query) -> Self {
        let mut sum = vec![0i64; query.vector.dims()];
        let mut count = CENTRE_PRIOR_COUNT;
        let dims = sum.len();
        for set in sets.iter().filter(|set| set.dims() == dims) {
            sum.iter_mut().zip(set.sum()).for_each(|(sum, more)| *sum += more);
            count += set.len() as f32;
        }
        let mean: Vec<f32> = sum.iter().map(|sum| *sum as f32 / (SUM_SCALE * count)).collect();
        let largest = mean.iter().map(|value| value.abs()).fold(1e-9, f32::max);
        let step = largest / 2047.0;
        let components: Vec<i16> = mean.iter().map(|value| (value / step).round() as i16).collect();
        let square: i64 = components.iter().map(|component| i64::from(*component).pow(2)).sum();
        let dot: i64 = components.iter().zip(&query.components).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
        let dot_query = dot as f32 * step * query.unit();
        Self { components, step, squared_norm: square as f32 * step * step, dot_query }
    }

    /// The cosine of an exemplar with the query, from the dot products of its components with those of the query and of
    /// the centre. `unit` is the factor that turns its components into a unit vector.
    #[allow(clippy::cast_precision_loss, reason = "sums of bytes")]
    pub(crate) fn cosine(&self, query: &Query, (with_query, with_centre): (i32, i32), unit: f32) -> f32 {
        let dot_exemplar_query = with_query as f32 * unit * query.unit();
        let dot_exemplar = with_centre as f32 * unit * self.step;
        // The squared distance of a unit vector from the centre, from their dot product.
        let squared_distance = |dot: f32| (1.0 - 2.0 * dot + self.squared_norm).max(1e-6);
        let norms = (squared_distance(self.dot_query) * squared_distance(dot_exemplar)).sqrt();
        (dot_exemplar_query - self.dot_query - dot_exemplar + self.squared_norm) / norms
    }
}

/// The weight of an exemplar with this cosine under a kernel that ends at `end`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to UNIT_WEIGHT")]
pub(crate) fn weight(cosine: f32, end: f32) -> u32 {
    let share = ((cosine - end) / (1.0 - end)).clamp(0.0, 1.0);
    (share * share * UNIT_WEIGHT) as u32
}

/// Where the kernel ends for a query whose neighbours have these cosines: as far out as their total weight allows.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small weight")]
pub(crate) fn kernel_end(cosines: &[f32]) -> f32 {
    let end = |step: u8| MIN_COSINE + (MAX_END - MIN_COSINE) * f32::from(step) / f32::from(STEPS);
    let total = |end: f32| cosines.iter().map(|cosine| u64::from(weight(*cosine, end))).sum::<u64>();
    let steps: Vec<u8> = (0..STEPS).collect();
    let is_crowded = |step: &u8| total(end(*step)) > (CROWDED * UNIT_WEIGHT) as u64;
    end(u8::try_from(steps.partition_point(is_crowded)).unwrap_or(STEPS))
}
