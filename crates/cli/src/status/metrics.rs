//! Writes `/metrics` for Prometheus: the counters of the running crawl and the state of the store.
//!
//! The names of metrics end in their unit. A test checks that `docs/status.md` and the dashboard in `config/`
//! list the served metrics.
//!
//! Limitation: the counters belong to the running crawl and restart at 0 with the next crawl. The Prometheus
//! functions `rate` and `increase` handle the restart. Without a crawl, the counters are absent.

use std::fmt;
use std::sync::Arc;

use gleaner_crawl::{LATENCIES, Latency, Progress};
use gleaner_store::StoreError;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;

use crate::status::app_state::AppState;
use crate::status::corpus_view::CorpusView;
use crate::status::workers::{WorkerState, WorkersView};

pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(crate) fn text(app: &AppState) -> Result<String, StoreError> {
    let mut registry = Registry::with_prefix("gleaner");
    let collector = MetricsCollector {
        view: app.corpus_view()?,
        progress: app.monitor.running().map(|running| running.progress),
    };
    registry.register_collector(Box::new(collector));
    let mut out = String::new();
    encode(&mut out, &registry).expect("writing to a string cannot fail");
    Ok(out)
}

#[derive(Debug)]
struct MetricsCollector {
    view: Arc<CorpusView>,
    progress: Option<Arc<Progress>>,
}

impl Collector for MetricsCollector {
    fn encode(&self, encoder: DescriptorEncoder) -> fmt::Result {
        let mut metrics = MetricsEncoder { encoder };
        metrics.gauges(
            "build_info",
            "Version of gleaner",
            &[([("version", env!("CARGO_PKG_VERSION"))], 1)],
        )?;
        if let Some(progress) = &self.progress {
            metrics.crawl(progress)?;
        }
        metrics.store(&self.view)
    }
}

struct MetricsEncoder<'a> {
    encoder: DescriptorEncoder<'a>,
}

impl MetricsEncoder<'_> {
    fn gauge(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let mut metric = self.encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        metric.encode_gauge(&(value as f64))
    }

    fn gauges<S: EncodeLabelSet>(&mut self, name: &str, help: &str, values: &[(S, u64)]) -> fmt::Result {
        let mut metric = self.encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        values
            .iter()
            .try_for_each(|(labels, value)| metric.encode_family(labels)?.encode_gauge(&(*value as f64)))
    }

    fn counter(&mut self, name: &str, help: &str, value: f64) -> fmt::Result {
        let mut metric = self.encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        metric.encode_counter::<NoLabelSet, _, f64>(&value, None)
    }

    fn crawl(&mut self, progress: &Progress) -> fmt::Result {
        let now = progress.snapshot();
        let outcomes = progress.outcomes();
        let mut metric = self.encoder.encode_descriptor(
            "outcomes",
            "Completed visits by outcome",
            None,
            MetricType::Counter,
        )?;
        for (outcome, count) in outcomes {
            let labels = [("outcome", outcome)];
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, f64>(&count, None)?;
        }
        self.counter("pages", "Responses received", now.responses as f64)?;
        self.latency(&progress.latency())?;
        let waited = progress.waited().as_secs_f64();
        self.counter("gap_wait_seconds", "Total time that groups of hosts waited for their gaps", waited)?;
        self.gauge("queue_urls", "URLs ready or waiting", now.queue)?;
        self.gauge("in_flight_urls", "URLs being fetched or processed", now.in_flight)?;
        self.gauge("buffered_pages", "Articles waiting for their host's template", now.buffered)
    }

    fn latency(&mut self, latency: &Latency) -> fmt::Result {
        let help = "Duration of requests without gaps";
        let mut metric =
            self.encoder.encode_descriptor("request_seconds", help, None, MetricType::Histogram)?;
        let bounds = LATENCIES.iter().map(|millis| *millis as f64 / 1_000.0).chain([f64::MAX]);
        let classes: Vec<(f64, u64)> = bounds.zip(latency.classes).collect();
        let count = latency.classes.iter().sum();
        metric.encode_histogram::<NoLabelSet>(latency.sum.as_secs_f64(), count, &classes, None)
    }

    /// If the corpus is not shared, these metrics have no values.
    fn workers(&mut self, workers: Option<&WorkersView>) -> fmt::Result {
        let states = workers.map(|workers| {
            WorkerState::ALL.map(|state| ([("state", state.label())], workers.count(state))).to_vec()
        });
        let help = "Workers of the last day by state";
        self.gauges("workers", help, &states.unwrap_or_default())?;
        let help = "Partitions, of 256, without a worker";
        let mut metric =
            self.encoder.encode_descriptor("partitions_without_worker", help, None, MetricType::Gauge)?;
        if let Some(workers) = workers {
            metric.encode_gauge(&(workers.partitions_without() as f64))?;
        }
        let by_name = workers.map(WorkersView::by_name).unwrap_or_default();
        let partitions: Vec<_> =
            by_name.iter().map(|(name, done)| ([("worker", *name)], done.partitions)).collect();
        self.gauges("worker_partitions", "Partitions leased by a worker", &partitions)?;
        let help = "Pages that a worker has fetched since its start";
        let mut metric = self.encoder.encode_descriptor("worker_pages", help, None, MetricType::Counter)?;
        for (name, done) in &by_name {
            let (labels, pages) = ([("worker", *name)], done.pages as f64);
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, f64>(&pages, None)?;
        }
        Ok(())
    }

    fn store(&mut self, view: &CorpusView) -> fmt::Result {
        let CorpusView { runs, hosts, totals, disk, workers, .. } = view;
        self.gauge("documents", "Documents in the corpus", totals.documents())?;
        self.gauge("words", "Words in the corpus", totals.words())?;
        self.gauge("duplicate_urls", "URLs whose text is stored under another URL", totals.duplicates)?;
        self.gauge(
            "near_duplicates",
            "Near-duplicates that another document represents",
            totals.near_duplicates,
        )?;
        self.gauge("clusters", "Clusters of near-duplicates", totals.clusters)?;
        self.gauge(
            "store_bytes",
            "Bytes of the data folder and the archive, or of the files in object storage",
            *disk,
        )?;
        self.gauge("hosts", "Known hosts", hosts.len() as u64)?;
        let count = |is: &dyn Fn(&gleaner_crawl::HostView) -> bool| {
            hosts.iter().filter(|host| is(host)).count() as u64
        };
        self.gauge("paused_hosts", "Hosts paused by the user", count(&|host| host.record.paused))?;
        let states = [
            ("none", count(&|host| host.record.template == 0)),
            ("fits", count(&|host| host.record.template > 0 && !host.record.outdated)),
            ("outdated", count(&|host| host.record.template > 0 && host.record.outdated)),
        ];
        let states = states.map(|(state, count)| ([("state", state)], count));
        self.gauges("templates", "Hosts by the state of their template", &states)?;
        self.workers(workers.as_ref())?;
        let ended = runs.iter().rev().find_map(|(run, _)| run.ended);
        let Some(ended) = ended else { return Ok(()) };
        let second = u64::try_from(ended.as_second()).unwrap_or_default();
        self.gauge("last_run_end_timestamp_seconds", "End of the last completed run", second)
    }
}
