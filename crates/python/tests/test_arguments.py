"""Tests what a user reads who passes a wrong argument."""

import copy
import os
import pickle
import re
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest

import gleaner

PDF = b"%PDF-1.7"
URL = "https://paper.example/a"
NOT_HTML = "the page is not an HTML page (PDF document)"


SIGNATURE = bytes(256)
EAST = timezone(timedelta(hours=5))


def exactly(message):
    return f"^{re.escape(message)}$"


def with_text(text):
    """The calls with this text, each with the name of the argument or element that the text is."""
    return [
        ("text", lambda: gleaner.signature(text)),
        ("text", lambda: gleaner.language(text)),
        ("one", lambda: gleaner.verdict(text, "a")),
        ("other", lambda: gleaner.verdict("a", text)),
        ("text 2", lambda: gleaner.near_duplicates(["a", "b", text])),
        ("name 1 of keep", lambda: gleaner.extract("<p>a", keep=["captions", text])),
        ("name 0 of also", lambda: gleaner.extract_many([], also=iter([text]))),
    ]


@pytest.mark.parametrize(
    "text, found",
    [
        (None, "NoneType"),
        (7, "int"),
        (float("nan"), "float"),
        (["a"], "list"),
        (b"a", "bytes; decode it first"),
        (gleaner.Document(**dict.fromkeys(gleaner.Document.__annotations__)), "Document; pass its text"),
    ],
)
def test_a_text_of_another_type(text, found):
    for name, function in with_text(text):
        with pytest.raises(TypeError, match=exactly(f"{name} must be str, not {found}")):
            function()


def test_a_file_is_not_a_text(tmp_path):
    path = tmp_path / "text"
    path.touch()
    for name, function in with_text(path.open()):
        with pytest.raises(TypeError, match=exactly(f"{name} must be str, not TextIOWrapper; pass file.read()")):
            function()


@pytest.mark.parametrize("value", ["0.5", b"0.5", None, [0.5], -0.1, 1.5, 2, float("nan"), 10**400])
def test_similarity_is_a_number_from_0_to_1(value):
    error = gleaner.InputError if isinstance(value, (int, float)) else TypeError
    message = exactly(f"similarity must be a number from 0 to 1, not {value!r}")
    for function in [lambda: gleaner.near_duplicates([], value), lambda: gleaner.verdict("a", "b", similarity=value)]:
        with pytest.raises(error, match=message):
            function()
    assert gleaner.verdict("a", "a", similarity=1) == gleaner.verdict("a", "a", Decimal("0.5")) == "duplicate"


@pytest.mark.parametrize(
    "value, found",
    [
        (None, "NoneType; a text with fewer than 10 words has no signature"),
        ("a", "str"),
        ([1, 2], "list"),
        (b"abc", 3),
        (SIGNATURE * 2, 512),
    ],
)
def test_a_signature_is_256_bytes(value, found):
    calls = [
        ("signature", lambda: gleaner.bands(value)),
        ("one", lambda: gleaner.similarity(value, SIGNATURE)),
        ("other", lambda: gleaner.similarity(SIGNATURE, value)),
    ]
    for name, function in calls:
        error, message = TypeError, f"{name} must be the bytes that signature() returned, not {found}"
        if isinstance(value, bytes):
            error, message = gleaner.InputError, f"{name} must have 256 bytes, not {found}; pass what signature() returned"
        with pytest.raises(error, match=exactly(message)):
            function()


@pytest.mark.parametrize("value, found", [(7, "int"), (b"vi", "bytes; decode it first"), (["vi"], "list")])
def test_a_text_that_may_be_none(value, found, pages):
    with pytest.raises(TypeError, match=exactly(f"declared must be str or None, not {found}")):
        gleaner.language("a", value)
    with pytest.raises(TypeError, match=exactly(f"host must be str or None, not {found}")):
        gleaner.learn(pages, value)


@pytest.mark.parametrize("values", ["abc", b"abc", bytearray(b"abc"), None, 7, gleaner.Language("en", 1.0)._asdict])
def test_a_list(values, page):
    found = type(values).__name__
    calls = [
        ("pages must be a list of pages", lambda: gleaner.learn(values)),
        ("pages must be a list of pages", lambda: gleaner.extract_many(values)),
        ("texts must be a list of texts", lambda: gleaner.near_duplicates(values)),
        ("keep must be a list of names", lambda: gleaner.extract(page, keep=values)),
        ("also must be a list of names", lambda: gleaner.extract_many([page], also=values)),
    ]
    for message, function in calls:
        with pytest.raises(TypeError, match=exactly(f"{message}, not {found}")):
            function()


@pytest.mark.parametrize(
    "html, found",
    [
        (None, "NoneType"),
        (7, "int"),
        (["<p>a"], "list"),
        (memoryview(b"<p>a"), "memoryview"),
        (("<p>a", URL), "tuple; pass html and url separately"),
    ],
)
def test_html_of_another_type(html, found, pages):
    message = f"html must be str or bytes, not {found}"
    template = gleaner.learn(pages)
    for function in [gleaner.extract, gleaner.judge, template.extract, template.compare]:
        with pytest.raises(TypeError, match=exactly(message)):
            function(html)
    for function in [gleaner.learn, lambda pages: list(gleaner.extract_many(pages))]:
        with pytest.raises(TypeError, match=exactly(f"page 1: {message}")):
            function([pages[0], (html, None)])


def test_a_file(tmp_path, page):
    path = tmp_path / "page.html"
    path.write_text(page)
    with path.open() as file, pytest.raises(TypeError, match="not TextIOWrapper; pass file.read()"):
        gleaner.extract(file)


def test_a_bytearray(page):
    assert gleaner.extract(bytearray(page.encode())) == gleaner.extract(page)


def test_lone_surrogates_are_replaced(pages):
    broken = [page.replace("council", "coun\ud800cil") for page in pages]
    valid = [page.replace("council", "coun\ufffdcil") for page in pages]
    documents = [gleaner.extract(page) for page in valid]
    assert "coun\ufffdcil" in documents[0].text
    assert [gleaner.extract(page) for page in broken] == documents
    assert list(gleaner.extract_many([pages[0], *broken]))[1:] == documents
    assert gleaner.judge(broken[0]).is_article
    template = gleaner.learn(broken)
    assert template.extract(broken[0]) == template.extract(valid[0])
    assert template.compare(broken[0]) == template.compare(valid[0])
    assert gleaner.extract(pages[0].replace("council", "\ud83d\ude00")).text.count("\U0001f600") == 4
    assert gleaner.extract(pages[0], URL + "\ud800") == gleaner.extract(pages[0], URL + "\ufffd")


def test_lone_surrogates_in_texts_are_replaced():
    broken = "the river\ud800 rose above the old bridge, and it rained on the valley"
    valid = broken.replace("\ud800", "\ufffd")
    assert gleaner.signature(broken) == gleaner.signature(valid) is not None
    assert gleaner.language(broken, "e\ud800") == gleaner.language(valid, "e\ufffd")
    assert gleaner.verdict(broken, valid) == "duplicate"
    assert gleaner.near_duplicates([broken, valid]) == [0, 0]


def test_url(page):
    with pytest.raises(TypeError, match=exactly("url must be str or None, not bytes")):
        gleaner.extract(page, URL.encode())
    empty = "url must not be empty; use None if the URL is not known"
    for function in [gleaner.extract, gleaner.judge]:
        with pytest.raises(gleaner.InputError, match=exactly(empty)):
            function(page, "")
    with pytest.raises(gleaner.InputError, match=exactly(f"page 1: {empty}")):
        list(gleaner.extract_many([page, (page, "")]))


def test_an_error_says_which_page(page):
    mixed = [page] * 40 + [PDF]
    with pytest.raises(gleaner.InputError, match=exactly(f"page 40: {NOT_HTML}")):
        list(gleaner.extract_many(mixed, threads=1))
    with pytest.raises(gleaner.InputError, match=exactly(f"page 1 ({URL}): {NOT_HTML}")):
        list(gleaner.extract_many([page, (PDF, URL)]))
    with pytest.raises(gleaner.InputError, match="^page 0: the URL story.html: it cannot be read"):
        list(gleaner.extract_many([(page, "story.html")]))
    with pytest.raises(TypeError, match=exactly("page 1: a pair has 2 elements, html and url, not 3")):
        list(gleaner.extract_many([page, (page, URL, 1)]))
    assert list(gleaner.extract_many([PDF, (page, "story.html"), (page, "")], errors="skip")) == [None] * 3


def test_learn_skips_what_cannot_be_read(pages):
    template = gleaner.learn([PDF, *pages, (pages[0], "story.html")])
    assert template.pages == gleaner.learn(pages).pages == 6
    found = "article pages found: 1; at least 2 are needed, 5 or more are recommended"
    with pytest.raises(gleaner.LearnError, match=f"{found}; pages skipped: 2, the first is page 1: .*PDF document"):
        gleaner.learn([pages[0], PDF, (PDF, URL)])
    with pytest.raises(gleaner.LearnError, match="recommended$"):
        gleaner.learn([pages[0]])
    with pytest.raises(gleaner.InputError, match=exactly("host must not be empty; use None if all pages are from one host")):
        gleaner.learn(pages, "")
    with pytest.raises(gleaner.LearnError, match="^cannot learn a template"):
        gleaner.learn(pages, "\ud800")


@pytest.mark.parametrize("threads", ["4", 4.0, 0, -1])
def test_threads(threads, page):
    message = exactly(f"threads must be a whole number of 1 or more, not {threads!r}")
    with pytest.raises(gleaner.InputError if isinstance(threads, int) else TypeError, match=message):
        gleaner.extract_many([page], threads)


def test_threads_are_at_most_four_per_processor(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    taken = []
    next(gleaner.extract_many(("" for _ in iter(lambda: taken.append(1), 1)), threads=1000))
    assert len(taken) == 4 * 16


def test_other_arguments(page):
    with pytest.raises(TypeError, match=exactly("fetched must be a datetime with a time zone, not str")):
        gleaner.extract(page, fetched="2026-11-20")
    with pytest.raises(gleaner.InputError, match=exactly("fetched: 0001-01-01 00:00:00+05:00 is out of range in UTC")):
        gleaner.extract(page, fetched=datetime(1, 1, 1, tzinfo=EAST))
    for extract in [gleaner.extract, lambda page, template: gleaner.extract_many([page], template=template)]:
        with pytest.raises(TypeError, match="^template must be a Template, not str; use Template.from_json for JSON$"):
            extract(page, template="{}")
    with pytest.raises(gleaner.InputError, match=exactly('the record has no "url"')):
        gleaner.Document.from_dict({})
    with pytest.raises(TypeError, match=exactly("record must be a dict, not str")):
        gleaner.Document.from_dict("{}")
    with pytest.raises(TypeError, match=exactly("a Template is made by learn or by Template.from_json")):
        gleaner.Template("{}")


def test_a_file_name_is_not_a_template(tmp_path):
    with pytest.raises(gleaner.TemplateError, match="; pass the text of the template, not the name of its file$"):
        gleaner.Template.from_json("paper.json")
    with pytest.raises(TypeError, match="^json must be str, the text of a template, not bytes; decode it first$"):
        gleaner.Template.from_json(b"{}")


def test_a_copy_of_a_template_equals_it(pages):
    for number in range(2, len(pages) + 1):
        template = gleaner.learn(pages[:number])
        for same in [pickle.loads(pickle.dumps(template)), copy.deepcopy(template)]:
            assert same == template and hash(same) == hash(template)
