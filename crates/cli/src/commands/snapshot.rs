//! Runs `gleaner snapshot`: makes a consistent copy of the corpus.

use std::path::{Path, absolute};
use std::thread;
use std::time::Duration;

use gleaner_crawl::settings::Config;
use gleaner_crawl::snapshot;

use crate::args::{Common, Snapshot};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::{CommandResult, distributed, opening, settings, unreadable};

pub(crate) const POLL: Duration = Duration::from_millis(100);

pub(crate) fn run(common: &Common, args: &Snapshot) -> CommandResult {
    let config = settings::load(common)?;
    distributed::require_local(&config, "snapshot")?;
    let target =
        absolute(&args.dir).map_err(|error| Failure::Usage(format!("{}: {error}", args.dir.display())))?;
    if target.exists() {
        return Err(Failure::Usage(format!("{} already exists; choose a new folder", target.display())));
    }
    opening::refuse_inside_corpus(&config, &args.dir)?;
    if target.to_str().is_none() {
        return Err(Failure::Usage(format!("{}: the name is not valid UTF-8", target.display())));
    }
    let unreadable = match opening::try_open_store(&config)? {
        Some(writer) => match opening::incomplete_reason(&config, &writer.store())? {
            Some(what) => return Err(Failure::Work(what)),
            None => snapshot::take(&config, &writer, &target).map_err(Failure::work)?,
        },
        None => from_crawl(&config, &target)?,
    };
    print_message(format_args!("{} is now a copy of {}", target.display(), config.store.path));
    match unreadable {
        0 => Ok(()),
        count => Err(Failure::Work(format!(
            "texts and signatures that cannot be read, also in the copy: {count}; {}",
            unreadable::advice(false)
        ))),
    }
}

/// Requests a copy from the process that has the data folder open. If that process ends without answering,
/// this process makes the copy. Returns the number of unreadable texts and signatures.
pub(crate) fn from_crawl(config: &Config, target: &Path) -> Result<u64, Failure> {
    let target = &absolute(target).map_err(Failure::work)?;
    let data = Path::new(&config.store.path);
    snapshot::request(data, target).map_err(Failure::work)?;
    print_message("gleaner: requested a copy from the process that has the corpus open");
    loop {
        thread::sleep(POLL);
        if let Some(answer) = snapshot::answer(data) {
            return answer.map_err(Failure::Work);
        }
        if let Some(writer) = opening::try_open_store(config)? {
            snapshot::withdraw(data);
            // The process may have finished the copy before it ended.
            return match snapshot::answer(data) {
                Some(answer) => answer.map_err(Failure::Work),
                None => snapshot::take(config, &writer, target).map_err(Failure::work),
            };
        }
    }
}
