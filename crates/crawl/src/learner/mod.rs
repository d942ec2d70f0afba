//! Learns a template for each host, and notices when it is out of date.
//!
//! A host without a template buffers its articles. When enough are buffered, a worker thread trains on them
//! ([`training`]). All later pages use the template, and [`health`] tracks how well it fits.

pub(crate) mod documents;
pub(crate) mod health;
pub(crate) mod training;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gleaner_corpus::Method;
use gleaner_extract::template::{PreparedTemplate, SiteTemplate};
use gleaner_store::{HostId, HostRecord, Store, StoreError};
use tracing::{info, warn};

use crate::progress::Progress;

#[derive(Debug)]
pub(crate) struct Learner {
    hosts: HashMap<HostId, HostTemplate>,
    pub(crate) method: Method,
    /// Number of buffered pages at which training starts.
    prepare_pages: usize,
    /// Number of buffered pages at which training may start at the end of a run.
    min_pages: usize,
    progress: Arc<Progress>,
}

#[derive(Debug, Default)]
struct HostTemplate {
    template: Option<Arc<PreparedTemplate>>,
    /// Version of the newest template in the store. 0 if there is no template yet.
    version: u32,
    buffered: usize,
    /// Whether training failed in this run. If so, this run does not try it again.
    has_failed: bool,
}

/// Returns the template with which a crawl reads a host's pages. Returns `None` if the host has no template,
/// or if the template is outdated, unreadable, or of another method than `wanted`.
///
/// # Errors
/// The store cannot be read.
pub fn current_template(
    record: &HostRecord,
    store: &Store,
    wanted: Method,
) -> Result<Option<PreparedTemplate>, StoreError> {
    let has_current = record.template > 0 && !record.outdated;
    let stored = if has_current { store.template(&record.name)? } else { None };
    Ok(stored.and_then(|json| match SiteTemplate::from_json(&json) {
        Ok(template) if template.method() == wanted => Some(PreparedTemplate::new(template)),
        Ok(template) => {
            let method = template.method();
            info!(host = record.name, %method, %wanted, "the template is of another method; learning a new one");
            None
        }
        Err(error) => {
            warn!(host = record.name, %error, "the template cannot be read; it will be learned again");
            None
        }
    }))
}

impl Learner {
    pub(crate) fn new(settings: &crate::settings::TemplateSettings, progress: Arc<Progress>) -> Self {
        let (prepare_pages, min_pages) = (settings.prepare_pages, settings.min_pages);
        Self { hosts: HashMap::new(), method: settings.method, prepare_pages, min_pages, progress }
    }

    pub(crate) fn admit(&mut self, record: &HostRecord, store: &Store) -> Result<(), StoreError> {
        let template = current_template(record, store, self.method)?.map(Arc::new);
        let buffered = record.buffered as usize;
        let (version, has_failed) = (record.template, false);
        self.hosts.insert(record.id, HostTemplate { template, version, buffered, has_failed });
        Ok(())
    }

    pub(crate) fn release(&mut self, stays: impl Fn(HostId) -> bool) {
        let released = self.hosts.extract_if(|id, _| !stays(*id)).map(|(_, host)| host.buffered as u64);
        self.progress.buffered.fetch_sub(released.sum(), Ordering::Relaxed);
    }

    pub(crate) fn template(&self, id: HostId) -> Option<Arc<PreparedTemplate>> {
        self.hosts.get(&id)?.template.clone()
    }

    pub(crate) fn next_version(&self, id: HostId) -> u32 {
        self.hosts.get(&id).map_or(0, |host| host.version) + 1
    }

    pub(crate) fn buffered(&self, id: HostId) -> usize {
        self.hosts.get(&id).map_or(0, |host| host.buffered)
    }

    pub(crate) fn is_due(&self, id: HostId) -> bool {
        self.hosts.get(&id).is_some_and(|host| host.buffered >= self.prepare_pages && !host.has_failed)
    }

    pub(crate) fn is_due_at_end(&self, id: HostId) -> bool {
        self.buffered(id) >= self.min_pages
    }

    pub(crate) fn waiting(&self) -> Vec<HostId> {
        let waits = |host: &HostTemplate| host.buffered > 0 && !host.has_failed;
        self.hosts.iter().filter(|(_, host)| waits(host)).map(|(id, _)| *id).collect()
    }

    pub(crate) fn page_buffered(&mut self, id: HostId, buffered: u32) {
        self.progress.buffered.fetch_add(1, Ordering::Relaxed);
        if let Some(host) = self.hosts.get_mut(&id) {
            host.buffered = buffered as usize;
        }
    }

    pub(crate) fn training_failed(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get_mut(&id) {
            host.has_failed = true;
        }
    }

    pub(crate) fn learn_again(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get_mut(&id) {
            host.template = None;
            host.has_failed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session_config::SessionConfig;

    #[test]
    fn a_host_is_due_with_enough_pages_unless_training_failed() {
        let folder = tempfile::tempdir().unwrap();
        let sets = ["template.prepare_pages=3", "template.min_pages=2"];
        let (session, writer) = SessionConfig::in_folder(folder.path(), &sets);
        let store = writer.store();
        let record = store.host("a.example").unwrap().unwrap();
        let mut learner = Learner::new(&session.config.template, Arc::clone(&session.progress));
        learner.admit(&record, &store).unwrap();
        for (buffered, is_due, is_due_at_end) in [(1, false, false), (2, false, true), (3, true, true)] {
            learner.page_buffered(record.id, buffered);
            assert_eq!(
                (learner.is_due(record.id), learner.is_due_at_end(record.id)),
                (is_due, is_due_at_end)
            );
        }
        assert_eq!((learner.waiting(), learner.next_version(record.id)), (vec![record.id], 1));
        learner.training_failed(record.id);
        assert!(!learner.is_due(record.id) && learner.waiting().is_empty());
        learner.learn_again(record.id);
        assert!(learner.is_due(record.id), "a user may try it again");
        learner.release(|_| false);
        assert!(!learner.is_due(record.id) && learner.template(record.id).is_none());
    }
}
