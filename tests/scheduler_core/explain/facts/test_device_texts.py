"""Selectors and facts of devices in words: what the words name, by fields."""

from __future__ import annotations

import pytest

from scheduler_core.explain.facts.device_texts import (
    claim_text,
    devices_in_words,
    given_text,
    rank_text,
    selector_in_words,
)
from scheduler_core.framework.contracts.facts import (
    DeviceClaimFact,
    DeviceCounts,
    DeviceFact,
    DeviceGivenFact,
    DeviceRankFact,
    HeldDevices,
)

OF = "device.capacity['gpu.example.com']"


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (f"{OF}.memory.compareTo(quantity('40Gi')) >= 0", "memory at least 40Gi"),
        (f"{OF}['memory'].compareTo(quantity(\"40Gi\")) < 0", "memory less than 40Gi"),
        ("device.attributes['a.io'].model == 'A100'", "model A100"),
        ("device.attributes['a.io'].model != 'A100'", "model other than A100"),
        ("device.attributes['a.io'].cores >= 8", "cores at least 8"),
        ("device.driver == 'a.io' && device.attributes['a.io'].healthy == true", "driver a.io, healthy true"),
        ("device.attributes['a.io'].model.startsWith('A')", "selector device.attributes['a.io'].model.startsWith('A')"),
        ("device.driver == 'a.io' && size(device.attributes) > 0", "selector device.driver == 'a.io' && "),
    ],
)
def test_a_selector_of_a_common_form_is_said_as_people_say_it(expression: str, said: str) -> None:
    assert selector_in_words(expression).startswith(said)


def test_a_long_selector_is_cut() -> None:
    assert len(selector_in_words("true || " * 100)) < 120


def fact(code: str = "DEVICE_IN_USE", free: int = 1, **fields: object) -> DeviceFact:
    held = (HeldDevices("ml/h", ("n/d1",), ("ml/q",)), HeldDevices("ml/i", ("n/d2", "n/d3")))
    counts = DeviceCounts(of_class=8, matching=4, free=free, tainted=1, together=1, held=held)
    values = {
        "entry": "g",
        "claim": "ml/c",
        "request": "r",
        "classes": ("gpu",),
        "asked": 2,
        "counts": counts,
        **fields,
    }
    return DeviceFact(code=code, **values)  # type: ignore[arg-type]


def test_numbers_of_several_nodes_are_ranges_and_holders_are_counted_once() -> None:
    text = devices_in_words([fact(), fact(free=0), fact()])
    for part in ("class gpu", "0 to 1 of 4", "each of 3 nodes", "needs 2", "3 are held", "ml/q (claim ml/h: n/d1)",
                 "claim ml/i (n/d2 and n/d3), which no pod reserves", "1 is tainted"):  # fmt: skip
        assert part in text


def test_nodes_that_reach_the_same_devices_share_them() -> None:
    assert "1 of 4 is free for 2 nodes, which share them" in devices_in_words([fact(), fact()])


@pytest.mark.parametrize(
    ("one", "parts"),
    [
        (fact("DEVICE_CONSTRAINT", attribute="a.io/numa"), ("at most 1 on one NUMA node", "one value of a.io/numa")),
        (fact("DEVICE_CONSTRAINT", attribute="a.io/rack"), ("at most 1 with one value of a.io/rack",)),
        (fact("DEVICE_CONSTRAINT", attribute="a.io/rack", is_distinct=True), ("different values of a.io/rack",)),
        (fact("DEVICE_TAINTED", taint="sick:NoExecute"), ("sick:NoExecute", "1 of 4 is tainted")),
        (fact("DEVICE_CAPACITY", amounts={"memory": "9Gi"}, left={"memory": "4Gi"}),
         ("memory 9Gi", "left is memory 4Gi")),
        (fact("DEVICE_CAPACITY", amounts={"rate": "9"}), ("no device has such a capacity",)),
        (fact("DEVICE_POOL_INCOMPLETE", pool="d/p", n_slices=1, of_slices=3), ("pool d/p", "1 of 3 slices is there")),
        (fact("DEVICE_POOL_INCOMPLETE", pool="d/p", problem="duplicate"), ("pool d/p: duplicate",)),
        (fact("DEVICE_TOO_MANY"), ("needs 2", "4 devices")),
        (fact("DEVICE_TOO_MANY", request="", asked=40), ("asks for 40", "32")),
        (fact("DEVICE_NONE", asked=0), ("no device of it", "needs all")),
        (fact("DEVICE_SELECTOR", selectors=("true",)), ("8 are there", "4 of them match")),
        (fact("DEVICE_SELECTOR_ERROR", selectors=("x",), device="d/p/1", problem="no", ends_attempt=True),
         ("d/p/1: no", "all nodes")),
        (fact("DEVICE_COUNTERS", fault="sums by name"), ("counters that they share", "sums by name", "followed here")),
    ],
)  # fmt: skip
def test_each_code_names_what_decides(one: DeviceFact, parts: tuple[str, ...]) -> None:
    text = devices_in_words([one])
    assert [part for part in parts if part not in text] == []


def test_claims_are_said_with_their_devices_or_where_these_are() -> None:
    elsewhere = DeviceClaimFact(entry="g", claim="ml/c", problem="x", where={"metadata.name": "n1"}, holders=("ml/q",))
    assert all(part in claim_text(elsewhere) for part in ("ml/c", "entry g", "n1 alone", "ml/q reserved it"))
    assert "x" in claim_text(DeviceClaimFact(entry="g", problem="x"))
    several = tuple(f"p/d{i}" for i in range(5))
    assert given_text(DeviceGivenFact(entry="g", claim="ml/c", devices=several)).startswith("claim ml/c gets 5 devices")
    assert "has p/d0" in given_text(DeviceGivenFact(entry="g", claim="ml/c", devices=several[:1], is_allocated=True))
    rank = rank_text(DeviceRankFact(claim="ml/c", request="r", alternative="small", place=2, points=7))
    assert all(part in rank for part in ("r of claim ml/c", "small", "choice 2", "7"))
