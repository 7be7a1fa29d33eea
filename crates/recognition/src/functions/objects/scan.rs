//! The steps of object recognition that run on the engine, and what they hand to each other.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use kaisatsu_store::{ItemRecord, ReferenceRow};
use kaisatsu_vision::{
    Bounds, Decoded, DecodedGrey, ImageFile, Worker,
    barcode::{self, Barcode, GreyImage},
    decode, decode_grey, decode_whole_grey,
    manifest::Task,
    object::{PictureId, QueryFeature, Recognised, Reference, Search, barcode_descriptor},
    text,
};

use super::{
    Evidence, FUNCTION, Found, ItemMatch,
    text_tie::{Contender, decide, undecided},
};
use crate::{
    RecognitionError,
    engine::{DECODE, FEEDBACK, INFERENCE, default_model, not_loaded, record, timed},
    indexes::CatalogueIndex,
    learning::FeedbackQuery,
};

/// The shorter side that is decoded: enough to see where bars are in a telephone's photograph, and for the features of
/// a small item. Bars that are too small to be read are looked at once more in the whole file.
const SHORT_SIDE: u32 = 960;

/// The score of an item whose barcode was read: its digits check, and several lines agree on them.
const BARCODE_SCORE: f32 = 0.99;

/// How much is read for a decision between items: a cover's largest lines.
const TEXT_LIMITS: text::Limits = text::Limits { longest_side: 736, lines: 8 };

/// What to search with: a model, one category of the catalogue or all, and the feedback that acts for the caller.
pub(super) struct Scanner {
    pub(super) model: String,
    pub(super) category: Option<String>,
    pub(super) catalogue: Arc<CatalogueIndex>,
    pub(super) query: FeedbackQuery,
    pub(super) bounds: Bounds,
}

/// An image that is being searched.
pub(super) struct Scan {
    pixels: Pixels,
    pub(super) barcodes: Vec<Barcode>,
    /// What the search by features left, once it is over: the picture as a vector.
    searched: Option<Vec<f32>>,
    inference: Duration,
}

/// What is kept of an image while it is searched.
enum Pixels {
    /// For barcodes and features.
    Colours(Box<ByFeatures>),
    /// For barcodes alone: all pixels, which take as long to decode as a half of them in colours.
    Grey(DecodedGrey),
}

/// A search by features.
struct ByFeatures {
    decoded: Decoded,
    search: Search,
    /// The items of the reference pictures that were read so far, by their numbers.
    items: HashMap<u64, ItemRecord>,
}

/// How far a scan is.
pub(super) enum Progress {
    /// It has barcodes to look up.
    Barcodes(Scan),
    /// It needs these reference pictures.
    Fetch(Scan, Vec<PictureId>),
    /// It is done.
    Found(Found),
}

impl Scan {
    /// Decodes an image and reads its barcodes. Without a search by features, no colours are needed.
    fn decode(image: &[u8], bounds: Bounds, search: Option<Search>) -> Result<Self, RecognitionError> {
        let colours = |search| -> Result<Pixels, RecognitionError> {
            let decoded = decode(image, bounds, Some(SHORT_SIDE))?;
            Ok(Pixels::Colours(Box::new(ByFeatures { decoded, search, items: HashMap::new() })))
        };
        let decode = || match search {
            Some(search) => colours(search),
            None => decode_grey(image, bounds, SHORT_SIDE)
                .map_or_else(|| colours(Search::default()), |grey| Ok(Pixels::Grey(grey))),
        };
        let pixels = timed(DECODE, FUNCTION.into(), decode)?;
        let began = Instant::now();
        let barcodes = match &pixels {
            Pixels::Grey(decoded) => barcode::read_grey(decoded),
            Pixels::Colours(by) => barcode::read_with(&by.decoded.picture, || {
                let (width, height, grey) = decode_whole_grey(image, bounds, &by.decoded)?;
                GreyImage::new(width as usize, height as usize, grey)
            }),
        };
        Ok(Self { pixels, barcodes, searched: None, inference: began.elapsed() })
    }

    /// The facts of the image file.
    pub(super) fn file(&self) -> ImageFile {
        match &self.pixels {
            Pixels::Colours(by) => by.decoded.file,
            Pixels::Grey(decoded) => decoded.file,
        }
    }
}

impl Scanner {
    /// Decodes an image. Where it has no barcodes, the search by features begins at once.
    pub(super) fn begin(&self, worker: &mut Worker, image: &[u8]) -> Result<Progress, RecognitionError> {
        let search = (self.catalogue.items() > 0)
            .then(|| if self.catalogue.is_turned() { Search::of_turned() } else { Search::default() });
        let scan = Scan::decode(image, self.bounds, search)?;
        if !scan.barcodes.is_empty() {
            return Ok(Progress::Barcodes(scan));
        }
        self.after_barcodes(worker, scan, Vec::new())
    }

    /// Barcodes decide when the catalogue has them. Otherwise the search by features begins.
    pub(super) fn after_barcodes(
        &self,
        worker: &mut Worker,
        mut scan: Scan,
        matches: Vec<ItemMatch>,
    ) -> Result<Progress, RecognitionError> {
        let by_features = self.catalogue.items() > 0 && matches!(scan.pixels, Pixels::Colours(_));
        if matches.is_empty() && scan.searched.is_none() && by_features {
            return self.advance(worker, scan, Vec::new());
        }
        let descriptor = match scan.searched.take() {
            Some(descriptor) if matches.is_empty() => descriptor,
            _ => scan.barcodes.first().map(|code| barcode_descriptor(&code.digits)).unwrap_or_default(),
        };
        Ok(self.or_matrix(scan, matches, descriptor))
    }

    /// Where nothing was found, a QR code or a Data Matrix may name the item.
    fn or_matrix(&self, mut scan: Scan, matches: Vec<ItemMatch>, descriptor: Vec<f32>) -> Progress {
        if matches.is_empty() && scan.barcodes.is_empty() {
            let began = Instant::now();
            scan.barcodes.extend(match &scan.pixels {
                Pixels::Grey(decoded) => barcode::read_matrix_grey(decoded),
                Pixels::Colours(by) => barcode::read_matrix(&by.decoded.picture),
            });
            scan.inference += began.elapsed();
            if !scan.barcodes.is_empty() {
                scan.searched = Some(descriptor);
                return Progress::Barcodes(scan);
            }
        }
        self.found(&scan, matches, descriptor)
    }

    fn found(&self, scan: &Scan, matches: Vec<ItemMatch>, descriptor: Vec<f32>) -> Progress {
        record(INFERENCE, FUNCTION.into(), scan.inference);
        let adjustment = timed(FEEDBACK, FUNCTION.into(), || self.query.adjustment(&descriptor));
        Progress::Found(Found { matches, descriptor, adjustment })
    }

    /// Verifies the reference pictures that were fetched, and goes on voting until others are needed or the search is
    /// over.
    pub(super) fn advance(
        &self,
        worker: &mut Worker,
        mut scan: Scan,
        fetched: Vec<ReferenceRow>,
    ) -> Result<Progress, RecognitionError> {
        let began = Instant::now();
        let Pixels::Colours(by) = &mut scan.pixels else { return Ok(self.or_matrix(scan, Vec::new(), Vec::new())) };
        let wanted = self.search(worker, by, fetched)?;
        if !wanted.is_empty() {
            scan.inference += began.elapsed();
            return Ok(Progress::Fetch(scan, wanted));
        }
        let found = std::mem::take(&mut by.search).finish();
        let matches = settle(worker, &by.decoded, found.items, &mut by.items)?;
        scan.inference += began.elapsed();
        Ok(self.or_matrix(scan, matches, found.descriptor))
    }

    fn search(
        &self,
        worker: &mut Worker,
        by: &mut ByFeatures,
        fetched: Vec<ReferenceRow>,
    ) -> Result<Vec<PictureId>, RecognitionError> {
        let (objects, resizer) = worker.objects(&self.model).ok_or_else(|| not_loaded(&self.model))?;
        let mut references = HashMap::with_capacity(fetched.len());
        for ReferenceRow { picture, features, item } in fetched {
            // What cannot be read is no candidate; an import of the item replaces it.
            if let Ok(reference) = Reference::from_bytes(&features) {
                references.insert(PictureId(picture.unsigned_abs()), reference);
                by.items.insert(item.number.unsigned_abs(), item);
            }
        }
        objects.verify(&mut by.search, &references).map_err(failed)?;
        while !by.search.is_over() {
            let mut unread = None;
            let vote = |query: &[QueryFeature], most| {
                let voted = self.catalogue.vote(query, most, self.category.as_deref());
                voted.map_err(|error| unread = Some(error)).unwrap_or_default()
            };
            let wanted = objects.vote(resizer, &by.decoded.picture, &mut by.search, vote).map_err(failed)?;
            if let Some(error) = unread {
                return Err(RecognitionError::Failed(format!("a segment of the catalogue cannot be read: {error}")));
            }
            if !wanted.is_empty() {
                return Ok(wanted);
            }
            objects.verify(&mut by.search, &HashMap::new()).map_err(failed)?;
        }
        Ok(Vec::new())
    }
}

/// Makes matches of the items that verification confirmed, and reads text where that has to decide.
fn settle(
    worker: &mut Worker,
    decoded: &Decoded,
    found: Vec<Recognised>,
    items: &mut HashMap<u64, ItemRecord>,
) -> Result<Vec<ItemMatch>, RecognitionError> {
    let with_item = |found: Recognised| items.remove(&found.item.0).map(|item| (found, item));
    let known: Vec<(Recognised, ItemRecord)> = found.into_iter().filter_map(with_item).collect();
    let contender = |(found, item): &(Recognised, ItemRecord)| Contender {
        name: item.name.clone(),
        inliers: found.inliers,
        area: found.area,
        score: found.score,
        text: None,
    };
    let mut contenders: Vec<Contender> = known.iter().map(contender).collect();
    if let Some(area) = undecided(&contenders) {
        let part = decoded.picture.part(area);
        // A server without a model that reads text goes by features alone.
        if let Some(lines) = worker.read_text(default_model(Task::ReadText), &part, TEXT_LIMITS, None) {
            decide(&mut contenders, &lines.map_err(failed)?);
        }
    }
    let item_match = |((found, item), decided): ((Recognised, ItemRecord), Contender)| ItemMatch {
        item,
        score: decided.score,
        evidence: Evidence::Features {
            inliers: found.inliers,
            picture: found.picture.0,
            text: decided.text,
            area: decoded.file.locate(found.area),
        },
        corners: found.corners.map(|corner| decoded.file.locate_point(corner)),
    };
    Ok(known.into_iter().zip(contenders).map(item_match).collect())
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that `map_err` takes")]
fn failed(error: kaisatsu_vision::RuntimeError) -> RecognitionError {
    RecognitionError::Failed(error.to_string())
}

/// The items of a category that have barcodes of an image, in the order of the barcodes. `items` come with their code.
pub(super) fn with_barcodes(
    file: ImageFile,
    barcodes: &[Barcode],
    items: &[(String, ItemRecord)],
    category: Option<&str>,
) -> Vec<ItemMatch> {
    let mut found: Vec<ItemMatch> = Vec::new();
    for code in barcodes {
        let fits = |item: &ItemRecord| category.is_none_or(|category| item.category == category);
        for (_, item) in items.iter().filter(|(digits, item)| *digits == code.digits && fits(item)) {
            if found.iter().any(|known| known.item.id == item.id) {
                continue;
            }
            let evidence = Evidence::Barcode { digits: code.digits.clone(), area: file.locate(code.area) };
            let corners = code.area.corners().map(|corner| file.locate_point(corner));
            found.push(ItemMatch { item: item.clone(), score: BARCODE_SCORE, evidence, corners });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use kaisatsu_store::ItemRecord;
    use kaisatsu_vision::{
        Area, Bounds,
        barcode::{Barcode, Symbology},
        decode,
    };

    use super::with_barcodes;
    use crate::fixture::PIXEL;

    fn code(digits: &str) -> Barcode {
        let area = Area { x_min: 0.0, y_min: 0.0, x_max: 0.5, y_max: 0.5 };
        Barcode { digits: digits.to_owned(), symbology: Symbology::QrCode, area }
    }

    fn item(code: &str, id: &str, category: &str) -> (String, ItemRecord) {
        let text = |text: &str| text.to_owned();
        let (detail, image_url, sites) = (text("{}"), text(""), text("[]"));
        let (id, category, name) = (text(id), text(category), text(id));
        let record = ItemRecord { number: 1, id, category, name, detail, image_url, sites, thumbnail: None };
        (text(code), record)
    }

    #[test]
    fn items_come_in_the_order_of_the_barcodes_once_each_and_of_the_category_only() {
        let items = [item("1", "a", "book"), item("2", "b", "book"), item("2", "a", "book"), item("2", "c", "food")];
        let file = decode(PIXEL, Bounds::default(), None).unwrap().file;
        let ids = |category| {
            let found = with_barcodes(file, &[code("2"), code("1"), code("3")], &items, category);
            found.into_iter().map(|found| found.item.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(None), ["b", "a", "c"]);
        assert_eq!(ids(Some("book")), ["b", "a"]);
        assert_eq!(ids(Some("dvd")), Vec::<String>::new());
    }
}
