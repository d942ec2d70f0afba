"""Writes WARC files of generated news pages, for measurements.

Input:   a folder of recorded sites: SITES/SITE/manifest.jsonl (id, url) and SITES/SITE/ID.html.gz.
Output:  OUT/NNNNN.warc.gz

    python generated.py SITES OUT --copies 196

Ten copies of a site have the same host. In each copy, half of the words are replaced by other words of the site, so
copies are different articles. In one page of ten, only one word in fifty is replaced, so it is a near-duplicate.
With --copies 0, the recorded pages are written unchanged. The same arguments produce the same files.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

TEXT = re.compile(r">([^<>]{40,})<")
PART = re.compile(r"(?is)<(script|style)\b.*?</\1>")
WORD = re.compile(r"[^\W\d_]{2,}")


def pages(folder: Path) -> list[tuple[str, str, bytes]]:
    """The id, URL and content of each recorded page of a site."""
    lines = map(json.loads, (folder / "manifest.jsonl").read_text().splitlines())
    return [(line["id"], line["url"], gzip.decompress((folder / f"{line['id']}.html.gz").read_bytes())) for line in lines]


def decode(content: bytes) -> str:
    """Decodes a page as UTF-8, or else in its declared encoding."""
    declared = re.search(rb"charset=[\"']?([\w-]+)", content[:4096])
    for name in ("utf-8", declared.group(1).decode() if declared else "latin-1"):
        try:
            return content.decode(name)
        except (UnicodeDecodeError, LookupError):
            pass
    return content.decode("utf-8", "replace")


def varied(page: str, words: list[str], share: float, chance: random.Random) -> str:
    """Replaces a share of the words in the longer texts."""

    def other(found: re.Match[str]) -> str:
        return chance.choice(words) if chance.random() < share else found.group()

    return TEXT.sub(lambda text: f">{WORD.sub(other, text.group(1))}<", page)


def record(url: str, second: int, content: bytes) -> bytes:
    """A response record, compressed as a gzip member."""
    day, rest = divmod(second, 86_400)
    date = f"2026-{10 + day // 28:02}-{1 + day % 28:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + content
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
    head += f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 1)


def copies(folder: Path, count: int) -> Iterator[list[tuple[str, bytes]]]:
    """The URLs and contents of the pages of each copy. Without copies, those of the recorded pages."""
    recorded = pages(folder)
    if count == 0:
        yield [(url, content) for _, url, content in recorded]
        return
    plain = [(name, PART.sub("", decode(content))) for name, _, content in recorded]
    words = sorted({word for _, page in plain for text in TEXT.findall(page) for word in WORD.findall(text)}) or ["x"]
    host = re.sub(r"[^a-z0-9]+", "-", folder.name.lower()).strip("-")
    for copy in range(count):
        chance = random.Random(f"{folder.name} {copy}")
        share = [0.02 if chance.random() < 0.1 else 0.5 for _ in plain]
        made = [varied(page, words, share[at], chance).encode() for at, (_, page) in enumerate(plain)]
        site = f"http://www.{host}-{copy // 10}.example"
        yield [(f"{site}/{copy}/{name}.html", page) for (name, _), page in zip(plain, made, strict=True)]


def main() -> None:
    """Writes the pages to the files in turn, so that the pages of a site are in several files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sites", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--files", type=int, default=16)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True)
    files = [(asked.out / f"{at:05}.warc.gz").open("wb") for at in range(asked.files)]
    number = 0
    for folder in sorted(path.parent for path in asked.sites.glob("*/manifest.jsonl")):
        for copy in copies(folder, asked.copies):
            for at, (url, content) in enumerate(copy):
                # Page k of each site is in an earlier file than page k + 1, or earlier in the same file.
                files[at * asked.files // len(copy)].write(record(url, number, content))
                number += 1
    for file in files:
        file.close()


if __name__ == "__main__":
    main()
