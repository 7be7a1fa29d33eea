//! User tokens, on every backend.

use kaisatsu_model::{AppId, ApplicationName, Timestamp, TokenDigest, UserId};
use kaisatsu_store::{NewToken, Store, TokenHolder};
use kaisatsu_testkit::{Backend, Database};

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    tokens_are_good_until_they_expire_or_are_revoked(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL; `make test` runs it"]
async fn postgres() {
    tokens_are_good_until_they_expire_or_are_revoked(Backend::Postgres).await;
}

fn token(number: u8, app: &AppId, user: &str, made: i64) -> NewToken {
    NewToken {
        digest: TokenDigest([number; 32]),
        application: app.clone(),
        user: UserId::new(user).unwrap(),
        created_at: Timestamp(made),
        expires_at: Timestamp(made + 100),
    }
}

async fn tokens_are_good_until_they_expire_or_are_revoked(backend: Backend) {
    let database = Database::fresh(backend);
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let [one, two] = [1, 2].map(|number| AppId::from_random([number; 10]));
    for (app, name) in [(&one, "one"), (&two, "two")] {
        store.create_application(app, &ApplicationName::new(name).unwrap(), Timestamp(0)).await.unwrap();
    }
    let owner = async |number: u8, app: &AppId, now: i64| {
        store.token_owner(TokenDigest([number; 32]), app, Timestamp(now)).await.unwrap()
    };
    for (number, made) in [(1, 0), (2, 10), (3, 20)] {
        store.put_token(&token(number, &one, "猫", made), 2).await.unwrap();
    }
    store.put_token(&token(4, &one, "other", 20), 2).await.unwrap();
    store.put_token(&token(5, &two, "猫", 20), 2).await.unwrap();
    assert_eq!(owner(1, &one, 20).await, None, "the oldest of three goes when two may be good");
    assert_eq!(owner(2, &one, 20).await.as_deref(), Some("猫"), "the one before the last works on");
    assert_eq!(owner(3, &one, 20).await.as_deref(), Some("猫"));
    assert_eq!(owner(3, &two, 20).await, None, "another application's key opens nothing with it");
    assert_eq!((owner(2, &one, 109).await.is_some(), owner(2, &one, 110).await), (true, None), "it expires");
    assert_eq!(owner(9, &one, 20).await, None);

    let holder =
        |user: &str, live, expires_at| TokenHolder { user: user.to_owned(), live, expires_at: Timestamp(expires_at) };
    let mut holders = store.token_holders(&one, Timestamp(20)).await.unwrap();
    holders.sort_by(|a, b| a.user.cmp(&b.user));
    assert_eq!(holders, [holder("other", 1, 120), holder("猫", 2, 120)]);

    let cat = UserId::new("猫").unwrap();
    assert_eq!(store.revoke_tokens(&one, Some(&cat), Timestamp(30)).await.unwrap(), 2);
    assert_eq!(store.revoke_tokens(&one, Some(&cat), Timestamp(30)).await.unwrap(), 0);
    assert_eq!(owner(3, &one, 30).await, None);
    assert_eq!(owner(4, &one, 30).await.as_deref(), Some("other"), "another user's is untouched");
    assert_eq!(owner(5, &two, 30).await.as_deref(), Some("猫"), "and so is another application's user of that name");
    assert_eq!(store.revoke_tokens(&one, None, Timestamp(30)).await.unwrap(), 1, "all of an application");
    assert_eq!(store.delete_expired_tokens(Timestamp(115)).await.unwrap(), 2);
    assert_eq!(owner(5, &two, 115).await.as_deref(), Some("猫"));
}
