//! Object recognition: which item of the catalogue a picture shows, by its barcode, by its looks, and where these leave
//! it open by its name.

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::AppId;
use kaisatsu_store::ItemRecord;
use kaisatsu_vision::{
    Decoded, PixelBox, Worker, barcode, decode,
    manifest::Task,
    object::{LookError, Looked, Recognised, barcode_descriptor},
    registry::Model,
    text,
};
use tokio::runtime::Handle;

use crate::{
    Kept, Recogniser, RecognitionError,
    catalogue::Seen,
    classify::gone,
    keep::{Candidate, Facts, Looks},
    learning::{Asking, Moves, Weighed, engine_of},
    reading::{Contender, decide, undecided},
    recogniser::default_of,
    slots::{DECODE, INFERENCE, REMEMBER, timed},
};

pub(crate) const TASK: &str = "recognize";

/// The shorter side that is decoded: enough for the bars of a symbol that takes a tenth of a telephone's photograph, and for
/// the features of a small item.
const SHORT_SIDE: u32 = 1200;

/// How sure a barcode makes: its digits check, and several lines agree on them.
const BY_CODE: f32 = 0.99;

/// What is read for a decision between items: a cover's largest lines.
const READING: text::Limits = text::Limits { longest_side: 736, lines: 8 };

/// Below this score an item is no candidate.
const LEAST_SCORE: f32 = 0.5;

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
        /// The printed words that speak for it, where they were needed.
        text: Option<String>,
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
        let engine = engine_of(&model);
        let asking = Asking::new(application, TASK, "", &engine);
        let runtime = Handle::current();
        let look = move |worker: &mut Worker| -> Result<(Vec<Sighted>, Vec<f32>, Moves), RecognitionError> {
            let decoded = timed(DECODE, TASK, || decode(&looked_at, me.bounds, Some(SHORT_SIDE)))?;
            let seen = timed(INFERENCE, TASK, || {
                let by_code = me.read_codes(&decoded, category.as_deref(), &runtime)?;
                if !by_code.0.is_empty() || me.catalogue.items() == 0 {
                    return Ok(by_code);
                }
                let seen = Seen {
                    index: &me.catalogue,
                    store: &me.keeping.store,
                    runtime: &runtime,
                    category: category.as_deref(),
                };
                me.look_at(worker, &model, &decoded, &seen)
            });
            let (found, vector) = seen?;
            let moves = timed(REMEMBER, TASK, || me.learning.moves(&asking, &vector));
            Ok((found, vector, moves))
        };
        let (found, vector, moves) = self.slots.run(TASK, look).await?;
        let weigh = |sighted: Sighted| {
            let (id, base) = (sighted.item.id.clone(), sighted.score);
            moves.weigh(Sighted { score: moves.score(&id, base), ..sighted }, &id, base)
        };
        let mut found: Vec<Weighed<Sighted>> = found.into_iter().map(weigh).collect();
        found.retain(|weighed| weighed.candidate.score >= LEAST_SCORE);
        // Equal scores stay in the order of their inliers.
        found.sort_by(|a, b| b.candidate.score.total_cmp(&a.candidate.score));
        found.truncate(ask.most);
        let facts = Facts {
            application: application.clone(),
            task: TASK,
            data_set: None,
            model: ask.category.unwrap_or_else(|| "product-all".to_owned()),
            looks: Looks { engine, vector: Some(vector) },
            picture: image,
        };
        Ok(self.keeping.keep(facts, found).await?)
    }

    /// The items whose barcodes are in a picture, and what is remembered of it: the first of them.
    fn read_codes(
        &self,
        decoded: &Decoded,
        category: Option<&str>,
        runtime: &Handle,
    ) -> Result<(Vec<Sighted>, Vec<f32>), RecognitionError> {
        let mut found = Vec::new();
        let mut look = Vec::new();
        for code in barcode::read(&decoded.picture) {
            let items = runtime.block_on(self.keeping.store.items_with_code(&code.digits))?;
            let known = |id: &str| found.iter().any(|sighted: &Sighted| sighted.item.id == id);
            let fits = |item: &ItemRecord| category.is_none_or(|category| item.category == category);
            let wanted: Vec<_> = items.into_iter().filter(|item| fits(item) && !known(&item.id)).collect();
            if look.is_empty() {
                look = barcode_descriptor(&code.digits);
            }
            found.extend(wanted.into_iter().map(|item| Sighted {
                item,
                score: BY_CODE,
                evidence: Evidence::Barcode { digits: code.digits.clone(), place: decoded.file.locate(code.area) },
            }));
        }
        Ok((found, look))
    }

    /// The items that a picture may show by their looks, and what is remembered of it.
    fn look_at(
        &self,
        worker: &mut Worker,
        model: &Model,
        decoded: &Decoded,
        catalogue: &Seen<'_>,
    ) -> Result<(Vec<Sighted>, Vec<f32>), RecognitionError> {
        let failed = |error: kaisatsu_vision::RuntimeError| RecognitionError::Failed(error.to_string());
        let name = &model.manifest.about.name;
        let (objects, resizer) = worker.objects(name).ok_or_else(|| gone(name))?;
        let Looked { found: seen, look } =
            objects.recognise(resizer, &decoded.picture, catalogue).map_err(|error| match error {
                LookError::Network(error) => failed(error),
                LookError::Catalogue(error) => error.into(),
            })?;
        let numbers: Vec<i64> = seen.iter().filter_map(|seen| i64::try_from(seen.item.0).ok()).collect();
        let items = catalogue.runtime.block_on(self.keeping.store.items(&numbers))?;
        // An item that was removed meanwhile is left out.
        let of = |seen: &Recognised| items.iter().find(|item| item.number.unsigned_abs() == seen.item.0).cloned();
        let with_item = |seen: Recognised| of(&seen).map(|item| (seen, item));
        let known: Vec<(Recognised, ItemRecord)> = seen.into_iter().filter_map(with_item).collect();
        let mut contenders: Vec<Contender> = known.iter().map(|(seen, item)| contender(seen, item)).collect();
        if let Some(area) = undecided(&contenders) {
            let part = decoded.picture.part(area);
            // A server without a reader of text goes by looks alone.
            if let Some(lines) = worker.read_text(default_of(Task::ReadText), &part, READING) {
                decide(&mut contenders, &lines.map_err(failed)?);
            }
        }
        let sighted = |((seen, item), settled): ((Recognised, ItemRecord), Contender)| Sighted {
            item,
            score: settled.score,
            evidence: Evidence::Looks {
                inliers: seen.inliers,
                picture: seen.picture.0,
                text: settled.text,
                place: decoded.file.locate(seen.area),
            },
        };
        Ok((known.into_iter().zip(contenders).map(sighted).collect(), look))
    }
}

fn contender(seen: &Recognised, item: &ItemRecord) -> Contender {
    Contender { name: item.name.clone(), inliers: seen.inliers, area: seen.area, score: seen.score, text: None }
}
