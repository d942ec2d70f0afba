//! From what was typed to settings and an open store.

use std::fs;
use std::path::{Path, PathBuf};

use gleaner_config::{Config, Origin, read};
use gleaner_frontier::{Seed, parse_seeds};
use gleaner_store::{Options, Writer, open};

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
