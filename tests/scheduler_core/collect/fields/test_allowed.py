"""What leaves a cluster: the fields of the allow-list, from objects that have everything, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from scheduler_core.collect.fields.allowed import (
    ALLOWED,
    ANNOTATIONS,
    AllowedField,
    PlainNames,
    allowed_paths,
    comparable,
    is_kept_event,
    projected,
)
from scheduler_core.collect.fields.pseudonyms import Pseudonyms
from scheduler_core.collect.server.discovery import GROUPS
from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.field_guide.guide import field_guide
from scheduler_core.manifests.field_guide.model import UNREAD, Part
from scheduler_core.manifests.kinds.registry import KINDS
from scheduler_core.manifests.kinds.unplayed import UNPLAYED
from scheduler_core.manifests.masking.secrets import MASK
from tests.scheduler_core.collect.fields.marked import NEVER, leaves, marked, names_in, not_allowed

if TYPE_CHECKING:
    from collections.abc import Mapping

PLAIN = PlainNames()


def test_every_kind_that_is_collected_has_its_fields():
    assert set(ALLOWED) == set(GROUPS)
    assert [kind for kind in ALLOWED if "metadata.name" not in dict(allowed_paths(kind))] == []


# What the readers ask for and what no decision that is played depends on: names of ports, notes for people, what is a
# driver's own, and volumes that exclude nothing. Drivers have no names of their own.
STAYING = {("ports", "name"), ("onPodConditions", "reason"), ("opaque", "parameters"), ("PriorityClass", "description")}
WITHOUT_METADATA = ("CSIDriver",)


def lacking(kind: str) -> list[tuple[str, ...]]:
    """Paths of fields that the guide says are read, and that the allow-list lacks."""
    parts, out = field_guide().parts, []

    def look(part: Part, allowed: Mapping[str, AllowedField], path: tuple[str, ...], above: tuple[str, ...]) -> None:
        for name, field in part.items():
            is_known = name in ("apiVersion", "kind") or field.says == UNREAD or field.part == "AnySource"
            if is_known or (path[-1], name) in STAYING or (path[-1:] == ("metadata",) and kind in WITHOUT_METADATA):
                continue
            own = allowed.get(name)
            if own is None:
                out.append((*path, name))
            elif own.part is not None and field.part and field.part not in above:
                look(parts[field.part], own.part, (*path, name), (*above, field.part))

    look(field_guide().kinds[kind], ALLOWED[kind], (kind,), ())
    return out


@pytest.mark.parametrize("kind", sorted(ALLOWED.keys() & KINDS.keys()))
def test_what_is_read_leaves(kind):
    assert lacking(kind) == []


@pytest.mark.parametrize("kind", ALLOWED)
def test_nothing_outside_of_the_allow_list_leaves(kind):
    out = projected(kind, "v1", marked(kind, "v1"), PLAIN)
    assert not_allowed(kind, out) == []
    forbidden = {path for path, _ in leaves(out) if names_in(path) & set(NEVER)}
    # "secret" and the like are names of labels here and there, never of fields.
    assert forbidden == set()
    text = json.dumps(out)
    assert not [name for name in NEVER if f".{name}>" in text or f".{name}." in text.replace("[]", "")]


TREES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.just("MARK")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["metadata", "spec", "status", "name", "labels", "annotations", "containers", "template", "volumes",
                 "env", "args", "csi", "conditions", "message", "managedFields", "manager", "x", "resources", "key"]
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=25,
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(kind=st.sampled_from(sorted(ALLOWED)), spec=TREES, status=TREES, metadata=TREES, other=TREES)
def test_no_shape_of_an_object_lets_more_leave(kind, spec, status, metadata, other):
    raw = {"metadata": metadata, "spec": spec, "status": status, "data": other, "message": other, "value": other}
    out = projected(kind, "v1", raw, PLAIN)
    assert not_allowed(kind, out) == []
    assert not_allowed(kind, projected(kind, "v1", raw, Pseudonyms(b"k"))) == []


def test_of_managed_fields_the_managers_leave_the_newest_first():
    out = projected("Pod", "v1", marked("Pod", "v1"), PLAIN)
    assert out["metadata"]["managedFields"] == [{"manager": "kubelet"}, {"manager": "helm"}]


NODE_MAKERS = {f"{kind}.{group}": kind for kind, group in GROUPS.items() if f"{kind}.{group}" in UNPLAYED}
MAKING_NODES = sorted(name for name in NODE_MAKERS if UNPLAYED[name].reads)


@pytest.mark.parametrize("name", MAKING_NODES)
def test_of_what_makes_nodes_the_fields_leave_that_groups_are_read_from(name):
    leaving = {path.replace("[]", "") for path, _ in allowed_paths(NODE_MAKERS[name])}
    read = {path.replace("/*", "").replace("/", ".") for path in UNPLAYED[name].reads}
    assert {path for path in leaving if not path.startswith("metadata.")} == read
    assert set(UNPLAYED[name].annotations) <= set(ANNOTATIONS)


def test_pseudonyms_keep_keys_and_effects_of_labels_and_taints_in_a_text():
    key = "capacity.cluster-autoscaler.kubernetes.io/"
    given = {f"{key}labels": "kubernetes.io/arch=arm64,team=x-files", f"{key}taints": "team=x-files:NoSchedule,odd"}
    of = {"name": "a", "annotations": given, "labels": {"team": "x-files"}}
    out = projected("MachineSet", "machine.openshift.io/v1beta1", {"metadata": of}, Pseudonyms(b"k"))["metadata"]
    team = out["labels"]["team"]
    assert team != "x-files"
    assert out["annotations"][f"{key}labels"] == f"kubernetes.io/arch=arm64,team={team}"
    assert out["annotations"][f"{key}taints"].startswith(f"team={team}:NoSchedule,")


def test_annotations_that_are_read_leave_and_no_others():
    given = dict.fromkeys(ANNOTATIONS, "v") | {"acme.com/note": "x"}
    out = projected("PersistentVolumeClaim", "v1", {"metadata": {"name": "a", "annotations": given}}, PLAIN)
    assert set(out["metadata"]["annotations"]) == set(ANNOTATIONS)


def test_volumes_that_decide_nothing_stay_as_a_whole():
    volumes = [
        {"name": "token", "projected": {"sources": []}},
        {"name": "s", "secret": {"secretName": "x"}},
        {"name": "h", "hostPath": {"path": "/etc"}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "data-0"}},
    ]
    out = projected("Pod", "v1", {"metadata": {"name": "a"}, "spec": {"volumes": volumes}}, PLAIN)
    assert out["spec"]["volumes"] == volumes[3:]


@pytest.mark.parametrize("text", ["token=abc", "https://u:p@host/x", "AKIAABCDEFGHIJKLMNOP", "-----BEGIN KEY"])
def test_sentences_that_look_like_secrets_are_masked(text):
    status = {"conditions": [{"type": "Ready", "status": "False", "message": text}]}
    out = projected("Node", "v1", {"metadata": {"name": "a"}, "status": status}, PLAIN)
    assert out["status"]["conditions"][0]["message"] == MASK
    event = {"metadata": {"name": "e"}, "reason": "Scheduled", "message": text, "count": 2}
    out = projected("Event", "v1", event, PLAIN)
    assert (out["message"], out["count"], out["reason"]) == (MASK, 2, "Scheduled")


def test_events_of_schedulers_and_evictions_leave():
    reasons = ["FailedScheduling", "Scheduled", "Preempted", "Evicted", "TaintManagerEviction", "FailedCreate",
            "TriggeredScaleUp", "TriggerScaleUp", "NotTriggerScaleUp", "Nominated"]  # fmt: skip
    assert [reason for reason in [*reasons, "Pulled", "", None, 3] if is_kept_event({"reason": reason})] == reasons


def test_heartbeats_and_who_wrote_are_no_change():
    def state(version, at, managers):
        conditions = [{"type": "Ready", "status": "True", "lastHeartbeatTime": at}]
        fields = [{"manager": one} for one in managers]
        metadata = {"name": "a", "resourceVersion": version, "managedFields": fields}
        return comparable(projected("Node", "v1", {"metadata": metadata, "status": {"conditions": conditions}}, PLAIN))

    assert state("1", "2026-01-01T00:00:00Z", ["kubelet"]) == state("2", "2026-01-01T00:05:00Z", ["x", "kubelet"])


def test_what_leaves_is_read_as_the_object_itself():
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "a", "labels": {"zone": "z"}},
        "spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}], "providerID": "aws://x"},
        "status": {"allocatable": {"cpu": "4", "pods": "10"}, "images": [{"names": ["x:1"], "sizeBytes": 5}]},
    }
    spec = {
        "containers": [{"name": "c", "image": "x:1", "resources": {"requests": {"cpu": "1"}}, "env": [{"name": "A"}]}],
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z"]}]}]}}},
        "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "tolerationSeconds": 3}],
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                                       "labelSelector": {"matchLabels": {"app": "a"}}}],
        "priority": 7, "schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 5,
    }  # fmt: skip
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "d", "labels": {"app": "a"}},
        "spec": spec,
    }
    raws = [node, pod]
    whole = load_manifests(raws).objects
    left = load_manifests([projected(one["kind"], "v1", one, PLAIN) for one in raws]).objects
    assert (left.nodes, left.pods) == (whole.nodes, whole.pods)
