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


def arguments(words: list[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("inputs", nargs="+", metavar="IN", help="folders or files of exported Parquet")
    parser.add_argument("--out", required=True, help="new folder of the result")
    parser.add_argument("--duplicates", help="result of near_duplicates.py over the same inputs")
    return parser.parse_args(words)


def documents_of(inputs: list[str], duplicates: str | None) -> DataFrame:
    """The fields of all inputs that the job counts."""
    some = ("id", "host", "language", "fetched", "words", "urls")
    parts = [files.table(path).select(*some).withColumn("source", F.lit(path)) for path in inputs]
    documents = parts[0]
    for part in parts[1:]:
        documents = documents.union(part)
    if duplicates is None:
        return documents.withColumn("kind", F.lit(None).cast("string"))
    kinds = files.table(duplicates).select("id", "source", "kind")
    return documents.join(kinds, ["id", "source"], "left")


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
            F.sum(F.size("urls")).alias("urls"),
            F.count_if(F.col("kind") == "exact").alias("exact"),
            F.count_if(F.col("kind") == "near").alias("near"),
        )
    )
    return counted.orderBy(F.col("by") != "total", "by", "key")


def main(words: list[str] | None = None) -> None:
    """Runs the job with the arguments of a command line."""
    asked = arguments(words)
    common.session(__file__, common.DOCUMENTS_IN_A_BATCH)
    if files.exists(asked.out):
        sys.exit(f"{asked.out} exists. Name a new folder.")
    rows = count(documents_of(asked.inputs, asked.duplicates)).toJSON()
    with files.create(f"{asked.out}/counts.json") as out:
        for row in rows.toLocalIterator():
            out.write(row.encode() + b"\n")
    total = json.loads(files.get(f"{asked.out}/counts.json").partition("\n")[0])
    print(f"documents: {total['documents']}; words: {total['words']}; exact: {total['exact']}; near: {total['near']}")


if __name__ == "__main__":
    main()
