//! Finds the robots.txt and tdmrep.json in force in an archive, as the crawl had them.
//!
//! The responses are given in the order of the archive. A crawl requests the files of a host before its pages, so the
//! last response counts. A file may be at the end of redirects: the next response of a redirect's target is also the
//! file of the hosts that were redirected there. With several workers, it may come after pages of these hosts
//! ([`SiteFiles::is_unresolved`]).

use std::collections::HashMap;
use std::sync::Arc;

use gleaner_archive::Record;
use gleaner_fetch::{ROBOTS_LIMIT, Response, RobotsRecord, TDMREP_PATH};
use gleaner_frontier::{CanonicalUrl, UrlKey};
use jiff::Timestamp;

use super::SiteUsage;
use crate::archive::{ROBOTS, ROLE, TDMREP};
use crate::settings::Config;

/// The files of all hosts.
#[derive(Debug, Default)]
pub(crate) struct SiteFiles {
    hosts: HashMap<String, HostFiles>,
    /// The last response to each URL that redirects lead to.
    targets: HashMap<FileKey, SiteFileResponse>,
    /// The hosts that wait for the response of a URL.
    waiting: HashMap<FileKey, Vec<String>>,
}

#[derive(Debug, Default)]
struct HostFiles {
    record: Option<RobotsRecord>,
    /// The parsed form of the record, if a page asked for it.
    usage: Option<Arc<SiteUsage>>,
}

/// An archived response to the request for a robots.txt or tdmrep.json.
#[derive(Debug, Clone)]
pub(crate) struct SiteFileResponse {
    kind: FileKind,
    url: CanonicalUrl,
    at: Timestamp,
    response: Response,
}

/// Identifies a URL with a file of a host, whatever its scheme.
type FileKey = (FileKind, UrlKey);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FileKind {
    Robots,
    TdmRep,
}

impl FileKind {
    const fn path(self) -> &'static str {
        match self {
            Self::Robots => "/robots.txt",
            Self::TdmRep => TDMREP_PATH,
        }
    }

    /// Returns the kind of the file in a record, by the role of our crawl or by the path.
    fn of_record(role: Option<&str>, url: &CanonicalUrl) -> Option<Self> {
        match role {
            Some(ROBOTS) => Some(Self::Robots),
            Some(TDMREP) => Some(Self::TdmRep),
            Some(_) => None,
            None => [Self::Robots, Self::TdmRep].into_iter().find(|kind| kind.is_own_path(url)),
        }
    }

    fn is_own_path(self, url: &CanonicalUrl) -> bool {
        url.url().path() == self.path() && url.url().query().is_none()
    }
}

impl SiteFileResponse {
    /// Returns `None` if the record is no response with a file of a host.
    pub(crate) fn from_record(record: &Record) -> Option<Self> {
        let header = &record.header;
        if header.kind().as_deref() != Some("response") {
            return None;
        }
        let url = CanonicalUrl::parse(header.target()?).ok()?;
        let kind = FileKind::of_record(header.get(ROLE), &url)?;
        let message = record.http()?;
        let body = message.payload(ROBOTS_LIMIT).body;
        let response = Response { body, ..Response::new(url.url(), message.status, message.headers) };
        Some(Self { kind, at: header.date()?, url, response })
    }

    fn redirect_target(&self) -> Option<FileKey> {
        let is_redirect = matches!(self.response.status, 301 | 302 | 303 | 307 | 308);
        let location = self.response.location.as_ref().filter(|_| is_redirect)?;
        CanonicalUrl::parse(location.as_str()).ok().map(|url| (self.kind, url.key()))
    }
}

impl SiteFiles {
    /// Adds the next response of the archive.
    pub(crate) fn add(&mut self, file: SiteFileResponse) {
        let key = (file.kind, file.url.key());
        let mut hosts = self.waiting.remove(&key).unwrap_or_default();
        if file.kind.is_own_path(&file.url) && !hosts.iter().any(|host| host == file.url.host()) {
            hosts.push(file.url.host().to_owned());
        }
        match file.redirect_target() {
            Some(target) => {
                // A crawl with several workers uses a response of the target that another host has got.
                let known = self.targets.get(&target).cloned();
                known.iter().for_each(|known| hosts.iter().for_each(|host| self.apply(host, known)));
                let waiting = self.waiting.entry(target).or_default();
                waiting.extend(hosts.into_iter().filter(|host| !waiting.contains(host)).collect::<Vec<_>>());
            }
            None => {
                hosts.iter().for_each(|host| self.apply(host, &file));
                self.targets.insert(key, file);
            }
        }
    }

    fn apply(&mut self, host: &str, file: &SiteFileResponse) {
        let files = self.hosts.entry(host.to_owned()).or_default();
        let SiteFileResponse { kind, at, response, .. } = file;
        match kind {
            FileKind::Robots => {
                let previous = files.record.as_ref();
                files.record =
                    Some(RobotsRecord::from_response(response.status, &response.body, previous, *at));
            }
            FileKind::TdmRep => {
                let empty = || RobotsRecord::from_response(404, &[], None, *at);
                files.record.get_or_insert_with(empty).apply_tdmrep(response.status, &response.body, *at);
            }
        }
        files.usage = None;
    }

    /// Whether the robots.txt of a host redirects to one that was not added yet, and the host has no earlier one.
    pub(crate) fn is_unresolved(&self, host: &str) -> bool {
        let has_record = self.hosts.get(host).is_some_and(|files| files.record.is_some());
        let mut robots = self.waiting.iter().filter(|((kind, _), _)| *kind == FileKind::Robots);
        !has_record && robots.any(|(_, hosts)| hosts.iter().any(|waiting| waiting == host))
    }

    /// Returns what the files of a host state.
    pub(crate) fn usage_of(&mut self, host: &str, config: &Config) -> Arc<SiteUsage> {
        let Some(HostFiles { record: Some(record), usage }) = self.hosts.get_mut(host) else {
            return Arc::default();
        };
        Arc::clone(usage.get_or_insert_with(|| Arc::new(SiteUsage::new(record, config))))
    }
}
