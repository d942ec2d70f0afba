//! Copies selected documents of a shard in the same format and with the same fields.
//!
//! Lines are copied unchanged. Parquet columns are read with their levels and written with the same schema,
//! one column of a row group at a time, so all fields of the shard are kept.
//!
//! Limitation: Parquet pages, dictionaries and statistics are built as in `gleaner export`. Sort orders and
//! the original writer's metadata are lost.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use parquet::file::writer::SerializedFileWriter;

use super::{Form, json_lines, rows};
use crate::format::packed::Packed;
use crate::format::parquet::{io_error, properties};
use crate::manifest::{Counted, DataFile};
use crate::{Compression, ExportError};

/// Writes the wanted documents of `from` into the new file `into` and flushes it to disk. `wanted` receives
/// line or row numbers, from 1. Returns the written file; its path is only the file name.
///
/// # Errors
/// A file cannot be read or written. The partial file is then removed.
pub fn keep(from: &Path, into: &Path, wanted: impl FnMut(u64) -> bool) -> Result<DataFile, ExportError> {
    let kept = match Form::from_path(from) {
        Some(Form::JsonLines(compression)) => keep_lines(from, into, compression, wanted),
        Some(Form::Parquet) => keep_rows(from, into, wanted),
        None => return Err(ExportError::NoShard { path: from.into() }),
    };
    if kept.is_err() {
        // The first error is reported.
        let _ = fs::remove_file(into);
    }
    kept
}

type Out = Counted<BufWriter<File>>;

fn begin(into: &Path) -> Result<Out, ExportError> {
    Ok(Counted::new(BufWriter::new(File::create(into).map_err(ExportError::writing(into))?)))
}

fn end(mut out: Out, into: &Path, documents: u64) -> Result<DataFile, ExportError> {
    out.flush().map_err(ExportError::writing(into))?;
    let (file, bytes, sha256) = out.into_parts();
    file.get_ref().sync_all().map_err(ExportError::writing(into))?;
    let path = into.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(DataFile { path, documents, bytes, sha256 })
}

fn keep_lines(
    from: &Path,
    into: &Path,
    compression: Compression,
    mut wanted: impl FnMut(u64) -> bool,
) -> Result<DataFile, ExportError> {
    let mut lines = json_lines::open(from, compression).map_err(ExportError::reading(from))?;
    let mut out = Packed::new(begin(into)?, compression).map_err(ExportError::writing(into))?;
    let (mut line, mut number, mut documents) = (Vec::new(), 0, 0);
    while json_lines::read_line(&mut *lines, &mut line).map_err(ExportError::reading(from))? {
        number += 1;
        if wanted(number) {
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
            out.write_all(&line).map_err(ExportError::writing(into))?;
            documents += 1;
        }
    }
    end(out.finish().map_err(ExportError::writing(into))?, into, documents)
}

fn keep_rows(from: &Path, into: &Path, mut wanted: impl FnMut(u64) -> bool) -> Result<DataFile, ExportError> {
    let file = rows::open(from)?;
    let schema = file.metadata().file_metadata().schema_descr().root_schema_ptr();
    let failed = |error| ExportError::writing(into)(io_error(error));
    let mut out = SerializedFileWriter::new(begin(into)?, schema, Arc::new(properties())).map_err(failed)?;
    let (mut before, mut documents) = (0, 0);
    for number in 0..file.num_row_groups() {
        let group = file.get_row_group(number).map_err(rows::broken(from))?;
        let count = group.metadata().num_rows().max(0) as u64;
        let mask: Vec<bool> = (1..=count).map(|row| wanted(before + row)).collect();
        before += count;
        let kept = mask.iter().filter(|is_kept| **is_kept).count() as u64;
        if kept == 0 {
            continue;
        }
        documents += kept;
        let mut new = out.next_row_group().map_err(failed)?;
        for at in 0..group.num_columns() {
            let column = group.get_column_reader(at).map_err(rows::broken(from))?;
            let levels = group.metadata().column(at).column_descr();
            let levels = (levels.max_def_level(), levels.max_rep_level());
            let mut writer = new.next_column().map_err(failed)?.expect("both files have one schema");
            copy(column, writer.untyped(), levels, &mask).map_err(failed)?;
            writer.close().map_err(failed)?;
        }
        new.close().map_err(failed)?;
    }
    end(out.into_inner().map_err(failed)?, into, documents)
}

/// Copies the wanted rows of a column. `levels`: its highest definition and repetition levels.
fn copy(
    reader: ColumnReader,
    writer: &mut ColumnWriter,
    levels: (i16, i16),
    mask: &[bool],
) -> Result<(), ParquetError> {
    use ColumnReader as R;
    use ColumnWriter as W;
    match (reader, writer) {
        (R::BoolColumnReader(from), W::BoolColumnWriter(into)) => of_type(from, into, levels, mask),
        (R::Int32ColumnReader(from), W::Int32ColumnWriter(into)) => of_type(from, into, levels, mask),
        (R::Int64ColumnReader(from), W::Int64ColumnWriter(into)) => of_type(from, into, levels, mask),
        (R::Int96ColumnReader(from), W::Int96ColumnWriter(into)) => of_type(from, into, levels, mask),
        (R::FloatColumnReader(from), W::FloatColumnWriter(into)) => of_type(from, into, levels, mask),
        (R::DoubleColumnReader(from), W::DoubleColumnWriter(into)) => of_type(from, into, levels, mask),
        (R::ByteArrayColumnReader(from), W::ByteArrayColumnWriter(into)) => of_type(from, into, levels, mask),
        (R::FixedLenByteArrayColumnReader(from), W::FixedLenByteArrayColumnWriter(into)) => {
            of_type(from, into, levels, mask)
        }
        _ => Err(ParquetError::General("a column has two types".into())),
    }
}

fn of_type<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    writer: &mut parquet::column::writer::ColumnWriterImpl<'_, T>,
    (deepest, repeats): (i16, i16),
    mask: &[bool],
) -> Result<(), ParquetError> {
    let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (_, _, entries) =
        reader.read_records(mask.len(), Some(&mut defined), Some(&mut repeated), &mut values)?;
    let (mut kept_defined, mut kept_repeated, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let (mut values, mut row) = (values.into_iter(), 0);
    for entry in 0..entries {
        if repeats == 0 || repeated[entry] == 0 {
            row += 1;
        }
        let is_wanted = mask.get(row - 1).copied().unwrap_or(false);
        let value = if deepest == 0 || defined[entry] == deepest { values.next() } else { None };
        if is_wanted {
            kept.extend(value);
            kept_defined.extend((deepest > 0).then(|| defined[entry]));
            kept_repeated.extend((repeats > 0).then(|| repeated[entry]));
        }
    }
    let defined = (deepest > 0).then_some(&*kept_defined);
    let repeated = (repeats > 0).then_some(&*kept_repeated);
    writer.write_batch(&kept, defined, repeated).map(drop)
}
