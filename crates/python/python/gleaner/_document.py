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
    # Follows from crates/corpus/src/fields.rs. A test rewrites it.
    title: Optional[str]
    """Headline that the page states."""
    language: str
    """Primary language tag of BCP 47, such as `vi`; `und` if unknown."""
    language_probability: Optional[float]
    """Probability of `language`, 0 to 1; None if it was not measured, as in older stores."""
    published: Optional[str]
    """Time of publication: RFC 3339 with the zone of the page, or only a day."""
    published_utc: Optional[str]
    """Time of publication in UTC, for sorting; without a zone, UTC is assumed, without a time, midnight."""
    modified: Optional[str]
    """Time of the last change, in the form of `published`."""
    authors: List[str]
    """Names of the authors, in the order of the page."""
    credits: List[str]
    """The names in `authors` that are a newspaper, agency or desk instead of persons, such as "Reuters"."""
    section: Optional[str]
    """Section of the site, such as "World"."""
    keywords: List[str]
    """Keywords or tags, at most 50."""
    description: Optional[str]
    """Short description that the page states."""
    site_name: Optional[str]
    """Name of the site."""
    image: Optional[str]
    """Address of the lead image."""
    article_type: Optional[str]
    """`news`, `opinion`, `live`, `video`, `gallery` or `sponsored`."""
    paywalled: Optional[bool]
    """Whether only subscribers may read the article."""
    complete: Optional[bool]
    """Whether `text` is the whole article; None if unknown."""
    canonical: Optional[str]
    """Canonical address that the page states."""
    words: int
    """Number of words (syllables in Vietnamese, characters in Chinese and Japanese)."""
    method: str
    """How the text was found: `template` (template and block model), `detection` (template only),
    `block-model` (block model only), or a published method. `+embedded`: the text came from the page's
    scripts."""
    template_version: Optional[int]
    """Version of the host's template, if one was used."""
    confidence: Optional[float]
    """Estimated probability, 0 to 1, that the word F1 of the text is at least 0.9; None for published
    methods."""
    comments: List[str]
    """Lines of readers' comments, if requested."""
    captions: List[str]
    """Captions, if requested."""
    links: List[str]
    """Absolute addresses of the links in the text, if requested."""
    link_texts: List[str]
    """The linked text of each entry of `links`."""
    kinds: str
    """One letter for each line of the text: `p` paragraph, `h` heading, `i` list item, `q` quotation, `c`
    cell, `f` caption, `x` preformatted."""
    text: str
    """Body text in NFC; each line is a paragraph, heading or list item."""

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
