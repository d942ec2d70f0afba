//! The binary `gleaner-lab`: evaluates extraction methods, and prints the tables of the papers.
//!
//! The exit codes are: 0 for success, 1 for failure, 2 for an invalid command line or invalid sets. Results go to
//! standard output. Progress and errors go to standard error.

mod args;
mod commands;
mod failure;
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Eval(args) => commands::eval::run(&args),
        Command::Extract(args) => commands::extract::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

type CommandResult = Result<(), Failure>;
