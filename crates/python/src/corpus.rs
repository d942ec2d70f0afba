//! Exposes a corpus in a folder to Python, for reading.
//!
//! The store is open only while something is read, because a crawl cannot start while this process has it open. If a
//! crawl has it open, the records come from the process of the crawl (`gleaner_store::read_corpus`).

use std::ffi::CString;
use std::mem;
use std::path::PathBuf;
use std::process;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use gleaner_corpus::{Document, DocumentId, Purpose, is_of_host};
use gleaner_export::filter::unmatched;
use gleaner_export::format::json_lines;
use gleaner_export::{Fields, Filter, FilterCounts, Record, Selection, SelectionRequest};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{ContextReader, Store, StoreError, read_corpus};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow;
use crate::error::ReadError;

/// Memory for the page cache of the store, in bytes: the default of the setting `store.cache`.
const CACHE: u64 = 64 << 20;

/// Maximum number of documents that are read before Ctrl-C takes effect.
const MAX_STEPS: usize = 256;

/// A corpus that can be opened at any time.
struct Place {
    folder: PathBuf,
    archive: PathBuf,
    opened: Mutex<Opened>,
}

/// The store, if this process has it open.
#[derive(Default)]
struct Opened {
    store: Weak<Store>,
    /// Keeps the store open between reads, inside `with`.
    held: Option<Arc<Store>>,
    /// The process that opened it. A forked process has a copy of this value, but not the store's threads.
    process: u32,
}

impl Place {
    fn opened(&self) -> std::sync::MutexGuard<'_, Opened> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.process != process::id() {
            // Dropping the copy of a store could wait for threads that this process does not have.
            mem::forget(mem::replace(&mut *opened, Opened { process: process::id(), ..Opened::default() }));
        }
        opened
    }

    fn store(&self) -> Result<Arc<Store>, ReadError> {
        let mut opened = self.opened();
        if let Some(store) = opened.store.upgrade() {
            return Ok(store);
        }
        let store = Arc::new(read_corpus(&self.folder, &self.archive, CACHE)?);
        if let Some(reason) = store.incomplete_reason(&self.folder.to_string_lossy())? {
            return Err(ReadError::Corpus(reason));
        }
        opened.store = Arc::downgrade(&store);
        Ok(store)
    }

    fn context(&self, store: &Store) -> Result<ContextReader, ReadError> {
        Ok(ContextReader::new(store.clone(), &self.archive)?)
    }
}

#[pyclass(frozen, module = "gleaner._engine")]
pub(crate) struct Corpus(Arc<Place>);

#[pymethods]
impl Corpus {
    /// Opens the corpus once, to see whether it can be read.
    #[new]
    fn new(py: Python<'_>, folder: PathBuf, archive: Option<PathBuf>) -> PyResult<Self> {
        let archive = archive.unwrap_or_else(|| folder.join("archive"));
        let corpus = Self(Arc::new(Place { folder, archive, opened: Mutex::default() }));
        let removals = py.detach(|| Ok::<_, ReadError>(corpus.0.store()?.interrupted_removals()?))?;
        if let Some(message) = removals.and_then(|message| CString::new(message).ok()) {
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 2)?;
        }
        Ok(corpus)
    }

    /// Keeps the store open until `release`.
    fn hold(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let store = self.0.store()?;
            self.0.opened().held = Some(store);
            Ok::<_, ReadError>(())
        })?;
        Ok(())
    }

    fn release(&self, py: Python<'_>) {
        py.detach(|| {
            let held = self.0.opened().held.take();
            drop(held);
        });
    }

    fn documents(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(py.detach(|| Ok::<_, ReadError>(self.0.store()?.totals()?.documents()))?)
    }

    fn version(&self, py: Python<'_>) -> PyResult<String> {
        Ok(py.detach(|| Ok::<_, ReadError>(self.0.store()?.version()?.to_string()))?)
    }

    /// Returns the document with this id or URL as JSON.
    fn get(&self, py: Python<'_>, key: &str) -> PyResult<Option<String>> {
        let read = || {
            let store = self.0.store()?;
            let found = match key.parse::<DocumentId>() {
                Ok(id) => store.document(id)?,
                Err(_) => store.document_at(&CanonicalUrl::parse(key).map_err(|refusal| {
                    ReadError::Input(format!("{key:?} is neither the id of a document nor a URL: {refusal}"))
                })?)?,
            };
            let Some(document) = found else { return Ok(None) };
            let context = self.0.context(&store)?.read(&document)?;
            Ok::<_, ReadError>(Some(json(&Record::new(&document, &context))))
        };
        Ok(py.detach(read)?)
    }

    #[expect(clippy::too_many_arguments, reason = "they are the options of `gleaner export`")]
    fn select(
        &self,
        language: Vec<String>,
        host: Vec<String>,
        exclude_host: Vec<String>,
        exclude_url: Vec<String>,
        conditions: Vec<String>,
        since: Option<String>,
        until: Option<String>,
        published_from: Option<String>,
        published_to: Option<String>,
        allowed: Vec<String>,
        explicitly_allowed: Vec<String>,
        members: bool,
        confidence: f64,
        limit: Option<u64>,
        skip_unreadable: bool,
    ) -> PyResult<Selected> {
        let request = SelectionRequest {
            languages: language,
            since,
            until,
            published_from,
            published_to,
            exclude_urls: exclude_url,
            conditions,
            confidence,
        };
        let filter = request.filter(|name| name.replace('-', "_")).map_err(ReadError::Input)?;
        let filter = Filter {
            hosts: hosts("host", &host)?,
            excluded_hosts: hosts("exclude_host", &exclude_host)?,
            allowed: purposes("allowed", &allowed)?,
            explicitly_allowed: purposes("explicitly_allowed", &explicitly_allowed)?,
            members,
            limit,
            ..filter
        };
        Ok(Selected { place: Arc::clone(&self.0), filter, skip_unreadable })
    }
}

fn hosts(name: &str, texts: &[String]) -> Result<Vec<String>, ReadError> {
    let read = |text: &String| {
        CanonicalUrl::host_named(text)
            .map_err(|refusal| ReadError::Input(format!("{name} {text}: {refusal}")))
    };
    texts.iter().map(read).collect()
}

fn purposes(name: &str, texts: &[String]) -> Result<Vec<Purpose>, ReadError> {
    let read = |text: &String| text.parse().map_err(|error| ReadError::Input(format!("{name}: {error}")));
    texts.iter().map(read).collect()
}

/// Returns the record as `gleaner export --format jsonl` writes it.
fn json(record: &Record) -> String {
    let mut line = Vec::new();
    json_lines::render(record, &Fields::default(), &mut line);
    String::from_utf8(line).expect("JSON is UTF-8")
}

/// Documents that a filter selects. Each reading reads them from the corpus again.
#[pyclass(frozen, module = "gleaner._engine")]
pub(crate) struct Selected {
    place: Arc<Place>,
    filter: Filter,
    skip_unreadable: bool,
}

impl Selected {
    fn begin(&self) -> Result<Reading, ReadError> {
        let store = self.place.store()?;
        require_known(&store, &self.filter)?;
        Ok(Reading {
            documents: Box::new(store.documents()),
            context: self.place.context(&store)?,
            selection: Selection::new(self.filter.clone(), FilterCounts::default()),
            skip_unreadable: self.skip_unreadable,
            _store: store,
        })
    }
}

#[pymethods]
impl Selected {
    fn read(&self, py: Python<'_>) -> PyResult<Reader> {
        Ok(Reader(Mutex::new(Some(py.detach(|| self.begin())?))))
    }

    /// Returns an Arrow stream of these fields, separated by commas, or of all fields.
    fn stream<'py>(&self, py: Python<'py>, fields: Option<&str>) -> PyResult<Bound<'py, PyCapsule>> {
        let fields = chosen(fields)?;
        let reading = py.detach(|| self.begin())?;
        arrow::stream(py, fields, reading)
    }
}

/// Returns the fields that a text names, or all.
fn chosen(fields: Option<&str>) -> Result<Fields, ReadError> {
    let named = |text: &str| text.parse().map_err(|error| ReadError::Input(format!("fields: {error}")));
    fields.map_or_else(|| Ok(Fields::default()), named)
}

#[pyfunction]
pub(crate) fn require_fields(fields: &str) -> PyResult<()> {
    Ok(chosen(Some(fields)).map(drop)?)
}

/// Refuses a filter that names only languages that the corpus does not have, or a host that it does not know, as
/// `gleaner export` does.
fn require_known(store: &Store, filter: &Filter) -> Result<(), ReadError> {
    let refused = |option, wanted, what, known: Vec<String>| {
        Err(ReadError::Corpus(unmatched(option, wanted, what, &known)))
    };
    let languages: Vec<String> = store.totals()?.languages.into_keys().collect();
    if !filter.languages.is_empty() && !filter.languages.iter().any(|tag| languages.contains(tag)) {
        return refused("language", &filter.languages, "languages", languages);
    }
    if filter.hosts.is_empty() {
        return Ok(());
    }
    let mut hosts: Vec<String> =
        store.hosts().map(|host| host.map(|host| host.name)).collect::<Result<_, _>>()?;
    let is_unknown = |wanted: &&String| !hosts.iter().any(|host| is_of_host(host, wanted));
    let unknown: Vec<String> = filter.hosts.iter().filter(is_unknown).cloned().collect();
    if unknown.is_empty() {
        return Ok(());
    }
    hosts.sort_by_key(|host| !unknown.iter().any(|wanted| host.contains(wanted.as_str())));
    refused("host", &unknown, "hosts", hosts)
}

/// A pass over the documents of a corpus.
pub(crate) struct Reading {
    documents: Box<dyn Iterator<Item = Result<Document, StoreError>> + Send>,
    context: ContextReader,
    selection: Selection,
    skip_unreadable: bool,
    /// Keeps the store open.
    _store: Arc<Store>,
}

/// What a part of a pass found.
pub(crate) enum Step<T> {
    Found(T),
    /// None of the documents that were read is selected.
    Nothing,
    End,
}

impl Reading {
    /// Reads documents until one is selected, but at most [`MAX_STEPS`], and returns what `render` makes of it.
    pub(crate) fn step<T>(&mut self, render: impl FnOnce(&Record) -> T) -> Result<Step<T>, StoreError> {
        for _ in 0..MAX_STEPS {
            if self.selection.is_full() {
                return Ok(Step::End);
            }
            let document = match self.documents.next() {
                None => return Ok(Step::End),
                Some(Err(StoreError::Lost { .. })) if self.skip_unreadable => continue,
                Some(document) => document?,
            };
            let context = self.context.read(&document)?;
            if let Some(record) = self.selection.take(&document, &context) {
                return Ok(Step::Found(render(&record)));
            }
        }
        Ok(Step::Nothing)
    }
}

/// An iterator of documents as JSON. `None` at its end, when the store may be closed.
#[pyclass(frozen, module = "gleaner._engine")]
pub(crate) struct Reader(Mutex<Option<Reading>>);

#[pymethods]
impl Reader {
    const fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<String>> {
        loop {
            match py.detach(|| self.step())? {
                Step::Found(document) => return Ok(Some(document)),
                Step::Nothing => py.check_signals()?,
                Step::End => return Ok(None),
            }
        }
    }
}

impl Reader {
    fn step(&self) -> Result<Step<String>, ReadError> {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pass) = reading.as_mut() else { return Ok(Step::End) };
        let step = pass.step(json)?;
        if matches!(step, Step::End) {
            *reading = None;
        }
        Ok(step)
    }
}
