//! Shows the progress of a crawl: a bar on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gleaner_crawl::{Progress, Snapshot};
use gleaner_store::{Store, StoreError};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::aside::say;
use crate::screen::{Size, screen, whole};

const REDRAW: Duration = Duration::from_millis(200);

const ACTIVE: Duration = Duration::from_secs(60);

/// Returns a progress bar that is visible only on a terminal.
pub(crate) fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if !io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
    bar.set_style(style.expect("the template is written here"));
    bar
}

/// Returns such a bar, with all documents of the corpus as its length.
pub(crate) fn documents_bar(store: &Store) -> Result<ProgressBar, StoreError> {
    let bar = bar();
    bar.set_length(store.totals()?.documents());
    let style =
        ProgressStyle::with_template("{elapsed} {wide_bar} {human_pos} of {human_len} documents, {per_sec}");
    bar.set_style(style.expect("the template is written here"));
    Ok(bar)
}

/// Shows the progress of a crawl until dropped.
#[derive(Debug)]
pub(crate) struct Watching {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watching {
    /// Starts the display. Without a terminal, prints a line after each `every`.
    pub(crate) fn begin(progress: Arc<Progress>, bar: ProgressBar, every: Duration, colors: bool) -> Self {
        let (done, ended) = mpsc::channel();
        let pause = if bar.is_hidden() { every } else { REDRAW };
        let show = move || {
            let (begun, mut last, mut rate) = (Instant::now(), Instant::now(), Rate::default());
            bar.set_style(ProgressStyle::with_template("{msg}").expect("the template is written here"));
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let now = progress.snapshot();
                let rate = rate.update(now.pages, last.elapsed());
                last = Instant::now();
                if bar.is_hidden() {
                    say(line(&now, rate));
                } else {
                    let (size, whole) = (size(), whole(&now, rate, begun.elapsed()));
                    let (hosts, more) = progress.active(ACTIVE, size.hosts());
                    bar.set_message(screen(&whole, &hosts, more, size, colors));
                    bar.tick();
                }
            }
            bar.finish_and_clear();
        };
        Self { done: Some(done), thread: Some(thread::spawn(show)) }
    }
}

fn size() -> Size {
    let (lines, columns) = console::Term::stderr().size();
    Size { columns: columns.into(), lines: lines.into() }
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // The thread only prints, so a panic in it needs no handling.
            let _ = thread.join();
        }
    }
}

#[derive(Debug, Default)]
struct Rate {
    pages: u64,
    smooth: f64,
}

impl Rate {
    fn update(&mut self, pages: u64, elapsed: Duration) -> f64 {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let now = pages.saturating_sub(self.pages) as f64 / seconds;
        let weight = (seconds / 5.0).min(1.0);
        self.smooth += (now - self.smooth) * weight;
        self.pages = pages;
        self.smooth
    }
}

fn line(now: &Snapshot, rate: f64) -> String {
    let Snapshot { pages, stored, duplicates, near_duplicates, failures, hosts, queue, buffered, in_flight } =
        now;
    format!(
        "{pages} pages {rate:.1}/s, {stored} stored, {duplicates} duplicates, {near_duplicates} near-duplicates, {failures} failures, {hosts} hosts, {queue} queued, {buffered} buffered, {in_flight} in flight"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_all_that_is_counted() {
        let now = Snapshot { pages: 7, stored: 3, queue: 40, ..Snapshot::default() };
        let line = line(&now, 1.25);
        for part in [
            "7 pages 1.2/s",
            "3 stored",
            "40 queued",
            "0 failures",
            "0 hosts",
            "0 duplicates",
            "0 near-duplicates",
        ] {
            assert!(line.contains(part), "{line} lacks {part}");
        }
    }

    #[test]
    fn the_rate_follows_the_pages() {
        let mut rate = Rate::default();
        assert!((rate.update(50, Duration::from_secs(10)) - 5.0).abs() < 1e-9);
        assert!((rate.update(50, Duration::from_secs(10))).abs() < 1e-9);
    }
}
