//! A Parquet file of documents from which single documents can be read again.
//!
//! The columns are those fields of an export that depend only on a document and its revision number. The rows
//! are sorted by id. Therefore the statistics in the footer show which row groups can contain a document. A
//! reader needs the footer and one row group. The caller reads both from the file.
//!
//! Limitation: times are stored in microseconds, so nanoseconds are lost.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use gleaner_corpus::{ContentHash, Document, DocumentId, Extras, Preference, Share, Usage, document_fields};
use jiff::Timestamp;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedRowGroupReader;
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};

use crate::format::parquet::{Parquet, io_error};
use crate::record::FIELDS;
use crate::{Fields, Record, RecordContext};

/// Size of a row group before compression, in bytes. A reader of one document decodes a whole group.
const GROUP: u64 = 1 << 20;

/// Number of bytes at the end of a file that contain the length of the footer and the mark `PAR1`.
pub const END: u64 = 8;

/// Returns the columns of the file.
#[must_use]
pub fn fields() -> Fields {
    let lasting = FIELDS.iter().filter(|field| !field.changes());
    let names: Vec<&str> = lasting.map(|field| field.name).collect();
    names.join(",").parse().expect("these are names of fields")
}

/// Writes a file. The caller passes the documents in the order of their ids and revisions.
#[derive(Debug)]
pub struct DocumentFileWriter<W: Write + Send>(Parquet<W>);

impl<W: Write + Send> DocumentFileWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// An error means that `out` cannot be written.
    pub fn new(out: W) -> io::Result<Self> {
        Parquet::new(out, &fields(), GROUP).map(Self)
    }

    /// Writes a document. `revision` is the number of its revision, from 1.
    ///
    /// # Errors
    /// An error means that the file cannot be written.
    pub fn write(&mut self, revision: u32, document: &Document) -> io::Result<()> {
        let context = RecordContext { earlier: revision.saturating_sub(1), ..RecordContext::default() };
        self.0.write(&Record::new(document, &context))
    }

    /// Writes the footer and returns the writer.
    ///
    /// # Errors
    /// An error means that the file cannot be written.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

/// A document in a file, with the number of its revision.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDocument {
    /// The number of the revision, from 1.
    pub revision: u32,
    /// The document.
    pub document: Document,
}

/// The footer of a file.
#[derive(Debug, Clone)]
pub struct DocumentFile(Arc<ParquetMetaData>);

/// Returns the length of the footer from the last [`END`] bytes of a file.
///
/// # Errors
/// The bytes are not the end of a Parquet file.
pub fn footer_length(end: &[u8]) -> io::Result<u64> {
    match end {
        [length @ .., b'P', b'A', b'R', b'1'] if length.len() == 4 => {
            Ok(u32::from_le_bytes(std::array::from_fn(|at| length[at])).into())
        }
        _ => Err(damaged("it does not end like a Parquet file")),
    }
}

impl DocumentFile {
    /// Parses the footer, which comes before the last [`END`] bytes of a file.
    ///
    /// # Errors
    /// The footer is damaged.
    pub fn from_footer(footer: &[u8]) -> io::Result<Self> {
        ParquetMetaDataReader::decode_metadata(footer)
            .map(|metadata| Self(Arc::new(metadata)))
            .map_err(io_error)
    }

    /// Returns the number of row groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.0.num_row_groups()
    }

    /// Returns the indexes of the row groups that may contain the document `id`.
    #[must_use]
    pub fn groups_with(&self, id: DocumentId) -> Vec<usize> {
        let id = id.to_string();
        let may_have = |group: &RowGroupMetaData| {
            let known = group.columns().first().and_then(|ids| ids.statistics());
            let ends = known.and_then(|known| Some((known.min_bytes_opt()?, known.max_bytes_opt()?)));
            ends.is_none_or(|(least, most)| (least..=most).contains(&id.as_bytes()))
        };
        let groups = self.0.row_groups().iter().enumerate();
        groups.filter(|(_, group)| may_have(group)).map(|(at, _)| at).collect()
    }

    /// Returns the byte range of the row group with the index `group` in the file.
    #[must_use]
    pub fn range(&self, group: usize) -> Range<u64> {
        let columns = self.0.row_group(group).columns();
        let ranges = columns.iter().map(|column| column.byte_range());
        let ends = ranges.clone().map(|(begin, length)| begin + length);
        ranges.map(|(begin, _)| begin).min().unwrap_or(0)..ends.max().unwrap_or(0)
    }

    /// Reads the documents of a row group. `bytes` is the content of its [`range`](Self::range).
    ///
    /// # Errors
    /// The row group is damaged.
    pub fn read(&self, group: usize, bytes: Vec<u8>) -> io::Result<Vec<StoredDocument>> {
        let part = Arc::new(Part { begin: self.range(group).start, bytes: bytes.into() });
        let properties = Arc::new(ReaderProperties::builder().build());
        let index = self.0.page_index_for_row_group(group);
        let reader = SerializedRowGroupReader::new(part, self.0.row_group(group), index, properties)
            .map_err(io_error)?;
        let rows = RowIter::from_row_group(None, &reader).map_err(io_error)?;
        rows.map(|row| {
            let row = row.map_err(io_error)?;
            document(row).ok_or_else(|| damaged("a column is missing"))
        })
        .collect()
    }
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// A part of a file, from the offset `begin`.
struct Part {
    begin: u64,
    bytes: Bytes,
}

impl Part {
    fn offset(&self, start: u64) -> Result<u64, ParquetError> {
        start.checked_sub(self.begin).ok_or_else(|| ParquetError::EOF("before the row group".into()))
    }
}

impl Length for Part {
    fn len(&self) -> u64 {
        self.begin + self.bytes.len() as u64
    }
}

impl ChunkReader for Part {
    type T = <Bytes as ChunkReader>::T;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        self.bytes.get_read(self.offset(start)?)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.bytes.get_bytes(self.offset(start)?, length)
    }
}

/// Reads a row. Returns `None` if a column is missing or has another type.
fn document(row: Row) -> Option<StoredDocument> {
    let mut columns: HashMap<String, Field> = row.into_columns().into_iter().collect();
    let mut take = |name: &str| columns.remove(name);
    let mut document = Document::default();
    macro_rules! read {
        ($($(#[doc = $meaning:literal])* $name:ident: $type:ty, $from:ident, $scope:ident, $position:tt;)*) => {
            $(document.$name = FromColumn::from_column(take(stringify!($name)))?;)*
        };
    }
    document_fields!(stored read);
    let [comments, captions, links, link_texts] =
        ["comments", "captions", "links", "link_texts"].map(|name| FromColumn::from_column(take(name)));
    document.extras =
        Extras { comments: comments?, captions: captions?, links: links?, link_texts: link_texts? };
    document.usage = Usage {
        use_train_ai: FromColumn::from_column(take("use_train_ai"))?,
        use_search: FromColumn::from_column(take("use_search"))?,
        use_ai_input: FromColumn::from_column(take("use_ai_input"))?,
        use_tdm: FromColumn::from_column(take("use_tdm"))?,
        use_statements: FromColumn::from_column(take("use_statements"))?,
        barred_agents: FromColumn::from_column(take("barred_agents"))?,
        robots_fetched: FromColumn::from_column(take("robots_fetched"))?,
        tdmrep_fetched: FromColumn::from_column(take("tdmrep_fetched"))?,
    };
    let Some(Field::Long(revision)) = take("revision") else { return None };
    Some(StoredDocument { revision: u32::try_from(revision).ok()?, document })
}

/// Reads a value of a column. Older files lack columns, and only required values make this an error (`None`).
trait FromColumn: Sized {
    fn from_column(column: Option<Field>) -> Option<Self>;
}

#[rustfmt::skip]
macro_rules! columns {
    ($($type:ty: |$column:ident| $read:expr;)*) => {$(
        impl FromColumn for $type { fn from_column($column: Option<Field>) -> Option<Self> { $read } }
    )*};
}

columns! {
    String: |column| text(column?);
    DocumentId: |column| text(column?)?.parse().ok();
    ContentHash: |column| text(column?)?.parse().ok();
    Timestamp: |column| time(column?);
    Preference: |column| Some(column.and_then(text).and_then(|name| Preference::from_name(&name)).unwrap_or_default());
    Option<String>: |column| Some(column.and_then(text));
    Option<Timestamp>: |column| Some(column.and_then(time));
    Option<bool>: |column| match column { Some(Field::Bool(flag)) => Some(Some(flag)), _ => Some(None) };
    Option<u32>: |column| match column { Some(Field::Int(it)) => Some(u32::try_from(it).ok()), _ => Some(None) };
    // A share of hundredths has an exact value of up to three digits.
    Option<Share>: |column| match column {
        Some(Field::Double(it)) if (0.0..=2.55).contains(&it) => Some(Some((it * 100.0).round() as Share)),
        _ => Some(None),
    };
    Vec<String>: |column| match column {
        Some(Field::ListInternal(list)) => list.elements().iter().cloned().map(text).collect(),
        _ => Some(Vec::new()),
    };
}

fn text(column: Field) -> Option<String> {
    match column {
        Field::Str(text) => Some(text),
        _ => None,
    }
}

fn time(column: Field) -> Option<Timestamp> {
    match column {
        Field::TimestampMicros(micros) => Timestamp::from_microsecond(micros).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::documents;

    fn file(documents: &[Document]) -> (DocumentFile, Vec<u8>) {
        let mut file = DocumentFileWriter::new(Vec::new()).unwrap();
        for (document, revision) in documents.iter().zip(1..) {
            file.write(revision, document).unwrap();
        }
        let bytes = file.finish().unwrap();
        let end = bytes.len() - END as usize;
        let length = footer_length(&bytes[end..]).unwrap() as usize;
        (DocumentFile::from_footer(&bytes[end - length..end]).unwrap(), bytes)
    }

    fn read(file: &DocumentFile, bytes: &[u8], group: usize) -> Vec<StoredDocument> {
        let range = file.range(group);
        file.read(group, bytes[range.start as usize..range.end as usize].to_vec()).unwrap()
    }

    #[test]
    fn no_column_depends_on_what_changes_later() {
        let documents = documents();
        let without = RecordContext::default();
        let with = RecordContext {
            urls: vec!["http://a.example/".into()],
            representative: Some(DocumentId([9; 16])),
            similarity: Some(0.5),
            near_duplicates: 1,
            related: vec!["1".into()],
            removed: vec!["2".into()],
            archived: Some(("a.warc.gz".into(), 1)),
            gone: Some(Timestamp::UNIX_EPOCH),
            tagged: None,
            page: None,
            // The number of the revision, which does not change.
            earlier: without.earlier,
        };
        let records = [&without, &with].map(|context| Record::new(&documents[0], context));
        for field in FIELDS.iter() {
            let [one, other] = records.each_ref().map(|record| field.value(record));
            assert_eq!(one != other, field.changes(), "{}", field.name);
        }
    }

    #[test]
    fn documents_come_back_with_all_their_fields() {
        let (file, bytes) = {
            let mut documents = documents();
            documents.sort_by_key(|document| document.id);
            file(&documents)
        };
        let read = read(&file, &bytes, 0);
        let mut expected = documents();
        expected.sort_by_key(|document| document.id);
        for document in &mut expected {
            document.fetched = Timestamp::from_microsecond(document.fetched.as_microsecond()).unwrap();
        }
        assert_eq!(read.iter().map(|stored| stored.revision).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(read.into_iter().map(|stored| stored.document).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_document_is_found_by_the_statistics_of_the_groups() {
        let document = |number: u8| {
            let text = format!("{number} {}", "rain ".repeat(60_000));
            Document::with_text(
                DocumentId([number; 16]),
                "http://a.example/",
                "a.example",
                text,
                Timestamp::UNIX_EPOCH,
            )
        };
        let (file, bytes) = file(&(1..=20).map(document).collect::<Vec<_>>());
        assert!(file.groups() > 3, "{}", file.groups());
        for number in 1..=20 {
            let groups = file.groups_with(DocumentId([number; 16]));
            assert_eq!(groups.len(), 1);
            let found = read(&file, &bytes, groups[0]);
            assert!(found.iter().any(|stored| stored.document == document(number)));
        }
        assert_eq!(file.groups_with(DocumentId([200; 16])), [0; 0]);
    }

    #[test]
    fn damage_is_an_error() {
        let (file, bytes) = file(&documents());
        assert!(footer_length(b"PAR1PAR2").is_err());
        assert!(DocumentFile::from_footer(&bytes[..20]).is_err());
        assert!(file.read(0, vec![7; 40]).is_err());
    }
}
