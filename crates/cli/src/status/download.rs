//! Exports all results of a search as JSON Lines, in the same format as `gleaner export`.
//!
//! A download keeps only the ids of its documents and at most one batch of records in memory. It reads the
//! next batch after the client has received the previous one. Therefore a slow client blocks no thread and
//! needs little memory.

use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use gleaner_corpus::{Document, DocumentId};
use gleaner_crawl::archive_folder;
use gleaner_export::format::json_lines;
use gleaner_export::{Fields, Record};
use gleaner_store::ContextReader;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;
use tracing::error;

use crate::status::app_state::AppState;
use crate::status::language::quoted;
use crate::status::pages::{self, error_response};
use crate::status::request::PageRequest;

pub(crate) const MAX_DOCUMENTS: usize = 10_000;

const BATCH: usize = 50;

struct Download {
    app: Arc<AppState>,
    context: ContextReader,
    ids: Vec<DocumentId>,
    done: usize,
    /// Limits the number of simultaneous downloads.
    _permit: OwnedSemaphorePermit,
}

pub(crate) async fn search(State(app): State<Arc<AppState>>, request: PageRequest) -> Response {
    let query = match pages::search::parse_query(&request) {
        Ok(query) => query,
        Err(message) => {
            return error_response(&request, StatusCode::BAD_REQUEST, message.in_language(request.language));
        }
    };
    let Ok(permit) = Arc::clone(&app.download_permits).try_acquire_owned() else {
        let message = request.translate(
            "Two downloads are already running; try again when one has ended.",
            "Đang có hai lượt tải xuống; hãy thử lại khi một lượt kết thúc.",
        );
        return error_response(&request, StatusCode::SERVICE_UNAVAILABLE, message);
    };
    let started = spawn_blocking(move || {
        let failed = |error: &dyn std::fmt::Display| quoted("không tải xuống được", error);
        let found = app.search.find(&query, 0, MAX_DOCUMENTS).map_err(|error| failed(&error))?;
        let ids = found.documents.into_iter().map(|found| found.id).collect();
        let context = ContextReader::new(app.corpus.store.clone(), &archive_folder(&app.corpus.config));
        let context = context.map_err(|error| failed(&error))?;
        Ok(Download { app, context, ids, done: 0, _permit: permit })
    });
    match started.await.unwrap_or_else(|error| Err(quoted("gleaner gặp lỗi", error))) {
        Ok(download) => {
            let headers = [
                (CONTENT_TYPE, "application/x-ndjson"),
                (CONTENT_DISPOSITION, "attachment; filename=\"gleaner-search.jsonl\""),
            ];
            (headers, Body::from_stream(lines(download))).into_response()
        }
        Err(message) => {
            error!(message = message.english, "a download of the status page failed");
            let message = message.in_language(request.language);
            error_response(&request, StatusCode::INTERNAL_SERVER_ERROR, message)
        }
    }
}

/// Returns the lines in batches. An error ends the response early, so that the client notices the error.
fn lines(download: Download) -> impl Stream<Item = io::Result<Bytes>> {
    stream::try_unfold(download, async |mut download| {
        if download.done >= download.ids.len() {
            return Ok(None);
        }
        let read = spawn_blocking(move || download.read().map(|batch| (Bytes::from(batch), download)));
        let read = read.await.map_err(io::Error::other).flatten();
        read.map(Some).inspect_err(|error| error!(%error, "a download of the status page failed"))
    })
}

impl Download {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let ids = self.ids.iter().skip(self.done).take(BATCH);
        let mut batch = Vec::new();
        for id in ids {
            // A document can be missing because it was removed after the last index update.
            let Some(document) = self.app.corpus.store.document(*id).map_err(io::Error::other)? else {
                continue;
            };
            batch.extend(line(&self.context, &document)?);
        }
        self.done += BATCH;
        Ok(batch)
    }
}

/// Returns a document's export record as one line of JSON, with the line end.
pub(crate) fn line(context: &ContextReader, document: &Document) -> io::Result<Vec<u8>> {
    let context = context.read(document).map_err(io::Error::other)?;
    let mut line = Vec::new();
    json_lines::render(&Record::new(document, &context), &Fields::default(), &mut line);
    Ok(line)
}
