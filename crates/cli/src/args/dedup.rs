//! Options of `gleaner dedup`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gleaner_config::Bytes;
use gleaner_corpus::dedup::Representative;
use gleaner_export::global::Task;

pub(super) const DEDUP_HELP: &str =
    "IN is a JSON Lines or Parquet file of `gleaner export`, another file with the fields id and text, or a
folder of such files: .jsonl, .jsonl.gz, .jsonl.zst, .parquet. Documents are ordered by the field
fetched; documents without it come last, in input order.

The work is split into tasks: sign:N for each file, exact, band:0 to band:41, clusters and, with
--write, write:N for each file. The result of a task is a folder in --work, written atomically. The
same command resumes after an interruption and can run on several machines that share the folder.
docs/dedup.md has examples for Slurm and Kubernetes.

The result has one JSON object per line for each document that another represents: id, shard, line,
head, head_shard, head_line, similarity, kind (exact or near). Without --out it is
clusters/duplicates.jsonl in --work.

Examples:
  gleaner dedup --global exports/ --work work --out duplicates.jsonl
  gleaner dedup --global north/ south/ --work work --write unique --memory 4GiB
  gleaner dedup --global exports/ --work work --list-tasks
  gleaner dedup --global exports/ --work work --task band:17";

#[derive(Debug, clap::Args)]
pub(crate) struct Dedup {
    /// Compare all documents of IN (`gleaner duplicates` lists the near-duplicates of one corpus)
    #[arg(long, required = true)]
    pub(crate) global: bool,
    /// Exported files, or folders of such files
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Folder of intermediate results; a new one, or an existing one to resume
    #[arg(long, value_name = "DIR")]
    pub(crate) work: PathBuf,
    /// Also write the result to this file, atomically
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write copies of the files without duplicates into this new folder
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,
    /// Memory for sorting; in addition, 4 bytes per document for the clusters and about 20 MiB
    /// per thread
    #[arg(long, value_name = "SIZE", default_value = "512MiB", value_parser = memory)]
    pub(crate) memory: usize,
    /// Run only this task, such as sign:3, exact, band:17, clusters or write:3
    #[arg(long, conflicts_with_all = ["list_tasks", "out"])]
    pub(crate) task: Option<Task>,
    /// List the tasks with their state and exit
    #[arg(long, conflicts_with = "out")]
    pub(crate) list_tasks: bool,
    /// Number of concurrent tasks [default: one per core]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Minimum similarity of near-duplicates, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = super::export::share, default_value = "0.5")]
    pub(crate) similarity: f64,
    /// Which document represents a cluster
    #[arg(long, value_name = "HEAD", value_parser = representative(), default_value = "first")]
    pub(crate) head: Representative,
}

fn representative() -> impl TypedValueParser<Value = Representative> {
    let help = |choice| match choice {
        Representative::First => "The document that was fetched first",
        Representative::Longest => "The document with the most words",
    };
    PossibleValuesParser::new(
        Representative::ALL.map(|choice| PossibleValue::new(choice.name()).help(help(choice))),
    )
    .map(|name| Representative::named(&name).expect("only names of choices are possible"))
}

fn memory(text: &str) -> Result<usize, String> {
    let size: Bytes = text.parse()?;
    usize::try_from(size.get()).map_err(|_| "more than this machine can address".to_owned())
}
