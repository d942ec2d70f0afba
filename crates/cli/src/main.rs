//! The binary `gleaner`: parses the command line and runs the command.
//!
//! The exit codes are: 0 for success, 1 for failure, 2 for an invalid command line, configuration or seeds,
//! and 130 for an interruption. 3 means that a crawl ended with findings, or that partitions have no worker.
//! Results go to standard output. Progress, logs and errors go to standard error.

// Only the modules `output` and `messages` write to standard output and error, see `.clippy.toml`.
#![warn(clippy::print_stderr, clippy::disallowed_methods)]

mod args;
mod commands;
mod distributed;
mod failure;
mod logging;
mod messages;
mod open_files;
mod opening;
mod output;
mod progress;
mod progress_lines;
mod run_tables;
mod scheduled;
mod settings;
mod signals;
mod status;
mod table;
mod unreadable;

use std::process::ExitCode;

use clap::FromArgMatches;

use crate::args::{Args, Command, Reextract};
use crate::failure::Failure;

fn main() -> ExitCode {
    messages::print_panics();
    open_files::raise_limit();
    // The color setting is needed before parsing, because help and parse errors use it.
    let color = args::Color::typed(std::env::args_os());
    let matches = Args::definition().color(color.of_clap()).get_matches();
    let Args { command, common } = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let is_named = command.depends_on_settings();
    let common = if command.has_settings() { settings::find(common, is_named) } else { common };
    let done = match command {
        Command::Init(args) => commands::init::run(&args),
        Command::Seeds(args) => commands::seeds::run(&common, &args),
        Command::Crawl(args) => commands::crawl::run(&common, args),
        Command::Refetch(args) => commands::refetch::run(&common, &args),
        Command::Schedule(args) => commands::schedule::run(&common, &args),
        Command::Report(args) => commands::report::run(&common, &args),
        Command::Doctor(args) => commands::doctor::run(&common, &args),
        Command::Hosts(args) => commands::hosts::run(&common, &args),
        Command::Urls(args) => commands::urls::run(&common, &args),
        Command::Export(args) => commands::export::run(&common, &args),
        Command::Search(args) => commands::search::run(&common, &args),
        Command::Stats(args) => commands::stats::run(&common, &args),
        Command::Duplicates(args) => commands::duplicates::run(&common, &args),
        Command::Workers(args) => commands::workers::run(&common, &args),
        Command::Migrate(args) => commands::migrate::run(&common, &args),
        Command::Compact => commands::compact::run(&common),
        Command::Serve(args) => commands::serve::run(&common, &args),
        Command::Template(args) => commands::template::run(&common, args),
        Command::Extract(args) => commands::extract::run(&common, args),
        Command::Learn(args) => commands::learn::run(&common, args),
        Command::Rebuild(args) => commands::rebuild::run(&common, &args),
        Command::Reextract(Reextract {}) => commands::replay::reextract(&common),
        Command::Ingest(args) => commands::replay::ingest(&common, &args),
        Command::Remove(args) => commands::remove::run(&common, &args),
        Command::Removals(args) => commands::removals::run(&common, &args),
        Command::Snapshot(args) => commands::snapshot::run(&common, &args),
        Command::Verify(args) => commands::verify::run(&common, &args),
        Command::Settings => commands::shell::settings(),
        Command::Completions(args) => commands::shell::completions(&args),
        Command::Man(args) => commands::shell::man(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

type CommandResult = Result<(), Failure>;
