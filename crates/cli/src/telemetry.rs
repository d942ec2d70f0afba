//! Spans for a collector of traces, by OpenTelemetry: off unless an endpoint is set.
//!
//! A visit of a URL is a span with its address, host, role and outcome; its request and
//! its reading are spans within. They are sent in batches by a thread of their own, so that
//! a collector that is slow or away costs spans and no page.

use gleaner_config::Telemetry as Settings;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::filter::{FilterFn, filter_fn};
use tracing_subscriber::registry::LookupSpan;

use crate::failure::Failure;

/// Sends what was not yet sent when it is dropped; nothing where spans are off.
#[derive(Debug, Default)]
pub(crate) struct Telemetry(Option<SdkTracerProvider>);

impl Telemetry {
    /// Begins to send, if an endpoint is set. Not to be called within an async runtime.
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

    /// What turns the crawl's spans into OpenTelemetry's; `None` where they are off.
    pub(crate) fn layer<S>(&self) -> Option<OpenTelemetryLayer<S, SdkTracer>>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let tracer = self.0.as_ref()?.tracer("gleaner");
        Some(tracing_opentelemetry::layer().with_tracer(tracer))
    }
}

/// The spans that are sent: the crawl's, and no events.
pub(crate) fn spans() -> FilterFn {
    filter_fn(|metadata| metadata.is_span() && metadata.target().starts_with("gleaner_crawl"))
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(provider) = self.0.take()
            && let Err(error) = provider.shutdown()
        {
            tracing::warn!(%error, "the last spans could not be sent");
        }
    }
}
