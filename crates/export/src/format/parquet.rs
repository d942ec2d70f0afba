//! Writes Apache Parquet: one column per field, rows in groups, compressed with zstd.
//!
//! The code uses the crate `parquet` without Arrow, which would add a dozen crates. Rows are buffered until
//! their texts and lists reach the size of a group, and are then written as one row group. Writing needs
//! about twice the group size in memory.
//!
//! [`FieldType`] defines the types. A text is `BYTE_ARRAY (STRING)`. A list is the three-level `LIST` of the
//! specification. A time is `INT64 (TIMESTAMP, microseconds, UTC)`, because Python's dates cannot represent
//! nanoseconds. Nanoseconds are truncated.
//!
//! Limitation: a document is never split, so a text of 100 MB makes a row group of at least this size. The
//! text column has no statistics, because range searches on it are useless.

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use crate::Record;
use crate::record::{Cell, Field, FieldType, Fields};

const ZSTD_LEVEL: i32 = 3;

/// Columns whose values rarely repeat. They are written without a dictionary, because a dictionary would not
/// make them smaller.
const UNIQUE: [&str; 4] = ["id", "url", "content_hash", "text"];

/// A writer of one Parquet file.
#[derive(Debug)]
pub struct Parquet<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    buffered: u64,
    /// Size in bytes at which a row group is written.
    group: u64,
}

impl<W: Write + Send> Parquet<W> {
    /// Begins a file with these fields as columns. `group` is the approximate size of a row group in bytes.
    ///
    /// # Errors
    /// An error means that `out` cannot be written.
    pub fn new(out: W, fields: &Fields, group: u64) -> io::Result<Self> {
        let schema = parse_message_type(&schema(fields)).expect("the schema is made of the fields");
        let file =
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties())).map_err(io_error)?;
        Ok(Self { file, columns: fields.iter().map(Column::new).collect(), buffered: 0, group })
    }

    /// Buffers one row. Writes the row group if it is full.
    ///
    /// # Errors
    /// An error means that the file cannot be written.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        for column in &mut self.columns {
            self.buffered += column.push(column.field.value(record));
        }
        if self.buffered >= self.group { self.write_group() } else { Ok(()) }
    }

    /// Returns the inner writer, to which the row groups so far were written.
    pub fn inner(&self) -> &W {
        self.file.inner()
    }

    /// Writes the last row group and the footer. Returns the writer.
    ///
    /// # Errors
    /// An error means that the file cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if self.buffered > 0 {
            self.write_group()?;
        }
        self.file.into_inner().map_err(io_error)
    }

    fn write_group(&mut self) -> io::Result<()> {
        let mut group = self.file.next_row_group().map_err(io_error)?;
        for column in &mut self.columns {
            let writer = group.next_column().map_err(io_error)?;
            column.write(writer.expect("there are as many columns as fields"))?;
        }
        group.close().map_err(io_error)?;
        self.buffered = 0;
        Ok(())
    }
}

fn schema(fields: &Fields) -> String {
    let column = |&Field { name, kind, .. }: &Field| match kind {
        FieldType::Text => format!("required binary {name} (STRING);"),
        FieldType::OptionalText => format!("optional binary {name} (STRING);"),
        FieldType::Texts => format!(
            "required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }}"
        ),
        FieldType::Time => format!("required int64 {name} (TIMESTAMP(MICROS,true));"),
        FieldType::OptionalTime => format!("optional int64 {name} (TIMESTAMP(MICROS,true));"),
        FieldType::OptionalFlag => format!("optional boolean {name};"),
        FieldType::Count => format!("required int64 {name};"),
        FieldType::OptionalCount => format!("optional int64 {name};"),
        FieldType::OptionalSmallCount => format!("optional int32 {name};"),
        FieldType::Number => format!("required double {name};"),
        FieldType::OptionalNumber => format!("optional double {name};"),
    };
    let columns: Vec<String> = fields.iter().map(column).collect();
    format!("message document {{ {} }}", columns.join(" "))
}

pub(crate) fn properties() -> WriterProperties {
    let level = ZstdLevel::try_new(ZSTD_LEVEL).expect("zstd has this level");
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by(concat!("gleaner ", env!("CARGO_PKG_VERSION")).into())
        .set_column_statistics_enabled(ColumnPath::from("text"), EnabledStatistics::None);
    let plain = |properties, name| {
        parquet::file::properties::WriterPropertiesBuilder::set_column_dictionary_enabled(
            properties,
            ColumnPath::from(name),
            false,
        )
    };
    UNIQUE.into_iter().fold(properties, plain).build()
}

/// Returns the system error in an error, if there is one. Callers use it to detect a full disk.
pub(crate) fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(inner) => *inner,
            Err(inner) => io::Error::other(inner),
        },
        other => io::Error::other(other),
    }
}

#[derive(Debug)]
struct Column {
    values: Values,
    /// The Parquet definition level of each entry. Empty for required columns.
    definition: Vec<i16>,
    /// The Parquet repetition level of each entry: 0 for a row's first entry, 1 for its further entries.
    /// Empty for columns without lists.
    repetition: Vec<i16>,
    field: &'static Field,
}

#[derive(Debug)]
enum Values {
    Text(Vec<ByteArray>),
    Long(Vec<i64>),
    Int(Vec<i32>),
    Number(Vec<f64>),
    Flag(Vec<bool>),
}

impl Column {
    fn new(field: &'static Field) -> Self {
        let values = match field.kind {
            FieldType::Text | FieldType::OptionalText | FieldType::Texts => Values::Text(Vec::new()),
            FieldType::Time | FieldType::OptionalTime | FieldType::Count | FieldType::OptionalCount => {
                Values::Long(Vec::new())
            }
            FieldType::OptionalFlag => Values::Flag(Vec::new()),
            FieldType::OptionalSmallCount => Values::Int(Vec::new()),
            FieldType::Number | FieldType::OptionalNumber => Values::Number(Vec::new()),
        };
        Self { values, definition: Vec::new(), repetition: Vec::new(), field }
    }

    fn push(&mut self, cell: Cell) -> u64 {
        match (&mut self.values, cell) {
            (Values::Text(values), Cell::Text(text)) => {
                self.definition.push(i16::from(text.is_some()));
                values.extend(text.map(ByteArray::from));
                1 + text.map_or(0, |text| text.len() as u64)
            }
            (Values::Text(values), Cell::Texts(texts)) => {
                values.extend(texts.iter().map(|text| ByteArray::from(text.as_str())));
                // An empty list also needs an entry, with definition level 0.
                let entries = texts.len().max(1);
                self.definition.extend(std::iter::repeat_n(i16::from(!texts.is_empty()), entries));
                self.repetition.extend((0..entries).map(|at| i16::from(at > 0)));
                1 + texts.iter().map(|text| text.len() as u64).sum::<u64>()
            }
            (Values::Long(values), Cell::Time(time)) => {
                self.definition.push(i16::from(time.is_some()));
                values.extend(time.map(Timestamp::as_microsecond));
                8
            }
            (Values::Long(values), Cell::Long(count)) => {
                self.definition.push(i16::from(count.is_some()));
                values.extend(count);
                8
            }
            (Values::Int(values), Cell::Int(count)) => {
                self.definition.push(i16::from(count.is_some()));
                values.extend(count);
                4
            }
            (Values::Flag(values), Cell::Flag(flag)) => {
                self.definition.push(i16::from(flag.is_some()));
                values.extend(flag);
                1
            }
            (Values::Number(values), Cell::Number(number)) => {
                self.definition.push(i16::from(number.is_some()));
                values.extend(number);
                8
            }
            (values, cell) => unreachable!("{cell:?} in a column of {values:?}"),
        }
    }

    fn write(&mut self, mut writer: SerializedColumnWriter) -> io::Result<()> {
        let kind = self.field.kind;
        let is_required =
            matches!(kind, FieldType::Text | FieldType::Time | FieldType::Count | FieldType::Number);
        let definition = (!is_required).then_some(&*self.definition);
        let repetition = (kind == FieldType::Texts).then_some(&*self.repetition);
        match &self.values {
            Values::Text(values) => batch::<ByteArrayType>(&mut writer, values, definition, repetition),
            Values::Long(values) => batch::<Int64Type>(&mut writer, values, definition, repetition),
            Values::Int(values) => batch::<Int32Type>(&mut writer, values, definition, repetition),
            Values::Flag(values) => batch::<BoolType>(&mut writer, values, definition, repetition),
            Values::Number(values) => batch::<DoubleType>(&mut writer, values, definition, repetition),
        }?;
        writer.close().map_err(io_error)?;
        *self = Self::new(self.field);
        Ok(())
    }
}

fn batch<T: DataType>(
    writer: &mut SerializedColumnWriter,
    values: &[T::T],
    definition: Option<&[i16]>,
    repetition: Option<&[i16]>,
) -> io::Result<()> {
    writer.typed::<T>().write_batch(values, definition, repetition).map_err(io_error).map(drop)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;
    use crate::RecordContext;
    use crate::record::tests::{context, documents, snapshot_fields};

    fn reader(bytes: &[u8]) -> SerializedFileReader<File> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        SerializedFileReader::new(file).unwrap()
    }

    fn file(fields: &Fields, group: u64) -> Vec<u8> {
        let mut file = Parquet::new(Vec::new(), fields, group).unwrap();
        for document in documents() {
            file.write(&Record::new(&document, &context(&document))).unwrap();
        }
        file.finish().unwrap()
    }

    #[test]
    fn three_documents_as_rows() {
        for (group, groups) in [(1 << 20, 1), (1, 3)] {
            let reader = reader(&file(&snapshot_fields(), group));
            assert_eq!(reader.metadata().num_row_groups(), groups);
            let rows: Vec<String> =
                reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string() + "\n").collect();
            assert_eq!(rows.concat(), include_str!("snapshots/documents.parquet.txt"));
        }
    }

    #[test]
    fn chosen_fields_are_the_columns() {
        let reader = reader(&file(&"title,words".parse().unwrap(), 1 << 20));
        let rows: Vec<String> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        let first = "{title: \"Chợ \"quê\" <họp> sớm & tan sớm\", words: 13}";
        assert_eq!(rows, [first, "{title: \"\", words: 10}", "{title: null, words: 0}"]);
    }

    #[test]
    fn empty_texts_are_rows() {
        let mut file = Parquet::new(Vec::new(), &"text".parse().unwrap(), 1 << 20).unwrap();
        let document = documents().remove(2);
        file.write(&Record::new(&document, &RecordContext::default())).unwrap();
        assert_eq!(reader(&file.finish().unwrap()).get_row_iter(None).unwrap().count(), 1);
    }

    #[test]
    fn no_documents_are_a_file_too() {
        let empty = Parquet::new(Vec::new(), &Fields::default(), 1).unwrap().finish().unwrap();
        let reader = reader(&empty);
        assert_eq!(reader.get_row_iter(None).unwrap().count(), 0);
    }

    #[test]
    fn the_systems_error_is_kept() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let result = Parquet::new(Full, &Fields::default(), 1).and_then(|mut file| {
            documents()
                .iter()
                .try_for_each(|document| file.write(&Record::new(document, &RecordContext::default())))?;
            file.finish().map(drop)
        });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
