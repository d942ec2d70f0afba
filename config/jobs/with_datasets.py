"""Adds the texts of pages to a Hugging Face dataset with the columns url and html.

python with_datasets.py PAGES.parquet OUT.parquet
"""

import os
import sys
from typing import Any

import gleaner
from datasets import load_dataset


def add_texts(pages: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Adds title, language and text of each page. They are None for a page without text, or that is not HTML."""
    found = list(gleaner.extract_many(zip(pages["html"], pages["url"], strict=True), threads=1, errors="skip"))
    return {name: [getattr(document, name, None) for document in found] for name in ("title", "language", "text")}


if __name__ == "__main__":
    dataset = load_dataset("parquet", data_files=sys.argv[1], split="train")
    texts = dataset.map(add_texts, batched=True, batch_size=100, num_proc=os.cpu_count(), remove_columns="html")
    texts.filter(lambda page: page["text"] is not None).to_parquet(sys.argv[2])
