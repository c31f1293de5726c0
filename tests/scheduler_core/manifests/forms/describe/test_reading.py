"""Texts of the real kubectl give the answers that the objects give; nothing else of them is taken over."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random

import pytest

from scheduler_core.explain.pending import attempt_history
from scheduler_core.explain.report import WhyReport, full_report
from scheduler_core.manifests import LoadResult, ManifestSource, load_cluster, masked_source, rewritten
from scheduler_core.manifests.model import LoadError
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunInputs, RunSession
from tests.kubectl import described, needs_kubectl, printed
from tests.scheduler_core.manifests.forms.describe.clusters import Object, failed, made_cluster

POD = "shop/waits-0"
EVERY = ("DESCRIBE_POD_FIELDS", "DESCRIBE_PODS_ON_NODES")


def read(text: str) -> LoadResult:
    loaded = load_cluster([ManifestSource("ticket.txt", text.encode())])
    assert loaded.errors == []
    return loaded


def why(loaded: LoadResult) -> WhyReport:
    inputs = RunInputs(objects=loaded.objects, unplayed=loaded.unplayed, schedule="pending")
    session = RunSession.start(inputs)
    store, is_over = MemoryStore(session.initial_keyframe()), False
    while not is_over:
        is_over = session.advance(max_cycles=100)
        store.add(session.cut_chunk())
    reader = RecordingReader(store)
    history = attempt_history(reader, inputs, POD, reader.head_seq(), "")
    return full_report(reader, inputs, history, 0, lambda: True)


def of_objects(objects: list[Object]) -> WhyReport:
    whole = {"apiVersion": "v1", "kind": "List", "items": objects}
    return why(load_cluster([ManifestSource("objects.json", json.dumps(whole).encode())]))


@needs_kubectl
@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(n, marks=pytest.mark.long) for n in range(5, 100))])
def test_the_text_gives_the_answer_of_the_objects(seed: int) -> None:
    objects = made_cluster(seed)
    expected = of_objects(objects)
    refused = expected.pending.message
    said = [failed(objects[-1], refused)] if refused else []
    # Without a condition, since the pod that finds a node was never refused.
    objects[-1]["status"]["conditions"] = objects[-1]["status"]["conditions"] if refused else []
    loaded = read(described([*objects, *said]))
    answer = why(loaded)
    assert answer.pending.message == refused
    assert (answer.cause and answer.cause.codes) == (expected.cause and expected.cause.codes)
    assert [one.node for one in answer.pending.attempts] == [one.node for one in expected.pending.attempts]
    assert loaded.unplayed.said == ({POD: refused} if refused else {})


@needs_kubectl
def test_values_that_may_be_secret_are_never_taken_over() -> None:
    objects = made_cluster(3)
    noise = {**failed(objects[-1], "MARKER-EVENT"), "reason": "Pulling", "metadata": {"name": "e", "namespace": "shop"}}
    text = described([*objects, failed(objects[-1], "0/1 nodes are available: 1 Insufficient cpu."), noise])
    for marker in ("MARKER-ENV", "MARKER-ARGS", "MARKER-ANNOTATION", "MARKER-EVENT"):
        assert marker in text
    masked = masked_source(ManifestSource("ticket.txt", text.encode()))
    stored, gaps_there = masked.source.data, load_cluster([masked.parsed or masked.source]).unplayed.gaps
    assert {gap.code for gap in gaps_there} >= set(EVERY)
    assert b"MARKER" not in stored
    assert b"fake" not in stored
    assert b"Insufficient cpu" in stored


@needs_kubectl
def test_indentation_quotes_and_text_around_change_nothing() -> None:
    text = described(made_cluster(5))
    plain = rewritten(ManifestSource("f", text.encode())).data
    for prefix in ("    ", "> ", "\t"):
        quoted = "".join(f"{prefix}{line}\r\n" for line in text.split("\n"))
        around = f"It does not start!\n\n$ kubectl describe nodes\n{quoted}\nThanks\n"
        assert rewritten(ManifestSource("f", around.encode())).data == plain


@needs_kubectl
def test_what_is_whole_in_the_input_counts_before_what_a_text_shows() -> None:
    objects = made_cluster(7)
    text = described(objects)
    pods = {"apiVersion": "v1", "kind": "List", "items": [one for one in objects if one["kind"] == "Pod"]}
    both = load_cluster([ManifestSource("t", text.encode()), ManifestSource("p.json", json.dumps(pods).encode())])
    assert both.errors == []
    assert {pod.labels.get("app") for pod in both.objects.pods} == {"web"}
    assert len(both.objects.pods) == len(pods["items"])


@needs_kubectl
def test_gaps_say_what_the_text_lacks() -> None:
    objects = made_cluster(11)
    waiting = objects[-1]
    waiting["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    waiting["spec"]["topologySpreadConstraints"] = [
        {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"}
    ]
    said = failed(waiting, "0/99 nodes are available: 99 Insufficient cpu.")
    loaded = read(described([*objects, said]))
    assert {gap.code for gap in loaded.unplayed.gaps} >= {*EVERY, "DESCRIBE_CLAIMS", "DESCRIBE_NODES"}
    assert all(gap.command.startswith("kubectl ") for gap in loaded.unplayed.gaps)
    of_pod = next(gap for gap in loaded.unplayed.gaps if gap.code == "DESCRIBE_POD_FIELDS")
    assert of_pod.objects == (f"v1/Pod/{POD}",)
    assert "PodTopologySpread" in of_pod.plugins


@needs_kubectl
def test_all_that_is_printed_of_a_pod_is_read() -> None:
    objects = made_cluster(2)
    pod = objects[-1]
    pod["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "waits", "uid": "u", "controller": True}
    ]
    pod["spec"] |= {
        "tolerations": [
            {"operator": "Exists", "effect": "NoExecute"},
            {"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": 30},
        ],
        "topologySpreadConstraints": [
            {
                "maxSkew": 2,
                "topologyKey": "zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {
                    "matchLabels": {"app": "web", "empty": ""},
                    "matchExpressions": [
                        {"key": "t", "operator": "In", "values": ["x", "y"]},
                        {"key": "u", "operator": "NotIn", "values": ["z"]},
                        {"key": "v", "operator": "Exists"},
                        {"key": "w", "operator": "DoesNotExist"},
                    ],
                },
            }
        ],
        "priorityClassName": "system-node-critical",
        "priority": 2000001000,
    }
    pod["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080, "protocol": "UDP"}]
    pod["status"]["nominatedNodeName"] = "n0"
    whole = load_cluster([ManifestSource("p.json", json.dumps(pod).encode())]).objects.pods[0]
    shown = next(one for one in read(described(objects)).objects.pods if one.key == POD)
    for field in ("labels", "tolerations", "priority", "nominated_node_name", "containers", "init_containers"):
        if field == "containers":
            assert [c.ports for c in shown.containers] == [c.ports for c in whole.containers]
            assert [c.requests for c in shown.containers] == [c.requests for c in whole.containers]
        else:
            assert getattr(shown, field) == getattr(whole, field), field
    assert [owner.name for owner in shown.owner_references] == ["waits"]
    (constraint,) = shown.topology_spread_constraints
    (expected,) = whole.topology_spread_constraints
    assert (constraint.max_skew, constraint.topology_key) == (2, "zone")
    assert set(constraint.label_selector.requirements) == set(expected.label_selector.requirements)


@needs_kubectl
@pytest.mark.long
def test_mutated_texts_are_read_or_refused() -> None:
    text = "\n".join([described(made_cluster(seed)) for seed in (1, 4)])
    random = Random(1)
    for _ in range(1_000):
        read_or_refused(mutated(text, random))


def mutated(text: str, random: Random) -> str:
    """The text with lines taken out, doubled, cut, joined, indented otherwise, or with other characters."""
    lines = text.split("\n")
    for _ in range(random.randint(1, 8)):
        i = random.randrange(len(lines))
        kind = random.randrange(6)
        if kind == 0:
            del lines[i : i + random.randint(1, 20)]
        elif kind == 1:
            lines.insert(random.randrange(len(lines)), lines[i])
        elif kind == 2:
            lines[i] = lines[i][: random.randint(0, len(lines[i]))]
        elif kind == 3:
            lines[i] = " " * random.randint(0, 9) + lines[i].strip()
        elif kind == 4:
            lines[i] += lines[(i + 1) % len(lines)]
        else:
            at = random.randint(0, len(lines[i]))
            lines[i] = lines[i][:at] + random.choice(['"', "\0", "9" * 40, ":", "é", "\u202e"]) + lines[i][at:]
        lines = lines or [""]
    return "\n".join(lines)


def read_or_refused(text: str) -> None:
    source = ManifestSource("f", text.encode())
    with suppress(LoadError):
        rewritten(source)
    load_cluster([source])


@pytest.mark.parametrize(
    "text",
    [
        "Name: x\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  t: |\n    Name: x\n    Namespace: y\n",
    ],
)
def test_other_texts_are_not_taken_for_one(text: str) -> None:
    source = ManifestSource("f", text.encode())
    assert rewritten(source) is source


@needs_kubectl
def test_other_kinds_are_passed_over_and_said() -> None:
    objects = made_cluster(1)
    names = {"name": "data", "namespace": "shop"}
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": names, "data": {"a": "b"}}
    text = described(objects) + printed([other], ["describe", "configmap", "data", "-n", "shop"])
    assert "DESCRIBE_OTHERS" in {gap.code for gap in read(text).unplayed.gaps}
