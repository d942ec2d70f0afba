//! `gleaner export`: documents out of the corpus.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use gleaner_corpus::{Filter, JsonLines};
use gleaner_store::Store;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::args::{Common, Export, ExportFormat};
use crate::aside::say;
use crate::failure::Failure;
use crate::{Done, settings};

pub(crate) fn run(common: &Common, args: Export) -> Done {
    let config = settings::load(common)?;
    let filter = Filter {
        hosts: args.host.iter().map(|host| host.to_ascii_lowercase()).collect(),
        languages: args.language.iter().map(|tag| tag.to_ascii_lowercase()).collect(),
        since: args.since.map(|text| time("--since", &text)).transpose()?,
        until: args.until.map(|text| time("--until", &text)).transpose()?,
        confidence: (100.0 * args.confidence).round() as u8,
    };
    let store = settings::store(&config, false)?.store();
    let ExportFormat::Jsonl = args.format;
    match args.out {
        Some(path) if path.as_os_str() != "-" => to_file(&store, &filter, &path),
        _ => {
            let written = write(&store, &filter, BufWriter::new(io::stdout().lock()), "standard output")?;
            if written == 0 {
                say("gleaner: no document matches");
            }
            Ok(())
        }
    }
}

/// Writes beside the file and renames, so that the file is whole or not there. What
/// is no ordinary file (a device, a pipe) is written to as it is.
fn to_file(store: &Store, filter: &Filter, path: &Path) -> Done {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let path = real.as_path();
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let file = File::options().write(true).open(path).map_err(Failure::writing(path.display()))?;
        return write(store, filter, BufWriter::new(file), &path.display().to_string()).map(drop);
    }
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let file = File::create(&part).map_err(Failure::writing(path.display()))?;
    let written = write(store, filter, BufWriter::new(&file), &path.display().to_string())?;
    file.sync_all().and_then(|()| fs::rename(&part, path)).map_err(Failure::writing(path.display()))?;
    say(format_args!("{written} documents written to {}", path.display()));
    Ok(())
}

fn write(store: &Store, filter: &Filter, out: impl Write, target: &str) -> Result<u64, Failure> {
    let mut lines = JsonLines::new(out);
    let mut unsure = 0;
    for document in store.documents() {
        let document = document.map_err(Failure::work)?;
        if !filter.lets_through(&document) {
            continue;
        }
        if filter.holds_back(&document) {
            unsure += 1;
            continue;
        }
        let urls = store.urls_of(&document).map_err(Failure::work)?;
        lines.write(&document, &urls).map_err(Failure::writing(target))?;
    }
    if unsure > 0 {
        let least = f32::from(filter.confidence) / 100.0;
        say(format_args!(
            "gleaner: held back {unsure} documents of a confidence under {least}; --confidence 0 writes all"
        ));
    }
    lines.finish().map_err(Failure::writing(target))
}

/// A day in UTC, or an instant.
fn time(option: &str, text: &str) -> Result<Timestamp, Failure> {
    let day = || text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp());
    text.parse::<Timestamp>().ok().or_else(day).ok_or_else(|| {
        Failure::Usage(format!(
            "{option} {text}: write a day such as 2026-11-20, or a time such as 2026-11-20T02:30:00Z"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times_are_read() {
        let read = |text| time("--since", text).map(|time| time.to_string()).ok();
        assert_eq!(read("2026-11-20").as_deref(), Some("2026-11-20T00:00:00Z"));
        assert_eq!(read("2026-11-20T09:30:00+07:00").as_deref(), Some("2026-11-20T02:30:00Z"));
        assert_eq!(read("yesterday"), None);
    }
}
