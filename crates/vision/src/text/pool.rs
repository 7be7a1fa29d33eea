//! The text readers that the threads of the engine share.
//!
//! A reader is the largest of all models, and most servers read text rarely. So the threads do not have one each: a
//! thread takes one that is free, and loads another only when all are in use. There are never more than threads, and
//! no thread waits for another.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use kaisatsu_resize::Resizer;

use super::{Language, Limits, Line, Reader};
use crate::{
    Picture,
    manifest::{Fault, Text},
    runtime::{Runtime, RuntimeError},
};

/// The readers of a model.
pub(crate) struct ReaderPool {
    runtime: Runtime,
    folder: PathBuf,
    parts: Text,
    idle: Mutex<Vec<Reader>>,
}

impl ReaderPool {
    /// Loads the first reader, which tells whether the model is usable.
    pub(crate) fn open(runtime: &Runtime, folder: PathBuf, parts: &Text) -> Result<Self, Fault> {
        let first = Reader::load(runtime, &folder, parts)?;
        let idle = Mutex::new(vec![first]);
        Ok(Self { runtime: runtime.clone(), folder, parts: parts.clone(), idle })
    }

    /// Reads the lines of a picture on the thread that calls it.
    pub(crate) fn read(
        &self,
        resizer: &mut Resizer,
        picture: &Picture,
        limits: Limits,
        language: Option<Language>,
    ) -> Result<Vec<Line>, RuntimeError> {
        let free = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = match free {
            Some(reader) => reader,
            None => self.load()?,
        };
        let lines = reader.read(resizer, picture, limits, language);
        // A reader that panics does not come back; the next picture loads another.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        lines
    }

    fn load(&self) -> Result<Reader, RuntimeError> {
        Reader::load(&self.runtime, &self.folder, &self.parts).map_err(|fault| RuntimeError::Run(fault.0))
    }
}
