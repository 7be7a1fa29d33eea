//! Object recognition: which items of the catalogue an image shows, by its barcode, by its local features, and where
//! these leave it open by its text.
//!
//! The engine votes, the database is asked, the engine verifies: no thread of the engine waits for the database. A
//! request keeps its place in the queue from the first step to the last.

mod scan;
mod text_tie;

use std::sync::Arc;

use bytes::Bytes;
use kaisatsu_model::{AppId, Function, Source};
use kaisatsu_store::{ItemRecord, ReferenceRow, Store};
use kaisatsu_vision::{PixelBox, manifest::Task, object::PictureId};
use scan::{Progress, Scan, Scanner, with_barcodes};

use crate::{
    RecognitionError, Saved,
    context::Context,
    engine::{EngineQueue, Models, default_model},
    indexes::CatalogueIndex,
    learning::{Adjustment, LearnedFeedback},
    log::{Adjusted, Candidate, Entry, RecognitionLog},
};

const FUNCTION: Function = Function::RecogniseObject;

/// Below this score an item is no candidate.
const LEAST_SCORE: f32 = 0.5;

/// Object recognition.
pub struct ObjectRecognition {
    store: Store,
    models: Models,
    engine: Arc<EngineQueue>,
    catalogue: Arc<CatalogueIndex>,
    learned: Arc<LearnedFeedback>,
    log: Arc<RecognitionLog>,
}

/// What a caller asks for.
#[derive(Debug, Clone)]
pub struct RecogniseRequest {
    /// The category; `None` for all.
    pub category: Option<String>,
    /// The most candidates.
    pub most: usize,
}

/// Why an item is thought to be in the image.
#[derive(Debug, Clone, PartialEq)]
pub enum Evidence {
    /// Its barcode was read.
    Barcode {
        /// The digits.
        digits: String,
        /// Where, in pixels of the image as sent.
        area: PixelBox,
    },
    /// It matches a reference picture.
    Features {
        /// How many features of the reference lie where they should.
        inliers: u32,
        /// Which of the reference pictures.
        picture: u64,
        /// The text on it that decided between items, where that was needed.
        text: Option<String>,
        /// Where, in pixels of the image as sent.
        area: PixelBox,
    },
}

/// An item that the image may show.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemMatch {
    /// The item.
    pub item: ItemRecord,
    /// 0 to 1.
    pub score: f32,
    /// Why it is thought to be there.
    pub evidence: Evidence,
    /// Where it is, or its barcode: the corners from its own upper left to the right, in pixels of the image as sent.
    /// They may lie outside of the image.
    pub corners: [(f32, f32); 4],
}

impl Candidate for ItemMatch {
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

/// What was found in an image, and what feedback says of it.
struct Found {
    matches: Vec<ItemMatch>,
    descriptor: Vec<f32>,
    adjustment: Adjustment,
}

impl ObjectRecognition {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            models: context.models.clone(),
            engine: Arc::clone(&context.engine),
            catalogue: Arc::clone(&context.catalogue),
            learned: Arc::clone(&context.learned),
            log: Arc::clone(&context.log),
        }
    }

    /// Finds the items of the catalogue that an image shows, and saves them.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn run(
        &self,
        application: &AppId,
        image: Bytes,
        request: RecogniseRequest,
    ) -> Result<Saved<ItemMatch>, RecognitionError> {
        let model = self.models.find(default_model(Task::LocalFeatures), Task::LocalFeatures)?;
        let weights = model.weights.clone();
        let source = Source::Catalogue(request.category.clone());
        let scanner = Scanner {
            model: model.manifest.about.name.clone(),
            category: request.category,
            catalogue: Arc::clone(&self.catalogue),
            query: self.learned.query(application, FUNCTION, &source, &weights).await?,
            bounds: self.engine.bounds(),
        };
        let Found { matches, descriptor, adjustment } = self.find(Arc::new(scanner), image.clone()).await?;
        let matches = rank(matches, &adjustment, request.most);
        let (application, descriptor) = (application.clone(), Some(descriptor));
        let entry = Entry { application, function: FUNCTION, source, weights, descriptor, image: Some(image) };
        let mut saved = self.log.save(entry, matches).await?;
        // An item that was removed while the image was looked at is not answered any more.
        let numbers: Vec<i64> = saved.candidates.iter().map(|(_, found)| found.item.number).collect();
        if !numbers.is_empty() {
            let existing = self.store.existing_items(&numbers).await?;
            saved.candidates.retain(|(_, found)| existing.contains(&found.item.number));
        }
        Ok(saved)
    }

    /// Vote, fetch, verify, until an item is found for sure or every size and turn was tried.
    async fn find(&self, scanner: Arc<Scanner>, image: Bytes) -> Result<Found, RecognitionError> {
        let admitted = self.engine.admit(FUNCTION)?;
        let engine = Arc::clone(&scanner);
        let mut progress = admitted.run(move |worker| engine.begin(worker, &image)).await?;
        loop {
            let engine = Arc::clone(&scanner);
            progress = match progress {
                Progress::Found(found) => return Ok(found),
                Progress::Barcodes(scan) => {
                    let matches = self.by_barcode(&scan, scanner.category.as_deref()).await?;
                    admitted.run(move |worker| engine.after_barcodes(worker, scan, matches)).await?
                }
                Progress::Fetch(scan, wanted) => {
                    let references = self.references(&wanted).await?;
                    admitted.run(move |worker| engine.advance(worker, scan, references)).await?
                }
            };
        }
    }

    /// The items whose barcodes are in an image, in one statement.
    async fn by_barcode(&self, scan: &Scan, category: Option<&str>) -> Result<Vec<ItemMatch>, RecognitionError> {
        let digits: Vec<&str> = scan.barcodes.iter().map(|code| code.digits.as_str()).collect();
        let items = self.store.items_with_codes(&digits).await?;
        Ok(with_barcodes(scan.file(), &scan.barcodes, &items, category))
    }

    /// The reference pictures that were voted for, with their items, in one statement. One that was removed since the
    /// vote is missing.
    async fn references(&self, wanted: &[PictureId]) -> Result<Vec<ReferenceRow>, RecognitionError> {
        let numbers: Vec<i64> = wanted.iter().filter_map(|picture| i64::try_from(picture.0).ok()).collect();
        Ok(self.store.references(&numbers).await?)
    }
}

/// The best `most` matches after feedback, those of equal scores in the order of their inliers.
fn rank(matches: Vec<ItemMatch>, adjustment: &Adjustment, most: usize) -> Vec<Adjusted<ItemMatch>> {
    let adjust = |found: ItemMatch| {
        let (id, base) = (found.item.id.clone(), found.score);
        adjustment.explain(ItemMatch { score: adjustment.score(&id, base), ..found }, &id, base)
    };
    let mut matches: Vec<Adjusted<ItemMatch>> = matches.into_iter().map(adjust).collect();
    matches.retain(|adjusted| adjusted.candidate.score >= LEAST_SCORE);
    matches.sort_by(|a, b| b.candidate.score.total_cmp(&a.candidate.score));
    matches.truncate(most);
    matches
}

#[cfg(test)]
mod tests {
    use kaisatsu_store::ItemRecord;
    use kaisatsu_vision::{PixelBox, object::PictureId};

    use super::{Evidence, ItemMatch, rank};
    use crate::{RecognitionError, fixture::Fixture, learning::Adjustment};

    fn found(id: &str, score: f32) -> ItemMatch {
        let item = ItemRecord {
            number: 1,
            id: id.to_owned(),
            category: "book".to_owned(),
            name: id.to_owned(),
            detail: "{}".to_owned(),
            image_url: String::new(),
            sites: "[]".to_owned(),
            thumbnail: None,
        };
        let area = PixelBox { x_min: 0.0, y_min: 0.0, x_max: 1.0, y_max: 1.0 };
        let evidence = Evidence::Features { inliers: 20, picture: 1, text: None, area };
        ItemMatch { item, score, evidence, corners: [(0.0, 0.0); 4] }
    }

    #[test]
    fn the_best_come_first_and_an_item_below_one_half_is_no_candidate() {
        let found = vec![found("a", 0.6), found("b", 0.9), found("c", 0.499), found("d", 0.6), found("e", 0.5)];
        let ranked = rank(found, &Adjustment::default(), 3);
        let ids: Vec<&str> = ranked.iter().map(|adjusted| adjusted.candidate.item.id.as_str()).collect();
        assert_eq!(ids, ["b", "a", "d"]);
    }

    /// A failing database is an error, never an image that shows nothing.
    #[tokio::test]
    async fn without_the_catalogue_s_tables_there_is_an_error_and_not_an_empty_answer() {
        let fixture = Fixture::new().await;
        let objects = &fixture.recognition.objects;
        assert!(objects.references(&[PictureId(1)]).await.unwrap().is_empty(), "there is no such picture");
        fixture.database.run("DROP TABLE catalogue_picture; DROP TABLE catalogue_code");
        assert!(matches!(objects.references(&[PictureId(1)]).await, Err(RecognitionError::Store(_))));
        assert!(objects.store.items_with_codes(&["4901234567894"]).await.is_err());
    }
}
