//! ONNX files for the inference kernels: any bytes are a network or unsupported, and a network survives being run.

use std::sync::Arc;

use inference_kernels::{Network, Processor, Runner};

/// The input of the seeds. Larger ones would only make the fuzzer slow.
const SHAPE: [usize; 4] = [1, 3, 8, 8];

pub(crate) fn run(bytes: &[u8]) {
    let values = [0.5; SHAPE[0] * SHAPE[1] * SHAPE[2] * SHAPE[3]];
    for processor in Processor::available() {
        match Network::read(processor, bytes.to_vec()) {
            Ok(network) => {
                let wanted = network.outputs().next().map(str::to_owned);
                if let (Some(wanted), mut runner) = (wanted, Runner::new(Arc::new(network)))
                    && let Ok([tensor]) = runner.run(&[("x", &SHAPE, &values)], [&wanted])
                {
                    assert_eq!(tensor.values.len(), tensor.shape.iter().product::<usize>());
                }
            }
            Err(unsupported) => assert!(!unsupported.to_string().is_empty()),
        }
    }
}
