//! Reads and measures each page with gold text of a set once.
//!
//! Each thread has one page in memory. Only the measurements are kept, in the order of the manifest.
//!
//! Limitation: a page whose gold text has no words is skipped without a message.

use rayon::prelude::*;

use crate::dataset::{Dataset, DatasetError, PageEntry, RecordedPage};
use crate::measure::words::words;
use crate::parallel::in_order;

/// Returns the result of `measure` for each page whose gold text has at least one word. `measure` also gets
/// the gold text. Calls `done` after each page with gold text, from any thread. If pages are unreadable,
/// returns all their errors in the order of the manifest.
pub(super) fn measured<'a, T: Send>(
    set: &'a Dataset,
    done: &(dyn Fn() + Sync),
    measure: impl Fn(&'a PageEntry, &RecordedPage, &str) -> T + Sync,
) -> Result<Vec<T>, DatasetError> {
    let one = |entry: &'a PageEntry| -> Result<Option<T>, DatasetError> {
        let recorded = entry.read()?;
        let gold = recorded.gold.as_deref().unwrap_or_default();
        let measured = words(gold).next().is_some().then(|| measure(entry, &recorded, gold));
        done();
        Ok(measured)
    };
    let with_gold = set.entries.par_iter().filter(|entry| entry.gold.is_some());
    Ok(in_order(with_gold.map(one))?.into_iter().flatten().collect())
}

/// Whether all pages of a set are from `site`, such as `bbc.co.uk`. Ignores `www.` and the suffixes of sites in
/// the manifest. A suffix begins with `_` and is a year, for example.
pub(super) fn is_of(set: &Dataset, site: &str) -> bool {
    let host = |named: &str| named.split('_').next() == Some(site);
    set.entries.iter().all(|entry| host(entry.site.trim_start_matches("www.")))
}

/// Returns one remark for each set with several sites, because means count such a set as one site.
pub(super) fn of_many_sites<'a>(sets: impl Iterator<Item = &'a Dataset>) -> Vec<String> {
    let many = sets.filter(|set| set.sites() > 1);
    many.map(|set| {
        format!("{} has pages of {} sites and counts as one in the means of sets.", set.name, set.sites())
    })
    .collect()
}

#[cfg(test)]
pub(super) mod made {
    use std::fs;

    use tempfile::TempDir;

    use crate::dataset::Dataset;

    /// Creates a set from pages (HTML, gold text, language). Also returns its temporary folder.
    pub(in crate::papers) fn set(pages: &[(&str, Option<&str>, &str)]) -> (TempDir, Dataset) {
        let folder = TempDir::new().unwrap();
        let mut manifest = String::new();
        for (at, (html, gold, lang)) in pages.iter().enumerate() {
            manifest += &format!("{{\"id\": \"{at}\", \"lang\": \"{lang}\"}}\n");
            fs::write(folder.path().join(format!("{at}.html")), html).unwrap();
            if let Some(gold) = gold {
                fs::write(folder.path().join(format!("{at}.txt")), gold).unwrap();
            }
        }
        fs::write(folder.path().join("manifest.jsonl"), manifest).unwrap();
        let mut set = Dataset::read(folder.path()).unwrap();
        set.name = "made".to_owned();
        (folder, set)
    }

    pub(in crate::papers) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn pages_with_words_of_gold_are_measured_in_order() {
        let pages = [
            ("<p>a", Some("a b"), ""),
            ("<p>b", None, ""),
            ("<p>c", Some(" . "), ""),
            ("d", Some("d"), "vi"),
        ];
        let (folder, set) = made::set(&pages);
        let calls = AtomicUsize::new(0);
        let done = || {
            calls.fetch_add(1, Ordering::Relaxed);
        };
        let measure = |entry: &PageEntry, _: &RecordedPage, gold: &str| format!("{} {gold}", entry.lang);
        assert_eq!(measured(&set, &done, measure).unwrap(), [" a b", "vi d"]);
        assert_eq!(calls.into_inner(), 3);
        drop(folder);
        let error = measured(&set, &|| (), |_, _, _| ()).unwrap_err().to_string();
        assert!(error.contains("0.html"), "{error}");
    }
}
