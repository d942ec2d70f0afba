"""Processor time of one thread for text and metadata, against other libraries, on the pages of a folder.

    pip install trafilatura resiliparse readability-lxml lxml_html_clean
    cargo build --release -p gleaner-extract --example extract_speed
    python crates/python/benches/compare.py [--rust target/release/examples/extract_speed] FOLDER...

A folder has pages as .html or .html.gz, and may have a `manifest.jsonl` with their `id` and `url`. Every library reads
a page `--rounds` times in a row before the next page; the fastest round counts, so that other work on the machine
matters less. Ratios are of the sums. `--rust` compares with the same calls in Rust, by the sum of all rounds.
"""

import argparse
import gzip
import json
import logging
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median

import gleaner

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)


def libraries():
    """The function of each installed library that returns text and metadata of a page, called as its users would call
    it.
    """
    found = {"gleaner": lambda raw, url: gleaner.extract(raw, url)}
    try:
        import trafilatura

        def plain(raw, url):
            return trafilatura.bare_extraction(raw, url=url, with_metadata=True, include_comments=False)

        def fast(raw, url):
            return trafilatura.bare_extraction(raw, url=url, with_metadata=True, include_comments=False, fast=True)

        found |= {"trafilatura": plain, "trafilatura, fast": fast}
    except ImportError as error:
        print(f"skipped: {error}")
    try:
        from resiliparse.extract.html2text import extract_plain_text
        from resiliparse.parse.encoding import bytes_to_str, detect_encoding
        from resiliparse.parse.html import HTMLTree

        def resiliparse(raw, url):
            tree = HTMLTree.parse(bytes_to_str(raw, detect_encoding(raw)))
            return tree.title, extract_plain_text(tree, main_content=True, alt_texts=False, links=False)

        found["resiliparse (title only)"] = resiliparse
    except ImportError as error:
        print(f"skipped: {error}")
    try:
        import lxml.html
        from readability import Document

        def readability(raw, url):
            page = Document(raw.decode("utf-8", "replace"))
            return page.title(), lxml.html.fromstring(page.summary()).text_content()

        found["readability-lxml (title only)"] = readability
    except ImportError as error:
        print(f"skipped: {error}")
    return found


def pages_of(folder, most):
    manifest, urls = Path(folder, "manifest.jsonl"), {}
    if manifest.exists():
        rows = map(json.loads, manifest.read_text(encoding="utf-8").splitlines())
        urls = {row["id"]: row.get("url") for row in rows}
    files = sorted(path for path in Path(folder).iterdir() if path.name.endswith((".html", ".html.gz")))
    for path in files[:most]:
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
        yield raw, urls.get(path.name.split(".html")[0])


def measured(extract, raw, url):
    begun = time.process_time()
    try:
        extract(raw, url)
    except Exception:  # a library that fails on a page has worked on it all the same
        pass
    return time.process_time() - begun


def overhead(program, pages, rounds):
    """How much longer calls from Python take than the same calls in Rust. It is the median of seven pairs of runs."""
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (raw, url) in enumerate(pages):
            Path(folder, f"{number:06}.html").write_bytes(raw)
            Path(folder, f"{number:06}.url").write_text(url or "")
        for _ in range(7):
            command = [program, folder, str(rounds)]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            own = sum(measured(gleaner.extract, raw, url) for raw, url in pages for _ in range(rounds))
            ratios.append(own / float(printed.split()[0]) - 1)
    return ratios


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folders", nargs="+", metavar="FOLDER")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--most", type=int, help="pages of each folder")
    arguments.add_argument("--only", help="libraries, by the beginning of their name", default="")
    arguments.add_argument("--rust", metavar="PROGRAM")
    arguments = arguments.parse_args()
    pages = [page for folder in arguments.folders for page in pages_of(folder, arguments.most)]
    tools = {name: extract for name, extract in libraries().items() if name.startswith(("gleaner", arguments.only))}
    best = {name: [] for name in tools}
    for raw, url in pages:
        for name, extract in tools.items():
            best[name].append(min(measured(extract, raw, url) for _ in range(arguments.rounds)))
    size = sum(len(raw) for raw, _ in pages)
    print(f"{len(pages)} pages, {size / len(pages) / 1e3:.0f} KB each")
    own = sum(best["gleaner"])
    for name, seconds in best.items():
        print(f"{name:30} {1e3 * sum(seconds) / len(pages):8.2f} ms a page  {sum(seconds) / own:6.2f}")
    if arguments.rust:
        ratios = overhead(arguments.rust, pages, arguments.rounds)
        print(f"overhead of Python: {100 * median(ratios):.1f}% ({100 * min(ratios):.1f} to {100 * max(ratios):.1f}%)")


if __name__ == "__main__":
    main()
