//! Removing what deleted applications owned: verdicts, datasets, images, recognitions, and at last the applications.
//!
//! Every step may run twice and may stop anywhere. Verdicts are revoked first, and removed when every replica has had
//! the time to see that, so that nothing stays learned of them.

use std::time::Duration;

use kaisatsu_model::{AppId, MOST_PER_CANDIDATE, Timestamp};
use kaisatsu_store::FeedbackFilter;

use super::Janitor;
use crate::{RecognitionError, User};

/// How long verdicts stay revoked before they are removed. Replicas follow verdicts twice a second; one that was cut
/// off from the database for a while has to see it too.
const REVOKED_FOR: Duration = Duration::from_mins(10);

impl Janitor {
    /// Goes on removing what deleted applications owned; how many applications are gone entirely.
    ///
    /// # Errors
    /// When the database fails. The next call goes on from there.
    pub async fn erase(&self) -> Result<usize, RecognitionError> {
        let mut deleted = self.store.deleted_applications().await?;
        // First what is quick and matters most: nothing stays learned.
        for (application, since) in &mut deleted {
            if let Some(now) = self.revoke_all(application).await? {
                *since = now;
            }
        }
        let mut gone = 0;
        for (application, since) in deleted {
            match self.erase_one(&application, since).await {
                Ok(whole) => gone += usize::from(whole),
                // One that cannot be erased must not hold up the others.
                Err(error) => tracing::warn!(%error, %application, "it is deleted and could not be erased yet"),
            }
        }
        Ok(gone)
    }

    /// Revokes an application's verdicts. When there were any, its time begins anew, because every replica has to see
    /// it: then this returns when.
    async fn revoke_all(&self, application: &AppId) -> Result<Option<Timestamp>, RecognitionError> {
        let filter = FeedbackFilter { application: Some(application.clone()), ..FeedbackFilter::default() };
        if self.store.revoke_feedback(&filter, MOST_PER_CANDIDATE).await? == 0 {
            return Ok(None);
        }
        let now = self.clock.now();
        self.store.postpone_erasure(application, now).await?;
        Ok(Some(now))
    }

    async fn erase_one(&self, application: &AppId, since: Timestamp) -> Result<bool, RecognitionError> {
        for (id, dataset) in self.store.datasets_of(application).await? {
            let user = User { application: application.clone(), id };
            match self.datasets.delete(&user, &dataset).await {
                Ok(()) | Err(RecognitionError::NoSuchDataset) => {}
                Err(error) => return Err(error),
            }
        }
        let now = self.clock.now();
        // The sweep that follows removes the bytes.
        self.store.release_images(application, now).await?;
        if now < since.after(REVOKED_FOR) {
            return Ok(false);
        }
        Ok(self.store.erase_application(application).await?)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kaisatsu_store::Standing;

    use super::REVOKED_FOR;
    use crate::fixture::Fixture;

    #[tokio::test]
    async fn a_late_erasure_gives_replicas_their_time_too() {
        let fixture = Fixture::new().await;
        let janitor = &fixture.recognition.janitor;
        fixture.rate(1).await;
        let now = fixture.context.clock.now();
        fixture.store.delete_application(&fixture.user.application, now).await.unwrap();
        // No server ran for an hour.
        fixture.pass(Duration::from_hours(1));
        for _ in 0..2 {
            assert_eq!(janitor.erase().await.unwrap(), 0);
            let changes = fixture.store.changed_feedback(&(0, String::new(), String::new()), 10).await.unwrap();
            assert_eq!(changes.iter().map(|row| row.standing).collect::<Vec<_>>(), [Standing::Revoked]);
        }
        fixture.pass(REVOKED_FOR);
        assert_eq!(janitor.erase().await.unwrap(), 1);
        assert!(fixture.store.deleted_applications().await.unwrap().is_empty());
    }
}
