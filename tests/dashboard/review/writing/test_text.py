"""What people write is checked."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Problem, TooLarge
from dashboard.review.writing.text import TEXT_LIMIT, checked


def test_checked_strips_and_unifies_line_ends():
    assert checked("  a\r\nb\rc \n", "comment") == "a\nb\nc"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (" \n ", Problem, "The comment is empty"),
        ("a\x00b", Problem, "NUL"),
        ("x" * (TEXT_LIMIT + 1), TooLarge, "at most 10,000 characters; this has 10,001"),
    ],
    ids=["empty", "nul", "too long"],
)
def test_checked_refuses(text, error, message):
    with pytest.raises(error, match=message):
        checked(text, "comment")


def test_the_limit_itself_is_allowed():
    assert len(checked("x" * TEXT_LIMIT, "comment")) == TEXT_LIMIT
