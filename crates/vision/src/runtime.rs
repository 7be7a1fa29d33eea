//! Runs networks: on `inference-kernels` where that pays and supports the network, and on ONNX Runtime otherwise.

mod inspect;

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use inference_kernels::{self as inference, Processor, Runner, Unsupported};
use ort::{
    environment::Environment,
    session::{Session, SessionInputValue, builder::GraphOptimizationLevel},
    value::TensorRef,
};

pub(crate) use inspect::{Inspected, Number, TensorInfo};

use crate::manifest::Backend;

/// Why a network could not be loaded or run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeError {
    /// The library is not there or not usable.
    #[error("the ONNX Runtime library {path} cannot be loaded: {reason}. `kaisatsu models install` installs it")]
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

/// The name of the library, as what a network runs on.
const LIBRARY: &str = "ONNX Runtime";

/// The library can be loaded only once in a process.
static LOADED: Mutex<Option<Environment>> = Mutex::new(None);

/// The library, and the networks that run without it.
#[derive(Clone)]
pub struct Runtime {
    path: PathBuf,
    /// By file, so that all threads share the weights of a network; weak, so that an unused network is freed.
    own: Arc<Mutex<HashMap<PathBuf, Weak<inference::Network>>>>,
    /// By file: what the network runs on, and why.
    chosen: Arc<Mutex<BTreeMap<PathBuf, Kernels>>>,
}

/// What a network runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernels {
    /// The name of the kernels.
    pub name: &'static str,
    /// Why these.
    pub reason: String,
}

impl Runtime {
    /// The library of a file, which is loaded when the first network needs it.
    ///
    /// # Errors
    /// [`RuntimeError::Library`] when there is no such file.
    pub fn at(path: &Path) -> Result<Self, RuntimeError> {
        let runtime = Self { path: path.to_owned(), own: Arc::default(), chosen: Arc::default() };
        if path.is_file() { Ok(runtime) } else { Err(runtime.unusable(&"there is no such file")) }
    }

    /// Whether the library can be loaded.
    ///
    /// # Errors
    /// [`RuntimeError::Library`].
    pub fn check(&self) -> Result<(), RuntimeError> {
        self.environment().map(|_| ())
    }

    fn environment(&self) -> Result<Environment, RuntimeError> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(environment) = loaded.as_ref() {
            return Ok(environment.clone());
        }
        let library = ort::init_from(&self.path).map_err(|error| self.unusable(&error))?;
        let environment =
            library.with_name("kaisatsu").with_telemetry(false).build().map_err(|error| self.unusable(&error))?;
        environment.set_log_level(ort::logging::LogLevel::Error);
        *loaded = Some(environment.clone());
        Ok(environment)
    }

    fn unusable(&self, reason: &dyn std::fmt::Display) -> RuntimeError {
        RuntimeError::Library { path: self.path.clone(), reason: reason.to_string() }
    }

    /// Loads a network for one thread: many pictures side by side are quicker than one spread over the cores.
    ///
    /// # Errors
    /// [`RuntimeError::Network`], and [`RuntimeError::Library`] when it is needed and cannot be loaded.
    pub fn network(&self, file: &Path, on: Backend) -> Result<Network, RuntimeError> {
        let own = match on {
            Backend::Auto => self.own(file),
            Backend::Onnxruntime => Err(Unsupported("its manifest says so".to_owned())),
        };
        let kind = match own {
            Ok(network) => {
                let reason = "this processor has what they need, and they know every operation of the network";
                self.choose(file, network.processor().name(), reason);
                Kind::Own(Runner::new(network))
            }
            Err(unsupported) => self.library(file, &unsupported)?,
        };
        Ok(Network { kind, file: file.to_owned(), runtime: self.clone() })
    }

    fn library(&self, file: &Path, unsupported: &Unsupported) -> Result<Kind, RuntimeError> {
        tracing::debug!(file = %file.display(), "runs on ONNX Runtime: {unsupported}");
        self.choose(file, LIBRARY, &unsupported.to_string());
        let failed = |error: ort::Error| RuntimeError::Network { file: file.to_owned(), reason: error.to_string() };
        Ok(Kind::Library(Box::new(session(&self.environment()?, file).map_err(failed)?)))
    }

    fn choose(&self, file: &Path, name: &'static str, reason: &str) {
        let kernels = Kernels { name, reason: reason.to_owned() };
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned(), kernels);
    }

    /// What the networks of a folder run on, by file. Those that have not been loaded yet are left out.
    #[must_use]
    pub fn kernels(&self, folder: &Path) -> Vec<(PathBuf, Kernels)> {
        let chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        let here = chosen.iter().filter(|(file, _)| file.parent() == Some(folder));
        here.map(|(file, kernels)| (file.clone(), kernels.clone())).collect()
    }

    /// The network of a file for our own kernels.
    fn own(&self, file: &Path) -> Result<Arc<inference::Network>, Unsupported> {
        let processor = Processor::worthwhile().ok_or_else(|| Unsupported("the processor is not known".to_owned()))?;
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(network) = own.get(file).and_then(Weak::upgrade) {
            return Ok(network);
        }
        let bytes = fs::read(file).map_err(|error| Unsupported(error.to_string()))?;
        let network = Arc::new(inference::Network::read(processor, bytes)?);
        own.insert(file.to_owned(), Arc::downgrade(&network));
        Ok(network)
    }
}

fn session(environment: &Environment, file: &Path) -> ort::Result<Session> {
    Session::builder(environment)?
        .with_intra_threads(1)?
        .with_inter_threads(1)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        // A plan of all buffers for each size of input takes more memory than it saves time.
        .with_memory_pattern(false)?
        .commit_from_file(file)
}

/// An input of a network.
pub enum Feed<'a> {
    /// 32-bit floating-point numbers.
    Floats(&'a [usize], &'a [f32]),
    /// 64-bit integers.
    Integers(&'a [usize], &'a [i64]),
}

pub use inference::Tensor;

/// A network that runs on the thread that calls it.
pub struct Network {
    kind: Kind,
    file: PathBuf,
    runtime: Runtime,
}

enum Kind {
    Own(Runner),
    Library(Box<Session>),
}

impl Network {
    /// The name of what it runs on.
    #[must_use]
    pub fn runs_on(&self) -> &'static str {
        match &self.kind {
            Kind::Own(runner) => runner.network().processor().name(),
            Kind::Library(_) => LIBRARY,
        }
    }

    /// The names of the outputs.
    #[must_use]
    pub fn outputs(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Own(runner) => runner.network().outputs().collect(),
            Kind::Library(session) => session.outputs().iter().map(ort::value::Outlet::name).collect(),
        }
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
        // Some inputs turn out to be unsupported only when they are run; then the library takes over.
        if let Kind::Own(runner) = &mut self.kind {
            match run_own(runner, feeds, wanted) {
                Ok(tensors) => return Ok(tensors),
                Err(unsupported) => self.kind = self.runtime.library(&self.file, &unsupported)?,
            }
        }
        match &mut self.kind {
            Kind::Library(session) => run_library(session, feeds, wanted),
            Kind::Own(_) => Err(RuntimeError::Run("it runs on nothing".to_owned())),
        }
    }
}

fn run_own<const N: usize>(
    runner: &mut Runner,
    feeds: &[(&str, Feed<'_>)],
    wanted: [&str; N],
) -> Result<[Tensor; N], Unsupported> {
    let mut inputs = Vec::with_capacity(feeds.len());
    for (name, feed) in feeds {
        match feed {
            Feed::Floats(shape, values) => inputs.push((*name, *shape, *values)),
            Feed::Integers(..) => return Err(Unsupported(format!("'{name}' is fed with whole numbers"))),
        }
    }
    runner.run(&inputs, wanted)
}

fn run_library<const N: usize>(
    session: &mut Session,
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
    let outputs = session.run(inputs)?;
    let mut tensors = Vec::with_capacity(N);
    for name in wanted {
        let value = outputs.get(name).ok_or_else(|| RuntimeError::Run(format!("it has no output '{name}'")))?;
        let (shape, values) = value.try_extract_tensor::<f32>()?;
        let shape = shape.iter().map(|side| usize::try_from(*side).unwrap_or(0)).collect();
        tensors.push(Tensor { shape, values: values.to_vec() });
    }
    tensors.try_into().map_err(|_| RuntimeError::Run("an output is missing".to_owned()))
}
