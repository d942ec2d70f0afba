//! From what was typed to settings and an open store.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gleaner_config::{Config, Origin, Written, read, read_pins};
use gleaner_frontier::{Seed, parse_seeds};
use gleaner_store::{Options, Writer, open};
use gleaner_template::{HostPins, Pins};

use crate::args::Common;
use crate::failure::Failure;

/// Reads the settings; `--data` wins over the file.
pub(crate) fn load(common: &Common) -> Result<Config, Failure> {
    let text = match &common.config {
        Some(path) => Some((path.display().to_string(), read_text(path)?)),
        None => None,
    };
    let origin = text.as_ref().map(|(file, text)| Origin { file, text });
    let mut config = read(origin, &common.set).map_err(Failure::usage)?;
    if let Some(data) = &common.data {
        config.store.path = data.to_string_lossy().into_owned();
    }
    Ok(config)
}

/// Reads seed files, those named on the command line or else those of the settings.
pub(crate) fn seeds(named: &[PathBuf], config: &Config) -> Result<Vec<Seed>, Failure> {
    let files: Vec<PathBuf> = if named.is_empty() {
        config.crawl.seeds.iter().map(PathBuf::from).collect()
    } else {
        named.to_vec()
    };
    if files.is_empty() {
        return Err(Failure::Usage("no seeds: name a file with --seeds FILE or in crawl.seeds".into()));
    }
    let mut seeds: Vec<Seed> = Vec::new();
    for file in &files {
        let text = read_text(file).map_err(|failure| match failure {
            Failure::Usage(message) if named.is_empty() => {
                Failure::Usage(format!("{message}; name your own seeds with --seeds FILE"))
            }
            other => other,
        })?;
        let read = parse_seeds(&text, &file.display().to_string()).map_err(Failure::usage)?;
        seeds.extend(read);
    }
    Ok(seeds)
}

/// Reads the pins of a host; without a file of its name there are none.
pub(crate) fn pins_of(config: &Config, host: &str) -> Result<Pins, Failure> {
    // A template's host is whatever its file says; it must not lead elsewhere.
    let is_name = !host.is_empty() && !host.contains(['/', '\\']);
    if config.template.pins.is_empty() || !is_name {
        return Ok(Pins::default());
    }
    let path = Path::new(&config.template.pins).join(format!("{host}.toml"));
    if path.exists() { read_pins_file(&path) } else { Ok(Pins::default()) }
}

/// Reads the pins of all hosts that have any.
pub(crate) fn pins(config: &Config) -> Result<HostPins, Failure> {
    let folder = Path::new(&config.template.pins);
    if !folder.is_dir() {
        return Ok(HostPins::default());
    }
    let wrong = |error: io::Error| Failure::Usage(format!("cannot read {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        files.push(entry.map_err(wrong)?.path());
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    // Of several faults the same one is told each time.
    files.sort();
    let named = |path: &PathBuf| {
        let host = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok((host, read_pins_file(path)?))
    };
    files.iter().map(named).collect()
}

fn read_pins_file(path: &Path) -> Result<Pins, Failure> {
    let (file, text) = (path.display().to_string(), read_text(path)?);
    let read = read_pins(&Origin { file: &file, text: &text }).map_err(Failure::usage)?;
    let listed = |list: &'_ [Written]| -> Vec<(usize, String)> {
        list.iter().map(|one| (one.line, one.text.clone())).collect()
    };
    Pins::new(&file, &listed(&read.keep), &listed(&read.drop)).map_err(Failure::usage)
}

/// Opens the store in the folder of the settings.
pub(crate) fn store(config: &Config, create: bool) -> Result<Writer, Failure> {
    let options = Options { cache: config.store.cache.get(), create };
    open(Path::new(&config.store.path), &options).map_err(Failure::work)
}

/// Reads a text file that the user named.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))
}
