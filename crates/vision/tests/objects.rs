//! Items are found by their looks: turned by any angle, several in one picture, and at sizes that descriptors do not
//! bear.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places in pictures"
)]

use std::{collections::HashMap, fs, path::PathBuf};

use kaisatsu_vision::{
    Bounds, ModelRegistry, Picture, Worker, decode,
    object::{Index, ItemId, PictureId, QueryFeature, Recognised, Reference, Search, Vocabulary},
};

const KNOWN: [&str; 5] = ["box.png", "graf1.png", "leuvenA.jpg", "coffee.png", "chelsea.png"];

fn folder(variable: &str) -> PathBuf {
    let Some(folder) = std::env::var_os(variable) else {
        panic!("{variable} is not set; `make test` installs models and photographs and sets it");
    };
    folder.into()
}

fn photo(name: &str) -> Picture {
    decode(&fs::read(folder("KAISATSU_TEST_PHOTOS").join(name)).unwrap(), Bounds::default(), Some(960)).unwrap().picture
}

/// A small catalogue in memory.
struct Catalogue {
    worker: Worker,
    index: Index,
    references: HashMap<PictureId, Reference>,
}

impl Catalogue {
    /// `turned` is whether references are read in four turns.
    fn new(turned: bool) -> Self {
        let registry = ModelRegistry::open(&folder("KAISATSU_TEST_MODELS")).unwrap();
        let mut worker = Worker::load_only(&registry, "local-features").unwrap();
        let (mut index, mut references, vocabulary) = (Index::default(), HashMap::new(), Vocabulary::default());
        for (number, name) in (0..).zip(KNOWN) {
            let (objects, resizer) = worker.objects("local-features").unwrap();
            let extractor = objects.extractor();
            let reference = if turned {
                extractor.turned_reference(resizer, &photo(name))
            } else {
                extractor.reference(resizer, &photo(name))
            };
            let reference = reference.unwrap();
            index.insert(ItemId(number), PictureId(number), &vocabulary.encode(&reference));
            references.insert(PictureId(number), reference);
        }
        Self { worker, index, references }
    }

    /// The items that a picture shows, by name.
    fn recognise(&mut self, picture: &Picture) -> Vec<(&'static str, Recognised)> {
        let (objects, resizer) = self.worker.objects("local-features").unwrap();
        let mut search = if self.index.is_turned() { Search::of_turned() } else { Search::default() };
        while !search.is_over() {
            let vote = |query: &[QueryFeature], most| self.index.vote(query, most);
            objects.vote(resizer, picture, &mut search, vote).unwrap();
            objects.verify(&mut search, &self.references).unwrap();
        }
        let found = search.finish().items.into_iter().filter(|found| found.score >= 0.5);
        found.map(|found| (KNOWN[usize::try_from(found.item.0).unwrap()], found)).collect()
    }
}

/// Pictures on a grey table of a size, each with its middle, its scale and its turn to the right in degrees.
fn table((width, height): (u32, u32), things: &[(&Picture, (f32, f32), f32, f32)]) -> Picture {
    let mut rgb = vec![120; (width * height * 3) as usize];
    for (at, pixel) in rgb.chunks_exact_mut(3).enumerate() {
        let (x, y) = ((at as u32 % width) as f32, (at as u32 / width) as f32);
        for (thing, middle, scale, degrees) in things {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let (x, y) = ((x - middle.0) / scale, (y - middle.1) / scale);
            let u = x * cos + y * sin + thing.width() as f32 / 2.0;
            let v = y * cos - x * sin + thing.height() as f32 / 2.0;
            if u >= 0.0 && v >= 0.0 && u < thing.width() as f32 && v < thing.height() as f32 {
                let from = (v as usize * thing.width() as usize + u as usize) * 3;
                pixel.copy_from_slice(&thing.rgb()[from..from + 3]);
            }
        }
    }
    Picture::new(width, height, rgb).unwrap()
}

/// How far the middle of the corners is from a place, in pixels.
fn off(found: &Recognised, (width, height): (f32, f32), place: (f32, f32)) -> f32 {
    let sum = found.corners.iter().fold((0.0, 0.0), |sum, corner| (sum.0 + corner.0, sum.1 + corner.1));
    (sum.0 / 4.0 * width - place.0).hypot(sum.1 / 4.0 * height - place.1)
}

#[test]
#[ignore = "needs models and the test photographs; `make test` runs it"]
fn items_are_found_turned_and_together_and_at_any_size() {
    items_are_found(&mut Catalogue::new(false));
}

#[test]
#[ignore = "needs models and the test photographs; `make test` runs it"]
fn items_are_found_by_references_in_four_turns() {
    items_are_found(&mut Catalogue::new(true));
}

fn items_are_found(catalogue: &mut Catalogue) {
    // The matcher finds the box, which is much smaller in the scene and turned, with more than descriptors would.
    let found = catalogue.recognise(&photo("box_in_scene.png"));
    assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), ["box.png"]);

    let wall = photo("graf1.png");
    for degrees in [30.0, 45.0, 135.0, 200.0, 310.0] {
        let size = (900, 900);
        let turned = table(size, &[(&wall, (450.0, 450.0), 0.8, degrees)]);
        let found = catalogue.recognise(&turned);
        assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), ["graf1.png"], "turned by {degrees}");
        assert!(off(&found[0].1, (900.0, 900.0), (450.0, 450.0)) < 15.0, "{degrees}: {:?}", found[0].1.corners);
        // The first corner is the wall's own upper left one.
        let (sin, cos) = f32::to_radians(degrees).sin_cos();
        let (x, y) = (-0.4 * wall.width() as f32, -0.4 * wall.height() as f32);
        let corner = ((450.0 + x * cos - y * sin) / 900.0, (450.0 + x * sin + y * cos) / 900.0);
        let first = found[0].1.corners[0];
        assert!((first.0 - corner.0).hypot(first.1 - corner.1) < 0.05, "{degrees}: {first:?}, not {corner:?}");
    }

    // Three at once, each where it is.
    let (town, cup) = (photo("leuvenA.jpg"), photo("coffee.png"));
    let places = [("graf1.png", (330.0, 300.0)), ("leuvenA.jpg", (1000.0, 320.0)), ("coffee.png", (620.0, 760.0))];
    let things = [(&wall, places[0].1, 0.7, 4.0), (&town, places[1].1, 0.6, -5.0), (&cup, places[2].1, 0.8, 0.0)];
    let together = table((1300, 1000), &things);
    let found = catalogue.recognise(&together);
    assert_eq!(found.len(), 3, "{:?}", found.iter().map(|found| found.0).collect::<Vec<_>>());
    for (name, place) in places {
        let (_, item) = found.iter().find(|found| found.0 == name).unwrap_or_else(|| panic!("{name} is missing"));
        assert!(off(item, (1300.0, 1000.0), place) < 20.0, "{name}: {:?}", item.corners);
    }

    for stranger in ["astronaut.png", "rocket.jpg", "page.png", "motorcycle_left.png"] {
        assert_eq!(catalogue.recognise(&photo(stranger)), [], "{stranger}");
    }
}
