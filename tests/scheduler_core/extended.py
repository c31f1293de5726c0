"""Runs with extenders that answer as a test says, and what they then record."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from scheduler_core.api.config import Extender
from scheduler_core.api.objects import ClusterObjects, Node, Pod
from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply
from scheduler_core.manifests import config_from_raw
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import MemoryStore, RecordingReader
from scheduler_core.simulate import Policies, RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod

if TYPE_CHECKING:
    from scheduler_core.recording.frames.frame import Frame

URL = "http://ext.example/v1"
Answer = Callable[[ExtenderCall], Any]


class Scripted:
    """An ExtenderSource: ``answers`` by (extender, verb) are values or functions of the call; an ExtenderReply is given
    as it is, anything else as JSON with status 200. ``asked`` has all calls, ``n_at_once`` how many came together."""

    def __init__(self, answers: Mapping[tuple[int, str], Any]) -> None:
        self.answers = answers
        self.asked: list[ExtenderCall] = []
        self.n_at_once: list[int] = []

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        self.asked += calls
        self.n_at_once.append(len(calls))
        return [self._reply(call) for call in calls]

    def _reply(self, call: ExtenderCall) -> ExtenderReply:
        answer = self.answers[call.extender, call.verb]
        if callable(answer):
            answer = answer(call)
        return answer if isinstance(answer, ExtenderReply) else ExtenderReply(200, json.dumps(answer).encode())

    def verbs(self) -> list[tuple[int, str]]:
        return [(call.extender, call.verb) for call in self.asked]


class ExtendedRun:
    """A finished run with extenders."""

    def __init__(self, inputs: RunInputs, source: Scripted, *, cached: bool = True) -> None:
        self.source = source
        self.session = RunSession.start(inputs, cached=cached, extenders=source)
        store = MemoryStore(self.session.initial_keyframe())
        self.session.advance()
        store.add(self.session.cut_chunk())
        self.reader = RecordingReader(store)
        self.events = [event for _, event in self.reader.events(0, self.session.head_seq)]

    def all(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def one(self, kind: type[Any]) -> Any:
        (event,) = self.all(kind)
        return event

    def frame(self, cycle: int = 1) -> Frame:
        return self.reader.frame(cycle)

    @property
    def ends(self) -> list[tuple[str, str, str]]:
        """(outcome, node, message) of each cycle."""
        return [(one.outcome, one.node, one.message) for one in self.all(ev.CycleFinished)]

    @property
    def message(self) -> str:
        return self.ends[0][2]


def extender(**fields: Any) -> Extender:
    return Extender(**({"url_prefix": URL, "node_cache_capable": True} | fields))


def inputs_of(
    extenders: Iterable[Extender], nodes: Sequence[Node], pods: Sequence[Pod], *, config: Any = None, **policies: Any
) -> RunInputs:
    raw = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", **(config or {})}
    configuration, findings = config_from_raw(raw)
    assert configuration is not None, findings
    return RunInputs(
        objects=ClusterObjects(nodes=list(nodes), pods=list(pods)),
        configuration=msgspec.structs.replace(configuration, extenders=tuple(extenders)),
        policies=Policies(draw="smallest", **policies),
        max_cycles=20,
    )


def extended_run(
    extenders: Iterable[Extender],
    answers: Mapping[tuple[int, str], Any],
    nodes: Sequence[Node] | None = None,
    pods: Sequence[Pod] | None = None,
    **options: Any,
) -> ExtendedRun:
    """The run on three equal nodes n1 to n3 with a pod p, unless others are given."""
    nodes = [make_node(f"n{i}") for i in (1, 2, 3)] if nodes is None else nodes
    inputs = inputs_of(extenders, nodes, [make_pod("p")] if pods is None else pods, **options)
    return ExtendedRun(inputs, Scripted(answers))


def passes(*names: str, **maps: dict[str, str]) -> dict[str, Any]:
    """An answer to filter with names."""
    return {"NodeNames": list(names), **maps}
