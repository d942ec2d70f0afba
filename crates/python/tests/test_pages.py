import json
import pickle
import subprocess
from datetime import datetime, timedelta, timezone

import pytest

import gleaner

WALL = "<title>404</title><h1>Page not found</h1>"
LINKED = (
    "<p>The rain that fell on the valley for three days ended on <a href=/monday>Monday</a>, and the river, which had "
    "risen above the old bridge, went back to its bed.</p>"
)


def test_text_and_metadata(page):
    document = gleaner.extract(page)
    assert document.title == "Story 7"
    assert document.authors == ["Ann Weaver"]
    assert document.published == "2026-11-20"
    assert document.published_utc == "2026-11-20T00:00:00Z"
    assert document.url == "https://paper.example/2026/11/20/story-7"
    assert document.language == "en" and document.language_probability > 0.9
    assert document.method == "block-model" and document.not_article is None
    assert "number 70" in document.text and "Council agrees" not in document.text
    assert document.paragraphs[0] == ("p", document.text.split("\n")[0])
    assert len(document.paragraphs) == len(document.kinds) == 4


def test_bytes_are_decoded(page):
    accented = page.replace("choir", "chœur").replace("lambs", "lämbs")
    document = gleaner.extract(accented)
    assert "chœur" in document.text
    assert gleaner.extract(accented.encode()) == document
    declared = accented.replace("<title>", "<meta charset=windows-1252><title>")
    assert gleaner.extract(declared.encode("windows-1252")).text == document.text
    assert gleaner.extract(accented.encode("utf-16")).text == document.text


def test_a_given_address_wins_over_the_stated_one(page):
    document = gleaner.extract(page, "https://other.example/a#top")
    assert document.url == "https://other.example/a"
    assert document.canonical == "https://paper.example/2026/11/20/story-7"


def test_nothing_is_none():
    assert gleaner.extract("") is None
    assert gleaner.extract("<img src=a.png>") is None
    assert gleaner.extract(b"") is None


def test_a_date_after_the_fetch_does_not_count(page):
    day = datetime(2026, 11, 20, tzinfo=timezone(timedelta(hours=7)))
    assert gleaner.extract(page, fetched=day).published == "2026-11-20"
    assert gleaner.extract(page, fetched=day - timedelta(days=9)).published is None
    with pytest.raises(gleaner.InputError, match="has no time zone"):
        gleaner.extract(page, fetched=datetime(2026, 11, 20))


def test_parts_are_kept_on_request():
    document = gleaner.extract(LINKED, "https://paper.example/rain", also=["links"])
    assert (document.links, document.link_texts) == (["https://paper.example/monday"], ["Monday"])
    assert gleaner.extract(LINKED, "https://paper.example/rain").links == []
    with pytest.raises(gleaner.InputError, match="also: \"bylines\" is not known; there are: comments, captions, links"):
        gleaner.extract(LINKED, also=["bylines"])
    with pytest.raises(gleaner.InputError, match="there are: captions, credits, by-lines, read-more"):
        gleaner.extract(LINKED, keep=["links"])


def test_a_kept_line_is_in_the_text():
    story = LINKED + "<p>By Anna Weaver</p>" + LINKED.replace("rain", "snow")
    assert "By Anna" not in gleaner.extract(story).text
    assert "By Anna Weaver" in gleaner.extract(story, keep=["by-lines"]).text


def test_errors_are_those_of_the_program():
    assert issubclass(gleaner.InputError, gleaner.Error)
    with pytest.raises(gleaner.InputError, match=r"^the page is not an HTML page \(PDF document\)$"):
        gleaner.extract(b"%PDF-1.7")
    with pytest.raises(gleaner.InputError, match="^the URL story.html: it cannot be read as an address"):
        gleaner.extract("<p>Rain.", "story.html")
    with pytest.raises(gleaner.TemplateError, match="^not a template file: it has no \"format\""):
        gleaner.Template.from_json("{}")
    with pytest.raises(TypeError):
        gleaner.extract(7)
    error = pickle.loads(pickle.dumps(gleaner.InputError("a")))
    assert isinstance(error, gleaner.InputError) and str(error) == "a"


def test_judgement(page):
    assert gleaner.judge(page) == (True, None, None)
    judgement = gleaner.judge(WALL, "https://paper.example/gone")
    assert (judgement.is_article, judgement.reason) == (False, "not_found")
    assert judgement.message == "says that the page does not exist"


def test_language():
    assert gleaner.language("Thu tuong hop voi cac bo nganh ve kinh te").tag == "vi"
    assert gleaner.language("", "el-GR") == ("el", 0.9)
    assert gleaner.language("").tag == "und"


def test_a_template_is_learned_written_and_applied(pages, page):
    template = gleaner.learn(pages)
    assert (template.host, template.pages) == ("paper.example", 6)
    again = gleaner.Template.from_json(template.to_json())
    assert again == template and hash(again) == hash(template)
    document = template.extract(page)
    assert document.method == "detection" and document.template_version == 1
    assert document == gleaner.extract(page, template=again)
    assert "number 70" in document.text


def test_a_redesign_is_unlike(pages, page):
    template = gleaner.learn((page, None) for page in pages)
    health = template.health()
    assert health.words > 100 and 0 < health.margin <= 1
    assert not template.compare(page).unlike
    assert template.compare("<p>Rain.").unlike


def test_what_cannot_be_learned(pages):
    with pytest.raises(gleaner.LearnError, match="article pages found: 1; at least 2 are needed, 5 or more"):
        gleaner.learn([pages[0], WALL])
    of_two = [(page, f"https://{host}.example/a-{n}") for n, page in enumerate(pages) for host in ["a", "b"]]
    with pytest.raises(gleaner.LearnError, match=r"several hosts: a.example \(6\), b.example \(6\); choose one"):
        gleaner.learn(of_two)
    assert gleaner.learn(of_two, host="b.example").pages == 6


def test_pickles(pages, page):
    template = gleaner.learn(pages)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(template, protocol)) == template
        document = template.extract(page)
        assert pickle.loads(pickle.dumps(document, protocol)) == document


def test_a_record_is_that_of_the_program(page, tmp_path):
    (tmp_path / "page.html").write_text(page)
    command = ["gleaner", "extract", "page.html", "--format", "jsonl"]
    printed = json.loads(subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout)
    assert (printed.pop("file"), printed.pop("error")) == ("page.html", None)
    record = gleaner.extract(page).to_dict()
    assert record == printed and list(record) == list(printed)
    assert gleaner.Document.from_dict({**printed, "more": 1}) == gleaner.extract(page)
