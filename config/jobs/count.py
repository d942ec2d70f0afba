"""Counts the documents of a corpus on a Spark cluster.

Input:   folders of `gleaner export` or extract.py, as Parquet; with --duplicates the result of near_duplicates.py.
Output:  OUT, one JSON object per line: by (total, host, language, day), key, documents, words, urls, exact, near.
         `urls` counts all URLs with the texts. `exact` and `near` count documents that another document represents.

    spark-submit count.py IN... --out OUT [--duplicates DUPLICATES]

A day is the day of fetching, in UTC. The job reads the input once. It keeps one row per host, language and day.
"""

from __future__ import annotations

import argparse
import json
import sys

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import common
import files

FIELDS = ("id", "host", "language", "fetched", "words", "urls")


def arguments(words: list[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("inputs", nargs="+", metavar="IN", help="folders or files of exported Parquet")
    parser.add_argument("--out", required=True, help="new folder of the result")
    parser.add_argument("--duplicates", help="result of near_duplicates.py over the same inputs")
    asked = parser.parse_args(words)
    common.refuse_repeated(parser, asked.inputs)
    return asked


def documents_of(inputs: list[str], duplicates: str | None) -> DataFrame:
    """The fields of all inputs that the job counts."""
    kinds = None if duplicates is None else of_table(duplicates, ("id", "source", "kind"))
    sources = {path: path for path in inputs} if kinds is None else find_sources(kinds, inputs, str(duplicates))
    parts = [of_table(path, FIELDS).withColumn("source", F.lit(sources[path])) for path in inputs]
    documents = parts[0]
    for part in parts[1:]:
        documents = documents.union(part)
    if kinds is None:
        return documents.withColumn("kind", F.lit(None).cast("string"))
    return documents.join(kinds, ["id", "source"], "left")


def of_table(path: str, fields: tuple[str, ...]) -> DataFrame:
    """These fields of a table, which must have them."""
    table = files.table(path)
    files.demand(path, table.schema.names, fields)
    return table.select(*fields)


def find_sources(kinds: DataFrame, inputs: list[str], duplicates: str) -> dict[str, str]:
    """The name of each input in the list of duplicates. Ends the program if that list is of other inputs."""
    known = {files.absolute(row.source): row.source for row in kinds.select("source").distinct().collect()}
    sources = {path: known.get(files.absolute(path), path) for path in inputs}
    other = sorted(set(known.values()) - set(sources.values()))
    if other and set(sources.values()) - set(known.values()):
        sys.exit(f"{duplicates} is of other inputs: {', '.join(other)}. Name the same inputs as for near_duplicates.py.")
    return sources


def count(documents: DataFrame) -> DataFrame:
    """Counts the documents in total and by each of the keys."""
    day = F.date_format("fetched", "yyyy-MM-dd")
    keys = {"total": F.lit(""), "host": F.col("host"), "language": F.col("language"), "day": day}
    pairs = F.explode(F.array(*[F.struct(F.lit(by).alias("by"), key.alias("key")) for by, key in keys.items()]))
    counted = (
        documents.withColumn("of", pairs)
        .groupBy("of.by", "of.key")
        .agg(
            F.count("*").alias("documents"),
            F.sum("words").alias("words"),
            F.sum(F.greatest(F.size("urls"), F.lit(0))).alias("urls"),
            F.count_if(F.col("kind") == "exact").alias("exact"),
            F.count_if(F.col("kind") == "near").alias("near"),
        )
    )
    return counted.orderBy(F.col("by") != "total", "by", "key")


def main(words: list[str] | None = None) -> None:
    """Runs the job with the arguments of a command line."""
    asked = arguments(words)
    common.session(__file__, common.DOCUMENTS_IN_A_BATCH)
    result = f"{asked.out}/counts.json"
    if files.exists(result):
        sys.exit(f"{result} exists. Name a new folder, or remove it.")
    rows = count(documents_of(asked.inputs, asked.duplicates)).toJSON()
    total = dict.fromkeys(("documents", "words", "exact", "near"), 0)
    with files.create(result) as out:
        for number, row in enumerate(rows.toLocalIterator()):
            total = total if number else json.loads(row)
            out.write(row.encode() + b"\n")
    print(f"documents: {total['documents']}; words: {total['words']}; exact: {total['exact']}; near: {total['near']}")


if __name__ == "__main__":
    common.run(main)
