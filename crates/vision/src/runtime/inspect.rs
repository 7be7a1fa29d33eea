//! What a network says of its inputs and outputs, and all that it answers.

use std::{borrow::Cow, path::Path};

use ort::{
    session::{Session, SessionInputValue},
    value::{Outlet, TensorElementType, TensorRef},
};

use super::{Feed, Runtime, RuntimeError, Tensor, session};

/// What the numbers of a tensor are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Number {
    Float,
    Integer,
    /// A kind that is never fed here, by its name.
    Other(String),
}

/// An input of a network; a side that is not fixed is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TensorInfo {
    pub(crate) name: String,
    pub(crate) number: Number,
    pub(crate) shape: Vec<Option<usize>>,
}

/// A network on ONNX Runtime, whichever kernels it will run on later.
pub(crate) struct Inspected {
    session: Session,
    pub(crate) inputs: Vec<TensorInfo>,
}

impl Runtime {
    /// Opens a network of which nothing is known.
    ///
    /// # Errors
    /// [`RuntimeError::Network`], and [`RuntimeError::Library`].
    pub(crate) fn inspect(&self, file: &Path) -> Result<Inspected, RuntimeError> {
        let failed = |error: ort::Error| RuntimeError::Network { file: file.to_owned(), reason: error.to_string() };
        let session = session(&self.environment()?, file).map_err(failed)?;
        let inputs = session.inputs().iter().map(info).collect();
        Ok(Inspected { session, inputs })
    }
}

impl Inspected {
    /// Runs the network; all outputs that are floating-point numbers.
    ///
    /// # Errors
    /// [`RuntimeError::Run`].
    pub(crate) fn run(&mut self, feeds: &[(&str, Feed<'_>)]) -> Result<Vec<(String, Tensor)>, RuntimeError> {
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(feeds.len());
        for (name, feed) in feeds {
            let value = match feed {
                Feed::Floats(shape, values) => TensorRef::from_array_view((*shape, *values))?.into(),
                Feed::Integers(shape, values) => TensorRef::from_array_view((*shape, *values))?.into(),
            };
            inputs.push((Cow::Borrowed(*name), value));
        }
        let names: Vec<String> = self.session.outputs().iter().map(|output| output.name().to_owned()).collect();
        let outputs = self.session.run(inputs)?;
        let tensor = |name: String| {
            let (shape, values) = outputs.get(&name)?.try_extract_tensor::<f32>().ok()?;
            let shape = shape.iter().map(|side| usize::try_from(*side).unwrap_or(0)).collect();
            let values = values.to_vec();
            Some((name, Tensor { shape, values }))
        };
        Ok(names.into_iter().filter_map(tensor).collect())
    }
}

fn info(outlet: &Outlet) -> TensorInfo {
    let number = match outlet.dtype().tensor_type() {
        Some(TensorElementType::Float32) => Number::Float,
        Some(TensorElementType::Int64) => Number::Integer,
        _ => Number::Other(outlet.dtype().to_string()),
    };
    let side = |side: &i64| usize::try_from(*side).ok();
    let shape = outlet.dtype().tensor_shape().map(|shape| shape.iter().map(side).collect()).unwrap_or_default();
    TensorInfo { name: outlet.name().to_owned(), number, shape }
}
