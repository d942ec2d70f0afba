//! Chooses which files to merge.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::FileRecord;

/// A Parquet file is written again if more than one in `OUTDATED` of its documents is outdated.
const OUTDATED: u64 = 20;

/// An object that contains one or more files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) name: String,
    /// The files with their numbers.
    pub(super) files: Vec<(u32, FileRecord)>,
}

/// Objects that are merged into one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Batch {
    /// When the first file was stored.
    pub(super) at: Timestamp,
    pub(super) inputs: Vec<Input>,
}

impl Input {
    fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, file)| file.bytes).sum()
    }

    pub(super) fn is_open(&self) -> bool {
        self.name.ends_with(".parquet")
    }

    /// Whether a Parquet file has many outdated documents. `live` is the number of current documents per file.
    fn is_outdated(&self, live: &BTreeMap<u32, u64>) -> bool {
        let has: u64 = self.files.iter().map(|(_, file)| file.records).sum();
        let live: u64 = self.files.iter().filter_map(|(number, _)| live.get(number)).sum();
        self.is_open() && has.saturating_sub(live) * OUTDATED > has
    }
}

impl Batch {
    pub(super) fn bytes(&self) -> u64 {
        self.inputs.iter().map(Input::bytes).sum()
    }
}

/// Plans the merging of document files that were stored on the same day. `live` is the number of current
/// documents per file. If it is `None`, Parquet files are not checked for outdated documents.
/// `rewrites` means that all files are written again.
pub(super) fn documents(
    files: Vec<(u32, FileRecord)>,
    live: Option<&BTreeMap<u32, u64>>,
    rewrites: bool,
    full: u64,
) -> Vec<Batch> {
    let mut days: BTreeMap<Date, Vec<Input>> = BTreeMap::new();
    let is_outdated = |input: &Input| rewrites || live.is_some_and(|live| input.is_outdated(live));
    for input in inputs(files) {
        let is_small = input.bytes() < full / 2;
        if let Some((_, file)) = input.files.first()
            && (!input.is_open() || is_small || is_outdated(&input))
        {
            days.entry(day(file.at)).or_default().push(input);
        }
    }
    let batches = days.into_values().flat_map(|inputs| batches(inputs, full));
    let is_useful = |batch: &Batch| match batch.inputs.as_slice() {
        [alone] => !alone.is_open() || is_outdated(alone),
        _ => true,
    };
    batches.filter(is_useful).collect()
}

/// Plans the merging of files of the archive.
pub(super) fn archive(files: Vec<(u32, FileRecord)>, full: u64) -> Vec<Batch> {
    let small = inputs(files).into_iter().filter(|input| input.bytes() < full).collect();
    batches(small, full).into_iter().filter(|batch| batch.inputs.len() > 1).collect()
}

/// Returns the day of a time, in UTC.
pub(super) fn day(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// Returns the objects of these files, in the order of their first files.
fn inputs(files: Vec<(u32, FileRecord)>) -> Vec<Input> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut inputs: Vec<Input> = Vec::new();
    for (number, file) in files {
        let at = *places.entry(file.name.clone()).or_insert(inputs.len());
        if at == inputs.len() {
            inputs.push(Input { name: file.name.clone(), files: Vec::new() });
        }
        inputs[at].files.push((number, file));
    }
    inputs
}

/// Divides a list of objects into batches. All batches except the last have at least the size `full`.
fn batches(inputs: Vec<Input>, full: u64) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for input in inputs {
        let Some((_, first)) = input.files.first() else { continue };
        match batches.last_mut().filter(|batch| batch.bytes() < full) {
            Some(batch) => batch.inputs.push(input),
            None => batches.push(Batch { at: first.at, inputs: vec![input] }),
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn file(number: u32, name: &str, bytes: u64, records: u64, hours: i64) -> (u32, FileRecord) {
        let at = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours);
        (number, FileRecord { name: name.into(), bytes, records, at, offset: 0 })
    }

    fn names(batches: &[Batch]) -> Vec<Vec<&str>> {
        let mut names = Vec::new();
        for Batch { inputs, .. } in batches {
            names.push(inputs.iter().map(|input| input.name.as_str()).collect());
        }
        names
    }

    #[test]
    fn small_files_of_a_day_are_merged() {
        let files = vec![
            file(1, "a.docs", 60, 1, 1),
            file(2, "b.docs", 60, 1, 2),
            file(3, "c.docs", 60, 1, 3),
            file(4, "d.docs", 10, 1, 25),
            file(5, "large.parquet", 100, 1, 26),
            file(6, "small.parquet", 10, 1, 27),
            file(7, "alone.parquet", 10, 1, 49),
        ];
        let merged = documents(files, None, false, 100);
        assert_eq!(
            names(&merged),
            [vec!["a.docs", "b.docs"], vec!["c.docs"], vec!["d.docs", "small.parquet"]]
        );
    }

    #[test]
    fn a_file_with_many_outdated_documents_is_written_again() {
        let files = || vec![file(1, "a.parquet", 100, 60, 1), file(2, "a.parquet", 0, 0, 1)];
        let live = |one, two| BTreeMap::from([(1, one), (2, two)]);
        assert_eq!(names(&documents(files(), Some(&live(37, 20)), false, 100)), [[""; 0]; 0]);
        assert_eq!(names(&documents(files(), Some(&live(36, 20)), false, 100)), [["a.parquet"]]);
        assert_eq!(names(&documents(files(), None, false, 100)), [[""; 0]; 0]);
    }

    #[test]
    fn files_of_the_archive_become_large() {
        let files = vec![
            file(1, "joined", 300, 1, 1),
            file(2, "joined", 300, 1, 2),
            file(3, "a", 40, 1, 3),
            file(4, "b", 500, 1, 30),
            file(5, "c", 10, 1, 31),
        ];
        assert_eq!(names(&archive(files, 512)), [["a", "b"]], "one small file stays as it is");
    }
}
