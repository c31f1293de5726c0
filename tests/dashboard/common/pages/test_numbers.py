"""Figures read as the house writes them."""

from __future__ import annotations

import pytest

from dashboard.common.pages import numbers


@pytest.mark.parametrize(
    ("milli", "text"),
    [
        (0, "0"),
        (500, "500m"),
        (1000, "1"),
        (1500, "1.5"),
        (64000, "64"),
        (-250, "-250m"),
        (999999, "999.999"),
        (87626674, "87,627"),
        (None, "unknown"),
    ],
)
def test_cpu(milli, text):
    assert numbers.cpu(milli) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (512, "512"),
        (2 * 2**30, "2Gi"),
        (16_656_830_464, "15.5Gi"),
        (1536 * 2**20, "1.5Gi"),
        (2**80, "1,048,576Ei"),
        (None, "unknown"),
    ],
)
def test_memory(count, text):
    assert numbers.memory(count) == text


@pytest.mark.parametrize(
    ("value", "resource", "text"),
    [
        (1500, "cpu", "1.5"),
        (2**30, "memory", "1Gi"),
        (2**21, "hugepages-2Mi", "2Mi"),
        (8, "nvidia.com/gpu", "8"),
        (1100, "pods", "1,100"),
    ],
)
def test_amount(value, resource, text):
    assert numbers.amount(value, resource) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (38, 100, "38 %"),
        (0, 100, "0 %"),
        (1, 1000, "<1 %"),
        (999, 1000, ">99 %"),
        (5, 4, "125 %"),
        (0, 0, "0 %"),
        (1, 0, "unknown"),
        (None, 1, "unknown"),
    ],
)
def test_percent(part, whole, text):
    assert numbers.percent(part, whole) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.000084, "84 µs"),
        (0.00084, "0.84 ms"),
        (0.131, "131 ms"),
        (1.25, "1.2 s"),
        (250, "4 min 10 s"),
        (7500, "2 h 5 min"),
        (0, "0 s"),
        (None, "unknown"),
    ],
)
def test_duration(seconds, text):
    assert numbers.duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59.4, "59 s"), (90, "2 min"), (3599, "60 min"), (9000, "2 h")]
)
def test_an_estimate_has_one_unit(seconds, text):
    assert numbers.roughly(seconds) == text


@pytest.mark.parametrize(("value", "text"), [(6, "+6"), (-1500, "\N{MINUS SIGN}1,500"), (0, "0"), (None, "unknown")])
def test_signed(value, text):
    assert numbers.signed(value) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1_200_000_000, "1.2 GB"), (32_000_000, "32 MB")]
)
def test_data_size(count, text):
    assert numbers.data_size(count) == text


@pytest.mark.parametrize("value", [0, -1, 999, 1000, 2**53, 2**53 + 1, -(2**63), 10**30])
def test_whole_numbers_keep_all_their_digits(value):
    assert int(numbers.grouped(value).replace(",", "")) == value


@pytest.mark.parametrize(
    ("count", "many", "text"),
    [
        (1, "runs", "1 run"),
        (0, "runs", "0 runs"),
        (1, "entries", "1 entry"),
        (1, "matches", "1 match"),
        (1500, "changed objects", "1,500 changed objects"),
        (1, "", "1 "),
    ],
)
def test_a_count_of_one_takes_the_singular(count, many, text):
    assert numbers.counted(count, many) == text
