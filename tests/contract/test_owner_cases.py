"""Owners whose pods or rollouts are stuck (tests/cases/owners); a twin differs in a field and ends otherwise."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from scheduler_core.engine.kubelet_rules import KubeletRule
from scheduler_core.explain.report import WhyReport
from scheduler_core.explain.rollouts.answer import report_of_owner
from scheduler_core.explain.sessions import TrialsOf
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.engine.consequences.rollout_runs import inputs_of, node, workload

CASES = Path(__file__).parents[1] / "cases" / "owners"
NAMES = sorted(path.stem for path in CASES.glob("*.yaml"))
ROOT = Path(__file__).parents[2]
OWNER = "default/web"


@cache
def case(name: str) -> dict[str, Any]:
    return yaml.safe_load((CASES / f"{name}.yaml").read_text())


def twin(given: dict[str, Any]) -> dict[str, Any]:
    changed = copy.deepcopy(given)
    ((path, value),) = given["twin"]["set"].items()
    at: Any = changed
    *steps, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    for step in steps:
        at = at[step]
    at[last] = value
    assert changed != given
    return {**changed, "end": given["twin"]["end"]}


def report(given: dict[str, Any]) -> WhyReport | None:
    """Why of the workload at the end of the case's run."""
    nodes = [node(f"n{i}", cpu) for i, cpu in enumerate(given["nodes"], 1)]
    spec, entries = dict(given["workload"]), []
    changes = [{"at": "10s", **given["change"]}] if "change" in given else []
    for entry in [*changes, *given.get("then", [])]:
        if "object" in entry:
            entries.append({"action": "add", **entry})
            continue
        spec |= {key: value for key, value in entry.items() if key != "at"}
        entries.append({"at": entry["at"], "action": "update", "object": workload(**copy.deepcopy(spec))})
    objects = [*nodes, *given.get("others", []), workload(**copy.deepcopy(given["workload"]))]
    kubelets = msgspec.convert(given.get("kubelets", ()), tuple[KubeletRule, ...])
    inputs = inputs_of(objects, entries, quotas="play", limit_ranges="play", kubelets=kubelets)
    return report_of_owner(TrialsOf(recorded(inputs), inputs), OWNER, lambda: False)


def check(answer: WhyReport | None, end: dict[str, Any]) -> None:
    if not end["state"]:
        assert answer is None, answer.pending.because.title if answer is not None else ""
        return
    assert answer is not None
    assert answer.cause is not None
    assert (answer.pending.state, list(answer.cause.codes)) == (end["state"], end["codes"])
    for status in ("verified", "not_enough"):
        if status in end:
            assert answer.remedies is not None
            assert [one.code for one in getattr(answer.remedies, status)] == end[status]
    if answer.rollout is not None:
        state = answer.rollout
        counted = {"updated": state.new.available, "pending": len(state.pending)}
        counted |= {"not_ready": len(state.not_ready), "unmade": state.new.unmade}
        assert {name: counted[name] for name in end["counts"]} == end["counts"]
        assert state.is_too_late == end.get("late", state.is_too_late)
    else:
        assert answer.cause.text.startswith(str(end["counts"]["unmade"]))


@pytest.mark.parametrize("name", NAMES)
def test_the_owner_stands_as_it_should_and_its_twin_otherwise(name: str) -> None:
    given = case(name)
    check(report(given), given["end"])
    other = twin(given)
    check(report(other), other["end"])
    assert given["end"]["state"] != other["end"]["state"]


@pytest.mark.parametrize("name", NAMES)
def test_the_source_is_there(name: str) -> None:
    source = ROOT / case(name)["source"]
    assert source.exists() or not (ROOT / "../shared").is_dir()
