//! `kaisatsu worker`: does the jobs of the servers on a database, and answers nobody.

use std::{process::ExitCode, sync::Arc};

use kaisatsu_status::{Identity, Monitor};

use super::{
    parts::{disks, fetcher, open_database, open_recognition},
    stop::{StopSignals, exit_at_once},
};
use crate::{error::CliError, logs, settings::Settings};

pub(crate) async fn run(settings: &Settings) -> Result<ExitCode, CliError> {
    let mut signals = StopSignals::catch()?;
    let log = logs::start(&settings.log, settings.log_format);
    let address = settings.database()?;
    let (store, _lock) = open_database(settings, &address).await?;
    let clock = store.clock().await?;
    let recognition = Arc::new(open_recognition(settings, &store, &clock, fetcher(settings)?)?);
    recognition.start_jobs();
    // The servers' pages and `kaisatsu status` list it among the servers.
    let identity = Identity { address: "worker".to_owned(), version: env!("CARGO_PKG_VERSION") };
    let monitor = Arc::new(Monitor::new(store.clone(), Arc::clone(&clock), disks(settings, &address)?, identity));
    let (watched, parts) = (Arc::clone(&monitor), Arc::clone(&recognition));
    let watching = tokio::spawn(async move {
        let said = || watched.parts().into_iter().chain([parts.models_part()]).collect();
        watched.run(said).await;
    });
    outln!("working on {address}");
    signals.next().await;
    tracing::info!("shutting down: another worker goes on with what is not done");
    tokio::spawn(async move {
        signals.next().await;
        exit_at_once();
    });
    watching.abort();
    let _ = tokio::time::timeout(super::serve::DATABASE, monitor.leave()).await;
    recognition.stop().await;
    store.close().await;
    log.flush();
    Ok(ExitCode::SUCCESS)
}
