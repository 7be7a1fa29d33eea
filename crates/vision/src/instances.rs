//! Recognition of single things by pictures of each: sights, paintings, shop fronts, signs.
//!
//! Vectors and the votes of local features find the things that a picture may show, and geometry verifies them, as in
//! object recognition. What geometry does not confirm is not answered.

mod file;
mod place;
mod teach;

use std::{cmp::Reverse, collections::HashMap, fs::File, os::unix::fs::FileExt, path::Path, sync::Arc};

use kaisatsu_model::Position;
use serde::{Deserialize, Serialize};

pub use self::{
    place::exif_position,
    teach::{Instance, Taught, teach},
};
use crate::{
    Picture, Resizer,
    manifest::{Fault, InstanceParts},
    object::{Index, ItemId, PictureId, QueryFeature, Recognised, Recogniser, Reference, Search, Vote},
    runtime::RuntimeError,
    softmax::softmax,
    vector::dot,
};

/// The shorter side that is decoded for local features.
pub const SHORT_SIDE: u32 = 960;

/// So many pictures that are nearest by their vectors are verified beside those that features vote for, in the rounds
/// in which the picture is upright.
const NEAREST: usize = 4;
const ROUNDS: usize = 2;

/// With this score or more a thing is known to be there.
const KNOWN: f32 = 0.5;

/// The temperature of the shares of what geometry leaves over. It orders the candidates that follow the first.
const TEMPERATURE: f32 = 0.05;

/// What is known of a thing beside its names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Facts {
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Position>,
    /// Pages about it.
    #[serde(default)]
    pub sites: Vec<Site>,
}

/// A page about a thing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Site {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// A picture of the thing; empty when there is none.
    pub image_url: String,
    /// The licence of that picture, as its source says it; empty when it says nothing.
    #[serde(default)]
    pub licence: String,
}

/// A thing that a picture may show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InstanceScore {
    /// Its position among the labels.
    pub instance: usize,
    /// 0 to 1.
    pub score: f32,
}

/// The pictures of a model of instances.
#[derive(Debug)]
pub struct Instances {
    /// The model that makes the vectors.
    pub vectors_of: String,
    /// The model that finds the local features.
    pub features_of: String,
    facts: Vec<Arc<Facts>>,
    index: Index,
    pictures: Vec<StoredPicture>,
    features: File,
}

/// A picture of a thing.
#[derive(Debug)]
struct StoredPicture {
    instance: usize,
    vector: Vec<f32>,
    /// How many views its reference has, and where that lies in the file of features.
    views: usize,
    offset: u64,
    length: usize,
}

impl Instances {
    /// Opens the files of a model with so many labels.
    pub(crate) fn open(folder: &Path, parts: &InstanceParts, labels: usize) -> Result<Self, Fault> {
        let told = |name: &Path, error: &dyn std::fmt::Display| Fault(format!("{}: {error}", name.display()));
        let text = std::fs::read(folder.join(&parts.facts.file)).map_err(|error| told(&parts.facts.file, &error))?;
        let facts: Vec<Facts> = serde_json::from_slice(&text).map_err(|error| told(&parts.facts.file, &error))?;
        let vectors = file::read_vectors(&folder.join(&parts.vectors.file));
        let vectors = vectors.map_err(|error| told(&parts.vectors.file, &error))?;
        let features = File::open(folder.join(&parts.features.file));
        let features = features.map_err(|error| told(&parts.features.file, &error))?;
        let stored = file::read_index(&features).map_err(|error| told(&parts.features.file, &error))?;
        let outside = stored.iter().any(|picture| picture.instance >= labels);
        if facts.len() != labels || stored.len() != vectors.len() || outside {
            return Err(Fault("its files are not of one model: teach it again".to_owned()));
        }
        let mut index = Index::default();
        let mut pictures = Vec::with_capacity(stored.len());
        for (number, (picture, vector)) in (0..).zip(stored.into_iter().zip(vectors)) {
            index.insert(ItemId(picture.instance as u64), PictureId(number), &picture.encoded);
            pictures.push(StoredPicture {
                instance: picture.instance,
                vector,
                views: picture.encoded.views().len(),
                offset: picture.offset,
                length: picture.length,
            });
        }
        Ok(Self {
            vectors_of: parts.vectors.model.clone(),
            features_of: parts.features.model.clone(),
            facts: facts.into_iter().map(Arc::new).collect(),
            index,
            pictures,
            features,
        })
    }

    /// What is known of a thing.
    #[must_use]
    pub fn facts(&self, instance: usize) -> Option<&Arc<Facts>> {
        self.facts.get(instance)
    }

    /// How many pictures there are.
    #[must_use]
    pub fn pictures(&self) -> usize {
        self.pictures.len()
    }

    /// The things that a picture shows, best first; empty when it shows none of them. After those that geometry
    /// confirms come others that look like it: they share what is missing to one. `vector` is that of the picture, and
    /// `taken_at` where it was taken, if that is known. `objects` is the recogniser of the model [`Self::features_of`].
    ///
    /// # Errors
    /// When a network fails.
    pub fn recognise(
        &self,
        (objects, resizer): (&mut Recogniser, &mut Resizer),
        picture: &Picture,
        vector: &[f32],
        taken_at: Option<Position>,
    ) -> Result<Vec<InstanceScore>, RuntimeError> {
        let nearest = self.nearest(vector);
        let mut search = Search::default();
        let mut round = 0;
        while !search.is_over() {
            let more: &[usize] = if round < ROUNDS { &nearest } else { &[] };
            let ballot = |query: &[QueryFeature], most| self.ballot(query, most, more);
            let wanted = objects.vote(resizer, picture, &mut search, ballot)?;
            objects.verify(&mut search, &self.references(&wanted))?;
            round += 1;
        }
        Ok(self.judge(&search.finish().items, vector, taken_at))
    }

    /// The pictures whose vectors are nearest.
    fn nearest(&self, vector: &[f32]) -> Vec<usize> {
        let mut order: Vec<(usize, f32)> =
            self.pictures.iter().enumerate().map(|(at, picture)| (at, dot(&picture.vector, vector))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order.into_iter().take(NEAREST).map(|(at, _)| at).collect()
    }

    /// What features vote for, then the views of further pictures.
    fn ballot(&self, query: &[QueryFeature], most: usize, more: &[usize]) -> Vec<Vote> {
        let mut votes = self.index.vote(query, most);
        for at in more {
            let Some(picture) = self.pictures.get(*at) else { continue };
            let (item, id) = (ItemId(picture.instance as u64), PictureId(*at as u64));
            for view in 0..picture.views {
                if !votes.iter().any(|vote| vote.picture == id && vote.view == view) {
                    votes.push(Vote { item, picture: id, view, score: f32::MIN_POSITIVE });
                }
            }
        }
        votes
    }

    /// The features of some pictures. One that cannot be read is not verified.
    fn references(&self, wanted: &[PictureId]) -> HashMap<PictureId, Reference> {
        let read = |id: &PictureId| {
            let picture = self.pictures.get(usize::try_from(id.0).ok()?)?;
            let mut bytes = vec![0; picture.length];
            self.features.read_exact_at(&mut bytes, picture.offset).ok()?;
            Some((*id, Reference::from_bytes(&bytes).ok()?))
        };
        wanted.iter().filter_map(read).collect()
    }

    fn judge(&self, seen: &[Recognised], vector: &[f32], taken_at: Option<Position>) -> Vec<InstanceScore> {
        let score = |found: &Recognised| {
            let instance = usize::try_from(found.item.0).ok()?;
            let place = self.facts.get(instance)?.place;
            let score = place::weigh(found.score, taken_at.zip(place).map(|(here, there)| here.metres_to(there)));
            Some((InstanceScore { instance, score }, found.inliers))
        };
        let mut known: Vec<(InstanceScore, u32)> = seen.iter().filter_map(score).collect();
        known.retain(|(found, _)| found.score >= KNOWN);
        known.sort_by(|(a, of_a), (b, of_b)| b.score.total_cmp(&a.score).then(Reverse(of_a).cmp(&Reverse(of_b))));
        let mut known: Vec<InstanceScore> = known.into_iter().map(|(found, _)| found).collect();
        let Some(first) = known.first().copied() else { return Vec::new() };
        let mut likeness = vec![f32::NEG_INFINITY; self.facts.len()];
        for picture in &self.pictures {
            if let Some(best) = likeness.get_mut(picture.instance) {
                *best = best.max(dot(&picture.vector, vector));
            }
        }
        for found in &known {
            likeness[found.instance] = f32::NEG_INFINITY;
        }
        let mut others: Vec<InstanceScore> = softmax(&likeness, TEMPERATURE)
            .into_iter()
            .enumerate()
            .filter(|(instance, share)| share.is_finite() && likeness[*instance].is_finite())
            .map(|(instance, share)| InstanceScore { instance, score: share * (1.0 - first.score) })
            .collect();
        others.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.instance.cmp(&b.instance)));
        known.extend(others);
        known
    }
}
