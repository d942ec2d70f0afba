//! Shows a running crawl on the terminal; without a terminal, prints lines.

use std::sync::Arc;
use std::time::Duration;

use gleaner_crawl::Progress;
use indicatif::ProgressBar;

use crate::args::Color;
use crate::watching::{self, Watching};

pub(crate) struct Console {
    bar: ProgressBar,
    colors: bool,
}

impl Console {
    pub(crate) fn new(color: Color) -> Self {
        Self { bar: watching::bar(), colors: color.wanted_on_stderr() }
    }

    /// Returns the bar of the whole crawl. Suspend it to print lines.
    pub(crate) const fn bar(&self) -> &ProgressBar {
        &self.bar
    }

    pub(crate) const fn has_colors(&self) -> bool {
        self.colors
    }

    /// Shows a crawl's progress until the returned value is dropped.
    pub(crate) fn watch(&self, progress: &Arc<Progress>, every: Duration) -> Watching {
        Watching::begin(Arc::clone(progress), self.bar.clone(), every, self.colors)
    }
}
