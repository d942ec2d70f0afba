"""Made-up pages of a small paper, for the tests."""

import pytest

SENTENCES = [
    "Rain fell on the valley for the third day in a row, and the river rose above the old bridge.",
    "Nobody had expected the choir to win, least of all its conductor, who was asleep at the time.",
    "Three lambs were found in the church this morning, warm, dry and without any harm at all.",
]


def page_of(number: int) -> str:
    paragraphs = "".join(
        f"<p>{SENTENCES[(number + at) % 3]} It was number {number}{at}, said the council. {SENTENCES[number % 3]}</p>"
        for at in range(4)
    )
    related = "<li><a href=/x>Council agrees on a new bridge after years of debate</a>" * 4
    return (
        f"<html lang=en><title>Story {number} - The Paper</title><meta name=author content='Ann Weaver'>"
        f"<link rel=canonical href=https://paper.example/2026/11/20/story-{number}>"
        "<ul class=menu><li><a href=/>Home</a><li><a href=/n>News</a></ul>"
        f"<h1>Story {number}</h1><div class=story-body>{paragraphs}</div><ul class=related>{related}</ul>"
        "<div class=footer><p>All rights in these pages are reserved by the publisher.</p></div>"
    )


@pytest.fixture
def page() -> str:
    return page_of(7)


@pytest.fixture
def pages() -> "list[str]":
    return [page_of(number) for number in range(6)]
