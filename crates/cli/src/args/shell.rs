//! What can be typed of `gleaner completions` and `gleaner man`.

use std::path::PathBuf;

use clap_complete::Shell;

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// Folder of the pages; made where there is none
    pub(crate) dir: PathBuf,
}
