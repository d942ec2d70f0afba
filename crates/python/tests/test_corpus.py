"""Compares what Python reads of a corpus with what the command writes."""

import json
import os
import pickle
import re
import shutil
import signal
import socket
import subprocess
import sys
from datetime import date, datetime, timezone
from itertools import islice

import pytest

import gleaner

GLEANER = shutil.which("gleaner")


def run(*arguments):
    return subprocess.run([GLEANER, *map(str, arguments)], capture_output=True, text=True)


def exported(data, *options):
    output = run("export", "--data", data, "--format", "jsonl", *options).stdout
    return [json.loads(line) for line in output.splitlines()]


def words(text):
    """Return the words in the order of the alphabet. The order of hosts in a message differs."""
    return sorted(re.findall(r"[^\s,]+", text))


def message(error):
    return str(error.value)


SELECTIONS = [
    ({}, []),
    ({"members": True}, ["--members"]),
    ({"confidence": 0.0, "members": True}, ["--confidence", "0", "--members"]),
    ({"confidence": 0.97}, ["--confidence", "0.97"]),
    ({"language": "EN", "limit": 3}, ["--language", "EN", "--limit", "3"]),
    ({"host": "other.example", "members": True}, ["--host", "other.example", "--members"]),
    ({"host": ["https://paper.example/a", "example"]}, ["--host", "paper.example", "--host", "example"]),
    ({"exclude_host": ["https://paper.example/", "x.example"], "members": True},
     ["--exclude-host", "paper.example", "--exclude-host", "x.example", "--members"]),
    ({"exclude_url": "story-1[01]?$"}, ["--exclude-url", "story-1[01]?$"]),
    ({"where": ["words>150", "title~'story 1'"]}, ["--where", "words>150", "--where", "title~'story 1'"]),
    ({"where": "section=weather or words>300", "members": True},
     ["--where", "section=weather or words>300", "--members"]),
    ({"since": "2026-11-21T03:00:00Z", "until": "2026-11-21T05:00:00Z"},
     ["--since", "2026-11-21T03:00:00Z", "--until", "2026-11-21T05:00:00Z"]),
    ({"since": datetime(2026, 11, 21, 4, tzinfo=timezone.utc)}, ["--since", "2026-11-21T04:00:00Z"]),
    ({"published_from": date(2026, 11, 20), "published_to": "2026-11-20"},
     ["--published-from", "2026-11-20", "--published-to", "2026-11-20"]),
    ({"published_from": "2026-11", "published_to": "2026"}, ["--published-from", "2026-11", "--published-to", "2026"]),
    ({"published_to": date(2026, 11, 19)}, ["--published-to", "2026-11-19"]),
    ({"allowed": "search"}, ["--allowed", "search"]),
    ({"explicitly_allowed": ["tdm", "search"]}, ["--explicitly-allowed", "tdm", "--explicitly-allowed", "search"]),
]


@pytest.mark.parametrize("selection, options", SELECTIONS)
def test_documents_are_those_of_the_export(ingested, selection, options):
    documents = gleaner.open(ingested).documents(**selection)
    assert [document.to_dict() for document in documents] == exported(ingested, *options)


def test_near_duplicates_are_left_out_unless_requested(ingested):
    corpus = gleaner.open(ingested)
    assert (len(corpus), len(list(corpus)), len(list(corpus.documents(members=True)))) == (13, 12, 13)


def test_documents_can_be_read_again(ingested):
    documents = gleaner.open(ingested).documents(limit=4)
    assert len(list(documents)) == len(list(documents)) == 4
    first = next(iter(documents))
    assert first.title.startswith("Story ") and first.authors == ["Ann Weaver"] and first.paragraphs[0][0] == "p"
    assert pickle.loads(pickle.dumps(first)) == first


def test_size_and_version_are_those_of_stats(ingested):
    stats = json.loads(run("stats", "--data", ingested, "--quick", "--json").stdout)
    corpus = gleaner.open(str(ingested))
    assert (len(corpus), corpus.version, corpus.path) == (stats["documents"], stats["version"], str(ingested))
    assert corpus and repr(corpus) == f"<gleaner.Corpus in {ingested}>"


def test_a_document_is_found_by_id_and_url(ingested):
    corpus = gleaner.open(ingested)
    for document in corpus.documents(members=True):
        assert corpus.get(document.id) == corpus.get(document.url) == document
    assert corpus.get("https://paper.example/absent") is None
    assert corpus.get("0" * 32) is None
    with pytest.raises(gleaner.InputError, match="neither the id of a document nor a URL"):
        corpus.get("story 3")


def test_a_selection_continues_from_an_earlier_export(data, tmp_path):
    assert run("export", "--data", data, "--into", tmp_path / "first").returncode == 0
    corpus = gleaner.open(data)
    assert list(corpus.documents(since=tmp_path / "first")) == []
    with pytest.raises(gleaner.InputError, match=r"^since .*: the folder has no manifest\.json$"):
        corpus.documents(since=data)


def test_errors_are_those_of_the_command(ingested, tmp_path):
    corpus = gleaner.open(ingested)
    for error, argument, option, value in [
        (gleaner.InputError, "where", "--where", "wordz>100"),
        (gleaner.InputError, "where", "--where", "words>many"),
        (gleaner.InputError, "since", "--since", "yesterday"),
        (gleaner.InputError, "published_from", "--published-from", "2026-13-01"),
        (gleaner.InputError, "host", "--host", "https://"),
        (gleaner.InputError, "exclude_host", "--exclude-host", "https://"),
        (gleaner.InputError, "exclude_url", "--exclude-url", "story-("),
        (gleaner.CorpusError, "language", "--language", "xx"),
        (gleaner.CorpusError, "host", "--host", "pape.example"),
        (gleaner.CorpusError, "host", "--host", ["paper.example", "pape.example"]),
    ]:
        values = value if isinstance(value, list) else [value]
        options = [word for one in values for word in (option, one)]
        refused = run("export", "--data", ingested, *options).stderr
        with pytest.raises(error) as raised:
            list(corpus.documents(**{argument: value}))
        assert words(refused.removeprefix("gleaner: ").replace(option, argument)) == words(message(raised))
    with pytest.raises(gleaner.CorpusError) as raised:
        gleaner.open(tmp_path / "absent")
    refused = run("export", "--data", tmp_path / "absent").stderr
    assert words(refused) == words(f"gleaner: {message(raised)}")


def test_an_archive_without_a_corpus_is_named(data):
    shutil.rmtree(data / "sled")
    with pytest.raises(gleaner.CorpusError, match="but an archive: `gleaner rebuild` restores the corpus"):
        gleaner.open(data)


def test_wrong_arguments_are_refused(ingested):
    corpus = gleaner.open(ingested)
    for error, arguments in [
        (gleaner.InputError, {"published_from": "2026-11-21", "published_to": "2026-11-19"}),
        (gleaner.InputError, {"allowed": "selling"}),
        (gleaner.InputError, {"confidence": 2}),
        (gleaner.InputError, {"limit": 0}),
        (gleaner.InputError, {"errors": "ignore"}),
        (gleaner.InputError, {"since": datetime(2026, 11, 21)}),
        (TypeError, {"limit": "3"}),
        (TypeError, {"language": 3}),
        (TypeError, {"since": 3}),
        (TypeError, {"hosts": []}),
    ]:
        with pytest.raises(error):
            corpus.documents(**arguments)
    for error, field in [(gleaner.InputError, ["length"]), (gleaner.InputError, ["url", "url"]), (TypeError, "url")]:
        with pytest.raises(error):
            corpus.documents().table(field)
    with pytest.raises(gleaner.InputError, match="`gleaner export --store ...` reads a shared corpus"):
        gleaner.open("postgres://user@db.example/news")
    with pytest.raises(TypeError):
        gleaner.open(3)


def test_a_corpus_can_be_pickled(ingested):
    corpus = pickle.loads(pickle.dumps(gleaner.open(ingested)))
    assert corpus.path == str(ingested) and len(corpus) == 13


def test_a_text_that_cannot_be_read_is_an_error_or_skipped(data):
    corpus = gleaner.open(data)
    damaged = data / "sled" / "texts"
    for file in damaged.iterdir():
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(content)
    with pytest.raises(gleaner.CorpusError, match="the text of the document .* cannot be read.*gleaner verify"):
        list(corpus.documents(members=True))
    assert 0 < len(list(corpus.documents(members=True, errors="skip"))) < 13


@pytest.fixture
def crawl(data):
    """A crawl of the corpus, waiting for a site that accepts connections but never responds."""
    with socket.create_server(("127.0.0.1", 0)) as site:
        port = site.getsockname()[1]
        settings = ["--set", "fetch.contact=a@b.example", "--set", 'fetch.allow_addresses=["127.0.0.0/8"]']
        program = subprocess.Popen(
            [GLEANER, "crawl", f"http://127.0.0.1:{port}/", "--data", str(data), *settings],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        connection, _ = site.accept()
        yield program
        program.kill()
        program.wait()
        connection.close()


@pytest.mark.skipif(os.name != "posix", reason="sockets of POSIX")
def test_a_corpus_is_read_while_a_crawl_has_it_open_and_after_the_crawl_ends(crawl, data):
    corpus = gleaner.open(data)
    assert (len(corpus), len(list(corpus.documents(members=True)))) == (13, 13)
    begun = iter(corpus.documents(members=True))
    first = list(islice(begun, 3))
    crawl.send_signal(signal.SIGKILL)
    crawl.wait()
    assert len({document.id for document in first + list(begun)}) == 13


def can_be_written(data):
    """Whether a command that writes can open the corpus, and what it says otherwise."""
    done = run("ingest", data.parent / "none.warc", "--data", data)
    return done.returncode == 0, " ".join(done.stderr.split())


def test_a_corpus_is_open_only_while_it_is_read(data, tmp_path):
    (tmp_path / "none.warc").write_bytes(b"")
    corpus = gleaner.open(data)
    list(corpus)
    assert can_be_written(data)[0]
    begun = iter(corpus)
    next(begun)
    is_free, said = can_be_written(data)
    assert not is_free and f"in use by `{os.path.basename(sys.executable)}" in said and str(os.getpid()) in said
    del begun
    assert can_be_written(data)[0]
    with corpus:
        assert not can_be_written(data)[0]
        assert len(corpus) == 13
    assert can_be_written(data)[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked")
def test_a_forked_process_opens_the_corpus_itself(ingested):
    with gleaner.open(ingested) as corpus:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, str(len(list(corpus))).encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(reading, 9) == b"12"
        os.close(reading), os.close(writing)
