//! Runs `gleaner settings`, `gleaner completions` and `gleaner man`: writes what is needed beside the program.

use std::fs;

use clap::CommandFactory;

use crate::args::{Args, Completions, Man};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::{CommandResult, output};

/// The documented settings.
const SETTINGS: &str = include_str!("../../../../config/default.toml");

pub(crate) fn settings() -> CommandResult {
    output::print(SETTINGS)
}

pub(crate) fn completions(args: &Completions) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "gleaner", &mut script);
    output::print_bytes(&script)
}

pub(crate) fn man(args: &Man) -> CommandResult {
    let target = args.dir.display().to_string();
    fs::create_dir_all(&args.dir)
        .and_then(|()| clap_mangen::generate_to(Args::command(), &args.dir))
        .map_err(Failure::writing(&target))?;
    print_message(format_args!(
        "manual pages written to {target}; to read the first: man -l {target}/gleaner.1"
    ));
    Ok(())
}
