import faulthandler
import sys
import threading

import pytest

import gleaner


def test_many_pages_are_in_their_order(pages):
    found = list(gleaner.extract_many(pages * 20, threads=4))
    assert [document.title for document in found] == [f"Story {number}" for number in range(6)] * 20
    alone = [gleaner.extract(page) for page in pages]
    assert found == alone * 20
    template = gleaner.learn(pages)
    by_template = gleaner.extract_many([(page, None) for page in pages], 2, template)
    assert list(by_template) == [template.extract(page) for page in pages]


def test_pages_are_read_as_needed(pages):
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield pages[0]

    documents = gleaner.extract_many(endless(), threads=2)
    assert taken == [] and next(documents).title == "Story 0"
    assert len(taken) == 32


def test_a_page_that_is_not_html(pages):
    mixed = [pages[0], b"%PDF-1.7", "", pages[1]]
    found = list(gleaner.extract_many(mixed, errors="skip"))
    assert [document and document.title for document in found] == ["Story 0", None, None, "Story 1"]
    documents = gleaner.extract_many(mixed)
    assert next(documents).title == "Story 0"
    with pytest.raises(gleaner.InputError, match="PDF document"):
        next(documents)


def test_arguments_are_checked_at_once(pages):
    with pytest.raises(gleaner.InputError, match="^threads must be a whole number of 1 or more, not 0$"):
        gleaner.extract_many(pages, threads=0)
    with pytest.raises(gleaner.InputError, match="errors: 'ignore' is not known"):
        gleaner.extract_many(pages, errors="ignore")


def test_the_gil_is_released(pages):
    """Python code runs while `extract` does.

    A thread extracts a page repeatedly. The switch interval is eleven days, so the thread never gives up the GIL
    between two calls. The main thread can count only while Rust works. Without the release, the test would never end.
    """
    stop, begun = threading.Event(), threading.Event()
    interval = sys.getswitchinterval()
    large = pages[0] + "".join(pages) * 20

    def work():
        begun.set()
        while not stop.is_set():
            gleaner.extract(large)

    thread = threading.Thread(target=work, daemon=True)
    sys.setswitchinterval(1_000_000)
    faulthandler.dump_traceback_later(120, exit=True)
    try:
        thread.start()
        # Without the release, the thread would keep the GIL, and this line would never return.
        begun.wait()
        counted = sum(1 for _ in range(1000))
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        faulthandler.cancel_dump_traceback_later()
    thread.join()
    assert counted == 1000
