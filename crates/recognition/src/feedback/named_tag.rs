//! "It is actually …": a verdict that names a tag, which need not be one of the candidates.

use kaisatsu_model::{Function, ItemId, Source, Verdict};
use kaisatsu_store::{Rated, RecognitionRecord, StoredCandidate};

use super::{Feedback, Rating};
use crate::RecognitionError;

impl Feedback {
    /// What a verdict is on. A tag that is one of the candidates is that candidate, and any other tag of the
    /// vocabulary that answered is rated as if it were one.
    pub(super) async fn rated(
        &self,
        record: &RecognitionRecord,
        of: (Function, &Source),
        rating: &Rating,
    ) -> Result<Rated, RecognitionError> {
        let candidate = rating.item.clone().map_or(Rated::Whole, Rated::Candidate);
        let Some(tag) = &rating.tag else { return Ok(candidate) };
        let subject = self.subject(of, tag).await?;
        if let Some(item) = &rating.item {
            let other = |one: &&StoredCandidate| one.id == item.as_str() && one.subject != subject;
            return match record.items.iter().find(other) {
                Some(other) => Err(RecognitionError::OtherTag { tag: tag.clone(), candidate: other.name.clone() }),
                None => Ok(candidate),
            };
        }
        let answered = record.items.iter().any(|one| one.subject == subject);
        if rating.verdict == Verdict::Invalid && !answered {
            // Who has confirmed a tag can take that back.
            let (verdicts, id) = (self.store.verdicts(&rating.recognition).await?, ItemId::of_tag(&subject));
            if !verdicts.iter().any(|known| known.item.as_deref() == Some(id.as_str())) {
                return Err(RecognitionError::NotAnswered(tag.clone()));
            }
        }
        Ok(Rated::Subject(subject))
    }

    /// The subject that candidates of a recognition have if they are the tag that somebody calls so.
    async fn subject(&self, of: (Function, &Source), tag: &str) -> Result<String, RecognitionError> {
        match of {
            (Function::Classify, Source::Model(model)) => self.models.tag_id(model, tag),
            (Function::Classify, Source::Dataset(id)) if self.store.dataset_has_tag(id, tag).await? => {
                Ok(tag.to_owned())
            }
            (Function::Classify, Source::Dataset(_)) => Err(RecognitionError::UnknownDatasetTag(tag.to_owned())),
            _ => Err(RecognitionError::NoTagsHere),
        }
    }
}
