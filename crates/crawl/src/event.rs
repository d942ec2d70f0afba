//! The messages between the owner's thread, the network and the worker threads.

use gleaner_fetch::{FetchError, Response, RobotsAnswer};
use gleaner_store::HostId;
use jiff::Timestamp;
use url::Url;

use crate::archive::WarcRecords;
use crate::extraction::Reading;
use crate::frontier::schedule::GroupName;
use crate::learner::training::{Trained, TrainingJob};
use crate::visit::Visit;

/// Work for a worker thread.
#[derive(Debug)]
pub(crate) enum Task {
    /// Reads a response, fetched at this time.
    Read(Box<Visit>, Box<Response>, Timestamp),
    Train(TrainingJob),
}

/// What happened to a URL, a robots.txt or a training job.
#[derive(Debug)]
pub(crate) enum Event {
    Robots(HostId, GroupName, Url, Box<RobotsAnswer>, Vec<WarcRecords>),
    /// The result of requesting a robots.txt that hosts of other partitions redirect to.
    RedirectedRobots(Url, Box<RobotsAnswer>, Vec<WarcRecords>),
    /// A 2xx response.
    Read(Box<Visit>, Box<Reading>, Option<WarcRecords>),
    /// A response other than 2xx.
    NotRead(Box<Visit>, Box<Response>, Option<WarcRecords>),
    /// A 2xx response at another URL than the visit's, reached by redirects.
    ReadElsewhere(Box<Visit>, Box<Response>, Timestamp),
    /// No response.
    Failed(Box<Visit>, FetchError),
    /// A panic while processing a URL: a bug, recorded like any other outcome.
    Panicked(Box<Visit>, String, Option<WarcRecords>),
    Trained(TrainingJob, Box<Trained>),
    /// A panic or error while processing a host's buffered pages.
    TrainingFailed(TrainingJob, String),
}
