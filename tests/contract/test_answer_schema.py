"""The stable part of ``why --json`` (docs/diagnosis.md): its keys and types, on every case of a known answer."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from scheduler_core.explain.diagnosis import AnswerDoubt
from scheduler_core.explain.remedies.codes import REMEDIES
from scheduler_core.framework.contracts.obstacles import ACTORS, KINDS, STAGES
from scheduler_core.profiles.obstacle_kinds import kinds_by_plugin
from scheduler_core.profiles.registry import installed
from tests.contract.diagnosis_cases import CASES, FOLDER, answer, answer_on

CAUSE = {
    "codes": list, "plugins": list, "obstacles": list, "opens": dict, "also": list, "either": list, "stage": str,
    "actor": str, "text": str,
}  # fmt: skip
OBSTACLE = {"code": str, "plugin": str, "subject": str, "object": str, "needs": dict, "nodes": dict, "text": str}
PLACEMENT = {"node": str, "at": int, "attempt": int, "runner_up": str, "lead": int, "tied": int, "text": str}
DOUBT = {"code": str, "objects": dict, "concerns": str, "text": str}
NAMED = {"count": int, "names": list}
REMEDY = {"code": str, "actor": str, "opens": list, "text": str, "edits": list}
EDIT = {"op": str, "object": str, "path": str, "value": object}
OBJECT = re.compile(r"[^/]+(/[^/]+)?/[A-Z][A-Za-z]*/[^/]*/[^/]+")
"""apiVersion/Kind/namespace/name."""

each_case = pytest.mark.parametrize("name", CASES)


def check(value: dict[str, Any], types: dict[str, type], *, more: bool = False) -> None:
    """Raise AssertionError for other keys, or further ones unless ``more``, and for other types."""
    assert value.keys() >= types.keys() if more else value.keys() == types.keys()
    assert {key: type(value[key]).__name__ for key in types if not isinstance(value[key], types[key])} == {}


def known_codes() -> set[str]:
    """The published codes, and those that installed plugins declare."""
    return KINDS.keys() | {kind.code for several in kinds_by_plugin(installed()).values() for kind in several}


@each_case
def test_the_cause_and_each_other_reading_have_the_published_fields(name: str) -> None:
    document = answer(name)
    assert document["schema"] == 1
    check(document["cause"], CAUSE)
    for reading in (document["cause"], *document["cause"]["also"], *document["cause"]["either"]):
        check(reading, CAUSE)
        check(reading["opens"], NAMED)
        assert reading["stage"] in STAGES
        assert reading["actor"] in ACTORS
        assert reading["codes"]
        assert reading["text"].endswith((".", "?"))
    for reading in (*document["cause"]["also"], *document["cause"]["either"]):
        assert (reading["also"], reading["either"]) == ([], []), "readings have none of their own"


@each_case
def test_each_obstacle_has_the_published_fields_and_a_published_code(name: str) -> None:
    cause, known_ones = answer(name)["cause"], known_codes()
    for reading in (cause, *cause["also"], *cause["either"]):
        assert set(reading["codes"]) == {one["code"] for one in reading["obstacles"]} <= known_ones
        for obstacle in reading["obstacles"]:
            check(obstacle, OBSTACLE)
            check(obstacle["nodes"], NAMED)
            assert OBJECT.fullmatch(obstacle["object"]), obstacle["object"]
            assert all(isinstance(text, str) for text in obstacle["needs"].values())
    for group in answer(name)["nodes"]:
        assert {code for code, _, _ in group["obstacles"]} <= known_ones


@each_case
def test_each_remedy_has_the_published_fields_and_edits(name: str) -> None:
    for remedy in answer(name)["remedies"]["verified"]:
        check(remedy, REMEDY, more=True)
        assert REMEDIES[remedy["code"]]
        assert remedy["actor"] in ACTORS
        for edit in remedy["edits"]:
            check(edit, EDIT, more=True)
            assert edit["op"] in ("set", "add", "remove")
            assert OBJECT.fullmatch(edit["object"]), edit["object"]
            assert edit["path"] == "" or edit["path"].startswith("/")
            assert edit["value"] is None or edit["op"] != "remove"


@each_case
def test_doubts_stand_at_the_top_alone(name: str) -> None:
    document = answer(name)
    assert isinstance(document["doubts"], list)
    for doubt in document["doubts"]:
        check(doubt, DOUBT)
        assert doubt["concerns"] in ("placement", "counts", "message")
    assert "doubts" not in document["cause"]


def test_a_doubt_names_its_objects() -> None:
    doubt = AnswerDoubt(code="NOT_PLAYED", text="ResourceQuota is not played")
    document = msgspec.to_builtins(doubt)
    check({**document, "objects": dict(document["objects"])}, DOUBT)
    assert document["objects"].keys() == NAMED.keys()


def test_a_placed_pod_has_a_placement_in_the_place_of_a_cause() -> None:
    timeline = str(FOLDER / "2-placed-late.timeline.yaml")
    document = answer_on(["2-placed-late.yaml"], "--pod", "default/q", "--timeline", timeline)
    assert (document["schema"], document["cause"], document["remedies"]) == (1, None, None)
    check(document["placement"], PLACEMENT)


@each_case
def test_a_pod_without_a_node_has_no_placement(name: str) -> None:
    assert answer(name)["placement"] is None
