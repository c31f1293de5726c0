"""What may be secret is found by its place, and what scheduling reads stays as it is."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from scheduler_core.manifests import load_manifests
from scheduler_core.manifests.masking.marks import holds_no_secret
from scheduler_core.manifests.masking.secrets import DRIVERS, MASK, OTHER_KINDS, mask, secrets

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "p",
        "labels": {"token": "a-label-stays"},
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": '{"apiVersion":"v1"}',
            "vault.example.org/token": "t0p",
            "example.org/note": "nothing to hide",
            "example.org/url": "https://me:pw@example.org",
            "kubernetes.io/config.mirror": "secret-looking-but-read",
        },
    },
    "spec": {
        "nodeSelector": {"secret": "node"},
        "tolerations": [{"key": "token", "operator": "Equal", "value": "stays"}],
        "initContainers": [{"name": "i", "image": "i", "env": [{"name": "A", "value": "a"}]}],
        "containers": [
            {
                "name": "c",
                "image": "i",
                "command": ["sh", "-c"],
                "args": ["--password=x"],
                "env": [{"name": "B", "value": "b"}, {"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "f"}}}],
                "resources": {"requests": {"cpu": "2"}},
                "livenessProbe": {
                    "httpGet": {"port": 1, "httpHeaders": [{"name": "Authorization", "value": "Bearer"}]}
                },
                "lifecycle": {"preStop": {"exec": {"command": ["bye"]}}},
            }
        ],
    },
}


def masked(raw: dict[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    copied = copy.deepcopy(raw)
    return copied, mask(copied)


def test_values_are_masked_and_names_stay() -> None:
    raw, counts = masked(POD)
    container = raw["spec"]["containers"][0]
    assert counts == {"annotations": 3, "environment variables": 2, "commands and arguments": 5}
    assert container["env"] == [{"name": "B", "value": MASK}, POD["spec"]["containers"][0]["env"][1]]
    assert container["command"] == [MASK, MASK]
    assert container["livenessProbe"]["httpGet"]["httpHeaders"] == [{"name": "Authorization", "value": MASK}]
    assert raw["metadata"]["annotations"] == {
        "kubectl.kubernetes.io/last-applied-configuration": MASK,
        "vault.example.org/token": MASK,
        "example.org/note": "nothing to hide",
        "example.org/url": MASK,
        "kubernetes.io/config.mirror": "secret-looking-but-read",
    }


def test_what_scheduling_reads_stays() -> None:
    raw, _ = masked(POD)
    (before,), (after,) = (load_manifests([one]).objects.pods for one in (POD, raw))
    names = [name for name in before.__struct_fields__ if name != "annotations"]
    assert [getattr(before, name) for name in names] == [getattr(after, name) for name in names]


def test_templates_of_workloads_are_masked() -> None:
    template = {"metadata": POD["metadata"], "spec": POD["spec"]}
    raw = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": template}}
    masked_object, counts = masked(raw)
    assert counts == masked(POD)[1]
    assert masked_object["spec"]["template"]["spec"]["containers"][0]["args"] == [MASK]


@pytest.mark.parametrize("kind", ["Secret", "ConfigMap", "PasswordVault"])
def test_of_a_kind_that_is_not_read_only_the_name_stays(kind: str) -> None:
    raw = {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "s", "namespace": "n", "uid": "u"},
        "data": {"k": "v"},
    }
    masked_object, counts = masked(raw)
    assert counts == {OTHER_KINDS: 1}
    assert masked_object == {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "s", "namespace": "n", "uid": MASK},
        "data": {"k": MASK},
    }


def test_lists_are_opened_typed_ones_too() -> None:
    bare = {name: value for name, value in POD.items() if name not in ("kind", "apiVersion")}
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"a": "x", "b": "y"}}
    plain, counts = masked({"apiVersion": "v1", "kind": "List", "items": [POD, secret, secret]})
    assert counts == {**masked(POD)[1], OTHER_KINDS: 2}
    assert plain["items"][1]["data"] == {"a": MASK, "b": MASK}
    assert masked({"apiVersion": "v1", "kind": "PodList", "items": [bare]})[1] == masked(POD)[1]


def test_a_key_of_another_project_s_kind_of_the_same_name_is_masked() -> None:
    raw = {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"a": 1}}
    assert masked(raw)[0]["spec"] == {"a": MASK}


def test_an_event_of_a_scheduler_keeps_whom_it_is_about_when_and_what_was_said() -> None:
    about = {"kind": "Pod", "namespace": "shop", "name": "web", "uid": "u1", "resourceVersion": "7"}
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "web.1", "namespace": "shop", "annotations": {"a": "b"}},
        "reason": "FailedScheduling",
        "message": "0/1 nodes are available: 1 Insufficient cpu.",
        "involvedObject": about,
        "source": {"component": "default-scheduler", "host": "master-0"},
        "lastTimestamp": "2024-05-01T12:00:00Z",
    }
    masked_object, counts = masked(event)
    assert counts == {OTHER_KINDS: 1}
    masked_parts = {
        "metadata": {"name": "web.1", "namespace": "shop", "annotations": {"a": MASK}},
        "involvedObject": {**about, "resourceVersion": MASK},
        "source": {"component": MASK, "host": MASK},
    }
    assert masked_object == {**event, **masked_parts}
    assert masked({**event, "message": "password: hunter2"})[0]["message"] == MASK
    assert masked({**event, "message": {"deep": "hunter2"}})[0]["message"] == {"deep": MASK}
    for reason in ("Evicted", "FailedCreate", "TriggeredScaleUp"):
        assert masked({**event, "reason": reason})[0]["message"] == event["message"]
    assert masked({**event, "reason": "Pulled"})[0]["message"] == MASK


def test_what_is_masked_already_is_counted_and_stays() -> None:
    raw, counts = masked(POD)
    again, same = masked(raw)
    assert (again, same) == (raw, counts)


@pytest.mark.parametrize("value", [None, "text", 3, [], [None, "x"], {"kind": 3}, {"kind": "List", "items": "x"}])
def test_what_is_no_object_does_no_harm(value: Any) -> None:
    assert all(one.path for one in secrets(value))
    if isinstance(value, dict | list):
        mask(copy.deepcopy(value))


def test_of_a_record_of_gaps_what_it_says_stays_and_nothing_else() -> None:
    gap = {"code": "C", "text": "no zone is printed", "plugins": ["VolumeZone"], "command": "kubectl get pv"}
    record = {
        "apiVersion": "schedscope/v1",
        "kind": "InputForm",
        "metadata": {"name": "kubectl describe"},
        "gaps": [gap, {"text": "password: abc", "other": "x"}],
        "more": "y",
    }
    masked = copy.deepcopy(record)
    mask(masked)
    assert masked["gaps"] == [gap, {"text": MASK, "other": MASK}]
    assert masked["more"] == MASK


def of_devices(kind: str, **parts: Any) -> dict[str, Any]:
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": "a"}, **parts}


OPAQUE = {
    "driver": "gpu.example.com",
    "parameters": {
        "apiVersion": "gpu.example.com/v1",
        "kind": "GpuConfig",
        "sharing": {"strategy": "TimeSlicing", "auth": [{"token": "abc", "replicas": 4}, "password=x"]},
        "credentials": {"user": "u", "pin": 12},
    },
}
MASKED = {
    **OPAQUE,
    "parameters": {
        **OPAQUE["parameters"],
        "sharing": {"strategy": "TimeSlicing", "auth": [{"token": MASK, "replicas": 4}, MASK]},
        "credentials": {"user": MASK, "pin": MASK},
    },
}


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("DeviceClass", lambda config: {"spec": {"config": [{"opaque": config}]}}),
        ("ResourceClaim", lambda config: {"spec": {"devices": {"config": [{"opaque": config}]}}}),
        ("ResourceClaim", lambda config: {"status": {"allocation": {"devices": {"config": [{"opaque": config}]}}}}),
        ("ResourceClaim", lambda config: {"status": {"devices": [{"driver": "d", "data": config["parameters"]}]}}),
        ("ResourceClaimTemplate", lambda config: {"spec": {"spec": {"devices": {"config": [{"opaque": config}]}}}}),
    ],
)
def test_what_configures_drivers_is_masked_where_it_looks_secret(kind: str, place: Any) -> None:
    value = copy.deepcopy(of_devices(kind, **place(OPAQUE)))
    assert not holds_no_secret(yaml.safe_dump(value).encode())
    assert mask(value) == {DRIVERS: 4}
    assert value == of_devices(kind, **place(MASKED))
    assert mask(value) == {DRIVERS: 4}


def test_attributes_capacities_and_counters_of_devices_stay_whatever_their_names() -> None:
    texts = {f"example.com/{name}": {"string": "token: x"} for name in ("env", "parameters", "secretToken", "args")}
    texts |= {name: {"string": "password=abc"} for name in ("parameters", "options", "metadata", "opaque")}
    device = {"name": "d", "attributes": texts, "capacity": {"token": {"value": "1"}}}
    counters = [{"name": "c", "counters": {"secret": {"value": "4"}}}]
    value = of_devices("ResourceSlice", spec={"devices": [device], "sharedCounters": counters})
    before = copy.deepcopy(value)
    assert (mask(value), value) == ({}, before)
