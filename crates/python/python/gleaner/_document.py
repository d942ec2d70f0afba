"""The document of a page."""

import json
from dataclasses import dataclass, fields
from typing import Any, Dict, List, Optional, Tuple

from gleaner import _arguments, _engine


@dataclass(frozen=True)
class Document:
    """A page's text and metadata, with the fields of `gleaner extract --format jsonl` (docs/corpus.md).

    `None` means that the page does not state the value.
    """

    url: Optional[str]
    """Canonical form of the page's address."""
    not_article: Optional[str]
    """Why a crawl would reject the page, such as `login_wall`; None for an article."""
    title: Optional[str]
    """Headline."""
    language: str
    """BCP 47 primary tag of the text, such as `vi`; `und` if unknown."""
    language_probability: Optional[float]
    """Probability of the language, 0 to 1; None if it was not measured."""
    published: Optional[str]
    """Time of publication: RFC 3339 with the page's zone, or only a day."""
    published_utc: Optional[str]
    """Time of publication in UTC, RFC 3339; an unknown zone counts as UTC, and an unknown time as midnight."""
    modified: Optional[str]
    """Time of the last change, in the same form as `published`."""
    authors: List[str]
    """Names of the authors, in the order of the page."""
    credits: List[str]
    """Newspaper, agency or desk that is named in place of an author, such as "Reuters"."""
    section: Optional[str]
    """Section, such as "World"."""
    keywords: List[str]
    """Keywords or tags, at most 50."""
    description: Optional[str]
    """Short description."""
    site_name: Optional[str]
    """Name of the site."""
    image: Optional[str]
    """Address of the lead image."""
    article_type: Optional[str]
    """`news`, `opinion`, `live`, `video`, `gallery` or `sponsored`."""
    paywalled: Optional[bool]
    """Whether only subscribers may read the article."""
    complete: Optional[bool]
    """Whether the text is the whole article, according to the page's declarations."""
    canonical: Optional[str]
    """Canonical address, as the page states it."""
    words: int
    """Number of words of the text; in Vietnamese, each syllable is a word."""
    method: str
    """`detection`, `template` or `block-model`; with `+embedded` if the text was data for the page's scripts."""
    template_version: Optional[int]
    """Version of the template, if one was used."""
    confidence: Optional[float]
    """Estimated probability, 0 to 1, that the word F1 of the text is at least 0.9; None if not estimated."""
    comments: List[str]
    """Lines of readers' comments; empty unless requested (`also`)."""
    captions: List[str]
    """Captions; empty unless requested."""
    links: List[str]
    """Absolute addresses of the links in the text; empty unless requested."""
    link_texts: List[str]
    """The text of each link in `links`."""
    kinds: str
    """A letter per line of the text: `p` paragraph, `h` heading, `i` list item, `q` quotation, `c` table cell,
    `f` caption, `x` preformatted."""
    text: str
    """Body text in NFC: one paragraph, heading or list item per line."""

    @property
    def paragraphs(self) -> List[Tuple[str, str]]:
        """The lines of the text, each with the letter of its kind (`kinds`)."""
        return list(zip(self.kinds, self.text.split("\n")))

    def to_dict(self) -> Dict[str, Any]:
        """Return the fields by name, in the same order as `gleaner extract --format jsonl`."""
        return {name: getattr(self, name) for name in _NAMES}

    @classmethod
    def from_dict(cls, record: Dict[str, Any]) -> "Document":
        """Return the document with these fields. Unknown names are ignored.

        Raises InputError if a field is missing.
        """
        if not hasattr(record, "keys"):
            raise _arguments.wrong_type("record", "a dict", record)
        for name in _NAMES:
            if name not in record:
                raise _engine.InputError(f'the record has no "{name}"')
        return cls(**{name: record[name] for name in _NAMES})


_NAMES = [field.name for field in fields(Document)]


def from_json(text: Optional[str]) -> Optional[Document]:
    return None if text is None else Document(**json.loads(text))
