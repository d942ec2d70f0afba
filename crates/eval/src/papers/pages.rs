//! Reads and measures each page with gold of a set once.
//!
//! Each thread has one page in memory; of the others only the measurements are kept. Results are in the order
//! of the manifest.
//!
//! Limitation: a page whose gold has no word is skipped without a message, since it has no shares.

use rayon::prelude::*;

use crate::measure::words::words;
use crate::parallel::in_order;
use crate::set::{Entry, Recorded, Set, SetError};

/// The result of `measure`, given the gold, for each page with a word of gold. `done` is called after each
/// page with gold, from any thread. The errors are those of all unreadable pages, in the order of the
/// manifest.
pub(super) fn measured<'a, T: Send>(
    set: &'a Set,
    done: &(dyn Fn() + Sync),
    measure: impl Fn(&'a Entry, &Recorded, &str) -> T + Sync,
) -> Result<Vec<T>, SetError> {
    let one = |entry: &'a Entry| -> Result<Option<T>, SetError> {
        let recorded = entry.read()?;
        let gold = recorded.gold.as_deref().unwrap_or_default();
        let measured = words(gold).next().is_some().then(|| measure(entry, &recorded, gold));
        done();
        Ok(measured)
    };
    let with_gold = set.entries.par_iter().filter(|entry| entry.gold.is_some());
    Ok(in_order(with_gold.map(one))?.into_iter().flatten().collect())
}

/// Whether all pages of a set are of a site, such as `bbc.co.uk`. Ignores `www.`, and additions of manifests
/// after a `_`, which no host has, such as the year.
pub(super) fn is_of(set: &Set, site: &str) -> bool {
    let host = |named: &str| named.split('_').next() == Some(site);
    set.entries.iter().all(|entry| host(entry.site.trim_start_matches("www.")))
}

/// One sentence for each set of several sites, which counts as one in a mean of sites or sets.
pub(super) fn of_many_sites<'a>(sets: impl Iterator<Item = &'a Set>) -> Vec<String> {
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

    use crate::set::Set;

    /// A set of pages: HTML, gold, language; the folder exists as long as the first value.
    pub(in crate::papers) fn set(pages: &[(&str, Option<&str>, &str)]) -> (TempDir, Set) {
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
        let mut set = Set::read(folder.path()).unwrap();
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
        let measure = |entry: &Entry, _: &Recorded, gold: &str| format!("{} {gold}", entry.lang);
        assert_eq!(measured(&set, &done, measure).unwrap(), [" a b", "vi d"]);
        assert_eq!(calls.into_inner(), 3);
        drop(folder);
        let error = measured(&set, &|| (), |_, _, _| ()).unwrap_err().to_string();
        assert!(error.contains("0.html"), "{error}");
    }
}
