//! The responses that were read and wait for a worker thread, with what the files of their hosts state.

use std::collections::VecDeque;
use std::sync::Arc;

use super::archived_response::ArchivedResponse;
use crate::settings::Config;
use crate::usage::site_files::{SiteFileResponse, SiteFiles};

const MAX_WAITING: usize = 64;
const MAX_BYTES: usize = 64 << 20;

pub(super) struct ReplayQueue {
    waiting: VecDeque<ArchivedResponse>,
    /// Number of bytes of the waiting bodies.
    bytes: usize,
    /// Pages of hosts whose robots.txt redirects to one that was not read yet. With several workers, it may be in a
    /// later file.
    held: Vec<ArchivedResponse>,
    held_bytes: usize,
    /// The robots.txt and tdmrep.json that were read so far.
    site_files: SiteFiles,
    config: Arc<Config>,
}

impl ReplayQueue {
    pub(super) fn new(config: Arc<Config>) -> Self {
        Self {
            waiting: VecDeque::new(),
            bytes: 0,
            held: Vec::new(),
            held_bytes: 0,
            site_files: SiteFiles::default(),
            config,
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < MAX_WAITING && self.bytes < MAX_BYTES
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the host of a waiting response.
    pub(super) fn host(&self, at: usize) -> &str {
        self.waiting[at].url.host()
    }

    pub(super) fn take(&mut self, at: usize) -> Option<ArchivedResponse> {
        let response = self.waiting.remove(at)?;
        self.bytes -= response.response.body.len();
        Some(response)
    }

    /// Adds the next response of the archive.
    pub(super) fn add(&mut self, response: ArchivedResponse) {
        if !self.site_files.is_unresolved(response.url.host()) {
            return self.enqueue(response);
        }
        self.held_bytes += response.response.body.len();
        self.held.push(response);
        if self.held_bytes >= MAX_BYTES {
            self.release_all();
        }
    }

    /// Adds a file of a host, and enqueues the pages that were held for it.
    pub(super) fn add_site_file(&mut self, file: SiteFileResponse) {
        self.site_files.add(file);
        self.release(SiteFiles::is_unresolved);
    }

    /// Enqueues all held pages, because no further file will be read, or because they are too large.
    pub(super) fn release_all(&mut self) {
        self.release(|_, _| false);
    }

    /// Enqueues the held pages except those of hosts that stay, in the order of the archive.
    fn release(&mut self, stays: fn(&SiteFiles, &str) -> bool) {
        for response in std::mem::take(&mut self.held) {
            if stays(&self.site_files, response.url.host()) {
                self.held.push(response);
            } else {
                self.held_bytes -= response.response.body.len();
                self.enqueue(response);
            }
        }
    }

    fn enqueue(&mut self, mut response: ArchivedResponse) {
        response.site = self.site_files.usage_of(response.url.host(), &self.config);
        self.bytes += response.response.body.len();
        self.waiting.push_back(response);
    }
}
