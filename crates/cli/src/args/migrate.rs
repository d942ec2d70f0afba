//! Defines the options of `gleaner migrate`.

pub(super) const MIGRATE_HELP: &str =
    "Moves a corpus and its archive from a folder (sled, --data) into a database, with its texts and WARC
files in --objects; or back. The target must be empty; the source does not change. No other process may
use either corpus meanwhile, and workers cannot join. After an interruption, the same command deletes
what it wrote and starts again. WARC files larger than 64 MiB are split between records for object
storage and are renumbered.

Examples:
  gleaner migrate --from sled --to postgres://gleaner@db.example/news --objects s3://news/corpus --data corpus
  gleaner migrate --from postgres://gleaner@db.example/news --to sled --objects s3://news/corpus --data copy

Exit code 1 also if the figures of source and target differ: run `gleaner verify` on both.";

#[derive(Debug, clap::Args)]
pub(crate) struct Migrate {
    /// Source: sled, or postgres://user@host/database
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) from: String,
    /// Target: postgres://user@host/database, or sled
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) to: String,
}
