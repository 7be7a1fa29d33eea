//! What several of these tests start from.

use kaisatsu_model::{AppId, ApplicationName, Timestamp};
use kaisatsu_store::Store;
use kaisatsu_testkit::Database;

/// A store with an application.
pub(crate) async fn store_with_application(database: &Database) -> (Store, AppId) {
    let store = Store::open(&database.address.parse().unwrap()).await.unwrap();
    let app = AppId::from_random([1; 10]);
    store.create_application(&app, &ApplicationName::new("one").unwrap(), Timestamp(0)).await.unwrap();
    (store, app)
}
