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
        let mut deleted = self.keeping.store.deleted_applications().await?;
        // First what is quick and matters most: nothing stays learned.
        for (application, since) in &mut deleted {
            if let Some(now) = self.unlearn(application).await? {
                *since = now;
            }
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

    /// Takes back what an application's users said. Its time begins anew when there was something, and this says when: every
    /// replica has to see it.
    async fn unlearn(&self, application: &AppId) -> Result<Option<Timestamp>, RecognitionError> {
        let store = &self.keeping.store;
        let filter = FeedbackFilter { application: Some(application.clone()), ..FeedbackFilter::default() };
        if store.revoke_feedback(&filter, MOST_PER_CANDIDATE).await? == 0 {
            return Ok(None);
        }
        let now = self.keeping.now();
        store.delete_later(application, now).await?;
        Ok(Some(now))
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kaisatsu_store::Standing;

    use super::SEEN_BY_ALL;
    use crate::sweep::stage::Stage;

    #[tokio::test]
    async fn a_late_erasure_gives_replicas_their_time_too() {
        let stage = Stage::set().await;
        stage.rate(1).await;
        stage.store.delete_application(&stage.user.application, stage.recogniser.keeping.now()).await.unwrap();
        // No server ran for an hour.
        stage.pass(Duration::from_hours(1));
        for _ in 0..2 {
            assert_eq!(stage.recogniser.erase().await.unwrap(), 0);
            let told = stage.store.changed_feedback(&(0, String::new(), String::new()), 10).await.unwrap();
            assert_eq!(told.iter().map(|row| row.standing).collect::<Vec<_>>(), [Standing::Revoked]);
        }
        stage.pass(SEEN_BY_ALL);
        assert_eq!(stage.recogniser.erase().await.unwrap(), 1);
        assert!(stage.store.deleted_applications().await.unwrap().is_empty());
    }
}
