//! What stands on the terminal while a crawl runs: nothing but lines where there is none.

use std::sync::Arc;
use std::time::Duration;

use gleaner_crawl::Progress;
use indicatif::ProgressBar;

use crate::args::Color;
use crate::watching::{self, Watching};

/// The terminal, or what stands for it.
pub(crate) struct Console {
    bar: ProgressBar,
    colors: bool,
}

impl Console {
    pub(crate) fn new(color: Color) -> Self {
        Self { bar: watching::bar(), colors: color.wanted_on_stderr() }
    }

    /// The bar for the whole; whoever writes lines steps it aside.
    pub(crate) const fn bar(&self) -> &ProgressBar {
        &self.bar
    }

    pub(crate) const fn has_colors(&self) -> bool {
        self.colors
    }

    /// Shows a crawl's progress until what is given is dropped.
    pub(crate) fn watch(&self, progress: &Arc<Progress>, every: Duration) -> Watching {
        Watching::begin(Arc::clone(progress), self.bar.clone(), every, self.colors)
    }
}
