"""Extracts the articles of WARC files with Ray Data. The template of each host is learned from its first pages.

python with_ray.py OUT WARC...
"""

import sys
from collections.abc import Iterator
from typing import Any

import gleaner
import ray
from warcio.archiveiterator import ArchiveIterator


def pages(file: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The pages of a WARC file."""
    with open(file["item"], "rb") as stream:
        for record in ArchiveIterator(stream):
            url = record.rec_headers.get_header("WARC-Target-URI")
            if record.rec_type == "response" and record.http_headers.get_statuscode() == "200":
                yield {"host": url.split("/")[2], "url": url, "html": record.content_stream().read()}


def articles(host: dict[str, Any]) -> dict[str, list[Any]]:
    """The articles of a host. All its pages are in memory at the same time."""
    some = list(zip(host["html"], host["url"], strict=True))
    try:
        template = gleaner.learn(some[:30])
    except gleaner.LearnError:
        template = None
    documents = gleaner.extract_many(some, threads=1, template=template, errors="skip")
    found = [document for document in documents if document and not document.not_article]
    return {name: [getattr(document, name) for document in found] for name in ("url", "title", "language", "text")}


if __name__ == "__main__":
    files = ray.data.from_items(sys.argv[2:])
    files.flat_map(pages).groupby("host").map_groups(articles).write_parquet(sys.argv[1])
