"""The one list of fields that a query can name; documentation, completion, evaluation and SQL follow from it.

A field belongs to one subject. Cells, moves, preemptions and events take the fields of their cycle over, where they
have no field of that name themselves; what belongs to no cycle has none of these values, so that no comparison holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from scheduler_core.framework.contracts.plugin import (
    FilterPlugin,
    PostFilterPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    ScorePlugin,
)
from scheduler_core.profiles.registry import IN_TREE
from scheduler_core.recording.events import LANES
from scheduler_core.recording.quantities import NARROW


class QuerySubject(StrEnum):
    """What a query is about; in the order in which the subject is inferred from the fields."""

    CYCLE = "cycle"
    CELL = "cell"
    MOVE = "move"
    PREEMPTION = "preemption"
    EVENT = "event"

    @property
    def help(self) -> str:
        """What one of it is."""
        return _SUBJECTS[self]


_SUBJECTS = {
    QuerySubject.CYCLE: "a scheduling cycle: one attempt to schedule one pod",
    QuerySubject.CELL: "what one plugin said of one node in one cycle",
    QuerySubject.MOVE: "a pod moved to another place in the queue",
    QuerySubject.PREEMPTION: "what a preemption attempt decided",
    QuerySubject.EVENT: "anything that was recorded",
}


class FieldKind(StrEnum):
    """What values a field has, and so how it is compared."""

    NUMBER = "number"
    TIME = "time"
    NAME = "name"
    POD = "pod"
    CHOICE = "choice"
    TEXT = "text"
    FLAG = "flag"

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators that it takes, none for a flag, which stands alone."""
        return _OPERATORS[self]

    @property
    def takes(self) -> str:
        """The kind of value that follows the operator, as errors name it."""
        return _TAKES[self]


_EQUALITY = (":", "=", "!=")
_ORDER = (*_EQUALITY, "<", "<=", ">", ">=")
_NAMES = (*_EQUALITY, "~")
_OPERATORS = {
    FieldKind.NUMBER: _ORDER,
    FieldKind.TIME: _ORDER,
    FieldKind.NAME: _NAMES,
    FieldKind.POD: _NAMES,
    FieldKind.CHOICE: _EQUALITY,
    FieldKind.TEXT: _NAMES,
    FieldKind.FLAG: (),
}
_TAKES = {
    FieldKind.NUMBER: "a whole number",
    FieldKind.TIME: "a time such as 90s, 250ms or 1h30m",
    FieldKind.NAME: "a name, with * for any part of it",
    FieldKind.POD: "namespace/name or name, with * for any part of it",
    FieldKind.CHOICE: "one of its values",
    FieldKind.TEXT: "a text, in double quotes where it has blanks",
    FieldKind.FLAG: "nothing: it stands alone",
}


class Field(msgspec.Struct, frozen=True, eq=False):
    """A field of one subject. ``source`` names the event and its field, or the part of a frame, that the value is of.

    ``choices`` are the values of a CHOICE, or examples of a NAME for completion. ``is_any``: the subject may have
    several values, and a comparison holds where it holds for one of them.
    """

    subject: QuerySubject
    name: str
    kind: FieldKind
    help: str
    source: str
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    is_any: bool = False


TIE_QUERY, NARROW_QUERY = "tie", "narrow"
"""The queries that find the ties and the narrow wins of a run."""
OUTSIDE = "outside"
"""How a query names the place of a pod that is in none of the queue's lanes."""
OUTCOMES = ("scheduled", "unschedulable", "error", "skipped")
VERDICTS = ("passed", "refused", "not_evaluated")
CODES = ("Error", "Unschedulable", "UnschedulableAndUnresolvable", "Pending")
EVENT_TYPES = (
    "object",
    "creation_refused",
    "inputs",
    "queue_move",
    "cycle_started",
    "point_finished",
    "extenders_filtered",
    "nodes_filtered",
    "extenders_scored",
    "nodes_scored",
    "host_selected",
    "extenders_preempted",
    "preemption",
    "nominated",
    "reserved",
    "unreserved",
    "permit_waiting",
    "permit_decided",
    "extenders_bound",
    "bound",
    "plugin_failed",
    "cycle_finished",
    "matrix_digest",
    "run_finished",
)
_SPEAKING = (PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, PostFilterPlugin, ScorePlugin)
_PLUGINS = tuple(sorted(plugin.name for plugin in IN_TREE if issubclass(plugin, _SPEAKING)))
"""The plugins of kube-scheduler that say something of a pod or a node."""
_CAUSES = (
    "AssignedPodAdd",
    "AssignedPodDelete",
    "BackoffComplete",
    "NodeAdd",
    "NodeDelete",
    "Popped",
    "ScheduleAttemptFailure",
    "UnschedulablePodAdd",
    "UnschedulableTimeout",
)
_LANES = (*LANES, OUTSIDE)
_CRITERIA = (
    "fewest_violations",
    "lowest_highest_priority",
    "lowest_priority_sum",
    "fewest_victims",
    "latest_start",
    "only",
    "draw",
    "none",
)

_NUMBER, _TIME, _NAME, _POD = FieldKind.NUMBER, FieldKind.TIME, FieldKind.NAME, FieldKind.POD
_CHOICE, _TEXT, _FLAG = FieldKind.CHOICE, FieldKind.TEXT, FieldKind.FLAG
_CYCLE, _CELL, _MOVE = QuerySubject.CYCLE, QuerySubject.CELL, QuerySubject.MOVE
_PREEMPTION, _EVENT = QuerySubject.PREEMPTION, QuerySubject.EVENT

FIELDS: tuple[Field, ...] = (
    Field(_CYCLE, "cycle", _NUMBER, "number of the cycle, from 1", "CycleStarted.cycle"),
    Field(_CYCLE, "seq", _NUMBER, "seq of the cycle's first event", "seq of CycleStarted"),
    Field(_CYCLE, "at", _TIME, "virtual time since the start of the run", "CycleStarted.at"),
    Field(_CYCLE, "pod", _POD, "the pod that was tried", "CycleStarted.pod"),
    Field(_CYCLE, "namespace", _NAME, "the pod's namespace", "CycleStarted.pod"),
    Field(
        _CYCLE,
        "attempt",
        _NUMBER,
        "how often the pod was tried, with this one",
        "CycleStarted.attempt",
        (),
        ("attempts",),
    ),
    Field(_CYCLE, "profile", _NAME, "the pod's scheduler", "CycleStarted.profile", ("default-scheduler",)),
    Field(_CYCLE, "priority", _NUMBER, "the pod's priority", "CycleStarted.priority"),
    Field(_CYCLE, "outcome", _CHOICE, "how the cycle ended", "CycleFinished.outcome", OUTCOMES),
    Field(_CYCLE, "node", _NAME, "the node that the pod was given", "CycleFinished.node"),
    Field(_CYCLE, "chosen", _NAME, "the node that the pod was given, also of a cell", "CycleFinished.node"),
    Field(_CYCLE, "message", _TEXT, "why the pod could not be scheduled", "CycleFinished.message"),
    Field(_CYCLE, "nodes", _NUMBER, "nodes of the cluster", "CycleStarted.n_nodes"),
    Field(_CYCLE, "visited", _NUMBER, "nodes that the filters looked at", "NodesFiltered.visited"),
    Field(_CYCLE, "feasible", _NUMBER, "nodes that passed all filters", "NodesFiltered.feasible"),
    Field(_CYCLE, "total", _NUMBER, "the chosen node's total score", "HostSelected.total"),
    Field(_CYCLE, "second", _NAME, "the runner-up", "HostSelected.second"),
    Field(_CYCLE, "margin", _NUMBER, "lead of the chosen node over the runner-up", "HostSelected.total, second_total"),
    Field(_CYCLE, "ties", _NUMBER, "nodes with the best total", "HostSelected.tie_count"),
    Field(
        _CYCLE,
        "tie",
        _FLAG,
        "the pod was placed by a draw among several nodes with the best total",
        "CycleFinished.outcome, HostSelected.tie_count",
    ),
    Field(
        _CYCLE,
        "narrow",
        _FLAG,
        f"the pod was placed without a tie, by a lead of fewer than {NARROW} points",
        "CycleFinished.outcome, HostSelected.tie_count, total, second_total",
    ),
    Field(_CYCLE, "preempting", _FLAG, "other pods were evicted for the pod", "PreemptionDecided.nominated_node"),
    Field(
        _CYCLE,
        "refusal.plugin",
        _NAME,
        "a plugin that was first to refuse a node",
        "NodesFiltered.refusals",
        _PLUGINS,
        is_any=True,
    ),
    Field(_CYCLE, "refusal.reason", _TEXT, "a reason that counted for a node", "NodesFiltered.refusals", is_any=True),
    Field(
        _CYCLE, "refusal.nodes", _NUMBER, "how many nodes one reason ruled out", "NodesFiltered.refusals", is_any=True
    ),
    Field(
        _CYCLE,
        "decided_by",
        _NAME,
        "a score plugin without which another node would have won",
        "NodesScored.plugins",
        _PLUGINS,
        is_any=True,
    ),
    Field(_CELL, "plugin", _NAME, "the filter or score plugin", "frame, its plugins", _PLUGINS),
    Field(_CELL, "node", _NAME, "the node that the plugin spoke about", "ObjectChanged.row"),
    Field(_CELL, "verdict", _CHOICE, "what the filter said of the node", "frame, codes and decisive", VERDICTS),
    Field(_CELL, "decisive", _FLAG, "the refusal is the node's first, which counts", "frame, decisive and overlay"),
    Field(_CELL, "code", _CHOICE, "the status with which the filter refused", "frame, codes", CODES),
    Field(_CELL, "reason", _TEXT, "the filter's reasons, joined by a comma", "frame, reasons"),
    Field(_CELL, "raw", _NUMBER, "the score that the plugin gave", "frame, raw"),
    Field(_CELL, "score", _NUMBER, "the score after normalising, 0 to 100", "frame, raw and normalizations"),
    Field(_CELL, "weight", _NUMBER, "the score plugin's weight", "frame, weights"),
    Field(_MOVE, "seq", _NUMBER, "seq of the move", "seq of QueueMove"),
    Field(_MOVE, "at", _TIME, "virtual time since the start of the run", "QueueMove.at"),
    Field(_MOVE, "pod", _POD, "the pod that moved", "QueueMove.pod"),
    Field(_MOVE, "namespace", _NAME, "the pod's namespace", "QueueMove.pod"),
    Field(_MOVE, "from", _CHOICE, "where the pod was", "QueueMove.source", _LANES),
    Field(_MOVE, "to", _CHOICE, "where the pod went", "QueueMove.target", _LANES),
    Field(_MOVE, "cause", _NAME, "the cluster event or timer that moved it", "QueueMove.event", _CAUSES),
    Field(_MOVE, "plugin", _NAME, "the plugin whose hint let it through", "QueueMove.plugin", _PLUGINS),
    Field(_MOVE, "attempt", _NUMBER, "how often the pod was tried before", "QueueMove.attempts", (), ("attempts",)),
    Field(_MOVE, "priority", _NUMBER, "the pod's priority", "QueueMove.priority"),
    Field(_MOVE, "backoff", _TIME, "how long the pod backs off from here", "QueueMove.backoff_until, at"),
    Field(_PREEMPTION, "seq", _NUMBER, "seq of the decision", "seq of PreemptionDecided"),
    Field(_PREEMPTION, "at", _TIME, "virtual time since the start of the run", "PreemptionDecided.at"),
    Field(_PREEMPTION, "pod", _POD, "the pod that asked for room", "PreemptionDecided.pod"),
    Field(_PREEMPTION, "namespace", _NAME, "the pod's namespace", "PreemptionDecided.pod"),
    Field(_PREEMPTION, "node", _NAME, "the node that is cleared for it", "PreemptionDecided.nominated_node"),
    Field(_PREEMPTION, "eligible", _FLAG, "the pod may preempt others", "PreemptionDecided.eligible"),
    Field(
        _PREEMPTION, "criterion", _CHOICE, "what decided among the candidates", "PreemptionDecided.criterion", _CRITERIA
    ),
    Field(_PREEMPTION, "message", _TEXT, "why nothing was evicted", "PreemptionDecided.message"),
    Field(_PREEMPTION, "candidates", _NUMBER, "nodes that could have been cleared", "PreemptionDecided.candidates"),
    Field(_PREEMPTION, "victims", _NUMBER, "pods that are evicted", "PreemptionDecided.chosen"),
    Field(_PREEMPTION, "violations", _NUMBER, "disruption budgets that are broken", "PreemptionDecided.chosen"),
    Field(_PREEMPTION, "victim", _POD, "a pod that is evicted", "PreemptionDecided.chosen", is_any=True),
    Field(_PREEMPTION, "victim.namespace", _NAME, "its namespace", "PreemptionDecided.chosen", is_any=True),
    Field(_PREEMPTION, "victim.priority", _NUMBER, "highest priority among the victims", "PreemptionDecided.chosen"),
    Field(_PREEMPTION, "reprieved", _POD, "a pod on the node that was spared", "PreemptionDecided.chosen", is_any=True),
    Field(_EVENT, "seq", _NUMBER, "seq of the event", "seq"),
    Field(_EVENT, "at", _TIME, "virtual time since the start of the run", "at"),
    Field(_EVENT, "type", _CHOICE, "what happened", "the event's type", EVENT_TYPES),
    Field(_EVENT, "cycle", _NUMBER, "number of the cycle that it belongs to", "cycle, or the events around it"),
    Field(_EVENT, "pod", _POD, "the pod that it is about", "pod, or key of a Pod, or the cycle's pod"),
    Field(_EVENT, "namespace", _NAME, "the namespace of pod or object", "pod or key"),
    Field(_EVENT, "node", _NAME, "the node that it names", "node, nominated_node, or key of a Node"),
    Field(
        _EVENT, "plugin", _NAME, "a plugin that it names", "plugin, plugins, statuses, refusals", _PLUGINS, is_any=True
    ),
    Field(_EVENT, "kind", _NAME, "kind of the object that changed", "ObjectChanged.kind", ("Node", "Pod")),
    Field(_EVENT, "object", _NAME, "namespace/name or name of the object that changed", "ObjectChanged.key"),
    Field(_EVENT, "claim", _NAME, "namespace/name of the resource claim that changed", "ObjectChanged.key, kind"),
    Field(_EVENT, "device", _NAME, "driver/pool/device that the claim has", "ObjectChanged.object", is_any=True),
    Field(_EVENT, "device.class", _NAME, "a device class that the claim asks for", "ObjectChanged.object", is_any=True),
    Field(
        _EVENT, "device.driver", _NAME, "the driver of a device that the claim has", "ObjectChanged.object", is_any=True
    ),
    Field(_EVENT, "action", _CHOICE, "what was done to it", "ObjectChanged.action", ("added", "updated", "deleted")),
    Field(_EVENT, "cause", _TEXT, "why: of a change by the engine or a move", "ObjectChanged.cause, QueueMove.event"),
    Field(
        _EVENT,
        "point",
        _NAME,
        "the extension point",
        "PointFinished.point, PluginFailed.point",
        ("PreFilter", "PostFilter", "Reserve", "Permit", "PreBind", "Bind"),
    ),
    Field(_EVENT, "message", _TEXT, "its message, reason or error", "message, reason, error"),
)


def _by_name(subject: QuerySubject) -> dict[str, Field]:
    own = [field for field in FIELDS if field.subject is subject]
    inherited = [field for field in FIELDS if field.subject is QuerySubject.CYCLE and subject is not QuerySubject.CYCLE]
    return {name: field for field in (*inherited, *own) for name in (field.name, *field.aliases)}


FIELDS_OF: Mapping[QuerySubject, Mapping[str, Field]] = {subject: _by_name(subject) for subject in QuerySubject}
"""The fields of each subject by name and alias, with those of its cycle."""


def subjects_with(name: str) -> tuple[QuerySubject, ...]:
    """The subjects that have the field, in order of inference."""
    return tuple(subject for subject in QuerySubject if name in FIELDS_OF[subject])
