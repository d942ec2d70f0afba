//! Shows the progress of a crawl: a progress bar on a terminal, otherwise plain lines.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gleaner_crawl::render::text::count;
use gleaner_crawl::{ActiveHost, Progress};
use gleaner_store::{Store, StoreError};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::messages::{self, print_message};
use crate::progress_lines::{
    TerminalSize, format_counters, format_display, format_hosts, format_no_response, format_totals,
};

const REDRAW: Duration = Duration::from_millis(200);

/// Pause between two checks of the progress if the output is not a terminal.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How long a crawl must run before a message may say that no site responds.
const NO_RESPONSE_AFTER: Duration = Duration::from_secs(3);

/// Maximum number of hosts that a line names.
const MAX_NAMED: usize = 3;

const ACTIVE: Duration = Duration::from_secs(60);

pub(crate) fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if !messages::is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
    bar.set_style(style.expect("the template is written here"));
    bar
}

pub(crate) fn documents_bar(store: &Store) -> Result<ProgressBar, StoreError> {
    let bar = bar();
    bar.set_length(store.totals()?.documents());
    let style = ProgressStyle::with_template("{elapsed} {wide_bar} {human_pos} of {human_len} documents");
    bar.set_style(style.expect("the template is written here"));
    Ok(bar)
}

#[derive(Debug)]
pub(crate) struct ProgressDisplay {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressDisplay {
    /// Starts the display. If the output is not a terminal, it prints a line after each interval `every`.
    pub(crate) fn start(progress: Arc<Progress>, bar: ProgressBar, every: Duration, colors: bool) -> Self {
        let (done, ended) = mpsc::channel();
        let show = move || {
            bar.set_style(ProgressStyle::with_template("{msg}").expect("the template is written here"));
            if bar.is_hidden() {
                print_lines(&progress, every, &ended)
            } else {
                redraw(&progress, &bar, colors, &ended)
            }
            bar.finish_and_clear();
        };
        Self { done: Some(done), thread: Some(thread::spawn(show)) }
    }
}

fn redraw(progress: &Progress, bar: &ProgressBar, colors: bool, ended: &Receiver<()>) {
    let (begun, mut last, mut rate) = (Instant::now(), Instant::now(), Rate::default());
    while ended.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
        let now = progress.snapshot();
        let rate = rate.update(now.responses, last.elapsed());
        last = Instant::now();
        let totals = match progress.no_response() {
            Some(no) => format_no_response(&no),
            None => format_totals(&now, rate, begun.elapsed(), progress.time_left(begun.elapsed(), rate)),
        };
        let size = terminal_size();
        let (hosts, more) = progress.active(ACTIVE, size.hosts());
        bar.set_message(format_display(&totals, &hosts, more, size, colors));
        bar.tick();
    }
}

/// Prints a line after each interval `every`. If no site responds, also prints this, and does not wait until
/// `every` has passed the first time.
fn print_lines(progress: &Progress, every: Duration, ended: &Receiver<()>) {
    let (begun, mut last, mut rate, mut is_reported) =
        (Instant::now(), Instant::now(), Rate::default(), false);
    while ended.recv_timeout(CHECK_INTERVAL.min(every)) == Err(RecvTimeoutError::Timeout) {
        let silence = progress.no_response().filter(|_| begun.elapsed() >= NO_RESPONSE_AFTER);
        let is_due = last.elapsed() >= every;
        if let Some(no) = silence.filter(|_| is_due || !is_reported) {
            is_reported = true;
            print_message(format_args!("gleaner: {}", format_no_response(&no)));
        } else if is_due {
            let now = progress.snapshot();
            let is_idle = now.in_flight == 0 && now.responses == rate.responses;
            let waits = if is_idle { idle_reason(&progress.active(ANY_AGE, usize::MAX).0) } else { None };
            let rate = rate.update(now.responses, last.elapsed());
            let line = format_counters(&now, rate, progress.time_left(begun.elapsed(), rate));
            let (hosts, more) = progress.active(every, MAX_NAMED);
            let active = (!hosts.is_empty()).then(|| format!("active: {}", format_hosts(&hosts, more)));
            let line = [Some(line), active, waits].into_iter().flatten().collect::<Vec<_>>();
            print_message(line.join("; "));
        }
        if is_due {
            last = Instant::now();
        }
    }
}

fn terminal_size() -> TerminalSize {
    let (lines, columns) = console::Term::stderr().size();
    TerminalSize { columns: columns.into(), lines: lines.into() }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // The thread only prints, so a panic in it can be ignored.
            let _ = thread.join();
        }
    }
}

/// Longer than any wait in a run.
const ANY_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Returns a message that says which hosts an idle crawl waits for. These are the host whose wait ends first
/// or, if none waits, the hosts with a retry.
fn idle_reason(hosts: &[ActiveHost]) -> Option<String> {
    let paused = hosts.iter().filter_map(|host| Some((host.waits?, host, host.waits_for.as_ref()?)));
    if let Some((left, host, why)) = paused.min_by_key(|(left, ..)| *left) {
        return Some(format!("waiting {} s for {}: {why}", left.as_secs() + 1, host.host));
    }
    let mut retried = hosts.iter().filter(|host| host.last.starts_with("will retry"));
    let first = retried.next()?;
    let more = retried.count();
    let more = if more > 0 { format!(" and {}", count(more as u64, "other host")) } else { String::new() };
    Some(format!("waiting for {}{more}: {}", first.host, first.last))
}

#[derive(Debug, Default)]
struct Rate {
    responses: u64,
    smooth: f64,
}

impl Rate {
    fn update(&mut self, responses: u64, elapsed: Duration) -> f64 {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let now = responses.saturating_sub(self.responses) as f64 / seconds;
        let weight = (seconds / 5.0).min(1.0);
        self.smooth += (now - self.smooth) * weight;
        self.responses = responses;
        self.smooth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_an_idle_crawl_has_the_reason() {
        let host = |host: &str, waits: Option<u64>, why: Option<&str>, last: &str| ActiveHost {
            host: host.into(),
            visits: 1,
            stored: 0,
            last: last.into(),
            asked: false,
            since: Duration::ZERO,
            waits: waits.map(Duration::from_secs),
            waits_for: why.map(Into::into),
        };
        let held =
            [host("a.example", Some(90), Some("Retry-After"), ""), host("b.example", Some(9), Some("x"), "")];
        assert_eq!(idle_reason(&held).as_deref(), Some("waiting 10 s for b.example: x"));
        let retry = "will retry: failed: timeout";
        let retried = [host("a.example", Some(1), None, retry), host("b.example", None, None, retry)];
        let expected = format!("waiting for a.example and 1 other host: {retry}");
        assert_eq!(idle_reason(&retried), Some(expected));
        assert_eq!(idle_reason(&[host("a.example", None, None, "stored")]), None);
    }

    #[test]
    fn the_rate_follows_the_responses() {
        let mut rate = Rate::default();
        assert!((rate.update(50, Duration::from_secs(10)) - 5.0).abs() < 1e-9);
        assert!((rate.update(50, Duration::from_secs(10))).abs() < 1e-9);
    }
}
