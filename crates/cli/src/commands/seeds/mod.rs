//! Runs `gleaner seeds check`: sends a few requests for each seed and shows what a crawl would find.
//!
//! Several sites are checked in parallel, but each site gets only one request at a time. The check of a site
//! takes at most [`SITE_TIME_LIMIT`].

mod check;
mod prober;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use gleaner_crawl::is_without_connection;
use gleaner_crawl::settings::Config;
use gleaner_fetch::Fetcher;
use gleaner_frontier::{RemovedUrls, Seed};
use indicatif::ProgressBar;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::args::{Common, Seeds, SeedsCommand};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::scheduled::daemon;
use crate::table::{NOTHING, table};
use crate::{CommandResult, logging, opening, output, progress, settings};
use check::{ExtractionRules, SeedCheck, SeedVerdict, check};
use prober::Prober;

const SITE_TIME_LIMIT: Duration = Duration::from_secs(3 * 60);

/// Maximum number of characters of a seed in the table. It keeps each line within 80 characters.
const MAX_SEED_WIDTH: usize = 24;

pub(crate) fn run(common: &Common, args: &Seeds) -> CommandResult {
    let SeedsCommand::Check(args) = &args.what;
    let mut config = settings::load(common)?;
    let (_newspaper, seeds) = daemon::seeds(&mut config, &args.seeds, &args.urls)?;
    let rules = ExtractionRules {
        scope: gleaner_crawl::scope(&config, &seeds).map_err(Failure::usage)?,
        admission: settings::admission(&config)?,
        pins: settings::pins(&config)?,
    };
    let removed = match opening::read_store_if_exists(&config)? {
        Some(store) => store.removed().map_err(Failure::work)?,
        None => RemovedUrls::default(),
    };
    let bar = progress::bar();
    logging::begin(&config.log, &bar, common.color.wanted_on_stderr())?;
    daemon::recommend_contact(&config);
    let checked = check_all(config, rules, removed, seeds, &bar)?;
    bar.finish_and_clear();
    let text = if args.json { json(&checked)? } else { format_table(&checked) };
    output::print(&text)?;
    match checked.iter().filter(|checked| checked.verdict == SeedVerdict::Fails).count() {
        0 => Ok(()),
        failed => Err(Failure::Work(format!("seeds that cannot be crawled: {failed} of {}", checked.len()))),
    }
}

struct Shared {
    config: Config,
    fetcher: Fetcher,
    rules: ExtractionRules,
    removed: RemovedUrls,
    places: Semaphore,
}

fn check_all(
    config: Config,
    rules: ExtractionRules,
    removed: RemovedUrls,
    seeds: Vec<Seed>,
    bar: &ProgressBar,
) -> Result<Vec<SeedCheck>, Failure> {
    let runtime = Builder::new_multi_thread().enable_all().build().map_err(Failure::work)?;
    let all = seeds.len();
    let mut sites: BTreeMap<String, Vec<(usize, Seed)>> = BTreeMap::new();
    for (number, seed) in seeds.into_iter().enumerate() {
        sites.entry(seed.url.domain().to_owned()).or_default().push((number, seed));
    }
    runtime.block_on(async {
        let fetcher = Fetcher::new(&config.fetch).map_err(Failure::work)?;
        let places = Semaphore::new(config.fetch.concurrency);
        let shared = Arc::new(Shared { config, fetcher, rules, removed, places });
        let mut tasks = JoinSet::new();
        for seeds in sites.into_values() {
            tasks.spawn(check_site(Arc::clone(&shared), seeds));
        }
        let mut checked: Vec<(usize, SeedCheck)> = Vec::with_capacity(all);
        show_progress(bar, 0, all);
        while let Some(ended) = tasks.join_next().await {
            checked.extend(ended.map_err(Failure::work)?);
            show_progress(bar, checked.len(), all);
        }
        checked.sort_by_key(|(number, _)| *number);
        Ok(checked.into_iter().map(|(_, checked)| checked).collect())
    })
}

fn show_progress(bar: &ProgressBar, done: usize, all: usize) {
    let message = format!("seeds checked: {done} of {all}");
    if bar.is_hidden() {
        print_message(format_args!("gleaner: {message}"));
    } else {
        bar.enable_steady_tick(Duration::from_millis(200));
        bar.set_message(message);
    }
}

async fn check_site(shared: Arc<Shared>, seeds: Vec<(usize, Seed)>) -> Vec<(usize, SeedCheck)> {
    let _place = shared.places.acquire().await.expect("the semaphore is never closed");
    let mut prober = Prober::new(&shared.config, &shared.fetcher, &shared.removed);
    let mut results = Vec::new();
    for (number, seed) in seeds {
        let mut checked = SeedCheck::new(&seed);
        let checking = check(&mut prober, &seed, &shared.rules, &mut checked);
        if tokio::time::timeout(SITE_TIME_LIMIT, checking).await.is_err() {
            let reason = format!("the check took longer than {} s, the limit", SITE_TIME_LIMIT.as_secs());
            let verdict = if checked.links.is_some() { SeedVerdict::Unsure } else { SeedVerdict::Fails };
            checked.set_verdict(verdict, reason);
        }
        results.push((number, checked));
    }
    results
}

fn json(checked: &[SeedCheck]) -> Result<String, Failure> {
    let line = |checked| serde_json::to_string(checked).map(|line| line + "\n");
    checked.iter().map(line).collect::<Result<_, _>>().map_err(Failure::work)
}

fn format_table(checked: &[SeedCheck]) -> String {
    let head = ["Site", "robots", "Feeds", "Sitemaps", "Links", "Words", "Verdict"];
    let mut text = format!("{}\n", table(&head, checked.iter().map(row)));
    text += &offline(checked).unwrap_or_else(|| remarks(checked));
    text + "Links: article links on the front page. Words: of one article. Feeds and sitemaps also give links.\n"
}

/// Says that no site was reached. Returns `None` if a site was reached, or if there is only one.
fn offline(checked: &[SeedCheck]) -> Option<String> {
    let reason = |checked: &SeedCheck| {
        checked.reason.clone().filter(|reason| checked.links.is_none() && is_without_connection(reason))
    };
    let reasons: Vec<String> = checked.iter().map(reason).collect::<Option<_>>()?;
    let first = reasons.first().filter(|_| reasons.len() > 1)?;
    Some(format!(
        "none of the {} sites was reached; this machine is probably offline, or needs a proxy (fetch.proxy). First error: \
         {first}\n",
        reasons.len()
    ))
}

/// Explains the verdicts. Seeds with the same remark share a line.
fn remarks(checked: &[SeedCheck]) -> String {
    let mut seeds_by_remark: Vec<(String, Vec<&SeedCheck>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for checked in checked {
        let remarks = [
            checked.reason.as_deref().map(|reason| format!("{}: {reason}", word(checked.verdict))),
            checked.feeds.problem.as_deref().map(|problem| format!("feed {problem}")),
            checked.sitemaps.problem.as_deref().map(|problem| format!("sitemap {problem}")),
        ];
        for remark in remarks.into_iter().flatten() {
            let place = *places.entry(remark.clone()).or_insert(seeds_by_remark.len());
            match seeds_by_remark.get_mut(place) {
                Some((_, seeds)) => seeds.push(checked),
                None => seeds_by_remark.push((remark, vec![checked])),
            }
        }
    }
    let mut text = String::new();
    for (remark, seeds) in seeds_by_remark {
        let seeds: Vec<String> =
            seeds.into_iter().map(|seed| format!("{} ({})", name(seed), seed.origin)).collect();
        let _ = writeln!(text, "{}: {remark}", seeds.join(", "));
    }
    text
}

fn row(checked: &SeedCheck) -> Vec<String> {
    let or_nothing = |text: Option<String>| text.unwrap_or_else(|| NOTHING.into());
    let is_read = checked.links.is_some();
    vec![
        name(checked),
        or_nothing(checked.robots.map(str::to_owned)),
        or_nothing(is_read.then(|| checked.feeds.found.to_string())),
        or_nothing(checked.robots.map(|_| checked.sitemaps.found.to_string())),
        or_nothing(checked.links.map(|links| links.to_string())),
        or_nothing(checked.article.as_ref().map(|article| article.words.to_string())),
        word(checked.verdict).to_owned(),
    ]
}

const fn word(verdict: SeedVerdict) -> &'static str {
    match verdict {
        SeedVerdict::Works => "works",
        SeedVerdict::Unsure => "unsure",
        SeedVerdict::Fails => "fails",
    }
}

fn name(checked: &SeedCheck) -> String {
    let name = checked.seed.split_once("://").map_or(checked.seed.as_str(), |(_, rest)| rest);
    let name = name.trim_end_matches('/');
    if name.chars().count() <= MAX_SEED_WIDTH {
        return name.to_owned();
    }
    name.chars().take(MAX_SEED_WIDTH - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::parse_seed;

    use super::*;

    #[test]
    fn a_line_of_the_table_has_80_characters_at_most() {
        let seed = parse_seed("https://www.a-long-name-of-a-newspaper.example/with/a/section").unwrap();
        let mut checked = SeedCheck::new(&seed);
        checked.robots = Some("denied");
        checked.set_verdict(SeedVerdict::Unsure, "why");
        let text = format_table(&[checked]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[..3].iter().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("www.a-long-name-of-a-ne…"), "{text}");
        assert!(text.contains("(the command line): unsure: why"), "{text}");
    }
    fn failed(host: &str, reason: &str) -> SeedCheck {
        let mut checked = SeedCheck::new(&parse_seed(host).unwrap());
        checked.set_verdict(SeedVerdict::Fails, reason);
        checked
    }

    #[test]
    fn a_machine_without_network_is_named_once() {
        let dns = "its robots.txt cannot be read, so nothing may be requested: robots.txt is unavailable: the host's \
            name could not be resolved: no such host";
        let text = format_table(&[failed("a.example", dns), failed("b.example", dns)]);
        assert!(text.contains("none of the 2 sites was reached; this machine is probably offline"), "{text}");
        assert_eq!(text.matches("could not be resolved").count(), 1, "{text}");
        let text = format_table(&[failed("a.example", dns), failed("b.example", "its front page: HTTP 403")]);
        assert!(!text.contains("offline"), "{text}");
    }

    #[test]
    fn seeds_with_one_remark_share_a_line() {
        let reason = "its front page: HTTP 403";
        let text = format_table(&[failed("a.example", reason), failed("b.example", reason)]);
        let said =
            "a.example (the command line), b.example (the command line): fails: its front page: HTTP 403";
        assert!(text.contains(said), "{text}");
    }
}
