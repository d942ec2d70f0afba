"""A corpus that `gleaner crawl` built, opened for reading."""

import json
import os
from datetime import date, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Callable, Iterable, Iterator, Literal, Optional, Tuple, Type, Union

from gleaner import _arguments, _engine
from gleaner._corpus_document import CorpusDocument

if TYPE_CHECKING:
    import pandas
    import pyarrow

Path = Union[str, "os.PathLike[str]"]
Texts = Union[str, Iterable[str]]
Time = Union[str, date, datetime]


class Corpus:
    """A corpus in a folder. Made by `open`. It can be pickled.

    The corpus is open only while something is read, and inside `with`. A crawl cannot start meanwhile, unless it was
    running before: then the documents come from its process, with those that it has just stored.
    """

    __slots__ = ("_corpus", "_data", "_archive")

    def __init__(self, data: Path, archive: Optional[Path] = None) -> None:
        self._data = _arguments.path(data, "data")
        self._archive = None if archive is None else _arguments.path(archive, "archive")
        self._corpus = _engine.Corpus(self._data, self._archive)

    @property
    def path(self) -> str:
        """The folder of the corpus."""
        return self._data

    @property
    def version(self) -> str:
        """The version of the corpus, as `gleaner stats` prints it. It follows from all texts and their ids."""
        return self._corpus.version()

    def __len__(self) -> int:
        """Number of all documents, including near-duplicates and those with a low confidence."""
        return self._corpus.documents()

    def __bool__(self) -> bool:
        return True

    def get(self, key: str) -> Optional[CorpusDocument]:
        """Return the document with this id or URL, or None. Redirects and other URLs of a text lead to it.

        Raises InputError if the key is neither an id nor a web address.
        """
        return _of_json(self._corpus.get(_arguments.text(key, "key", "str, an id or a URL")))

    def documents(
        self,
        *,
        language: Texts = (),
        host: Texts = (),
        exclude_host: Texts = (),
        exclude_url: Texts = (),
        where: Texts = (),
        since: Optional[Union[Time, Path]] = None,
        until: Optional[Time] = None,
        published_from: Optional[Time] = None,
        published_to: Optional[Time] = None,
        allowed: Texts = (),
        explicitly_allowed: Texts = (),
        members: bool = False,
        confidence: float = 0.1,
        limit: Optional[int] = None,
        errors: Literal["raise", "skip"] = "raise",
    ) -> "Documents":
        """Return the documents that `gleaner export` selects with these options, in the order of their ids.

        language, host, exclude_host, exclude_url, where, allowed, explicitly_allowed: one text or several, as if the
            option were repeated.
        since: also the folder of an earlier export, from whose end the selection continues.
        since, until, published_from, published_to: years, months, days, times with a zone, or ages such as `7d`.
        members: whether to include near-duplicates that are represented by another document.
        confidence: the smallest confidence; 0 for all.
        limit: the largest number of documents.
        errors: what to do with a text that cannot be read: `raise` CorpusError, or `skip` it.

        Raises InputError if an argument cannot be read. Reading raises CorpusError if the corpus has none of the
        languages, or none of the hosts.
        """
        if errors not in ("raise", "skip"):
            raise _engine.InputError(f"errors: {errors!r} is not known; there are: raise, skip")
        return Documents(
            self._corpus.select(
                _arguments.one_or_more(language, "language"),
                _arguments.one_or_more(host, "host"),
                _arguments.one_or_more(exclude_host, "exclude_host"),
                _arguments.one_or_more(exclude_url, "exclude_url"),
                _arguments.one_or_more(where, "where"),
                _arguments.when(since, "since"),
                _arguments.when(until, "until"),
                _arguments.when(published_from, "published_from"),
                _arguments.when(published_to, "published_to"),
                _arguments.one_or_more(allowed, "allowed"),
                _arguments.one_or_more(explicitly_allowed, "explicitly_allowed"),
                bool(members),
                _arguments.share(confidence, "confidence"),
                _arguments.limit(limit),
                errors == "skip",
            )
        )

    def __iter__(self) -> Iterator[CorpusDocument]:
        return iter(self.documents())

    def __enter__(self) -> "Corpus":
        self._corpus.hold()
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._corpus.release()

    def __reduce__(self) -> Tuple[Callable[..., "Corpus"], Tuple[str, Optional[str]]]:
        return Corpus, (self._data, self._archive)

    def __repr__(self) -> str:
        return f"<gleaner.Corpus in {self._data}>"


class Documents:
    """Selected documents of a corpus: an iterable of documents, and a table. Made by `Corpus.documents`.

    Nothing is stored: each iteration and each table reads the corpus again, in bounded memory.
    """

    __slots__ = ("_selected",)

    def __init__(self, selected: _engine.Selected) -> None:
        if not isinstance(selected, _engine.Selected):
            raise TypeError("Documents are made by Corpus.documents")
        self._selected = selected

    def __iter__(self) -> Iterator[CorpusDocument]:
        return map(_document, self._selected.read())

    def table(self, fields: Optional[Iterable[str]] = None) -> "Table":
        """Return the documents as a table with these columns, or with all fields.

        pyarrow, polars, DuckDB and pandas read it in batches.
        """
        if fields is None:
            return Table(self._selected, None)
        chosen = ",".join(_arguments.names(fields, "fields"))
        _engine.require_fields(chosen)
        return Table(self._selected, chosen)

    def to_arrow(self, fields: Optional[Iterable[str]] = None) -> "pyarrow.Table":
        """Return the documents as a table of pyarrow, with these columns, or with all fields."""
        table = self.table(fields)
        try:
            import pyarrow
        except ImportError:
            raise ImportError("to_arrow needs pyarrow: pip install pyarrow") from None
        try:
            return pyarrow.table(table)
        except OSError as error:
            # The message is that of the stream.
            message = str(error)
        raise _engine.CorpusError(message)

    def to_pandas(self, fields: Optional[Iterable[str]] = None) -> "pandas.DataFrame":
        """Return the documents as a data frame of pandas, with these columns, or with all fields."""
        try:
            import pandas  # noqa: F401
            import pyarrow  # noqa: F401
        except ImportError:
            raise ImportError("to_pandas needs pandas and pyarrow: pip install pandas pyarrow") from None
        return self.to_arrow(fields).to_pandas()

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """Return the table with all fields as an Arrow stream, for pyarrow, polars, DuckDB and pandas."""
        return self.table().__arrow_c_stream__(requested_schema)


class Table:
    """Columns of selected documents, which other libraries read as an Arrow stream. Made by `Documents.table`."""

    __slots__ = ("_selected", "_fields")

    def __init__(self, selected: _engine.Selected, fields: Optional[str]) -> None:
        if not isinstance(selected, _engine.Selected):
            raise TypeError("a Table is made by Documents.table")
        self._selected = selected
        self._fields = fields

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """Return an Arrow stream of the documents. `requested_schema` is ignored, as the specification allows."""
        return self._selected.stream(self._fields)


def open(data: Path, archive: Optional[Path] = None) -> Corpus:
    """Open the corpus in a folder for reading, also while a crawl writes it.

    data: the folder, as in `--data`.
    archive: the folder of the WARC files, if the setting `archive.path` names one.

    Raises CorpusError if there is no corpus, or if it cannot be read.
    """
    return Corpus(data, archive)


def _document(text: str) -> CorpusDocument:
    return CorpusDocument(**json.loads(text))


def _of_json(text: Optional[str]) -> Optional[CorpusDocument]:
    return None if text is None else _document(text)
