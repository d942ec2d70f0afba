//! Defines the messages between the owner thread, the network and the worker threads.

use gleaner_fetch::{FetchError, Response, RobotsAnswer};
use gleaner_store::HostId;
use jiff::Timestamp;
use url::Url;

use crate::archive::WarcRecords;
use crate::frontier::schedule::GroupName;
use crate::learner::training::{TrainingJob, TrainingResult};
use crate::process::ProcessedResponse;
use crate::visit::Visit;

#[derive(Debug)]
pub(crate) enum Task {
    /// Process this response, which was fetched at this time.
    Process(Box<Visit>, Box<Response>, Timestamp),
    Train(TrainingJob),
}

#[derive(Debug)]
pub(crate) enum Event {
    Robots(HostId, GroupName, Url, Box<RobotsAnswer>, Vec<WarcRecords>),
    /// The answer to a request for a robots.txt to which hosts of other partitions redirect.
    RedirectedRobots(Url, Box<RobotsAnswer>, Vec<WarcRecords>),
    Processed(Box<Visit>, Box<ProcessedResponse>, Option<WarcRecords>),
    /// A 2xx response with an unchanged body, which is not parsed, and the size of the body in bytes.
    Unchanged(Box<Visit>, u64, Option<WarcRecords>),
    NotRead(Box<Visit>, Box<Response>, Option<WarcRecords>),
    /// A 2xx response at a URL to which the visit's URL redirects.
    ReadElsewhere(Box<Visit>, Box<Response>, Timestamp),
    /// A request without a usable response.
    Failed(Box<Visit>, FetchError),
    /// A panic during the processing of a URL. The panic is a bug, but the visit still gets an outcome.
    Panicked(Box<Visit>, String, Option<WarcRecords>),
    Trained(TrainingJob, Box<TrainingResult>),
    /// A panic or error during the processing of a host's buffered pages.
    TrainingFailed(TrainingJob, String),
}

impl Event {
    /// Returns the group of the event's visit or job, which is busy until the event is applied. `None` if the
    /// event has no group.
    pub(crate) fn group(&self) -> Option<GroupName> {
        match self {
            Self::Processed(visit, ..)
            | Self::Unchanged(visit, ..)
            | Self::NotRead(visit, ..)
            | Self::ReadElsewhere(visit, ..)
            | Self::Failed(visit, _)
            | Self::Panicked(visit, ..) => Some(visit.group.clone()),
            Self::Trained(job, _) | Self::TrainingFailed(job, _) => Some(job.group.clone()),
            Self::Robots(_, group, ..) => Some(group.clone()),
            Self::RedirectedRobots(..) => None,
        }
    }
}
