//! Runs `gleaner compact`: merges small files in object storage.

use gleaner_store::{Compacted, Extent};

use crate::args::Common;
use crate::failure::Failure;
use crate::{CommandResult, distributed, output, settings};

pub(crate) fn run(common: &Common) -> CommandResult {
    let config = settings::load(common)?;
    if !distributed::is_shared(&config) {
        return Err(Failure::Usage(
            "only a corpus in PostgreSQL has files in object storage: set --store postgres://...".into(),
        ));
    }
    let store = distributed::open_for_reading(&config)?.map_err(Failure::work)?;
    let Compacted { documents, archive, replaced } = store.compact(Extent::All).map_err(Failure::work)?;
    let text = format!(
        "New files: {documents} of documents and {archive} of the archive, which replace {replaced} files\n"
    );
    output::print(&text)
}
