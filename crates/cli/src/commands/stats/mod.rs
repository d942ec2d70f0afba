//! Runs `gleaner stats`: prints statistics of the corpus.
//!
//! The store counts documents and words by language. For distinct words, statements on use and the
//! growth by day, the command must read all documents, in bounded memory. `--quick` omits these.

mod corpus_stats;
mod growth;
mod tables;

use std::fs;

use gleaner_store::{Store, StoreError};
use indicatif::ProgressBar;

use crate::args::{Common, Stats};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::progress::documents_bar;
use crate::unreadable::UnreadableTexts;
use crate::{CommandResult, output, settings};
use corpus_stats::{CorpusStats, DocumentPass};

pub(crate) fn run(common: &Common, args: &Stats) -> CommandResult {
    let config = settings::load(common)?;
    let store = settings::read_store(&config)?;
    let unreadable = UnreadableTexts::new(&store);
    let pass = match args.quick {
        true => None,
        false => {
            let bar = documents_bar(&store).map_err(Failure::work)?;
            let pass = read_documents(&store, &unreadable, &bar).map_err(Failure::work)?;
            bar.finish_and_clear();
            Some(pass)
        }
    };
    let stats = CorpusStats::new(&store, &config, pass.as_ref()).map_err(Failure::work)?;
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

fn read_documents(
    store: &Store,
    unreadable: &UnreadableTexts,
    bar: &ProgressBar,
) -> Result<DocumentPass, StoreError> {
    let mut pass = DocumentPass::default();
    for document in unreadable.documents(store.documents()) {
        pass.add(&document?);
        bar.inc(1);
    }
    Ok(pass)
}
