"""Pods whose specs are remembered have the secrets that each has when it is searched alone."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.manifests.masking.pods import EntrySecrets
from scheduler_core.manifests.masking.secrets import secrets_of_entry


def pod(token: str = "kube-api-access-x", node: str = "n-1", **spec: Any) -> dict[str, Any]:
    mounts = [{"name": token, "mountPath": "/var/run"}]
    container = {"name": "c", "env": [{"name": "A", "value": "hunter2"}], "volumeMounts": mounts}
    volumes = [{"name": token, "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]
    body = {"containers": [container], "volumes": volumes, "nodeName": node, **spec}
    metadata = {"name": "p", "annotations": {"password": "hunter2"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}


PODS = [
    pod(),
    pod("kube-api-access-y", "n-2"),
    pod("kube-api-access-y", "env"),
    pod(node="a-b", containers=[{"a-b": [{"name": "A", "value": "hunter2"}]}]),
    pod(node="env", containers=[{"env": [{"name": "A", "value": "hunter2"}]}]),
    pod(node="x-y", **{"x-y": {"env": [{"name": "A", "value": "hunter2"}]}}),
    pod(node="z-y", **{"z-y": {"env": [{"name": "A", "value": "hunter2"}]}}),
    pod(hostname="a-b", containers=[{"args": ["a-b"]}]),
    pod(hostname="", containers=[{"args": [""]}]),
    pod(hostname="c-d", containers=[{"args": ["c-d"]}]),
    pod(node="pass-word", volumes=[{"csi": {"volumeAttributes": {"pass-word": "x"}}}]),
    pod(node="x-token", volumes=[{"csi": {"volumeAttributes": {"x-token": "x"}}}]),
    pod(node="a-b", volumes=[{"ephemeral": {"volumeClaimTemplate": {"metadata": {"annotations": {"a-b": "x"}}}}}]),
    pod(node="c-token", volumes=[{"ephemeral": {"template": {"metadata": {"annotations": {"c-token": "x"}}}}}]),
    pod(volumes="kube-api-access-x"),
    {**pod(), "metadata": None, "extra": {"command": ["hunter2"]}},
    {**pod(), "apiVersion": "serving.knative.dev/v1"},
    {**pod(), "spec": [{"args": ["hunter2"]}]},
]


@pytest.mark.parametrize("first", PODS)
def test_a_pod_has_its_own_secrets_whatever_came_before(first: dict[str, Any]) -> None:
    for second in PODS:
        search = EntrySecrets("", "")
        for one in (first, second, first):
            assert sorted(search.of(one), key=str) == sorted(secrets_of_entry(one, "", ""), key=str)


def test_pods_of_a_list_that_gives_their_kind_are_searched_as_pods() -> None:
    untyped = {name: value for name, value in pod().items() if name in ("metadata", "spec")}
    secrets = EntrySecrets("Pod", "v1").of(untyped)
    assert {secret.path for secret in secrets} == {
        ("metadata", "annotations", "password"),
        ("spec", "containers", 0, "env", 0, "value"),
    }
