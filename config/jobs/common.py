"""Code that the jobs share: the Spark session, steps of work, WARC records, and the command gleaner."""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import pyarrow as pa
from publicsuffixlist import PublicSuffixList
from pyspark.sql import DataFrame, SparkSession

import files

FIELDS = re.compile(rb"(?im)^(WARC-Type|WARC-Target-URI|Content-Length):[ \t]*<?([^>\r\n]*?)>?[ \t]*\r?$")
SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
DOCUMENTS_IN_A_BATCH = 256
SITES = PublicSuffixList()


def positive(text: str) -> int:
    """Reads a number of a command line that is at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of 1 or more")
    return int(text)


def refuse_repeated(parser: argparse.ArgumentParser, paths: list[str]) -> None:
    """Ends the program if a folder has two roles, or is read twice."""
    absolute = [files.absolute(path) for path in paths]
    repeated = [path for number, path in enumerate(paths) if absolute[number] in absolute[:number]]
    if repeated:
        parser.error(f"{repeated[0]} is named twice")


def run(job: Callable[[], object]) -> None:
    """Runs a job as a program. If it fails, the last line says why, because Spark prints hundreds of lines around it."""
    try:
        job()
    except Exception as error:
        traceback.print_exc()
        sys.exit(f"the job failed: {cause(error)}")


def cause(error: Exception) -> str:
    """The cause of an error. The message of a failed task has it after a trace of Python and before one of Java."""
    lines = str(error).split("\n\tat ")[0].strip().splitlines()
    start = max((number + 1 for number, line in enumerate(lines) if line.startswith("  ")), default=0)
    said = " ".join(line.strip() for line in lines[start:])
    return re.sub(r".*\(TID \d+\) \(.*?\): ", "", said) or type(error).__name__


def session(job: str, rows_in_a_batch: int) -> SparkSession:
    """Starts or joins the Spark session of a job. `job` is a Python file. A worker has one batch of rows in memory."""
    spark = (
        SparkSession.builder.appName(f"gleaner {Path(job).stem}")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", rows_in_a_batch)
        .getOrCreate()
    )
    for file in (files.__file__, __file__, job):
        spark.sparkContext.addPyFile(file)
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def step(folder: str, result: DataFrame, by: str | None = None) -> files.Table:
    """Writes the result of a step, unless it is already written. Returns the written result."""
    if not files.is_done(folder):
        return files.write(result, folder, by)
    return files.Table(files.list_parts(folder), result.schema)


def publish(work: str, folder: str, result: DataFrame) -> files.Table:
    """Writes a result once into a folder that the user names. Never replaces a folder that other work has written."""
    begun = f"{work}/written/{hashlib.sha256(folder.encode()).hexdigest()[:16]}"
    if not files.exists(begun):
        if files.exists(folder):
            sys.exit(f"{folder} exists and is not of this work folder. Name a new folder, or remove it.")
        files.put(begun, folder)
    return step(folder, result)


def agree(work: str, plan: dict[str, Any]) -> None:
    """Records the plan of a work folder. If it has a plan already, ends the program unless both plans are equal."""
    path, text = f"{work}/plan.json", json.dumps(plan, sort_keys=True)
    if not files.exists(path):
        files.put(path, text)
        return
    before = json.loads(files.get(path))
    changed = [key for key, value in json.loads(text).items() if before.get(key) != value]
    if changed:
        sys.exit(f"{work} was begun with other values of: {', '.join(changed)}. Name another work folder.")


def warc_files(inputs: list[str]) -> list[str]:
    """The WARC files in `inputs`, in the order of the inputs. The files of a folder are sorted by name."""
    found: list[str] = []
    for path in inputs:
        names = [name for name, _ in files.list_files(path)]
        # A file that the user names is read whatever its name is.
        found += names if names == [files.absolute(path)] else [name for name in names if name.endswith(SUFFIXES)]
    return found


@dataclass
class Record:
    """A WARC record with a page: its number in the file, its site, and all its bytes."""

    number: int
    site: str
    content: bytes


def records(path: str, largest: int) -> Iterator[Record]:
    """The response and resource records of a WARC file whose content has at most `largest` bytes.

    Raises OSError if the file is damaged, and RuntimeError if it cannot be read.
    """
    system, inner = files.file_system(path)
    try:
        file = system.open_input_file(inner)
    except OSError as error:
        raise RuntimeError(f"cannot open {path}: {error}") from error
    with file:
        start = file.read(4)
        file.seek(0)
        coding = "gzip" if start[:2] == b"\x1f\x8b" else "zstd" if start == b"\x28\xb5\x2f\xfd" else None
        stream: Any = pa.PythonFile(Source(file, path), mode="r")
        stream = pa.CompressedInputStream(stream, coding) if coding else stream
        # The library returns nothing of a piece with damage, so pieces are small.
        yield from _records(io.BufferedReader(stream, 1 << 16), largest)


class Source:
    """A file that raises RuntimeError if reading fails, because OSError means that the data are damaged."""

    closed = False

    def __init__(self, file: Any, path: str) -> None:  # noqa: ANN401
        self.file, self.path = file, path

    def read(self, size: int) -> bytes:
        """Reads at most `size` bytes."""
        try:
            return bytes(self.file.read(size))
        except OSError as error:
            raise RuntimeError(f"cannot read {self.path}: {error}") from error

    def close(self) -> None:
        """Does nothing, because the function that opened the file closes it."""


def _records(stream: IO[bytes], largest: int) -> Iterator[Record]:
    number = 0
    while head := _head(stream):
        fields = {name.lower(): value for name, value in FIELDS.findall(head)}
        length, kind = int(fields.get(b"content-length", 0)), fields.get(b"warc-type", b"").lower()
        number += 1
        if kind not in (b"response", b"resource") or length > largest:
            _skip(stream, length, number)
            continue
        block = stream.read(length)
        if len(block) < length:
            raise OSError(f"record {number} is cut")
        yield Record(number, site_of(fields.get(b"warc-target-uri", b"")), head + block + b"\r\n\r\n")
    if number == 0:
        raise OSError("it has no WARC record")


def _head(stream: IO[bytes]) -> bytes:
    """The lines of the next record before its content. Skips data that are not a record."""
    line = stream.readline(1 << 16)
    while line and not line.startswith(b"WARC/"):
        line = stream.readline(1 << 16)
    lines = []
    while line.strip():
        lines.append(line)
        line = stream.readline(1 << 16)
    if lines and not line:
        raise OSError("the file ends within a record")
    return b"".join(lines) + line


def _skip(stream: IO[bytes], length: int, number: int) -> None:
    while length > 0:
        read = len(stream.read(min(length, 1 << 20)))
        if read == 0:
            raise OSError(f"record {number} is cut")
        length -= read


def site_of(url: bytes) -> str:
    """The registrable domain of a URL, or else its host. Empty if the URL has no host."""
    try:
        host = (urlsplit(url.decode()).hostname or "").rstrip(".")
        host = host.encode("idna").decode() if not host.isascii() else host
    except ValueError:
        return ""
    is_address = ":" in host or host.replace(".", "").isdecimal()
    return host if is_address else SITES.privatesuffix(host) or host


def local_folder() -> str | None:
    """The folder for temporary files of a Spark worker. None stands for the system's folder."""
    return os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None


def gleaner(*arguments: str) -> str:
    """Runs the installed command gleaner. Returns what it wrote to standard output."""
    beside = Path(sys.executable).parent / "gleaner"
    program = os.environ.get("GLEANER") or (str(beside) if beside.exists() else shutil.which("gleaner"))
    if not program:
        raise FileNotFoundError("the command gleaner is not installed: pip install the gleaner wheel")
    ran = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        said = ran.stderr.strip()[-2000:]
        raise RuntimeError(f"gleaner {arguments[0]} ended with {ran.returncode}: {said}")
    return ran.stdout
