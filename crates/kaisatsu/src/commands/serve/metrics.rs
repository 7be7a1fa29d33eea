//! The metrics of the process, and the address of their own that they may have.

use std::{sync::Arc, time::Duration};

use kaisatsu_http::{App, Limits};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;

use crate::error::CliError;

/// Connections that may ask for metrics at the same time.
const METRICS_CONNECTIONS: usize = 16;

/// Upper bounds of the histogram buckets for the engine's steps, in seconds.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// How often histograms are drained. They must not grow when nobody reads the metrics.
const UPKEEP: Duration = Duration::from_secs(5);

/// Starts to count.
pub(super) fn install() -> Result<PrometheusHandle, CliError> {
    let failed = |error| CliError::Failed(format!("metrics cannot be kept: {error}"));
    let builder = PrometheusBuilder::new().set_buckets(&SECONDS).map_err(failed)?;
    let handle = builder.install_recorder().map_err(failed)?;
    let kept = handle.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP).await;
            kept.run_upkeep();
        }
    });
    kaisatsu_http::describe_metrics();
    kaisatsu_recognition::describe_metrics();
    Ok(handle)
}

/// Serves the metrics on an address of their own, until the process ends.
pub(super) fn serve(listener: TcpListener, app: App) {
    let limits = Limits { connections: METRICS_CONNECTIONS, grace: Duration::ZERO };
    tokio::spawn(kaisatsu_http::serve(listener, Arc::new(app), limits, None, std::future::pending()));
}
