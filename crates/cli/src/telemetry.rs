//! Sends spans to an OpenTelemetry collector if an endpoint is set.
//!
//! Each visit of a URL is a span with address, host, role and outcome. The request and the parsing of the
//! page are child spans. A separate thread sends the spans in batches. If the collector is slow or
//! unreachable, spans are lost, but the crawl is not delayed.

use gleaner_config::TelemetrySettings as Settings;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::filter::{FilterFn, filter_fn};
use tracing_subscriber::registry::LookupSpan;

use crate::failure::Failure;

/// Exports spans, and sends the remaining spans when it is dropped. `None` if telemetry is off.
#[derive(Debug, Default)]
pub(crate) struct Telemetry(Option<SdkTracerProvider>);

impl Telemetry {
    /// Starts the export if an endpoint is set. Must not be called within an async runtime.
    pub(crate) fn begin(settings: &Settings) -> Result<Self, Failure> {
        if settings.endpoint.is_empty() {
            return Ok(Self(None));
        }
        gleaner_fetch::choose_cryptography();
        let exporter = SpanExporter::builder().with_http().with_endpoint(&settings.endpoint).build();
        let exporter = exporter.map_err(|error| Failure::Usage(format!("telemetry.endpoint: {error}")))?;
        let resource = Resource::builder().with_service_name("gleaner").build();
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        Ok(Self(Some(provider)))
    }

    pub(crate) fn layer<S>(&self) -> Option<OpenTelemetryLayer<S, SdkTracer>>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let tracer = self.0.as_ref()?.tracer("gleaner");
        Some(tracing_opentelemetry::layer().with_tracer(tracer))
    }
}

pub(crate) fn spans() -> FilterFn {
    filter_fn(|metadata| metadata.is_span() && metadata.target().starts_with("gleaner_crawl"))
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(provider) = self.0.take()
            && let Err(error) = provider.shutdown()
        {
            tracing::warn!(%error, "cannot send the last spans");
        }
    }
}
