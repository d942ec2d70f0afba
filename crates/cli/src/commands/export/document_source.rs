//! Reads the documents of the corpus, and all other data that an export needs.

use gleaner_config::Config;
use gleaner_corpus::{Document, DocumentId, Tones, with_tones};
use gleaner_crawl::ContextReader;
use gleaner_export::{RecordContext, RepeatedParagraphs};
use gleaner_store::{Store, StoreError};

use crate::args::Export;
use crate::failure::Failure;
use crate::progress::documents_bar;
use crate::settings;

pub(super) struct DocumentSource {
    pub(super) store: Store,
    reader: ContextReader,
    repeats: Option<RepeatedParagraphs>,
    tones: Tones,
    revisions: bool,
}

impl DocumentSource {
    pub(super) fn new(config: &Config, args: &Export) -> Result<Self, Failure> {
        let store = settings::read_store(config)?;
        let repeats =
            if args.without_repeated { Some(count_repeats(&store).map_err(Failure::work)?) } else { None };
        let reader = ContextReader::new(config, store.clone()).map_err(Failure::work)?;
        Ok(Self { store, reader, repeats, tones: args.tones, revisions: args.revisions })
    }

    pub(super) fn complete(&self, mut document: Document) -> Result<(Document, RecordContext), StoreError> {
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
        let numbered = (0..).zip(self.store.revisions(id)?);
        let complete = |(earlier, document): (u32, Document)| {
            let urls = vec![document.url.clone()];
            (document, RecordContext { urls, earlier, gone, ..RecordContext::default() })
        };
        Ok(numbered.map(complete).collect())
    }
}

fn count_repeats(store: &Store) -> Result<RepeatedParagraphs, StoreError> {
    let mut repeats = RepeatedParagraphs::default();
    let bar = documents_bar(store)?;
    for document in store.documents() {
        let document = document?;
        if !store.is_member(document.id)? {
            repeats.count(&document);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(repeats)
}
