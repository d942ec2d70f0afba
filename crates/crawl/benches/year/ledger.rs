//! Compares the corpus with the truth.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, Outcome};
use gleaner_store::Store;
use gleaner_testkit::world::{ArticleId, EventKind, World};
use jiff::{SignedDuration, Timestamp};

/// Nights after which an article that is not in the corpus is not looked up any more, until the end.
const LOOKED_UP: u32 = 12;
/// Nights from a redesign during which its texts are judged apart.
const REDESIGN: i64 = 7;

/// Which articles the corpus should have, and which it has.
pub struct Ledger<'w> {
    world: &'w World,
    /// Articles that were listed and reachable but are not in the corpus, with the first such night.
    pending: BTreeMap<ArticleId, u32>,
    known: BTreeSet<ArticleId>,
    /// Number of articles by the nights from the first listing until they were in the corpus.
    pub lags: BTreeMap<u32, u64>,
    /// Documents of earlier nights, which must stay, with the night and the article.
    documents: HashMap<DocumentId, (u32, ArticleId)>,
    pub removed: BTreeSet<DocumentId>,
}

/// The result of the comparison at the end.
#[derive(Debug, Default)]
pub struct Comparison {
    pub due: u64,
    /// The articles that are not in the corpus, by cause.
    pub missed: BTreeMap<String, Vec<String>>,
    pub documents: u64,
    pub no_articles: Vec<String>,
    pub twice: Vec<String>,
    pub lost: Vec<String>,
    /// Mean word F1, without the weeks of redesigns.
    pub f1: f64,
    /// Mean word F1 in the weeks of redesigns.
    pub f1_redesign: f64,
    /// Mean word F1 by site and week, the worst first.
    pub weeks: Vec<(f64, usize, i64, bool)>,
    pub worst: Vec<(f64, String)>,
}

impl<'w> Ledger<'w> {
    pub fn new(world: &'w World) -> Self {
        Self {
            world,
            pending: BTreeMap::new(),
            known: BTreeSet::new(),
            lags: BTreeMap::new(),
            documents: HashMap::new(),
            removed: BTreeSet::new(),
        }
    }

    /// Notes what was listed in a night and what the corpus has after it. Returns the number of articles that are new in
    /// the corpus, by site.
    pub fn after_night(&mut self, night: u32, seeds: &[String], store: &Store) -> BTreeMap<usize, u64> {
        // When the clock is right again, all times move back, as if no time had passed. So the lists are not due yet.
        let is_clock_set = self
            .world
            .events()
            .iter()
            .any(|event| event.kind == EventKind::ClockAhead && event.until == night);
        for site in (0..self.world.sites()).filter(|_| !is_clock_set) {
            let is_seed = seeds.contains(&format!("http://{}/", self.world.host(site, night)));
            if !is_seed || !self.world.is_reachable(site, night) {
                continue;
            }
            for id in self.world.listed(site, night) {
                if !self.known.contains(&id) && self.world.is_article(id) {
                    self.pending.entry(id).or_insert(night);
                }
            }
        }
        let mut new: BTreeMap<usize, u64> = BTreeMap::new();
        let now = self.world.night(night);
        let looked_up: Vec<(ArticleId, u32)> = self
            .pending
            .iter()
            .map(|(id, first)| (*id, *first))
            .filter(|(_, first)| night - first <= LOOKED_UP)
            .collect();
        for (id, first) in looked_up {
            let Some(key) = self.stored(id, now, store) else { continue };
            self.pending.remove(&id);
            self.known.insert(id);
            *self.lags.entry(night - first).or_default() += 1;
            *new.entry(id.site).or_default() += 1;
            if let Some(document) = key {
                self.documents.insert(document, (night, id));
            }
        }
        new
    }

    /// Returns the document of an article, or `Some(None)` if its text is in the corpus under another URL. Returns `None`
    /// if the text is not in the corpus.
    fn stored(&self, id: ArticleId, now: Timestamp, store: &Store) -> Option<Option<DocumentId>> {
        for url in self.world.urls(id, now) {
            let key = CanonicalUrl::parse(&url).unwrap().key();
            let document = DocumentId(*key.as_bytes());
            match store.url(key).unwrap().and_then(|record| record.last) {
                Some(Outcome::Duplicate { .. }) => return Some(None),
                Some(_) if store.document(document).unwrap().is_some() => return Some(Some(document)),
                _ => {}
            }
        }
        None
    }

    /// Returns why an article is not in the corpus: the outcomes of its URLs.
    fn cause(&self, id: ArticleId, now: Timestamp, store: &Store) -> String {
        let mut causes = BTreeSet::new();
        for url in self.world.urls(id, now) {
            let key = CanonicalUrl::parse(&url).unwrap().key();
            if let Some(record) = store.url(key).unwrap() {
                causes.insert(record.last.map_or_else(|| "not visited".into(), |outcome| outcome.reason()));
            }
        }
        if causes.is_empty() { "not found".into() } else { Vec::from_iter(causes).join(", ") }
    }

    /// Compares the whole corpus with the truth. `now` is the time of the last night.
    pub fn compare(&self, now: Timestamp, store: &Store) -> Comparison {
        let mut result =
            Comparison { due: (self.known.len() + self.pending.len()) as u64, ..Comparison::default() };
        for (id, night) in &self.pending {
            if self.stored(*id, now, store).is_none() {
                let what = format!("night {night}: {}", self.world.urls(*id, now)[0]);
                result.missed.entry(self.cause(*id, now, store)).or_default().push(what);
            }
        }
        let mut left: BTreeSet<DocumentId> =
            self.documents.keys().copied().filter(|id| !self.removed.contains(id)).collect();
        let (mut seen, mut sums) = (HashMap::new(), BTreeMap::new());
        for document in store.documents() {
            let document = document.unwrap();
            result.documents += 1;
            left.remove(&document.id);
            if self.removed.contains(&document.id) {
                result.lost.push(format!("{} was removed and is there", document.url));
            }
            let Some(id) = self.world.article_at(&document.url).filter(|id| self.world.is_article(*id))
            else {
                let start: String = document.text.chars().take(100).collect();
                result.no_articles.push(format!("{}: {start:?}", document.url));
                continue;
            };
            // An article whose text and address changed has another text, which joins the cluster of the first one.
            if let Some(other) = seen.insert((id, document.content_hash), document.url.clone()) {
                result.twice.push(format!("{other} and {}", document.url));
            }
            self.judge(id, &document, &mut sums, &mut result.worst);
        }
        for (night, id) in left.iter().map(|document| self.documents[document]) {
            // The text of a page may become that of another page of the article, whose duplicate it is then.
            if self.stored(id, now, store).is_none() {
                let (url, cause) = (&self.world.urls(id, now)[0], self.cause(id, now, store));
                result.lost.push(format!("{url}, stored in night {night}: {cause}"));
            }
        }
        result.worst.sort_by(|a, b| a.0.total_cmp(&b.0));
        result.worst.truncate(10);
        let mean = |is_redesign: bool| {
            let own = sums.iter().filter(|((.., of), _)| *of == is_redesign);
            let (sum, count) = own.fold((0.0, 0_u64), |(sum, count), (_, (f1, of))| (sum + f1, count + of));
            if count == 0 { 1.0 } else { sum / count as f64 }
        };
        (result.f1, result.f1_redesign) = (mean(false), mean(true));
        result.weeks =
            sums.iter().map(|((site, week, of), (f1, n))| (f1 / *n as f64, *site, *week, *of)).collect();
        result.weeks.sort_by(|a, b| a.0.total_cmp(&b.0));
        result
    }

    /// Adds the F1 of a document to the sums of its site and week.
    fn judge(
        &self,
        id: ArticleId,
        document: &Document,
        sums: &mut BTreeMap<(usize, i64, bool), (f64, u64)>,
        worst: &mut Vec<(f64, String)>,
    ) {
        // The clock of the machine may have been three days ahead.
        let times = [document.fetched, document.fetched - SignedDuration::from_hours(72)];
        let f1 = times.map(|at| word_f1(&document.text, &self.world.text(id, at)));
        let f1 = f1[0].max(f1[1]);
        let night = document.fetched.duration_since(self.world.night(0)).as_secs().div_euclid(86_400);
        let is_redesign = self.world.events().iter().any(|event| {
            let from = i64::from(event.from);
            let is_it = matches!(
                event.kind,
                EventKind::Redesign | EventKind::RedesignBySection | EventKind::RedesignAndBack
            );
            let starts = [Some(from), (event.until < u32::MAX).then_some(i64::from(event.until))];
            let is_then = starts.into_iter().flatten().any(|at| (at - 1..at + REDESIGN).contains(&night));
            event.site == Some(id.site) && is_it && is_then
        });
        let (sum, count) = sums.entry((id.site, night.div_euclid(7), is_redesign)).or_default();
        (*sum, *count) = (*sum + f1, *count + 1);
        if f1 < 0.98 {
            worst.push((f1, format!("{} (template {:?})", document.url, document.template_version)));
        }
    }
}

/// Returns the harmonic mean of precision and recall of the words, which count as often as they occur.
fn word_f1(text: &str, truth: &str) -> f64 {
    let mut words: HashMap<&str, i64> = HashMap::new();
    truth.split_whitespace().for_each(|word| *words.entry(word).or_default() += 1);
    let (mut both, mut found) = (0_i64, 0_i64);
    for word in text.split_whitespace() {
        found += 1;
        if let Some(left) = words.get_mut(word).filter(|left| **left > 0) {
            *left -= 1;
            both += 1;
        }
    }
    let all = truth.split_whitespace().count() as i64 + found;
    if all == 0 { 1.0 } else { 2.0 * both as f64 / all as f64 }
}
