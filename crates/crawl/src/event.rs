//! Defines the messages between the owner's thread, the network and the worker threads.

use gleaner_fetch::{FetchError, Response, RobotsAnswer};
use gleaner_store::HostId;
use jiff::Timestamp;
use url::Url;

use crate::archive::WarcRecords;
use crate::extraction::Reading;
use crate::frontier::schedule::GroupName;
use crate::learner::training::{Trained, TrainingJob};
use crate::visit::Visit;

#[derive(Debug)]
pub(crate) enum Task {
    /// Read this response, which was fetched at this time.
    Read(Box<Visit>, Box<Response>, Timestamp),
    Train(TrainingJob),
}

/// The result of a visit, a robots.txt request or a training job.
#[derive(Debug)]
pub(crate) enum Event {
    Robots(HostId, GroupName, Url, Box<RobotsAnswer>, Vec<WarcRecords>),
    /// The answer to a request for a robots.txt to which hosts of other partitions redirect.
    RedirectedRobots(Url, Box<RobotsAnswer>, Vec<WarcRecords>),
    /// A 2xx response.
    Read(Box<Visit>, Box<Reading>, Option<WarcRecords>),
    /// A response other than 2xx.
    NotRead(Box<Visit>, Box<Response>, Option<WarcRecords>),
    /// A 2xx response at a URL other than the visit's, reached by redirects.
    ReadElsewhere(Box<Visit>, Box<Response>, Timestamp),
    /// A request without a usable response.
    Failed(Box<Visit>, FetchError),
    /// A panic while processing a URL. It is a bug, but is recorded like any other outcome.
    Panicked(Box<Visit>, String, Option<WarcRecords>),
    Trained(TrainingJob, Box<Trained>),
    /// A panic or error while processing a host's buffered pages.
    TrainingFailed(TrainingJob, String),
}
