"""The event types of a recording: everything that happened, in order of seq.

Times are virtual, integer microseconds since the run's start. Pods are named namespace/name. Events are frozen,
tagged structs. ``seq`` is the index in the log and is not part of the event, nor is its cause, which is stored beside
it (encodings.py). ``at`` is the virtual time. The recording hash covers the canonical encoding (MessagePack of the
struct, fields in order of definition).

A pod is its name and its uid. ``uid`` in an event is "" for the first pod of its name in the run, so that the uid is
written only where the name alone is ambiguous.
"""

from __future__ import annotations

import msgspec

from scheduler_core.framework.contracts.extending.recorded import NO_NODES as NO_NODES
from scheduler_core.framework.contracts.extending.recorded import BindCall as BindCall
from scheduler_core.framework.contracts.extending.recorded import FilterCall as FilterCall
from scheduler_core.framework.contracts.extending.recorded import NamedNodes as NamedNodes
from scheduler_core.framework.contracts.extending.recorded import PreemptCall as PreemptCall
from scheduler_core.framework.contracts.extending.recorded import PrioritizeCall as PrioritizeCall
from scheduler_core.framework.contracts.extending.recorded import UnknownNodeScores as UnknownNodeScores
from scheduler_core.framework.preemption.decision import CRITERIA, NONE_PACKED, count, criteria_values, unpack
from scheduler_core.framework.preemption.decision import CriterionStep as CriterionStep
from scheduler_core.framework.preemption.decision import VictimSet as VictimSet

LANES = ("active", "backoff", "error_backoff", "unschedulable", "gated", "in_flight")
"""Places of a pod in the queue; the empty string means outside of it."""


class Event(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag_field="type", omit_defaults=True):
    """Base of all events; ``at`` is virtual time in microseconds."""

    at: int


class ObjectChanged(Event, frozen=True, kw_only=True, tag="object"):
    """An object was added, updated or deleted. ``entry`` is the index into the run's timeline (None: by the engine).

    ``cause`` says why the engine did it: "preempted by namespace/name", "completed", "binding".
    ``row`` is the node-table row that a node took or left; ``node`` the node that an added or updated pod is bound to
    without our doing. ``action``: added, updated, deleted; an update whose cause is a preemption marks a pod that
    terminates and still counts.
    ``change`` is the index into the run's changes, for an input that came in the middle of it. ``object`` is the whole
    object where it was made during the run, by the run itself or by a change (objects.py).
    """

    kind: str
    key: str
    action: str
    entry: int | None = None
    row: int | None = None
    cause: str = ""
    node: str = ""
    uid: str = ""
    change: int | None = None
    object: bytes = b""


class CreationRefused(Event, frozen=True, kw_only=True, tag="creation_refused"):
    """Admission refused an object, so that it was not made. ``message`` is the API server's text, ``code`` that of the
    cause, ``by`` the object that refuses it (Kind/namespace/name, or Kind/name; "" for none).

    ``maker`` is the workload (kind and namespace/name) that wanted it and tries again; "" where an input brought it:
    ``entry`` and ``change`` are that input, as in ObjectChanged."""

    kind: str
    key: str
    message: str
    code: str
    by: str = ""
    maker: str = ""
    entry: int | None = None
    change: int | None = None


class InputsChanged(Event, frozen=True, kw_only=True, tag="inputs"):
    """An input of the run that is no object changed in the middle of it. ``change`` is the index into its changes.

    ``what``: "configuration" or "policies", with the new ones whole in ``value`` (MessagePack), or "timeline": its
    ``entry`` of this index does not happen. ``restarts``: the scheduler starts again with it; what it had in flight is
    taken back, and the pods that wait are queued again.
    """

    change: int
    what: str
    value: bytes = b""
    entry: int | None = None
    restarts: bool = False


class QueueMove(Event, frozen=True, kw_only=True, tag="queue_move"):
    """A pod moved to another lane of the queue, with the state that it has there.

    ``event`` is the cluster event or timer (PodAdd, BackoffComplete, NodeAdd, ScheduleAttemptFailure, Popped, ...);
    ``plugin`` the plugin whose hint let it through. ``timestamp`` is the queue's own (orders equal priorities).
    ``backoff_until`` is the expiry in the backoff lanes. ``in_flight_event`` is, after a failed attempt, the cluster
    event during the attempt that had the pod retried.
    """

    pod: str
    source: str
    target: str
    event: str
    plugin: str = ""
    priority: int = 0
    timestamp: int = 0
    attempts: int = 0
    unschedulable_count: int = 0
    error_count: int = 0
    backoff_until: int | None = None
    plugins: tuple[str, ...] = ()
    pending_plugins: tuple[str, ...] = ()
    gated_by: str = ""
    in_flight_event: str = ""
    uid: str = ""


class PluginStatus(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A plugin's answer at an extension point; ``nodes`` are the names that a PreFilter left, sorted, None for all."""

    plugin: str
    code: int = 0
    reasons: tuple[str, ...] = ()
    nodes: tuple[str, ...] | None = None


class CycleStarted(Event, frozen=True, kw_only=True, tag="cycle_started"):
    """A scheduling cycle begins. ``template`` is the id of the pod's equivalence class in this run."""

    cycle: int
    pod: str
    attempt: int
    profile: str
    priority: int
    template: int
    n_nodes: int
    uid: str = ""


class PointFinished(Event, frozen=True, kw_only=True, tag="point_finished"):
    """An extension point ran; ``statuses`` in order of the plugins (those that answered plain success may be left out
    only at points where the profile lists them)."""

    cycle: int
    point: str
    statuses: tuple[PluginStatus, ...] = ()


class Refusal(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """How many nodes one plugin was first to refuse, with one tuple of reasons.

    ``rows`` is a bitmap (numpy.packbits over node-table rows) where no frame has these nodes.
    """

    plugin: str
    code: int
    reasons: tuple[str, ...]
    count: int
    rows: bytes = b""


class NodesFiltered(Event, frozen=True, kw_only=True, tag="nodes_filtered"):
    """Result of the filter phase. ``start`` and ``next_start`` are positions of the rotating search (as configured).

    ``nominated_only``: only the nominated node was looked at, since it fitted.
    """

    cycle: int
    visited: int
    feasible: int
    refusals: tuple[Refusal, ...] = ()
    absent: int = 0
    start: int = 0
    next_start: int = 0
    nominated_only: bool = False


class ExtendersFiltered(Event, frozen=True, kw_only=True, tag="extenders_filtered"):
    """Extenders were asked about the nodes that passed the filters; ``calls`` in order, also of the pass in which only
    the nominated node was looked at. NodesFiltered follows and has the outcome, unless a call failed.

    In the cycle's frame each extender that was asked has a row among the filter plugins, which says what decided.
    ``more`` are feasible nodes that no frame has: unknown ones, and those named more than once.
    """

    cycle: int
    calls: tuple[FilterCall, ...]
    more: tuple[str, ...] = ()


class ExtendersScored(Event, frozen=True, kw_only=True, tag="extenders_scored"):
    """Extenders were asked to score the feasible nodes. Those that answered have a row among the frame's score plugins:
    an answered score counts 10 times the extender's weight. ``unknown`` are scores of nodes that no frame has."""

    cycle: int
    calls: tuple[PrioritizeCall, ...] = ()
    unknown: tuple[UnknownNodeScores, ...] = ()


class ScoreSummary(msgspec.Struct, frozen=True, gc=False):
    """One score plugin: its normaliser with parameters, and the values of winner and runner-up (-1: no runner-up)."""

    plugin: str
    weight: int
    kind: str
    params: tuple[int, ...]
    raw_winner: int
    norm_winner: int
    raw_second: int
    norm_second: int
    norm_min: int
    norm_max: int
    norm_mean: float
    decided: bool
    """Without this plugin another node would have won."""


class NodesScored(Event, frozen=True, kw_only=True, tag="nodes_scored"):
    """Result of the score phase, in order of the profile."""

    cycle: int
    plugins: tuple[ScoreSummary, ...]


class HostSelected(Event, frozen=True, kw_only=True, tag="host_selected"):
    """The node chosen. ``ties`` is the bitmap (numpy.packbits over node-table rows) of nodes with the best total,
    ``tie_count`` how many; ``total`` and ``second_total`` are -1 where nothing was scored / no runner-up exists."""

    cycle: int
    node: str
    total: int = -1
    second: str = ""
    second_total: int = -1
    tie_count: int = 1
    ties: bytes = b""


class ListedVictimSet(VictimSet, frozen=True, gc=False, array_like=False):
    """A candidate as recordings of format 1 hold it: a map by the names of the fields."""


class ExtendersPreempted(Event, frozen=True, kw_only=True, tag="extenders_preempted"):
    """Extenders were shown the candidates of a preemption, ``packed`` as in PreemptionDecided, which follows and has
    those that they left."""

    cycle: int
    pod: str
    packed: msgspec.Raw
    calls: tuple[PreemptCall, ...]

    @property
    def candidates(self) -> tuple[VictimSet, ...]:
        """The candidates that the scheduler itself found; created by each call."""
        return unpack(self.packed)


class PreemptionDecided(Event, frozen=True, kw_only=True, tag="preemption"):
    """What DefaultPreemption decided. ``criterion`` is the one that left a single candidate ("" where none chosen,
    "only" where there was one candidate, "draw" where all criteria tied).

    Candidates are ``packed``: a MessagePack array of VictimSets in order of node name, decoded when asked for. Format 1
    of recordings has them as ``listed`` maps instead, and names only the node of the one ``chosen``. ``uids`` are (pod,
    uid) of the preemptor, victims and reprieved pods that are not the first of their names.
    """

    cycle: int
    pod: str
    eligible: bool
    message: str = ""
    nominated_node: str | None = None
    listed: tuple[ListedVictimSet, ...] = msgspec.field(default=(), name="candidates")
    steps: tuple[CriterionStep, ...] = ()
    criterion: str = ""
    tied: tuple[str, ...] = ()
    not_candidates: tuple[Refusal, ...] = ()
    cleared_nominations: tuple[str, ...] = ()
    potential: int = 0
    offset: int = 0
    packed: msgspec.Raw = NONE_PACKED
    chosen: VictimSet | None = None
    uids: tuple[tuple[str, str], ...] = ()

    @property
    def candidates(self) -> tuple[VictimSet, ...]:
        """All candidates; created by each call."""
        if self.listed:
            return tuple([VictimSet(*msgspec.structs.astuple(one)) for one in self.listed])
        return unpack(self.packed)

    def pod_uid(self, pod: str) -> str:
        """The uid of the preemptor, a victim or a reprieved pod, "" for the first pod of its name."""
        return dict(self.uids).get(pod, "")

    @property
    def n_candidates(self) -> int:
        """How many candidates there are."""
        return len(self.listed) or count(self.packed)

    @property
    def nominated(self) -> VictimSet | None:
        """The candidate whose victims leave."""
        if self.chosen is not None or not self.nominated_node:
            return self.chosen
        return next((one for one in self.candidates if one.node == self.nominated_node), None)

    def eliminations(self) -> dict[str, int]:
        """For each candidate ruled out, its node and the number in ``steps`` (from 1) of the criterion that did so.

        A step lists only the first few nodes that it left, so the candidates' values are compared again here.
        """
        left = [(one.node, criteria_values(one)) for one in self.candidates]
        ruled_out: dict[str, int] = {}
        for number, step in enumerate(self.steps, start=1):
            column = CRITERIA.index(step.criterion)
            best = min(values[column] for _, values in left)
            ruled_out.update({node: number for node, values in left if values[column] != best})
            left = [(node, values) for node, values in left if values[column] == best]
        return ruled_out


class Nominated(Event, frozen=True, kw_only=True, tag="nominated"):
    """A pod's nomination changed; the empty node clears it."""

    pod: str
    node: str


class Reserved(Event, frozen=True, kw_only=True, tag="reserved"):
    """The pod is assumed on the node (it counts there from now on)."""

    cycle: int
    pod: str
    node: str


class Unreserved(Event, frozen=True, kw_only=True, tag="unreserved"):
    """The pod is no longer assumed on the node."""

    cycle: int
    pod: str
    node: str
    reason: str


class PermitWaiting(Event, frozen=True, kw_only=True, tag="permit_waiting"):
    """The pod waits on Permit until ``deadline`` at the latest."""

    cycle: int
    pod: str
    node: str
    plugins: tuple[str, ...]
    deadline: int


class PermitDecided(Event, frozen=True, kw_only=True, tag="permit_decided"):
    """A waiting pod was allowed, rejected or timed out."""

    cycle: int
    pod: str
    plugin: str
    allowed: bool
    message: str = ""


class Bound(Event, frozen=True, kw_only=True, tag="bound"):
    """The pod is bound."""

    cycle: int
    pod: str
    node: str


class ExtendersBound(Event, frozen=True, kw_only=True, tag="extenders_bound"):
    """Extenders were asked to bind the pod; the last call counts. The pod is bound where it has no error, and a plugin
    binds it where its error is ignored."""

    cycle: int
    pod: str
    node: str
    calls: tuple[BindCall, ...]


class PluginFailed(Event, frozen=True, kw_only=True, tag="plugin_failed"):
    """A plugin raised an exception, which ends the attempt under way as an error. ``cycle`` is 0 outside of a cycle:
    the plugin was asked at PreEnqueue or for a queueing hint.

    ``point`` is upstream's name of the extension point, ``error`` the exception's type, ``message`` its text. The
    traceback names files of one machine, so it is stored beside the recording.
    """

    cycle: int
    pod: str
    plugin: str
    point: str
    error: str
    message: str = ""
    uid: str = ""


class CycleFinished(Event, frozen=True, kw_only=True, tag="cycle_finished"):
    """End of a scheduling cycle. ``outcome``: scheduled, unschedulable, error, skipped (pod gone or terminating).

    ``message`` is the FitError text or the error; ``plugins`` the unschedulable plugins recorded for requeueing.
    """

    cycle: int
    pod: str
    outcome: str
    node: str = ""
    message: str = ""
    plugins: tuple[str, ...] = ()
    pending_plugins: tuple[str, ...] = ()


class Missing(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A workload, named by kind and namespace/name, that lacks pods.

    Of ``desired`` pods, ``bound`` are bound (for a Job: or have succeeded), and ``unmade`` were never created. ``why``
    says what prevents it, if that is known."""

    workload: str
    # Recordings have it under this name.
    desired: int = msgspec.field(name="wanted")
    bound: int
    unmade: int = 0
    why: str = ""


class RunFinished(Event, frozen=True, kw_only=True, tag="run_finished"):
    """The last event; ``reason`` says why the run ended. ``missing`` are the first of ``n_short`` workloads that lack
    pods."""

    reason: str
    cycles: int
    bound: int
    pending: int
    missing: tuple[Missing, ...] = ()
    n_short: int = 0


class MatrixDigest(Event, frozen=True, kw_only=True, tag="matrix_digest"):
    """SHA-256 (hex) over the full plugin x node matrix of the cycle, in a form without rows, ids and dtypes."""

    cycle: int
    digest: str


AnyEvent = (
    ObjectChanged
    | CreationRefused
    | InputsChanged
    | QueueMove
    | CycleStarted
    | PointFinished
    | ExtendersFiltered
    | NodesFiltered
    | ExtendersScored
    | NodesScored
    | HostSelected
    | ExtendersPreempted
    | PreemptionDecided
    | Nominated
    | Reserved
    | Unreserved
    | PermitWaiting
    | PermitDecided
    | ExtendersBound
    | Bound
    | PluginFailed
    | CycleFinished
    | MatrixDigest
    | RunFinished
)

PASSING: frozenset[type[Event]] = frozenset(
    {PointFinished, ExtendersFiltered, NodesFiltered, ExtendersScored, NodesScored, HostSelected, MatrixDigest}
)
"""Events that change nothing but the progress of their own cycle."""
