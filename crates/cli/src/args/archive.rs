//! Options of the commands that read or copy the archive.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Rebuild {
    /// Learn the templates and extract all texts again, and say what changed
    #[arg(long)]
    pub(crate) relearn: bool,
    /// With --relearn: file of seed sites, one per line; repeatable [default: the seeds of the last crawl]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    /// With --relearn: start over, even if a rebuild can be resumed or the archive lacks the pages of some documents
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Reextract {}

#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// Remove unused files that killed workers left in object storage
    #[arg(long)]
    pub(crate) sweep: bool,
    /// First extract texts that cannot be read again from the archive, also during a crawl
    #[arg(long)]
    pub(crate) repair: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Snapshot {
    /// Folder of the copy; it must not exist
    pub(crate) dir: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Ingest {
    /// WARC files, their CDX or CDXJ indexes, or folders with such files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}
