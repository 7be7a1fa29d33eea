//! How image recognition is: its parts, and how much there is of everything.

use kaisatsu_model::{Part, PartState};

use crate::{Recognition, RecognitionError};

/// How much there is of everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Items of the catalogue.
    pub items: i64,
    /// Collections of similar image search.
    pub collections: i64,
    /// The images in them.
    pub images: i64,
    /// Datasets by phase, in the words of the API.
    pub datasets: Vec<(String, i64)>,
}

impl Recognition {
    /// The parts of image recognition, and how they are.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let part = |name: &str, is_ready: bool, otherwise: &str| {
            if is_ready { Part::ok(name) } else { Part::new(name, PartState::Starting, otherwise) }
        };
        vec![
            self.models_part(),
            self.collections_part(),
            part("feedback", self.is_feedback_followed(), "feedback cannot be read yet"),
        ]
    }

    fn collections_part(&self) -> Part {
        const NAME: &str = "collections";
        if !self.is_content_loaded() {
            return Part::new(NAME, PartState::Starting, "collections and catalogue are being loaded");
        }
        if self.lacks_room_for_collections() {
            let message = "the vectors of collections take more memory than collection_memory. PostgreSQL with pgvector \
                           holds those that do not fit; otherwise raise collection_memory";
            return Part::new(NAME, PartState::Degraded, message);
        }
        Part::ok(NAME)
    }

    /// How the part is that jobs need.
    #[must_use]
    pub fn models_part(&self) -> Part {
        const NAME: &str = "models";
        if !self.models.are_loaded() {
            return Part::new(NAME, PartState::Starting, "the models are being loaded");
        }
        if self.models.is_empty() {
            let message = "no model is installed: image recognition answers 503. `kaisatsu models install` installs \
                           the default set";
            return Part::new(NAME, PartState::Off, message);
        }
        let missing = self.models.missing_defaults();
        let broken = self.models.broken();
        let mut told = Vec::new();
        if !missing.is_empty() {
            told.push(format!("not installed: {}", missing.join(", ")));
        }
        if !broken.is_empty() {
            told.push(format!("installed, but not usable: {}", broken.join(", ")));
        }
        if told.is_empty() { Part::ok(NAME) } else { Part::new(NAME, PartState::Degraded, told.join("; ")) }
    }

    /// How much there is of everything.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn contents(&self) -> Result<Contents, RecognitionError> {
        let store = self.store();
        let collections = store.collections().await?;
        Ok(Contents {
            items: store.catalogue_counts().await?.iter().map(|(_, count)| count).sum(),
            collections: i64::try_from(collections.len()).unwrap_or(i64::MAX),
            images: collections.iter().map(|(_, count)| count).sum(),
            datasets: store.dataset_counts().await?,
        })
    }
}
