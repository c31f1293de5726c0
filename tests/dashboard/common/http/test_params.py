"""Query parameters: bounded, refused with words."""

from __future__ import annotations

import pytest

from dashboard.common.http import params
from dashboard.common.problems import BadQuery


def test_absent_is_the_default():
    assert params.int_param({}, "page", 7) == 7
    assert params.optional_int({"page": " "}, "page") is None
    assert params.choice_param({}, "by", ("name", "cpu"), "cpu") == "cpu"
    assert params.text_param({}, "q") == ""
    assert params.bool_param({}, "all", default=True) is True


def test_given_is_parsed():
    assert params.int_param({"page": " 12 "}, "page", 1) == 12
    assert params.int_param({"d": "-3"}, "d", 0, low=-5) == -3
    assert params.choice_param({"by": "name"}, "by", ("name", "cpu"), "cpu") == "name"
    assert params.text_param({"q": " gpu "}, "q") == "gpu"
    assert params.bool_param({"all": "0"}, "all", default=True) is False


@pytest.mark.parametrize(
    "text", ["x", "1.5", "1e3", "0x10", "\N{FULLWIDTH DIGIT NINE}", "1_000", "-1", "101", "9" * 30, "1\x00"]
)
def test_odd_numbers_are_refused(text):
    with pytest.raises(BadQuery, match="from 0 to 100"):
        params.int_param({"page": text}, "page", 1, high=100)


def test_long_values_are_cut_in_the_message():
    with pytest.raises(BadQuery) as caught:
        params.choice_param({"by": "x" * 5000}, "by", ("name",), "name")
    assert len(caught.value.detail) < 100


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (lambda: params.int_param({"page": "x"}, "page", 1, high=100), '"page" must be a whole number from 0 to 100'),
        (
            lambda: params.choice_param({"by": "x"}, "by", ("name", "cpu"), "cpu"),
            '"by" must be one of name, cpu, not "x"',
        ),
        (lambda: params.text_param({"q": "abcdef"}, "q", limit=5), "at most 5 characters; this has 6"),
        (lambda: params.text_param({"q": "a\x00b"}, "q"), "NUL"),
        (lambda: params.bool_param({"all": "maybe"}, "all"), "must be 1 or 0"),
    ],
)
def test_words(read, sentence):
    with pytest.raises(BadQuery) as raised:
        read()
    assert sentence in raised.value.detail
