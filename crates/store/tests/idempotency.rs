//! Requests with an `Idempotency-Key`, on every backend.

use kaisatsu_model::{AppId, ApplicationName, Timestamp};
use kaisatsu_store::{ClaimOutcome, NewClaim, Store, StoredAnswer};
use kaisatsu_testkit::{Backend, Database};

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    requests_are_claimed_answered_and_forgotten(Backend::Sqlite).await;
    one_of_many_claims_a_request(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn postgres() {
    requests_are_claimed_answered_and_forgotten(Backend::Postgres).await;
    one_of_many_claims_a_request(Backend::Postgres).await;
}

async fn store(backend: Backend) -> (Database, Store, AppId) {
    let database = Database::fresh(backend);
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let app = AppId::from_random([1; 10]);
    store.create_application(&app, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
    (database, store, app)
}

/// A claim of a lease of ten, where rows expire after a hundred.
fn claim(app: &AppId, key: u8, request: u8, seed: u8, now: i64) -> NewClaim {
    NewClaim {
        digest: [key; 32],
        application: app.clone(),
        request: [request; 32],
        seed: [seed; 20],
        now: Timestamp(now),
        leased_until: Timestamp(now + 10),
        expired_before: Timestamp(now - 100),
    }
}

async fn requests_are_claimed_answered_and_forgotten(backend: Backend) {
    let (_database, store, app) = store(backend).await;
    let ask = async |key, request, seed, now| store.claim_request(&claim(&app, key, request, seed, now)).await.unwrap();
    let answer = StoredAnswer { status: 202, body: b"{\"dataSetId\":1}".to_vec() };

    assert_eq!(ask(1, 7, 1, 1_000).await, ClaimOutcome::Claimed([1; 20]));
    assert_eq!(ask(1, 7, 2, 1_009).await, ClaimOutcome::Running);
    assert_eq!(ask(1, 8, 2, 1_009).await, ClaimOutcome::OtherRequest);
    assert_eq!(ask(2, 7, 2, 1_009).await, ClaimOutcome::Claimed([2; 20]), "another key");
    store.lease_request([1; 32], Timestamp(1_020)).await.unwrap();
    assert_eq!(ask(1, 7, 3, 1_019).await, ClaimOutcome::Running, "the lease is renewed");
    assert_eq!(ask(1, 7, 3, 1_020).await, ClaimOutcome::Claimed([1; 20]), "whoever takes over has the seed");
    assert_eq!(ask(1, 7, 4, 1_021).await, ClaimOutcome::Running);
    store.store_answer([1; 32], &answer).await.unwrap();
    assert_eq!(ask(1, 7, 4, 1_022).await, ClaimOutcome::Answered(answer.clone()));
    let other = StoredAnswer { status: 200, body: Vec::new() };
    store.store_answer([1; 32], &other).await.unwrap();
    assert_eq!(ask(1, 7, 4, 1_050).await, ClaimOutcome::Answered(answer.clone()), "the first answer stays");
    store.release_request([1; 32]).await.unwrap();
    assert_eq!(ask(1, 7, 4, 1_050).await, ClaimOutcome::Answered(answer), "what is answered is not released");

    store.release_request([2; 32]).await.unwrap();
    assert_eq!(ask(2, 9, 5, 1_050).await, ClaimOutcome::Claimed([5; 20]), "a released key may mean another request");

    assert_eq!(ask(1, 8, 6, 1_101).await, ClaimOutcome::Claimed([6; 20]), "an expired key may too");
    assert_eq!(store.delete_expired_requests(Timestamp(1_051)).await.unwrap(), 1);
    assert_eq!(ask(2, 1, 7, 1_060).await, ClaimOutcome::Claimed([7; 20]));
    store.delete_application(&app, Timestamp(2_000)).await.unwrap();
    assert!(store.erase_application(&app).await.unwrap(), "an application is erased with its requests");
}

async fn one_of_many_claims_a_request(backend: Backend) {
    let (_database, store, app) = store(backend).await;
    for (key, takeover) in [(1, false), (2, true)] {
        if takeover {
            store.claim_request(&claim(&app, key, 1, 0, 0)).await.unwrap();
        }
        let attempts = (1..=16).map(|seed| {
            let (store, claim) = (store.clone(), claim(&app, key, 1, seed, 50));
            tokio::spawn(async move { store.claim_request(&claim).await.unwrap() })
        });
        let mut claimed = 0;
        for attempt in attempts.collect::<Vec<_>>() {
            match attempt.await.unwrap() {
                ClaimOutcome::Claimed(_) => claimed += 1,
                ClaimOutcome::Running => {}
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(claimed, 1, "takeover: {takeover}");
    }
}
