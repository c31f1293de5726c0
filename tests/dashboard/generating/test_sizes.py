"""Own sizes as rows: which way each amount is chosen, with which fields, and what has none."""

from __future__ import annotations

import pytest

from dashboard.common.problems import BadQuery
from dashboard.generating.sizes import CHOICES, SizeRow, chosen_by, sizes_value
from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.workloads.generator import fields

BASE = ("workloads", 0)


def rows(sizes: object) -> list[SizeRow]:
    """Return the rows of sizes."""
    return [one for one in sizes_value({"sizes": sizes}, BASE).rows if isinstance(one, SizeRow)]


@pytest.mark.parametrize(
    ("amount", "key", "texts"),
    [
        ("500m", "", ["500m"]),
        (2, "", ["2"]),
        (None, "", [""]),
        ({"median": 2, "maximum": "16"}, "median", ["2", "", "", "16"]),
        ({"to": 4, "from": 1}, "from", ["1", "4"]),
        ({"perCpu": "4Gi"}, "perCpu", ["4Gi"]),
    ],
)
def test_an_amount_has_the_fields_of_the_way_it_is_chosen(amount: object, key: str, texts: list[str]) -> None:
    [row] = rows({"memory": amount})
    assert (row.resource, row.key, row.is_foreign) == ("memory", key, False)
    assert [one.text for one in row.fields] == texts


def test_choices_are_pairs_of_an_amount_and_its_weight() -> None:
    [row] = rows({"nvidia.com/gpu": {"choices": {"1": 80, "8": 20.5}}})
    [choices] = row.fields
    assert [(one.key, one.text) for one in choices.pairs] == [("1", "80"), ("8", "20.5")]


@pytest.mark.parametrize("amount", [[1], {}, {"mean": 2}])
def test_an_amount_of_no_known_way_is_foreign(amount: object) -> None:
    [row] = rows({"cpu": amount})
    assert row.is_foreign
    assert row.fields == []


@pytest.mark.parametrize(("sizes", "is_foreign"), [("openb", False), ("openbx", True), ([1], True), (None, False)])
def test_sizes_that_are_no_mapping_have_no_rows(sizes: object, is_foreign: bool) -> None:
    value = sizes_value({"sizes": sizes}, BASE)
    assert (value.is_foreign, value.rows) == (is_foreign, [])


def test_cpu_is_not_offered_for_each_cpu_unless_it_is_written_so() -> None:
    asked, written = rows({"cpu": 1})[0], rows({"cpu": {"perCpu": 1}})[0]
    assert [one.key for one in written.choices if one not in asked.choices] == ["perCpu"]


@pytest.mark.parametrize("key", [one.key for one in CHOICES])
@pytest.mark.parametrize("raw", ["4Gi", {"median": "4Gi"}, {"from": "4Gi", "to": "5Gi"}, {"choices": {"4Gi": 1}}, {}])
def test_every_way_begins_with_an_amount_that_the_generator_takes(key: str, raw: object) -> None:
    sink = Sink()
    fields.amount(At(chosen_by(key, raw), (), sink), "memory")
    assert not sink.failed


def test_no_other_way_is_taken() -> None:
    with pytest.raises(BadQuery):
        chosen_by("mean", "1")
