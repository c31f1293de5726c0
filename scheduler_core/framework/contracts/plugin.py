"""The contracts of the scheduling framework: what a plugin may implement and what it receives.

Same extension points as upstream's framework/interface.go. Filters and scores have two forms with one meaning:
per node (``filter_node``, ``score_node``: the readable definition, enough for an outside author) and vectorised
(``filter``, ``score``: all rows at once). The base class lifts the first to the second.

``rows`` is an int64 array of node-table rows. Columns of ``handle.cluster`` are indexed by row. Plugins never write
to the cluster, never read the clock or a random source, and record nothing: the runtime observes them.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

import msgspec
import numpy as np

from scheduler_core.api.objects import Pod
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import EventWithHint
from scheduler_core.framework.contracts.facts import Facts
from scheduler_core.framework.contracts.filter_outcome import FilterOutcome
from scheduler_core.framework.contracts.handle import Handle
from scheduler_core.framework.contracts.obstacles import ObstacleKind
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status
from scheduler_core.framework.contracts.traits import Traits
from scheduler_core.framework.contracts.verdicts import IDENTITY, Normalization, Rows, Scores, Verdicts
from scheduler_core.framework.contracts.waiting_pod import Gang


class PluginCache:
    """What a plugin caches of its last answer about all rows: one per pod class and extension point.

    ``value`` is the plugin's own, None at first; the cache is dropped whenever a node object or lister changes.
    ``is_final``: what was answered holds until then, so that ``score_delta`` is not asked again.
    """

    __slots__ = ("is_final", "value")

    def __init__(self) -> None:
        self.value: Any = None
        self.is_final = False


A = TypeVar("A")


class Plugin(Generic[A]):
    """Base of all plugins. The constructor stores ``args`` and ``handle`` only."""

    name: ClassVar[str]
    Args: ClassVar[type[Any]]
    traits: ClassVar[Traits] = Traits()
    title: ClassVar[str] = ""
    """What a refusal by the plugin is about, as the heading of nodes that it refuses: "A host port is taken"."""
    obstacles: ClassVar[tuple[ObstacleKind, ...]] = ()
    """The kinds of obstacles that its facts can be (obstacles.py); none: the plugin's refusals have its own code."""
    wakes: ClassVar[tuple[str, ...]] = ()
    """The events that it registers for, in short words for a label: "Node add", "Pod delete"."""
    points: frozenset[str] | None = None
    """The extension points (fields of PluginPoints) that the profile has this plugin at; None: all that it has."""

    def __init__(self, args: A, handle: Handle) -> None:
        self.args = args
        self.handle = handle

    def runs_at(self, point: str) -> bool:
        """Whether the profile has this plugin at the extension point, e.g. "pre_filter"."""
        return self.points is None or point in self.points

    @property
    def generation(self) -> int:
        """Changes with whatever ends this plugin's cacheable answers, besides node objects and listers."""
        return 0

    def dump(self) -> Any:
        """JSON-ready state that must survive save and restore; None for stateless plugins."""
        return None

    def load(self, state: Any) -> None:
        """Take back what ``dump`` gave."""


class NoArgs(msgspec.Struct, frozen=True):
    """Args of a plugin that takes none."""


class PreEnqueuePlugin(Plugin[A]):
    def pre_enqueue(self, pod: Pod) -> Status:
        """Success lets the pod into activeQ; anything else gates it."""
        raise NotImplementedError


class QueueSortPlugin(Plugin[A]):
    def sort_key(self, pod: Pod, timestamp: int) -> tuple[Any, ...]:
        """A key that orders activeQ ascending; ``timestamp`` is the queue's, in microseconds."""
        raise NotImplementedError


class EnqueueExtension(Plugin[A]):
    def events_to_register(self) -> tuple[EventWithHint, ...]:
        """Events that may make a pod schedulable that this plugin refused."""
        raise NotImplementedError


class PreFilterResult(msgspec.Struct):
    """``nodes`` narrows the search to these names; ``state`` is handed to filter, add_pod and remove_pod.

    A state that comes with a plain refusal (UNSCHEDULABLE) is kept as well, for PostFilter: preemption may lift it.

    ``cacheable``: the answer is the same for every pod of the class until a node object, a lister or the plugin's
    ``generation`` changes, so the plugin is not asked again before. A state that follows the cluster by itself counts
    as the same.
    """

    status: Status = SUCCESS
    nodes: frozenset[str] | None = None
    state: Any = None
    cacheable: bool = False


class PreFilterPlugin(Plugin[A]):
    has_extensions: ClassVar[bool] = False

    def pre_filter(self, cycle: CycleState, pod: PodInfo) -> PreFilterResult:
        """Precompute per pod; SKIP switches this plugin's filter off for the cycle."""
        raise NotImplementedError

    def pre_filter_facts(self, pod: PodInfo) -> Facts:
        """The inputs of what ``pre_filter`` says of the pod as a whole, in particular of a refusal; none by default.

        Asked only when somebody wants to know; must change nothing.
        """
        return ()

    def clone(self, state: Any) -> Any:
        """A copy of the state that add_pod and remove_pod may change. Called only with has_extensions."""
        return state

    def add_pod(self, state: Any, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Account in ``state`` for ``other`` being added to the node."""
        return SUCCESS

    def remove_pod(self, state: Any, pod: PodInfo, other: PodInfo, node: NodeView) -> Status:
        """Account in ``state`` for ``other`` being removed from the node."""
        return SUCCESS


class FilterPlugin(Plugin[A]):
    """``state`` is what PreFilter gave, None where the profile does not have the plugin there."""

    without_pre_filter: ClassVar[str] = ""
    """What Filter fails with on every node where the plugin has a PreFilter and the profile lacks it, in upstream's
    words; "" for one that works without its state."""

    def filter_node(self, state: Any, pod: PodInfo, node: NodeView) -> Status:
        """Whether the pod fits on the node: the definition."""
        raise NotImplementedError

    def filter_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """The inputs of ``filter_node`` for the same arguments, whether the node passes or not; none by default.

        Asked only when somebody wants to know, never while a run is decided; must change nothing. Where the plugin
        gives facts, one of them at least ``refuses`` if and only if ``filter_node`` refuses. Pods of ``node.pods``
        that are not among ``handle.cluster.pods`` are nominated to the node and counted in.
        """
        return ()

    def alike(self, state: Any, pod: PodInfo, rows: Rows) -> Rows:
        """int64[len(rows)] or int64[len(rows), k] for rows that the filter refuses: those with equal values get equal
        facts by ``filter_facts``, but for names of pods, so that it is asked once for them. This default takes each row
        for itself."""
        return rows

    def filter(self, state: Any, pod: PodInfo, rows: Rows) -> Verdicts | None:
        """Verdicts for all rows, or None when all pass. This default loops over ``filter_node``."""
        codes = np.zeros(len(rows), dtype=np.uint8)
        reasons = np.zeros(len(rows), dtype=np.int32)
        for i, row in enumerate(rows.tolist()):
            status = self.filter_node(state, pod, self.handle.cluster.view(row))
            if status.code is not Code.SUCCESS:
                codes[i] = status.code
                reasons[i] = self.handle.run.reasons.intern(status.reasons)
        return Verdicts(codes, reasons)

    def filter_delta(
        self, state: Any, pod: PodInfo, cache: PluginCache
    ) -> tuple[Rows | tuple[Rows, ...] | None, Verdicts | None]:
        """Rows whose verdict may differ from this method's last answer with the same ``cache``, and their verdicts.

        Rows are int64 and each occurs once; None stands for all of ``cluster.table.order``. They may come as a tuple of
        arrays, with the verdicts concatenated: a read-only array that is returned again and again costs a recording no
        row numbers. None for the verdicts: all of these rows pass. This default judges all rows.
        """
        return None, self.filter(state, pod, self.handle.cluster.table.order)


class PostFilterResult(msgspec.Struct):
    """``nominated_node``: a name nominates, "" clears the nomination, None leaves it as it was.

    ``decision`` is the plugin's own account (a recording.events.PreemptionDecided for preemption) or None.
    """

    status: Status
    nominated_node: str | None = None
    decision: Any = None


class PostFilterPlugin(Plugin[A]):
    def post_filter(self, cycle: CycleState, pod: PodInfo, outcome: FilterOutcome) -> PostFilterResult:
        """Try to make the pod schedulable after no node was feasible."""
        raise NotImplementedError


class PreScoreResult(msgspec.Struct):
    """SKIP leaves this plugin's score out of the cycle. ``cacheable`` as for PreFilterResult, for any feasible rows."""

    status: Status = SUCCESS
    state: Any = None
    cacheable: bool = False


class PreScorePlugin(Plugin[A]):
    def pre_score(self, cycle: CycleState, pod: PodInfo, rows: Rows) -> PreScoreResult:
        """Precompute for scoring the feasible ``rows``."""
        raise NotImplementedError


class ScorePlugin(Plugin[A]):
    """``state`` is what PreScore gave, None where the profile does not have the plugin there."""

    without_pre_score: ClassVar[str] = ""
    """What Score fails with where the plugin has a PreScore and the profile lacks it, in upstream's words; "" for one
    that works without its state."""

    def fails_without_pre_score(self, pod: PodInfo) -> str:
        """What Score fails with for this pod where PreScore is not run, "" where it works."""
        return self.without_pre_score

    normalizer: ClassVar[staticmethod[[Scores], Normalization] | None] = None
    """For plugins whose normaliser follows from which raw scores the feasible rows have, in any order and however
    often each: a static method that takes them. Others override ``normalize``."""

    def score_node(self, state: Any, pod: PodInfo, node: NodeView) -> int:
        """The raw score of one node: the definition."""
        raise NotImplementedError

    def keeps_scores(self, pod: PodInfo) -> bool:
        """Whether a score of the pod's class holds as long as ``traits`` say, while no node object and no lister
        changes; False has every node scored again in each cycle."""
        return True

    def score_facts(self, state: Any, pod: PodInfo, node: NodeView) -> Facts:
        """The numbers that ``score_node`` is computed from, for the same arguments; none by default.

        Asked only when somebody wants to know; must change nothing.
        """
        return ()

    def score(self, state: Any, pod: PodInfo, rows: Rows) -> Scores:
        """Raw scores int64[len(rows)]. This default loops over ``score_node``."""
        view = self.handle.cluster.view
        return np.array([self.score_node(state, pod, view(row)) for row in rows.tolist()], dtype=np.int64)

    def score_delta(self, state: Any, pod: PodInfo, feasible: Rows, cache: PluginCache) -> tuple[Rows | None, Scores]:
        """Rows whose raw score may differ from this method's last answer with the same ``cache``, and their scores.

        Each row occurs once; None stands for all ``feasible`` ones. Rows that are not feasible may be among them; a row
        that became feasible must be, unless its current score was returned before. This default scores all ``feasible``
        rows.
        """
        return None, self.score(state, pod, feasible)

    def normalize(self, state: Any, pod: PodInfo, rows: Rows, raw: Scores) -> Normalization:
        """The normaliser with parameters taken from the raw scores of the feasible rows."""
        return IDENTITY if self.normalizer is None else self.normalizer(raw)


class ReservePlugin(Plugin[A]):
    def reserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """Set aside what the pod needs; a refusal unreserves all."""
        raise NotImplementedError

    def unreserve(self, cycle: CycleState, pod: PodInfo, node_name: str) -> None:
        """Undo ``reserve``; must be safe to call twice."""


class PermitPlugin(Plugin[A]):
    def permit(self, cycle: CycleState, pod: PodInfo, node_name: str) -> tuple[Status, float]:
        """SUCCESS, a refusal, or WAIT with a time-out in seconds."""
        raise NotImplementedError

    def gang(self, pod: Pod) -> Gang | None:
        """The pods that this one is bound together with; None for a pod that is bound by itself."""
        return None


class PreBindPlugin(Plugin[A]):
    def pre_bind(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """Work that must be done before binding. WAIT: it is not done yet, and the plugin is asked again at the time
        that ``looks_again_at`` says; plugins after it are asked once it is."""
        raise NotImplementedError

    def looks_again_at(self, pod: PodInfo) -> int:
        """When a plugin whose answer was WAIT is to be asked again, in microseconds of virtual time."""
        raise NotImplementedError


class BindPlugin(Plugin[A]):
    def bind(self, cycle: CycleState, pod: PodInfo, node_name: str) -> Status:
        """SUCCESS binds, SKIP hands on to the next bind plugin."""
        raise NotImplementedError


class PostBindPlugin(Plugin[A]):
    def post_bind(self, cycle: CycleState, pod: PodInfo, node_name: str) -> None:
        """Informed after a pod was bound."""
        raise NotImplementedError
