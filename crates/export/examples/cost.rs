//! Finds duplicates in a folder of shards, and prints the time of each phase and the peak memory of the
//! process (Linux).
//!
//! `cargo run --release -p gleaner-export --example cost -- IN WORK MEMORY_IN_MIB THREADS`

#![allow(clippy::allow_attributes, clippy::print_stdout, reason = "it prints figures")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gleaner_export::global::{Event, Options, Settings, Task, Work};

/// Returns the peak resident memory of this process, as reported by the system.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("not known").trim().to_owned()
}

/// Returns the total size of all files in a folder and its subfolders, in bytes.
fn bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |path: PathBuf| match path.is_dir() {
        true => bytes(&path),
        false => path.metadata().map_or(0, |metadata| metadata.len()),
    };
    entries.map(|entry| size(entry.path())).sum()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [inputs, work, memory, threads] = arguments.as_slice() else {
        return Err("arguments: IN WORK MEMORY_IN_MIB THREADS".into());
    };
    let settings = Settings::default();
    let options =
        Options { settings, memory: memory.parse::<usize>()? << 20, threads: threads.parse()?, write: None };
    let folder = PathBuf::from(work);
    let work = Work::open(&[PathBuf::from(inputs)], &folder, options)?;
    let (begin, last) = (Instant::now(), Mutex::new(BTreeMap::<&str, (Duration, String)>::new()));
    work.run_all(&|event| {
        let Event::Done(task) = event else { return };
        let phase = match task {
            Task::Sign(_) => "1 sign",
            Task::Exact => "2 exact",
            Task::Band(_) => "3 bands",
            Task::Clusters => "4 clusters",
            Task::Write(_) => "5 write",
        };
        if let Ok(mut last) = last.lock() {
            last.insert(phase, (begin.elapsed(), peak()));
        }
    })?;
    for (phase, (elapsed, peak)) in last.into_inner()? {
        println!("{phase}: done after {:.1} s, peak {peak}", elapsed.as_secs_f64());
    }
    println!("{:?}, work folder {} MiB", work.outcome()?, bytes(&folder) >> 20);
    Ok(())
}
