//! Converts the options of an export to a format and a filter. Refuses options that contradict each other.

use std::path::Path;

use gleaner_corpus::Tones;
use gleaner_export::format::Layout;
use gleaner_export::{Compression, CsvVariant, FORMATS, Filter, Format, FormatKind};

use crate::args::{Compress, Export};
use crate::commands::selection;
use crate::failure::Failure;
use crate::output;

/// Returns the export format from the options or the file extension. Fails if they contradict each other, or
/// if the format cannot be written to the target.
pub(super) fn format(args: &Export) -> Result<Format, Failure> {
    let (by_name, compressed) = args.out.as_deref().map(by_ending).unwrap_or_default();
    if args.format.is_some_and(|kind| kind.needs_folder) && args.into.is_none() {
        return Err(Failure::Usage("this format has several files: set --into DIR to a new folder".into()));
    }
    let contradicts = args.format.zip(by_name).is_some_and(|(format, named)| format.name != named.name)
        || args.compress.zip(compressed).is_some_and(|(compress, named)| compress != named);
    if contradicts {
        let name = args.out.as_deref().unwrap_or(Path::new("")).display();
        return Err(Failure::Usage(format!(
            "--format or --compress contradicts the ending of {name}: omit the option, or choose another name"
        )));
    }
    if let (None, None, Some(ending)) = (args.format, by_name, args.out.as_deref().and_then(unknown_ending)) {
        let of_file = FORMATS.iter().filter(|kind| !kind.needs_folder);
        let endings = one_of(of_file.map(|kind| kind.ending()));
        return Err(Failure::Usage(format!(
            "no format of one file has the ending .{ending}: choose {endings}, or set --format (text needs --into DIR)"
        )));
    }
    let kind = args.format.or(by_name).unwrap_or(&FORMATS[0]);
    if kind.is_gzip && args.out.is_some() && compressed != Some(Compress::Gzip) {
        let ending = kind.ending();
        return Err(Failure::Usage(format!(
            "{} files are compressed: choose a name that ends in {ending}",
            kind.name
        )));
    }
    if kind.is_gzip && args.compress.is_some_and(|compress| compress != Compress::Gzip) {
        return Err(Failure::Usage(format!(
            "--format {} always compresses with gzip: omit --compress",
            kind.name
        )));
    }
    let compress = args.compress.or(compressed).filter(|_| !kind.is_gzip).unwrap_or(Compress::None);
    if compress != Compress::None && !kind.can_be_compressed() {
        let what = if args.compress.is_some() { "--compress" } else { "the ending .gz or .zst" };
        return Err(Failure::Usage(format!(
            "{what} is not possible: this format has a compression of its own, or plain text files"
        )));
    }
    if compress != Compress::None && matches!(kind.layout, Layout::FilePerDocument) && args.into.is_some() {
        return Err(Failure::Usage(format!(
            "--compress is not possible: --into writes {} as one file per document",
            kind.name
        )));
    }
    if args.fields.is_some() && !kind.has_fields {
        return Err(requires("--fields", |kind| kind.has_fields));
    }
    for (option, is_set) in [("--guard-formulas", args.guard_formulas), ("--excel", args.excel)] {
        if is_set && !kind.is_csv {
            return Err(requires(option, |kind| kind.is_csv));
        }
    }
    if args.tagger.is_some() && !kind.has_tokens {
        return Err(requires("--tagger", |kind| kind.has_tokens));
    }
    let of_texts = [
        ("--revisions", args.revisions),
        ("--without-repeated", args.without_repeated),
        ("--tones", args.tones != Tones::AsWritten),
    ];
    if let Some((option, _)) = of_texts.into_iter().find(|(_, is_set)| *is_set && kind.has_pages) {
        return Err(Failure::Usage(format!(
            "{option} changes texts, and --format {} writes pages: omit one of the two",
            kind.name
        )));
    }
    let is_binary = compress != Compress::None || kind.is_binary();
    if is_binary && args.into.is_none() && args.out.is_none() && output::is_terminal() {
        return Err(Failure::Usage("this format cannot be written to a terminal: set --out FILE".into()));
    }
    let compression = match compress {
        Compress::None => Compression::None,
        Compress::Gzip => Compression::Gzip,
        Compress::Zstd => Compression::Zstd,
    };
    let csv = match (args.excel, args.guard_formulas) {
        (true, _) => CsvVariant::Excel,
        (false, true) => CsvVariant::Guarded,
        (false, false) => CsvVariant::Plain,
    };
    Ok(Format { kind, compression, csv })
}

fn requires(option: &str, fits: fn(&FormatKind) -> bool) -> Failure {
    let names = one_of(FORMATS.iter().filter(|kind| fits(kind)).map(|kind| kind.name.to_owned()));
    Failure::Usage(format!("{option} requires --format {names}"))
}

fn one_of(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Returns the format and the compression that the extensions of a file name state, as in `x.parquet`,
/// `x.jsonl.gz` or `x.vert.zst`.
fn by_ending(path: &Path) -> (Option<&'static FormatKind>, Option<Compress>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let (name, compress) = match name.rsplit_once('.') {
        Some((name, "gz")) => (name, Some(Compress::Gzip)),
        Some((name, "zst")) => (name, Some(Compress::Zstd)),
        _ => (name.as_str(), None),
    };
    (name.rsplit_once('.').and_then(|(_, ending)| FormatKind::with_extension(ending)), compress)
}

/// Returns the extension of a file name, before that of a compression, if it names no format. Returns `None` for
/// a name without extension, or if it begins with a digit, because a number or a date is part of the name.
fn unknown_ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    let (stem, ending) = name.rsplit_once('.')?;
    let is_word = ending.starts_with(char::is_alphabetic);
    (is_word && !stem.is_empty()).then(|| ending.to_owned())
}

pub(super) fn filter(args: &Export) -> Result<Filter, Failure> {
    let filter = selection::filter(&args.selection, args.confidence)?;
    Ok(Filter { members: args.members, limit: args.limit, ..filter })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_of_names() {
        let of = |name: &str| {
            let (kind, compress) = by_ending(Path::new(name));
            (kind.map(|kind| kind.name), compress)
        };
        assert_eq!(of("a/x.parquet"), (Some("parquet"), None));
        assert_eq!(of("x.JSONL.gz"), (Some("jsonl"), Some(Compress::Gzip)));
        assert_eq!(of("x.vert.zst"), (Some("vertical"), Some(Compress::Zstd)));
        assert_eq!(of("x.gz"), (None, Some(Compress::Gzip)));
        assert_eq!(of("x.csv.gz"), (Some("csv"), Some(Compress::Gzip)));
        assert_eq!(of("x.xml"), (Some("tei"), None));
        for name in ["x", "x.txt", "parquet", "-", ""] {
            assert_eq!(of(name), (None, None), "{name}");
        }
        let unknown = |name: &str| unknown_ending(Path::new(name));
        for (name, ending) in [("x.TXT", "txt"), ("x.warc.gz", "warc"), ("x.mp3", "mp3"), ("x.7z.zip", "zip")]
        {
            assert_eq!(unknown(name).as_deref(), Some(ending), "{name}");
        }
        for name in ["x", "x.gz", "x.2026-11-20", "x.1", ".jsonl", "-", ""] {
            assert_eq!(unknown(name), None, "{name}");
        }
    }
}
