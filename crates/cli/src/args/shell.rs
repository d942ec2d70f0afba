//! Options of `gleaner completions` and `gleaner man`.

use std::path::PathBuf;

use clap_complete::Shell;

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// Shell to complete for
    pub(crate) shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// Output folder; created if it does not exist
    pub(crate) dir: PathBuf,
}
