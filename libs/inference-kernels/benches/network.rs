//! The processor time of one run of a network with every instruction set that this processor has.
//!
//! `cargo bench -- MODEL.onnx SECONDS NAME=1x3x224x224 …`
#![allow(clippy::print_stdout, reason = "a measurement prints")]

use std::{
    error::Error,
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use inference_kernels::{Network, Processor, Runner, Unsupported};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [model, seconds, inputs @ ..] = words.as_slice() else {
        return Err("usage: cargo bench -- MODEL.onnx SECONDS NAME=1x3x224x224 …".into());
    };
    let file = fs::read(model)?;
    let inputs =
        inputs.iter().map(|input| tensor(input)).collect::<Option<Vec<_>>>().ok_or("an input is NAME=SIZES")?;
    let mut runners = Vec::new();
    for processor in Processor::available() {
        runners.push((processor.name(), Runner::new(Arc::new(Network::read(processor, file.clone())?)), Vec::new()));
    }
    // In turn, so that what else the machine does disturbs all of them alike.
    let began = Instant::now();
    let end = began + Duration::from_secs_f64(seconds.parse()?);
    while Instant::now() < end {
        for (_, runner, times) in &mut runners {
            run(runner, &inputs)?;
            let start = processor_time(began);
            run(runner, &inputs)?;
            times.push(processor_time(began).saturating_sub(start));
        }
    }
    for (name, _, mut times) in runners {
        times.sort_unstable();
        let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
        println!("{name}: {:.2} ms at best, {:.2} ms in the middle of {} runs", at(0), at(50), times.len());
    }
    Ok(())
}

/// The processor time of this thread, which Linux counts, so that other programs disturb less; elsewhere the clock.
fn processor_time(began: Instant) -> Duration {
    let counted = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = counted.split(' ').next().and_then(|word| word.parse().ok());
    nanoseconds.map_or_else(|| began.elapsed(), Duration::from_nanos)
}

/// `NAME=1x3x224x224` as a tensor of values between 0 and 1.
fn tensor(input: &str) -> Option<(String, Vec<usize>, Vec<f32>)> {
    let (name, shape) = input.split_once('=')?;
    let shape = shape.split('x').map(|side| side.parse().ok()).collect::<Option<Vec<usize>>>()?;
    let values = (0u8..251).cycle().map(|value| f32::from(value) / 251.0).take(shape.iter().product()).collect();
    Some((name.to_owned(), shape, values))
}

fn run(runner: &mut Runner, inputs: &[(String, Vec<usize>, Vec<f32>)]) -> Result<(), Unsupported> {
    let output = runner.network().outputs().next().unwrap_or_default().to_owned();
    let feeds: Vec<(&str, &[usize], &[f32])> =
        inputs.iter().map(|(name, shape, values)| (name.as_str(), shape.as_slice(), values.as_slice())).collect();
    std::hint::black_box(runner.run(&feeds, [&output])?);
    Ok(())
}
