//! Runs `gleaner snapshot`: copies the corpus in a consistent state.

use std::path::{Path, absolute};
use std::thread;
use std::time::Duration;

use gleaner_config::Config;
use gleaner_crawl::snapshot;
use gleaner_store::{Options, StoreError, Writer};

use crate::args::{Common, Snapshot};
use crate::aside::say;
use crate::failure::Failure;
use crate::{Done, distributed, settings};

const POLL: Duration = Duration::from_millis(100);

pub(crate) fn run(common: &Common, args: &Snapshot) -> Done {
    let config = settings::load(common)?;
    distributed::refuse(&config, "snapshot")?;
    let target =
        absolute(&args.dir).map_err(|error| Failure::Usage(format!("{}: {error}", args.dir.display())))?;
    if target.exists() {
        return Err(Failure::Usage(format!("{} already exists; choose a new folder", target.display())));
    }
    if target.to_str().is_none() {
        return Err(Failure::Usage(format!("{}: the name is not valid UTF-8", target.display())));
    }
    match open(&config) {
        Ok(writer) => match settings::unfinished(&config, &writer.store())? {
            Some(what) => return Err(Failure::Work(what)),
            None => snapshot::take(&config, &writer, &target).map_err(Failure::work)?,
        },
        Err(StoreError::Busy { .. }) => from_crawl(&config, &target)?,
        Err(error) => return Err(Failure::work(error)),
    }
    say(format_args!("{} is now a copy of {}", target.display(), config.store.path));
    Ok(())
}

fn open(config: &Config) -> Result<Writer, StoreError> {
    let options = Options { cache: config.store.cache.get(), create: false };
    gleaner_store::open(Path::new(&config.store.path), &options)
}

/// Requests a copy from the process that has the folder open. Waits until that process answers or ends; if it
/// ends without an answer, makes the copy here.
fn from_crawl(config: &Config, target: &Path) -> Done {
    let data = Path::new(&config.store.path);
    snapshot::request(data, target).map_err(Failure::work)?;
    say("gleaner: requested a copy from the running crawl");
    loop {
        thread::sleep(POLL);
        if let Some(answer) = snapshot::answer(data) {
            return answer.map_err(Failure::Work);
        }
        if let Ok(writer) = open(config) {
            snapshot::withdraw(data);
            // The process may have answered just before it ended.
            return match snapshot::answer(data) {
                Some(answer) => answer.map_err(Failure::Work),
                None => snapshot::take(config, &writer, target).map_err(Failure::work),
            };
        }
    }
}
