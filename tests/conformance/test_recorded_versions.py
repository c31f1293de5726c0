"""Each version decides as its kube-scheduler was recorded, and without a behaviour that it has, or with one that it has
not, some recorded file comes out otherwise.

All that is kept here runs in the usual setting of the engine; the other settings, and what else is at hand, are long.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from scheduler_core.cli.runs.conformance import scenario_files
from scheduler_core.versions import semantics
from scheduler_core.versions.behaviours import BEHAVIOURS
from scheduler_core.versions.trains import TRAINS, find_train
from tests.conformance.test_recorded_decisions import check
from tests.scheduler_core.decided import HERE

KEPT_HERE = Path(__file__).parent / "versions"
AT_HAND = Path(__file__).parents[2].parent / "shared" / "conformance-versions"
VERSIONS = ("1.33.10", "1.34.1", "1.35.6", "1.36.2")
# {behaviour: the file that comes out otherwise when it is switched, and where another one does in some versions}.
WITNESSES: dict[str, tuple[str, dict[str, str]]] = {
    "taint_is_named": ("softtaint/softtaint-005", {}),
    "devices": ("odd/odd-053", {}),
    "device_ranks_score": ("odd/odd-009", {}),
    "too_small_is_unresolvable": ("odd/odd-033", {}),
    "merged_selector_stays": ("nssel/nssel-065", {}),
    "terminating_victims_deleted_again": ("nomin/nomin-061", {}),
    "backoff_by_attempts": ("qback/qback-017", {}),
    "pods_in_node_order": ("pdbs/pdbs-025", {}),
    "binding_sends_no_delete": ("qnom/qnom-037", {}),
    "balance_by_change": ("softtaint/softtaint-005", {"1.33.10": "plres/plres-017", "1.34.1": "plres/plres-001"}),
    "image_volumes_count": ("img/img-049", {}),
    "declared_features": ("odd/odd-053", {}),
    "affinity_hints_see_more": ("qnom/qnom-041", {}),
    "pod_level_resources": ("plres/plres-021", {"1.33.10": "plres/plres-017"}),
    "claim_conflict_says_same_name": ("wffc/wffc-045", {}),
    "preemption_names_placement": ("plres/plres-021", {"1.33.10": "prio/prio-013"}),
}
# A plugin that a version does not have has no score.
WITHOUT_EFFECT = {("device_ranks_score", "1.33.10")}


def names(folder: Path) -> list[str]:
    paths = scenario_files(folder) if folder.is_dir() else []
    return [path.relative_to(folder).as_posix() for path in paths]


@pytest.mark.slow
@pytest.mark.parametrize("name", names(KEPT_HERE))
def test_as_recorded_of_each_version(name: str) -> None:
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
def test_the_other_recordings_of_versions_at_hand(name: str) -> None:
    check(AT_HAND / name)


def test_every_behaviour_that_these_recordings_show_has_a_witness() -> None:
    here = "tests/conformance/test_recorded_versions.py"
    assert {row.name for row in BEHAVIOURS.values() if row.test == here} - WITNESSES.keys() == set()


def switched(name: str, version: str) -> Any:
    """The behaviour's row with the version on the other side."""
    row, train = BEHAVIOURS[name], find_train(version).name
    holds = {one for one, of in TRAINS.items() if row.gate in of.gates and of.gates[row.gate].is_on}
    holds |= set(row.holds_in)
    return msgspec.structs.replace(row, holds_in=tuple(holds ^ {train}), gate="")


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", WITNESSES)
def test_with_a_behaviour_switched_a_recorded_file_comes_out_otherwise(monkeypatch, name: str, version: str) -> None:
    usual, others = WITNESSES[name]
    path = KEPT_HERE / version / f"{others.get(version, usual)}.json.gz"
    check(path)
    monkeypatch.setitem(BEHAVIOURS, name, switched(name, version))
    semantics.behaviours_of.cache_clear()
    try:
        if (name, version) in WITHOUT_EFFECT:
            check(path)
        else:
            with pytest.raises(AssertionError):
                check(path)
    finally:
        monkeypatch.undo()
        semantics.behaviours_of.cache_clear()
