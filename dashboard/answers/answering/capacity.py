"""Answers about a cluster at rest: which node group helps, how many more fit, what a drain does, what is not needed.

One state of the engine serves all four, and what takes long is gone on with from turn to turn.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from dashboard.answers.answering.capacity_state import CapacityState, GroupFacts, PodOffer, RestingNode, pod_offer
from dashboard.clusters.revisions.stored_events import events_about
from dashboard.runs import chosen
from dashboard.runs.inputs import InputError, policies_from
from scheduler_core.capacity.fitting import FittingAnswer, how_many_fit
from scheduler_core.capacity.groups.files import GroupsError, groups_from_raw
from scheduler_core.capacity.groups.found import FoundGroups, groups_of
from scheduler_core.capacity.groups.model import NodeGroup, UnknownGroup, like
from scheduler_core.capacity.leaving import NodesDrained, drain
from scheduler_core.capacity.table import GroupTable
from scheduler_core.capacity.words import autoscaler_words
from scheduler_core.manifests.model import Limits, LoadError
from scheduler_core.manifests.parsing.sources import read_documents
from scheduler_core.simulate import RunInputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.answers.answering.cluster_source import ClusterSource
    from dashboard.answers.answering.time_limit import TimeLimit
    from dashboard.answers.questions import CapacityQuestion, DrainedOf, GroupsOf, RoomOf, UnneededOf
    from scheduler_core.api.objects import Pod
    from scheduler_core.capacity.resting import RestingCluster

MOST_LISTED = 200
"""Rows of a list of nodes or controllers."""


class GroupsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The table so far, its groups, those whose nodes are not known, and once all is done the last words of the
    cluster's own autoscaler by pod, of the first pods that find no node."""

    table: GroupTable
    groups: tuple[GroupFacts, ...]
    unknown: tuple[UnknownGroup, ...] = ()
    words: dict[str, str] = {}


class MoreAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How many more of a pod fit (None: there is no pod), and the controllers with the most pods, of `n_offers`."""

    fitting: FittingAnswer | None
    asked: PodOffer | None
    offers: tuple[PodOffer, ...]
    n_offers: int


class DrainedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The drain (None where no node is chosen), and nodes to choose from, the chosen ones first, of `n_nodes`."""

    drain: NodesDrained | None
    nodes: tuple[RestingNode, ...]
    n_nodes: int


class UnneededAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes asked so far, `done` of `total`: the first that are not needed (of `n_free`), the first that are, and
    how many are by each code."""

    free: tuple[RestingNode, ...]
    needed: tuple[RestingNode, ...]
    n_free: int
    codes: dict[str, int]
    done: int
    total: int

    @property
    def is_complete(self) -> bool:
        """Whether each node was asked."""
        return self.done == self.total


# --- the questions -------------------------------------------------------------------------------------------------
def which_groups(source: ClusterSource, question: GroupsOf, limit: TimeLimit) -> GroupsAnswer:
    """Go on with the table for `seconds`. Raises InputError where there are no groups, or no such pod waits."""
    with _Kept(source, question) as state:
        if question.pod and all(pod.key != question.pod for pod in state.resting.waiting):
            raise InputError(f"the pod {question.pod} does not wait for a node in this cluster")
        key = (question.pod, question.likes, question.groups, question.by_price)
        asked = state.table(key, lambda: _groups(state.resting, question), question.pod, by_price=question.by_price)
        is_done = asked.table.go_on(limit.within(question.seconds))
        pods = asked.table.asking.asked[:MOST_LISTED] if is_done else []
        return GroupsAnswer(
            table=asked.table.table, groups=asked.facts, unknown=asked.unknown, words=_words(source, question, pods)
        )


def how_many(source: ClusterSource, question: RoomOf, limit: TimeLimit) -> MoreAnswer:
    """Count for `seconds`; raises InputError where there is no such pod, or no scheduler of its name."""
    with _Kept(source, question) as state:
        resting, offers = state.resting, state.offers
        key = question.pod or (offers[0].pod if offers else "")
        listed = tuple(offers[:MOST_LISTED])
        if not key:
            return MoreAnswer(fitting=None, asked=None, offers=listed, n_offers=0)
        pod = resting.simulation.world.pods.get(key)
        if pod is None:
            raise InputError(f"there is no pod {key} in this cluster")
        if not resting.decides(pod):
            raise InputError(f"{key} is for the scheduler {pod.scheduler_name}, which the configuration does not have")
        fitting = how_many_fit(resting, pod, limit.within(question.seconds))
        return MoreAnswer(fitting=fitting, asked=pod_offer(pod, 1), offers=listed, n_offers=len(offers))


def drained(source: ClusterSource, question: DrainedOf, limit: TimeLimit) -> DrainedAnswer:
    """Drain the nodes; raises InputError for one that is not there. The limit is not asked."""
    with _Kept(source, question) as state:
        nodes = state.resting.nodes
        for name in question.nodes:
            if name not in nodes:
                raise InputError(f"there is no node {name} in this cluster")
        chosen_nodes = dict.fromkeys(question.nodes)
        others = [name for name in nodes if name not in chosen_nodes and question.text in name]
        listed = [*chosen_nodes, *others][: max(MOST_LISTED, len(chosen_nodes))]
        return DrainedAnswer(
            drain=drain(state.resting, list(chosen_nodes)) if chosen_nodes else None,
            nodes=tuple([state.line(name) for name in listed]),
            n_nodes=len(chosen_nodes) + len(others),
        )


def not_needed(source: ClusterSource, question: UnneededOf, limit: TimeLimit) -> UnneededAnswer:
    """Go on through the nodes for `seconds`."""
    with _Kept(source, question) as state:
        state.sweep(limit.within(question.seconds))
        needs = state.needs.values()
        free = [one.name for one in needs if not one.needed]
        needed = [one.name for one in needs if one.needed and (not question.code or question.code in one.codes)]
        return UnneededAnswer(
            free=tuple([state.line(name) for name in free[:MOST_LISTED]]),
            needed=tuple([state.line(name) for name in needed[:MOST_LISTED]]),
            n_free=len(free),
            codes=dict(Counter(code for one in needs if one.needed for code in one.codes).most_common()),
            done=len(needs),
            total=len(state.resting.nodes),
        )


# --- the state -----------------------------------------------------------------------------------------------------
class _Kept:
    """The kept state of what a question is about, forgotten where it fails in the middle of something.

    Raises InputError where the objects or the configuration are not valid, ProfileError, NotFound.
    """

    def __init__(self, source: ClusterSource, question: CapacityQuestion) -> None:
        self.source, self.question = source, question
        self.configuration = chosen.named(source.revision.cluster.workspace, question.config)
        self.key = (
            source.revision.pk, source.revision.sha256, "capacity", self.configuration.sha256,
            question.draft, question.version,
        )  # fmt: skip

    def __enter__(self) -> CapacityState:
        return self.source.sessions.get(self.key, self.source.revision.n_objects, self._make)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not issubclass(kind, InputError):
            self.source.sessions.forget(self.key)

    def _make(self) -> CapacityState:
        loaded = self.source.contents(self.question.draft).loaded
        if not loaded.ok:
            raise InputError(f"{self.source.revision} cannot be scheduled: {loaded.errors[0].text()}")
        policies = policies_from(self.configuration.policies_on(self.source.revision))
        return CapacityState(
            RunInputs(
                objects=loaded.objects,
                configuration=self.configuration.typed(),
                policies=policies,
                unplayed=loaded.unplayed,
            )
        )


def _words(source: ClusterSource, question: GroupsOf, pods: Sequence[Pod]) -> dict[str, str]:
    """What the cluster's autoscaler said of the pods, in the events that came with the revision."""
    contents = source.contents(question.draft)
    return autoscaler_words(events_about(source.revision, contents, [pod.key for pod in pods]), pods)


def _groups(resting: RestingCluster, question: GroupsOf) -> FoundGroups:
    nodes = resting.nodes
    unknown = next((name for name in question.likes if name not in nodes), None)
    if unknown is not None:
        raise InputError(f"there is no node {unknown} in this cluster")
    pools = groups_of(resting.inputs, _typed(resting, question.groups) if question.groups else ())
    names = {group.name for group in pools.groups}
    likes = [like(nodes[name]) for name in question.likes]
    return FoundGroups([*pools.groups, *(one for one in likes if one.name not in names)], pools.unknown)


def _typed(resting: RestingCluster, text: str) -> list[NodeGroup]:
    try:
        documents = [one.value for one in read_documents(text, Limits()) if one.value is not None]
        if len(documents) != 1:
            raise InputError(f"the node groups are {len(documents)} documents. Write one")
        return groups_from_raw(documents[0], resting.nodes)
    except (LoadError, GroupsError) as problem:
        raise InputError(f"the node groups cannot be read: {problem}") from problem
