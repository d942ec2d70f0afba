"""Runs the examples of docs/python.md as they are written."""

import re
import sys
from pathlib import Path

import pytest

import gleaner

TEXT = (Path(__file__).parents[3] / "docs" / "python.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_an_example(number, pages, data, tmp_path, monkeypatch):
    """Names that an example does not define refer to pages of a paper, and `data` is a corpus. Examples with libraries
    that are not installed are skipped.
    """
    code = SNIPPETS[number]
    monkeypatch.chdir(tmp_path)
    for at, page in enumerate(pages):
        Path(f"{at}.html").write_text(page)
    for library in ["trafilatura", "pyspark", "to_pandas", "polars", "duckdb"]:
        if library in code:
            pytest.importorskip(library.replace("to_pandas", "pandas"))
    names = {"html": pages[0], "url": "https://paper.example/2026/11/20/story-0", "pages": pages}
    exec(compile(code, f"docs/python.md, example {number + 1}", "exec"), names)


def test_every_function_is_described():
    assert len(SNIPPETS) >= 3
    for name in gleaner.__all__:
        assert f"{name}" in TEXT or name.startswith("__"), f"docs/python.md does not mention {name}"
        assert name.startswith("__") or getattr(gleaner, name).__doc__, f"{name} has no description"
    assert sys.version_info >= (3, 9)
