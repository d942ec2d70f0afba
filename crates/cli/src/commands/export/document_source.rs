//! Reads the documents of the corpus, and all other data that an export needs.

use gleaner_corpus::{Document, DocumentId, Tones, with_tones};
use gleaner_crawl::archive_folder;
use gleaner_crawl::settings::Config;
use gleaner_export::{RecordContext, RepeatedParagraphs};
use gleaner_store::{ContextReader, Store, StoreError};

use crate::args::Export;
use crate::failure::Failure;
use crate::progress::documents_bar;
use crate::settings;
use crate::unreadable::UnreadableTexts;

pub(super) struct DocumentSource {
    pub(super) store: Store,
    reader: ContextReader,
    repeats: Option<RepeatedParagraphs>,
    tones: Tones,
    revisions: bool,
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
        Ok(Self { store, reader, repeats, tones: args.tones, revisions: args.revisions, unreadable })
    }

    /// Returns the documents after `last` that can be read, in the order of their ids.
    pub(super) fn documents_after(
        &self,
        last: Option<DocumentId>,
    ) -> impl Iterator<Item = Result<(Document, RecordContext), Failure>> {
        let documents = self.unreadable.documents(self.store.documents_after(last));
        documents.map(|document| self.complete(document?)).map(|document| document.map_err(Failure::work))
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
