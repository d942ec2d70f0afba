//! Defines the messages between the stages.

use std::sync::Arc;
use std::time::Instant;

use gleaner_fetch::{FetchError, Response, RobotsAnswer};
use gleaner_frontier::{CanonicalUrl, Sight, UrlKey};
use gleaner_store::{HostId, Lease, UrlRecord};
use jiff::Timestamp;
use tracing::Span;
use url::Url;

use crate::archive::Kept;
use crate::chain::Chain;
use crate::extraction::{Applied, Reading};
use crate::network::RobotsVisit;
use crate::schedule::GroupName;
use crate::training::Learned;

/// A URL that is in flight.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) key: UrlKey,
    pub(crate) url: CanonicalUrl,
    pub(crate) record: UrlRecord,
    pub(crate) group: GroupName,
    pub(crate) begun: Instant,
    /// The same by the wall clock; in a replay, when the response was fetched.
    pub(crate) at: Timestamp,
    pub(crate) span: Span,
    pub(crate) lease: Lease,
    /// What the visit showed, set when the response was read.
    pub(crate) sight: Sight,
    pub(crate) template: Option<Arc<Applied>>,
    /// Redirects followed within the visit; `None` in a replay, which sends no requests.
    pub(crate) chain: Option<Chain>,
}

/// The buffered articles of one host, to be learned from or extracted one by one.
#[derive(Debug)]
pub(crate) struct TrainingJob {
    pub(crate) host: HostId,
    pub(crate) name: String,
    pub(crate) group: GroupName,
    /// The version of the template to learn; `None`: there are too few pages.
    pub(crate) version: Option<u32>,
}

#[derive(Debug)]
pub(crate) enum Task {
    Answer(Box<Visit>, Box<Response>, Timestamp),
    Learn(TrainingJob),
}

#[derive(Debug)]
pub(crate) enum Outgoing {
    Visit(Box<Visit>),
    Robots(Box<RobotsVisit>),
}

#[derive(Debug)]
pub(crate) enum Event {
    Robots(HostId, GroupName, Url, Box<RobotsAnswer>, Vec<Kept>),
    /// The result of requesting a robots.txt that hosts of other partitions redirect to.
    Wanted(Url, Box<RobotsAnswer>, Vec<Kept>),
    /// A response other than 2xx.
    Answered(Box<Visit>, Box<Response>, Option<Kept>),
    /// A 2xx response at another URL than the visit's, reached by redirects.
    Arrived(Box<Visit>, Box<Response>, Timestamp),
    Failed(Box<Visit>, FetchError),
    Read(Box<Visit>, Box<Reading>, Option<Kept>),
    Learned(TrainingJob, Box<Learned>),
    /// A panic while processing a URL: a bug, recorded like any other outcome.
    Broken(Box<Visit>, String, Option<Kept>),
    /// A panic or error while processing a host's buffered pages.
    TrainingFailed(TrainingJob, String),
}
