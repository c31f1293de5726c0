"""The first value of a text; what is wrong with one is said in test_answers.py."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.extenders.go_json import (
    READABLE_DEPTH,
    GoJsonError,
    GoObject,
    NestedTooDeeplyError,
    Number,
    first_value,
    scanned,
)


def test_keys_stay_in_order_and_may_repeat():
    assert first_value(b'{"b": 1, "a": 2, "b": 3}') == GoObject([("b", "1"), ("a", "2"), ("b", "3")])


@pytest.mark.parametrize("number", ["0", "-0", "10", "1.50", "1e3", "-2.5E-7", "123456789012345678901234567890"])
def test_numbers_stay_as_they_are_written(number):
    value = first_value(number.encode())
    assert (value, type(value)) == (number, Number)


@pytest.mark.parametrize("rest", [b"", b" ", b"{", b"garbage", b"\x00"])
def test_what_follows_the_value_is_not_read(rest):
    assert first_value(b"[true, null] " + rest) == [True, None]


def test_bytes_that_are_no_utf_8_are_replaced():
    assert first_value(b'"a\xff"') == "a\ufffd"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (rb'"a\ud83d\ude00"', "a\U0001f600"),
        (rb'"a\ud800b"', "a\ufffdb"),
        (rb'{"\udfff": ["\ud800\ud800", 1]}', GoObject([("\ufffd", ["\ufffd\ufffd", "1"])])),
        (rb'"\\ud800"', "\\ud800"),
    ],
    ids=["a pair", "half a pair", "in keys and lists", "a backslash"],
)
def test_half_a_surrogate_pair_is_replaced(written, value):
    assert first_value(written) == value


def test_a_number_ends_behind_a_leading_zero():
    assert first_value(b"01") == "0"


@pytest.mark.parametrize("text", ["1.", "1e", "-", '"\x01"', "[1,]", '{"a":1,}', "NaN", "Infinity"])
def test_what_only_other_readers_take_is_refused(text):
    with pytest.raises(GoJsonError):
        first_value(text.encode())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def plain(value):
    """Return a value that was read as Python's own reader gives it."""
    if isinstance(value, GoObject):
        return {key: plain(inner) for key, inner in value}
    if isinstance(value, Number):
        return int(value)
    return [plain(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.slow
@given(value=VALUES, ascii_only=st.booleans())
def test_whatever_is_written_is_read_back(value, ascii_only):
    written = json.dumps(value, ensure_ascii=ascii_only)
    try:
        encoded = written.encode()
    except UnicodeEncodeError:
        return  # Half of a surrogate pair is no text.
    assert plain(first_value(encoded + b" and more")) == value


def outcome(read, *arguments):
    """What a reader gives, or the text of its error."""
    try:
        return read(*arguments)
    except GoJsonError as error:
        return str(error)


@pytest.mark.slow
@given(value=VALUES, ascii_only=st.booleans(), at=st.integers(0, 60), byte=st.sampled_from('{}[]",:.e-0N\\u\x01 '))
def test_the_short_way_is_the_scanners(value, ascii_only, at, byte):
    """Whatever a character is changed to."""
    text = json.dumps([value], ensure_ascii=ascii_only)
    text = text[:at] + byte + text[at + 1 :]
    if not text[0].isspace():
        data = text.encode("utf-8", "surrogatepass")
        assert outcome(first_value, data) == outcome(scanned, data.decode("utf-8", "replace"), 0)


def nested(depth):
    return b"[" * depth + b"]" * depth


def test_the_depth_that_is_read_does_not_hang_on_the_caller():
    assert first_value(nested(READABLE_DEPTH))


@pytest.mark.parametrize(
    ("data", "depth"),
    [
        *[(nested(depth), depth) for depth in (READABLE_DEPTH + 1, 800, 1_500)],
        *[(b"[%b,%b]" % (nested(READABLE_DEPTH), beside), READABLE_DEPTH + 1) for beside in (b"1", b"[]", b"[[]]")],
    ],
    ids=["one more", "800", "1,500", "beside a number", "beside an empty list", "beside a list"],
)
def test_the_deepest_of_several_containers_counts(data, depth):
    with pytest.raises(NestedTooDeeplyError, match=f"{depth} containers"):
        first_value(data)


@pytest.mark.parametrize(
    ("depth", "sentence"),
    [
        (800, "the answer has 800 containers nested in each other; at most 200 are read here, though kube-scheduler "
              "reads 10000"),
    ],
)  # fmt: skip
def test_words(depth, sentence):
    with pytest.raises(NestedTooDeeplyError) as refused:
        first_value(nested(depth))
    assert str(refused.value) == sentence
