//! What `gleaner migrate` takes.

pub(super) const MIGRATE_HELP: &str =
    "A corpus in a folder (sled; --data names it, with its archive) is moved into a database, its texts and
WARC files into --objects; or the other way. The target must be empty, the source stays as it is, and
nobody may work on either meanwhile: workers are refused. Interrupted, the same command empties what it
had written and begins anew. WARC files of more than 64 MiB are cut between two records on the way into
object storage, and get other numbers.

Examples:
  gleaner migrate --from sled --to postgres://gleaner@db.example/news --objects s3://news/corpus --data corpus
  gleaner migrate --from postgres://gleaner@db.example/news --to sled --objects s3://news/corpus --data copy

Exit code 1 also where the figures of both differ: `gleaner verify` tells which is right.";

#[derive(Debug, clap::Args)]
pub(crate) struct Migrate {
    /// Where the corpus is: sled, or postgres://user@host/database
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) from: String,
    /// Where it is to be: postgres://user@host/database, or sled
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) to: String,
}
