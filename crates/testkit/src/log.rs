//! The access log: who asked for what, when, and what the answer was.
//!
//! It is what tests of politeness read, so it can also be waited on: by a thread
//! ([`AccessLog::wait`]) and by a task ([`AccessLog::reached`]), without sleeping.
//! It is kept in memory and never trimmed: some 200 bytes a request.

use std::net::SocketAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// One line of the access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// When the request had arrived, since the start of the server, on a
    /// monotonic clock.
    pub time: Duration,
    /// When the whole answer was handed to the connection, on the same clock, which the asker has a
    /// little later; or when it was seen that the asker had gone away before. `None` while the
    /// answer is delayed.
    pub finished: Option<Duration>,
    /// The address by which it came.
    pub proxy: SocketAddr,
    /// Host asked for, lower-case and without a port. Also one that is not served.
    pub host: String,
    /// Path with its query.
    pub path: String,
    /// Status of the answer.
    pub status: u16,
    /// The `User-Agent` header; empty where there was none.
    pub user_agent: String,
}

/// All requests so far, in order of arrival.
#[derive(Debug)]
pub(crate) struct AccessLog {
    start: Instant,
    lines: Mutex<Vec<Request>>,
    grown: Condvar,
    count: watch::Sender<usize>,
}

impl AccessLog {
    /// An empty log whose clock starts now.
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            lines: Mutex::default(),
            grown: Condvar::new(),
            count: watch::Sender::new(0),
        }
    }

    /// Time since the start.
    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Adds a request and returns its place, to be [`finished`](Self::finished) later.
    pub(crate) fn add(&self, request: Request) -> usize {
        let mut lines = self.lines();
        lines.push(request);
        let count = lines.len();
        // Sent under the lock, so that the count never steps back.
        self.count.send_replace(count);
        drop(lines);
        self.grown.notify_all();
        count - 1
    }

    /// Notes that the answer to the request at `place` was handed over.
    pub(crate) fn finished(&self, place: usize) {
        let now = self.now();
        if let Some(line) = self.lines().get_mut(place) {
            line.finished = Some(now);
        }
    }

    /// A copy of all lines.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.lines().clone()
    }

    /// How many requests have arrived.
    pub(crate) fn len(&self) -> usize {
        *self.count.borrow()
    }

    /// Blocks the thread until `count` requests have arrived; false when `timeout`
    /// passed first.
    pub(crate) fn wait(&self, count: usize, timeout: Duration) -> bool {
        let waited = self.grown.wait_timeout_while(self.lines(), timeout, |lines| lines.len() < count);
        let (lines, _) = waited.unwrap_or_else(PoisonError::into_inner);
        lines.len() >= count
    }

    /// Resolves when `count` requests have arrived.
    pub(crate) async fn reached(&self, count: usize) {
        // An error means that the sender is gone, but it lives in `self`.
        let _ = self.count.subscribe().wait_for(|n| *n >= count).await;
    }

    fn lines(&self) -> MutexGuard<'_, Vec<Request>> {
        // Nothing that holds the lock can leave the lines half changed.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str) -> Request {
        Request {
            time: Duration::ZERO,
            finished: None,
            proxy: SocketAddr::from(([127, 0, 0, 1], 80)),
            host: "baolang.example".into(),
            path: path.into(),
            status: 200,
            user_agent: String::new(),
        }
    }

    #[test]
    fn only_the_answer_that_was_handed_over_is_finished() {
        let log = AccessLog::new();
        log.add(request("/a"));
        let b = log.add(request("/b"));
        log.finished(b);
        let lines = log.requests();
        assert_eq!(lines[0].finished, None);
        assert!(lines[1].finished.is_some());
    }

    #[test]
    fn a_thread_can_wait_for_a_count_and_give_up() {
        let log = AccessLog::new();
        log.add(request("/a"));
        assert!(!log.wait(2, Duration::ZERO));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| log.wait(2, Duration::from_secs(60)));
            log.add(request("/b"));
            assert!(waiting.join().unwrap());
        });
    }

    #[tokio::test]
    async fn a_task_can_wait_for_a_count() {
        let log = AccessLog::new();
        tokio::join!(log.reached(2), async {
            log.add(request("/a"));
            log.add(request("/b"));
        });
        assert_eq!(log.len(), 2);
    }
}
