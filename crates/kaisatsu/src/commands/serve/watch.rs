//! Reads maps and certificates again when their files change.

use std::{sync::Arc, time::Duration};

use kaisatsu_http::{PreparedMap, Tls};
use kaisatsu_railmap::MapRegistry;
use tokio::signal::unix::{SignalKind, signal};

/// How often the map folder is checked for changes.
const MAP_INTERVAL: Duration = Duration::from_secs(2);

/// How often the files of the certificate are looked at.
const CERTIFICATE_INTERVAL: Duration = Duration::from_secs(2);

/// Reloads the map folder at intervals, and at once on SIGHUP. Files are read and checked off the async threads.
pub(super) fn maps(maps: Arc<MapRegistry<PreparedMap>>) {
    tokio::spawn(async move {
        let mut hangup = signal(SignalKind::hangup()).ok();
        let mut failing = false;
        loop {
            let asked = async {
                match &mut hangup {
                    Some(signal) => signal.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = tokio::time::sleep(MAP_INTERVAL) => {}
                _ = asked => tracing::info!("asked to look at the maps again"),
            }
            let registry = Arc::clone(&maps);
            let reloaded = tokio::task::spawn_blocking(move || registry.reload()).await;
            if let Ok(Err(error)) = &reloaded
                && !failing
            {
                tracing::error!(%error, "the map folder cannot be read; the maps in force stay");
            }
            failing = matches!(reloaded, Ok(Err(_)));
        }
    });
}

/// Reads the certificate again when its files change.
pub(super) fn certificate(tls: Arc<Tls>) {
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(CERTIFICATE_INTERVAL).await;
            let read = Arc::clone(&tls);
            match tokio::task::spawn_blocking(move || read.reload()).await {
                Ok(Ok(true)) => tracing::info!("the certificate was replaced"),
                Ok(Err(error)) => tracing::error!("the certificate in force stays: {error}"),
                _ => {}
            }
        }
    });
}
