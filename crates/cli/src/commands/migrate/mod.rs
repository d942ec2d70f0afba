//! Runs `gleaner migrate`: moves a corpus from a folder to a database, or back.
//!
//! This module copies the archive. The store then copies its own records.

mod archive;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use gleaner_config::Config;
use gleaner_store::{Migration, Moved, Store, StoreError, Totals, Writer, join_alone, shown_address};

use crate::args::{Common, Migrate};
use crate::aside::say;
use crate::failure::Failure;
use crate::{Done, distributed, settings};
use archive::Copied;

pub(crate) fn run(common: &Common, args: &Migrate) -> Done {
    let (config, is_out) = settings_of(common, args)?;
    let place = Path::new(&config.store.path).join("migration");
    let done = match is_out {
        true => out(&config, &place),
        false => back(&config, &place),
    };
    // Only a lock file is left in this folder.
    let _ = fs::remove_dir_all(&place);
    let (moved, copied, totals) = done?;
    print(&config, is_out, &moved, &copied, &totals)
}

type Ended = Result<(Moved, Copied, (Totals, Totals)), Failure>;

/// Returns the settings with the database as the store, and whether the database is the target.
fn settings_of(common: &Common, args: &Migrate) -> Result<(Config, bool), Failure> {
    if common.store.is_some() {
        return Err(Failure::Usage("`gleaner migrate` needs --from and --to instead of --store".into()));
    }
    let (database, is_out) = match (args.from.as_str(), args.to.as_str()) {
        ("sled", database) => (database, true),
        (database, "sled") => (database, false),
        (from, to) => {
            return Err(Failure::Usage(format!(
                "one of --from {} and --to {} must be sled: a corpus moves from a folder into a database, or back",
                shown_address(from),
                shown_address(to)
            )));
        }
    };
    if !["postgres://", "postgresql://"].iter().any(|scheme| database.starts_with(scheme)) {
        return Err(Failure::Usage(format!(
            "one store must be sled and the other postgres://user@host/database, not {}",
            match database {
                "sled" => "sled to sled".to_owned(),
                other => shown_address(other),
            }
        )));
    }
    let mut config = settings::load_for_both(common)?;
    config.store.engine = database.to_owned();
    Ok((config, is_out))
}

fn out(config: &Config, place: &Path) -> Ended {
    let source = settings::open_store(config, false)?.store();
    let mut target = database(config, place, true)?;
    let mut migration = begin(config, &source, &mut target)?;
    let (places, copied) = archive::put(config, &source, &mut migration)?;
    let moved = migration.copy(&|at| places.of(at), &mut told).map_err(Failure::work)?;
    end(migration, moved, copied)
}

fn back(config: &Config, place: &Path) -> Ended {
    let source = database(config, place, false)?.store();
    let mut target = settings::open_store(config, true)?;
    if !target.store().is_migrating().map_err(Failure::work)? {
        archive::refuse_files(config)?;
    }
    let mut migration = begin(config, &source, &mut target)?;
    let copied = archive::fetch(config, &source, &mut migration)?;
    let moved = migration.copy(&|at| at, &mut told).map_err(Failure::work)?;
    end(migration, moved, copied)
}

fn database(config: &Config, place: &Path, create: bool) -> Result<Writer, Failure> {
    join_alone(place, &distributed::membership(config)?, create).map_err(Failure::work)
}

fn begin<'a>(config: &Config, from: &Store, to: &'a mut Writer) -> Result<Migration<'a>, Failure> {
    let folder = format!("data folder {}", config.store.path);
    let database = distributed::place(config);
    let (source, target) = if from.is_shared() { (database, folder) } else { (folder, database) };
    let migration = Migration::begin(from, to)
        .map_err(|error| Failure::Work(format!("cannot move {source} to {target}: {error}")))?;
    if migration.is_again() {
        say("gleaner: removed the partial result of an interrupted migration; starting over");
    }
    Ok(migration)
}

fn told(moved: &Moved) {
    say(format_args!(
        "gleaner: {} records written: {} hosts, {} URLs, {} documents, {} raw pages",
        moved.records, moved.hosts, moved.urls, moved.documents, moved.pages
    ));
}

fn end(migration: Migration<'_>, moved: Moved, copied: Copied) -> Ended {
    let totals = migration.totals().map_err(|error: StoreError| Failure::work(error))?;
    migration.finish().map_err(Failure::work)?;
    Ok((moved, copied, totals))
}

fn print(
    config: &Config,
    is_out: bool,
    moved: &Moved,
    copied: &Copied,
    (from, to): &(Totals, Totals),
) -> Done {
    let (folder, database) = (config.store.path.clone(), distributed::place(config));
    let (source, target) = if is_out { (folder, database) } else { (database, folder) };
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
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::writing("standard output"))?;
    match sums(from) == sums(to) {
        true => Ok(()),
        false => Err(Failure::Work(
            "the migration is complete, but the figures of source and target differ: those of the target were \
             counted from its records; run `gleaner verify` on both"
                .into(),
        )),
    }
}
