//! Records the client, URL, time and status of each request in an access log.
//!
//! Tests read the log to check politeness. They can wait for requests without sleeping, in a thread
//! ([`AccessLog::wait`]) or in a task ([`AccessLog::reached`]). The log is kept in memory, takes about 200
//! bytes per request, and is never truncated.

use std::net::SocketAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// One request in the access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The time of arrival, measured from the start of the server with a monotonic clock.
    pub time: Duration,
    /// When the whole response was passed to the connection, on the same clock as `time`. The client receives
    /// the end slightly later. If the client closed the connection early, this is the time at which the
    /// server noticed it. `None` until then.
    pub finished: Option<Duration>,
    /// The address of the proxy that received the request.
    pub proxy: SocketAddr,
    /// The requested host, in lower case and without a port. The server may not know this host.
    pub host: String,
    /// The path with its query.
    pub path: String,
    /// The status of the response.
    pub status: u16,
    /// The `User-Agent` header. Empty if the request has no such header.
    pub user_agent: String,
}

#[derive(Debug)]
pub(crate) struct AccessLog {
    start: Instant,
    lines: Mutex<Vec<Request>>,
    grown: Condvar,
    count: watch::Sender<usize>,
}

impl AccessLog {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            lines: Mutex::default(),
            grown: Condvar::new(),
            count: watch::Sender::new(0),
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// Adds a request and returns its index, for [`finished`](Self::finished).
    pub(crate) fn add(&self, request: Request) -> usize {
        let mut lines = self.lines();
        lines.push(request);
        let count = lines.len();
        // The count is sent while the lock is held, so it never decreases.
        self.count.send_replace(count);
        drop(lines);
        self.grown.notify_all();
        count - 1
    }

    pub(crate) fn finished(&self, place: usize) {
        let now = self.now();
        if let Some(line) = self.lines().get_mut(place) {
            line.finished = Some(now);
        }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.lines().clone()
    }

    pub(crate) fn len(&self) -> usize {
        *self.count.borrow()
    }

    /// Blocks the thread until `count` requests have arrived. Returns `false` if `timeout` passes first.
    pub(crate) fn wait(&self, count: usize, timeout: Duration) -> bool {
        let waited = self.grown.wait_timeout_while(self.lines(), timeout, |lines| lines.len() < count);
        let (lines, _) = waited.unwrap_or_else(PoisonError::into_inner);
        lines.len() >= count
    }

    pub(crate) async fn reached(&self, count: usize) {
        // An error would mean that the sender was dropped, but `self` owns the sender.
        let _ = self.count.subscribe().wait_for(|n| *n >= count).await;
    }

    fn lines(&self) -> MutexGuard<'_, Vec<Request>> {
        // A panic while the lock is held cannot make the lines inconsistent.
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
