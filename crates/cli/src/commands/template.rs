//! Runs `gleaner template`: lists and prints the learned templates.

use crate::status::describe;
use gleaner_crawl::render::language::UiLanguage;
use gleaner_crawl::render::text::minute;
use gleaner_extract::template::SiteTemplate;
use gleaner_store::{Store, StoreError};

use crate::args::{Common, Template, TemplateCommand};
use crate::commands::explain;
use crate::commands::known_hosts::did_you_mean;
use crate::failure::Failure;
use crate::table::table;
use crate::{CommandResult, opening, output, settings};

pub(crate) fn run(common: &Common, args: Template) -> CommandResult {
    let config = settings::load(common)?;
    let store = || opening::read_store(&config);
    let text = match args.what {
        TemplateCommand::List => list(&store()?).map_err(Failure::work)?,
        TemplateCommand::Show { host, json } => show(&store()?, &host.to_ascii_lowercase(), json)?,
        TemplateCommand::Explain(args) => return explain::run(common, &config, &args),
    };
    output::print(&text)
}

fn list(store: &Store) -> Result<String, StoreError> {
    let mut rows = Vec::new();
    for host in store.hosts() {
        let host = host?;
        if let Some(template) =
            store.template(&host.name)?.and_then(|json| SiteTemplate::from_json(&json).ok())
        {
            rows.push(vec![
                host.name,
                template.version.to_string(),
                minute(template.learned),
                template.learned_from.len().to_string(),
                summary_line(&template),
            ]);
        }
    }
    if rows.is_empty() {
        return Ok("no host has a template yet\n".into());
    }
    Ok(format!("{}\n", table(&["Host", "Version", "Learned", "Pages", "Contents"], rows)))
}

fn show(store: &Store, host: &str, json: bool) -> Result<String, Failure> {
    let stored = store.template(host).map_err(Failure::work)?;
    let Some(stored) = stored else {
        let meant = did_you_mean(store, host, |host| host.template > 0)?;
        let list = if meant.is_empty() { "; `gleaner template list` lists all templates" } else { "" };
        return Err(Failure::Work(format!("{host} has no template{meant}{list}")));
    };
    if json {
        return Ok(stored);
    }
    let template = SiteTemplate::from_json(&stored).map_err(Failure::work)?;
    Ok(describe(&template, UiLanguage::English))
}

pub(crate) fn summary_line(template: &SiteTemplate) -> String {
    format!(
        "{} places in pages, {} repeated texts",
        template.site.dom_paths.len(),
        template.site.repeated.len()
    )
}
