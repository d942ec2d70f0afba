//! Runs `gleaner search`: prints a concordance, frequencies, a word list or the documents of a search.
//!
//! The command updates the search index, which it shares with the status page. If the folder of the corpus cannot
//! be written, it builds an index in memory.

mod rows;
mod text;

use gleaner_corpus::{Document, DocumentId, is_of_host};
use gleaner_crawl::render::language::Bilingual;
use gleaner_crawl::render::text::{count, number};
use gleaner_store::{HostRecord, Store, StoreError};

use crate::args::{Common, Search, SearchFormat};
use crate::commands::known_hosts::{did_you_mean, host_named};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::progress::documents_bar;
use crate::status::{Frequency, LineOptions, Phrase, SearchError, SearchIndex, SearchQuery, UpdateStep};
use crate::unreadable::UnreadableTexts;
use crate::{CommandResult, opening, output, settings};
use rows::Rows;

/// Characters before and after a hit if the output is not a terminal.
const DEFAULT_WIDTH: usize = 50;

const MAX_WIDTH: u64 = 1_000;

pub(crate) fn run(common: &Common, args: &Search) -> CommandResult {
    let hosts = args.host.iter().map(|host| host_named("--host", host)).collect::<Result<Vec<_>, _>>()?;
    let query = query(args, &hosts).map_err(|error| Failure::Usage(error.english))?;
    check(args, &query)?;
    let config = settings::load(common)?;
    let store = opening::read_store(&config)?;
    for host in &query.hosts {
        refuse_unknown(&store, host)?;
    }
    let index = match args.no_update {
        true => existing_index(&store)?,
        false => updated_index(&store)?,
    };
    let unreadable = UnreadableTexts::new(&store);
    let search = Searching { args, query: &query, store: &store, index: &index, unreadable: &unreadable };
    match args.by {
        Some(_) => search.frequencies()?,
        None if args.word_list => search.word_list()?,
        None if args.documents => search.documents()?,
        None => search.concordance()?,
    }
    unreadable.report("the others were searched")
}

/// Refuses a host that the corpus does not know.
fn refuse_unknown(store: &Store, host: &str) -> CommandResult {
    let is_known = |record: Result<HostRecord, StoreError>| record.is_ok_and(|it| is_of_host(&it.name, host));
    if store.hosts().any(is_known) {
        return Ok(());
    }
    let meant = did_you_mean(store, host, |_| true)?;
    Err(Failure::Work(format!("nothing found: the corpus has no host {host}{meant}")))
}

/// Refuses options that contradict the query or each other.
fn check(args: &Search, query: &SearchQuery) -> CommandResult {
    let is_concordance = args.by.is_none() && !args.word_list && !args.documents;
    if is_concordance && query.phrases.is_empty() {
        return Err(Failure::Usage(
            "name a word to search for, as in `gleaner search mưa`; without one, use --by, --word-list or --documents"
                .into(),
        ));
    }
    if args.guard_formulas && args.format != SearchFormat::Csv {
        return Err(Failure::Usage("--guard-formulas requires --format csv".into()));
    }
    if args.width.is_some_and(|width| width > MAX_WIDTH) {
        return Err(Failure::Usage(format!(
            "--width is at most {MAX_WIDTH}; `gleaner export` writes whole texts"
        )));
    }
    Ok(())
}

/// Returns the query of the command line. Options and the fields of the query have the same meaning.
fn query(args: &Search, hosts: &[String]) -> Result<SearchQuery, Bilingual> {
    let mut query: SearchQuery = args.query.join(" ").parse()?;
    for host in hosts {
        query.add("host", host, false)?;
    }
    for language in &args.language {
        query.add("language", language, false)?;
    }
    for (field, day) in [("from", &args.from), ("to", &args.to)] {
        query.add(field, day.as_deref().unwrap_or_default(), false)?;
    }
    Ok(query)
}

fn existing_index(store: &Store) -> Result<SearchIndex, Failure> {
    let index = SearchIndex::in_folder(store.folder());
    if !index.exists() {
        return Err(Failure::Work("there is no search index yet: omit --no-update".into()));
    }
    Ok(index)
}

fn updated_index(store: &Store) -> Result<SearchIndex, Failure> {
    let bar = documents_bar(store).map_err(Failure::work)?;
    let on_step = |step| match step {
        UpdateStep::Waiting => {
            print_message("gleaner: waiting for another process that updates the search index");
        }
        UpdateStep::Document => bar.inc(1),
    };
    let mut index = SearchIndex::in_folder(store.folder());
    let mut updated = index.update_with(store, &on_step);
    if let Err(error @ (SearchError::Unwritable(_) | SearchError::Index(_))) = &updated {
        print_message(format_args!("gleaner: {error}; an index is built in memory for this search"));
        bar.reset();
        index = SearchIndex::in_memory();
        updated = index.update_with(store, &on_step);
    }
    bar.finish_and_clear();
    updated.map_err(failure)?;
    Ok(index)
}

fn failure(error: SearchError) -> Failure {
    match error {
        SearchError::Query(message) => Failure::Usage(message.english),
        error => Failure::work(error),
    }
}

struct Searching<'a> {
    args: &'a Search,
    query: &'a SearchQuery,
    store: &'a Store,
    index: &'a SearchIndex,
    unreadable: &'a UnreadableTexts,
}

impl Searching<'_> {
    fn limit(&self) -> usize {
        if self.args.limit == 0 { usize::MAX } else { usize::try_from(self.args.limit).unwrap_or(usize::MAX) }
    }

    /// Whether the query has several words, but no phrase and no alternatives.
    fn is_of_single_words(&self) -> bool {
        let is_word =
            |alternatives: &Vec<Phrase>| matches!(&alternatives[..], [phrase] if phrase.0.len() == 1);
        self.query.phrases.len() > 1 && self.query.phrases.iter().all(is_word)
    }

    fn read(&self, id: DocumentId) -> Result<Option<Document>, StoreError> {
        Ok(self.unreadable.skip(self.store.document(id))?.flatten())
    }

    fn concordance(&self) -> CommandResult {
        let width = self.args.width.map(|width| usize::try_from(width).unwrap_or(usize::MAX));
        let is_text = self.args.format == SearchFormat::Text;
        let fitting = width.is_none() && is_text;
        let options = LineOptions {
            order: self.args.sort,
            width: width
                .unwrap_or_else(|| text::fitting_width().filter(|_| fitting).unwrap_or(DEFAULT_WIDTH)),
            skip: 0,
            limit: self.limit(),
            max_sorted: usize::MAX,
        };
        let found = self.index.concordance(self.query, &options, &mut |id| self.read(id)).map_err(failure)?;
        self.refuse_nothing(found.documents)?;
        if is_text && self.is_of_single_words() {
            print_message(
                "gleaner: the words are searched for one by one; for a phrase, write '\"two words\"'",
            );
        }
        let summary =
            format!("{} in {}", count(found.hits, "hit"), count(found.documents as u64, "document"));
        self.print(&summary, found.hits, &Rows::lines(&found.lines), || text::lines(&found.lines))
    }

    fn frequencies(&self) -> CommandResult {
        let Some(grouping) = self.args.by else { return Ok(()) };
        let counts = self.index.frequencies(self.query, &[grouping]).map_err(failure)?.remove(0);
        let total = Frequency::total(&counts);
        self.refuse_nothing(usize::try_from(total.found).unwrap_or(usize::MAX))?;
        let has_words = !self.query.phrases.is_empty();
        let mut summary = format!("{} in {}", count(total.hits, "hit"), count(total.found, "document"));
        if !has_words {
            summary = format!("{} with {}", count(total.found, "document"), count(total.words, "word"));
        }
        // A series of months is complete. The other groups begin with the most frequent ones.
        let limit = if grouping.is_time() { usize::MAX } else { self.limit() };
        let shown = &counts[..counts.len().min(limit)];
        self.print(&summary, counts.len() as u64, &Rows::frequencies(shown), || {
            text::frequencies(shown, &total, grouping, has_words)
        })
    }

    fn word_list(&self) -> CommandResult {
        let list = self
            .index
            .word_list(self.query, usize::MAX, self.limit(), &mut |id| self.read(id))
            .map_err(failure)?;
        self.refuse_nothing(list.documents)?;
        let summary = format!(
            "{} in {}, {} of them different",
            count(list.all, "word"),
            count(list.counted, "document"),
            number(list.different as u64)
        );
        self.print(&summary, list.different as u64, &Rows::words(&list), || text::words(&list))
    }

    fn documents(&self) -> CommandResult {
        let all = self.store.totals().map_err(Failure::work)?.documents().max(1);
        let limit = self.limit().min(usize::try_from(all).unwrap_or(usize::MAX));
        let found = self.index.find(self.query, 0, limit).map_err(failure)?;
        self.refuse_nothing(found.count)?;
        let mut documents = Vec::new();
        for one in &found.documents {
            documents
                .extend(self.read(one.id).map_err(Failure::work)?.map(|document| (document, one.hits())));
        }
        let summary = count(found.count as u64, "document");
        self.print(&summary, found.count as u64, &Rows::documents(&documents), || text::documents(&documents))
    }

    /// Prints rows in the wanted format. People and programs learn how many there are in all: people in the first
    /// line, programs' users on standard error.
    fn print(&self, summary: &str, all: u64, rows: &Rows, as_text: impl Fn() -> String) -> CommandResult {
        let shown = rows.len() as u64;
        let part = match shown < all {
            true => format!("{summary}; {} of {} shown, --limit 0 for all", number(shown), number(all)),
            false => summary.to_owned(),
        };
        match self.args.format {
            SearchFormat::Text => output::print(&format!("{part}\n{}\n", as_text().trim_end())),
            SearchFormat::Jsonl | SearchFormat::Csv => {
                if shown < all {
                    print_message(format_args!("gleaner: {part}"));
                }
                match self.args.format {
                    SearchFormat::Csv => output::print_data(&rows.csv(self.args.guard_formulas)),
                    _ => output::print_data(&rows.json_lines()),
                }
            }
        }
    }

    /// Fails if nothing was found, and says why as far as it is known.
    fn refuse_nothing(&self, documents: usize) -> CommandResult {
        if documents > 0 {
            return Ok(());
        }
        let totals = self.store.totals().map_err(Failure::work)?;
        if totals.documents() == 0 {
            let said = "the corpus has no documents yet: run `gleaner crawl`, or see `gleaner report`";
            return Err(Failure::Work(said.into()));
        }
        let languages: Vec<String> = totals.languages.into_keys().collect();
        for language in &self.query.languages {
            if !languages.contains(language) {
                return Err(Failure::Work(format!(
                    "nothing found: no document is in the language {language}; languages in this corpus: {}",
                    languages.join(", ")
                )));
            }
        }
        for host in &self.query.hosts {
            let of_host = SearchQuery { hosts: vec![host.clone()], ..SearchQuery::default() };
            if self.index.find(&of_host, 0, 1).map_err(failure)?.count == 0 {
                return Err(Failure::Work(format!("nothing found: no document is of the host {host}")));
            }
        }
        Err(Failure::Work("nothing found".into()))
    }
}
