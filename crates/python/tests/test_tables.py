"""Compares the tables of a corpus with the Parquet files of the command."""

import builtins
import subprocess

import pytest

import gleaner

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(scope="session")
def parquet(ingested, tmp_path_factory):
    """Return the table that the command exports."""
    import pyarrow.parquet

    file = tmp_path_factory.mktemp("exported") / "all.parquet"
    command = ["gleaner", "export", "--data", str(ingested), "--members", "--out", str(file)]
    subprocess.run(command, check=True, capture_output=True)
    return pyarrow.parquet.read_table(file)


def test_a_table_is_that_of_the_parquet_export(ingested, parquet):
    table = gleaner.open(ingested).documents(members=True).to_arrow()
    table.validate(full=True)
    assert table.schema.equals(parquet.schema)
    assert table.equals(parquet)


def test_fields_are_chosen_in_their_order(ingested, parquet):
    chosen = ["words", "url", "authors", "published_utc", "complete", "template_version", "confidence", "section"]
    table = gleaner.open(ingested).documents(members=True).to_arrow(chosen)
    assert table.column_names == chosen
    assert table.equals(parquet.select(chosen))


def test_no_documents_are_a_table_with_the_columns(ingested, parquet):
    table = gleaner.open(ingested).documents(where="words>100000").to_arrow()
    assert table.num_rows == 0 and table.schema.equals(parquet.schema)


def test_documents_are_read_in_batches(ingested):
    table = gleaner.open(ingested).documents(limit=5).table(["id", "text"])
    with pyarrow.RecordBatchReader.from_stream(table) as reader:
        assert [batch.num_rows for batch in reader] == [5]


def test_a_stream_that_nobody_reads_closes_the_corpus(data, tmp_path):
    stream = gleaner.open(data).documents().__arrow_c_stream__()
    (tmp_path / "none.warc").write_bytes(b"")
    command = ["gleaner", "ingest", str(tmp_path / "none.warc"), "--data", str(data)]
    assert subprocess.run(command, capture_output=True).returncode == 1
    del stream
    assert subprocess.run(command, capture_output=True).returncode == 0


def test_an_error_ends_the_stream_with_its_message(data):
    documents = gleaner.open(data).documents(members=True)
    for file in (data / "sled" / "texts").iterdir():
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(content)
    with pytest.raises(gleaner.CorpusError, match="the text of the document .* cannot be read"):
        documents.to_arrow()
    with pytest.raises(gleaner.CorpusError, match="^no document matches language xx; languages in this corpus: en$"):
        gleaner.open(data).documents(language="xx").to_arrow()


def test_pandas_reads_the_columns(ingested, parquet):
    pytest.importorskip("pandas")
    frame = gleaner.open(ingested).documents(members=True).to_pandas(["host", "words", "published_utc"])
    assert list(frame.columns) == ["host", "words", "published_utc"]
    assert frame.words.sum() == sum(parquet["words"].to_pylist())
    assert frame.groupby("host").size().to_dict() == {"other.example": 1, "paper.example": 12}


def test_polars_reads_the_stream(ingested, parquet):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(gleaner.open(ingested).documents(members=True))
    assert frame.to_arrow()["text"].to_pylist() == parquet["text"].to_pylist()
    assert frame["keywords"].to_list() == parquet["keywords"].to_pylist()
    assert frame["fetched"].dtype == polars.Datetime("us", "UTC")


def test_duckdb_reads_the_stream(ingested, parquet):
    duckdb = pytest.importorskip("duckdb")
    documents = gleaner.open(ingested).documents(members=True)
    rows = duckdb.sql("select url, words from documents order by url").fetchall()
    assert rows == sorted(zip(parquet["url"].to_pylist(), parquet["words"].to_pylist()))


def test_without_pyarrow_the_error_says_what_to_install(ingested, monkeypatch):
    imported = builtins.__import__

    def without(name, *arguments, **options):
        if name in ("pyarrow", "pandas"):
            raise ImportError(name)
        return imported(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    documents = gleaner.open(ingested).documents()
    with pytest.raises(ImportError, match="^to_arrow needs pyarrow: pip install pyarrow$"):
        documents.to_arrow()
    with pytest.raises(ImportError, match="pip install pandas pyarrow"):
        documents.to_pandas()
