//! Reads documents from Parquet: only the needed columns, one batch of rows at a time.

use std::fs::File;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use parquet::basic::{LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::Article;
use crate::ExportError;

const BATCH: usize = 256;

pub(super) fn open(path: &Path) -> Result<SerializedFileReader<File>, ExportError> {
    let file = File::open(path).map_err(ExportError::reading(path))?;
    SerializedFileReader::new(file).map_err(broken(path))
}

pub(super) fn broken(path: &Path) -> impl Fn(ParquetError) -> ExportError {
    move |error| ExportError::reading(path)(io::Error::new(io::ErrorKind::InvalidData, error))
}

pub(super) fn each<E: From<ExportError>>(
    path: &Path,
    mut take: impl FnMut(u64, Result<Article, String>) -> Result<(), E>,
) -> Result<(), E> {
    let file = open(path)?;
    let schema = file.metadata().file_metadata().schema_descr();
    let (id, text) = (texts_at(schema, "id", path)?, texts_at(schema, "text", path)?);
    let fetched = at(schema, "fetched").map(|at| (at, micros(&schema.column(at))));
    let mut row = 0;
    for number in 0..file.num_row_groups() {
        let group = file.get_row_group(number).map_err(broken(path))?;
        let mut ids = Texts::open(&*group, id).map_err(broken(path))?;
        let mut texts = Texts::open(&*group, text).map_err(broken(path))?;
        let mut times = match fetched {
            Some((at, unit)) => Times::open(&*group, at, unit).map_err(broken(path))?,
            None => Times::Unknown,
        };
        loop {
            let batch = ids.batch().map_err(broken(path))?;
            let (texts, times) = (texts.batch().map_err(broken(path))?, times.batch(batch.len()));
            let times = times.map_err(broken(path))?;
            if batch.is_empty() {
                break;
            }
            if texts.len() != batch.len() || times.len() != batch.len() {
                let reason = ParquetError::General("columns of different lengths".into());
                return Err(broken(path)(reason).into());
            }
            for ((id, text), time) in batch.into_iter().zip(texts).zip(times) {
                row += 1;
                take(row, article(id, text, time))?;
            }
        }
    }
    Ok(())
}

fn article(
    id: Option<ByteArray>,
    text: Option<ByteArray>,
    fetched: Result<Option<i64>, String>,
) -> Result<Article, String> {
    let owned = |value: Option<ByteArray>, field: &str| {
        let value = value.ok_or_else(|| format!("no field {field}"))?;
        value.as_utf8().map(str::to_owned).map_err(|error| format!("{field}: {error}"))
    };
    Ok(Article { id: owned(id, "id")?, text: owned(text, "text")?, fetched: fetched? })
}

/// Returns the index of a top-level column that is not a list.
fn at(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
    let is_it = |column: &ColumnDescriptor| column.path().parts() == [name] && column.max_rep_level() == 0;
    schema.columns().iter().position(|column| is_it(column))
}

fn texts_at(schema: &SchemaDescriptor, name: &'static str, path: &Path) -> Result<usize, ExportError> {
    let found = at(schema, name).filter(|at| schema.column(*at).physical_type() == Type::BYTE_ARRAY);
    found.ok_or_else(|| ExportError::Lacks { path: path.into(), field: name })
}

/// Returns factor and divisor to convert a column of times to microseconds.
fn micros(column: &ColumnDescriptor) -> (i64, i64) {
    use parquet::basic::TimeUnit;
    match column.logical_type_ref() {
        Some(LogicalType::Timestamp(time)) if time.unit == TimeUnit::MILLIS => (1000, 1),
        Some(LogicalType::Timestamp(time)) if time.unit == TimeUnit::NANOS => (1, 1000),
        _ => (1, 1),
    }
}

struct Cells<T: DataType> {
    reader: ColumnReaderImpl<T>,
    definition: i16,
}

impl<T: DataType> Cells<T> {
    fn new(group: &dyn RowGroupReader, at: usize, reader: ColumnReaderImpl<T>) -> Self {
        Self { reader, definition: group.metadata().column(at).column_descr().max_def_level() }
    }

    fn batch(&mut self) -> Result<Vec<Option<T::T>>, ParquetError> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let (rows, ..) = self.reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
        let mut values = values.into_iter();
        if self.definition == 0 {
            return Ok(values.map(Some).collect());
        }
        let value = |level: &i16| if *level == self.definition { values.next() } else { None };
        Ok(levels.iter().take(rows).map(value).collect())
    }
}

type Texts = Cells<ByteArrayType>;

impl Texts {
    fn open(group: &dyn RowGroupReader, at: usize) -> Result<Self, ParquetError> {
        match group.get_column_reader(at)? {
            ColumnReader::ByteArrayColumnReader(reader) => Ok(Cells::new(group, at, reader)),
            _ => Err(ParquetError::General("a text column has another type".into())),
        }
    }
}

enum Times {
    Stamps(Cells<Int64Type>, (i64, i64)),
    Written(Texts),
    Unknown,
}

impl Times {
    fn open(group: &dyn RowGroupReader, at: usize, unit: (i64, i64)) -> Result<Self, ParquetError> {
        Ok(match group.get_column_reader(at)? {
            ColumnReader::Int64ColumnReader(reader) => Self::Stamps(Cells::new(group, at, reader), unit),
            ColumnReader::ByteArrayColumnReader(reader) => Self::Written(Cells::new(group, at, reader)),
            _ => Self::Unknown,
        })
    }

    /// Returns the next times. Without a time column, returns `rows` times `None`.
    fn batch(&mut self, rows: usize) -> Result<Vec<Result<Option<i64>, String>>, ParquetError> {
        Ok(match self {
            Self::Stamps(cells, (times, parts)) => {
                let scaled = |value: i64| value.saturating_mul(*times) / *parts;
                cells.batch()?.into_iter().map(|value| Ok(value.map(scaled))).collect()
            }
            Self::Written(cells) => {
                cells.batch()?.iter().map(|value| value.as_ref().map(read).transpose()).collect()
            }
            Self::Unknown => vec![Ok(None); rows],
        })
    }
}

fn read(written: &ByteArray) -> Result<i64, String> {
    let text = written.as_utf8().map_err(|error| format!("fetched: {error}"))?;
    text.parse::<Timestamp>().map(Timestamp::as_microsecond).map_err(|error| format!("fetched: {error}"))
}
