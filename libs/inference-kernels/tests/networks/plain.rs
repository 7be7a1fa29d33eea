//! What operations mean, as plainly as it can be written.

use inference_kernels::Tensor;

/// How a window moves over the pixels; down, then across.
#[derive(Debug, Clone, Copy)]
pub(super) struct Geometry {
    pub(super) window: [usize; 2],
    pub(super) stride: [usize; 2],
    /// Padding above and to the left, and below and to the right.
    pub(super) before: [usize; 2],
    pub(super) after: [usize; 2],
}

impl Geometry {
    /// Each window is one pixel.
    pub(super) const POINT: Self = Self { window: [1; 2], stride: [1; 2], before: [0; 2], after: [0; 2] };

    /// How many windows there are.
    pub(super) fn outputs(&self, size: [usize; 2]) -> [usize; 2] {
        [0, 1].map(|at| (size[at] + self.before[at] + self.after[at] - self.window[at]) / self.stride[at] + 1)
    }
}

/// Numbers between -1 and 1 that look like chance and are the same in every run.
pub(super) fn numbers(seed: u32, shape: &[usize]) -> Tensor {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    let values = (0..shape.iter().product()).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    });
    Tensor { shape: shape.to_vec(), values: values.collect() }
}

pub(super) fn each(tensor: &Tensor, operation: impl Fn(f32) -> f32) -> Tensor {
    Tensor { shape: tensor.shape.clone(), values: tensor.values.iter().copied().map(operation).collect() }
}

pub(super) fn add(first: &Tensor, second: &Tensor) -> Tensor {
    let values = first.values.iter().zip(&second.values).map(|(first, second)| first + second).collect();
    Tensor { shape: first.shape.clone(), values }
}

/// A convolution in groups, with a bias for each output.
pub(super) fn convolve(input: &Tensor, weights: &Tensor, bias: &[f32], geometry: &Geometry, groups: usize) -> Tensor {
    let ([_, _, height, width], [made, of_group, rows, columns]) = (sides(input), sides(weights));
    let [down, across] = geometry.outputs([height, width]);
    let mut values = Vec::new();
    for (channel, bias) in bias.iter().enumerate() {
        let first = channel / (made / groups) * of_group;
        for (y, x) in (0..down).flat_map(|y| (0..across).map(move |x| (y, x))) {
            let mut sum = f64::from(*bias);
            for (from, row, column) in places(of_group, rows, columns) {
                let top = (y * geometry.stride[0] + row).wrapping_sub(geometry.before[0]);
                let left = (x * geometry.stride[1] + column).wrapping_sub(geometry.before[1]);
                if top < height && left < width {
                    let weight = weights.values[((channel * of_group + from) * rows + row) * columns + column];
                    sum += f64::from(weight) * f64::from(input.values[((first + from) * height + top) * width + left]);
                }
            }
            values.push(sum as f32);
        }
    }
    Tensor { shape: vec![1, made, down, across], values }
}

fn places(channels: usize, rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..channels)
        .flat_map(move |channel| (0..rows).flat_map(move |row| (0..columns).map(move |column| (channel, row, column))))
}

fn sides(tensor: &Tensor) -> [usize; 4] {
    tensor.shape.as_slice().try_into().unwrap()
}
