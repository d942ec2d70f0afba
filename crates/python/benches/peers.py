"""Processor time of one thread for the text of a page: gleaner against resiliparse and trafilatura, in one sitting.

    pip install trafilatura resiliparse lxml_html_clean
    cargo bench -p gleaner-extract --bench costs --no-run
    python crates/python/benches/peers.py target/release/deps/costs-HASH ../shared/sets/sites

The first argument is the program that `cargo bench --no-run` names. It measures gleaner in Rust, with templates that
were not learned from the measured pages. The other libraries read the same pages: all of the folders in the second
argument. The programs take turns, and the fastest of `--rounds` passes over all pages counts. trafilatura reads every
`--every`th page, and its ratio is to gleaner's mean of all pages.
"""

import argparse
import gzip
import logging
import re
import subprocess
import time
import warnings
from pathlib import Path

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree
from trafilatura import bare_extraction

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)


def resiliparse(raw):
    tree = HTMLTree.parse(bytes_to_str(raw, detect_encoding(raw)))
    return extract_plain_text(tree, main_content=True, alt_texts=False, links=False)


def trafilatura(raw):
    return bare_extraction(raw, with_metadata=True, include_comments=False)


def a_page(extract, pages):
    """Milliseconds a page."""
    begun = time.process_time()
    for raw in pages:
        try:
            extract(raw)
        except Exception:  # a library that fails on a page has worked on it all the same
            pass
    return 1e3 * (time.process_time() - begun) / len(pages)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("sites")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--every", type=int, default=5)
    arguments = arguments.parse_args()
    pages = [gzip.decompress(path.read_bytes()) for path in sorted(Path(arguments.sites).glob("*/*.html.gz"))]
    own, peers = {}, {"resiliparse": [], "trafilatura with metadata": []}
    for _ in range(arguments.rounds):
        printed = subprocess.run([arguments.program, "1"], check=True, capture_output=True, text=True).stdout
        for stage, ms in re.findall(r"^(.+?) +([0-9.]+)$", printed, re.MULTILINE):
            own.setdefault(stage, []).append(float(ms))
        peers["resiliparse"].append(a_page(resiliparse, pages))
        peers["trafilatura with metadata"].append(a_page(trafilatura, pages[:: arguments.every]))
    print(f"{len(pages)} pages of {sum(map(len, pages)) // len(pages) // 1000} KB, ms a page")
    for name, times in peers.items():
        print(f"{name:28}{min(times):8.3f}")
    for stage, times in own.items():
        ratios = "".join(f"  {min(of) / min(times):6.1f}" for of in peers.values())
        print(f"{stage:28}{min(times):8.3f}{ratios if stage[:4] in ('dete', 'cold') else ''}")


if __name__ == "__main__":
    main()
