//! The folder of a task in progress; it gets its final name when all its files are on disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::global::write::write_json;
use crate::global::{GlobalError, Task};

pub(crate) const SUMMARY: &str = "summary.json";

/// The folder of a task in progress; removed if the task is not finished.
#[derive(Debug)]
pub(crate) struct Part {
    work: PathBuf,
    task: Task,
    folder: PathBuf,
}

impl Part {
    pub(crate) fn begin(work: &Path, task: Task) -> Result<Self, GlobalError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let folder = work.join(format!("{}.{}-{now}.part", task.folder(), std::process::id()));
        fs::create_dir(&folder).map_err(GlobalError::writing(&folder))?;
        Ok(Self { work: work.into(), task, folder })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn finish(&self, result: &impl Serialize) -> Result<(), GlobalError> {
        write_json(&self.path(SUMMARY), result)?;
        let target = self.work.join(self.task.folder());
        fs::rename(&self.folder, &target).map_err(GlobalError::writing(&target))?;
        clear(&self.work, &[self.task]);
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes the leftovers of killed runs for finished tasks.
pub(crate) fn clear(work: &Path, done: &[Task]) {
    let Ok(entries) = fs::read_dir(work) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_left = |task: &Task| name.split('.').next() == Some(task.folder().as_str());
        if name.ends_with(".part") && done.iter().any(is_left) {
            // A leftover only takes disk space.
            let _ = fs::remove_dir_all(&path);
        }
    }
}
