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

#[cfg(test)]
mod tests {
    use kaisatsu_model::{Function, ImageId, ItemId, RecognitionId, Source, Tag, Timestamp, Verdict};
    use kaisatsu_store::{ImageSource, NewDatasetImage, NewRecognition, Rated, StoredCandidate};

    use crate::{Rating, RecognitionError, fixture::Fixture};

    /// What was recognised with a dataset of the tags cat, dog and bird: perhaps a cat, perhaps a dog.
    struct Recognised {
        fixture: Fixture,
        source: Source,
        id: RecognitionId,
        cat: ItemId,
    }

    impl Recognised {
        async fn new() -> Self {
            let fixture = Fixture::new().await;
            let image = |number: u8, tag: &str| NewDatasetImage {
                source: ImageSource::Url(
                    format!("https://example.org/{number}.jpg"),
                    ImageId::from_random([number; 20]),
                ),
                tag: Tag::new(tag).ok(),
            };
            let images = vec![image(1, "cat"), image(2, "dog"), image(3, "bird")];
            let source = Source::Dataset(fixture.dataset(&fixture.user, 1, images).await);
            fixture.database.run("UPDATE dataset_image SET outcome = 'fetched'");
            let candidate = |number: u8, name: &str| StoredCandidate {
                id: ItemId::from_random([number; 10]).as_str().to_owned(),
                subject: name.to_owned(),
                name: name.to_owned(),
                score: 0.5,
                base: None,
                moved: Vec::new(),
            };
            let recognition = NewRecognition {
                id: RecognitionId::from_random([1; 16]),
                application: fixture.user.application.clone(),
                function: Function::Classify,
                source: source.clone(),
                created_at: Timestamp(0),
                expires_at: Timestamp(1_000_000),
                items: vec![candidate(1, "cat"), candidate(2, "dog")],
                engine: "e".to_owned(),
                vector: None,
                picture: None,
            };
            let id = recognition.id.clone();
            fixture.store.save_recognition(recognition).await.unwrap();
            Self { fixture, source, id, cat: ItemId::from_random([1; 10]) }
        }

        fn rating(&self, verdict: Verdict, item: Option<&ItemId>, tag: &str) -> Rating {
            let tag = Some(tag.to_owned()).filter(|tag| !tag.is_empty());
            Rating { recognition: self.id.clone(), item: item.cloned(), tag, verdict, comment: None }
        }

        /// What a verdict is on.
        async fn rated(&self, verdict: Verdict, item: Option<&ItemId>, tag: &str) -> Result<Rated, RecognitionError> {
            self.rated_as((Function::Classify, &self.source), verdict, item, tag).await
        }

        async fn rated_as(
            &self,
            of: (Function, &Source),
            verdict: Verdict,
            item: Option<&ItemId>,
            tag: &str,
        ) -> Result<Rated, RecognitionError> {
            let application = Some(&self.fixture.user.application);
            let record = self.fixture.store.recognition_record(application, &self.id, Timestamp(1)).await.unwrap();
            self.fixture.recognition.feedback.rated(&record, of, &self.rating(verdict, item, tag)).await
        }
    }

    fn subject(tag: &str) -> Rated {
        Rated::Subject(tag.to_owned())
    }

    #[tokio::test]
    async fn a_verdict_without_a_tag_is_on_the_candidate_or_on_the_whole() {
        let given = Recognised::new().await;
        assert_eq!(given.rated(Verdict::Valid, None, "").await.unwrap(), Rated::Whole);
        assert_eq!(
            given.rated(Verdict::Valid, Some(&given.cat), "").await.unwrap(),
            Rated::Candidate(given.cat.clone())
        );
    }

    #[tokio::test]
    async fn a_tag_beside_a_candidate_must_be_its_own() {
        let given = Recognised::new().await;
        for verdict in [Verdict::Valid, Verdict::Invalid] {
            let same = given.rated(verdict, Some(&given.cat), "cat").await;
            assert_eq!(same.unwrap(), Rated::Candidate(given.cat.clone()));
            let other = given.rated(verdict, Some(&given.cat), "dog").await;
            let Err(RecognitionError::OtherTag { tag, candidate }) = other else { panic!("{other:?}") };
            assert_eq!((tag.as_str(), candidate.as_str()), ("dog", "cat"));
        }
        // The store knows whether there is such a candidate.
        let unknown = ItemId::from_random([9; 10]);
        assert_eq!(given.rated(Verdict::Valid, Some(&unknown), "cat").await.unwrap(), Rated::Candidate(unknown));
    }

    #[tokio::test]
    async fn any_tag_of_the_vocabulary_may_be_confirmed_and_taken_back() {
        let given = Recognised::new().await;
        let rated = async |verdict, tag: &str| given.rated(verdict, None, tag).await;
        assert_eq!(rated(Verdict::Valid, "bird").await.unwrap(), subject("bird"));
        assert_eq!(rated(Verdict::Invalid, "dog").await.unwrap(), subject("dog"), "it is a candidate");
        let never = rated(Verdict::Invalid, "bird").await;
        assert!(matches!(&never, Err(RecognitionError::NotAnswered(tag)) if tag == "bird"), "{never:?}");

        let rate = async |verdict, tag: &str| {
            let feedback = &given.fixture.recognition.feedback;
            feedback.rate(&given.fixture.user.application, given.rating(verdict, None, tag)).await.unwrap();
        };
        // A verdict on another tag changes nothing.
        rate(Verdict::Valid, "cat").await;
        assert!(matches!(rated(Verdict::Invalid, "bird").await, Err(RecognitionError::NotAnswered(_))));
        rate(Verdict::Valid, "bird").await;
        assert_eq!(rated(Verdict::Invalid, "bird").await.unwrap(), subject("bird"));
    }

    #[tokio::test]
    async fn a_tag_that_cannot_have_been_answered_is_refused() {
        let given = Recognised::new().await;
        let fish = given.rated(Verdict::Valid, None, "fish").await;
        assert!(matches!(&fish, Err(RecognitionError::UnknownDatasetTag(tag)) if tag == "fish"), "{fish:?}");
        let detected = given.rated_as((Function::Detect, &given.source), Verdict::Valid, None, "cat").await;
        assert!(matches!(detected, Err(RecognitionError::NoTagsHere)), "{detected:?}");
        let of = (Function::Classify, &Source::Model("general".to_owned()));
        let gone = given.rated_as(of, Verdict::Valid, None, "cat").await;
        assert!(matches!(&gone, Err(RecognitionError::NoSuchModel { asked, .. }) if asked == "general"), "{gone:?}");
    }
}
