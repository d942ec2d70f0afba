"""A document of a corpus."""

from dataclasses import dataclass, fields
from typing import Any, Dict, List, Optional, Tuple


@dataclass(frozen=True)
class CorpusDocument:
    """A document of a corpus, with the fields of `gleaner export --format jsonl` (docs/corpus.md)."""

    # Follows from crates/corpus/src/fields.rs. A test rewrites it.
    id: str
    """32 hexadecimal digits, computed from `url`."""
    url: str
    """URL under which the text was first stored."""
    host: str
    """Host of `url`, with the port if it is not the default port."""
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
    fetched: str
    """Time of the fetch."""
    revision: int
    """1 for the first version; each fetch with a changed text adds 1."""
    gone: Optional[str]
    """When the page was found to be gone (404, 410)."""
    words: int
    """Number of words (syllables in Vietnamese, characters in Chinese and Japanese)."""
    sentences: int
    """Number of sentences."""
    tokens: int
    """Number of tokens including punctuation."""
    sentence_length: float
    """Mean number of words in a sentence."""
    stop_word_share: Optional[float]
    """Share of stop words; only in Vietnamese and English."""
    repeated_line_share: float
    """Share of the lines that repeat an earlier line."""
    symbol_share: float
    """Share of the characters that are neither letters nor digits; spaces are not counted."""
    method: str
    """How the text was found: `template` (template and block model), `detection` (template only),
    `block-model` (block model only), or a published method. `+embedded`: the text came from the page's
    scripts."""
    template_version: Optional[int]
    """Version of the host's template, if one was used."""
    confidence: Optional[float]
    """Estimated probability, 0 to 1, that the word F1 of the text is at least 0.9; None for published
    methods."""
    content_hash: str
    """BLAKE3 hash of the text in NFC with single spaces, 64 hexadecimal digits."""
    urls: List[str]
    """All URLs of the text; `url` is the first."""
    cluster: str
    """`id` of the representative of the document's cluster; its own `id` if it has no near-duplicates."""
    similarity: Optional[float]
    """Estimated similarity to the representative, 0 to 1."""
    near_duplicates: int
    """Number of documents in the cluster, without the representative."""
    related: List[str]
    """`id`s of at most 4 similar earlier documents that are not duplicates."""
    removed: List[str]
    """Hashes of the paragraphs that `--without-repeated` left out."""
    archive_file: Optional[str]
    """WARC file that contains the page."""
    archive_offset: Optional[int]
    """Byte offset of the page's record in that file."""
    use_train_ai: str
    """Whether the site and the page let the document be used to train AI models: `allow`, `disallow` or
    `unknown`."""
    use_search: str
    """The same for search engines."""
    use_ai_input: str
    """The same for the input of AI models, as in answers that cite pages."""
    use_tdm: str
    """The same for text and data mining."""
    use_statements: List[str]
    """What the site and the page stated about the use, as written, each after its source and name."""
    barred_agents: List[str]
    """The crawlers of `corpus.agents` that robots.txt bars from the page."""
    robots_fetched: Optional[str]
    """`WARC-Date` of the robots.txt in force at the fetch, if it is the source of these values."""
    tdmrep_fetched: Optional[str]
    """`WARC-Date` of the tdmrep.json in force at the fetch, if it is the source of these values."""
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
        """Return the fields by name, in the same order as `gleaner export --format jsonl`."""
        return {name: getattr(self, name) for name in _NAMES}


_NAMES = [field.name for field in fields(CorpusDocument)]
