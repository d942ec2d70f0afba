//! Options of `gleaner migrate`.

pub(super) const MIGRATE_HELP: &str =
    "Copies the records of a corpus from a folder (sled; --data) into a database, and its texts and WARC \
files into --objects. It also copies in the other direction. The target must be empty. The source does \
not change. Meanwhile, no worker can use either of them. After an interruption, the same command clears \
the target and starts over. For object storage, WARC files of more than 64 MiB are split and get new \
numbers.

Examples:
  gleaner migrate --from sled --to postgres://gleaner@db.example/news --objects s3://news/corpus
  gleaner migrate --from postgres://gleaner@db.example/news --to sled --objects s3://news/corpus

The exit code is also 1 if the totals of source and target differ. `gleaner verify` then shows which \
is right.";

#[derive(Debug, clap::Args)]
pub(crate) struct Migrate {
    /// Source: sled, or postgres://user@host/database
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) from: String,
    /// Target: postgres://user@host/database, or sled
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) to: String,
}
