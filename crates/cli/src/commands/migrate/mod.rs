//! Runs `gleaner migrate`: moves a corpus from a folder to a database, or back.
//!
//! This module copies the archive. The store then copies its own records.

mod archive;

use std::fs;
use std::path::Path;

use gleaner_crawl::settings::Config;
use gleaner_crawl::{StopRequest, open_archive};
use gleaner_store::{
    Extent, Migration, MovedRecords, Store, StoreError, Totals, Writer, join_alone, redacted_address,
};

use crate::args::{Common, Migrate};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::{CommandResult, distributed, opening, output, settings};
use archive::CopyTotals;

pub(crate) fn run(common: &Common, args: &Migrate) -> CommandResult {
    let (config, is_to_database) = settings_of(common, args)?;
    let folder = Path::new(&config.store.path).join("migration");
    let done = match is_to_database {
        true => to_database(&config, &folder),
        false => to_folder(&config, &folder),
    };
    // This folder now contains only a lock file.
    let _ = fs::remove_dir_all(&folder);
    let (moved, copied, totals) = done?;
    print(&config, is_to_database, &moved, &copied, &totals)
}

type MigrationResult = Result<(MovedRecords, CopyTotals, (Totals, Totals)), Failure>;

/// Returns the settings for access to the database, and whether the database is the target.
fn settings_of(common: &Common, args: &Migrate) -> Result<(Config, bool), Failure> {
    if common.store.is_some() {
        return Err(Failure::Usage("`gleaner migrate` needs --from and --to instead of --store".into()));
    }
    let (database, is_to_database) = match (args.from.as_str(), args.to.as_str()) {
        ("sled", database) => (database, true),
        (database, "sled") => (database, false),
        (from, to) => {
            return Err(Failure::Usage(format!(
                "one of --from {} and --to {} must be sled: a corpus moves from a folder into a database, or back",
                redacted_address(from),
                redacted_address(to)
            )));
        }
    };
    if !["postgres://", "postgresql://"].iter().any(|scheme| database.starts_with(scheme)) {
        return Err(Failure::Usage(format!(
            "one store must be sled and the other postgres://user@host/database, not {}",
            match database {
                "sled" => "sled to sled".to_owned(),
                other => redacted_address(other),
            }
        )));
    }
    let mut config = settings::load_for_both(common)?;
    config.store.engine = database.to_owned();
    Ok((config, is_to_database))
}

fn to_database(config: &Config, folder: &Path) -> MigrationResult {
    let source = opening::open_store(config, false)?.store();
    let mut target = database(config, folder, true)?;
    let mut migration = begin(config, &source, &mut target)?;
    let (positions, copied) = archive::copy_to_objects(config, &source, &mut migration)?;
    let moved = migration.copy(&|at| positions.translate(at), &mut report_progress).map_err(Failure::work)?;
    let done = end(migration, moved, copied)?;
    distributed::compact(&target.store(), Extent::OwnDocuments);
    Ok(done)
}

fn to_folder(config: &Config, folder: &Path) -> MigrationResult {
    let source = database(config, folder, false)?.store();
    let mut target = opening::open_store(config, true)?;
    if !target.store().is_migrating().map_err(Failure::work)? {
        archive::refuse_existing_files(config)?;
    }
    let mut migration = begin(config, &source, &mut target)?;
    let copied = archive::copy_to_files(config, &source, &mut migration)?;
    let moved = migration.copy(&|at| at, &mut report_progress).map_err(Failure::work)?;
    let done = end(migration, moved, copied)?;
    open_archive(config, None, &mut target).map_err(Failure::work)?;
    Ok(done)
}

fn database(config: &Config, folder: &Path, create: bool) -> Result<Writer, Failure> {
    join_alone(folder, &distributed::membership(config, &StopRequest::default())?, create)
        .map_err(Failure::work)
}

fn begin<'a>(config: &Config, from: &Store, to: &'a mut Writer) -> Result<Migration<'a>, Failure> {
    let folder = format!("data folder {}", config.store.path);
    let database = distributed::store_address(config);
    let (source, target) = if from.is_shared() { (database, folder) } else { (folder, database) };
    let migration = Migration::begin(from, to)
        .map_err(|error| Failure::Work(format!("cannot move {source} to {target}: {error}")))?;
    if migration.is_resumed() {
        print_message("gleaner: removed the partial result of an interrupted migration; starting over");
    }
    Ok(migration)
}

fn report_progress(moved: &MovedRecords) {
    print_message(format_args!(
        "gleaner: {} records written: {} hosts, {} URLs, {} documents, {} raw pages",
        moved.records, moved.hosts, moved.urls, moved.documents, moved.pages
    ));
}

fn end(migration: Migration<'_>, moved: MovedRecords, copied: CopyTotals) -> MigrationResult {
    let totals = migration.totals().map_err(|error: StoreError| Failure::work(error))?;
    migration.finish().map_err(Failure::work)?;
    Ok((moved, copied, totals))
}

fn print(
    config: &Config,
    is_to_database: bool,
    moved: &MovedRecords,
    copied: &CopyTotals,
    (from, to): &(Totals, Totals),
) -> CommandResult {
    let (folder, database) = (config.store.path.clone(), distributed::store_address(config));
    let (source, target) = if is_to_database { (folder, database) } else { (database, folder) };
    let sums = |of: &Totals| {
        format!(
            "{} documents, {} words, {} duplicates, {} near-duplicates in {} clusters",
            of.documents(),
            of.words(),
            of.duplicates,
            of.near_duplicates,
            of.clusters
        )
    };
    let text = format!(
        "Moved from {source} to {target}: URLs: {}; documents: {}; archive files: {} ({} bytes).\n\n{source}: {}\n{target}: {}\n",
        moved.urls,
        moved.documents,
        copied.files,
        copied.bytes,
        sums(from),
        sums(to)
    );
    output::print(&text)?;
    match sums(from) == sums(to) {
        true => Ok(()),
        false => Err(Failure::Work(
            "the migration is complete, but the figures of source and target differ: those of the target were \
             counted from its records; run `gleaner verify` on both"
                .into(),
        )),
    }
}
