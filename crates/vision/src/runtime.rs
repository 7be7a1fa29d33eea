//! The library that runs networks, and one network ready to run.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use ort::{
    environment::Environment,
    session::{Session, SessionInputValue, builder::GraphOptimizationLevel},
    value::TensorRef,
};

/// Why a network could not be loaded or run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeError {
    /// The library is not there or not usable.
    #[error("the ONNX Runtime library {path} cannot be loaded: {reason}. `make models` installs it")]
    Library {
        /// Where it was looked for.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A network's file is not usable.
    #[error("{file} cannot be loaded: {reason}")]
    Network {
        /// Its file.
        file: PathBuf,
        /// What the library said.
        reason: String,
    },
    /// A network failed, or its outputs are not those of its manifest.
    #[error("the network failed: {0}")]
    Run(String),
}

impl From<ort::Error> for RuntimeError {
    fn from(error: ort::Error) -> Self {
        Self::Run(error.to_string())
    }
}

/// The library can be loaded once in a process, so whoever loads it again gets the same one.
static LOADED: Mutex<Option<Environment>> = Mutex::new(None);

/// The library, loaded.
#[derive(Clone)]
pub struct Runtime {
    environment: Environment,
}

impl Runtime {
    /// Loads the library.
    ///
    /// # Errors
    /// [`RuntimeError::Library`].
    pub fn load(path: &Path) -> Result<Self, RuntimeError> {
        let failed = |reason: String| RuntimeError::Library { path: path.to_owned(), reason };
        if !path.is_file() {
            return Err(failed("there is no such file".to_owned()));
        }
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let environment = match loaded.as_ref() {
            Some(environment) => environment.clone(),
            None => ort::init_from(path)
                .map_err(|error| failed(error.to_string()))?
                .with_name("kaisatsu")
                .with_telemetry(false)
                .build()
                .map_err(|error| failed(error.to_string()))?,
        };
        *loaded = Some(environment.clone());
        environment.set_log_level(ort::logging::LogLevel::Error);
        Ok(Self { environment })
    }

    /// Loads a network for one thread: many pictures side by side are quicker than one spread over the cores.
    ///
    /// # Errors
    /// [`RuntimeError::Network`].
    pub fn network(&self, file: &Path) -> Result<Network, RuntimeError> {
        let failed = |reason: String| RuntimeError::Network { file: file.to_owned(), reason };
        let session = self.session(file).map_err(|error| failed(error.to_string()))?;
        Ok(Network { session })
    }

    fn session(&self, file: &Path) -> ort::Result<Session> {
        Session::builder(&self.environment)?
            .with_intra_threads(1)?
            .with_inter_threads(1)?
            .with_optimization_level(GraphOptimizationLevel::All)?
            // A plan of all buffers for each size of input takes more memory than it saves time.
            .with_memory_pattern(false)?
            .commit_from_file(file)
    }
}

/// What goes into a network.
pub enum Feed<'a> {
    /// Numbers with a fraction.
    Floats(&'a [usize], &'a [f32]),
    /// Whole numbers.
    Integers(&'a [usize], &'a [i64]),
}

/// What comes out of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// The size in each dimension.
    pub shape: Vec<usize>,
    /// The values, the last dimension fastest.
    pub values: Vec<f32>,
}

/// A network that runs on the thread that calls it.
pub struct Network {
    session: Session,
}

impl Network {
    /// The names of the inputs.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.session.inputs().iter().map(ort::value::Outlet::name)
    }

    /// The names of the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.session.outputs().iter().map(ort::value::Outlet::name)
    }

    /// Runs the network and takes out the outputs that are named.
    ///
    /// # Errors
    /// [`RuntimeError::Run`].
    pub fn run<const N: usize>(
        &mut self,
        feeds: &[(&str, Feed<'_>)],
        wanted: [&str; N],
    ) -> Result<[Tensor; N], RuntimeError> {
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(feeds.len());
        for (name, feed) in feeds {
            let value = match feed {
                Feed::Floats(shape, values) => TensorRef::from_array_view((*shape, *values))?.into(),
                Feed::Integers(shape, values) => TensorRef::from_array_view((*shape, *values))?.into(),
            };
            inputs.push((Cow::Borrowed(*name), value));
        }
        let outputs = self.session.run(inputs)?;
        let mut tensors = Vec::with_capacity(N);
        for name in wanted {
            let value = outputs.get(name).ok_or_else(|| RuntimeError::Run(format!("it has no output '{name}'")))?;
            let (shape, values) = value.try_extract_tensor::<f32>()?;
            let shape = shape.iter().map(|side| usize::try_from(*side).unwrap_or(0)).collect();
            tensors.push(Tensor { shape, values: values.to_vec() });
        }
        tensors.try_into().map_err(|_| RuntimeError::Run("an output is missing".to_owned()))
    }
}
