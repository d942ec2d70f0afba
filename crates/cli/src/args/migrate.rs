//! Options of `gleaner migrate`.

pub(super) const MIGRATE_HELP: &str =
    "Copies a corpus from a folder (sled; --data, with its archive) into a database, and its texts and WARC
files into --objects; or the other way. The target must be empty. The source does not change. Workers
cannot use either meanwhile. After an interruption, the same command clears the target and starts over.
WARC files of more than 64 MiB are split between records for object storage and get new numbers.

Examples:
  gleaner migrate --from sled --to postgres://gleaner@db.example/news --objects s3://news/corpus --data corpus
  gleaner migrate --from postgres://gleaner@db.example/news --to sled --objects s3://news/corpus --data copy

The exit code is also 1 if the totals of source and target differ; `gleaner verify` shows which is right.";

#[derive(Debug, clap::Args)]
pub(crate) struct Migrate {
    /// Source: sled, or postgres://user@host/database
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) from: String,
    /// Target: postgres://user@host/database, or sled
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) to: String,
}
