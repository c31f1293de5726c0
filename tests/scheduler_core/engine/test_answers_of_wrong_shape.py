"""A plugin whose arrays have not one value for each row fails the attempt that asked it, in every setting alike."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np
import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.compiled import without_kernel
from scheduler_core.framework.contracts import plugin as fw
from scheduler_core.framework.contracts.status import SUCCESS, Status
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import IDENTITY, Normalization, Verdicts
from scheduler_core.manifests import config_from_raw
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod

N_NODES = 20
SHAPES = {
    "one value more": lambda n: (n + 1,),
    "none": lambda n: (0,),
    "one": lambda n: (1,),
    "two dimensions": lambda n: (n, 2),
}


class Misshapen(fw.FilterPlugin[fw.NoArgs], fw.ScorePlugin[fw.NoArgs]):
    """Answers for pods whose label "wrong" names a method with arrays of the shape that their label "shape" names."""

    name = "Misshapen"
    Args = fw.NoArgs

    def _shape(self, pod: Any, method: str, n: int) -> tuple[int, ...]:
        labels = pod.cls.labels
        return SHAPES[labels["shape"]](n) if labels.get("wrong") == method else (n,)

    def filter(self, state: Any, pod: Any, rows: Any) -> Verdicts:
        codes = np.zeros(self._shape(pod, "codes", len(rows)), dtype=np.uint8)
        return Verdicts(codes, np.zeros(self._shape(pod, "reasons", len(rows)), dtype=np.int32))

    def filter_node(self, state: Any, pod: Any, node: Any) -> Status:
        return SUCCESS

    def score(self, state: Any, pod: Any, rows: Any) -> Any:
        return np.full(self._shape(pod, "score", len(rows)), 7, dtype=np.int64)

    def score_node(self, state: Any, pod: Any, node: Any) -> int:
        return 7

    def normalize(self, state: Any, pod: Any, rows: Any, raw: Any) -> Normalization:
        shape = self._shape(pod, "normalize", len(rows))
        return IDENTITY if shape == (len(rows),) else Normalization("custom", (), np.zeros(shape, dtype=np.int64))


class Local(Misshapen):
    traits: ClassVar[Traits] = Traits(node_local=True)


class Static(Misshapen):
    traits: ClassVar[Traits] = Traits(static=True)


def configuration() -> Any:
    plugins = {point: {"enabled": [{"name": "Misshapen"}]} for point in ("filter", "score")}
    raw = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", "plugins": plugins}],
    }
    parsed, findings = config_from_raw(raw, known_plugins=[*in_tree().factories, "Misshapen"])
    assert parsed is not None, findings
    return parsed


def events_of(plugin: type[Misshapen], wrong: str, shape: str) -> list[ev.AnyEvent]:
    """The events of a run of a good, a bad and another good pod, the same in every setting of the engine."""
    bad = make_pod("bad", labels={"wrong": wrong, "shape": shape})
    nodes = [make_node(f"n{i:02}", cpu="2", pods=200) for i in range(N_NODES)]
    objects = ClusterObjects(nodes=nodes, pods=[make_pod("a"), bad, make_pod("z")])
    inputs = RunInputs(objects=objects, configuration=configuration(), schedule="all", max_virtual_us=30_000_000)
    hashes, events = set(), []
    for kernel, cached in ((nullcontext, True), (without_kernel, True), (without_kernel, False)):
        with kernel():
            session = RunSession.start(inputs, in_tree().with_plugin("Misshapen", plugin), cached=cached)
            events = []
            session.observe(lambda seq, event, events=events: events.append(event))
            while not session.advance():
                pass
            hashes.add(session.recording_hash())
    assert len(hashes) == 1
    return events


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("wrong", "point", "what"),
    [
        ("codes", "Filter", "codes and reasons must be arrays"),
        ("reasons", "Filter", "codes and reasons must be arrays"),
        ("score", "Score", "scores must be an array"),
        ("normalize", "NormalizeScore", "scores must be an array"),
    ],
)
@pytest.mark.parametrize("plugin", [Misshapen, Local, Static])
def test_the_attempt_ends_with_an_error_and_other_pods_are_bound(plugin, wrong, point, what, shape):
    events = events_of(plugin, wrong, shape)
    assert {e.pod for e in events if isinstance(e, ev.Bound)} == {"default/a", "default/z"}
    first = next(e for e in events if isinstance(e, ev.CycleFinished) and e.pod == "default/bad")
    message = f'{point} of plugin "Misshapen" raised WrongShape: {what} with one value for each row'
    assert (first.outcome, first.message) == ("error", message)
