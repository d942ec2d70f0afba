"""Near-duplicates among texts."""

from typing import Iterable, List, Literal, Optional

from gleaner import _engine


def near_duplicates(texts: Iterable[str], similarity: float = 0.5) -> List[int]:
    """Return, for each text, the position of the text that represents it.

    That is the first of its near-duplicates, or its own position. So a text is to be kept if the value is its own
    position. `similarity` is the minimum of near-duplicates, 0 to 1. All texts are in memory. For more of them, use `signature`, `bands` and `verdict` in a job of many machines.
    """
    return _engine.near_duplicates(list(texts), similarity)


def signature(text: str) -> Optional[bytes]:
    """Return the signature of a text, 256 bytes; None if it has fewer than 10 words, which are too few."""
    return _engine.signature(text)


def bands(signature: bytes) -> List[int]:
    """Return the 42 keys of a signature, as signed numbers of 64 bits.

    Near-duplicates have at least one key in common, with a probability of 0.97 at a similarity of 0.44. Equal keys are
    always of the same band.
    """
    return _engine.bands(signature)


def similarity(one: bytes, other: bytes) -> float:
    """Return the estimated similarity of two texts from their signatures, 0 to 1.

    It is the share of common runs of three words. Below 0.25, two texts are never near-duplicates.
    """
    return _engine.similarity(one, other)


def verdict(one: str, other: str, similarity: float = 0.5) -> Literal["duplicate", "related", "other"]:
    """Return the relation of two texts: near-duplicates, similar texts that are both kept, or other texts.

    `similarity` is the minimum of near-duplicates, 0 to 1.
    """
    return _engine.verdict(one, other, similarity)
