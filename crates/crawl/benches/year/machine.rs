//! Measures what this process uses.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// Returns the processor time of this process, without the thread that serves the world. Zero where /proc is missing.
pub fn processor_time() -> Duration {
    let of_all = ticks(Path::new("/proc/self/stat"));
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let is_world =
        |path: &Path| fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "world");
    let of_world: u64 = threads
        .map(|thread| thread.path())
        .filter(|path| is_world(path))
        .map(|path| ticks(&path.join("stat")))
        .sum();
    Duration::from_millis(10 * of_all.saturating_sub(of_world))
}

/// Returns the user and system time of a process or thread, in hundredths of a second.
fn ticks(path: &Path) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    // The name, in parentheses, may contain spaces.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// Returns the resident memory of this process in bytes. Zero where /proc is missing.
pub fn memory() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or_default() * 4096
}

/// Returns the size of all files in a folder.
pub fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size_of(&entry.path()),
        _ => entry.metadata().map_or(0, |metadata| metadata.len()),
    };
    entries.map(size).sum()
}
