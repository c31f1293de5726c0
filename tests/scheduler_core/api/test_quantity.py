"""Quantities against apimachinery's resource.Quantity: exact, rounded up, capped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.api.quantity import (
    INT64_MAX,
    QuantityError,
    canonical,
    format_quantity,
    int_value,
    milli_value,
    parse_quantity,
)


@pytest.mark.parametrize(
    ("text", "milli", "whole"),
    [
        ("1", 1000, 1),
        ("500m", 500, 1),
        ("0.1", 100, 1),
        (".5", 500, 1),
        ("5.", 5000, 5),
        ("1n", 1, 1),
        ("1u", 1, 1),
        ("2Ki", 2_048_000, 2048),
        ("1.5Gi", 1_610_612_736_000, 1_610_612_736),
        ("3k", 3_000_000, 3000),
        ("1e3", 1_000_000, 1000),
        ("1E-2", 10, 1),
        ("-1", -1000, -1),
        ("+2", 2000, 2),
        ("1E", INT64_MAX, 10**18),
        ("100E", INT64_MAX, INT64_MAX),
    ],
)
def test_values_are_rounded_up_and_capped(text, milli, whole):
    assert (milli_value(text), int_value(text)) == (milli, whole)


@pytest.mark.parametrize(
    "text", ["", " 1", "1 Gi", "1.5.5", "NaN", "0x10", "4cores", "1KI", "K", "\uff11", "1e1000000000", "9" * 65]
)
def test_other_texts_are_refused(text):
    with pytest.raises(QuantityError):
        parse_quantity(text)


def test_slips_get_the_right_spelling():
    with pytest.raises(QuantityError, match="Write 4Gi"):
        parse_quantity("4 GiB")
    with pytest.raises(QuantityError, match="Write 1500"):
        parse_quantity("1,500")


@given(st.sampled_from(["cpu", "memory"]), st.integers(0, 10**15))
def test_formatted_values_are_read_back(resource, value):
    assert canonical(resource, format_quantity(resource, value)) == value
