"""Tests what a user reads who passes a wrong argument."""

import copy
import os
import pickle
import re

import pytest

import gleaner

PDF = b"%PDF-1.7"
URL = "https://paper.example/a"
NOT_HTML = "the page is not an HTML page (PDF document)"


def exactly(message):
    return f"^{re.escape(message)}$"


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
    with pytest.raises(TypeError, match=exactly("host must be str or None, not int")):
        gleaner.learn(pages, 7)


def test_one_page_is_not_a_list(page):
    for pages in [page, page.encode(), None]:
        message = exactly(f"pages must be a list of pages, not {type(pages).__name__}")
        for function in [gleaner.learn, gleaner.extract_many]:
            with pytest.raises(TypeError, match=message):
                function(pages)
    with pytest.raises(TypeError, match=exactly("texts must be a list of texts, not str")):
        gleaner.near_duplicates("abc")


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
    for extract in [gleaner.extract, lambda page, template: gleaner.extract_many([page], template=template)]:
        with pytest.raises(TypeError, match="^template must be a Template, not str; use Template.from_json for JSON$"):
            extract(page, template="{}")
    for name in ["keep", "also"]:
        for extract in [gleaner.extract, gleaner.extract_many]:
            with pytest.raises(TypeError, match=exactly(f"{name} must be a list of names, not str")):
                extract([page] if extract is gleaner.extract_many else page, **{name: "captions"})
    with pytest.raises(gleaner.InputError, match=exactly('the record has no "url"')):
        gleaner.Document.from_dict({})


def test_a_file_name_is_not_a_template(tmp_path):
    with pytest.raises(gleaner.TemplateError, match="; pass the text of the template, not the name of its file$"):
        gleaner.Template.from_json("paper.json")
    with pytest.raises(TypeError, match="^json must be str, the text of a template, not bytes$"):
        gleaner.Template.from_json(b"{}")


def test_a_copy_of_a_template_equals_it(pages):
    for number in range(2, len(pages) + 1):
        template = gleaner.learn(pages[:number])
        for same in [pickle.loads(pickle.dumps(template)), copy.deepcopy(template)]:
            assert same == template and hash(same) == hash(template)
