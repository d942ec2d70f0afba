//! Extracts many pages on all cores. Prints a JSON object for each, in the order of the pages.
//!
//! Each thread has a queue of finished pages. With `t` threads, page `n` is always in queue `n mod t`.
//! Therefore the main thread can print the pages in order, and at most [`MAX_WAITING_PER_THREAD`] pages per
//! thread wait in memory.

use std::io::{BufWriter, Write};
use std::sync::mpsc::sync_channel;
use std::thread;

use gleaner_extract::Document;
use indicatif::ProgressStyle;
use serde::Serialize;

use super::{Extracted, Extractor, json};
use crate::commands::{page_files, page_reader};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::progress::bar;
use crate::{CommandResult, output};

/// Maximum number of finished pages per thread that wait to be printed.
const MAX_WAITING_PER_THREAD: usize = 4;

#[derive(Serialize)]
struct OutputLine<'a> {
    file: &'a str,
    error: Option<&'a str>,
    #[serde(flatten)]
    document: Option<Document>,
}

pub(super) fn is_batch(page: &str) -> bool {
    page_files::is_pattern(page) || std::path::Path::new(page).is_dir()
}

pub(super) fn run(extractor: &Extractor) -> CommandResult {
    let names = names(extractor)?;
    let mut out = BufWriter::new(output::data());
    let bar = bar();
    bar.set_length(names.len() as u64);
    let style = ProgressStyle::with_template("{elapsed} {wide_bar} {human_pos} of {human_len} pages");
    bar.set_style(style.expect("the template is written here"));
    let mut unread = 0;
    in_order(
        &names,
        |name| line(extractor, name),
        |Extraction { line, said }| {
            if let Some(said) = said {
                bar.suspend(|| print_message(format_args!("gleaner: {said}")));
                unread += 1;
            }
            bar.inc(1);
            out.write_all(line.as_bytes()).map_err(Failure::writing("standard output"))
        },
    )?;
    bar.finish_and_clear();
    out.flush().map_err(Failure::writing("standard output"))?;
    match unread {
        0 => Ok(()),
        unread => Err(Failure::Work(format!("pages that could not be read: {unread} of {}", names.len()))),
    }
}

fn names(extractor: &Extractor) -> Result<Vec<String>, Failure> {
    let args = extractor.args;
    if let [page] = args.pages.as_slice()
        && !is_batch(page)
    {
        return Ok(vec![page.clone()]);
    }
    if args.how.archived {
        return Ok(args.pages.clone());
    }
    if let Some(page) = args.pages.iter().find(|page| *page == "-" || page_reader::is_url(page)) {
        return Err(Failure::Usage(format!(
            "{page} must be the only page, unless all pages are files or folders, or --archived is set"
        )));
    }
    if args.how.url.is_some() {
        return Err(Failure::Usage("--url is for one page: omit it, or name one file".into()));
    }
    page_files::expand(&args.pages)
}

struct Extraction {
    line: String,
    said: Option<String>,
}

fn line(extractor: &Extractor, file: &str) -> Extraction {
    match extractor.read(file) {
        Ok(Extracted { document, .. }) => {
            let line = OutputLine { file, error: None, document: Some(document) };
            Extraction { line: json(&line), said: None }
        }
        Err(failure) => {
            let said = failure.message().to_owned();
            Extraction {
                line: json(&OutputLine { file, error: Some(&said), document: None }),
                said: Some(said),
            }
        }
    }
}

/// Applies `work` to all items on all cores. Passes the results in order to `take`, and stops at its first
/// error.
fn in_order<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> CommandResult,
) -> CommandResult {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len().max(1));
    thread::scope(|scope| {
        let work = &work;
        let begin = |first: usize| {
            let (results, queue) = sync_channel(MAX_WAITING_PER_THREAD);
            // The send fails if the main thread has stopped after an error.
            scope.spawn(move || {
                items.iter().skip(first).step_by(threads).try_for_each(|item| results.send(work(item)))
            });
            queue
        };
        let queues: Vec<_> = (0..threads).map(begin).collect();
        let results = queues.iter().cycle().take(items.len());
        for queue in results {
            // A queue ends early only if its thread panicked. The scope reports the panic.
            let Ok(result) = queue.recv() else { break };
            take(result)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, 2, 7, 100] {
            let items: Vec<u64> = (0..count).collect();
            let mut taken = Vec::new();
            in_order(
                &items,
                |item| *item,
                |result| {
                    taken.push(result);
                    Ok(())
                },
            )
            .unwrap();
            assert_eq!(taken, items);
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let items: Vec<u64> = (0..10_000).collect();
        let mut taken = 0;
        let done = in_order(
            &items,
            |item| *item,
            |_| {
                taken += 1;
                if taken == 3 { Err(Failure::OutputClosed) } else { Ok(()) }
            },
        );
        assert!(matches!(done, Err(Failure::OutputClosed)) && taken == 3);
    }
}
