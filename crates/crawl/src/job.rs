//! What passes between the stages.

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
    /// When it was handed out.
    pub(crate) begun: Instant,
    /// The same by the clock; of an answer that is replayed, when it was fetched.
    pub(crate) at: Timestamp,
    /// What a collector of traces is told of it; disabled where nobody listens.
    pub(crate) span: Span,
    /// For how long its host may be asked.
    pub(crate) lease: Lease,
    /// What there was to see, once it was read.
    pub(crate) sight: Sight,
    /// The template of its host, as it was when the URL was handed out.
    pub(crate) template: Option<Arc<Applied>>,
    /// Redirects that are followed within the visit; `None` where nothing can be asked: in a
    /// replay.
    pub(crate) chain: Option<Chain>,
}

/// Articles of one host that are to be learned from, or extracted one by one.
#[derive(Debug)]
pub(crate) struct TrainingJob {
    pub(crate) host: HostId,
    pub(crate) name: String,
    pub(crate) group: GroupName,
    /// The version of the template to be made; `None`: too few pages for one.
    pub(crate) version: Option<u32>,
}

/// Work for a worker thread.
#[derive(Debug)]
pub(crate) enum Task {
    /// Keep an answer, and read it if it is of 2xx.
    Answer(Box<Visit>, Box<Response>, Timestamp),
    /// Learn a template, or extract page by page.
    Learn(TrainingJob),
}

/// A request that is sent as soon as the event that led to it is applied.
#[derive(Debug)]
pub(crate) enum Outgoing {
    /// A visit goes on where it was redirected to.
    Visit(Box<Visit>),
    /// A robots.txt to which those of other partitions redirect.
    Robots(Box<RobotsVisit>),
}

/// What comes back to the owner.
#[derive(Debug)]
pub(crate) enum Event {
    /// A host's robots.txt was asked for.
    Robots(HostId, GroupName, Url, Box<RobotsAnswer>, Vec<Kept>),
    /// A robots.txt was asked for to which those of other partitions redirect.
    Wanted(Url, Box<RobotsAnswer>, Vec<Kept>),
    /// An answer that is not of 2xx.
    Answered(Box<Visit>, Box<Response>, Option<Kept>),
    /// An answer of 2xx at another URL than the visit's, to which redirects have led.
    Arrived(Box<Visit>, Box<Response>, Timestamp),
    /// No usable answer.
    Failed(Box<Visit>, FetchError),
    /// A page, feed or sitemap was read.
    Read(Box<Visit>, Box<Reading>, Option<Kept>),
    /// A host's buffered pages were worked through.
    Learned(TrainingJob, Box<Learned>),
    /// Code of ours failed on a URL: a bug, recorded like any other ending.
    Broken(Box<Visit>, String, Option<Kept>),
    /// Code of ours failed on a host's buffered pages.
    TrainingFailed(TrainingJob, String),
}
