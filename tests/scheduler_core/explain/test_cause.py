"""The cause of a pod's waiting at a cursor, whatever stage it stands at."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.objects import ClusterObjects, PersistentVolumeClaim, PodGroup, StorageClass, Volume
from scheduler_core.explain.cause import diagnosis_at, diagnosis_of_attempt
from scheduler_core.explain.diagnosis import Diagnosis
from scheduler_core.explain.pending import attempt_history, attempt_shown
from scheduler_core.explain.sessions import TrialsOf
from scheduler_core.framework.plugin_helpers.volume_claims import PROVISIONERS, SELECTED_NODE
from scheduler_core.simulate import Policies, RunInputs, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.explain.ganged import CONFIGURATION, ring, three_nodes
from tests.scheduler_core.explain.pending.pending_pods import diagnosis_in, run

SECOND = 1_000_000
ASKED = "default/p"


def caused(nodes: list, pods: list, entries: tuple = (), attempt: int = 0) -> Diagnosis:
    diagnosis = diagnosis_in(*run(nodes, pods, "p", entries), attempt)
    assert diagnosis is not None
    return diagnosis


# --- before Filter ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fields", "code", "stage"),
    [
        ({"scheduling_gates": ("hold",)}, "GATED", "queue"),
        ({"scheduler_name": "volcano"}, "OTHER_SCHEDULER", "outside"),
        ({"scheduler_name": "default-schduler"}, "UNKNOWN_SCHEDULER", "outside"),
        ({"cpu": "64"}, "TOO_LARGE", "filter"),
    ],
)
def test_each_stage_has_its_code(fields: dict[str, Any], code: str, stage: str) -> None:
    cause = caused([make_node("n")], [make_pod("p", **fields)]).cause
    assert (cause.codes, cause.stage) == ((code,), stage)


def test_a_pod_that_has_a_node_or_is_gone_has_no_cause() -> None:
    assert diagnosis_in(*run([make_node("n")], [make_pod("p")], "p")) is None
    assert diagnosis_in(*run([make_node("n")], [make_pod("p", node_name="n"), make_pod("x")], "p")) is None
    gone = TimelineEntry(at=5 * SECOND, action="delete", object=make_pod("p", cpu="64"))
    assert diagnosis_in(*run([make_node("n")], [make_pod("p", cpu="64")], "p", (gone,))) is None


def test_a_pod_that_was_not_tried_yet_waits_for_its_turn() -> None:
    reader, history = run([make_node("n")], [make_pod("first", priority=9), make_pod("p", cpu="64")], "p")
    first = history.attempts[0].first_seq
    before = attempt_history(reader, history.inputs, ASKED, first)
    diagnosis = diagnosis_at(TrialsOf(reader, before.inputs), before, None)
    assert diagnosis is not None
    assert diagnosis.cause.codes == ("NOT_TRIED_YET",)


def waiting_for_volumes(*claims: PersistentVolumeClaim) -> Diagnosis | None:
    pod = make_pod("p", volumes=tuple(Volume(name=one.name, claim_name=one.name) for one in claims))
    objects = ClusterObjects(
        nodes=[make_node("n")],
        pods=[pod],
        persistent_volume_claims=list(claims),
        storage_classes=[StorageClass(name="disk", provisioner="disk.example")],
    )
    inputs = RunInputs(objects=objects)
    reader = recorded(inputs)
    return diagnosis_in(reader, attempt_history(reader, inputs, ASKED, reader.head_seq()))


def test_a_pod_that_the_input_has_decided_waits_for_the_provisioner_of_its_claim() -> None:
    claim = PersistentVolumeClaim(name="c", storage_class_name="disk", annotations={SELECTED_NODE: "n"})
    annotated = {SELECTED_NODE: "n", PROVISIONERS[0]: "other.example"}
    other = PersistentVolumeClaim(name="d", storage_class_name="disk", annotations=annotated)
    diagnosis = waiting_for_volumes(claim, other)
    assert diagnosis is not None
    assert (diagnosis.cause.codes, diagnosis.cause.stage, diagnosis.cause.actor) == (
        ("PREBIND_WAITS",),
        "prebind",
        "storage",
    )
    assert [(one.object, one.needs) for one in diagnosis.obstacles] == [
        ("v1/PersistentVolumeClaim/default/c", {"node": "n", "provisioner": "disk.example"}),
        ("v1/PersistentVolumeClaim/default/d", {"node": "n", "provisioner": "other.example"}),
    ]


def test_a_nominated_pod_of_the_input_waits_for_the_pods_that_end_there() -> None:
    low = make_pod("low", cpu="4", node_name="n", phase="Running", deletion_timestamp=1.0)
    pod = make_pod("p", cpu="3", priority=9, nominated_node_name="n")
    inputs = RunInputs(
        objects=ClusterObjects(nodes=[make_node("n")], pods=[low, pod]), policies=Policies(terminating="stay")
    )
    reader = recorded(inputs)
    diagnosis = diagnosis_in(reader, attempt_history(reader, inputs, ASKED, reader.head_seq()))
    assert diagnosis is not None
    assert (diagnosis.cause.codes, diagnosis.cause.opens.names) == (("NOMINATED_WAITS",), ("n",))


# --- as of an attempt ------------------------------------------------------------------------------------------------
def test_an_earlier_attempt_is_told_as_things_stood_then() -> None:
    more = TimelineEntry(at=60 * SECOND, action="put", object=make_node("tainted", taints=["x:NoSchedule"]))
    nodes, pods = [make_node("a", cpu="1")], [make_pod("p", cpu="2")]
    assert [one.nodes for one in caused(nodes, pods, (more,), attempt=1).groups] == [("a",)]
    assert {name for one in caused(nodes, pods, (more,)).groups for name in one.nodes} == {"a", "tainted"}


def test_room_that_preemption_clears_is_told_beside_what_filter_says() -> None:
    pods = [make_pod("low", cpu="4", node_name="n"), make_pod("p", cpu="3", priority=9)]
    reader, history = run([make_node("n")], pods, "p")
    first = history.attempts[0]
    then = attempt_history(reader, history.inputs, ASKED, first.last_seq + 1)
    diagnosis = diagnosis_in(reader, then, 1)
    assert diagnosis is not None
    assert (diagnosis.cause.codes, diagnosis.cause.opens.names) == (("NOMINATED_WAITS",), ("n",))
    assert "default/low" in diagnosis.cause.text
    assert [key.code for key in diagnosis.groups[0].obstacles] == ["SHORT_CPU"]
    assert [one.code for one in diagnosis.obstacles] == ["NOMINATED_WAITS", "SHORT_CPU"]


def test_a_policy_that_forbids_preemption_is_a_fact_of_the_shortage() -> None:
    low = make_pod("low", cpu="4", node_name="n")
    never = make_pod("p", cpu="3", priority=9, preemption_policy="Never")
    cause = caused([make_node("n")], [low, never]).cause
    assert cause.codes == ("SHORT_CPU",)
    assert "Never" in cause.text
    same = make_pod("low", cpu="4", node_name="n", priority=9)
    assert "Never" not in caused([make_node("n")], [same, never]).cause.text, "it could evict nobody anyway"


# --- gangs -----------------------------------------------------------------------------------------------------------
def ganged(pods: list, asked: str, least: int = 10) -> Diagnosis:
    objects = ClusterObjects(nodes=three_nodes(), pods=pods, pod_groups=[PodGroup(name="ring", min_member=least)])
    inputs = RunInputs(objects=objects, configuration=CONFIGURATION, timeline=Timeline(), max_virtual_us=30 * SECOND)
    reader = recorded(inputs)
    history = attempt_history(reader, inputs, asked, reader.head_seq())
    diagnosis = diagnosis_at(TrialsOf(reader, inputs), history, attempt_shown(history, 0))
    assert diagnosis is not None
    return diagnosis


@pytest.mark.parametrize("asked", ["p", "p5", "p9"])
def test_every_pod_of_a_gang_without_room_has_the_gang_s_cause(asked: str) -> None:
    solos = [make_pod(f"solo{i}", cpu="1", node_name=f"n{i}") for i in range(2)]
    assert ganged([*solos, *ring(10)], f"default/{asked}").cause.codes == ("GANG_NO_ROOM",)


def test_a_gang_of_too_few_pods_says_so_and_not_what_prefilter_says() -> None:
    diagnosis = ganged(ring(4), ASKED)
    assert (diagnosis.cause.codes, diagnosis.groups) == (("GANG_TOO_FEW",), ())


def test_an_attempt_of_a_pod_that_the_state_does_not_have_is_an_error() -> None:
    reader, history = run([make_node("n")], [make_pod("p", cpu="64")], "p")
    trials = TrialsOf(reader, history.inputs).at_cycle(1)
    with pytest.raises(KeyError):
        diagnosis_of_attempt(trials, "default/nobody", [])


def test_an_attempt_that_fits_on_the_state_that_it_found_failed_for_another_reason() -> None:
    reader, history = run([make_node("n")], [make_pod("p")], "p")
    trials = TrialsOf(reader, history.inputs).at_cycle(1)
    diagnosis = diagnosis_of_attempt(trials, ASKED, [], "boom")
    assert diagnosis is not None
    assert diagnosis.cause.codes == ("PLUGIN_FAILED",)
    assert "boom" in diagnosis.cause.text
