"""Extraction from pages, and templates."""

import json
import os
from datetime import datetime, timezone
from itertools import islice
from typing import Any, Callable, Iterable, Iterator, List, Literal, NamedTuple, Optional, Tuple, Union

from gleaner import _engine
from gleaner._document import Document, from_json

Html = Union[str, bytes]
Page = Union[Html, Tuple[Html, Optional[str]]]
Keep = Literal["captions", "credits", "by-lines", "read-more"]
Also = Literal["comments", "captions", "links"]

_AHEAD = 16
"""Pages per thread that are read before their results are returned."""


class Judgement(NamedTuple):
    """Whether a page is an article, judged from this page alone."""

    is_article: bool
    reason: Optional[str]
    """Why it is not, such as `hub` or `login_wall`."""
    message: Optional[str]
    """The reason as a sentence."""


class Language(NamedTuple):
    """The language of a text."""

    tag: str
    """BCP 47 primary tag such as `vi`; `und` if no language reaches a probability of 0.5."""
    probability: float
    """0 to 1."""


class Health(NamedTuple):
    """The usual figures of the pages from which a template was learned."""

    words: int
    """Words of the text of the median page."""
    margin: float
    """How clear its classification is, 0 to 1."""
    known: float
    """Share of its lines at known places."""
    repeated: float
    """Share of its lines that the site repeats."""
    alone: float
    """Share of the pages that were judged without the template's votes."""


class Seen(NamedTuple):
    """The figures of one page, comparable with those of `Health`. Shares are in hundredths."""

    unlike: bool
    """Whether the page is unlike those that the template was learned from."""
    words: int
    margin: int
    known: int
    repeated: int
    alone: bool


class Template:
    """What the pages of a site have in common. Made by `learn` or `from_json`. It can be pickled."""

    __slots__ = ("_template",)

    def __init__(self, template: _engine.Template) -> None:
        self._template = template

    @staticmethod
    def from_json(json: str) -> "Template":
        """Return the template from the JSON of `to_json`, `gleaner learn` or `gleaner template show --json`.

        Raises TemplateError if the text is not a template.
        """
        return Template(_engine.Template.from_json(json))

    def to_json(self) -> str:
        """Return the template as JSON."""
        return self._template.to_json()

    @property
    def host(self) -> str:
        """Host of the pages, or `unknown` if the pages did not state it."""
        return self._template.host()

    @property
    def pages(self) -> int:
        """Number of pages from which the template was learned."""
        return self._template.pages()

    def extract(
        self,
        html: Html,
        url: Optional[str] = None,
        *,
        fetched: Optional[datetime] = None,
        keep: Iterable[Keep] = (),
        also: Iterable[Also] = (),
    ) -> Optional[Document]:
        """Return the document of a page of the site, as the function `extract` does."""
        return extract(html, url, self, fetched=fetched, keep=keep, also=also)

    def health(self) -> Health:
        """Return the usual figures of the pages from which the template was learned."""
        return Health(**json.loads(self._template.health()))

    def compare(self, html: Html, url: Optional[str] = None) -> Seen:
        """Compare a page with the pages from which the template was learned.

        A template is out of date if 12 of the last 20 pages are unlike.
        """
        return Seen(**json.loads(self._template.compare(html, url)))

    def __reduce__(self) -> Tuple[Callable[[str], "Template"], Tuple[str]]:
        return Template.from_json, (self.to_json(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        return f"<gleaner.Template of {self.host}, from {self.pages} pages>"


def extract(
    html: Html,
    url: Optional[str] = None,
    template: Optional[Template] = None,
    *,
    fetched: Optional[datetime] = None,
    keep: Iterable[Keep] = (),
    also: Iterable[Also] = (),
) -> Optional[Document]:
    """Return text and metadata of a page, or None if no text was found.

    url: URL of the page. Without it, the canonical URL that the page states is used.
    template: template of the page's site.
    fetched: when the page was fetched, by default now. Later dates are not accepted as the publication date.
    keep: kinds of lines to keep in the text (docs/templates.md).
    also: parts to return in addition, in `comments`, `captions`, and `links` with `link_texts`.

    A page that is not an article may have text, too: see `Document.not_article`.
    Raises InputError if the page is not HTML (an image, a PDF) or `url` is not a web address.
    """
    return from_json(_engine.extract(html, url, _time(fetched), _handle(template), list(keep), list(also)))


def extract_many(
    pages: Iterable[Page],
    threads: Optional[int] = None,
    template: Optional[Template] = None,
    *,
    keep: Iterable[Keep] = (),
    also: Iterable[Also] = (),
    errors: Literal["raise", "skip"] = "raise",
) -> Iterator[Optional[Document]]:
    """Yield the document of each page, in the order of the pages. Each page is extracted as by `extract`.

    pages: sources of pages, or pairs of source and url. They are read when needed, sixteen per thread at a time.
    threads: number of threads, by default the number of processors.
    errors: what to do with a page that is not HTML: `raise` InputError, or `skip` to yield None.
    """
    if threads is not None and threads < 1:
        raise _engine.InputError(f"threads: {threads} is too few; use 1 or more")
    if errors not in ("raise", "skip"):
        raise _engine.InputError(f'errors: {errors!r} is not known; there are: raise, skip')
    return _extracted(pages, threads or os.cpu_count() or 1, template, list(keep), list(also), errors == "skip")


def _extracted(
    pages: Iterable[Page], threads: int, template: Optional[Template], keep: List[Any], also: List[Any], skip: bool
) -> Iterator[Optional[Document]]:
    rest = map(_pair, pages)
    while batch := list(islice(rest, threads * _AHEAD)):
        for found in _engine.extract_many(batch, threads, _handle(template), keep, also):
            if isinstance(found, _engine.Error):
                if not skip:
                    raise found
                found = None
            yield from_json(found)


def learn(pages: Iterable[Page], host: Optional[str] = None) -> Template:
    """Learn the template of a site from 2 to 30 of its articles. 25 articles are a good number.

    pages: sources of pages, or pairs of source and url. Pages that are not articles are skipped.
    host: host of the site. Pages of other hosts are ignored. Without it, all pages must be from one host.

    Raises LearnError if there are fewer than two articles, or articles of several hosts.
    """
    return Template(_engine.learn(list(map(_pair, pages)), host))


def judge(html: Html, url: Optional[str] = None) -> Judgement:
    """Return whether a page is an article, judged from this page alone."""
    reason = _engine.judge(html, url)
    return Judgement(True, None, None) if reason is None else Judgement(False, *reason)


def language(text: str, declared: Optional[str] = None) -> Language:
    """Return the language of a text. A declared language, such as `vi-VN`, is evidence that the text can outweigh."""
    return Language(*_engine.language(text, declared))


def _pair(page: Page) -> Tuple[Html, Optional[str]]:
    return page if isinstance(page, tuple) else (page, None)


def _handle(template: Optional[Template]) -> Optional[_engine.Template]:
    return None if template is None else template._template


def _time(fetched: Optional[datetime]) -> Optional[str]:
    if fetched is None:
        return None
    if fetched.tzinfo is None:
        raise _engine.InputError(f"fetched: {fetched} has no time zone")
    return fetched.astimezone(timezone.utc).isoformat()
