//! Runs `gleaner removals`: lists what was removed, or takes a removal back.

use std::fs;
use std::path::Path;

use gleaner_crawl::render::text::{count, minute};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{StopRequest, open_archive};
use gleaner_store::{Removal, RemovalStep, RemovalTarget, Store, Writer, join_alone};
use serde_json::{Value, json};

use crate::args::{Common, Removals};
use crate::commands::selection::time;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::{CommandResult, distributed, opening, output, settings};

pub(crate) fn run(common: &Common, args: &Removals) -> CommandResult {
    let config = settings::load(common)?;
    if let Some(number) = args.take_back {
        return take_back(&config, number);
    }
    let store = opening::read_store(&config)?;
    if args.ids {
        let since = args.since.as_deref().map(|text| time("--since", text)).transpose()?;
        let ids = store.removed_documents(since, None).map_err(Failure::work)?;
        return output::print(&ids.iter().map(|id| format!("{id}\n")).collect::<String>());
    }
    let removals = store.removals().map_err(Failure::work)?;
    if removals.is_empty() {
        print_message("gleaner: nothing was removed from this corpus");
    }
    for removal in &removals {
        let urls = if args.urls { urls_of(&store, removal)? } else { Vec::new() };
        let text = if args.json {
            format!("{}\n", as_json(removal, &urls, args.urls))
        } else {
            as_text(removal, &urls)
        };
        output::print(&text)?;
    }
    Ok(())
}

fn urls_of(store: &Store, removal: &Removal) -> Result<Vec<String>, Failure> {
    let mut urls = Vec::new();
    for removed in store.all_removed_urls() {
        let (key, removed) = removed.map_err(Failure::work)?;
        if removed.removal == removal.number {
            urls.push(removed.url.unwrap_or_else(|| format!("hash {key}")));
        }
    }
    Ok(urls)
}

fn target(removal: &Removal) -> String {
    match &removal.target {
        RemovalTarget::Urls => "URLs".into(),
        RemovalTarget::Hosts(hosts) => format!("host {}", hosts.join(", ")),
        RemovalTarget::Condition(condition) => format!("where {condition}"),
    }
}

fn as_text(removal: &Removal, urls: &[String]) -> String {
    let Removal { number, at, reason, documents, words, keeps_archive, step, .. } = removal;
    let mut text = format!(
        "{number}  {}  {}: {}, {}",
        minute(*at),
        target(removal),
        count(*documents, "document"),
        count(*words, "word")
    );
    if !reason.is_empty() {
        // A removal has one line.
        let words: Vec<&str> = reason.split_whitespace().collect();
        text += &format!("; reason: {}", words.join(" "));
    }
    if *keeps_archive {
        text += "; the archive was kept";
    }
    if *step != RemovalStep::Done {
        text += "; interrupted, `gleaner remove --yes` finishes it";
    }
    text.push('\n');
    text + &urls.iter().map(|url| format!("   {url}\n")).collect::<String>()
}

fn as_json(removal: &Removal, urls: &[String], has_urls: bool) -> Value {
    let Removal { number, at, reason, documents, words, keeps_archive, step, .. } = removal;
    let mut value = json!({
        "number": number,
        "at": at.to_string(),
        "target": target(removal),
        "reason": reason,
        "documents": documents,
        "words": words,
        "keeps_archive": keeps_archive,
        "finished": *step == RemovalStep::Done,
    });
    if has_urls {
        value["urls"] = json!(urls);
    }
    value
}

fn take_back(config: &Config, number: u32) -> CommandResult {
    if distributed::is_shared(config) {
        let membership = distributed::membership(config, &StopRequest::default())?;
        let folder = Path::new(&config.store.path).join("removal");
        let writer = join_alone(&folder, &membership, false).map_err(Failure::work);
        let done = writer.and_then(|mut writer| forget(&mut writer, number));
        // This folder now contains only a lock file.
        let _ = fs::remove_dir_all(&folder);
        return done;
    }
    let mut writer = opening::open_store(config, false)?;
    open_archive(config, None, &mut writer).map_err(Failure::work)?;
    forget(&mut writer, number)
}

fn forget(writer: &mut Writer, number: u32) -> CommandResult {
    let unfinished = writer.store().unfinished_removals().map_err(Failure::work)?;
    if unfinished.iter().any(|removal| removal.number == number) {
        return Err(Failure::Usage(format!(
            "removal {number} was interrupted; first run `gleaner remove --yes`, which finishes it"
        )));
    }
    if !writer.take_back_removal(number).map_err(Failure::work)? {
        return Err(Failure::Usage(format!("there is no removal {number}; `gleaner removals` lists them")));
    }
    print_message(format_args!(
        "gleaner: removal {number} is taken back; what it removed is fetched again when a page, feed or sitemap names it"
    ));
    Ok(())
}
