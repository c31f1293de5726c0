"""What an upgrade changes, and the behaviours that bring it."""

from __future__ import annotations

from itertools import combinations

import pytest

from scheduler_core.compare.upgrade.attribution import VersionChoice
from scheduler_core.compare.upgrade.lines import headline, report_lines
from scheduler_core.compare.upgrade.report import RunStopped, upgrade_report, version_side, versions_of
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.versions.gates import GateError
from scheduler_core.versions.semantics import behaviours_of
from scheduler_core.versions.trains import VersionError
from tests.scheduler_core.compare.upgrade.clusters import generated, inputs_of, node, pod, recorded


def sides(a: str, b: str):
    return version_side(a), version_side(b)


def report_of(inputs: RunInputs, a: str = "1.34", b: str = "1.36"):
    return upgrade_report(inputs, sides(a, b), recorded)


def decided_by(inputs: RunInputs, reader, cycle: int, pod_key: str, behaviours) -> VersionChoice:
    """What the pod is decided on the state of the cycle, restored from the recording, by rules of these behaviours."""
    trials = at_cycle(reader, inputs, cycle)
    simulation = trials.simulation
    simulation.context.behaviours = behaviours
    simulation.context.cluster.classes.reads_later = True
    simulation.frameworks = build_frameworks(simulation.configuration, simulation.context)
    with trials.plainly():
        return VersionChoice.of_trial(trials.attempt(pod_key))


SEEDS = [
    pytest.param(0, marks=pytest.mark.slow),
    pytest.param(1, marks=pytest.mark.slow),
    *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 10)),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_set_that_is_named_alone_brings_the_change_and_no_smaller_one_does(seed):
    inputs = generated(seed)
    report = report_of(inputs)
    mine, other = behaviours_of("1.34"), behaviours_of("1.36")
    before = versions_of(inputs, "1.34")
    reader = recorded(before)
    attributed = [one for one in report.pods if one.reason == "behaviours"]
    assert attributed
    assert not report.n_untried
    for one in attributed[:6]:
        expected = decided_by(before, reader, one.a.cycle, one.pod, other)
        assert decided_by(before, reader, one.a.cycle, one.pod, mine) != expected
        for size in range(len(one.by) + 1):
            for names in combinations(mine.difference(other), size):
                switched = mine.having({name: getattr(other, name) for name in names})
                brings = decided_by(before, reader, one.a.cycle, one.pod, switched) == expected
                assert brings == (names == one.by) or (size == len(one.by) and brings)


@pytest.mark.slow
def test_what_follows_from_an_earlier_difference_links_one_that_is_attributed():
    report = report_of(generated(0))
    follows = [one for one in report.pods if one.reason == "follows"]
    roots = {one.a.cycle for one in report.pods if one.reason == "behaviours"}
    assert follows
    assert {one.follows for one in follows} <= roots
    assert all(one.follows < one.a.cycle for one in follows)


def test_one_version_with_itself_differs_in_nothing():
    report = report_of(generated(3), "1.34", "1.34.2")
    assert not report.differs
    assert (report.pods, report.waits, report.texts, report.behaviours, report.fields) == ((), (), (), (), ())
    assert headline(report).startswith("Nothing differs from 1.34 to 1.34.2: ")


def test_texts_are_counted_by_messages_and_name_what_takes_their_place():
    tainted = {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}
    report = report_of(inputs_of([node("n", spec=tainted), pod("a-0", "1", "1Gi"), pod("a-1", "1", "1Gi")]), "1.34.1")
    assert [(one.text, one.now, one.a, one.b) for one in report.texts] == [
        ("node(s) had untolerated taint {<taint>}", "node(s) had untolerated taint(s)", 2, 0),
        ("node(s) had untolerated taint(s)", "", 0, 2),
    ]
    assert not report.pods
    assert report.differs
    assert headline(report) == "All decisions are the same from 1.34.1 to 1.36; 2 texts of messages differ."


def waits_for_a_hint() -> RunInputs:
    """A pod that a terminating one keeps off the only node."""
    keeps_out = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}}
    ]}}  # fmt: skip
    there = node("n")
    there["metadata"]["labels"] = {"kubernetes.io/hostname": "n"}
    holder = pod("b-0", "1", "1Gi", affinity=keeps_out, nodeName="n", terminationGracePeriodSeconds=5)
    holder["metadata"]["deletionTimestamp"] = "2025-01-01T00:00:05Z"
    holder["status"] = {"phase": "Running", "startTime": "2025-01-01T00:00:00Z"}
    return inputs_of([there, holder, pod("a-0", "1", "1Gi")])


def test_a_wait_that_a_hint_ends_is_attributed_by_a_run_with_the_hint_alone():
    report = report_of(waits_for_a_hint(), "1.35", "1.36")
    assert not report.pods
    (only,) = report.waits
    assert (only.pod, only.by) == ("shop/a-0", "affinity_hints_see_more")
    assert only.a > 300_000_000 > 10_000_000 > only.b > 0
    assert headline(report) == (
        "All decisions are the same from 1.35 to 1.36; 1 pod waits otherwise by affinity_hints_see_more."
    )


def test_image_volumes_decide_alone_where_all_else_is_equal():
    holder, other = node("n2"), node("n1")
    holder["status"]["images"] = [{"names": ["model:1"], "sizeBytes": 900 << 20}]
    volumes = [{"name": "v", "image": {"reference": "model:1"}}]
    report = report_of(inputs_of([holder, other, pod("a-0", "1", "1Gi", volumes=volumes)]), "1.35", "1.36")
    (only,) = report.pods
    assert (only.a.node, only.b.node, only.reason, only.by) == ("n1", "n2", "behaviours", ("image_volumes_count",))
    counts = {one.name: one.n_pods for one in report.behaviours}
    assert counts["image_volumes_count"] == 1
    assert sum(counts.values()) == 1
    assert ("Pod spec.volumes[].image", "gains meaning", 1) in [(f.field, f.what, f.n_objects) for f in report.fields]


def test_a_search_that_is_broken_off_says_what_it_did_not_try():
    report = upgrade_report(generated(0), sides("1.34", "1.36"), recorded, is_over=lambda: True)
    assert report.n_untried == sum(one.reason == "not tried" for one in report.pods) > 0
    assert not any(one.by for one in report.pods)
    assert report.is_cut


def test_a_run_that_is_ended_leaves_no_report_but_one_with_a_behaviour_alone_its_causes():
    calls = []

    def stops_at(last):
        def run(inputs):
            calls.append(inputs.policies.switched)
            if len(calls) == last:
                raise RunStopped
            return recorded(inputs)

        calls.clear()
        return run

    with pytest.raises(RunStopped):
        upgrade_report(generated(0), sides("1.34", "1.36"), stops_at(2))
    report = upgrade_report(waits_for_a_hint(), sides("1.35", "1.36"), stops_at(3))
    assert calls[2]
    assert (report.is_cut, [one.by for one in report.waits]) == (True, [""])


def test_progress_is_said_of_runs_and_of_causes():
    said = []
    upgrade_report(generated(0), sides("1.34", "1.36"), recorded, say=lambda *one: said.append(one))
    assert [one for one in said if one[0] == "runs"] == [("runs", 0, 2), ("runs", 1, 2)]
    causes = [one for one in said if one[0] == "causes"]
    assert causes
    assert causes[-1][1] == causes[-1][2]


@pytest.mark.parametrize(("version", "gates", "error"), [("x", "", VersionError), ("1.36", "Nope=true", GateError)])
def test_a_version_that_is_none_is_refused(version, gates, error):
    with pytest.raises(error):
        version_side(version, gates)


@pytest.mark.slow
def test_the_lines_have_each_part():
    lines = list(report_lines(report_of(generated(0), "1.34.1")))
    assert {"Behaviours that differ", "The first difference of each pod", "Fields"} <= set(lines)
    assert "  1.36: measured against 1.36.2" in lines
    assert any("balance_by_change (#135573)" in line for line in lines)


def test_an_input_without_a_pod_that_waits_says_that_nothing_was_tried():
    report = report_of(inputs_of([node("n")]))
    assert not report.differs
    assert headline(report) == "Nothing was tried: no pod of this input waits for a node."
