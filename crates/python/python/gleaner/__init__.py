"""Body text, metadata and templates of news pages; reading of corpora.

    document = gleaner.extract(html, url="https://paper.example/2026/11/20/rain")
    template = gleaner.learn(pages)
    document = template.extract(html)
    corpus = gleaner.open("data")

All functions release the GIL while they work, and may be called from several threads.
"""

from gleaner._corpus import Corpus, Documents, Table, open
from gleaner._corpus_document import CorpusDocument
from gleaner._document import Document
from gleaner._engine import CorpusError, Error, InputError, LearnError, TemplateError, __version__
from gleaner._near import bands, near_duplicates, signature, similarity, verdict
from gleaner._pages import Health, Judgement, Language, Seen, Template, extract, extract_many, judge, language, learn

__all__ = [
    "Corpus",
    "CorpusDocument",
    "CorpusError",
    "Document",
    "Documents",
    "Error",
    "Health",
    "InputError",
    "Judgement",
    "Language",
    "LearnError",
    "Seen",
    "Table",
    "Template",
    "TemplateError",
    "__version__",
    "bands",
    "extract",
    "extract_many",
    "judge",
    "language",
    "learn",
    "near_duplicates",
    "open",
    "signature",
    "similarity",
    "verdict",
]
