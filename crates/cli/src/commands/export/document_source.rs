//! Reads the documents of the corpus, and all other data that an export needs.

use gleaner_corpus::{Document, DocumentId, Tones, with_tones};
use gleaner_crawl::archive_folder;
use gleaner_crawl::settings::Config;
use gleaner_export::{Filter, RecordContext, RepeatedParagraphs, Tagger};
use gleaner_store::{ContextReader, Store, StoreError};

use crate::args::Export;
use crate::failure::Failure;
use crate::progress::documents_bar;
use crate::settings;
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
    /// The texts that could not be read. The export leaves them out.
    pub(super) unreadable: UnreadableTexts,
}

impl DocumentSource {
    pub(super) fn new(config: &Config, args: &Export) -> Result<Self, Failure> {
        let store = settings::read_store(config)?;
        let unreadable = UnreadableTexts::new(&store);
        let repeats = match args.without_repeated {
            true => Some(count_repeats(&store, &unreadable).map_err(Failure::work)?),
            false => None,
        };
        let reader = ContextReader::new(store.clone(), &archive_folder(config)).map_err(Failure::work)?;
        let (tones, revisions, tagger) = (args.tones, args.revisions, args.tagger.clone());
        Ok(Self { store, reader, repeats, tones, revisions, tagger, unreadable })
    }

    /// Returns the documents after `last` that can be read, in the order of their ids.
    pub(super) fn documents_after(
        &self,
        last: Option<DocumentId>,
    ) -> impl Iterator<Item = Result<(Document, RecordContext), Failure>> {
        let documents = self.unreadable.documents(self.store.documents_after(last));
        documents.map(|document| self.complete(document?)).map(|document| document.map_err(Failure::work))
    }

    /// Returns the documents after `last` as [`Self::documents_after`]. Those that pass the filter have the tokens of
    /// the external tagger, if there is one.
    pub(super) fn tagged_after(
        &self,
        last: Option<DocumentId>,
        filter: &Filter,
    ) -> Result<Documents<'_>, Failure> {
        let documents = self.documents_after(last);
        let Some(command) = &self.tagger else { return Ok(Box::new(documents)) };
        let tagger = Tagger::start(command).map_err(Failure::work)?;
        Ok(Box::new(TaggedDocuments { tagger: Some(tagger), documents, filter: filter.clone() }))
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
