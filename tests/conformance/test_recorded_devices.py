"""Devices are allocated as recorded of each version, and without a behaviour that it has some file comes out otherwise.

All that is kept here runs in the usual setting of the engine; the other settings, and what else is at hand, are long.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler_core.versions import semantics
from scheduler_core.versions.behaviours import BEHAVIOURS
from tests.conformance.test_recorded_decisions import check
from tests.conformance.test_recorded_versions import names, switched
from tests.scheduler_core.decided import HERE

KEPT_HERE = Path(__file__).parent / "devices"
AT_HAND = Path(__file__).parents[2].parent / "shared" / "conformance-dra"
# {behaviour: the file that comes out otherwise when it is switched}.
WITNESSES = {
    "claims_get_devices": "1.34.8/messages/unknown-mode",
    "class_config_names_requests": "1.34.8/prio/config-sub",
    "pools_counted_whole": "1.35.6/messages/many-reasons",
    "all_in_later_alternatives": "1.36.2/prio/all-both",
    "device_taints": "1.36.2/extended/tainted",
    "device_counters": "1.36.2/counters/duplicate-set",
    "device_capacity": "1.36.2/capacity/same-claim-twice",
    "device_extended_resources": "1.36.2/extended/fit-scoring",
    "device_binding_conditions": "1.36.2/binding/order",
    "device_ranks_score": "1.35.6/score/list-and-exact",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", names(KEPT_HERE))
def test_as_recorded(name: str) -> None:
    check(KEPT_HERE / name)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("engine", HERE[1:])
@pytest.mark.parametrize("name", names(KEPT_HERE))
def test_as_recorded_in_the_other_settings(name: str, engine: str) -> None:
    check(KEPT_HERE / name, engine)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(names(AT_HAND)) - set(names(KEPT_HERE))))
def test_the_other_recordings_at_hand(name: str) -> None:
    check(AT_HAND / name)


def test_every_behaviour_that_these_recordings_show_has_a_witness() -> None:
    here = "tests/conformance/test_recorded_devices.py"
    assert {row.name for row in BEHAVIOURS.values() if row.test == here} <= WITNESSES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", WITNESSES)
def test_with_a_behaviour_switched_a_recorded_file_comes_out_otherwise(monkeypatch, name: str) -> None:
    path = KEPT_HERE / f"{WITNESSES[name]}.json.gz"
    check(path)
    monkeypatch.setitem(BEHAVIOURS, name, switched(name, WITNESSES[name].split("/")[0]))
    semantics.behaviours_of.cache_clear()
    try:
        with pytest.raises(AssertionError):
            check(path)
    finally:
        monkeypatch.undo()
        semantics.behaviours_of.cache_clear()
