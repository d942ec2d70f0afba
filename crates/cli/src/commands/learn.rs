//! Runs `gleaner learn`: learns a template from pages of one site.

use std::fs;

use gleaner_extract::{Added, LearnError, Page, Training};
use jiff::Timestamp;

use crate::args::{Common, Learn};
use crate::commands::page_files;
use crate::commands::template::summary_line;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::{CommandResult, settings};

pub(crate) fn run(common: &Common, args: Learn) -> CommandResult {
    let config = settings::load(common)?;
    let mut training = Training::new(args.host.as_deref());
    for path in page_files::files(&args.pages)? {
        let name = path.display().to_string();
        let page = Page::at(&page_files::source(&name)?, None);
        if let Added::NotArticle(reason) = training.add(&name, page) {
            print_message(format_args!("{name}: skipped, not an article: {reason}"));
        }
        if training.is_full() {
            print_message(format_args!(
                "{} articles are enough; the other pages are skipped",
                Training::MOST
            ));
            break;
        }
    }
    let learned = training.learn(config.template.method, Timestamp::now());
    let template = learned.map_err(|error| Failure::Usage(error_text(&error, &args)))?;
    fs::write(&args.out, template.to_json()).map_err(Failure::writing(args.out.display()))?;
    print_message(format_args!(
        "{}: learned from {} pages ({}); written to {}",
        template.host(),
        training.len(),
        summary_line(template.site()),
        args.out.display()
    ));
    Ok(())
}

/// Returns the message for an error. If the pages are from several hosts, the message suggests a command for
/// the host with the most pages.
fn error_text(error: &LearnError, args: &Learn) -> String {
    let LearnError::SeveralHosts { hosts } = error else { return error.to_string() };
    let most = hosts.iter().max_by_key(|(_, pages)| **pages).map_or("HOST", |(host, _)| host.as_str());
    let pages: Vec<String> = args.pages.iter().map(|path| path.display().to_string()).collect();
    let (pages, out) = (pages.join(" "), args.out.display());
    format!("{error}: gleaner learn {pages} --host {most} --out {out}")
}
