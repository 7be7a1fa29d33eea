//! Object recognition: which item of the catalogue a picture shows, by its barcode or by its looks.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::AppId;
use kaisatsu_store::ItemRecord;
use kaisatsu_vision::{Decoded, PixelBox, Sent, Worker, barcode, decode, manifest::Task, object::Recognised};
use tokio::runtime::Handle;

use crate::{
    Kept, Recogniser, RecognitionError,
    catalogue::Seen,
    classify::gone,
    keep::{Candidate, Facts},
    recogniser::default_of,
    slots::{DECODE, INFERENCE, timed},
};

const TASK: &str = "recognize";

/// The shorter side that is decoded: enough for bars as fine as they come, and for the features of a small item.
const SHORT_SIDE: u32 = 1200;

/// How sure a barcode makes: its digits were read twice and check.
const BY_CODE: f32 = 0.99;

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct RecognizeAsk {
    /// The category; `None` for all.
    pub category: Option<String>,
    /// The most candidates.
    pub most: usize,
}

/// Why an item is thought to be in the picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// Its barcode was read.
    Barcode {
        /// The digits.
        digits: String,
        /// Where, in pixels of the image as sent.
        place: PixelBox,
    },
    /// It looks like a reference picture.
    Looks {
        /// How many features of the reference lie where they should.
        inliers: u32,
        /// Which of the reference pictures.
        picture: u64,
        /// Where, in pixels of the image as sent.
        place: PixelBox,
    },
}

/// An item that the picture may show.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighted {
    /// The item.
    pub item: ItemRecord,
    /// 0 to 1.
    pub score: f32,
    /// What speaks for it.
    pub evidence: Evidence,
}

impl Candidate for Sighted {
    fn subject(&self) -> &str {
        &self.item.id
    }

    fn name(&self) -> &str {
        &self.item.name
    }

    fn score(&self) -> f32 {
        self.score
    }
}

/// What the engine saw, before the items are looked up.
struct Look {
    by_code: Vec<Sighted>,
    by_looks: Vec<Recognised>,
    sent: Sent,
}

impl Recogniser {
    /// Says which items of the catalogue a picture shows, and keeps that.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn recognize(
        self: &Arc<Self>,
        application: &AppId,
        image: Bytes,
        ask: RecognizeAsk,
    ) -> Result<Kept<Sighted>, RecognitionError> {
        let model = self.model(default_of(Task::LocalFeatures), Task::LocalFeatures)?;
        let (me, looked_at, category) = (Arc::clone(self), image.clone(), ask.category.clone());
        let runtime = Handle::current();
        let look = move |worker: &mut Worker| -> Result<Look, RecognitionError> {
            let decoded = timed(DECODE, TASK, || decode(&looked_at, me.bounds, Some(SHORT_SIDE)))?;
            timed(INFERENCE, TASK, || {
                let by_code = me.read_codes(&decoded, category.as_deref(), &runtime)?;
                let mut look = Look { by_code, by_looks: Vec::new(), sent: decoded.sent };
                if look.by_code.is_empty() && me.catalogue.items() > 0 {
                    let name = &model.manifest.about.name;
                    let (objects, resizer) = worker.objects(name).ok_or_else(|| gone(&model))?;
                    let (index, store) = (&me.catalogue, &me.keeping.store);
                    let seen = Seen { index, store, runtime: &runtime, category: category.as_deref() };
                    let found = objects.recognise(resizer, &decoded.picture, &seen);
                    look.by_looks = found.map_err(|error| RecognitionError::Failed(error.to_string()))?;
                }
                Ok(look)
            })
        };
        let look = self.slots.run(TASK, look).await?;
        let mut found = look.by_code;
        found.extend(self.looked_up(look.by_looks, look.sent).await?);
        found.truncate(ask.most);
        let facts = Facts {
            application: application.clone(),
            task: TASK,
            model: ask.category.unwrap_or_else(|| "product-all".to_owned()),
            vector: None,
            picture: image,
        };
        Ok(self.keeping.keep(facts, found).await?)
    }

    /// The items whose barcodes are in a picture.
    fn read_codes(
        &self,
        decoded: &Decoded,
        category: Option<&str>,
        runtime: &Handle,
    ) -> Result<Vec<Sighted>, RecognitionError> {
        let mut found = Vec::new();
        for code in barcode::read(&decoded.picture) {
            let items = runtime.block_on(self.keeping.store.items_with_code(&code.digits))?;
            let wanted = items.into_iter().filter(|item| category.is_none_or(|category| item.category == category));
            found.extend(wanted.map(|item| Sighted {
                item,
                score: BY_CODE,
                evidence: Evidence::Barcode { digits: code.digits.clone(), place: decoded.sent.locate(code.area) },
            }));
        }
        Ok(found)
    }

    /// The items behind what was seen; one that was removed meanwhile is left out.
    async fn looked_up(&self, seen: Vec<Recognised>, sent: Sent) -> Result<Vec<Sighted>, RecognitionError> {
        let numbers: Vec<i64> = seen.iter().filter_map(|seen| i64::try_from(seen.item.0).ok()).collect();
        let items = self.keeping.store.items(&numbers).await?;
        let sighted = |seen: Recognised| {
            let item = items.iter().find(|item| item.number.unsigned_abs() == seen.item.0)?.clone();
            let place = sent.locate(seen.area);
            let evidence = Evidence::Looks { inliers: seen.inliers, picture: seen.picture.0, place };
            Some(Sighted { item, score: seen.score, evidence })
        };
        Ok(seen.into_iter().filter_map(sighted).collect())
    }
}
