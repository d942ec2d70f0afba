"""Tests the jobs on a local Spark, with the archive of the bundled newspaper and with made-up texts.

pytest config/jobs

The tests need Java, pyspark, and the gleaner wheel. Tests of extraction can use a command named in GLEANER instead. Tests
of object storage need moto, an S3 server.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from pyspark.sql import SparkSession

import common
import count
import extract
import files

HERE = Path(__file__).parent
Rows = list[dict[str, Any]]


@pytest.fixture(scope="session")
def bucket() -> Iterator[str | None]:
    """A bucket of an S3 server. None if the server is not installed."""
    try:
        from moto.server import ThreadedMotoServer
    except ImportError:
        yield None
        return
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1"}
    os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    fs.FileSystem.from_uri("s3://corpus?allow_bucket_creation=true")[0].create_dir("corpus")
    yield "s3a://corpus"
    server.stop()


@pytest.fixture(scope="session")
def spark(bucket: str | None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A Spark session with two cores. Its workers have the credentials of the bucket."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
    local = builder.config("spark.local.dir", str(tmp_path_factory.mktemp("spark")))
    session = local.config("spark.sql.shuffle.partitions", 2).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of a crawl of the bundled newspaper."""
    folder = tmp_path_factory.mktemp("newspaper")
    common.gleaner("crawl", "--config", str(HERE.parent / "demo.toml"), "--data", str(folder / "data"))
    return folder / "data" / "archive"


@pytest.fixture(scope="session")
def one_export(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that `gleaner ingest` and `gleaner export` write on one machine."""
    folder = tmp_path_factory.mktemp("one")
    common.gleaner("ingest", str(archive), "--data", str(folder / "data"), "--set", 'corpus.duplicates=["exact"]')
    common.gleaner("export", "--data", str(folder / "data"), "--out", str(folder / "out.parquet"))
    return folder / "out.parquet"


@pytest.fixture(scope="session")
def one_machine(one_export: Path) -> Rows:
    """The documents of one machine as rows."""
    return rows(one_export)


def rows(path: Path) -> Rows:
    """The rows of Parquet files in the order of their names."""
    return [row for file in ds.dataset(path).files for row in pq.read_table(file).to_pylist()]


def words_of(archive: Path, folder: Path, *more: str) -> list[str]:
    """The arguments of an extraction."""
    return [str(archive), "--work", str(folder / "work"), "--out", str(folder / "out"), *more]


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_extraction_equals_one_machine(
    spark: SparkSession, archive: Path, one_machine: Rows, tmp_path: Path, parts: int
) -> None:
    """Every field of every document equals that of one machine, with any number of partitions."""
    spark.conf.set("spark.sql.shuffle.partitions", parts)
    extract.main(words_of(archive, tmp_path, "--tasks", str(parts), "--buckets", str(parts), "--run-size", str(2 * parts)))
    assert len(one_machine) > 50 and any(len(row["urls"]) > 1 for row in one_machine)
    assert rows(tmp_path / "out") == one_machine


def test_an_extraction_continues_after_a_kill(spark: SparkSession, archive: Path, one_machine: Rows, tmp_path: Path) -> None:
    """Complete parts are not done again."""
    more = ("--buckets", "8", "--buckets-at-once", "1", "--tasks", "1")
    words = words_of(archive, tmp_path, *more)
    job = subprocess.Popen([sys.executable, str(HERE / "extract.py"), *words], process_group=0, stderr=subprocess.DEVNULL)
    first = tmp_path / "work" / "documents" / "00000" / "_SUCCESS"
    while not first.exists():
        assert job.poll() is None, "the job ended before it was killed"
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    before = first.stat().st_mtime_ns
    extract.main(words)
    assert (first.stat().st_mtime_ns, rows(tmp_path / "out")) == (before, one_machine)


def test_other_settings_and_folders_in_use_are_refused(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    """A work folder is only used for one set of files and settings. Folders of other work are not overwritten."""
    extract.main(words_of(archive, tmp_path, "--buckets", "2"))
    with pytest.raises(SystemExit, match="other values of: buckets"):
        extract.main(words_of(archive, tmp_path, "--buckets", "3"))
    with pytest.raises(SystemExit, match="Name a new folder"):
        extract.main([str(archive), "--work", str(tmp_path / "other"), "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="no such file or folder"):
        extract.main(words_of(tmp_path / "absent", tmp_path / "third"))


@pytest.mark.parametrize("option", ["buckets", "buckets-at-once", "tasks", "files-at-once", "largest", "run-size"])
@pytest.mark.parametrize("value", ["0", "-1", "x"])
def test_numbers_that_would_lose_pages_are_refused(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With zero or a negative number, a loop over parts would end at once, and the job would write no documents."""
    with pytest.raises(SystemExit, match="2"):
        extract.arguments(["warc", "--work", "work", "--out", "out", f"--{option}", value])
    assert f"argument --{option}: {value} is not a whole number of 1 or more" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["-0.1", "7", "nan"])
def test_a_confidence_is_a_probability(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No document has a confidence above 1."""
    with pytest.raises(SystemExit, match="2"):
        extract.arguments(["warc", "--work", "work", "--out", "out", "--confidence", value])
    assert f"--confidence is from 0 to 1, not {value}" in capsys.readouterr().err


def test_a_damaged_file_is_named(
    spark: SparkSession, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The records before the damage are still read."""
    (tmp_path / "in").mkdir()
    whole = next(archive.glob("*.warc.gz")).read_bytes()
    (tmp_path / "in" / "cut.warc.gz").write_bytes(whole[: len(whole) * 9 // 10])
    (tmp_path / "in" / "none.warc").write_bytes(b"<html>This is not a WARC file.</html>")
    extract.main(words_of(tmp_path / "in", tmp_path))
    said = capsys.readouterr().err
    assert "cut.warc.gz" in said and "none.warc" in said and "it has no WARC record" in said and rows(tmp_path / "out")


def test_codings_of_warc_files_are_read(archive: Path, tmp_path: Path) -> None:
    """A WARC file has the same records uncompressed and with each compression."""
    file = next(archive.glob("*.warc.gz"))
    with pa.input_stream(str(file)) as stream:
        plain = stream.read()
    (tmp_path / "a.warc").write_bytes(plain)
    (tmp_path / "a.warc.zst").write_bytes(pa.compress(plain, "zstd", asbytes=True))
    expected = list(common.records(str(file), 1 << 20))
    assert len(expected) > 100 and {record.site for record in expected} == {"baolang.example", "villagepost.example"}
    assert b"".join(record.content for record in expected).count(b"WARC-Type: response") == len(expected)
    for name in ("a.warc", "a.warc.zst"):
        assert list(common.records(str(tmp_path / name), 1 << 20)) == expected


def test_a_file_that_cannot_be_read_is_not_taken_for_damaged(tmp_path: Path) -> None:
    """A task that cannot open or read a file fails, and Spark repeats it."""

    class Broken:
        def read(self, size: int) -> bytes:
            raise OSError(f"no connection for {size} bytes")

    with pytest.raises(RuntimeError, match=r"cannot open .*absent\.warc"):
        list(common.records(str(tmp_path / "absent.warc"), 1))
    stream: Any = pa.CompressedInputStream(pa.PythonFile(common.Source(Broken(), "a.warc"), mode="r"), "gzip")
    with pytest.raises(RuntimeError, match=r"cannot read a\.warc: no connection"):
        stream.read(1)


def test_sites_are_registrable_domains() -> None:
    """URLs with any spelling of a host belong to the same site."""
    cases = {
        b"http://www.BBC.co.uk/a": "bbc.co.uk",
        b"https://a.b.example.:8080/": "b.example",
        "https://báo.example/".encode(): "xn--bo-mia.example",
        b"http://127.0.0.1/": "127.0.0.1",
        b"http://[::/": "",
        b"dns:a.example": "",
    }
    assert {url: common.site_of(url) for url in cases} == cases


# ------------------------------------------------------------------------------------------ files


@pytest.fixture(params=["folder", "bucket"])
def root(request: pytest.FixtureRequest, bucket: str | None, tmp_path: Path) -> str:
    """A folder on disk, and one in object storage."""
    if request.param == "folder":
        return str(tmp_path)
    return f"{bucket}/{tmp_path.name}" if bucket else pytest.skip("skipped: moto is not installed")


def test_a_file_has_its_name_when_it_is_complete(root: str) -> None:
    """If the writer fails, there is no file, or the earlier one."""
    for content in ("one", "two"):
        with pytest.raises(ZeroDivisionError), files.create(f"{root}/a/b") as file:
            file.write(b"incomplete")
            raise ZeroDivisionError
        assert not files.exists(f"{root}/a/b") if content == "one" else files.get(f"{root}/a/b") == "one"
        files.put(f"{root}/a/b", content)
    assert files.get(f"{root}/a/b") == "two" and files.exists(f"{root}/a")


def test_a_table_is_read_as_it_was_written(spark: SparkSession, root: str) -> None:
    """A folder has the rows of the last write. A table without rows keeps its fields."""
    numbers = spark.range(0, 1000, 1, 3).selectExpr("id", "id div 500 as half", "repeat('x', cast(id % 7 as int)) as text")
    files.put(f"{root}/table/part-00009.parquet", "left by an interrupted write")
    table = files.write(numbers, f"{root}/table")
    assert [name.rpartition("/")[2] for name, _ in table.files] == [f"part-0000{part}.parquet" for part in range(3)]
    found = files.table(f"{root}/table").select("text", "id").collect()
    assert sorted((row.id, row.text) for row in found) == [(number, "x" * (number % 7)) for number in range(1000)]
    divided = files.write(numbers.sortWithinPartitions("half"), f"{root}/divided", by="half")
    assert [name.split("/")[-2] for name, _ in divided.files] == ["half=0", "half=0", "half=1", "half=1"]
    assert divided.select("id").distinct().count() == 1000
    empty = files.write(numbers.where("id < 0"), f"{root}/empty")
    assert (files.table(f"{root}/empty").schema.names, empty.select().collect()) == (["id", "half", "text"], [])


def test_files_of_other_programs_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row is read once, however the files are divided. Fields that a file does not have are null."""
    texts = [f"text {number % 3}" for number in range(100)]
    of_pandas = pa.table({"id": pa.array(texts, pa.large_string()), "text": pa.array(texts).dictionary_encode()})
    pq.write_table(of_pandas, tmp_path / "a.parquet", row_group_size=7)
    pq.write_table(pa.table({"text": texts}), tmp_path / "b.parquet", row_group_size=7)
    pq.write_table(of_pandas, tmp_path / "_c.parquet")
    table = files.table(str(tmp_path))
    assert [(field.name, field.dataType.simpleString()) for field in table.schema] == [("id", "string"), ("text", "string")]
    read = files.read_pieces(pa.schema([("text", pa.string()), ("id", pa.string())]))
    for piece in (1 << 20, 1000, 64):
        monkeypatch.setattr(files, "PIECE", piece)
        tasks = files.split(table.files)
        assert len(tasks) == 1 or len(tasks) > 5
        batches = [pa.RecordBatch.from_pydict({"pieces": [json.dumps(task)]}) for task in tasks]
        found = [(row["id"], row["text"]) for batch in read(batches) for row in batch.to_pylist()]
        assert found == [*zip(texts, texts, strict=True), *((None, text) for text in texts)]


def test_object_storage_gives_the_same_result(
    spark: SparkSession, bucket: str | None, archive: Path, one_machine: Rows, tmp_path: Path
) -> None:
    """All jobs read and write a bucket, with the results of one machine."""
    gleaner = pytest.importorskip("gleaner", reason="skipped: the gleaner wheel is not installed")
    import near_duplicates

    if bucket is None:
        pytest.skip("skipped: moto is not installed")
    system, inner = files.file_system(bucket)
    fs.copy_files(str(archive), f"{inner}/warc", fs.LocalFileSystem(), system)
    out = f"{bucket}/out"
    extract.main([f"{bucket}/warc", "--work", f"{bucket}/work", "--out", f"{out}/documents", "--buckets", "2", "--tasks", "2"])
    words = ["--out", f"{out}/near", "--similarity", "0.3", "--bands-at-once", "42", "--write", f"{out}/unique"]
    near_duplicates.main([f"{out}/documents", "--work", f"{bucket}/near", *words])
    count.main([f"{out}/documents", "--duplicates", f"{out}/near", "--out", f"{out}/counts"])
    fs.copy_files(f"{inner}/out", str(tmp_path), system, fs.LocalFileSystem())
    assert rows(tmp_path / "documents") == one_machine
    ordered = sorted(one_machine, key=lambda row: (row["fetched"], row["id"]))
    heads = gleaner.near_duplicates([row["text"] for row in ordered], 0.3)
    expected = {ordered[at]["id"]: ordered[head]["id"] for at, head in enumerate(heads) if at != head}
    assert {row["id"]: row["head"] for row in rows(tmp_path / "near")} == expected and expected
    assert rows(tmp_path / "unique" / "input=000") == [row for row in one_machine if row["id"] not in expected]
    total = json.loads((tmp_path / "counts" / "counts.json").read_text().splitlines()[0])
    assert (total["documents"], total["exact"] + total["near"]) == (len(one_machine), len(expected))


def test_types_that_spark_does_not_have(tmp_path: Path) -> None:
    """DuckDB writes unsigned numbers."""
    kinds = [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
    of_duckdb = pa.table({str(kind): pa.array([1, 200], kind) for kind in kinds})
    pq.write_table(of_duckdb, tmp_path / "a.parquet")
    table = files.table(str(tmp_path))
    assert [field.dataType.simpleString() for field in table.schema] == ["smallint", "int", "bigint", "decimal(20,0)"]
    read = files.read_pieces(files.plain(of_duckdb.schema))
    batch = next(iter(read([pa.RecordBatch.from_pydict({"pieces": [json.dumps(files.split(table.files)[0])]})])))
    assert [[int(value) for value in row.values()] for row in batch.to_pylist()] == [[1] * 4, [200] * 4]
    pq.write_table(pa.table({"time": pa.array([1], pa.time64("us"))}), tmp_path / "time.parquet")
    with pytest.raises(SystemExit, match=r"time\.parquet: Spark does not have the type of a field: .*time64"):
        files.table(str(tmp_path / "time.parquet"))


# ------------------------------------------------------------------------------------------ near-duplicates


def texts() -> list[str]:
    """300 texts. Every third is an edited copy of an earlier text, and every tenth equals an earlier text."""
    chance = random.Random(1)
    made: list[str] = []
    for number in range(300):
        words = [f"word{chance.randrange(5000)}" for _ in range(chance.randrange(5, 200))]
        if number % 3 == 2:
            words = made[chance.randrange(number)].split()
            words = [f"edited{at}" if chance.random() < 0.06 else word for at, word in enumerate(words)]
        made.append(" ".join(words) if number % 10 != 9 else made[chance.randrange(number)])
    return made


@pytest.fixture(scope="session")
def exports(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The texts as two inputs in the format of other programs. The second half comes first."""
    folder = tmp_path_factory.mktemp("exports")
    lines = [
        {"id": f"{number:04}", "text": text, "fetched": f"2026-11-{1 + number // 20:02}T00:{number % 60:02}:00Z"}
        for number, text in enumerate(texts())
    ]
    for number, line in enumerate(lines):
        line["fetched"] = f"2026-11-01T{number // 60:02}:{number % 60:02}:00Z"
    paths = [folder / "later.jsonl", folder / "earlier.jsonl"]
    for path, some in zip(paths, (lines[150:], lines[:150]), strict=True):
        path.write_text("".join(json.dumps(line) + "\n" for line in some))
    return [str(path) for path in paths]


def near(exports: list[str], folder: Path, *more: str) -> Rows:
    """The result of the job near_duplicates.py."""
    pytest.importorskip("gleaner", reason="skipped: the gleaner wheel is not installed")
    import near_duplicates

    near_duplicates.main([*exports, "--work", str(folder / "work"), "--out", str(folder / "out"), *more])
    return rows(folder / "out")


@pytest.mark.parametrize("value", ["0", "-3"])
def test_a_number_of_bands_is_positive(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With a negative number, the job would compare no documents."""
    pytest.importorskip("gleaner", reason="skipped: the gleaner wheel is not installed")
    import near_duplicates

    with pytest.raises(SystemExit, match="2"):
        near_duplicates.arguments(["in", "--work", "work", "--out", "out", "--bands-at-once", value])
    assert f"argument --bands-at-once: {value} is not a whole number of 1 or more" in capsys.readouterr().err


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_near_duplicates_equal_one_machine(spark: SparkSession, exports: list[str], tmp_path: Path, parts: int) -> None:
    """The representatives equal those computed in memory from the same texts, with any number of partitions."""
    import gleaner

    spark.conf.set("spark.sql.shuffle.partitions", parts)
    found = near(exports, tmp_path, "--bands-at-once", str(42 // parts), "--write", str(tmp_path / "unique"))
    expected = {f"{at:04}": f"{head:04}" for at, head in enumerate(gleaner.near_duplicates(texts())) if at != head}
    assert {row["id"]: row["head"] for row in found} == expected and len(expected) > 90
    assert {row["kind"] for row in found} == {"exact", "near"}
    kept = [row["id"] for part in sorted((tmp_path / "unique").glob("input=*")) for row in rows(part)]
    assert sorted([*kept, *expected]) == [f"{at:04}" for at in range(300)]


@pytest.mark.parametrize(("head", "similarity"), [("longest", 0.5), ("longest", 0.2), ("first", 0.8)])
def test_near_duplicates_equal_a_comparison_of_all(
    spark: SparkSession, exports: list[str], tmp_path: Path, head: str, similarity: float
) -> None:
    """The representatives follow the rule when it is applied without an index and without partitions."""
    found = near(exports, tmp_path, "--head", head, "--similarity", str(similarity))
    expected = by_comparing_all(texts(), head == "longest", similarity)
    assert {int(row["id"]): int(row["head"]) for row in found} == expected and len(expected) > 90


def by_comparing_all(made: list[str], longest: bool, least: float) -> dict[int, int]:
    """The representative of each text that is a duplicate, found by comparing it with all earlier representatives."""
    import gleaner

    signed = ((text, gleaner.signature(text)) for text in made)
    signatures = {text: signature for text, signature in signed if signature}
    bands = {text: gleaner.bands(signature) for text, signature in signatures.items()}
    heads: list[int] = []
    behind: dict[int, int] = {}
    for at, text in enumerate(made):
        if text in made[:at]:
            behind[at] = made.index(text)
        elif text in bands:
            met = [head for head in heads if any(a == b for a, b in zip(bands[text], bands[made[head]], strict=True))]
            nearest = sorted((-gleaner.similarity(signatures[text], signatures[made[head]]), head) for head in met)
            read = [head for estimate, head in nearest if -estimate >= min(0.25, least)][:4]
            copies = [head for head in read if gleaner.verdict(text, made[head], least) == "duplicate"]
            if copies and longest and len(text.split()) > len(made[copies[0]].split()):
                heads.remove(copies[0])
                behind[copies[0]] = at
                heads.append(at)
            elif copies:
                behind[at] = copies[0]
            else:
                heads.append(at)

    def top(at: int) -> int:
        return top(behind[at]) if at in behind else at

    return {at: top(at) for at in behind}


ROW = {"id": "a", "text": "b"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.parquet", [{"id": "a"}], "cannot use .*it does not have these fields: text"),
        ("a.parquet", [{"text": "a", "words": 1}], "cannot use .*it does not have these fields: id"),
        ("a.parquet", [ROW, ROW], "cannot use .*: 2 rows have the id a. Keep one of them"),
        ("a.parquet", [ROW, {"id": None, "text": "b"}], "the job failed: .*cannot use .*: a row has a text and no id"),
        ("a.parquet", b"{}", "it is not a Parquet file"),
        ("in/manifest.json", b"{}", "the folder has no .parquet files"),
        ("in/_hidden.parquet", [ROW], "the folder has no .parquet files"),
        ("a.jsonl", b'{"id":"a","text":"b"}\n{"id', "it has a line that is not a JSON object"),
    ],
)
def test_inputs_that_cannot_be_used(
    spark: SparkSession, tmp_path: Path, name: str, content: Rows | bytes, message: str
) -> None:
    """The last line of the output names the file and what is wrong."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        pq.write_table(pa.Table.from_pylist(content), path)
    source = str(path.parent if name.startswith("in/") else path)
    with pytest.raises(SystemExit, match=message):
        common.run(lambda: near([source], tmp_path))


def test_a_failure_in_a_task_is_named(spark: SparkSession, tmp_path: Path) -> None:
    """The cause is found between the traces of Python and Java."""
    pq.write_table(pa.table({"id": ["a"], "text": ["b"]}), tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"no table")
    with pytest.raises(SystemExit) as ended:
        common.run(lambda: near([str(tmp_path)], tmp_path / "near"))
    assert str(ended.value).startswith(f"the job failed: ValueError: cannot read {tmp_path}/b.parquet: ")


def test_an_input_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    """With an input named twice, each document would be a copy of itself, and be removed."""
    pytest.importorskip("gleaner", reason="skipped: the gleaner wheel is not installed")
    import near_duplicates

    for job, words in (
        (near_duplicates.arguments, ["in", "./in/", "--work", "w", "--out", "o"]),
        (near_duplicates.arguments, ["a", "--work", "w", "--out", "o", "--write", "in", "--out", "in/"]),
        (extract.arguments, ["s3://in", "s3a://in/", "--work", "w", "--out", "o"]),
        (count.arguments, ["in", "in", "--out", "o"]),
    ):
        with pytest.raises(SystemExit, match="2"):
            job(words)
        assert "in is named twice" in capsys.readouterr().err.replace("in/ is", "in is")


def test_rows_without_text_are_no_duplicates(spark: SparkSession, tmp_path: Path) -> None:
    """They are not compared, and remain."""
    made = [None, None, " ", "", "rain", "rain"]
    pq.write_table(pa.table({"id": [*"abcdef"], "text": made}), tmp_path / "in.parquet")
    found = near([str(tmp_path / "in.parquet")], tmp_path, "--write", str(tmp_path / "unique"))
    assert [(row["id"], row["head"]) for row in found] == [("f", "e")]
    assert [row["id"] for row in rows(tmp_path / "unique" / "input=000")] == [*"abcde"]


def test_the_files_of_a_corpus_in_object_storage(spark: SparkSession, one_export: Path, tmp_path: Path) -> None:
    """The statement of docs/workers.md reads the newest row of each document."""
    table = pq.read_table(one_export)
    old = table.slice(0, 5).set_column(table.schema.get_field_index("title"), "title", pa.array(["old"] * 5))
    for day, number, some in (("2026-11-01", 1, old), ("2026-11-01", 2, table.slice(5)), ("2026-11-02", 3, table.slice(0, 5))):
        folder = tmp_path / "documents" / f"date={day}"
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(some, folder / f"{number:012}.parquet")
    page = (HERE.parent.parent / "docs" / "workers.md").read_text()
    code = page.split("```python\n")[1].split("```")[0].replace("s3a://bucket/news", str(tmp_path))
    names: dict[str, Any] = {"spark": spark}
    exec(code, names)
    newest = sorted(names["newest"].collect(), key=lambda row: row.id)
    expected = sorted(table.to_pylist(), key=lambda row: str(row["id"]))
    assert [(row.id, row.title, row.text) for row in newest] == [(row["id"], row["title"], row["text"]) for row in expected]


def test_near_duplicates_of_a_corpus(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    """The clusters of the newspaper are those that `gleaner duplicates` lists."""
    common.gleaner("ingest", str(archive), "--data", str(tmp_path / "data"))
    common.gleaner(
        *("export", "--data", str(tmp_path / "data"), "--members", "--confidence", "0"),
        *("--format", "parquet", "--into", str(tmp_path / "all")),
    )
    assert (tmp_path / "all" / "manifest.json").exists()
    found = near([str(tmp_path / "all")], tmp_path)
    listed = [
        json.loads(line)
        for line in common.gleaner("duplicates", "--data", str(tmp_path / "data"), "--json", "--limit", "0").splitlines()
    ]
    expected = {frozenset({line["id"], *(member["id"] for member in line["members"])}) for line in listed}
    # Which of the two was stored first depends on threads, so only the sets are compared.
    assert {frozenset({row["id"], row["head"]}) for row in found} == expected and len(expected) == 2


def test_counts(spark: SparkSession, one_export: Path, tmp_path: Path) -> None:
    """Totals are sums over the documents, and the counts of each kind of key add up to the totals."""
    one_machine = rows(one_export)
    count.main([str(one_export), "--out", str(tmp_path / "counts")])
    counted = [json.loads(line) for file in (tmp_path / "counts").glob("*.json") for line in file.read_text().splitlines()]
    total = counted[0]
    assert (total["by"], total["documents"], total["words"]) == (
        "total",
        len(one_machine),
        sum(row["words"] for row in one_machine),
    )
    for by in ("host", "language", "day"):
        assert sum(row["words"] for row in counted if row["by"] == by) == total["words"]
    assert {row["key"] for row in counted if row["by"] == "language"} == {"en", "vi"}


def test_counts_of_duplicates_need_the_same_inputs(spark: SparkSession, one_export: Path, tmp_path: Path) -> None:
    """Otherwise the job would count no duplicates. The spelling of a folder does not matter."""
    kinds = pa.table({"id": [rows(one_export)[0]["id"]], "source": [str(one_export.parent)], "kind": ["near"]})
    (tmp_path / "near").mkdir()
    pq.write_table(kinds, tmp_path / "near" / "part.parquet")
    duplicates = ("--duplicates", str(tmp_path / "near"))
    count.main([f"{one_export.parent}/", *duplicates, "--out", str(tmp_path / "counts")])
    assert json.loads((tmp_path / "counts" / "counts.json").read_text().splitlines()[0])["near"] == 1
    with pytest.raises(SystemExit, match=f"is of other inputs: {one_export.parent}. Name the same inputs"):
        count.main([str(one_export), *duplicates, "--out", str(tmp_path / "other")])
    with pytest.raises(SystemExit, match=r"counts\.json exists. Name a new folder"):
        count.main([str(one_export), "--out", str(tmp_path / "counts")])


def test_counts_of_nothing(spark: SparkSession, one_export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A corpus without documents has no counts. A file without the fields is refused."""
    table = pq.read_table(one_export)
    pq.write_table(table.slice(0, 0), tmp_path / "empty.parquet")
    count.main([str(tmp_path / "empty.parquet"), "--out", str(tmp_path / "counts")])
    assert "documents: 0; words: 0; exact: 0; near: 0" in capsys.readouterr().out
    pq.write_table(table.drop_columns(["host", "urls"]), tmp_path / "few.parquet")
    with pytest.raises(SystemExit, match=r"few\.parquet: it does not have these fields: host, urls"):
        count.main([str(tmp_path / "few.parquet"), "--out", str(tmp_path / "few")])
