//! Defines the messages between the owner thread, the network and the worker threads.

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
    /// Read this response, fetched at this time.
    Read(Box<Visit>, Box<Response>, Timestamp),
    Train(TrainingJob),
}

#[derive(Debug)]
pub(crate) enum Event {
    Robots(HostId, GroupName, Url, Box<RobotsAnswer>, Vec<WarcRecords>),
    /// The answer to a request for a robots.txt to which hosts of other partitions redirect.
    RedirectedRobots(Url, Box<RobotsAnswer>, Vec<WarcRecords>),
    Read(Box<Visit>, Box<Reading>, Option<WarcRecords>),
    /// A 2xx response with the same body as before, and its size in bytes. It was not parsed.
    Unchanged(Box<Visit>, u64, Option<WarcRecords>),
    NotRead(Box<Visit>, Box<Response>, Option<WarcRecords>),
    /// A 2xx response at another URL than the visit's, after redirects.
    ReadElsewhere(Box<Visit>, Box<Response>, Timestamp),
    /// A request without a usable response.
    Failed(Box<Visit>, FetchError),
    /// A panic while processing a URL. The panic is a bug, but the visit still gets an outcome.
    Panicked(Box<Visit>, String, Option<WarcRecords>),
    Trained(TrainingJob, Box<Trained>),
    /// A panic or error while processing a host's buffered pages.
    TrainingFailed(TrainingJob, String),
}
