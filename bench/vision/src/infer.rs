//! A network alone, fed with the same made-up tensors again and again, one copy on each thread.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use kaisatsu_vision::{Feed, Network, Runtime, manifest::Backend};

use crate::figures;

pub(crate) fn run(library: &str, model: &str, threads: u32, seconds: u32, inputs: &[&str]) -> serde_json::Value {
    let runtime = Runtime::at(Path::new(library)).expect("the library");
    let inputs: Vec<(String, Vec<usize>, Vec<f32>)> = inputs.iter().map(|input| tensor(input)).collect();
    let end = Duration::from_secs(u64::from(seconds));
    let mut networks: Vec<Network> =
        (0..threads).map(|_| runtime.network(Path::new(model), Backend::Auto).expect("a network")).collect();
    for network in &mut networks {
        once(network, &inputs);
    }
    let began = Instant::now();
    let times = thread::scope(|scope| {
        let running: Vec<_> = networks
            .iter_mut()
            .map(|network| {
                let inputs = &inputs;
                scope.spawn(move || {
                    let mut times = Vec::new();
                    while began.elapsed() < end {
                        let start = Instant::now();
                        once(network, inputs);
                        times.push(start.elapsed().as_secs_f64() * 1e3);
                    }
                    times
                })
            })
            .collect();
        running.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    figures(times, began.elapsed().as_secs_f64())
}

/// `NAME=1x3x224x224` as a tensor of values between 0 and 1.
fn tensor(input: &str) -> (String, Vec<usize>, Vec<f32>) {
    let (name, shape) = input.split_once('=').expect("NAME=SHAPE");
    let shape: Vec<usize> = shape.split('x').map(|side| side.parse().expect("a size")).collect();
    let values =
        (0..shape.iter().product::<usize>()).map(|at| f32::from(u8::try_from(at % 251).expect("small")) / 251.0);
    (name.to_owned(), shape, values.collect())
}

fn once(network: &mut Network, inputs: &[(String, Vec<usize>, Vec<f32>)]) {
    let output = network.outputs().first().copied().expect("an output").to_owned();
    let feeds: Vec<(&str, Feed<'_>)> =
        inputs.iter().map(|(name, shape, values)| (name.as_str(), Feed::Floats(shape, values))).collect();
    let [out] = network.run(&feeds, [&output]).expect("a run");
    std::hint::black_box(out);
}
