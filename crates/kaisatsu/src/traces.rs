//! Traces: the span of each request, sent to a collector over OTLP (protobuf over HTTP).
//!
//! A span says what the log line of a request says, without the query string. It belongs to the trace that the caller's
//! `traceparent` names, or else begins one.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use kaisatsu_fetch::TrustedClient;
use kaisatsu_http::{AccessLine, AccessLog, TraceParent};
use opentelemetry::{
    Context, KeyValue,
    trace::{
        Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId, TraceState,
        Tracer as _, TracerProvider as _,
    },
};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};
use tokio::runtime::Handle;

use crate::error::CliError;

/// How long the collector may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The log of requests, which also exports their spans.
pub(crate) struct TracedLog {
    log: Arc<dyn AccessLog>,
    tracer: SdkTracer,
    provider: SdkTracerProvider,
}

impl TracedLog {
    /// Exports spans to a collector from now on.
    pub(crate) fn start(log: Arc<dyn AccessLog>, endpoint: &str, instance: String) -> Result<Self, CliError> {
        let failed = |error: String| CliError::Failed(format!("traces cannot be exported: {error}"));
        let client = TrustedClient::new().map_err(|error| failed(error.to_string()))?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Collector { client, runtime: Handle::current(), is_failing: Arc::default() })
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(address(endpoint))
            .with_timeout(PATIENCE)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let resource = Resource::builder()
            .with_service_name("kaisatsu")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .with_attribute(KeyValue::new("service.instance.id", instance))
            .build();
        let provider = SdkTracerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build();
        Ok(Self { log, tracer: provider.tracer("kaisatsu"), provider })
    }

    /// Sends the spans that are still waiting. Blocks while the collector does not answer.
    pub(crate) fn shut_down(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(PATIENCE) {
            tracing::warn!(%error, "the spans of the last seconds are not exported");
        }
    }

    /// Exports the span of a request; returns the id of its trace.
    fn export(&self, line: &AccessLine<'_>) -> TraceId {
        let took = Duration::from_micros(line.micros);
        let ended = SystemTime::now();
        let mut attributes = vec![
            KeyValue::new("http.request.method", line.method.to_owned()),
            KeyValue::new("url.path", line.path.to_owned()),
            KeyValue::new("http.response.status_code", i64::from(line.status)),
            KeyValue::new("kaisatsu.request_id", line.request_id.to_owned()),
        ];
        attributes.extend(line.application.map(|id| KeyValue::new("kaisatsu.application", id.to_owned())));
        let parent = line
            .parent
            .and_then(span_context)
            .map_or_else(Context::new, |parent| Context::new().with_remote_span_context(parent));
        let mut span = self
            .tracer
            .span_builder(format!("{} {}", line.method, line.path))
            .with_kind(SpanKind::Server)
            .with_start_time(ended - took)
            .with_attributes(attributes)
            .start_with_context(&self.tracer, &parent);
        if line.status >= 500 {
            span.set_status(Status::error(line.error.unwrap_or_default().to_owned()));
        }
        span.end_with_timestamp(ended);
        span.span_context().trace_id()
    }
}

impl AccessLog for TracedLog {
    fn wants(&self, _: bool) -> bool {
        true
    }

    fn write(&self, line: AccessLine<'_>) {
        let trace = self.export(&line).to_string();
        if self.log.wants(line.level == "ERROR") {
            self.log.write(AccessLine { trace_id: Some(line.trace_id.unwrap_or(&trace)), ..line });
        }
    }
}

/// The address of the collector; its usual path need not be written.
fn address(endpoint: &str) -> String {
    let after = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    match after.split_once('/') {
        None | Some((_, "")) => format!("{}/v1/traces", endpoint.trim_end_matches('/')),
        Some(_) => endpoint.to_owned(),
    }
}

/// The caller's span.
fn span_context(parent: &TraceParent) -> Option<SpanContext> {
    let trace = TraceId::from_hex(&parent.trace_id).ok()?;
    let span = SpanId::from_hex(&parent.parent_id).ok()?;
    let flags = if parent.is_sampled { TraceFlags::SAMPLED } else { TraceFlags::default() };
    Some(SpanContext::new(trace, span, flags, true, TraceState::default()))
}

/// Sends spans. The exporter has a thread of its own, the client needs the runtime.
#[derive(Debug)]
struct Collector {
    client: TrustedClient,
    runtime: Handle,
    is_failing: Arc<AtomicBool>,
}

impl HttpClient for Collector {
    fn send_bytes<'own, 'sent>(
        &'own self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'sent>>
    where
        'own: 'sent,
    {
        let (client, is_failing) = (self.client.clone(), Arc::clone(&self.is_failing));
        let sending = self.runtime.spawn(async move {
            let answer = client.send(request, PATIENCE).await;
            let fault = match &answer {
                Ok(answer) if answer.status().is_success() => None,
                Ok(answer) => Some(format!("it answered {}", answer.status())),
                Err(error) => Some(error.clone()),
            };
            // Once, and not with every batch.
            let was_failing = is_failing.swap(fault.is_some(), Ordering::Relaxed);
            match fault {
                Some(error) if !was_failing => tracing::warn!(error, "the collector takes no traces"),
                None if was_failing => tracing::info!("the collector takes traces again"),
                _ => {}
            }
            answer
        });
        Box::pin(async move { Ok(sending.await??) })
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn the_usual_path_of_a_collector_is_added() {
        for (endpoint, expected) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
            ("https://otel.example/custom/v1/traces", "https://otel.example/custom/v1/traces"),
        ] {
            assert_eq!(address(endpoint), expected);
        }
    }
}
