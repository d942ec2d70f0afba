//! Runs `gleaner dedup --global`: finds duplicates across many exports.
//!
//! This module handles options and messages. `gleaner_export::global` does the work.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::thread::available_parallelism;

use gleaner_export::global::{Event, GlobalError, Options, Outcome, Settings, Work};
use indicatif::{ProgressBar, ProgressStyle};

use crate::Done;
use crate::args::Dedup;
use crate::aside::say;
use crate::failure::Failure;
use crate::watching::bar;

pub(crate) fn run(args: Dedup) -> Done {
    let work = Work::open(&args.inputs, &args.work, options(&args)).map_err(failure)?;
    if args.list_tasks {
        return list(&work);
    }
    let bar = bar();
    let tell = |event: Event| show(event, &bar);
    let kept = |error: GlobalError| match failure(error) {
        Failure::Work(message) => Failure::Work(format!(
            "{message}; finished work is kept in {}; the same command resumes",
            args.work.display()
        )),
        other => other,
    };
    if let Some(task) = args.task {
        return work.run(task, &tell).map_err(kept);
    }
    work.run_all(&tell).map_err(kept)?;
    bar.finish_and_clear();
    let duplicates = match &args.out {
        Some(path) => work.write_duplicates(path).map_err(kept).map(|()| path.clone())?,
        None => work.duplicates(),
    };
    tell_outcome(&work.outcome().map_err(failure)?, &duplicates, args.write.as_deref());
    Ok(())
}

fn options(args: &Dedup) -> Options {
    let cores = || available_parallelism().map_or(1, usize::from);
    Options {
        settings: Settings { similarity: args.similarity, representative: args.head },
        memory: args.memory,
        threads: args.threads.unwrap_or_else(cores).max(1),
        write: args.write.clone(),
    }
}

fn list(work: &Work) -> Done {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = work.tasks().into_iter().try_for_each(|task| {
        let state = if work.is_done(task) { "done" } else { "left" };
        writeln!(out, "{task}\t{state}")
    });
    written.and_then(|()| out.flush()).map_err(Failure::writing("standard output"))
}

fn show(event: Event, bar: &ProgressBar) {
    match event {
        Event::Left { left, all } => {
            let style =
                ProgressStyle::with_template("{elapsed} {wide_bar} {human_pos} of {human_len} tasks, {msg}");
            bar.set_style(style.expect("the template is written here"));
            bar.set_length(all as u64);
            bar.set_position((all - left) as u64);
            if left < all {
                say(format_args!("gleaner: {} of {all} tasks were done before", all - left));
            }
        }
        Event::Done(task) => {
            bar.set_message(format!("{task} is done"));
            bar.inc(1);
        }
        Event::Damaged { shard, signing } => {
            let (line, reason) = signing.first_damaged.clone().unwrap_or_default();
            let (damaged, shard) = (signing.damaged, shard.display());
            say(format_args!(
                "gleaner: {shard}: skipped lines that are not documents: {damaged}; the first is line {line}: {reason}"
            ));
        }
    }
}

fn tell_outcome(outcome: &Outcome, duplicates: &Path, write: Option<&Path>) {
    let Outcome { documents, exact, near, clusters } = outcome;
    let heads = documents - exact - near;
    say(format_args!(
        "documents: {documents}; kept: {heads}; representatives: {clusters}; exact duplicates: {exact}; \
         near-duplicates: {near}; list of duplicates: {}",
        duplicates.display()
    ));
    if let Some(folder) = write {
        say(format_args!("documents written: {heads}, to {}", folder.display()));
    }
}

fn failure(error: GlobalError) -> Failure {
    match error {
        GlobalError::NotWork { .. }
        | GlobalError::Within { .. }
        | GlobalError::Twice { .. }
        | GlobalError::Other { .. }
        | GlobalError::NoTask { .. } => Failure::usage(error),
        error => Failure::work(error),
    }
}
