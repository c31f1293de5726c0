"""Situations whose right answer is known: the cause, the first remedy, and what must not be said; on fields.

The second source is in the files: each case's answer was worked out by hand, its remedies by running kube-scheduler's
rules on the changed objects (tests/cases/diagnosis/README.md).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.diagnosis_cases import CASES, FOLDER, answer, answer_on, node_of, objects_with, strings

if TYPE_CHECKING:
    from pathlib import Path

each_case = pytest.mark.parametrize("name", CASES)


def first_remedy(name: str) -> dict[str, Any]:
    return dict(answer(name)["remedies"]["verified"][0])


@each_case
def test_the_cause_is_the_one_that_is_known_to_be_right(name: str) -> None:
    cause, right = answer(name)["cause"], CASES[name]["cause"]
    assert {field: cause[field] for field in ("codes", "stage", "actor")} == {
        field: right[field] for field in ("codes", "stage", "actor")
    }
    assert (cause["opens"]["names"], cause["opens"]["count"]) == (right["opens"], len(right["opens"]))
    assert [one["object"] for one in cause["obstacles"]] == right["objects"]
    assert [one["codes"] for one in (*cause["either"], *cause["also"])] == right["also"]


@each_case
def test_the_first_remedy_is_one_that_somebody_should_carry_out(name: str) -> None:
    remedy, right = first_remedy(name), CASES[name]["remedy"]
    assert {field: remedy[field] for field in ("code", "actor", "assumed")} == right
    for pattern in CASES[name]["never_first"]:
        assert not re.search(pattern, remedy["text"], re.IGNORECASE), f"{remedy['text']}: says {pattern}"


@each_case
def test_what_decides_is_said_and_what_is_false_is_not(name: str) -> None:
    whole = "\n".join(strings(answer(name)))
    for alternatives in CASES[name]["says"]:
        assert any(re.search(one, whole, re.IGNORECASE) for one in alternatives), f"lacks {alternatives}"
    head = answer(name)["cause"]["text"]
    for pattern in CASES[name]["never_in_head"]:
        assert not re.search(pattern, head, re.IGNORECASE), f"{head}: says {pattern}"


@each_case
def test_with_the_edits_of_the_first_remedy_the_pod_is_bound(name: str, tmp_path: Path) -> None:
    edits = first_remedy(name)["edits"]
    assert edits
    assert all(edit["op"] for edit in edits)
    assert node_of(name, objects_with(name, []), tmp_path) is None, "it waits without them"
    assert node_of(name, objects_with(name, edits), tmp_path) is not None


@each_case
def test_the_edits_of_every_remedy_can_be_made_in_the_files(name: str) -> None:
    for remedy in answer(name)["remedies"]["verified"]:
        assert objects_with(name, remedy["edits"]) != objects_with(name, []), remedy["text"]


@each_case
def test_no_remedy_names_a_change_twice_or_undoes_what_kubernetes_does_by_itself(name: str) -> None:
    for remedy in answer(name)["remedies"]["verified"]:
        parts = re.split(r" and |, ", remedy["text"].lower())
        assert len(parts) == len(set(parts)), remedy["text"]
        places = [(edit["op"], edit["object"], edit["path"]) for edit in remedy["edits"]]
        assert len(places) == len(set(places)), remedy["text"]
        assert "unschedulable" not in remedy["text"]


# --- pods that have a node -------------------------------------------------------------------------------------------
def test_a_placed_pod_is_told_by_its_placement() -> None:
    timeline = str(FOLDER / "2-placed-late.timeline.yaml")
    document = answer_on(["2-placed-late.yaml"], "--pod", "default/q", "--timeline", timeline)
    assert document["cause"] is None
    placement = document["placement"]
    assert (placement["node"], placement["attempt"]) == ("green", 2)
    assert 10_000_000 <= placement["at"] < 12_000_000, "when it was bound, not when the run ended"
    assert document["pending"]["attempts"][-1]["node"] == "green"


def test_the_victim_of_a_preemption_was_chosen_by_its_start_and_its_replacement_has_nowhere_to_go() -> None:
    document = answer_on(["a01-daemonset-victim.yaml"], "--pod", "default/vip")
    assert (document["cause"], document["placement"]["node"]) == (None, "wk1")
    (edge,) = document["preemptions"]["edges"]
    assert edge["victim"].endswith("/agent-bbbbb")
    going, staying = document["victims"]
    assert (going["pod"], going["goes"], staying["goes"]) == (edge["victim"], True, False)
    assert staying["pod"].startswith("default/floaty")
    assert {going["decided_by"], staying["decided_by"]} == {"start"}
    assert ("10:00:00" in staying["start"], "11:00:00" in going["start"]) == (True, True)
    assert (going["may_be_on"], going["fits_on"]) == (["wk1"], "")
    assert "wk2" in staying["may_be_on"]
    assert not any("chance" in text for text in strings(document))
