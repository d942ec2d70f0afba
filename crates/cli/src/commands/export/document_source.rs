//! Reads the documents of the corpus, and all other data that an export needs.

use std::cell::RefCell;
use std::io;

use gleaner_corpus::{Document, DocumentId, Tones, with_tones};
use gleaner_crawl::archive_folder;
use gleaner_crawl::settings::Config;
use gleaner_export::{Filter, Format, RecordContext, RepeatedParagraphs, Tagger};
use gleaner_store::{ContextReader, Store, StoreError};

use crate::CommandResult;
use crate::args::Export;
use crate::failure::Failure;
use crate::opening;
use crate::progress::documents_bar;
use crate::unreadable::UnreadableTexts;

/// Documents with their contexts, in the order of their ids.
pub(super) type Documents<'a> = Box<dyn Iterator<Item = Result<(Document, RecordContext), Failure>> + 'a>;

pub(super) struct DocumentSource {
    pub(super) store: Store,
    reader: ContextReader,
    repeats: Option<RepeatedParagraphs>,
    tones: Tones,
    revisions: bool,
    tagger: Option<String>,
    /// The pages that the archive has and cannot give. `None` if the format has no pages.
    pages: Option<RefCell<UnreadablePages>>,
    /// The texts that could not be read. The export leaves them out.
    pub(super) unreadable: UnreadableTexts,
}

impl DocumentSource {
    pub(super) fn new(config: &Config, args: &Export, format: Format) -> Result<Self, Failure> {
        let store = opening::read_store(config)?;
        let unreadable = UnreadableTexts::new(&store);
        let repeats = match args.without_repeated {
            true => Some(count_repeats(&store, &unreadable).map_err(Failure::work)?),
            false => None,
        };
        let reader = ContextReader::new(store.clone(), &archive_folder(config)).map_err(Failure::work)?;
        let (tones, revisions, tagger) = (args.tones, args.revisions, args.tagger.clone());
        let pages = format.kind.has_pages.then(RefCell::default);
        Ok(Self { store, reader, repeats, tones, revisions, tagger, pages, unreadable })
    }

    /// Fails if the archive has pages that could not be read.
    pub(super) fn report_pages(&self) -> CommandResult {
        let Some(unreadable) = self.pages.as_ref().map(RefCell::borrow) else { return Ok(()) };
        match &unreadable.first {
            None => Ok(()),
            Some(first) => Err(Failure::Work(format!(
                "pages that cannot be read from the archive: {}, such as {first}; the other pages were exported; `gleaner verify` \
                 lists all faults",
                unreadable.count
            ))),
        }
    }

    /// Returns the documents after `last` that can be read, in the order of their ids.
    pub(super) fn documents_after(
        &self,
        last: Option<DocumentId>,
    ) -> impl Iterator<Item = Result<(Document, RecordContext), Failure>> {
        let documents = self.unreadable.documents(self.store.documents_after(last));
        documents.map(|document| self.complete(document?)).map(|document| document.map_err(Failure::work))
    }

    /// Returns the documents after `last` as [`Self::documents_after`], with all that the format needs of those that
    /// pass the filter: the tokens of the external tagger, or the page.
    pub(super) fn selected_after(
        &self,
        last: Option<DocumentId>,
        filter: &Filter,
    ) -> Result<Documents<'_>, Failure> {
        let documents = self.documents_after(last);
        if let Some(unreadable) = &self.pages {
            let filter = filter.clone();
            return Ok(Box::new(
                documents
                    .map(move |document| self.with_page(document?, &filter, &mut unreadable.borrow_mut())),
            ));
        }
        let Some(command) = &self.tagger else { return Ok(Box::new(documents)) };
        let tagger = Tagger::start(command).map_err(Failure::work)?;
        Ok(Box::new(TaggedDocuments { tagger: Some(tagger), documents, filter: filter.clone() }))
    }

    fn with_page(
        &self,
        (document, mut context): (Document, RecordContext),
        filter: &Filter,
        unreadable: &mut UnreadablePages,
    ) -> Result<(Document, RecordContext), Failure> {
        if filter.passes(&document, &context) {
            match self.reader.page(&document).map_err(Failure::work)?.transpose() {
                Ok(page) => context.page = page,
                Err(reason) => unreadable.add(&document.url, &reason),
            }
        }
        Ok((document, context))
    }

    fn complete(&self, mut document: Document) -> Result<(Document, RecordContext), StoreError> {
        // The context describes the whole text, so it is read before paragraphs are removed.
        let mut context = self.reader.read(&document)?;
        if let Some(repeats) = &self.repeats {
            context.removed = repeats.remove_from(&mut document);
        }
        Ok((with_tones(document, self.tones), context))
    }

    /// Returns a document's earlier revisions, oldest first, without archive positions.
    pub(super) fn earlier_revisions(
        &self,
        id: DocumentId,
    ) -> Result<Vec<(Document, RecordContext)>, StoreError> {
        if !self.revisions {
            return Ok(Vec::new());
        }
        let gone = self.store.history(id)?.gone;
        let numbered = (0..).zip(self.store.readable_revisions(id)?);
        let complete = |(earlier, revision)| {
            let document = self.unreadable.skip(revision).transpose()?;
            Some(document.map(|document: Document| {
                let urls = vec![document.url.clone()];
                (document, RecordContext { urls, earlier, gone, ..RecordContext::default() })
            }))
        };
        numbered.filter_map(complete).collect()
    }
}

/// The pages that the archive has and cannot give.
#[derive(Default)]
struct UnreadablePages {
    count: u64,
    /// The URL of the first such page, and why.
    first: Option<String>,
}

impl UnreadablePages {
    fn add(&mut self, url: &str, reason: &io::Error) {
        self.count += 1;
        self.first.get_or_insert_with(|| format!("{url}: {reason}"));
    }
}

/// Documents with the tokens of an external tagger.
struct TaggedDocuments<I> {
    /// `None` after an error and after the last document.
    tagger: Option<Tagger>,
    documents: I,
    filter: Filter,
}

impl<I: Iterator<Item = Result<(Document, RecordContext), Failure>>> TaggedDocuments<I> {
    fn advance(&mut self) -> Result<Option<(Document, RecordContext)>, Failure> {
        let Some(tagger) = &mut self.tagger else { return Ok(None) };
        loop {
            if let Some(ready) = tagger.ready().map_err(Failure::work)? {
                return Ok(Some(ready));
            }
            let Some(next) = self.documents.next() else { return tagger.last().map_err(Failure::work) };
            let (document, context) = next?;
            let is_tagged = self.filter.passes(&document, &context);
            tagger.push(document, context, is_tagged).map_err(Failure::work)?;
        }
    }
}

impl<I: Iterator<Item = Result<(Document, RecordContext), Failure>>> Iterator for TaggedDocuments<I> {
    type Item = Result<(Document, RecordContext), Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.advance().transpose();
        if !matches!(next, Some(Ok(_))) {
            self.tagger = None;
        }
        next
    }
}

impl<I> Drop for TaggedDocuments<I> {
    /// Ends the tagger if the export ends before the last document, as with `--limit`.
    fn drop(&mut self) {
        if let Some(tagger) = self.tagger.take() {
            tagger.stop();
        }
    }
}

fn count_repeats(store: &Store, unreadable: &UnreadableTexts) -> Result<RepeatedParagraphs, StoreError> {
    let mut repeats = RepeatedParagraphs::default();
    let bar = documents_bar(store)?;
    for document in unreadable.documents(store.documents()) {
        let document = document?;
        if !store.is_member(document.id)? {
            repeats.count(&document);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(repeats)
}
