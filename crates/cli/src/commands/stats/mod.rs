//! Runs `gleaner stats`: prints statistics of the corpus.
//!
//! The store counts documents and words by language. For distinct words, statements on use, the growth by day and
//! a selection of documents, the command must read all documents, in bounded memory. `--quick` omits these.

mod corpus_stats;
mod growth;
mod tables;

use std::fs;

use gleaner_crawl::archive_folder;
use gleaner_export::Filter;
use gleaner_store::{ContextReader, Store, StoreError};
use indicatif::ProgressBar;

use crate::args::{Common, Selection, Stats};
use crate::commands::selection;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::progress::documents_bar;
use crate::unreadable::UnreadableTexts;
use crate::{CommandResult, opening, output, settings};
use corpus_stats::{CorpusStats, DocumentPass};

pub(crate) fn run(common: &Common, args: &Stats) -> CommandResult {
    let config = settings::load(common)?;
    let filter = match args.selection == Selection::default() {
        true => None,
        false => Some(selection::filter(&args.selection, 0.0)?),
    };
    if filter.is_some() && args.quick {
        return Err(Failure::Usage(
            "--quick reads no documents, so it cannot select some of them: omit --quick".into(),
        ));
    }
    selection::require_known_agents(&args.selection.not_barred, &config.corpus.agents)?;
    let store = opening::read_store(&config)?;
    if let Some(filter) = &filter {
        selection::refuse_unknown(&store, filter)?;
    }
    let unreadable = UnreadableTexts::new(&store);
    let pass = match args.quick {
        true => None,
        false => {
            let reader =
                ContextReader::new(store.clone(), &archive_folder(&config)).map_err(Failure::work)?;
            let bar = documents_bar(&store).map_err(Failure::work)?;
            let pass =
                read_documents(&store, filter.as_ref(), &reader, &unreadable, &bar).map_err(Failure::work)?;
            bar.finish_and_clear();
            Some(pass)
        }
    };
    let stats = match (pass, filter) {
        (Some(pass), Some(_)) => CorpusStats::of_selection(&store, &config, &pass),
        (pass, _) => CorpusStats::new(&store, &config, pass.as_ref()),
    };
    let stats = stats.map_err(Failure::work)?;
    if let (Some(path), Some(days)) = (&args.svg, &stats.days) {
        fs::write(path, growth::svg(days)).map_err(Failure::writing(path.display()))?;
        print_message(format_args!("chart of the growth by day written to {}", path.display()));
    }
    let text = if args.json {
        serde_json::to_string_pretty(&stats).expect("figures have text keys") + "\n"
    } else {
        tables::describe(&stats)
    };
    output::print(&text)?;
    unreadable.report("the others were counted")
}

/// Reads the documents that pass the filter.
fn read_documents(
    store: &Store,
    filter: Option<&Filter>,
    reader: &ContextReader,
    unreadable: &UnreadableTexts,
    bar: &ProgressBar,
) -> Result<DocumentPass, StoreError> {
    let mut pass = DocumentPass::default();
    for document in unreadable.documents(store.documents()) {
        let document = document?;
        let is_selected = match filter {
            None => true,
            Some(filter) => filter.passes(&document, &reader.read(&document)?),
        };
        if is_selected {
            pass.add(&document);
        }
        bar.inc(1);
    }
    Ok(pass)
}
