//! Shows a running crawl on the terminal. If the output is not a terminal, prints plain lines.

use std::sync::Arc;
use std::time::Duration;

use gleaner_crawl::Progress;
use indicatif::ProgressBar;

use crate::args::Color;
use crate::progress::{self, ProgressDisplay};

pub(crate) struct Console {
    bar: ProgressBar,
    colors: bool,
}

impl Console {
    pub(crate) fn new(color: Color) -> Self {
        Self { bar: progress::bar(), colors: color.wanted_on_stderr() }
    }

    /// Returns the progress bar. Suspend it while printing lines.
    pub(crate) const fn bar(&self) -> &ProgressBar {
        &self.bar
    }

    pub(crate) const fn has_colors(&self) -> bool {
        self.colors
    }

    /// Shows the progress of a crawl until the returned value is dropped.
    pub(crate) fn show_progress(&self, progress: &Arc<Progress>, every: Duration) -> ProgressDisplay {
        ProgressDisplay::start(Arc::clone(progress), self.bar.clone(), every, self.colors)
    }
}
