//! An image as a vector, and what is done with the vector on the same thread.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_vision::{Bounds, Decoded, Worker, decode, registry::Model, thumbnail};

use super::{DECODE, EngineQueue, INFERENCE, Workload, not_loaded, timed};
use crate::RecognitionError;

/// Turns an image into a vector on the engine. Returns what `then` makes of the vector, with the vector.
pub(crate) async fn embed<T: Send + 'static>(
    engine: &EngineQueue,
    workload: impl Into<Workload>,
    model: &Arc<Model>,
    image: Bytes,
    then: impl FnOnce(&[f32]) -> Result<T, RecognitionError> + Send + 'static,
) -> Result<(T, Vec<f32>), RecognitionError> {
    let workload = workload.into();
    let name = model.manifest.about.name.clone();
    engine.run(workload, embedding(engine.bounds(), workload, name, image, then)).await
}

/// The error of a request for something that is not there: that of its image if the image cannot be read, because the
/// body is judged before the state, and `missing` otherwise.
pub(crate) async fn image_first(
    engine: &EngineQueue,
    workload: impl Into<Workload>,
    image: &Bytes,
    missing: RecognitionError,
) -> RecognitionError {
    let (workload, bounds, image) = (workload.into(), engine.bounds(), image.clone());
    let judge = move |_: &mut Worker| {
        timed(DECODE, workload, || decode(&image, bounds, Some(1)))?;
        Ok(())
    };
    match engine.run(workload, judge).await {
        // Without the models there is no answer either way.
        Ok(()) | Err(RecognitionError::Warming) => missing,
        Err(fault) => fault,
    }
}

/// Work for a thread of the engine: decodes an image, turns it into a vector, and calls `then` with it.
pub(crate) fn embedding<T>(
    bounds: Bounds,
    workload: Workload,
    model: String,
    image: Bytes,
    then: impl FnOnce(&[f32]) -> Result<T, RecognitionError>,
) -> impl FnOnce(&mut Worker) -> Result<(T, Vec<f32>), RecognitionError> {
    move |worker| {
        let (_, vector) = embedded(worker, bounds, workload, &model, &image)?;
        Ok((then(&vector)?, vector))
    }
}

/// Turns an image that comes into a collection into a vector, and makes a thumbnail of it, if that can be done.
pub(crate) async fn embed_for_collection(
    engine: &EngineQueue,
    model: &Arc<Model>,
    image: Bytes,
) -> Result<(Vec<f32>, Option<Vec<u8>>), RecognitionError> {
    let (name, bounds) = (model.manifest.about.name.clone(), engine.bounds());
    let work = move |worker: &mut Worker| {
        let (decoded, vector) = embedded(worker, bounds, Workload::Import, &name, &image)?;
        Ok((vector, thumbnail(&mut worker.resizer, &decoded.picture)))
    };
    engine.run(Workload::Import, work).await
}

fn embedded(
    worker: &mut Worker,
    bounds: Bounds,
    workload: Workload,
    model: &str,
    image: &[u8],
) -> Result<(Decoded, Vec<f32>), RecognitionError> {
    let wanted = worker.short_side(model).ok_or_else(|| not_loaded(model))?;
    let decoded = timed(DECODE, workload, || decode(image, bounds, Some(wanted)))?;
    let vector = timed(INFERENCE, workload, || worker.embed(model, &decoded.picture));
    let vector = vector.ok_or_else(|| not_loaded(model))?;
    Ok((decoded, vector.map_err(|error| RecognitionError::Failed(error.to_string()))?))
}
