"""Checks of arguments. Rust checks the contents of pages, URLs and signatures, this module everything else.

Each check returns the argument as the extension takes it. Its error says which argument is wrong and what is expected.
"""

import operator
import os
from datetime import date, datetime, timezone
from typing import Iterable, List, Optional, TypeVar, Union

from gleaner import _engine

_Item = TypeVar("_Item")

_THREADS_PER_PROCESSOR = 4
"""The most threads. Ctrl-C takes effect only after the pages that all threads have read ahead."""


def wrong_type(name: str, expected: str, value: object, advice: str = "") -> TypeError:
    """Return the error of an argument, or of an element of a list, that has another type."""
    return TypeError(f"{name} must be {expected}, not {type(value).__name__}{advice}")


def text(value: str, name: str, expected: str = "str") -> str:
    """Lone surrogates are replaced, because Rust's strings cannot have them."""
    if not isinstance(value, str):
        raise wrong_type(name, expected, value, _advice(value))
    try:
        value.encode()
    except UnicodeEncodeError:
        return scalars(value)
    return value


def optional_text(value: Optional[str], name: str) -> Optional[str]:
    return None if value is None else text(value, name, "str or None")


def texts(values: Iterable[str]) -> List[str]:
    return [text(value, f"text {at}") for at, value in enumerate(listed(values, "texts", "texts"))]


def names(values: Iterable[str], name: str) -> List[str]:
    return [text(value, f"name {at} of {name}") for at, value in enumerate(listed(values, name, "names"))]


def listed(values: Iterable[_Item], name: str, of: str) -> Iterable[_Item]:
    """A single text or page is not a list, although Python can iterate over it."""
    is_iterable = hasattr(values, "__iter__") or hasattr(values, "__getitem__")
    if isinstance(values, (str, bytes, bytearray)) or not is_iterable:
        raise wrong_type(name, f"a list of {of}", values)
    return values


def signature(value: bytes, name: str) -> bytes:
    if not isinstance(value, (bytes, bytearray)):
        none = "; a text with fewer than 10 words has no signature" if value is None else ""
        raise wrong_type(name, "the bytes that signature() returned", value, none)
    return bytes(value)


def share(value: float, name: str) -> float:
    message = f"{name} must be a number from 0 to 1, not {value!r}"
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(message)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(message) from None
    except OverflowError:
        number = -1.0
    if not 0 <= number <= 1:
        raise _engine.InputError(message)
    return number


def threads(number: Optional[int]) -> int:
    processors = os.cpu_count() or 1
    if number is None:
        return processors
    message = f"threads must be a whole number of 1 or more, not {number!r}"
    try:
        asked = operator.index(number)
    except TypeError:
        raise TypeError(message) from None
    if asked < 1:
        raise _engine.InputError(message)
    return min(asked, _THREADS_PER_PROCESSOR * processors)


def time(value: Optional[datetime], name: str = "fetched") -> Optional[str]:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise wrong_type(name, "a datetime with a time zone", value)
    if value.tzinfo is None:
        raise _engine.InputError(f"{name}: {value} has no time zone")
    try:
        return value.astimezone(timezone.utc).isoformat()
    except OverflowError:
        raise _engine.InputError(f"{name}: {value} is out of range in UTC") from None


def scalars(text: str) -> str:
    """Return the text with U+FFFD instead of lone surrogates."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _advice(value: object) -> str:
    if isinstance(value, (bytes, bytearray)):
        return "; decode it first"
    if hasattr(value, "read"):
        return "; pass file.read()"
    return "; pass its text" if hasattr(value, "text") else ""


def one_or_more(values: Union[str, Iterable[str]], name: str) -> List[str]:
    """A single text is a list of one."""
    return [text(values, name)] if isinstance(values, str) else names(values, name)


def path(value: "Union[str, os.PathLike[str]]", name: str) -> str:
    try:
        path = os.fspath(value)
    except TypeError:
        raise wrong_type(name, "str or a path", value) from None
    if not isinstance(path, str):
        raise wrong_type(name, "str or a path", value)
    if "://" in path:
        message = f"{name} is a folder, and {path} is an address; `gleaner export --store ...` reads a shared corpus"
        raise _engine.InputError(message)
    return path


def when(value: "Union[str, date, datetime, os.PathLike[str], None]", name: str) -> Optional[str]:
    """Return a day or a time as text."""
    if value is None or isinstance(value, str):
        return optional_text(value, name)
    if isinstance(value, datetime):
        return time(value, name)
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "__fspath__"):
        return os.fspath(value)
    raise wrong_type(name, "a day or a time: str, date or datetime", value)


def limit(number: Optional[int]) -> Optional[int]:
    if number is None:
        return None
    message = f"limit must be a whole number of 1 or more, not {number!r}"
    try:
        asked = operator.index(number)
    except TypeError:
        raise TypeError(message) from None
    if not 1 <= asked < 1 << 63:
        raise _engine.InputError(message)
    return asked
