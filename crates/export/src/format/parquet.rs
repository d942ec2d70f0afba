//! Writes Apache Parquet: one column per field, rows in groups, compressed with zstd.
//!
//! The file layer of the crate `parquet` is used without Arrow, which would add a dozen crates to
//! convert rows to columns. Rows are buffered until their texts and lists reach the group size, then
//! written as one row group. The memory is about twice the group size.
//!
//! Types are those of [`Kind`]. Text is `BYTE_ARRAY (STRING)`. A list is the three-level `LIST` of the
//! format's specification. A time is `INT64 (TIMESTAMP, microseconds, UTC)`, which Python's dates can
//! represent; nanoseconds are truncated.
//!
//! Limitation: a document is never split, so a text of 100 MB makes a group of at least that size. The
//! text column has no statistics, because range searches on it are useless.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use crate::Record;
use crate::record::{Cell, FIELDS, Kind};

const ZSTD_LEVEL: i32 = 3;

/// Columns whose values rarely repeat, so that a dictionary would be useless.
const UNIQUE: [&str; 4] = ["id", "url", "content_hash", "text"];

/// A writer of one Parquet file.
#[derive(Debug)]
pub struct Parquet<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column>,
    /// Approximate number of bytes buffered for the next group.
    buffered: u64,
    /// Number of bytes at which a group is written.
    group: u64,
}

impl<W: Write + Send> Parquet<W> {
    /// Begins a file whose row groups have about `group` bytes.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(out: W, group: u64) -> io::Result<Self> {
        let schema = parse_message_type(&schema()).expect("the schema is made of the fields");
        let file =
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties())).map_err(io_error)?;
        Ok(Self { file, columns: FIELDS.map(|(_, kind)| Column::new(kind)).into(), buffered: 0, group })
    }

    /// Buffers one row, and writes the group if it is full.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(record.cells()) {
            self.buffered += column.push(cell);
        }
        if self.buffered >= self.group { self.write_group() } else { Ok(()) }
    }

    /// Returns the file, with the groups written so far.
    pub fn inner(&self) -> &W {
        self.file.inner()
    }

    /// Writes the last group and the footer; returns the file.
    ///
    /// # Errors
    /// If the file cannot be written.
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

fn schema() -> String {
    let fields = FIELDS.map(|(name, kind)| match kind {
        Kind::Text => format!("required binary {name} (STRING);"),
        Kind::OptionalText => format!("optional binary {name} (STRING);"),
        Kind::Texts => format!(
            "required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }}"
        ),
        Kind::Time => format!("required int64 {name} (TIMESTAMP(MICROS,true));"),
        Kind::Count => format!("required int64 {name};"),
        Kind::OptionalCount => format!("optional int64 {name};"),
        Kind::OptionalSmallCount => format!("optional int32 {name};"),
        Kind::Number => format!("required double {name};"),
        Kind::OptionalNumber => format!("optional double {name};"),
    });
    format!("message document {{ {} }}", fields.join(" "))
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

/// Returns the underlying system error if there is one, so that a full disk is reported as such.
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
    /// The definition level of each entry; empty for required columns.
    definition: Vec<i16>,
    /// 0 for a row's first entry, 1 for the following ones; empty for columns without lists.
    repetition: Vec<i16>,
    kind: Kind,
}

#[derive(Debug)]
enum Values {
    Text(Vec<ByteArray>),
    Long(Vec<i64>),
    Int(Vec<i32>),
    Number(Vec<f64>),
}

impl Column {
    fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Text | Kind::OptionalText | Kind::Texts => Values::Text(Vec::new()),
            Kind::Time | Kind::Count | Kind::OptionalCount => Values::Long(Vec::new()),
            Kind::OptionalSmallCount => Values::Int(Vec::new()),
            Kind::Number | Kind::OptionalNumber => Values::Number(Vec::new()),
        };
        Self { values, definition: Vec::new(), repetition: Vec::new(), kind }
    }

    /// Adds a value; returns its approximate size in bytes.
    fn push(&mut self, cell: Cell) -> u64 {
        match (&mut self.values, cell) {
            (Values::Text(values), Cell::Text(text)) => {
                self.definition.push(i16::from(text.is_some()));
                values.extend(text.map(ByteArray::from));
                text.map_or(1, |text| text.len() as u64)
            }
            (Values::Text(values), Cell::Texts(texts)) => {
                values.extend(texts.iter().map(|text| ByteArray::from(text.as_str())));
                // An empty list is also an entry, with definition level 0.
                let entries = texts.len().max(1);
                self.definition.extend(std::iter::repeat_n(i16::from(!texts.is_empty()), entries));
                self.repetition.extend((0..entries).map(|at| i16::from(at > 0)));
                1 + texts.iter().map(|text| text.len() as u64).sum::<u64>()
            }
            (Values::Long(values), Cell::Long(count)) => {
                values.push(count);
                8
            }
            (Values::Long(values), Cell::OptionalLong(count)) => {
                self.definition.push(i16::from(count.is_some()));
                values.extend(count);
                8
            }
            (Values::Int(values), Cell::Int(count)) => {
                self.definition.push(i16::from(count.is_some()));
                values.extend(count);
                4
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
        let is_required = matches!(self.kind, Kind::Text | Kind::Time | Kind::Count | Kind::Number);
        let definition = (!is_required).then_some(&*self.definition);
        let repetition = (self.kind == Kind::Texts).then_some(&*self.repetition);
        match &self.values {
            Values::Text(values) => batch::<ByteArrayType>(&mut writer, values, definition, repetition),
            Values::Long(values) => batch::<Int64Type>(&mut writer, values, definition, repetition),
            Values::Int(values) => batch::<Int32Type>(&mut writer, values, definition, repetition),
            Values::Number(values) => batch::<DoubleType>(&mut writer, values, definition, repetition),
        }?;
        writer.close().map_err(io_error)?;
        *self = Self::new(self.kind);
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
    use crate::Beside;
    use crate::record::tests::{beside, documents};

    fn reader(bytes: &[u8]) -> SerializedFileReader<File> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        SerializedFileReader::new(file).unwrap()
    }

    fn file(group: u64) -> Vec<u8> {
        let mut file = Parquet::new(Vec::new(), group).unwrap();
        for document in documents() {
            file.write(&Record::new(&document, &beside(&document))).unwrap();
        }
        file.finish().unwrap()
    }

    #[test]
    fn three_documents_as_rows() {
        for (group, groups) in [(1 << 20, 1), (1, 3)] {
            let reader = reader(&file(group));
            assert_eq!(reader.metadata().num_row_groups(), groups);
            let rows: Vec<String> =
                reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string() + "\n").collect();
            assert_eq!(rows.concat(), include_str!("snapshots/documents.parquet.txt"));
        }
    }

    #[test]
    fn no_documents_are_a_file_too() {
        let empty = Parquet::new(Vec::new(), 1).unwrap().finish().unwrap();
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
        let result = Parquet::new(Full, 1).and_then(|mut file| {
            documents()
                .iter()
                .try_for_each(|document| file.write(&Record::new(document, &Beside::default())))?;
            file.finish().map(drop)
        });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
