"""The extenders of a configuration at work: who is asked, in which order, and what follows from the answers.

Mirrors findNodesThatPassExtenders, prioritizeNodes, callExtenders and extendersBinding. Extenders that are ignorable
come after all others (buildExtenders).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit, urlunsplit

from scheduler_core.api.config import Extender
from scheduler_core.api.objects import Pod
from scheduler_core.columns.pods import PodInfo
from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply, ExtenderSource
from scheduler_core.extenders.http_extender import BIND, FILTER, PREEMPT, PRIORITIZE, HTTPExtender
from scheduler_core.extenders.requests import Bodies
from scheduler_core.framework.contracts.extending.hooks import (
    ExtendedFilter,
    ExtenderError,
    HostScores,
    NodeVictims,
    PreemptOutcome,
)
from scheduler_core.framework.contracts.extending.recorded import (
    BindCall,
    FilterCall,
    PreemptCall,
    RefusedNodes,
    ReturnedVictims,
    name_of_extender,
    node_names,
)
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import Code, Status


class ExtenderChain:
    """contracts.extending.hooks.Extenders for a configuration, answered by a source."""

    def __init__(self, configured: Sequence[Extender], source: ExtenderSource, run: RunContext) -> None:
        self._source = source
        self._run = run
        self._bodies = Bodies(run.cluster.table)
        names = extender_names(configured)
        extenders = [HTTPExtender(one, i, names[i], run.cluster) for i, one in enumerate(configured)]
        self._extenders = sorted(extenders, key=lambda one: one.config.ignorable)
        self.any_filters = any(one.has(FILTER) for one in extenders)
        self.any_scores = any(one.has(PRIORITIZE) for one in extenders)

    def _asked(self, verb: str, pod: Pod) -> list[HTTPExtender]:
        return [one for one in self._extenders if one.has(verb) and one.is_interested(pod)]

    # --- filter ----------------------------------------------------------------------------------------------------
    def filter(self, pod: PodInfo, extended: ExtendedFilter, *, nominated: bool = False) -> None:
        """See Extenders. Each extender is given what the one before left, until nothing is left."""
        for extender in self._asked(FILTER, pod.pod):
            if not extended.names:
                return
            call = self._filter(extender, pod.pod, extended, nominated=nominated)
            extended.calls.append(call)
            if call.error and not call.ignored:
                raise ExtenderError(call.error)

    def _filter(self, extender: HTTPExtender, pod: Pod, extended: ExtendedFilter, *, nominated: bool) -> FilterCall:
        row_of, given, by_name = self._run.cluster.table.row_of, extended.names, extender.config.node_cache_capable
        request = self._bodies.of_nodes(pod, given, extended.replaced, by_name=by_name)
        call = extender.call(self._run.cycle, FILTER, request)
        given_nodes = node_names(given, row_of)
        try:
            answer = extender.answer(call, self._source.ask([call])[0])
            left = extender.nodes_left(answer, given, extended.replaced, self._bodies)
        except ExtenderError as problem:
            ignored = extender.config.ignorable
            return FilterCall(
                extender.index, extender.name, given_nodes, error=str(problem), ignored=ignored, nominated=nominated
            )
        _note_statuses(extended, extender.name, left.failed, left.unresolvable)
        extended.names, extended.replaced = list(left.names), left.replaced
        return FilterCall(
            extender.index,
            extender.name,
            given_nodes,
            node_names(left.names, row_of),
            _grouped(left.failed, row_of),
            _grouped(left.unresolvable, row_of),
            nominated=nominated,
            replaces=left.replaces,
        )

    # --- prioritize ------------------------------------------------------------------------------------------------
    def prioritize(self, pod: PodInfo, extended: ExtendedFilter) -> list[HostScores]:
        """See Extenders. All of them are asked at the same time."""
        asked = self._asked(PRIORITIZE, pod.pod)
        calls = [
            one.call(
                self._run.cycle,
                PRIORITIZE,
                self._bodies.of_nodes(
                    pod.pod, extended.names, extended.replaced, by_name=one.config.node_cache_capable
                ),
            )
            for one in asked
        ]
        replies = self._source.ask(calls) if calls else []
        return sorted(
            [_scores(one, call, reply) for one, call, reply in zip(asked, calls, replies, strict=True)],
            key=lambda scores: scores.extender,
        )

    # --- preempt ---------------------------------------------------------------------------------------------------
    def preempt(self, pod: PodInfo, candidates: Mapping[str, NodeVictims]) -> PreemptOutcome:
        """See Extenders. Each extender is given what the one before returned, until nothing is left."""
        calls: list[PreemptCall] = []
        for extender in self._asked(PREEMPT, pod.pod):
            if not candidates:
                break
            request = self._bodies.of_victims(pod.pod, candidates, by_uid=extender.config.node_cache_capable)
            call = extender.call(self._run.cycle, PREEMPT, request)
            returned: dict[str, NodeVictims] = {}
            try:
                returned = extender.read_victims(extender.answer(call, self._source.ask([call])[0]))
            except ExtenderError as problem:
                ignored = extender.config.ignorable
                calls.append(PreemptCall(extender.index, extender.name, error=str(problem), ignored=ignored))
                if not ignored:
                    return PreemptOutcome(candidates, tuple(calls), str(problem))
                continue
            calls.append(PreemptCall(extender.index, extender.name, _returned(returned)))
            empty = [node for node, victims in returned.items() if not victims.pods]
            if empty and not extender.config.ignorable:
                text = f'expected at least one victim pod on node "{empty[0]}"'
                return PreemptOutcome(candidates, tuple(calls), text)
            candidates = {node: victims for node, victims in returned.items() if victims.pods}
        return PreemptOutcome(candidates, tuple(calls))

    # --- bind ------------------------------------------------------------------------------------------------------
    def bind(self, pod: PodInfo, node: str, cycle: int) -> list[BindCall]:
        """See Extenders."""
        calls: list[BindCall] = []
        for extender in self._asked(BIND, pod.pod):
            call = extender.call(cycle, BIND, self._bodies.of_binding(pod, node))
            try:
                error = str(extender.answer(call, self._source.ask([call])[0]))
            except ExtenderError as problem:
                error = str(problem)
            ignored = bool(error) and extender.config.ignorable
            calls.append(BindCall(extender.index, extender.name, error, ignored))
            if not ignored:
                break
        return calls


def extender_names(configured: Sequence[Extender]) -> list[str]:
    """What extenders are called among plugins: by their addresses without user and password, numbered where two have
    the same."""
    names: list[str] = []
    for one in configured:
        name = name_of_extender(_address(one.url_prefix))
        n_same = sum(other.partition(" #")[0] == name for other in names)
        names.append(f"{name} #{n_same + 1}" if n_same else name)
    return names


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rstrip("/")
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/")


def _note_statuses(
    extended: ExtendedFilter, name: str, failed: Mapping[str, str], unresolvable: Mapping[str, str]
) -> None:
    """Note the statuses of both maps; a node in both is unresolvable."""
    for node, text in unresolvable.items():
        extended.statuses[node] = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (text,), name)
    for node, text in failed.items():
        if node not in unresolvable:
            extended.statuses[node] = Status(Code.UNSCHEDULABLE, (text,), name)


def _grouped(texts: Mapping[str, str], row_of: Mapping[str, int]) -> tuple[RefusedNodes, ...]:
    """The nodes by text, in order of texts."""
    nodes: dict[str, list[str]] = {}
    for node, text in texts.items():
        nodes.setdefault(text, []).append(node)
    return tuple([RefusedNodes(text, node_names(named, row_of)) for text, named in sorted(nodes.items())])


def _scores(extender: HTTPExtender, call: ExtenderCall, reply: ExtenderReply) -> HostScores:
    """What an extender gives; the scores of one host are added up."""
    scores: dict[str, int] = {}
    try:
        for host, score in extender.answer(call, reply):
            scores[host] = scores.get(host, 0) + score
    except ExtenderError as problem:
        return HostScores(extender.index, extender.name, extender.config.weight, error=str(problem))
    return HostScores(extender.index, extender.name, extender.config.weight, scores)


def _returned(victims: Mapping[str, NodeVictims]) -> tuple[ReturnedVictims, ...]:
    return tuple(
        [ReturnedVictims(node, tuple([info.key for info in one.pods]), one.violations) for node, one in victims.items()]
    )
