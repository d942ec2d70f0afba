//! Writes shards without duplicates, with a manifest.
//!
//! A shard keeps its format, and its documents keep their fields and order. File names begin with the
//! shard's number, because shards of two corpora may have the same name.
//!
//! Limitation: `cluster`, `near_duplicates` and similar fields are those of the original export; the
//! duplicates found here are listed in `duplicates.jsonl`.

use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::global::bits::Bits;
use crate::global::table::{ROW, Tables};
use crate::global::{GlobalError, Outcome};
use crate::{DataFile, reading};

pub(crate) const MANIFEST: &str = "manifest.json";

/// The content of `manifest.json` in the folder of the written shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) gleaner: String,
    pub(crate) documents: u64,
    pub(crate) outcome: Outcome,
    pub(crate) files: Vec<DataFile>,
}

pub(crate) fn write(
    shard: usize,
    path: &Path,
    tables: &Tables,
    members: &Bits,
    into: &Path,
) -> Result<DataFile, GlobalError> {
    let kept = lines(shard, tables, members)?;
    let name = format!("{shard:05}-{}", path.file_name().unwrap_or_default().to_string_lossy());
    let part = into.join(format!(".{}-{name}", std::process::id()));
    let mut file = reading::keep(path, &part, |line| kept.get(line))?;
    let whole = into.join(&name);
    fs::rename(&part, &whole).map_err(GlobalError::writing(&whole))?;
    file.path = name;
    Ok(file)
}

fn lines(shard: usize, tables: &Tables, members: &Bits) -> Result<Bits, GlobalError> {
    let Some((_, folder)) = tables.shards().nth(shard) else { return Ok(Bits::default()) };
    let path = folder.join("rows");
    let file = File::open(&path).map_err(GlobalError::reading(&path))?;
    let mut file = BufReader::with_capacity(1 << 16, file);
    let (mut kept, mut row) = (Bits::default(), [0; ROW]);
    for number in tables.of_shard(shard) {
        file.read_exact(&mut row).map_err(GlobalError::reading(&path))?;
        if !members.get(number.into()) {
            kept.set(crate::global::table::line_of(&row));
        }
    }
    Ok(kept)
}

/// Removes the leftovers of killed runs from the folder of written shards.
pub(crate) fn clear(into: &Path) {
    let Ok(entries) = fs::read_dir(into) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let process = name.strip_prefix('.').and_then(|rest| rest.split_once('-'));
        if process.is_some_and(|(number, _)| number.parse::<u32>().is_ok()) {
            // A leftover only takes disk space.
            let _ = fs::remove_file(&path);
        }
    }
}

pub(crate) fn manifest(path: &Path, outcome: Outcome, files: Vec<DataFile>) -> Result<(), GlobalError> {
    let documents = files.iter().map(|file| file.documents).sum();
    let written = Written { gleaner: env!("CARGO_PKG_VERSION").into(), documents, outcome, files };
    write_json(path, &written)
}

/// The number of JSON files that this process has begun, so that two threads never write the same file.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), GlobalError> {
    let mut text = serde_json::to_vec_pretty(value).expect("keys are text, and memory takes all");
    text.push(b'\n');
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let new = path.with_file_name(format!(".{}-{number}-{name}", std::process::id()));
    let written = File::create(&new)
        .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&new, path));
    written.map_err(GlobalError::writing(path))
}
