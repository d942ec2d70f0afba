"""Extraction from pages, and templates."""

import json
from datetime import datetime
from itertools import islice
from typing import Callable, Iterable, Iterator, List, Literal, NamedTuple, Optional, Tuple, TypeVar, Union

from gleaner import _arguments, _engine
from gleaner._document import Document, from_json

Html = Union[str, bytes, bytearray]
Page = Union[Html, Tuple[Html, Optional[str]]]
Keep = Literal["captions", "credits", "by-lines", "read-more"]
Also = Literal["comments", "captions", "links"]

_Located = Tuple[Html, Optional[str]]
_Result = TypeVar("_Result")

_AHEAD = 16
"""Pages per thread that are read before their results are returned."""


class Judgement(NamedTuple):
    """Whether a page is an article, judged from this page alone."""

    is_article: bool
    reason: Optional[str]
    """Why the page is not an article, such as `hub` or `login_wall`; None for an article."""
    message: Optional[str]
    """The reason in words; None for an article."""


class Language(NamedTuple):
    """The language of a text."""

    tag: str
    """BCP 47 primary tag such as `vi`; `und` if no language reaches a probability of 0.5."""
    probability: float
    """Probability of `tag`, 0 to 1."""


class Health(NamedTuple):
    """The usual figures of the pages from which a template was learned. Shares are from 0 to 1."""

    words: int
    """Number of words in the text of the median page."""
    margin: float
    """How clear the classification of the median page is, 0 to 1."""
    known: float
    """Share of the median page's lines at known places."""
    repeated: float
    """Share of the median page's lines that the site repeats."""
    alone: float
    """Share of the pages that were judged without the template's votes."""


class Seen(NamedTuple):
    """The figures of one page, comparable with those of `Health`. Shares and margin are in hundredths."""

    unlike: bool
    """Whether the page is unlike the pages from which the template was learned."""
    words: int
    margin: int
    known: int
    repeated: int
    alone: bool
    has_new_paths: bool
    """Whether the model decided about lines at DOM paths that few of these pages have."""


class Template:
    """What the pages of a site have in common. Made by `learn` or `from_json`. It can be pickled."""

    __slots__ = ("_template",)

    def __init__(self, template: _engine.Template) -> None:
        if not isinstance(template, _engine.Template):
            raise TypeError("a Template is made by learn or by Template.from_json")
        self._template = template

    @staticmethod
    def from_json(json: str) -> "Template":
        """Return the template from the JSON of `to_json`, `gleaner learn` or `gleaner template show --json`.

        Raises TemplateError if the text is not a template.
        """
        json = _arguments.text(json, "json", "str, the text of a template")
        try:
            return Template(_engine.Template.from_json(json))
        except _engine.TemplateError as error:
            if not json.strip().lower().endswith(".json"):
                raise
            message = f"{error}; pass the text of the template, not the name of its file"
        raise _engine.TemplateError(message)

    def to_json(self) -> str:
        """Return the template as JSON."""
        return self._template.to_json()

    @property
    def host(self) -> str:
        """Host of the pages, or `unknown` if their addresses were unknown."""
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

        A template is out of date if 12 of the last 20 compared pages are unlike.
        """
        _check(html, url)
        compared = _read([(html, url)], lambda pages: self._template.compare(*pages[0]))
        return Seen(**json.loads(compared))

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
    fetched: when the page was fetched, by default now. Publication dates more than a day later are ignored.
    keep: kinds of lines to keep in the text (docs/templates.md).
    also: parts to return in addition, in `comments`, `captions`, and `links` with `link_texts`.

    A page that is not an article may have text, too: see `Document.not_article`.
    Raises InputError if the page is not HTML (an image, a PDF) or `url` is not a web address.
    """
    time, handle = _arguments.time(fetched), _handle(template)
    kept, parts = _arguments.names(keep, "keep"), _arguments.names(also, "also")
    _check(html, url)
    try:
        return from_json(_engine.extract(html, url, time, handle, kept, parts))
    except (TypeError, UnicodeEncodeError):
        html, url = _valid(html, url)
    return from_json(_engine.extract(html, url, time, handle, kept, parts))


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
    threads: number of threads, by default the number of processors. At most four threads per processor are used.
    errors: what to do with a page that is not HTML, or whose url is not a web address: `raise` InputError, or `skip`
        to yield None.

    The messages of errors start with the position of the page, such as `page 0`.
    """
    if errors not in ("raise", "skip"):
        raise _engine.InputError(f"errors: {errors!r} is not known; there are: raise, skip")
    return _extracted(
        _arguments.listed(pages, "pages", "pages"),
        _arguments.threads(threads),
        _handle(template),
        _arguments.names(keep, "keep"),
        _arguments.names(also, "also"),
        errors == "skip",
    )


def _extracted(
    pages: Iterable[Page],
    threads: int,
    template: Optional[_engine.Template],
    keep: List[str],
    also: List[str],
    skip: bool,
) -> Iterator[Optional[Document]]:
    rest, position = _pairs(pages), 0
    while batch := list(islice(rest, threads * _AHEAD)):
        extracted = _read(batch, lambda pages: _engine.extract_many(pages, threads, template, keep, also))
        for (_, url), found in zip(batch, extracted):
            if isinstance(found, _engine.Error):
                if not skip:
                    raise type(found)(_place(position, url, str(found)))
                found = None
            yield from_json(found)
            position += 1


def learn(pages: Iterable[Page], host: Optional[str] = None) -> Template:
    """Learn the template of a site from 2 to 30 of its articles. About 25 articles are recommended.

    pages: sources of pages, or pairs of source and url. Skipped are pages that are not articles, pages that are not
        HTML, pages whose url is not a web address, and articles after the thirtieth.
    host: host of the site. Only pages of this host and its subdomains are used. Without it, all pages must be from
        one host.

    Raises LearnError if there are fewer than two articles, or articles of several hosts.
    """
    host = _arguments.optional_text(host, "host")
    if host == "":
        raise _engine.InputError("host must not be empty; use None if all pages are from one host")
    located = list(_pairs(_arguments.listed(pages, "pages", "pages")))
    try:
        return _learned(located, host)
    except _engine.InputError:
        usable, skipped = _usable(located)
    try:
        return _learned(usable, host)
    except _engine.LearnError as error:
        message = f"{error}; pages skipped: {len(skipped)}, the first is {skipped[0]}" if skipped else str(error)
    raise _engine.LearnError(message)


def _learned(pages: List[_Located], host: Optional[str]) -> Template:
    return Template(_read(pages, lambda pages: _engine.learn(pages, host)))


def _usable(pages: List[_Located]) -> Tuple[List[_Located], List[str]]:
    """Return the pages that can be read, and why the others cannot."""
    usable, skipped = [], []
    for position, (html, url) in enumerate(pages):
        try:
            judge(html, url)
            usable.append((html, url))
        except _engine.InputError as error:
            skipped.append(_place(position, url, str(error)))
    return usable, skipped


def judge(html: Html, url: Optional[str] = None) -> Judgement:
    """Return whether a page is an article, judged from this page alone."""
    _check(html, url)
    reason = _read([(html, url)], lambda pages: _engine.judge(*pages[0]))
    return Judgement(True, None, None) if reason is None else Judgement(False, *reason)


def language(text: str, declared: Optional[str] = None) -> Language:
    """Return the language of a text. A declared language, such as `vi-VN`, is evidence that the text can outweigh."""
    declared = _arguments.optional_text(declared, "declared")
    return Language(*_engine.language(_arguments.text(text, "text"), declared))


def _read(pages: List[_Located], read: Callable[[List[_Located]], _Result]) -> _Result:
    """Return what `read` returns for the pages. Lone surrogates are replaced if `read` refuses them."""
    try:
        return read(pages)
    except (TypeError, UnicodeEncodeError):
        pages = [_valid(html, url) for html, url in pages]
    return read(pages)


def _valid(html: Html, url: Optional[str]) -> _Located:
    """Return the page with U+FFFD instead of lone surrogates."""
    valid = _arguments.scalars(html) if isinstance(html, str) else html
    return valid, None if url is None else _arguments.scalars(url)


def _check(html: Html, url: Optional[str]) -> None:
    if error := _mistake(html, url):
        raise error
    if url == "":
        raise _engine.InputError(_EMPTY_URL)


def _pairs(pages: Iterable[Page]) -> Iterator[_Located]:
    for position, page in enumerate(pages):
        pair = page if isinstance(page, tuple) else (page, None)
        if len(pair) != 2:
            raise TypeError(f"page {position}: a pair has 2 elements, html and url, not {len(pair)}")
        if error := _mistake(*pair):
            raise TypeError(f"page {position}: {error}")
        yield pair


_EMPTY_URL = "url must not be empty; use None if the URL is not known"


def _mistake(html: object, url: object) -> Optional[TypeError]:
    """Return the error if an argument has the wrong type."""
    if not isinstance(html, (str, bytes, bytearray)):
        advice = ""
        if isinstance(html, tuple):
            advice = "; pass html and url separately"
        elif hasattr(html, "read"):
            advice = "; pass file.read()"
        return _arguments.wrong_type("html", "str or bytes", html, advice)
    if url is not None and not isinstance(url, str):
        return _arguments.wrong_type("url", "str or None", url)
    return None


def _place(position: int, url: Optional[str], message: str) -> str:
    """Return the message with the position of the page, and with its URL unless the message has it."""
    if url == "":
        return f"page {position}: {_EMPTY_URL}"
    return f"page {position}: {message}" if url is None or url in message else f"page {position} ({url}): {message}"


def _handle(template: Optional[Template]) -> Optional[_engine.Template]:
    if template is None:
        return None
    if not isinstance(template, Template):
        raise _arguments.wrong_type("template", "a Template", template, "; use Template.from_json for JSON")
    return template._template
