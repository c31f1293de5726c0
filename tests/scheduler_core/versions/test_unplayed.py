"""Each change that some version has on by default is played, listed as not played, or switches nothing here."""

from __future__ import annotations

from scheduler_core.versions.semantics import PLAYED_GATES
from scheduler_core.versions.trains import NAMES, TRAINS
from scheduler_core.versions.unplayed import SETTLED, UNPLAYED, unplayed_in


def test_every_gate_that_is_on_somewhere_has_one_place():
    on = {name for train in TRAINS.values() for name, gate in train.gates.items() if gate.is_on}
    places = [*PLAYED_GATES, *(row.gate for row in UNPLAYED if row.gate), *SETTLED]
    assert sorted(places) == sorted(on)


def test_rows_are_whole_and_named_once():
    assert len({row.name for row in UNPLAYED}) == len(UNPLAYED)
    for row in UNPLAYED:
        assert bool(row.gate) != bool(row.trains), row.name
        assert row.holds_in, row.name
        assert set(row.holds_in) <= set(NAMES)
        assert row.change
        assert row.sentence.endswith(".")
    assert all(SETTLED.values())


def test_a_version_has_what_it_has_on_itself():
    named = {name: {row.name for row in unplayed_in(name)} for name in NAMES}
    assert "batches" in named["1.35"] - named["1.34"]
    assert "writes_in_queue" in (named["1.34.0"] & named["1.35"]) - named["1.34"] - named["1.36"]
    assert {"storage_capacity_scores", "nodes_without_driver"} <= named["1.37"] - named["1.36"]
    assert unplayed_in("v1.37.2+k3s1") == unplayed_in("1.37")
