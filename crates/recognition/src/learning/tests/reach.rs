//! For whom feedback acts, and on what.

use kaisatsu_model::{AppId, Source};

use super::model;
use crate::fixture::Fixture;

/// The quorum of the fixture is two: one application alone changes nothing for the others.
#[tokio::test]
async fn feedback_acts_for_all_when_a_quorum_of_applications_agrees() {
    let fixture = Fixture::new().await;
    let general = model("general");
    let (second, third) = (fixture.application(2).await, fixture.application(3).await);
    fixture.rate(1).await;
    assert!(fixture.score(&fixture.user.application, &general).await > 0.6, "at once for who gave it");
    assert_eq!(fixture.score(&third, &general).await.to_bits(), 0.5_f32.to_bits());
    fixture.rate_as(&second, 2, general.clone()).await;
    fixture.learn().await;
    assert!(fixture.score(&third, &general).await > 0.6, "two agree");
    assert_eq!(fixture.score(&third, &model("other")).await.to_bits(), 0.5_f32.to_bits());
}

#[tokio::test]
async fn feedback_on_a_dataset_acts_on_no_other_dataset_and_for_no_other_application() {
    let fixture = Fixture::new().await;
    let (own, other) = (fixture.user.clone(), fixture.other_user());
    let mine = Source::Dataset(fixture.dataset(&own, 1, Vec::new()).await);
    let theirs = Source::Dataset(fixture.dataset(&other, 2, Vec::new()).await);
    let strangers: Vec<AppId> = vec![fixture.application(2).await, fixture.application(3).await];
    // As many verdicts as the quorum and more: on a dataset no number of them acts for others.
    for number in 1..=4 {
        fixture.rate_as(&own.application, number, mine.clone()).await;
    }
    assert!(fixture.score(&own.application, &mine).await > 0.6);
    let unmoved = async |application: &AppId, source: &Source| {
        assert_eq!(fixture.score(application, source).await.to_bits(), 0.5_f32.to_bits());
        assert!(!fixture.learned_by(application, source).await);
    };
    unmoved(&own.application, &theirs).await;
    unmoved(&own.application, &model("general")).await;
    for stranger in &strangers {
        unmoved(stranger, &mine).await;
        unmoved(stranger, &theirs).await;
    }
}
