"""Finds near-duplicates over any number of exports on a Spark cluster, by the rule of docs/dedup.md.

Input:   Parquet files, folders of them, or JSON Lines files (.jsonl, .jsonl.gz), of `gleaner export`, of extract.py, or
         of other programs, with the fields id (unique within an input) and text, and with fetched and words if known.
Output:  OUT, Parquet files with a row for each document that another document represents: id, source (the input),
         head, head_source, similarity, kind (exact or near). With --write UNIQUE also the remaining documents.

    spark-submit near_duplicates.py IN... --work WORK --out OUT [--write UNIQUE]

1. documents:   signature and content hash of each text. Documents are numbered in the order of fetched, id, input.
2. repeats:     documents with the same text as an earlier document. The next steps omit them.
3. pairs:       documents that share a band, in the order of their numbers. The signature of each is compared with the
                first 16 and the last 16 documents before it. After 4,096 documents of a band, only with the first 16.
4. components:  documents that are connected by pairs.
5. clusters:    each component in the order of its numbers. A document is compared only with representatives, by
                signature and by text, and joins the first one that it duplicates. If it duplicates none, it becomes a
                representative.

If the job is interrupted, the same command continues it, because complete steps are marked. docs/dedup.md states the
differences from the result of one crawl.
"""

from __future__ import annotations

import argparse
import hashlib
import sqlite3
import sys
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gleaner
import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

import common
import files

FIRST, LAST, MOST = 16, 16, 4096
COMPARED, READ = 64, 4
RELATED = 0.25
BANDS = 42
NEVER = 2**63 - 1
SIGNED = "source int, id string, time long, words long, hash binary, signature binary, text string"
Batches = Iterable[pa.RecordBatch]


def arguments(words: list[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("inputs", nargs="+", metavar="IN", help="exports: Parquet files, folders of them, or JSON Lines files")
    parser.add_argument("--work", required=True, help="folder of intermediate results; a new one, or the same to resume")
    parser.add_argument("--out", required=True, help="folder of the list of duplicates")
    parser.add_argument("--write", help="also write the documents without duplicates into this folder")
    parser.add_argument("--head", choices=["first", "longest"], default="first", help="the representative [default: first]")
    parser.add_argument("--similarity", type=float, default=0.5, help="minimum of near-duplicates, 0 to 1 [default: 0.5]")
    parser.add_argument("--bands-at-once", type=common.positive, default=14, help="bands done together, of 42 [default: 14]")
    asked = parser.parse_args(words)
    if not 0 <= asked.similarity <= 1:
        parser.error(f"--similarity is from 0 to 1, not {asked.similarity}")
    common.refuse_repeated(parser, [path for path in (*asked.inputs, asked.work, asked.out, asked.write) if path])
    return asked


def read_input(path: str, *names: str) -> DataFrame:
    """Reads an export: those of the fields that it has, or all."""
    if path.rstrip("/").endswith((".jsonl", ".jsonl.gz", ".jsonl.zst")):
        rows = files.read_json(path)
        return rows.select([name for name in rows.columns if name in (names or rows.columns)])
    table = files.table(path)
    return table.select(*[name for name in table.schema.names if name in names])


def of_input(path: str, source: int) -> DataFrame:
    """The fields of an input that the job needs. Leaves out rows without text, which are no duplicates of others."""
    documents = read_input(path, "id", "text", "fetched", "words")
    fields = set(documents.columns)
    files.demand(path, fields, ("id", "text"))
    time = F.unix_micros(F.col("fetched").cast("timestamp")) if "fetched" in fields else F.lit(None).cast("long")
    words = F.col("words") if "words" in fields else F.size(F.split("text", r"\s+"))
    missing = F.raise_error(F.lit(f"cannot use {path}: a row has a text and no id"))
    return documents.where(r"text rlike '\\S'").select(
        F.lit(source).alias("source"),
        F.coalesce(F.col("id").cast("string"), missing).alias("id"),
        F.coalesce(time, F.lit(NEVER)).alias("time"),
        words.cast("long").alias("words"),
        "text",
    )


def sign(batches: Batches) -> Batches:
    """Adds the content hash and the signature of each text. A short text has no signature."""
    for batch in batches:
        texts = batch.column("text").to_pylist()
        plain = [" ".join(unicodedata.normalize("NFC", text).split()).encode() for text in texts]
        hashes = pa.array([hashlib.blake2b(text, digest_size=16).digest() for text in plain], pa.binary())
        signatures = pa.array([gleaner.signature(text) for text in texts], pa.binary())
        columns = {name: batch.column(name) for name in ("source", "id", "time", "words")}
        columns |= {"hash": hashes, "signature": signatures, "text": batch.column("text")}
        yield pa.RecordBatch.from_pydict(columns)


def band_keys(some: range) -> Callable[[Batches], Batches]:
    """Makes a row per document and band with the key of the band, the number of the document and its signature."""

    def run(batches: Batches) -> Batches:
        for batch in batches:
            signatures = batch.column("signature")
            keys = [gleaner.bands(signature) for signature in signatures.to_pylist()]
            columns = np.array(keys, np.int64).reshape(len(keys), BANDS)[:, some.start : some.stop]
            for band in range(columns.shape[1]):
                key = pa.array(np.ascontiguousarray(columns[:, band]))
                yield pa.RecordBatch.from_arrays([key, batch.column("number"), signatures], ["key", "number", "signature"])

    return run


class Band:
    """The documents of one key with which later documents are compared."""

    def __init__(self, key: int, related: float) -> None:
        self.key, self.related, self.count = key, related, 0
        self.first: list[tuple[int, bytes]] = []
        self.last: deque[tuple[int, bytes]] = deque(maxlen=LAST)

    def meet(self, number: int, signature: bytes) -> Iterator[int]:
        """Adds a document. Returns the earlier documents with a similar signature."""
        known = [*self.first, *self.last] if self.count < MOST else self.first
        yield from (earlier for earlier, other in known if gleaner.similarity(signature, other) >= self.related)
        if len(self.first) < FIRST:
            self.first.append((number, signature))
        elif self.count < MOST:
            self.last.append((number, signature))
        self.count += 1


def pairs(related: float) -> Callable[[Batches], Batches]:
    """Finds similar documents among those with the same key. The rows must be sorted by key and number."""

    def run(batches: Batches) -> Batches:
        band = Band(0, related)
        for batch in batches:
            keys = batch.column("key").to_numpy()
            starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
            ends = np.append(starts[1:], len(keys))
            # A key with one document has no pairs, unless the previous or next batch also has the key.
            is_shared = (ends - starts > 1) | (starts == 0) | (ends == len(keys))
            later: list[int] = []
            earlier: list[int] = []
            for start, end in zip(starts[is_shared].tolist(), ends[is_shared].tolist(), strict=True):
                key = int(keys[start])
                band = band if band.count and band.key == key else Band(key, related)
                some = batch.slice(start, end - start)
                for number, signature in zip(some["number"].to_pylist(), some["signature"].to_pylist(), strict=True):
                    met = list(band.meet(number, signature))
                    later += [number] * len(met)
                    earlier += met
            yield pa.RecordBatch.from_pydict({"later": pa.array(later, pa.int64()), "earlier": pa.array(earlier, pa.int64())})

    return run


class Clusters:
    """The clusters of one component at a time, in a temporary database. A large database is on disk."""

    def __init__(self, longest: bool, similarity: float) -> None:
        self.longest, self.similarity = longest, similarity
        self.base = sqlite3.connect("", isolation_level=None)
        self.base.execute("pragma cache_size = -65536")
        self.base.execute("create table documents (number integer primary key, head int, words int, signature, text)")

    def head(self, number: int) -> int:
        """The representative of a document, which can be the document itself."""
        return int(self.one("select head from documents where number = ?", number)[0])

    def one(self, query: str, *values: int) -> Any:  # noqa: ANN401
        """The first row of the result of a query."""
        return self.base.execute(query, values).fetchone()

    def add(self, row: dict[str, Any]) -> None:
        """Assigns a document to the representative that it duplicates, or makes it a representative."""
        number, words = row["number"], row["words"]
        head = self.duplicate_of(row)
        values = (number, number, words, row["signature"], row["text"])
        self.base.execute("insert into documents values (?, ?, ?, ?, ?)", values)
        if head is None:
            return
        is_longer = self.longest and words > self.one("select words from documents where number = ?", head)[0]
        member, to = (head, number) if is_longer else (number, head)
        self.base.execute("update documents set head = ? where number = ?", (to, member))

    def duplicate_of(self, row: dict[str, Any]) -> int | None:
        """The representative that a document duplicates. Applies the same rule as `ask` in
        crates/corpus/src/dedup/ask.rs.
        """
        earlier: int
        met = zip(row["earlier"] or [], row["shared"] or [], strict=True)
        heads = sorted(((shared, earlier) for earlier, shared in met if self.head(earlier) == earlier), reverse=True)
        alike = []
        for _, earlier in heads[:COMPARED]:
            (signature,) = self.one("select signature from documents where number = ?", earlier)
            alike.append((-gleaner.similarity(row["signature"], signature), earlier))
        for _, earlier in sorted(alike)[:READ]:
            (text,) = self.one("select text from documents where number = ?", earlier)
            if gleaner.verdict(row["text"], text, self.similarity) == "duplicate":
                return earlier
        return None

    def members(self) -> Iterator[dict[str, Any]]:
        """Returns the documents that another document represents, and removes the component."""
        for number, signature in self.base.execute("select number, signature from documents where head <> number"):
            head = number
            while (above := self.head(head)) != head:
                head = above
            (other,) = self.one("select signature from documents where number = ?", head)
            yield {"number": number, "head": head, "similarity": gleaner.similarity(signature, other)}
        self.base.execute("delete from documents")


def clusters(longest: bool, similarity: float) -> Callable[[Batches], Batches]:
    """Finds the representatives. The rows must be sorted by component and number."""
    schema = pa.schema([("number", pa.int64()), ("head", pa.int64()), ("similarity", pa.float64())])

    def run(batches: Batches) -> Batches:
        state, last = Clusters(longest, similarity), None
        for batch in batches:
            done: list[dict[str, Any]] = []
            for row in batch.to_pylist():
                if row["component"] != last:
                    done.extend(state.members())
                    last = row["component"]
                state.add(row)
            yield pa.RecordBatch.from_pylist(done, schema)
        yield pa.RecordBatch.from_pylist(list(state.members()), schema)

    return run


def components(similar: files.Table, work: str) -> files.Table:
    """The first document of the component of each document, computed with alternating large and small stars.

    R. Kiveris et al., Connected Components in MapReduce and Beyond, SoCC 2014. After about log2(n) rounds, the edges are
    stars around the first document of each component.
    """
    edges = similar.select("later", "earlier").toDF("node", "to")
    before, step = None, 0
    while True:
        table = common.step(f"{work}/components/{step:03}", small_star(large_star(edges)))
        edges = table.select()
        state = edges.agg(F.count("*"), F.sum(F.xxhash64("node", "to").cast("decimal(38)"))).first()
        if state == before:
            return table
        before, step = state, step + 1


def large_star(edges: DataFrame) -> DataFrame:
    """Connects the later neighbours of each document with the first of its neighbours."""
    both = edges.union(edges.select(F.col("to").alias("node"), F.col("node").alias("to")))
    first = F.least("node", F.min("to").over(Window.partitionBy("node")))
    return (
        both.select("to", "node", first.alias("first"))
        .where("to > node")
        .select(F.col("to").alias("node"), F.col("first").alias("to"))
        .distinct()
    )


def small_star(edges: DataFrame) -> DataFrame:
    """Connects each document and its earlier neighbours with the first of them."""
    first = edges.select("node", "to", F.min("to").over(Window.partitionBy("node")).alias("first"))
    ends = first.select(F.explode(F.array("node", "to")).alias("node"), F.col("first").alias("to"))
    return ends.where("node <> to").distinct()


def number_documents(inputs: list[str]) -> DataFrame:
    """Runs step 1."""
    parts = [of_input(path, source) for source, path in enumerate(inputs)]
    documents = parts[0]
    for part in parts[1:]:
        documents = documents.union(part)
    ordered = documents.repartitionByRange("time", "id", "source").sortWithinPartitions("time", "id", "source")
    return ordered.mapInArrow(sign, SIGNED).withColumn("number", F.monotonically_increasing_id())


def check_ids(documents: files.Table, inputs: list[str]) -> None:
    """Ends the program if an id occurs twice in an input, because rows are found by their ids."""
    ids = documents.select("source", "id").groupBy("source", "id").count()
    repeated = ids.where("count > 1").orderBy("source", "id").first()
    if repeated:
        said = f"{repeated['count']} rows have the id {repeated['id']}. Keep one of them, for example the newest."
        sys.exit(f"cannot use {inputs[repeated['source']]}: {said}")


def find_repeats(documents: files.Table) -> DataFrame:
    """Runs step 2."""
    first = F.min("number").over(Window.partitionBy("hash"))
    return documents.select("number", "hash").select("number", first.alias("first")).where("number <> first")


def find_pairs(texts: files.Table, asked: argparse.Namespace) -> DataFrame:
    """Runs step 3."""
    found, related = [], min(RELATED, asked.similarity)
    for start in range(0, BANDS, asked.bands_at_once):
        some = range(start, min(start + asked.bands_at_once, BANDS))
        keyed = texts.select().mapInArrow(band_keys(some), "key long, number long, signature binary")
        ordered = keyed.repartition("key").sortWithinPartitions("key", "number")
        similar = ordered.mapInArrow(pairs(related), "later long, earlier long")
        done = common.step(f"{asked.work}/pairs/{start:02}", similar)
        found += done.files
    similar = files.Table(found, done.schema).select()
    return similar.groupBy("later", "earlier").agg(F.count("*").cast("int").alias("shared"))


def find_clusters(documents: files.Table, similar: files.Table, stars: files.Table, asked: argparse.Namespace) -> DataFrame:
    """Runs step 5."""
    met = similar.select().groupBy("later").agg(F.collect_list(F.struct("earlier", "shared")).alias("met"))
    met = met.select(F.col("later").alias("number"), F.col("met.earlier").alias("earlier"), F.col("met.shared").alias("shared"))
    edges = stars.select("node", "to")
    first = edges.select(F.col("to").alias("number"), F.col("to").alias("component")).distinct()
    nodes = edges.toDF("number", "component").union(first)
    rows = documents.select("number", "words", "signature", "text").join(nodes, "number").join(met, "number", "left")
    ordered = rows.repartition("component").sortWithinPartitions("component", "number")
    return ordered.mapInArrow(clusters(asked.head == "longest", asked.similarity), "number long, head long, similarity double")


def list_duplicates(documents: DataFrame, repeats: DataFrame, near: DataFrame, inputs: list[str]) -> DataFrame:
    """Joins exact and near-duplicates. A repeated text has the representative of the first document with this text."""
    of_first = near.select(F.col("number").alias("first"), "head", "similarity")
    exact = repeats.join(of_first, "first", "left").select(
        "number",
        F.coalesce("head", "first").alias("head"),
        F.coalesce("similarity", F.lit(1.0)).alias("similarity"),
        F.when(F.col("head").isNull(), "exact").otherwise("near").alias("kind"),
    )
    members = near.select("number", "head", "similarity", F.lit("near").alias("kind")).union(exact)
    names = F.array(*[F.lit(path) for path in inputs])
    named = documents.select("number", "id", names[F.col("source")].alias("source"))
    heads = named.toDF("head_number", "head", "head_source")
    members = members.withColumnRenamed("head", "head_number")
    both = members.join(named, "number").join(heads, "head_number")
    columns = ["id", "source", "head", "head_source", "similarity", "kind"]
    return both.repartitionByRange("number").sortWithinPartitions("number").select(columns)


def unique(path: str, duplicates: files.Table) -> DataFrame:
    """The documents of an input that no other document represents, with all their fields."""
    removed = duplicates.select("id", "source").where(F.col("source") == path).select("id")
    kept = read_input(path).join(removed, "id", "left_anti")
    return kept.repartitionByRange("id").sortWithinPartitions("id")


def main(words: list[str] | None = None) -> None:
    """Runs the job with the arguments of a command line."""
    asked = arguments(words)
    common.session(__file__, common.DOCUMENTS_IN_A_BATCH)
    work = asked.work
    common.agree(work, {name: getattr(asked, name) for name in ("inputs", "head", "similarity", "bands_at_once")})
    documents = common.step(f"{work}/documents", number_documents(asked.inputs))
    check_ids(documents, asked.inputs)
    repeats = common.step(f"{work}/repeats", find_repeats(documents))
    signed = documents.select("number", "signature").where("signature is not null")
    texts = common.step(f"{work}/texts", signed.join(repeats.select("number"), "number", "left_anti"))
    similar = common.step(f"{work}/similar", find_pairs(texts, asked))
    stars = components(similar, work)
    near = common.step(f"{work}/clusters", find_clusters(documents, similar, stars, asked))
    named = documents.select("number", "id", "source")
    duplicates = common.publish(work, asked.out, list_duplicates(named, repeats.select(), near.select(), asked.inputs))
    for number, path in enumerate(asked.inputs if asked.write else []):
        common.publish(work, f"{asked.write}/input={number:03}", unique(path, duplicates))
    kinds = {row["kind"]: row["count"] for row in duplicates.select("kind").groupBy("kind").count().collect()}
    heads = duplicates.select("head", "head_source").distinct().count()
    count = documents.select("number").count()
    print(f"documents: {count}; clusters: {heads}; exact: {kinds.get('exact', 0)}; near: {kinds.get('near', 0)}")


if __name__ == "__main__":
    common.run(main)
