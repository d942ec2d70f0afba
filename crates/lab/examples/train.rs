//! Trains the block model that is built into the program.
//!
//! ```text
//! cargo run --release -p gleaner-lab --example train -- crates/extract/src/block_model/model.bin ../shared/sets/sites ../shared/sets/single ../shared/sets/publishers
//! ```
//!
//! The same sets always yield the same file. The training takes one minute on two cores.

use std::path::PathBuf;
use std::process::ExitCode;

use gleaner_lab::Dataset;
use gleaner_lab::training::TrainingSet;
use gleaner_lab::training::boosting::BoostingParams;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(out) = arguments.next() else {
        eprintln!("name the file to write and the folders of sets to learn from");
        return ExitCode::from(2);
    };
    let folders: Vec<PathBuf> = arguments.collect();
    match train(&folders).map(|model| std::fs::write(&out, model)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => failed(&format!("cannot write {}: {error}", out.display())),
        Err(error) => failed(&error),
    }
}

fn train(folders: &[PathBuf]) -> Result<Vec<u8>, String> {
    let sets = Dataset::find(folders).map_err(|error| error.to_string())?;
    let training_set = TrainingSet::read(&sets, &|| {}).map_err(|error| error.to_string())?;
    Ok(training_set.train(&BoostingParams::default()).to_bytes())
}

fn failed(reason: &str) -> ExitCode {
    eprintln!("{reason}");
    ExitCode::FAILURE
}
