//! Applies a file and `key=value` pairs to the defaults, and checks the result.

use std::time::Duration;

use thiserror::Error;
use toml::{Table, Value};
use url::Url;

use crate::settings::paths::resolve_paths;
use crate::settings::{Config, SitesSettings};

/// Why a configuration is invalid. The message states the position of the error and, in most cases, a valid
/// form.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The text is not TOML, has an unknown key, or has a value of the wrong type.
    #[error("{origin}: {message}")]
    Wrong {
        /// The name of the file, or `--set key=value`.
        origin: String,
        /// What is wrong, on one line.
        message: String,
    },
    /// A value has a valid form but is not allowed.
    #[error("{key}: {message}")]
    Invalid {
        /// The key, such as `fetch.proxy`.
        key: &'static str,
        /// What is wrong, on one line.
        message: String,
    },
}

/// A configuration file.
#[derive(Debug, Clone)]
pub struct ConfigFile<'a> {
    /// The name of the file as the user wrote it.
    pub file: &'a str,
    /// The text of the file.
    pub text: &'a str,
}

/// Applies `file`, if any, and then each pair of `sets` (`key=value`) to the defaults, and checks the result.
/// Relative paths in the file are relative to its folder.
///
/// # Errors
/// A key is unknown, a value has a wrong type or unit, or a value is not allowed. The message is one line. It
/// names the file with the line number, the pair, or the key.
pub fn read(file: Option<ConfigFile<'_>>, sets: &[String]) -> Result<Config, ConfigError> {
    let (mut table, mut sites) = (Table::new(), SitesSettings::default());
    if let Some(ConfigFile { file, text }) = file {
        let origin =
            |error: toml::de::Error| invalid_setting(&error_position(file, text, &error), error.message());
        sites = toml::from_str::<Config>(text).map_err(origin)?.site.locate(file, text);
        table = toml::from_str(text).map_err(origin)?;
        // The sites were already read from the text, which has line numbers. A `--set` pair cannot set them.
        table.remove("site");
        resolve_paths(file, &mut table);
        if let Some(section) = table.remove("cluster") {
            table.insert(current("cluster").into(), section);
        }
    }
    for pair in sets {
        set(&mut table, pair)?;
    }
    let config: Config =
        table.try_into().map_err(|e: toml::de::Error| invalid_setting("configuration", e.message()))?;
    let config = Config { site: sites, ..config };
    check(&config)?;
    Ok(config)
}

fn current(section: &str) -> &str {
    if section == "cluster" { "workers" } else { section }
}

/// Tables that no longer exist, each with what to do instead.
const REMOVED: [(&str, &str); 1] = [(
    "telemetry",
    "the table [telemetry] was removed, and gleaner sends no traces; delete it from the settings. \
     The metrics of the status page remain",
)];

pub(crate) fn invalid_setting(origin: &str, message: &str) -> ConfigError {
    let is_named = |table: &str| message.starts_with(&format!("unknown field `{table}`"));
    let removed = REMOVED.iter().find(|(table, _)| is_named(table));
    let message = removed.map_or(message, |(_, instead)| instead);
    let mut message = message.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    for (of_library, plain) in TYPES {
        message = message.replace(of_library, plain);
    }
    ConfigError::Wrong { origin: origin.into(), message }
}

/// Formats the position of an error, such as `config/x.toml, line 12, fetch.delay`. Without a position, returns
/// `file`. Names the key only of a value with a wrong type, because other messages name what is wrong.
pub(crate) fn error_position(file: &str, text: &str, error: &toml::de::Error) -> String {
    let Some(span) = error.span() else { return file.into() };
    let line = line_of(text, span.start);
    let key = key_of_line(text, line).filter(|_| error.message().starts_with("invalid type"));
    let key = key.map(|key| format!(", {key}")).unwrap_or_default();
    format!("{file}, line {line}{key}")
}

/// Returns the key whose value begins in this line, with its table.
fn key_of_line(text: &str, line: usize) -> Option<String> {
    let (key, _) = text.lines().nth(line - 1)?.split_once('=')?;
    let key = key.trim();
    let is_key =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let tables = text.lines().take(line).filter_map(|line| line.trim().strip_prefix('[')?.strip_suffix(']'));
    let table = tables.last().map(|table| format!("{table}.")).unwrap_or_default();
    is_key.then(|| format!("{table}{key}"))
}

/// The names of types in the errors of the library, and what users call their values.
const TYPES: [(&str, &str); 6] = [
    ("expected usize", "expected a whole number"),
    ("expected u64", "expected a whole number"),
    ("expected u32", "expected a whole number"),
    ("expected u16", "expected a whole number"),
    ("expected f64", "expected a number"),
    ("expected a boolean", "expected true or false"),
];

pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Sets one `table.key=value` in `table`. A value that is not valid TOML is read as a text, so
/// `fetch.delay=5s` needs no quotes.
fn set(table: &mut Table, pair: &str) -> Result<(), ConfigError> {
    let origin = match pair.split_once('=') {
        // The value is hidden, because a URL may contain a password.
        Some((key, value)) if value.contains("://") => format!("--set {key}=..."),
        _ => format!("--set {pair}"),
    };
    let (key, text) = pair
        .split_once('=')
        .ok_or_else(|| invalid_setting(&origin, "write it as key=value, such as fetch.delay=5s"))?;
    let (group, name) = key
        .trim()
        .split_once('.')
        .ok_or_else(|| invalid_setting(&origin, "a key has two parts, such as fetch.delay"))?;
    let group = current(group);
    if group == "site" {
        let message = "set a site in a file: [site.\"bbc.com\"] in the file of --config";
        return Err(invalid_setting(&origin, message));
    }
    let candidates = [toml_value(text.trim()), Some(Value::String(text.trim().into()))];
    let mut first = None;
    for value in candidates.into_iter().flatten() {
        let mut one = Table::new();
        one.insert(group.into(), Value::Table(Table::from_iter([(name.into(), value.clone())])));
        match one.try_into::<Config>() {
            Ok(_) => {
                let entry = table.entry(group).or_insert_with(|| Value::Table(Table::new()));
                if let Value::Table(group) = entry {
                    group.insert(name.into(), value);
                }
                return Ok(());
            }
            Err(error) => first = Some(first.unwrap_or(error)),
        }
    }
    Err(invalid_setting(&origin, first.as_ref().map_or("no value", toml::de::Error::message)))
}

fn toml_value(text: &str) -> Option<Value> {
    toml::from_str::<Table>(&format!("value = {text}")).ok()?.remove("value")
}

pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum number of characters in a worker's name. File names contain this name.
const MAX_NAME_LENGTH: usize = 64;

fn invalid(key: &'static str, message: &str) -> Result<(), ConfigError> {
    Err(ConfigError::Invalid { key, message: message.into() })
}

fn check(config: &Config) -> Result<(), ConfigError> {
    check_crawl(config)?;
    check_storage(config)?;
    config.site.check()
}

fn check_crawl(config: &Config) -> Result<(), ConfigError> {
    let (fetch, template) = (&config.fetch, &config.template);
    if !fetch.proxy.is_empty() {
        match Url::parse(&fetch.proxy) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {}
            _ => return invalid("fetch.proxy", "write it as http://host:port"),
        }
    }
    if fetch.product().is_empty() || !fetch.agent().bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return invalid("fetch.user_agent", "must begin with a name, in ASCII, such as gleaner/0.1");
    }
    if fetch.concurrency == 0 {
        return invalid("fetch.concurrency", "must be 1 or more");
    }
    if fetch.timeout.get().is_zero() || fetch.connect_timeout.get().is_zero() {
        return invalid("fetch.timeout", "must be longer than 0s");
    }
    if template.min_pages < 2 || template.prepare_pages < template.min_pages || template.prepare_pages > 200 {
        return invalid(
            "template.prepare_pages",
            "must be at least template.min_pages (2 or more) and at most 200",
        );
    }
    if fetch.delay.get() > DAY || fetch.max_crawl_delay.get() > DAY {
        return invalid("fetch.delay", "must be at most 1d, and so must fetch.max_crawl_delay");
    }
    if fetch.max_page.get() == 0 || fetch.max_sitemap.get() == 0 {
        return invalid("fetch.max_page", "must be more than 0B, and so must fetch.max_sitemap");
    }
    if config.crawl.workers > 1024 {
        return invalid("crawl.workers", "must be at most 1024; 0 means one per core");
    }
    if config.crawl.recheck.iter().any(|age| age.get().is_zero()) {
        return invalid("crawl.recheck", "must be ages such as [\"6h\", \"1d\"], none of them 0s");
    }
    if config.crawl.progress.get().is_zero() {
        return invalid("crawl.progress", "must be longer than 0s");
    }
    Ok(())
}

fn check_workers(config: &Config) -> Result<(), ConfigError> {
    let engine = config.store.engine.as_str();
    let is_database = ["postgres://", "postgresql://"].iter().any(|scheme| engine.starts_with(scheme));
    if engine != "sled" && !is_database {
        return invalid("store.engine", "must be \"sled\" or begin with postgres://");
    }
    if config.workers.name.chars().count() > MAX_NAME_LENGTH {
        return invalid("workers.name", "must have 64 characters at most");
    }
    if !(3..=3_600).contains(&config.workers.lease.get().as_secs()) {
        return invalid("workers.lease", "must be 3s to 1h");
    }
    Ok(())
}

fn check_storage(config: &Config) -> Result<(), ConfigError> {
    if !(0.3..=1.0).contains(&config.corpus.similarity) {
        return invalid("corpus.similarity", "must be 0.3 to 1");
    }
    if config.corpus.index_memory.get() < 1 << 16 {
        return invalid("corpus.index_memory", "must be at least 64KiB");
    }
    if config.report.command.first().is_some_and(String::is_empty) {
        return invalid("report.command", "must begin with a program, as in [\"mail\", \"-s\", \"gleaner\"]");
    }
    if config.store.path.is_empty() {
        return invalid("store.path", "must name a folder");
    }
    if config.store.cache.get() < 1 << 20 {
        return invalid("store.cache", "must be at least 1MiB");
    }
    if config.store.flush_pages == 0 {
        return invalid("store.flush_pages", "must be 1 or more");
    }
    if !(1..=9).contains(&config.archive.level) {
        return invalid("archive.level", "must be 1 (fast) to 9 (small)");
    }
    check_workers(config)?;
    if config.archive.rotate.get() < 1 << 20 {
        return invalid("archive.rotate", "must be at least 1MiB");
    }
    if let Some(wrong) = config.corpus.languages.iter().find(|tag| !is_language(tag)) {
        let message = format!("\"{wrong}\" is not a primary language tag; write it as \"vi\" or \"en\"");
        return invalid("corpus.languages", &message);
    }
    Ok(())
}

/// Whether the text has the form of a BCP 47 primary tag.
pub(crate) fn is_language(tag: &str) -> bool {
    (2..=3).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::DurationSetting;

    const DEFAULT: &str = include_str!("../../../../config/default.toml");

    fn refused(text: &str, sets: &[&str]) -> String {
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        let message = read(Some(ConfigFile { file: "x.toml", text }), &sets).unwrap_err().to_string();
        assert!(!message.contains('\n'), "{message}");
        message
    }

    #[test]
    fn default_toml_is_complete_and_holds_the_defaults() {
        let read = read(Some(ConfigFile { file: "default.toml", text: DEFAULT }), &[]).unwrap();
        assert_eq!(read, Config::default());
        let written: Table = toml::from_str(DEFAULT).unwrap();
        let expected = Table::try_from(Config::default()).unwrap();
        for (group, keys) in &expected {
            for key in keys.as_table().unwrap().keys() {
                assert!(written[group].get(key).is_some(), "config/default.toml lacks {group}.{key}");
            }
        }
    }

    #[test]
    fn the_other_samples_are_read() {
        for text in
            [include_str!("../../../../config/demo.toml"), include_str!("../../../../config/nightly.toml")]
        {
            assert_ne!(read(Some(ConfigFile { file: "sample", text }), &[]).unwrap(), Config::default());
        }
    }

    #[test]
    fn every_key_of_default_toml_has_a_comment_above_it() {
        let mut commented = false;
        for line in DEFAULT.lines() {
            if line.contains(" = ") && !line.starts_with('#') {
                assert!(commented, "no comment above: {line}");
            }
            commented = line.starts_with('#');
        }
    }

    #[test]
    fn sets_win_over_the_file() {
        let text = "[fetch]\ndelay = \"3s\"\ncontact = \"a@b.example\"\n";
        let sets =
            ["fetch.delay=7s", "fetch.proxy=http://127.0.0.1:80", "crawl.max_depth=3"].map(String::from);
        let config = read(Some(ConfigFile { file: "x", text }), &sets).unwrap();
        assert_eq!(config.fetch.delay, DurationSetting::seconds(7));
        assert_eq!(config.fetch.contact, "a@b.example");
        assert_eq!(config.crawl.max_depth, 3);
    }

    #[test]
    fn the_older_name_of_the_section_of_workers_is_read() {
        let text = "[cluster]\nname = \"one\"\nlease = \"20s\"\n";
        for set in ["cluster.lease=10s", "workers.lease=10s"] {
            for section in ["[cluster]", "[workers]"] {
                let text = text.replace("[cluster]", section);
                let config = read(Some(ConfigFile { file: "x", text: &text }), &[set.into()]).unwrap();
                assert_eq!(
                    (config.workers.name.as_str(), config.workers.lease),
                    ("one", DurationSetting::seconds(10))
                );
            }
        }
        let both = refused("[cluster]\nname = \"one\"\n[workers]\nname = \"two\"\n", &[]);
        assert!(both.contains("duplicate field `workers`"), "{both}");
    }

    #[test]
    fn a_removed_table_is_refused_with_the_reason() {
        let file = refused("[log]\njson = true\n[telemetry]\nendpoint = \"\"\n", &[]);
        assert!(file.starts_with("x.toml, line 3: the table [telemetry] was removed"), "{file}");
        let set = refused("", &["telemetry.endpoint=http://collector.example:4318"]);
        assert!(set.starts_with("--set telemetry.endpoint=...: the table [telemetry] was removed"), "{set}");
    }

    #[test]
    fn lists_and_text_that_looks_like_a_number_can_be_set() {
        let sets = ["fetch.allow_addresses=[\"127.0.0.0/8\"]", "fetch.contact=42"].map(String::from);
        let config = read(None, &sets).unwrap();
        assert_eq!(config.fetch.allow_addresses.len(), 1);
        assert_eq!(config.fetch.contact, "42");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let unknown = refused("[fetch]\ndelay = \"3s\"\ndelai = \"3s\"\n", &[]);
        assert!(unknown.starts_with("x.toml, line 3: unknown field `delai`"), "{unknown}");
        let unit = refused("[fetch]\ndelay = \"3\"\n", &[]);
        assert!(unit.starts_with("x.toml, line 2: \"3\" is not a duration"), "{unit}");
        assert!(refused("", &["fetch.delay=3"]).starts_with("--set fetch.delay=3: "));
        let name = refused("[text]\nkeep = [\"captions\", \"credit\"]", &[]);
        let names = "expected one of `captions`, `credits`, `by-lines`, `read-more`";
        assert!(
            name.starts_with("x.toml, line 2: unknown variant `credit`") && name.contains(names),
            "{name}"
        );
        assert!(refused("", &["text.keep=[\"all\"]"]).contains(names));
        assert!(
            refused("", &["corpus.languages=[\"vi-VN\"]"])
                .contains("\"vi-VN\" is not a primary language tag")
        );
        assert!(refused("", &["corpus.tones=hoà"]).contains("expected one of `as-written`, `old`, `new`"));
        assert!(refused("", &["fetch.nothing=3"]).contains("unknown field `nothing`"));
        assert!(refused("", &["delay"]).contains("key=value"));
        assert!(refused("", &["report.command=[\"\"]"]).starts_with("report.command: "));
        assert!(refused("", &["crawl.recheck=[\"0s\"]"]).starts_with("crawl.recheck: "));
        let hidden = refused("", &["fetch.proxi=http://an:hush@h"]);
        assert!(hidden.starts_with("--set fetch.proxi=...: ") && !hidden.contains("hush"), "{hidden}");
        assert!(refused("", &["fetch.proxy=nonsense"]).starts_with("fetch.proxy: "));
        assert!(refused("[fetch", &[]).starts_with("x.toml, line 1"));
        for similarity in ["0.29", "1.01", "nan", "-1"] {
            let message = refused("", &[&format!("corpus.similarity={similarity}")]);
            assert_eq!(message, "corpus.similarity: must be 0.3 to 1");
        }
        assert!(refused("", &["corpus.duplicates=[\"some\"]"]).contains("expected `exact` or `near`"));
        let name = format!("workers.name={}", "á".repeat(65));
        assert_eq!(refused("", &[&name]), "workers.name: must have 64 characters at most");
        assert!(read(None, &[format!("workers.name={}", "á".repeat(64))]).is_ok());
        assert!(refused("", &["corpus.index_memory=1kB"]).starts_with("corpus.index_memory: "));
    }

    #[test]
    fn the_agent_names_the_contact() {
        let config = read(None, &["fetch.contact=mailto:a@b.example".into()]).unwrap();
        assert!(config.fetch.agent().ends_with(" (+mailto:a@b.example)"));
        assert_eq!(config.fetch.product(), "gleaner");
    }
}
