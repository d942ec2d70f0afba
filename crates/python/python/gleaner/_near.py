"""Near-duplicates among texts."""

from typing import Iterable, List, Literal, Optional

from gleaner import _arguments, _engine


def near_duplicates(texts: Iterable[str], similarity: float = 0.5) -> List[int]:
    """Return, for each text, the position of the text that represents it.

    A near-duplicate is represented by an earlier text. Any other text is represented by itself. To remove
    near-duplicates, keep the texts whose value is their own position. `similarity` is the minimum similarity of
    near-duplicates, from 0 to 1. All texts must be in memory. For more texts, use `signature`, `bands`, `similarity`
    and `verdict` in a job on several machines.
    """
    least = _arguments.share(similarity, "similarity")
    return _engine.near_duplicates(_arguments.texts(texts), least)


def signature(text: str) -> Optional[bytes]:
    """Return the signature of a text, 256 bytes, or None if the text has fewer than 10 words."""
    return _engine.signature(_arguments.text(text, "text"))


def bands(signature: bytes) -> List[int]:
    """Return the 42 keys of a signature, as signed 64-bit numbers.

    Compare only texts with a common key. The probability that two texts with a similarity of 0.44 have a common key is
    0.97. Equal keys always belong to the same band.
    """
    return _engine.bands(_arguments.signature(signature, "signature"))


def similarity(one: bytes, other: bytes) -> float:
    """Return the estimated similarity of two texts from their signatures, from 0 to 1.

    The similarity is the share of sequences of three words that both texts have. Below 0.25, two texts are never
    near-duplicates.
    """
    return _engine.similarity(_arguments.signature(one, "one"), _arguments.signature(other, "other"))


def verdict(one: str, other: str, similarity: float = 0.5) -> Literal["duplicate", "related", "other"]:
    """Return how two texts are related.

    `duplicate`: the texts are equal, or near-duplicates. `related`: they are similar, but both are worth keeping.
    `other`: neither of these. `similarity` is the minimum similarity of near-duplicates, from 0 to 1.
    """
    least = _arguments.share(similarity, "similarity")
    return _engine.verdict(_arguments.text(one, "one"), _arguments.text(other, "other"), least)
