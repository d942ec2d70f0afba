"""Extracts the documents of WARC files on a Spark cluster.

Input:   WARC files of any crawler, or folders of them.
Output:  OUT, Parquet files with the fields of `gleaner export`, one row per text, in the order of `id`.

    spark-submit extract.py WARC... --work WORK --out OUT

1. records:    one task reads each WARC file. The pages are stored in buckets, each with several sites.
2. documents:  `gleaner ingest` and `gleaner export` process the pages of each site, in the order of the files.
               A template belongs to a host, so a site has the same documents on any machine.
3. OUT:        of documents with the same text, only the first fetched is kept, with the URLs of all.

If the job is interrupted, the same command continues it. Steps 1 and 2 have parts, each marked when complete.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

import common
import files

ARROW_PAGES = pa.schema(
    [
        ("site", pa.string()),
        ("file", pa.int32()),
        ("record", pa.int64()),
        ("warc", pa.binary()),
        ("error", pa.string()),
    ]
)
PAGES = from_arrow_schema(ARROW_PAGES)
IN_A_BATCH, BYTES_IN_A_BATCH = 32, 16 << 20
# A site may have no documents. With --since, an export without documents is a file without rows, and no failure.
EXPORT = ("export", "--since", "1970-01-01")
Batches = Iterable[pa.RecordBatch]


def arguments(words: list[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("warc", nargs="+", help="WARC files, or folders of them")
    parser.add_argument("--work", required=True, help="folder of intermediate results; a new one, or the same to resume")
    parser.add_argument("--out", required=True, help="folder of the documents")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of gleaner; repeatable")
    parser.add_argument("--confidence", type=float, default=0.1, help="as in gleaner export [default: 0.1]")
    parser.add_argument("--buckets", type=common.positive, default=64, help="number of groups of sites [default: 64]")
    parser.add_argument("--buckets-at-once", type=common.positive, default=16, help="buckets done together [default: 16]")
    parser.add_argument("--tasks", type=common.positive, help="tasks for these buckets [default: 4 for each core]")
    parser.add_argument("--files-at-once", type=common.positive, default=1000, help="WARC files done together [default: 1000]")
    parser.add_argument("--largest", type=common.positive, default=8 << 20, help="larger records are left out [default: 8 MiB]")
    parser.add_argument(
        "--run-size", type=common.positive, default=64 << 20, help="bytes of small sites in one run [default: 64 MiB]"
    )
    asked = parser.parse_args(words)
    if not 0 <= asked.confidence <= 1:
        parser.error(f"--confidence is from 0 to 1, not {asked.confidence}")
    common.refuse_repeated(parser, [*asked.warc, asked.work, asked.out])
    if any(setting.startswith("corpus.duplicates") for setting in asked.set):
        parser.error("corpus.duplicates cannot be set: this job finds exact duplicates, near_duplicates.py the others")
    return asked


def read_pages(names: list[str], largest: int) -> Callable[[Batches], Batches]:
    """Reads the WARC files with these numbers. For a damaged file, adds a row with the error."""

    def pages(number: int) -> Iterator[dict[str, object]]:
        at = 0
        try:
            for record in common.records(names[number], largest):
                at, warc = record.number, pa.compress(record.content, "zstd", asbytes=True)
                yield {"site": record.site, "file": number, "record": at, "warc": warc, "error": None}
        except (OSError, ValueError) as error:
            said = f"{names[number]}: {error}"
            yield {"site": "", "file": number, "record": at, "warc": None, "error": said}

    def run(batches: Batches) -> Batches:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from in_batches(pages(number))

    return run


def in_batches(pages: Iterator[dict[str, object]]) -> Batches:
    """Joins rows to batches of limited size."""
    rows: list[dict[str, object]] = []
    size = 0
    for page in pages:
        rows.append(page)
        size += len(page["warc"]) if isinstance(page["warc"], bytes) else 0
        if len(rows) >= IN_A_BATCH or size >= BYTES_IN_A_BATCH:
            yield pa.RecordBatch.from_pylist(rows, ARROW_PAGES)
            rows, size = [], 0
    if rows:
        yield pa.RecordBatch.from_pylist(rows, ARROW_PAGES)


def extract_sites(settings: list[str], run_size: int) -> Callable[[Batches], Batches]:
    """Extracts pages that are sorted by site. Writes whole sites to a WARC file on disk, and then extracts this file."""

    def run(batches: Batches) -> Batches:
        with tempfile.TemporaryDirectory(dir=common.local_folder()) as folder:
            path, last = Path(folder) / "pages.warc.zst", None
            file = path.open("wb")
            for batch in batches:
                for site, warc in zip(batch.column("site").to_pylist(), batch.column("warc"), strict=True):
                    if site != last and file.tell() >= run_size:
                        file.close()
                        yield from documents_of(path, settings)
                        file = path.open("wb")
                    last = site
                    file.write(warc.as_buffer())
            file.close()
            yield from documents_of(path, settings)

    return run


def documents_of(warc: Path, settings: list[str]) -> Batches:
    """Runs `gleaner ingest` and `gleaner export` on a WARC file, in a new folder next to the file."""
    if warc.stat().st_size == 0:
        return
    with tempfile.TemporaryDirectory(dir=warc.parent) as folder:
        out = Path(folder) / "documents.parquet"
        common.gleaner("ingest", str(warc), "--data", f"{folder}/data", *settings)
        common.gleaner(*EXPORT, "--data", f"{folder}/data", "--confidence", "0", "--out", str(out))
        yield from pq.ParquetFile(out).iter_batches(batch_size=common.DOCUMENTS_IN_A_BATCH)


def document_schema() -> StructType:
    """The Parquet schema of the documents that the installed gleaner exports."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "empty.warc").touch()
        out = f"{folder}/empty.parquet"
        common.gleaner("ingest", f"{folder}/empty.warc", "--data", f"{folder}/data")
        common.gleaner(*EXPORT, "--data", f"{folder}/data", "--out", out)
        return from_arrow_schema(pq.read_schema(out))


def without_repeats(documents: DataFrame) -> DataFrame:
    """Keeps the first fetched document of each text. Adds the URLs of the others, in the order of their ids."""
    copy = F.struct("fetched", "id", "url")
    texts = documents.groupBy("content_hash").agg(F.sort_array(F.collect_list(copy)).alias("copies"))
    texts = texts.where(F.size("copies") > 1)
    later = F.expr("transform(array_sort(transform(slice(copies, 2, size(copies)), c -> struct(c.id, c.url))), c -> c.url)")
    first = texts.select(F.col("copies")[0].id.alias("id"), F.concat(F.array(F.col("copies")[0].url), later).alias("all"))
    rest = texts.select(F.explode(F.expr("slice(copies, 2, size(copies))")).alias("copy")).select("copy.id")
    changed = first.unionByName(rest, allowMissingColumns=True).withColumn("changed", F.lit(True))
    joined = documents.join(changed, "id", "left").where("changed is null or all is not null")
    return joined.withColumn("urls", F.coalesce("all", "urls")).select(documents.columns)


def make_records(spark: SparkSession, names: list[str], asked: argparse.Namespace) -> dict[int, files.Table]:
    """Runs step 1. Returns the pages of each bucket. Bucket -1 has the errors."""
    bucket = F.when(F.col("error").isNotNull(), -1).otherwise(F.pmod(F.xxhash64("site"), F.lit(asked.buckets)))
    buckets: dict[int, list[tuple[str, int]]] = {}
    for part, start in enumerate(range(0, len(names), asked.files_at_once)):
        folder, end = f"{asked.work}/records/part={part:05}", min(start + asked.files_at_once, len(names))
        pages = spark.range(start, end, 1, end - start).mapInArrow(read_pages(names, asked.largest), PAGES)
        ordered = pages.withColumn("bucket", bucket.cast("int")).sortWithinPartitions("bucket", "file", "record")
        for file in common.step(folder, ordered, by="bucket").files:
            buckets.setdefault(int(file[0].split("/bucket=")[-1].split("/")[0]), []).append(file)
    return {number: files.Table(found, PAGES) for number, found in buckets.items()}


def make_documents(spark: SparkSession, pages: dict[int, files.Table], asked: argparse.Namespace) -> files.Table:
    """Runs step 2. Returns the documents."""
    settings = ["--set", "corpus.duplicates=[]", "--set", "crawl.workers=1", "--set", "log.level=error"]
    settings += [word for setting in asked.set for word in ("--set", setting)]
    schema, found = document_schema(), []
    for start in range(0, asked.buckets, asked.buckets_at_once):
        some = join(pages, range(start, start + asked.buckets_at_once))
        tasks = asked.tasks or 4 * spark.sparkContext.defaultParallelism
        sites = some.select("site", "file", "record", "warc").repartition(tasks, "site")
        ordered = sites.sortWithinPartitions("site", "file", "record")
        documents = ordered.mapInArrow(extract_sites(settings, asked.run_size), schema)
        found += common.step(f"{asked.work}/documents/{start:05}", documents).files
    return files.Table(found, schema)


def join(pages: dict[int, files.Table], buckets: range) -> files.Table:
    """The pages of some buckets. A bucket may have no pages."""
    found = [file for bucket in buckets if bucket in pages for file in pages[bucket].files]
    return files.Table(found, PAGES)


def main(words: list[str] | None = None) -> None:
    """Runs the job with the arguments of a command line."""
    asked = arguments(words)
    spark = common.session(__file__, IN_A_BATCH)
    names = common.warc_files(asked.warc)
    if not names:
        sys.exit(f"no WARC files in {', '.join(asked.warc)}")
    plan = {key: value for key, value in vars(asked).items() if key not in ("warc", "out", "work", "confidence", "tasks")}
    common.agree(asked.work, {**plan, "files": names})
    pages = make_records(spark, names, asked)
    documents = without_repeats(make_documents(spark, pages, asked).select())
    certain = documents.where(F.col("confidence").isNull() | (F.col("confidence") >= asked.confidence))
    ordered = certain.repartitionByRange("id").sortWithinPartitions("id")
    out = common.publish(asked.work, asked.out, ordered)
    tell(pages, out, asked)


def tell(pages: dict[int, files.Table], out: files.Table, asked: argparse.Namespace) -> None:
    """Prints the numbers of the result, and which files are damaged."""
    count = join(pages, range(asked.buckets)).select("record").count()
    print(f"pages: {count}; documents: {out.select('id').count()}; in {asked.out}")
    for row in join(pages, range(-1, 0)).select("error").take(20):
        print(f"damaged, read up to there: {row.error}", file=sys.stderr)


if __name__ == "__main__":
    common.run(main)
