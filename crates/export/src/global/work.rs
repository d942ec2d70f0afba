//! The work folder: runs the tasks and stores their results.
//!
//! A task writes into its own folder, `NAME.PROCESS.part`, which is renamed to `NAME` when all its files
//! are on disk. Leftovers of a killed run are removed when the task is done. If two processes run the
//! same task, the first result is kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use gleaner_corpus::dedup::BANDS;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::DataFile;
use crate::global::bands::{self, Band};
use crate::global::bits::Bits;
use crate::global::clusters::{self, Asked};
use crate::global::part::{Part, SUMMARY, clear};
use crate::global::plan::{self, Plan};
use crate::global::table::{Signing, Tables};
use crate::global::write::{self, write_json};
use crate::global::{GlobalError, Outcome, Settings, Task, exact, sign};

const WRITE: &str = "write.json";

/// The options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The settings that determine the result.
    pub settings: Settings,
    /// Bytes of memory for sorting, in total for all threads.
    pub memory: usize,
    /// Maximum number of tasks that run at the same time.
    pub threads: usize,
    /// The folder for the shards without duplicates; `None` to write none.
    pub write: Option<PathBuf>,
}

/// A progress event.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// The number of tasks to do, out of all tasks.
    Left {
        /// Number of tasks not done yet.
        left: usize,
        /// Number of all tasks.
        all: usize,
    },
    /// A task has finished.
    Done(Task),
    /// A shard contains lines that are not documents.
    Damaged {
        /// The shard.
        shard: &'a Path,
        /// Counts from reading the shard.
        signing: &'a Signing,
    },
}

/// A work folder and its plan.
#[derive(Debug)]
pub struct Work {
    folder: PathBuf,
    plan: Plan,
    options: Options,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Target {
    write: PathBuf,
}

impl Work {
    /// Opens a work folder, or creates it if it does not exist.
    ///
    /// # Errors
    /// If inputs cannot be read or differ from those in the work folder, an output folder is within an
    /// input, a folder is not empty and not a work folder, or a file cannot be written.
    pub fn open(inputs: &[PathBuf], folder: &Path, options: Options) -> Result<Self, GlobalError> {
        let now = Plan::new(inputs, &options.settings)?;
        for written in [Some(folder), options.write.as_deref()].into_iter().flatten() {
            is_apart(written, inputs)?;
        }
        let path = folder.join(plan::NAME);
        if !path.exists() {
            if !is_free(folder) {
                return Err(GlobalError::NotWork { path: folder.into() });
            }
            fs::create_dir_all(folder).map_err(GlobalError::writing(folder))?;
            write_json(&path, &now)?;
        }
        let plan: Plan = read_json(&path)?;
        if let Some(change) = plan.change(&now) {
            return Err(GlobalError::Other { path: folder.into(), change });
        }
        let work = Self { folder: folder.into(), plan, options };
        work.settle_target()?;
        Ok(work)
    }

    fn settle_target(&self) -> Result<(), GlobalError> {
        let Some(write) = &self.options.write else { return Ok(()) };
        let path = self.folder.join(WRITE);
        if !path.exists() && fs::read_dir(write).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(GlobalError::NotWork { path: write.clone() });
        }
        fs::create_dir_all(write).map_err(GlobalError::writing(write))?;
        let now = Target { write: fs::canonicalize(write).map_err(GlobalError::reading(write))? };
        if !path.exists() {
            write_json(&path, &now)?;
        }
        let was: Target = read_json(&path)?;
        if was == now {
            return Ok(());
        }
        let change = format!("--write was {} and is {}", was.write.display(), now.write.display());
        Err(GlobalError::Other { path: self.folder.clone(), change })
    }

    /// Returns all tasks, in the order of their dependencies. The `write` tasks are included only if
    /// requested.
    #[must_use]
    pub fn tasks(&self) -> Vec<Task> {
        self.phases().concat()
    }

    fn phases(&self) -> Vec<Vec<Task>> {
        let shards = self.plan.inputs.len();
        let mut phases = vec![
            (0..shards).map(Task::Sign).collect(),
            vec![Task::Exact],
            (0..BANDS).map(Task::Band).collect(),
            vec![Task::Clusters],
        ];
        if self.options.write.is_some() {
            phases.push((0..shards).map(Task::Write).collect());
        }
        phases
    }

    /// Whether a task's result exists.
    #[must_use]
    pub fn is_done(&self, task: Task) -> bool {
        self.result(task).join(SUMMARY).exists()
    }

    fn result(&self, task: Task) -> PathBuf {
        self.folder.join(task.folder())
    }

    /// Returns the shard with this number; `None` if there is none.
    #[must_use]
    pub fn shard(&self, number: usize) -> Option<&Path> {
        self.plan.inputs.get(number).map(|input| input.path.as_path())
    }

    /// Returns the path of the file of duplicates, which exists when `clusters` is done.
    #[must_use]
    pub fn duplicates(&self) -> PathBuf {
        self.result(Task::Clusters).join("duplicates.jsonl")
    }

    /// Copies the file of duplicates atomically.
    ///
    /// # Errors
    /// If `clusters` is not done, or the file cannot be copied.
    pub fn write_duplicates(&self, into: &Path) -> Result<(), GlobalError> {
        let mut part = into.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let copied = fs::copy(self.duplicates(), &part)
            .and_then(|_| fs::File::open(&part)?.sync_all())
            .and_then(|()| fs::rename(&part, into));
        copied.map_err(|error| {
            // The first error is reported.
            let _ = fs::remove_file(&part);
            GlobalError::writing(into)(error)
        })
    }

    /// Returns the result of `clusters`.
    ///
    /// # Errors
    /// If `clusters` is not done, or its result cannot be read.
    pub fn outcome(&self) -> Result<Outcome, GlobalError> {
        read_json(&self.result(Task::Clusters).join(SUMMARY))
    }

    /// Runs one task, with all memory, unless it is done.
    ///
    /// # Errors
    /// If the task does not exist, a task that it needs is not done, or it fails.
    pub fn run(&self, task: Task, tell: &(dyn Fn(Event) + Sync)) -> Result<(), GlobalError> {
        self.check(task)?;
        self.ensure(task, self.options.memory, tell)
    }

    /// Runs all tasks that are not done.
    ///
    /// # Errors
    /// If a task fails. Other tasks in progress are finished first.
    pub fn run_all(&self, tell: &(dyn Fn(Event) + Sync)) -> Result<(), GlobalError> {
        let all = self.tasks();
        let left = all.iter().filter(|task| !self.is_done(**task)).count();
        tell(Event::Left { left, all: all.len() });
        self.phases().into_iter().try_for_each(|phase| self.run_phase(phase, tell))?;
        self.write_manifest()?;
        // A run may have been killed before it cleaned up after a task.
        clear(&self.folder, &all);
        Ok(())
    }

    fn run_phase(&self, mut phase: Vec<Task>, tell: &(dyn Fn(Event) + Sync)) -> Result<(), GlobalError> {
        phase.retain(|task| !self.is_done(*task));
        let threads = self.options.threads.clamp(1, phase.len().max(1));
        let memory = self.options.memory / threads;
        // Two processes on one folder start with different tasks.
        let middle = std::process::id() as usize % phase.len().max(1);
        phase.rotate_left(middle);
        phase.reverse();
        let (left, failed) = (Mutex::new(phase), Mutex::new(None));
        let next = || left.lock().ok().and_then(|mut left| left.pop());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(task) = next() {
                        let Err(error) = self.ensure(task, memory, tell) else { continue };
                        left.lock().iter_mut().for_each(|left| left.clear());
                        if let Ok(mut failed) = failed.lock() {
                            failed.get_or_insert(error);
                        }
                        return;
                    }
                });
            }
        });
        failed.into_inner().ok().flatten().map_or(Ok(()), Err)
    }

    /// Checks that a task exists, and that all tasks it needs are done.
    fn check(&self, task: Task) -> Result<(), GlobalError> {
        let (shards, name) = (self.plan.inputs.len(), task.to_string());
        let reason = match task {
            Task::Sign(number) | Task::Write(number) if number >= shards => {
                format!("there are {shards} shards, numbered from 0")
            }
            Task::Band(number) if number >= BANDS => format!("there are {BANDS} bands, numbered from 0"),
            Task::Write(_) if self.options.write.is_none() => "name the folder with --write DIR".into(),
            _ => {
                let before = self.phases().into_iter().take_while(|phase| !phase.contains(&task)).flatten();
                let waits = before.into_iter().find(|before| !self.is_done(*before));
                return waits.map_or(Ok(()), |on| Err(GlobalError::Waits { task, on }));
            }
        };
        Err(GlobalError::NoTask { name, reason })
    }

    /// Runs a task unless this or another process has done it.
    fn ensure(&self, task: Task, memory: usize, tell: &(dyn Fn(Event) + Sync)) -> Result<(), GlobalError> {
        if !self.is_done(task) {
            match self.perform(task, memory, tell) {
                // Another process has finished the task and removed the files of this one.
                Err(_) if self.is_done(task) => {}
                done => done?,
            }
        }
        if let Task::Write(_) = task {
            self.write_manifest()?;
        }
        tell(Event::Done(task));
        Ok(())
    }

    fn perform(&self, task: Task, memory: usize, tell: &(dyn Fn(Event) + Sync)) -> Result<(), GlobalError> {
        let part = Part::begin(&self.folder, task)?;
        match task {
            Task::Sign(number) => {
                let shard = &self.plan.inputs[number].path;
                let signing = sign::sign(shard, &part)?;
                if signing.damaged > 0 {
                    tell(Event::Damaged { shard, signing: &signing });
                }
                part.finish(&signing)
            }
            Task::Exact => {
                let (tables, _) = self.tables()?;
                let repeats = exact::find(&tables, memory, &part)?;
                part.finish(&repeats)
            }
            Task::Band(band) => {
                let (tables, signed) = self.tables()?;
                let repeats = &Bits::read(&self.result(Task::Exact).join("bits"))?;
                let related = self.options.settings.params().related;
                let pairs = bands::find(tables, &Band { band, repeats, signed, related, memory }, &part)?;
                part.finish(&pairs)
            }
            Task::Clusters => {
                let pairs: Vec<PathBuf> =
                    (0..BANDS).map(|band| self.result(Task::Band(band)).join("pairs")).collect();
                let shards: Vec<&Path> = self.plan.inputs.iter().map(|input| input.path.as_path()).collect();
                let repeats = self.result(Task::Exact).join("pairs");
                let settings = self.options.settings;
                let asked = Asked { settings, repeats: &repeats, pairs: &pairs, shards: &shards, memory };
                part.finish(&clusters::make(self.tables()?.0, &asked, &part)?)
            }
            Task::Write(shard) => {
                let Some(into) = &self.options.write else { return Ok(()) };
                let members = Bits::read(&self.result(Task::Clusters).join("members"))?;
                let path = &self.plan.inputs[shard].path;
                part.finish(&write::write(shard, path, &self.tables()?.0, &members, into)?)
            }
        }
    }

    fn tables(&self) -> Result<(Tables, u64), GlobalError> {
        let folders: Vec<PathBuf> =
            (0..self.plan.inputs.len()).map(|number| self.result(Task::Sign(number))).collect();
        let signings = folders.iter().map(|folder| read_json::<Signing>(&folder.join(SUMMARY)));
        let signings: Vec<Signing> = signings.collect::<Result<_, _>>()?;
        let counts: Vec<u64> = signings.iter().map(|signing| signing.documents).collect();
        Ok((Tables::open(folders, &counts)?, signings.iter().map(|signing| signing.signed).sum()))
    }

    fn write_manifest(&self) -> Result<(), GlobalError> {
        let Some(into) = &self.options.write else { return Ok(()) };
        let tasks = (0..self.plan.inputs.len()).map(Task::Write);
        if tasks.clone().any(|task| !self.is_done(task)) {
            return Ok(());
        }
        let path = into.join(write::MANIFEST);
        if !path.exists() {
            let files = tasks.map(|task| read_json::<DataFile>(&self.result(task).join(SUMMARY)));
            let written = write::manifest(&path, self.outcome()?, files.collect::<Result<_, _>>()?);
            // Another process may have written the manifest at the same time, and removed this one's
            // files.
            written.or_else(|error| if path.exists() { Ok(()) } else { Err(error) })?;
        }
        write::clear(into);
        Ok(())
    }
}

/// Whether a folder contains nothing except a plan, which another process may be writing.
fn is_free(folder: &Path) -> bool {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().all(|name| name.to_string_lossy().ends_with(plan::NAME))
}

/// Checks that the output is not within an input, so that a later run does not read it.
fn is_apart(written: &Path, inputs: &[PathBuf]) -> Result<(), GlobalError> {
    let written = std::path::absolute(written).map_err(GlobalError::reading(written))?;
    let real = fs::canonicalize(&written).unwrap_or(written);
    for input in inputs {
        let read = fs::canonicalize(input).map_err(GlobalError::reading(input))?;
        if real.starts_with(&read) {
            return Err(GlobalError::Within { path: real, input: read });
        }
    }
    Ok(())
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, GlobalError> {
    let text = fs::read(path).map_err(GlobalError::reading(path))?;
    serde_json::from_slice(&text).map_err(|error| GlobalError::reading(path)(error.into()))
}
