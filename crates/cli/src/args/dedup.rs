//! What `gleaner dedup` takes.

use std::path::PathBuf;

use clap::ValueEnum;
use gleaner_config::Bytes;
use gleaner_global::Task;

pub(super) const DEDUP_HELP: &str =
    "IN are files that `gleaner export` writes as JSON Lines or Parquet, or files of others that have the
fields id and text, or folders of them: .jsonl, .jsonl.gz, .jsonl.zst, .parquet. Documents come in the
order of the field fetched; those without it come last, in the order in which they are read.

The work is many tasks: sign:N for each file, exact, band:0 to band:41, clusters and, with --write,
write:N for each file. Each one's result is a folder in --work, whole or not there. The same command
goes on after any interruption, and may run on several machines that share the folder. docs/dedup.md
has examples for Slurm and Kubernetes.

The result is a JSON object a line for each document for which another one stands: id, shard, line,
head, head_shard, head_line, similarity, kind (exact or near). Without --out it is
clusters/duplicates.jsonl in --work.

Examples:
  gleaner dedup --global exports/ --work work --out duplicates.jsonl
  gleaner dedup --global north/ south/ --work work --write unique --memory 4GiB
  gleaner dedup --global exports/ --work work --list-tasks
  gleaner dedup --global exports/ --work work --task band:17";

#[derive(Debug, clap::Args)]
pub(crate) struct Dedup {
    /// Over all that IN holds; what a corpus finds by itself, `gleaner duplicates` shows
    #[arg(long, required = true)]
    pub(crate) global: bool,
    /// Exported files, or folders of them
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Folder of what is found on the way; a new one, or the same to go on
    #[arg(long, value_name = "DIR")]
    pub(crate) work: PathBuf,
    /// Write the result to this file, too, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write the files again into this new folder, without documents for which others stand
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,
    /// Memory for what is sorted; besides it, 4 bytes a document for the clusters and some
    /// 20 MiB a thread
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = memory)]
    pub(crate) memory: usize,
    /// Do this task only, such as sign:3, exact, band:17, clusters or write:3
    #[arg(long, conflicts_with_all = ["list_tasks", "out"])]
    pub(crate) task: Option<Task>,
    /// Print the tasks, each with done or left, and do nothing
    #[arg(long, conflicts_with = "out")]
    pub(crate) list_tasks: bool,
    /// Do so many tasks at a time [default: one a core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Similarity from which a text is a duplicate, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = super::export::share, default_value = "0.5")]
    pub(crate) similarity: f64,
    /// Which document of a cluster stands for it
    #[arg(long, value_enum, default_value_t = WhichHead::First)]
    pub(crate) head: WhichHead,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WhichHead {
    /// The one that was fetched first
    First,
    /// The one with the most words
    Longest,
}

fn memory(text: &str) -> Result<usize, String> {
    let size: Bytes = text.parse()?;
    usize::try_from(size.get()).map_err(|_| "more than this machine can name".to_owned())
}
