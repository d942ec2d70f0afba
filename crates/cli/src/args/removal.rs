//! Options of `remove` and `removals`.

pub(super) const REMOVE_HELP: &str = "Without --yes, nothing is changed: the command shows what it would remove. A \
document is removed with all its URLs, its earlier revisions, its raw page and its records in the WARC files. Its URLs \
are not requested again, and its text is not stored again. docs/removal.md says what stays.

Fields for --where: those of `gleaner export --where`. A document that lacks a field on which the condition depends is \
not removed.

An interrupted removal is continued by `gleaner remove` without arguments, or by the next removal.

Examples:
  gleaner remove https://vnexpress.net/a-page-4181177.html
  gleaner remove https://vnexpress.net/a-page-4181177.html --reason 'request of 2026-11-20' --yes
  gleaner remove --host blog.example.org --yes
  gleaner remove --where 'host=example.org and words<50' --yes";

pub(super) const REMOVALS_HELP: &str = "Examples:
  gleaner removals --data corpus
  gleaner removals --urls --json
  gleaner removals --ids --since 2026-11-01
  gleaner removals --take-back 3";

#[derive(Debug, clap::Args)]
pub(crate) struct Remove {
    /// URLs of the documents to remove
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Remove everything of this host and its subdomains, and request nothing from it again; repeatable
    #[arg(long, value_name = "HOST", conflicts_with_all = ["urls", "condition"])]
    pub(crate) host: Vec<String>,
    /// Remove the documents that meet this condition now, such as 'section=Sport and words<50'
    #[arg(long = "where", value_name = "CONDITION", conflicts_with = "urls")]
    pub(crate) condition: Option<String>,
    /// Reason, which `gleaner removals` and `gleaner doctor` show
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) reason: String,
    /// Leave the WARC files as they are; a rebuild still leaves out what was removed
    #[arg(long)]
    pub(crate) keep_archive: bool,
    /// Keep only the hashes of the removed URLs, for example if a URL has the name of a person
    #[arg(long, conflicts_with = "host")]
    pub(crate) forget_urls: bool,
    /// Remove, instead of showing what would be removed
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Removals {
    /// Also list the removed URLs
    #[arg(long)]
    pub(crate) urls: bool,
    /// Print only the ids of the removed documents, one per line
    #[arg(long, conflicts_with_all = ["urls", "json", "take_back"])]
    pub(crate) ids: bool,
    /// With --ids: only documents that were removed on or after this day or time (UTC), or age such as 7d
    #[arg(long, value_name = "DATE", requires = "ids")]
    pub(crate) since: Option<String>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    /// Forget removal N: its URLs may be requested and its texts stored again
    #[arg(long, value_name = "N", conflicts_with_all = ["urls", "json"])]
    pub(crate) take_back: Option<u32>,
}
