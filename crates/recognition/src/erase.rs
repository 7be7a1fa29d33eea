//! Removing what deleted applications own: verdicts, datasets, images, recognitions, and at last the applications.
//!
//! Every step may run twice and may stop anywhere. The verdicts are revoked first and removed when every replica has had
//! the time to see that, so that nothing stays learned of them.

use std::time::Duration;

use kaisatsu_model::{AppId, MOST_PER_CANDIDATE, Timestamp};
use kaisatsu_store::FeedbackFilter;

use crate::{Recogniser, RecognitionError, User};

/// How long an application is deleted before its verdicts are removed: replicas look twice a second.
const SEEN_BY_ALL: Duration = Duration::from_mins(1);

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
        let mut gone = 0;
        for (application, since) in self.keeping.store.deleted_applications().await? {
            gone += usize::from(self.erase_one(&application, since).await?);
        }
        Ok(gone)
    }

    async fn erase_one(&self, application: &AppId, since: Timestamp) -> Result<bool, RecognitionError> {
        let store = &self.keeping.store;
        let filter = FeedbackFilter { application: Some(application.clone()), ..FeedbackFilter::default() };
        store.revoke_feedback(&filter, MOST_PER_CANDIDATE).await?;
        for (id, data_set) in store.data_sets_of(application).await? {
            let user = User { application: application.clone(), id };
            match self.delete_data_set(&user, &data_set).await {
                Ok(()) | Err(RecognitionError::NoSuchDataSet) => {}
                Err(error) => return Err(error),
            }
        }
        let now = self.keeping.now();
        store.let_go_of_images(application, now).await?;
        self.sweep().await?;
        if now < since.after(SEEN_BY_ALL) {
            return Ok(false);
        }
        Ok(store.erase_application(application).await?)
    }
}
