//! Removing what deleted applications own: verdicts, datasets, images, recognitions, and at last the applications.
//!
//! Every step may run twice and may stop anywhere. The verdicts are revoked first and removed when every replica has had
//! the time to see that, so that nothing stays learned of them.

use std::time::Duration;

use kaisatsu_model::{AppId, MOST_PER_CANDIDATE, Timestamp};
use kaisatsu_store::FeedbackFilter;

use crate::{Recogniser, RecognitionError, User};

/// How long verdicts are taken back before they are removed: replicas look twice a second, and one that was cut off from the
/// database for a while is to see it too.
const SEEN_BY_ALL: Duration = Duration::from_mins(10);

impl Recogniser {
    /// Lets the sweeper know that there is something to remove.
    pub fn sweep_soon(&self) {
        self.users.to_sweep.notify_one();
    }

    /// Goes on removing what deleted applications own; how many are gone entirely.
    ///
    /// # Errors
    /// When the database fails; the next call goes on from there.
    pub async fn erase(&self) -> Result<usize, RecognitionError> {
        let deleted = self.keeping.store.deleted_applications().await?;
        // First what is quick and matters most: nothing stays learned.
        for (application, _) in &deleted {
            self.unlearn(application).await?;
        }
        let mut gone = 0;
        for (application, since) in deleted {
            match self.erase_one(&application, since).await {
                Ok(whole) => gone += usize::from(whole),
                // One that cannot be erased must not keep the others.
                Err(error) => tracing::warn!(%error, %application, "it is deleted and could not be erased yet"),
            }
        }
        Ok(gone)
    }

    /// Takes back what an application's users said. Its time begins anew when there was something: every replica has to see it.
    async fn unlearn(&self, application: &AppId) -> Result<(), RecognitionError> {
        let store = &self.keeping.store;
        let filter = FeedbackFilter { application: Some(application.clone()), ..FeedbackFilter::default() };
        if store.revoke_feedback(&filter, MOST_PER_CANDIDATE).await? > 0 {
            store.delete_later(application, self.keeping.now()).await?;
        }
        Ok(())
    }

    async fn erase_one(&self, application: &AppId, since: Timestamp) -> Result<bool, RecognitionError> {
        let store = &self.keeping.store;
        for (id, data_set) in store.data_sets_of(application).await? {
            let user = User { application: application.clone(), id };
            match self.delete_data_set(&user, &data_set).await {
                Ok(()) | Err(RecognitionError::NoSuchDataSet) => {}
                Err(error) => return Err(error),
            }
        }
        let now = self.keeping.now();
        store.let_go_of_images(application, now).await?;
        // The sweeper goes on with the bytes; it is by its side.
        if now < since.after(SEEN_BY_ALL) {
            return Ok(false);
        }
        Ok(store.erase_application(application).await?)
    }
}
