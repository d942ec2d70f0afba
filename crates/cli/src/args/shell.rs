//! Defines the options of `gleaner completions` and `gleaner man`.

use std::path::PathBuf;

use clap_complete::Shell;

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// Shell to complete for
    pub(crate) shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// Folder for the pages; created if missing
    pub(crate) dir: PathBuf,
}
