//! `gleaner serve`: the status page of a corpus that no other process has open, or of one that
//! many share.
//!
//! It crawls when the page's button is pressed, and at no other time; where many share the
//! corpus it only reads.

use std::thread;
use std::time::Duration;

use gleaner_crawl::snapshot;
use gleaner_report::text;
use gleaner_status::Hooks;

use crate::args::{Common, Serve};
use crate::aside::say;
use crate::nightly::house::House;
use crate::nightly::reporting;
use crate::{Done, cluster};

/// How often it is looked whether something was asked for.
const LOOK: Duration = Duration::from_millis(100);

pub(crate) fn run(common: &Common, args: &Serve) -> Done {
    let mut house = House::visit(common, &args.seeds)?;
    // Of a corpus that many share this is a reader.
    let hooks = if cluster::is_shared(&house.config) { Hooks::default() } else { house.hooks() };
    house.serve(Some(args.address), &args.access, hooks)?;
    while !house.stop.asked() {
        if house.is_asked() {
            crawl(&house);
        }
        snapshot::follow(&house.config, &house.store);
        thread::sleep(LOOK);
    }
    house.close();
    Ok(())
}

/// One crawl, and what is said about it.
fn crawl(house: &House) {
    say("gleaner: a crawl begins (asked for on the status page)");
    let crawled = house.crawl();
    if let Err(error) = &crawled {
        say(format_args!("gleaner: the crawl failed: {error}"));
    }
    if let Some(report) = reporting::report(house, &crawled) {
        say(text::short(&report).trim_end());
    }
}
