"""Fields: times, amounts, arrivals; wrong ones leave a complaint and a usable value."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.workloads.generator import description as d
from scheduler_core.workloads.generator import fields


def at(raw: Any) -> At:
    return At(raw, ("x",), Sink())


@pytest.mark.parametrize(
    ("raw", "us"),
    [("90s", 90_000_000), (1.5, 1_500_000), ("2m", 120_000_000), ("2 min", 120_000_000), ("1d", 24 * d.HOUR)],
)
def test_times(raw: Any, us: int) -> None:
    assert fields.duration(at(raw)) == us


@pytest.mark.parametrize("raw", ["soon", "-1s", True, [], "400d", "1e9"])
def test_what_is_no_time_is_refused(raw: Any) -> None:
    given = at(raw)
    assert fields.duration(given, 7) == 7
    assert given.sink.failed


@pytest.mark.parametrize(
    ("raw", "amount"),
    [
        ("250m", d.FixedAmount(250)),
        ({"from": "1", "to": "2"}, d.UniformAmount(1_000, 2_000)),
        ({"median": "1", "sigma": 0.5, "minimum": "100m", "maximum": 4}, d.LognormalAmount(1_000, 0.5, 100, 4_000)),
        ({"choices": {"1": 3, 2: 1}}, d.ChoiceOfAmounts((1_000, 2_000), (3.0, 1.0))),
    ],
)
def test_amounts(raw: Any, amount: d.Amount) -> None:
    given = at(raw)
    assert fields.amount(given, "cpu") == amount
    assert given.sink.complaints == []


@pytest.mark.parametrize(
    "raw",
    [{"from": 2, "to": 1}, {"median": 1, "sigma": 9}, {"choices": {1: 0}}, {"choices": []}, {}, [], "1Zi", "9E"],
)
def test_amounts_that_are_refused(raw: Any) -> None:
    given = at(raw)
    fields.amount(given, "cpu")
    assert given.sink.failed


def test_arrivals_take_only_the_fields_of_their_process() -> None:
    given = at({"process": "poisson", "over": "1h", "trough": 1})
    fields.arrivals(given)
    assert [one.path for one in given.sink.complaints] == [("x", "trough")]


def test_bursts_are_limited() -> None:
    given = at({"process": "bursts", "over": "300d", "pods": 1, "every": "1s"})
    fields.arrivals(given)
    assert "100,000 bursts" in given.sink.complaints[0].message


def test_a_list_of_times_is_limited_and_sorted() -> None:
    assert fields.arrivals(at({"process": "list", "times": ["2s", {"at": "1s", "pods": 2}]})) == d.ArrivalProcess(
        process="list", times=(1_000_000, 1_000_000, 2_000_000)
    )
    given = at({"process": "list", "times": [{"at": 1, "pods": 60_000}] * 3})
    fields.arrivals(given)
    assert given.sink.failed


@pytest.mark.parametrize("raw", [None, {"from": 1}, {"from": 1, "to": None}, {"median": None}, {"perCpu": None}])
def test_an_amount_that_is_left_out_is_missing(raw: Any) -> None:
    given = at(raw)
    fields.amount(given, "memory")
    assert given.sink.complaints[0].message == "is missing"
