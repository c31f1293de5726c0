"""Histories of our own engine, held against themselves: every binding in the tie set; and planted differences."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.reality import (
    HeldDecision,
    OtherConfiguration,
    Reality,
    RealityOptions,
    ready_configurations,
    reality,
)
from scheduler_core.explain.reality.reading_record import real_record
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.bundle.reading import open_bundle, open_files
from scheduler_core.manifests.masking.bundles import masked_bundle
from scheduler_core.profiles.presets import PRESETS
from scheduler_core.simulate import RunInputs
from tests.live_cluster.history import BEGAN, Plan, Step, Truth, delivered, files_of, gap, history, meta_of, stamp

CROWDED = Plan(seed=1, n_nodes=5, n_pods=60, seconds=60, lifetime=40, share_high=0.25)
PLAIN = Plan(seed=2, n_nodes=6, n_pods=24, seconds=60, node_changes=1, share_high=0.0, spread=False)
MOST_ALLOCATED = PRESETS["most-allocated"]


_MADE: dict[str, Truth] = {}


def truth(plan: Plan) -> Truth:
    if repr(plan) not in _MADE:
        _MADE[repr(plan)] = history(plan)
    return _MADE[repr(plan)]


def compared(
    of: Truth, seed: int = 1, *, free_run: bool = False, steps: list[Step] | None = None, **fields: Any
) -> Reality:
    """The comparison of a history as it was received; ``fields`` of the meta, ``others`` of the options."""
    others = fields.pop("others", [])
    configuration = fields.pop("with_configuration", None)
    received = delivered(of.steps, seed) if steps is None else steps
    bundle = open_files("b", files_of(of, received, meta_of(of, **fields)))
    inputs = RunInputs(objects=ClusterObjects())
    if configuration is not None:
        inputs = RunInputs(objects=ClusterObjects(), configuration=configuration)
    options = RealityOptions(inputs=inputs, configuration="of a test", others=others, with_free_run=free_run)
    return reality(bundle, options)


def edited(of: Truth, edit: Callable[[Step], Step | None]) -> Truth:
    """The history with each step edited, or left out."""
    steps = [edit(step._replace(object=copy.deepcopy(step.object))) for step in of.steps]
    return of._replace(steps=[step for step in steps if step is not None])


def on_node(of: Truth, pod: str, node: str) -> Truth:
    """The history with a pod bound to another node."""

    def edit(step: Step) -> Step:
        raw = step.object
        if raw["kind"] == "Pod" and f"shop/{raw['metadata']['name']}" == pod and raw["spec"].get("nodeName"):
            raw["spec"]["nodeName"] = node
        return step

    return edited(of, edit)


def decision(report: Reality, pod: str, what: str = "binding") -> HeldDecision:
    return next(one for one in report.decisions if one.pod == pod and one.what == what)


def cause_of(report: Reality, pod: str) -> str:
    return decision(report, pod).cause


def a_lower_node(report: Reality, of: Truth, at: int = 5) -> tuple[str, str]:
    """A pod and a node that fits it and is not among the best when it is bound."""
    for pod, node in of.bindings[at:]:
        one = decision(report, pod)
        others = [raw["metadata"]["name"] for raw in of.objects if raw["kind"] == "Node"]
        for other in others:
            if other == node or other in one.ours:
                continue
            again = compared(on_node(of, pod, other))
            if decision(again, pod).standing == "lower":
                return pod, other
    raise AssertionError("the history has no such pod")


@cache
def lower() -> tuple[str, str]:
    return a_lower_node(compared(truth(PLAIN)), truth(PLAIN))


# ---------------------------------------------------------------- what agrees


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_every_decision_is_one_of_ours_on_the_state_before_it(seed: int) -> None:
    of = truth(CROWDED)
    report = compared(of, seed)
    assert report.counted("binding") == len(of.bindings) > 30
    assert report.counted("binding", "agree", "chance") == len(of.bindings)
    assert report.counted("message") == report.counted("message", "agree", "chance") > 10
    assert [(one.pod, one.node) for one in report.decisions if one.what == "binding"] == of.bindings


def test_nominations_and_victims_are_compared_too() -> None:
    nominating = [one for one in compared(truth(CROWDED)).decisions if one.real_nominated]
    assert len(nominating) >= 3
    assert all(one.nominated and set(one.victims) == set(one.real_victims) for one in nominating)


def test_an_attempt_that_found_the_same_again_is_a_repeat() -> None:
    of = truth(CROWDED)
    report = compared(of)
    failed = sum(step.is_event and step.object["reason"] == "FailedScheduling" for step in of.steps)
    messages = [one for one in report.decisions if one.what == "message"]
    assert len(messages) + sum(one.repeats for one in messages) == failed


@pytest.mark.long
def test_a_large_history_agrees_binding_by_binding() -> None:
    plan = Plan(
        seed=5, n_nodes=1_000, n_pods=26_000, seconds=3_600, lifetime=900, node_changes=2_000, cached=True,
        share_high=0.1,
    )  # fmt: skip
    of = truth(plan)
    assert sum(not step.is_event for step in of.steps) >= 100_000
    report = compared(of, 3)
    assert report.counted("binding", "agree", "chance") == len(of.bindings) >= 25_000
    assert report.counted("message", "agree", "chance") == report.counted("message") >= 2_500
    assert sum(bool(one.real_victims) for one in report.decisions) >= 100


def test_a_bundle_with_its_secrets_masked_has_the_same_record() -> None:
    of = truth(CROWDED)
    bundle = open_files("b", files_of(of, delivered(of.steps, 1)))
    masked = open_bundle(ManifestSource("b", masked_bundle(bundle)[0]))
    assert real_record(masked) == real_record(bundle)


# ---------------------------------------------------------------- each cause


def test_a_moved_binding_has_no_cause_and_all_six_were_looked_at() -> None:
    pod, node = lower()
    report = compared(on_node(truth(PLAIN), pod, node))
    one = decision(report, pod)
    assert (one.verdict, one.cause, one.standing) == ("differ", "no cause found", "lower")
    assert [test.cause for test in one.tests] == [
        "version", "configuration", "missing kind", "chance", "order", "gap",
    ]  # fmt: skip
    assert one.bound is not None
    assert one.bound.points
    assert report.causes["no cause found"] >= 1


def test_the_rules_of_the_clusters_version_are_followed() -> None:
    # The history was decided by the rules of 1.34.
    assert compared(truth(PLAIN), server_version="v1.34.5").counted("binding", "differ") == 0
    other = compared(truth(PLAIN), server_version="v1.36.2")
    assert other.follows == "1.36.2"
    assert other.causes["no cause found"] == other.counted("binding", "differ") > 0
    assert compared(truth(PLAIN), server_version="unknown").follows == "1.36"


def test_the_version_that_the_cluster_had_then_is_tried_from_its_moment_on() -> None:
    of = truth(PLAIN)
    now = compared(of, server_version="v1.36.2", versions=((BEGAN, "v1.34.5"),))
    one = next(one for one in now.decisions if one.verdict == "differ")
    named = next(test for test in one.tests if test.cause == "version")
    assert (one.cause, named.tested, named.explains) == ("version", True, True)
    assert set(now.causes) == {"version"}
    later = compared(of, server_version="v1.36.2", versions=((BEGAN + 50_000, "v1.34.5"),))
    assert set(later.causes) == {"no cause found"}


@pytest.mark.slow
def test_another_configuration_is_named_by_the_bundle_or_by_most_decisions() -> None:
    plan = PLAIN._replace(configuration=MOST_ALLOCATED.configuration())
    of = truth(plan)
    other = OtherConfiguration("that of the bundle", MOST_ALLOCATED.configuration(), is_known=True)
    for others in ([other], ready_configurations()):
        report = compared(of, others=others)
        causes = Counter(one.cause for one in report.decisions if one.verdict == "differ")
        assert causes["configuration"] >= 5
        assert set(causes) == {"configuration"}
    assert compared(of, with_configuration=MOST_ALLOCATED.configuration()).counted("binding", "differ") == 0


def test_a_ready_configuration_is_not_named_for_a_single_difference() -> None:
    pod, node = lower()
    report = compared(on_node(truth(PLAIN), pod, node), others=ready_configurations())
    assert "configuration" not in report.causes


def test_a_missing_kind_is_named_where_the_pod_depends_on_it() -> None:
    pod, node = lower()

    def with_claim(step: Step) -> Step:
        raw = step.object
        if raw["kind"] == "Pod" and f"shop/{raw['metadata']['name']}" == pod:
            raw["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        return step

    of = edited(truth(PLAIN), with_claim)
    claims = gap("NO_RIGHTS", "claims may not be listed", kind="PersistentVolumeClaim")
    report = compared(of, gaps=(claims,))
    named = next(test for test in decision(report, pod).tests if test.cause == "missing kind")
    assert cause_of(report, pod) == "missing kind"
    assert (named.tested, named.explains) == (True, True)
    elsewhere = gap("NO_RIGHTS", "claims may not be listed", kind="PersistentVolumeClaim", namespace="other")
    assert cause_of(compared(on_node(of, pod, node), gaps=(elsewhere,)), pod) == "no cause found"
    other = gap("NO_RIGHTS", "devices may not be listed", kind="ResourceClaim")
    unrelated = compared(on_node(truth(PLAIN), pod, node), gaps=(other,))
    assert cause_of(unrelated, pod) == "no cause found"


@pytest.mark.slow
def test_a_binding_turned_round_with_its_neighbour_is_of_the_order() -> None:
    of = truth(PLAIN._replace(n_pods=120, seconds=6, n_nodes=4, lifetime=600))
    bound = [at for at, step in enumerate(of.steps) if _binds(step)]
    for first, second in pairwise(bound):
        a, b = of.steps[first], of.steps[second]
        if b.t - a.t > 0.05 or a.object["spec"]["nodeName"] != b.object["spec"]["nodeName"]:
            continue
        report = compared(_swapped(of, first, second), steps=_swapped(of, first, second).steps)
        differing = [one for one in report.decisions if one.verdict == "differ" and one.what == "binding"]
        if differing:
            assert {one.cause for one in differing} == {"order"}
            assert all(next(t for t in one.tests if t.cause == "order").explains for one in differing)
            return
    pytest.fail("no two neighbours of this history depend on each other")


def _binds(step: Step) -> bool:
    raw = step.object
    return raw["kind"] == "Pod" and bool(raw["spec"].get("nodeName")) and raw["status"]["phase"] == "Pending"


def _swapped(of: Truth, first: int, second: int) -> Truth:
    """The history in which the second binding was written just before the first one."""
    steps = list(of.steps)
    later = steps.pop(second)
    steps.insert(first, later._replace(t=steps[first].t))
    return of._replace(steps=[step._replace(rv=101 + at) for at, step in enumerate(steps)])


@pytest.mark.parametrize(("kind", "apart"), [("Pod", "gap"), ("", "gap"), ("PersistentVolume", "")])
def test_a_decision_inside_a_gap_is_not_comparable(kind: str, apart: str) -> None:
    of = truth(PLAIN)
    lost = gap("SERVER_AWAY", "no answer", kind=kind, since=BEGAN, until=BEGAN + 30)
    decisions = [one for one in compared(of, gaps=(lost,)).decisions if one.at < BEGAN + 29]
    assert decisions
    assert {one.apart for one in decisions} == {apart}


@pytest.mark.slow
def test_a_search_that_ended_with_some_nodes_is_chance() -> None:
    of = truth(PLAIN._replace(n_nodes=120, n_pods=130, lifetime=600, cached=True, sampled=True))
    report = compared(of)
    sampled = [one for one in report.decisions if one.standing == "lower"]
    assert report.counted("binding", "agree", "chance") == len(of.bindings)
    assert sampled
    assert {(one.verdict, one.cause) for one in sampled} == {("chance", "chance")}
    assert all(next(test for test in one.tests if test.cause == "chance").explains for one in sampled)


# ---------------------------------------------------------------- clocks


def _without_conditions(step: Step) -> Step:
    """Every third pod's failures are told of by events alone, as where no condition was written."""
    raw = step.object
    if raw["kind"] == "Pod" and int(raw["metadata"]["uid"].rpartition("-")[2]) % 3 == 0:
        conditions = raw["status"].pop("conditions", [])
        raw["status"]["conditions"] = [one for one in conditions if one["type"] != "PodScheduled"]
    return step


def _with_clocks(steps: list[Step], clock: float, receipts: float, counter: int) -> list[Step]:
    """The steps as received where events have times of another clock, were received later, and have versions of
    another counter."""
    moved = []
    for step in steps:
        if step.is_event:
            raw = copy.deepcopy(step.object)
            raw["eventTime"] = stamp(step.t + clock)
            if "series" in raw:
                raw["series"]["lastObservedTime"] = stamp(step.t + clock)
            step = Step(step.t + receipts, step.rv + counter, step.type, raw)
        moved.append(step)
    return moved


def _verdicts(report: Reality) -> dict[tuple[str, str, str], list[tuple[str, str]]]:
    out: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for one in report.decisions:
        nominated = f"{one.real_nominated} {one.real_victims}"
        out.setdefault((one.pod, one.what, f"{one.node}{nominated}"), []).append((one.verdict, one.apart))
    return out


CLOCKS = [(600, 0, 0), (-90, 7, 0), (0, 240, 0), (-20, 0, -40)]
MORE_CLOCKS = [(-600, 0, 0), (0, -50, 0), (300, 5, 50_000), (9, -9, 400)]


@cache
def by_events() -> tuple[list[Step], Reality]:
    """The crowded history in which events alone tell of some failures, as it was received, and its comparison."""
    of = edited(truth(CROWDED), _without_conditions)
    steps = delivered(of.steps, 1)
    return steps, compared(of, steps=steps)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clock", "receipts", "counter"), [*CLOCKS, *(pytest.param(*one, marks=pytest.mark.long) for one in MORE_CLOCKS)]
)
def test_events_of_other_clocks_give_the_same_verdicts_or_none(clock: float, receipts: float, counter: int) -> None:
    steps, before = by_events()
    after = compared(truth(CROWDED), steps=_with_clocks(steps, clock, receipts, counter))
    assert sum(one.what == "message" and one.verdict != "not_comparable" for one in before.decisions) > 10
    assert sum(bool(one.real_victims) for one in before.decisions) >= 3
    assert before.counted("message", "differ") == before.counted("binding", "differ") == 0
    there, seen = _verdicts(before), _verdicts(after)
    assert set(there) == set(seen)
    for name, verdicts in seen.items():
        for was, now in zip(there[name], verdicts, strict=True):
            assert now in (was, ("not_comparable", "clocks")), name
    if counter == 0 and abs(receipts) <= 15:
        assert "clocks" not in after.apart


# ---------------------------------------------------------------- not comparable, first divergence


def test_pods_that_no_scheduler_of_ours_placed_are_not_compared() -> None:
    def edit(step: Step) -> Step:
        raw = step.object
        if raw["kind"] == "Pod" and raw["metadata"]["name"] == "app-0-3":
            raw["spec"]["schedulerName"] = "volcano"
        return step

    of = edited(truth(PLAIN), edit)
    pods = {raw["metadata"]["name"] for raw in (step.object for step in of.steps) if raw["kind"] == "Pod"}
    name = next(pod for pod in pods if pod.endswith("-3"))

    def foreign(step: Step) -> Step:
        raw = step.object
        if raw["kind"] == "Pod" and raw["metadata"]["name"] == name:
            raw["spec"]["schedulerName"] = "volcano"
        return step

    report = compared(edited(truth(PLAIN), foreign))
    assert decision(report, f"shop/{name}").apart == "other_scheduler"
    assert report.apart == {"other_scheduler": 1}


def test_a_free_run_says_where_it_leaves_the_history() -> None:
    of = truth(PLAIN)
    first = compared(of, free_run=True).divergence
    if first is not None:
        assert first.real != first.ours
        assert first.tied > 1  # of its own history only a draw can lead elsewhere
    pod, node = lower()
    moved = compared(on_node(of, pod, node), free_run=True)
    assert moved.divergence is not None
    assert moved.divergence.number <= [one for one, _ in of.bindings].index(pod)
