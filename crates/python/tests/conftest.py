"""Made-up pages of a small paper, and a corpus of them, for the tests."""

import shutil
import subprocess
from pathlib import Path

import pytest

SENTENCES = [
    "Rain fell on the valley for the third day in a row, and the river rose above the old bridge.",
    "Nobody had expected the choir to win, least of all its conductor, who was asleep at the time.",
    "Three lambs were found in the church this morning, warm, dry and without any harm at all.",
]


def page_of(number: int) -> str:
    paragraphs = "".join(
        f"<p>{SENTENCES[(number + at) % 3]} It was number {number}{at}, said the council. {SENTENCES[number % 3]}</p>"
        for at in range(4)
    )
    related = "<li><a href=/x>Council agrees on a new bridge after years of debate</a>" * 4
    return (
        f"<html lang=en><title>Story {number} - The Paper</title><meta name=author content='Ann Weaver'>"
        f"<link rel=canonical href=https://paper.example/2026/11/20/story-{number}>"
        "<ul class=menu><li><a href=/>Home</a><li><a href=/n>News</a></ul>"
        f"<h1>Story {number}</h1><div class=story-body>{paragraphs}</div><ul class=related>{related}</ul>"
        "<div class=footer><p>All rights in these pages are reserved by the publisher.</p></div>"
    )


@pytest.fixture
def page() -> str:
    return page_of(7)


@pytest.fixture
def pages() -> "list[str]":
    return [page_of(number) for number in range(6)]


def response(url: str, page: str, fetched: str) -> bytes:
    """Return a WARC record with a page."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.encode()
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {fetched}\r\n"
        f"WARC-Record-ID: <urn:gleaner-test:{url}>\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def moved(page: str) -> str:
    """Return the page as a second paper has it: with another last paragraph, in a section."""
    meta = "<meta property=article:section content=Weather><div class=footer>"
    end = "</p><p>The second paper adds that the bridge is still open, and that the mayor was not there.</p></div>"
    page = page.replace("paper.example", "other.example").replace("</p></div>", end, 1)
    return page.replace("<div class=footer>", meta)


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve documents of a paper, and one of them again, with small changes, from another paper."""
    folder = tmp_path_factory.mktemp("corpus")
    stories = [(f"https://paper.example/2026/11/20/story-{at}", page_of(at)) for at in range(12)]
    stories.append(("https://other.example/2026/11/20/story-3", moved(page_of(3))))
    records = [response(url, page, f"2026-11-21T{at:02}:00:00Z") for at, (url, page) in enumerate(stories)]
    (folder / "pages.warc").write_bytes(b"".join(records))
    command = ["gleaner", "ingest", str(folder / "pages.warc"), "--data", str(folder / "data")]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "data"


@pytest.fixture
def data(ingested: Path, tmp_path: Path) -> Path:
    """A copy of the corpus, for one test."""
    shutil.copytree(ingested, tmp_path / "data")
    return tmp_path / "data"
