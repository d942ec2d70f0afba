//! Loads the settings, seeds, pins and rules, and opens the store.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gleaner_corpus::{Admission, Condition, SiteAdmission};
use gleaner_crawl::render::text::show_times_in;
use gleaner_crawl::settings::{Config, ConfigFile, PinsFile, SettingText, SiteSettings, read, read_pins};
use gleaner_crawl::{site_of, zone_of};
use gleaner_extract::Pins;
use gleaner_extract::pins::HostPins;
use gleaner_frontier::{Seed, parse_seed, parse_seeds};
use gleaner_store::Store;
use jiff::tz::TimeZone;

use crate::args::Common;
use crate::commands::known_hosts::did_you_mean;
use crate::distributed;
use crate::failure::Failure;
use crate::messages::print_message;

/// The settings file of a project folder, as `gleaner init` writes it.
pub(crate) const FOLDER_SETTINGS: &str = "gleaner.toml";

/// Without `--config`, selects the settings file of the working directory, if there is one. If `is_named` is
/// set, prints the name of the file. The caller does not set it for commands that only read the corpus,
/// because the line would only hide other messages.
pub(crate) fn find(mut common: Common, is_named: bool) -> Common {
    if common.config.is_none() && Path::new(FOLDER_SETTINGS).is_file() {
        if is_named {
            print_message(format_args!("gleaner: using the settings in {FOLDER_SETTINGS}"));
        }
        common.config = Some(FOLDER_SETTINGS.into());
    }
    common
}

pub(crate) fn load(common: &Common) -> Result<Config, Failure> {
    let config = load_for_both(common)?;
    match &common.objects {
        Some(_) if !distributed::is_shared(&config) => Err(Failure::Usage(
            "--objects requires --store postgres://...: a corpus in a folder keeps its files there; omit --objects, or set --store"
                .into(),
        )),
        _ => Ok(config),
    }
}

/// Loads the settings for a command that uses both a data folder and a database.
pub(crate) fn load_for_both(common: &Common) -> Result<Config, Failure> {
    let text = match &common.config {
        Some(path) => Some((path.display().to_string(), read_text(path)?)),
        None => None,
    };
    let origin = text.as_ref().map(|(file, text)| ConfigFile { file, text });
    let on_the_line = [("store.engine", &common.store), ("store.objects", &common.objects)];
    let mut set = common.set.clone();
    set.extend(on_the_line.iter().filter_map(|(key, value)| Some(format!("{key}={}", value.as_ref()?))));
    let mut config = read(origin, &set).map_err(Failure::usage)?;
    // Only `gleaner schedule` refuses an unknown zone.
    show_times_in(zone_of(&config.schedule).unwrap_or(TimeZone::system()));
    if let Some(data) = &common.data {
        let path = data.to_str().map(str::to_owned);
        config.store.path = path.ok_or_else(|| {
            let data = data.display();
            Failure::Usage(format!(
                "--data {data}: the name is not valid UTF-8; rename the folder, or name a link to it"
            ))
        })?;
    }
    Ok(config)
}

/// Returns the seeds from `files` and `urls`. If both are empty, reads the setting `crawl.seeds`.
pub(crate) fn seeds(files: &[PathBuf], urls: &[String], config: &Config) -> Result<Vec<Seed>, Failure> {
    let mut seeds: Vec<Seed> = Vec::new();
    for url in urls {
        seeds.push(seed(url)?);
    }
    for file in files {
        refuse_url("--seeds", file)?;
        seeds.extend(seed_file(file).map_err(|failure| match failure {
            Failure::Usage(message) if !file.exists() => Failure::Usage(format!(
                "{message}; --seeds names a file, and sites are arguments: gleaner crawl https://example.org"
            )),
            other => other,
        })?);
    }
    if urls.is_empty() && files.is_empty() {
        return configured_seeds(config);
    }
    Ok(seeds)
}

fn configured_seeds(config: &Config) -> Result<Vec<Seed>, Failure> {
    if config.crawl.seeds.is_empty() {
        return Err(Failure::Usage(
            "no seeds: name a site, as in `gleaner crawl https://example.org`, or set --seeds FILE or crawl.seeds; \
             `gleaner init news` writes a project folder with a list of seeds"
                .into(),
        ));
    }
    let mut seeds = Vec::new();
    for file in config.crawl.seeds.iter().map(PathBuf::from) {
        refuse_url("crawl.seeds", &file)?;
        seeds.extend(seed_file(&file).map_err(|failure| match failure {
            Failure::Usage(message) if !file.exists() => {
                Failure::Usage(format!("{message}; crawl.seeds in the settings names it"))
            }
            other => other,
        })?);
    }
    Ok(seeds)
}

fn seed_file(file: &Path) -> Result<Vec<Seed>, Failure> {
    parse_seeds(&read_text(file)?, &file.display().to_string()).map_err(Failure::usage)
}

fn refuse_url(option: &str, file: &Path) -> Result<(), Failure> {
    let text = file.to_string_lossy();
    if !text.contains("://") || file.exists() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{option} names files of addresses, and {text} is an address; to crawl it: gleaner crawl {}",
        distributed::shell_argument(&text)
    )))
}

fn seed(url: &str) -> Result<Seed, Failure> {
    if Path::new(url).is_file() {
        let file = distributed::shell_argument(url);
        return Err(Failure::Usage(format!(
            "{url} is a file; to crawl its sites: gleaner crawl --seeds {file}"
        )));
    }
    parse_seed(url).map_err(Failure::usage)
}

const KEEP: &str = "text.keep";

/// Reads the pins of a host from the file with the host's name. If there is no such file, uses the pins of
/// the host's site in the settings. The setting `text.keep` applies unless the pins set their own inserts.
pub(crate) fn pins_of(config: &Config, host: Option<&str>) -> Result<Pins, Failure> {
    let files = pins_files(config)?;
    let is_of_host = |path: &&PathBuf| host.is_some_and(|host| path.ends_with(format!("{host}.toml")));
    let pins = match files.iter().find(is_of_host) {
        Some(path) => read_pins_file(path)?,
        None => host.and_then(|host| site_pins(config, host)).transpose()?.unwrap_or_default(),
    };
    Ok(pins.or_inserts(config.text.keep.clone(), KEEP).with_extras(config.text.also.clone()))
}

pub(crate) fn pins(config: &Config) -> Result<HostPins, Failure> {
    report_ignored_pins(config)?;
    let named = |path: &PathBuf| Ok((host_of(path), read_pins_file(path)?));
    let files = pins_files(config)?;
    let pins: HostPins = files.iter().map(named).collect::<Result<_, Failure>>()?;
    let of_site = |(name, _)| Some((name, site_pins(config, name)?));
    let named = |(name, pins): (&str, Result<Pins, Failure>)| Ok((name.to_owned(), pins?));
    let sites = config.site.iter().filter_map(of_site).map(named).collect::<Result<_, Failure>>()?;
    Ok(pins.with_sites(sites).or_inserts(&config.text.keep, KEEP).with_extras(&config.text.also))
}

fn site_pins(config: &Config, host: &str) -> Option<Result<Pins, Failure>> {
    let pins = config.site.of_host(host)?.pins.as_ref()?;
    Some(pins_from(config.site.file(), pins))
}

pub(crate) fn pins_text(config: &Config) -> Result<String, Failure> {
    let files = pins_files(config)?;
    let named = |path: &PathBuf| Ok(format!("{:?}\n{}\n", path.file_name(), read_text(path)?));
    files.iter().map(named).collect()
}

fn pins_files(config: &Config) -> Result<Vec<PathBuf>, Failure> {
    let mut files = files_of_pins_folder(config)?;
    files.retain(|path| is_pins_file(path));
    Ok(files)
}

fn files_of_pins_folder(config: &Config) -> Result<Vec<PathBuf>, Failure> {
    let folder = Path::new(&config.template.pins);
    let is_usual = folder.ends_with(&Config::default().template.pins);
    if folder.as_os_str().is_empty() || (is_usual && !folder.exists()) {
        return Ok(Vec::new());
    }
    let wrong = |error: io::Error| {
        Failure::Usage(format!("template.pins: cannot read the folder {}: {error}", folder.display()))
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        files.push(entry.map_err(wrong)?.path());
    }
    // The files are sorted, so that the same error is reported every time.
    files.sort();
    Ok(files)
}

fn is_pins_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

fn host_of(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Prints the names of files in the folder of the pins that are not pins files.
pub(crate) fn report_ignored_pins(config: &Config) -> Result<(), Failure> {
    let is_hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    for path in files_of_pins_folder(config)?.iter().filter(|path| !is_pins_file(path) && !is_hidden(path)) {
        let path = path.display();
        print_message(format_args!("gleaner: {path} is ignored: a pin file must be named HOST.toml"));
    }
    Ok(())
}

/// If the host has no pins file, prints the names of the pins files of other hosts of the same site.
pub(crate) fn report_other_pins(config: &Config, host: &str) -> Result<(), Failure> {
    let files = pins_files(config)?;
    if files.iter().any(|file| host_of(file) == host) {
        return Ok(());
    }
    for file in files.iter().filter(|file| site_of(&host_of(file)) == site_of(host)) {
        let (file, named) = (file.display(), host_of(file));
        print_message(format_args!(
            "gleaner: {file} applies to the host {named} and not to {host}; for {host}, name it {host}.toml"
        ));
    }
    Ok(())
}

/// Names the pins files with pins whose host is not in the corpus. Returns these hosts.
pub(crate) fn report_unknown_pins(config: &Config, store: &Store) -> Result<Vec<String>, Failure> {
    let mut unknown = Vec::new();
    for file in pins_files(config)? {
        let host = host_of(&file);
        let is_known = store.host(&host).map_err(Failure::work)?.is_some();
        if !is_known && !read_pins_file(&file)?.is_empty() {
            let (file, meant) = (file.display(), did_you_mean(store, &host, |_| true)?);
            print_message(format_args!(
                "gleaner: {file} has no effect: the corpus has no host {host}{meant}"
            ));
            unknown.push(host);
        }
    }
    Ok(unknown)
}

fn read_pins_file(path: &Path) -> Result<Pins, Failure> {
    let (file, text) = (path.display().to_string(), read_text(path)?);
    pins_from(&file, &read_pins(&ConfigFile { file: &file, text: &text }).map_err(Failure::usage)?)
}

fn pins_from(file: &str, read: &PinsFile) -> Result<Pins, Failure> {
    let listed = |list: &'_ [SettingText]| -> Vec<(usize, String)> {
        list.iter().map(|one| (one.line, one.text.clone())).collect()
    };
    let pins = Pins::new(file, &listed(&read.keep), &listed(&read.drop)).map_err(Failure::usage)?;
    Ok(match &read.inserts {
        Some(named) => pins.with_inserts(named.clone(), &format!("inserts in {file}")),
        None => pins,
    })
}

/// Measured values of a document that are unknown at admission, because they depend on other documents.
const UNKNOWN_AT_ADMISSION: [&str; 2] = ["similarity", "near_duplicates"];

pub(crate) fn admission(config: &Config) -> Result<Admission, Failure> {
    let condition = |text: &String| {
        let condition: Condition =
            text.parse().map_err(|error| Failure::Usage(format!("corpus.keep_if: {error}")))?;
        if UNKNOWN_AT_ADMISSION.contains(&condition.figure()) {
            let said = "is known only for stored documents; use it with `gleaner export --where`";
            return Err(Failure::Usage(format!("corpus.keep_if: {} {said}", condition.figure())));
        }
        Ok(condition)
    };
    Ok(Admission {
        languages: config.corpus.languages.clone(),
        conditions: config.corpus.keep_if.iter().map(condition).collect::<Result<_, _>>()?,
        tones: config.corpus.tones,
        published_after: config.crawl.published_after.day(),
        allowed: config.corpus.allowed.clone(),
        sites: config.site.iter().map(|(name, site)| (name.to_owned(), site_admission(site))).collect(),
    })
}

fn site_admission(site: &SiteSettings) -> SiteAdmission {
    SiteAdmission {
        languages: site.languages.clone(),
        published_after: site.published_after.map(gleaner_crawl::settings::StartDay::day),
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| {
        let path = path.display();
        Failure::Usage(match error.kind() {
            io::ErrorKind::InvalidData => {
                format!("cannot read {path}: it is not UTF-8 text; save it as UTF-8")
            }
            _ => format!("cannot read {path}: {error}"),
        })
    })
}
