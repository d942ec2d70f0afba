//! Merges files of documents into a Parquet file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use gleaner_corpus::DocumentId;
use gleaner_export::document_file::DocumentFileWriter;
use tracing::warn;

use super::plan::{Batch, Input, day};
use super::replace;
use crate::engine::postgres::compaction::{MovedFile, TextRow};
use crate::engine::postgres::{Postgres, all_documents, is_of_one};
use crate::files::{DOCUMENTS_FOLDER, revisions_beside};
use crate::packed::unpack;
use crate::records::PackedInfo;
use crate::{PackedDocument, StoreError};

/// A text in a file. `packed` is the compressed document.
struct Text {
    id: DocumentId,
    place: TextPlace,
    packed: Vec<u8>,
}

enum TextPlace {
    /// In the file of a flush.
    Flushed { file: u32, offset: u64 },
    /// In a Parquet file. `revision` is the number of an earlier revision, or `None` for the document itself.
    Open { input: usize, revision: Option<u32> },
}

/// Texts by document id and revision number.
type Texts = BTreeMap<(DocumentId, u32), Vec<u8>>;

/// Merges files of documents. Returns the number of replaced objects. Returns 0 if no file is readable, or if
/// another process has merged one of the files.
pub(super) fn merge(engine: &Postgres, batch: &Batch) -> Result<usize, StoreError> {
    // The number is assigned before the rows are read, so later texts of a document are in files with higher
    // numbers.
    let number = engine.assign_number("files")?;
    let (batch, texts) = read(engine, batch)?;
    if batch.inputs.is_empty() {
        return Ok(0);
    }
    let ids: Vec<DocumentId> = texts.iter().map(|text| text.id).collect::<HashSet<_>>().into_iter().collect();
    let rows = engine.text_rows(&ids)?;
    let (documents, revisions) = valid(&batch, texts, &rows);
    let name = format!("{DOCUMENTS_FOLDER}/date={}/{number:010}.parquet", day(batch.at));
    let mut new = vec![name.clone()];
    if let Some(name) = revisions_beside(&name).filter(|_| !revisions.is_empty()) {
        engine.objects().put(&name, parquet(&revisions)?)?;
        new.push(name);
    }
    let (content, records) = (parquet(&documents)?, documents.len() as u64);
    let mut bytes = content.len() as u64;
    engine.objects().put(&name, content)?;
    let mut moved = Vec::new();
    for Input { name: from, files } in &batch.inputs {
        for (number, _) in files {
            let records = if moved.is_empty() { records } else { 0 };
            let bytes = std::mem::take(&mut bytes);
            moved.push(MovedFile { number: *number, from: from.clone(), offset: 0, bytes, records });
        }
    }
    replace(engine, "documents", &batch, &moved, &new)
}

/// Reads the files of a batch. Omits unreadable files.
fn read(engine: &Postgres, batch: &Batch) -> Result<(Batch, Vec<Text>), StoreError> {
    let mut readable = Batch { at: batch.at, inputs: Vec::new() };
    let mut texts = Vec::new();
    for input in &batch.inputs {
        match texts_of(engine, input, readable.inputs.len()) {
            Ok(found) => {
                texts.extend(found);
                readable.inputs.push(input.clone());
            }
            Err(error) if is_of_one(&error) => {
                warn!(object = input.name, %error, "a file cannot be merged; `gleaner verify` names its documents");
            }
            Err(error) => return Err(error),
        }
    }
    Ok((readable, texts))
}

fn texts_of(engine: &Postgres, input: &Input, at: usize) -> Result<Vec<Text>, StoreError> {
    let Some(revisions) = revisions_beside(&input.name) else {
        let file = input.files.first().map_or(0, |(number, _)| *number);
        return flushed(file, &engine.objects().get(&input.name)?);
    };
    let mut texts = Vec::new();
    for (name, is_revision) in [(&input.name, false), (&revisions, true)] {
        let documents = match all_documents(engine.objects(), name) {
            // Few files have earlier revisions.
            Err(StoreError::Objects(error)) if is_revision && error.is_missing() => continue,
            documents => documents?,
        };
        texts.extend(documents.into_iter().map(|stored| Text {
            id: stored.document.id,
            place: TextPlace::Open { input: at, revision: is_revision.then_some(stored.revision) },
            packed: PackedDocument::unsigned(stored.document).bytes,
        }));
    }
    Ok(texts)
}

/// Splits the file of a flush into its documents.
fn flushed(file: u32, content: &[u8]) -> Result<Vec<Text>, StoreError> {
    let mut rest = content;
    let mut texts = Vec::new();
    while !rest.is_empty() {
        let offset = content.len() - rest.len();
        let _: PackedInfo = rmp_serde::from_read(&mut rest).map_err(|error| StoreError::Damaged {
            what: "a file of documents",
            reason: error.to_string(),
        })?;
        let packed_document = &content[offset..content.len() - rest.len()];
        // If a text is damaged, the whole file stays as it is.
        let id = unpack(packed_document)?.id;
        texts.push(Text {
            id,
            place: TextPlace::Flushed { file, offset: offset as u64 },
            packed: packed_document.to_vec(),
        });
    }
    Ok(texts)
}

/// Returns the documents and the earlier revisions to which rows refer.
fn valid(batch: &Batch, texts: Vec<Text>, rows: &[TextRow]) -> (Texts, Texts) {
    let flushed: HashMap<(u32, u64), &TextRow> =
        rows.iter().map(|row| ((row.file, row.offset), row)).collect();
    let newest = rows.iter().filter(|row| row.is_newest).map(|row| ((row.id, None), row));
    let earlier = rows.iter().filter(|row| !row.is_newest).map(|row| ((row.id, Some(row.revision)), row));
    let open: HashMap<(DocumentId, Option<u32>), &TextRow> = newest.chain(earlier).collect();
    let files: Vec<HashSet<u32>> =
        batch.inputs.iter().map(|input| input.files.iter().map(|(number, _)| *number).collect()).collect();
    let (mut documents, mut revisions) = (Texts::new(), Texts::new());
    for text in texts {
        let row = match text.place {
            TextPlace::Flushed { file, offset } => flushed.get(&(file, offset)).copied(),
            TextPlace::Open { input, revision } => {
                open.get(&(text.id, revision)).copied().filter(|row| files[input].contains(&row.file))
            }
        };
        if let Some(TextRow { id, revision, is_newest, .. }) = row.filter(|row| row.id == text.id) {
            let texts = if *is_newest { &mut documents } else { &mut revisions };
            texts.insert((*id, *revision), text.packed);
        }
    }
    (documents, revisions)
}

fn parquet(texts: &Texts) -> Result<Vec<u8>, StoreError> {
    let wrong =
        |error: io::Error| StoreError::Damaged { what: "a file of documents", reason: error.to_string() };
    let mut file = DocumentFileWriter::new(Vec::new()).map_err(wrong)?;
    for ((_, revision), packed) in texts {
        file.write(*revision, &unpack(packed)?).map_err(wrong)?;
    }
    file.finish().map_err(wrong)
}
