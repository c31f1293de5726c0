"""What the files say themselves of a pod of theirs."""

from __future__ import annotations

import pytest
import yaml

from scheduler_core.explain.input_evidence import InputEvidence
from scheduler_core.manifests import LoadResult, ManifestSource, load_cluster

SAID, BEFORE, AFTER = "2026-11-28T10:00:01Z", "2026-11-28T09:00:00Z", "2026-11-28T11:00:00Z"
REAL = "0/1 nodes are available: 1 Insufficient cpu."
OURS = REAL.replace("cpu", "memory")


def files(bound: str = BEFORE, node: str = BEFORE) -> LoadResult:
    """A pod that the real scheduler refused at SAID, one bound at ``bound``, a node made at ``node``."""
    container = {"name": "c", "image": "i"}
    refused = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": REAL}
    waits = {
        "metadata": {"name": "waits", "namespace": "default"},
        "spec": {"containers": [container]},
        "status": {"conditions": [{**refused, "lastTransitionTime": SAID}]},
    }
    other = {
        "metadata": {"name": "other", "namespace": "default", "creationTimestamp": bound},
        "spec": {"containers": [container], "nodeName": "n1"},
    }
    metadata = {"name": "n1", "creationTimestamp": node}
    objects = [
        {"apiVersion": "v1", "kind": "Pod", **waits},
        {"apiVersion": "v1", "kind": "Pod", **other},
        {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": {"cpu": "4"}}},
    ]
    return load_cluster([ManifestSource("files.yaml", yaml.safe_dump_all(objects).encode())])


def doubted(loaded: LoadResult, ours: str = OURS, node: str = "") -> tuple[str, ...]:
    """The objects that the doubt names, () where there is none."""
    evidence = InputEvidence(loaded, "default/waits")
    real = evidence.real_report(ours, node)
    assert real is not None
    doubt = evidence.doubt(real)
    assert doubt is None or (doubt.code, doubt.concerns) == ("MESSAGE_OLDER", "message")
    return () if doubt is None else doubt.objects.names


@pytest.mark.parametrize(
    ("times", "names"),
    [
        ({}, ()),
        ({"bound": AFTER}, ("v1/Pod/default/other",)),
        ({"node": AFTER}, ("v1/Node//n1",)),
        ({"bound": AFTER, "node": AFTER}, ("v1/Pod/default/other", "v1/Node//n1")),
        ({"bound": SAID, "node": SAID}, ()),
    ],
)
def test_a_message_is_doubted_where_something_came_after_it(times: dict[str, str], names: tuple[str, ...]) -> None:
    assert doubted(files(**times)) == names


def test_a_message_that_is_the_same_is_not_doubted() -> None:
    assert doubted(files(bound=AFTER), ours=REAL) == ()
    assert doubted(files(bound=AFTER), ours="", node="n1") == ("v1/Pod/default/other",)


def test_a_pod_that_is_not_in_the_files_has_no_report() -> None:
    evidence = InputEvidence(files(), "default/none")
    assert (evidence.real_report("", ""), evidence.departure) == (None, None)
