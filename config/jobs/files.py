"""Files of the jobs, on disks or in object storage: tables of Parquet files, and small files that mark complete work.

All files are read and written with pyarrow, so object storage needs no connector of Spark. A file appears under its name
when it is complete. A folder is complete when it has the file _SUCCESS.
"""

from __future__ import annotations

import io
import itertools
import json
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

ROW_GROUP = 16 << 20
BATCH = 4 << 20
PIECE = 64 << 20
MAX_ROWS = 1 << 16
Batches = Iterable[pa.RecordBatch]


@lru_cache
def connect(root: str) -> tuple[fs.FileSystem, str]:
    """The file system of a URL without a path, and the prefix of all its paths."""
    system, prefix = fs.FileSystem.from_uri(root)
    return system, prefix.rstrip("/")


def file_system(path: str) -> tuple[fs.FileSystem, str]:
    """The file system of a path or URL, and the path in it. Hadoop writes s3a:// for s3://."""
    if "://" not in path:
        return fs.LocalFileSystem(), str(Path(path).absolute())
    scheme, _, rest = path.partition("://")
    host, _, below = rest.rstrip("/").partition("/")
    system, prefix = connect(f"{'s3' if scheme == 's3a' else scheme}://{host}")
    return system, f"{prefix}/{below}".rstrip("/")


def absolute(path: str) -> str:
    """The one spelling of a path. It does not depend on the working directory, which is another one on executors."""
    return path.rstrip("/").replace("s3a://", "s3://") if "://" in path else str(Path(path).absolute())


def exists(path: str) -> bool:
    """Whether there is a file or folder."""
    system, inner = file_system(path)
    return bool(system.get_file_info(inner).type != fs.FileType.NotFound)


def is_done(folder: str) -> bool:
    """Whether a folder is complete."""
    return exists(f"{folder}/_SUCCESS")


@contextmanager
def create(path: str) -> Iterator[Any]:
    """Opens a file for writing. Until it is complete, it has another name, which begins with _."""
    system, inner = file_system(path)
    folder, _, name = inner.rpartition("/")
    if isinstance(system, fs.LocalFileSystem):
        system.create_dir(folder)
    hidden = f"{folder}/_{name}.{uuid.uuid4().hex}"
    with system.open_output_stream(hidden) as stream:
        yield stream
    system.move(hidden, inner)


def put(path: str, content: str) -> None:
    """Writes a small file."""
    with create(path) as stream:
        stream.write(content.encode())


def get(path: str) -> str:
    """Reads a small file."""
    system, inner = file_system(path)
    with system.open_input_stream(inner) as stream:
        return bytes(stream.read()).decode()


@dataclass(frozen=True)
class Table:
    """Parquet files with the same fields: the name and size of each."""

    files: list[tuple[str, int]]
    schema: StructType

    def select(self, *names: str) -> DataFrame:
        """Reads these fields, or all."""
        some = StructType([self.schema[name] for name in names or self.schema.names])
        spark, pieces = SparkSession.active(), split(self.files)
        rows = spark.sparkContext.parallelize([(json.dumps(piece),) for piece in pieces], len(pieces))
        return spark.createDataFrame(rows, "pieces string").mapInArrow(read_pieces(to_arrow_schema(some)), some)


def list_files(path: str) -> list[tuple[str, int]]:
    """The name and size of a file, or of the files of a folder in the order of their names."""
    system, inner = file_system(path)
    path, info = absolute(path), system.get_file_info(inner)
    if info.type == fs.FileType.NotFound:
        sys.exit(f"cannot read {path}: there is no such file or folder")
    if info.type == fs.FileType.File:
        return [(path, info.size)]
    found = system.get_file_info(fs.FileSelector(inner, recursive=True))
    return sorted((path + one.path.removeprefix(inner), one.size) for one in found if one.type == fs.FileType.File)


def list_parts(path: str) -> list[tuple[str, int]]:
    """The files of a table. As in Spark, names that begin with _ or with a dot are not among them."""
    root = absolute(path)
    found = [(name, name.removeprefix(root).split("/")[1:], size) for name, size in list_files(path)]
    return [(name, size) for name, below, size in found if not any(part.startswith(("_", ".")) for part in below)]


def table(path: str) -> Table:
    """The table in a Parquet file, or in the Parquet files of a folder. The first file determines the fields."""
    parts = list_parts(path)
    # Beside Parquet files, exports have a manifest. A file that the user names is read whatever its name is.
    found = parts if parts and parts[0][0] == absolute(path) else [part for part in parts if part[0].endswith(".parquet")]
    if not found:
        sys.exit(f"cannot read {path}: the folder has no .parquet files")
    system, inner = file_system(found[0][0])
    with system.open_input_file(inner) as file:
        try:
            return Table(found, from_arrow_schema(plain(pq.ParquetFile(file).schema_arrow)))
        except pa.ArrowInvalid as error:
            sys.exit(f"cannot read {found[0][0]}: it is not a Parquet file ({error})")
        except TypeError as error:
            sys.exit(f"cannot read {found[0][0]}: Spark does not have the type of a field: {error}")


def demand(path: str, has: Iterable[str], needed: Iterable[str]) -> None:
    """Ends the program if an input does not have the fields that a job needs."""
    missing = [name for name in needed if name not in set(has)]
    if missing:
        sys.exit(f"cannot use {path}: it does not have these fields: {', '.join(missing)}")


SIGNED = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.decimal128(20)}


def plain(schema: pa.Schema) -> pa.Schema:
    """The schema in types that Spark has: no dictionaries, and no unsigned numbers."""
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in schema.types]
    kinds = [SIGNED.get(kind, kind) for kind in kinds]
    return pa.schema([field.with_type(kind) for field, kind in zip(schema, kinds, strict=True)])


def split(files: list[tuple[str, int]]) -> list[list[tuple[str, int, int]]]:
    """Divides files among tasks of about the same size. A piece is a file and the first and last byte."""
    tasks: list[list[tuple[str, int, int]]] = [[]]
    left = PIECE
    for name, size in files:
        for start in range(0, size, PIECE):
            end = min(start + PIECE, size)
            if end - start > left and tasks[-1]:
                tasks.append([])
                left = PIECE
            tasks[-1].append((name, start, end))
            left -= end - start
    return tasks


def read_pieces(schema: pa.Schema) -> Callable[[Batches], Batches]:
    """Reads the row groups that begin in the pieces. Fields that a file does not have are null."""

    def run(batches: Batches) -> Batches:
        for batch in batches:
            for name, start, end in itertools.chain(*map(json.loads, batch.column(0).to_pylist())):
                system, inner = file_system(name)
                try:
                    with system.open_input_file(inner) as file:
                        for found in row_groups(pq.ParquetFile(file, buffer_size=BATCH), schema, start, end):
                            yield conform(found, schema)
                except pa.ArrowInvalid as error:
                    raise ValueError(f"cannot read {name}: {error}") from error

    return run


def row_groups(file: pq.ParquetFile, schema: pa.Schema, start: int, end: int) -> Batches:
    """The rows of the row groups that begin in a part of a file, in batches of limited size."""
    names = [name for name in schema.names if name in file.schema_arrow.names]
    for number in range(file.num_row_groups):
        group = file.metadata.row_group(number)
        column = group.column(0)
        if start <= (column.dictionary_page_offset or column.data_page_offset) < end and group.num_rows:
            rows = BATCH * group.num_rows // max(group.total_byte_size, 1)
            yield from file.iter_batches(min(max(rows, 1), MAX_ROWS), [number], names)


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch with exactly these fields."""
    has = set(batch.schema.names)
    columns = [
        batch.column(field.name).cast(field.type) if field.name in has else pa.nulls(len(batch), field.type) for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def write(result: DataFrame, folder: str, by: str | None = None) -> Table:
    """Writes each partition to a file. With `by`, writes a file for each value, and rows must be sorted by it.

    A task that Spark repeats replaces the file by one with the same rows.
    """
    folder = absolute(folder)
    system, inner = file_system(folder)
    if exists(folder):
        system.delete_dir(inner)
    result.mapInArrow(write_parts(folder, to_arrow_schema(result.schema), by), "part int").collect()
    for entry in system.get_file_info(fs.FileSelector(inner, allow_not_found=True, recursive=True)):
        if entry.base_name.startswith("_"):
            system.delete_file(entry.path)
    put(f"{folder}/_SUCCESS", "")
    return Table(list_parts(folder), result.schema)


def write_parts(folder: str, schema: pa.Schema, by: str | None) -> Callable[[Batches], Batches]:
    """Writes the rows of a partition. The first partition has a file even without rows, so a table has its fields."""

    def run(batches: Batches) -> Batches:
        number = TaskContext.get().partitionId()  # type: ignore[union-attr]
        if number == 0 and by is None:
            batches = itertools.chain([pa.RecordBatch.from_pylist([], schema)], batches)
        for value, rows in itertools.groupby(by_value(batches, by), lambda some: some[0]):
            name = f"part-{number:05}.parquet" if by is None else f"{by}={value}/part-{number:05}.parquet"
            with create(f"{folder}/{name}") as stream, pq.ParquetWriter(stream, schema, compression="zstd") as writer:
                for group in joined((batch for _, batch in rows), schema):
                    writer.write_table(group)
        yield pa.RecordBatch.from_pydict({"part": pa.array([number], pa.int32())})

    return run


def by_value(batches: Batches, by: str | None) -> Iterator[tuple[Any, pa.RecordBatch]]:
    """The batches, divided by the values of a field."""
    for batch in batches:
        values = [None] if by is None else batch.column(by).unique().to_pylist()
        for value in values:
            yield value, batch if by is None else batch.filter(pc.equal(batch.column(by), value))


def joined(batches: Batches, schema: pa.Schema) -> Iterator[pa.Table]:
    """Joins batches to tables, each for one row group."""
    some: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        some.append(conform(batch, schema))
        size += batch.nbytes
        if size >= ROW_GROUP:
            yield pa.Table.from_batches(some, schema)
            some, size = [], 0
    yield pa.Table.from_batches(some, schema)


def read_json(path: str) -> DataFrame:
    """Reads a file of JSON Lines, which may be compressed. One task reads the whole file."""

    def lines(names: Iterable[str]) -> Iterator[str]:
        for name in names:
            system, inner = file_system(name)
            with system.open_input_stream(inner) as stream:
                yield from (line.decode() for line in io.BufferedReader(stream))

    spark, names = SparkSession.active(), [name for name, _ in list_files(path)]
    rows = spark.read.json(spark.sparkContext.parallelize(names, len(names)).mapPartitions(lines))
    if "_corrupt_record" in rows.columns:
        sys.exit(f"cannot read {path}: it has a line that is not a JSON object")
    return rows
