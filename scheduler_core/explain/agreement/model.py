"""Whether the engine agrees with a real scheduler, as plain values for the page, the command line and the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from scheduler_core.explain.agreement.messages import MessageComparison
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.doubt import AnswerDoubt

Standing = Literal["only_one", "same", "tied", "lower", "refused", "static", "other_scheduler", "no_node", "undecided"]
"""How the real node of a bound pod stands in the engine's decision.

``only_one``: it is the only node that fits. ``same``: it has the best total alone. ``tied``: it shares the best total.
``lower``: it fits and others have more points. ``refused``: a filter refuses it. Not compared: ``static`` (placed by a
kubelet), ``other_scheduler`` (no profile of its schedulerName), ``no_node`` (its node is not in the input),
``undecided`` (the attempt failed with an error).
"""
AGREEING: tuple[Standing, ...] = ("only_one", "same", "tied")
DIFFERING: tuple[Standing, ...] = ("lower", "refused")

CauseKind = Literal[
    "arrivals", "sampling", "cordon", "taints", "labels", "room", "pods", "volumes", "missing", "unknown"
]
"""Why a real node and ours may differ.

``arrivals``: the engine agrees when the pods made later are taken away. ``sampling``: a real scheduler scores only
some of so large a number of fitting nodes. What refuses the node now need not have been there at the binding:
``cordon``, ``taints``, ``labels`` (node affinity), ``room``, ``pods`` (their affinity and spread), ``volumes``.
``missing``: an object that the pod needs is not in the input.
"""

PendingStanding = Literal[
    "equal", "equal_then", "counts_differ", "nodes_differ", "preemption_differs", "fits", "not_recognised",
    "no_message", "gated", "decided", "other_scheduler",
]  # fmt: skip
"""How the real message of a pending pod compares with ours.

``equal_then``: it is older than some bindings or nodes, and equal without those. ``nodes_differ``: the real one counted
more or fewer nodes than the input has. ``fits``: the engine finds a node. ``not_recognised``: the message is not in a
form that is known. ``no_message``: the input holds none.
``decided``: it has a node by the input, and waits to be bound.
"""
EQUAL: tuple[PendingStanding, ...] = ("equal_then", "equal")
NOT_COMPARED: tuple[PendingStanding, ...] = ("no_message", "gated", "decided", "other_scheduler", "not_recognised")
Order = Literal["snapshot", "created", "given"]
"""``snapshot``: each pod against all others as they are. Else pods come one after another, to the nodes that they
really have: by creationTimestamp, or in the order of the input."""


class BesidePoints(msgspec.Struct, frozen=True):
    """Weighted points of one score plugin for the real node and for ours."""

    plugin: str
    weight: int
    real: int
    ours: int


class NodeRefusal(msgspec.Struct, frozen=True):
    """A filter plugin that refuses a node, with its reasons."""

    plugin: str
    reasons: tuple[str, ...]


class LikelyCause(msgspec.Struct, frozen=True):
    """A likely cause of a difference. ``tried``: the engine decided without it, it is not a guess.

    ``younger``: pods that were made later (arrivals). ``then``: how the real node stands without the cause, its
    ``rank`` among ``fitting`` nodes; "" where it was not tried. ``lead``: points by which it then leads, None where it
    was the only one that fitted. ``beside``: causes that were taken away together with this one. ``scored`` of
    ``fitting`` nodes are scored by a real scheduler (sampling), by a search that ``begins`` at this node when tried.
    """

    kind: CauseKind
    tried: bool = False
    younger: int = 0
    lead: int | None = None
    scored: int = 0
    fitting: int = 0
    then: Standing | Literal[""] = ""
    rank: int = 0
    beside: tuple[CauseKind, ...] = ()
    begins: str = ""

    @property
    def explains(self) -> bool:
        """Whether the engine agrees without it."""
        return self.tried and self.then in AGREEING


class BoundPod(msgspec.Struct, frozen=True, kw_only=True):
    """A pod that has a node, decided again. ``best`` are the nodes of the best total, or the one that fits, by name.

    ``rank`` of the real node (1: best; 0: not ranked) among ``n_fitting`` nodes; ``gap``: points that it has less than
    the best, its own total being ``total``; ``lead``: points by which the real node alone leads. Only differences
    have ``points`` (by plugin, of the real node and ``best[0]``), ``refusals`` of the real node, ``failure`` (where no
    node fits) and ``causes`` (the likely ones first).
    """

    pod: str
    node: str
    standing: Standing
    uid: str = ""
    created: float | None = None
    best: tuple[str, ...] = ()
    n_best: int = 0
    n_fitting: int = 0
    rank: int = 0
    total: int | None = None
    gap: int = 0
    lead: int | None = None
    points: tuple[BesidePoints, ...] = ()
    refusals: tuple[NodeRefusal, ...] = ()
    failure: str = ""
    causes: tuple[LikelyCause, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether, according to the engine, a real scheduler could have made this decision on this state."""
        return self.standing in AGREEING

    @property
    def differs(self) -> bool:
        """Whether it was compared and does not agree."""
        return self.standing in DIFFERING


class OlderMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What came after a pending pod's message: ``n_pods`` were bound and ``n_nodes`` made since; ``pods`` and ``nodes``
    name the first of them. ``then``: how the messages compare without them, which was tried."""

    n_pods: int
    n_nodes: int
    pods: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    then: PendingStanding


class PendingPod(msgspec.Struct, frozen=True, kw_only=True):
    """A pod that waits: what the real scheduler said of it, and what the engine says.

    ``node``: the one that the engine finds ("" where none fits); ``ours``: its message then. ``nominated`` is the node
    that the engine's preemption would choose, "" for none. ``victims``: pods that really were preempted for it.
    ``older``: the message differs on the state as it is, and is older than some of it; where it is equal without that,
    the other fields are of the attempt without.
    """

    pod: str
    standing: PendingStanding
    uid: str = ""
    # Stored comparisons have it under this name.
    report: SchedulerReport = msgspec.field(default=SchedulerReport(), name="told")
    node: str = ""
    ours: str = ""
    nominated: str = ""
    victims: tuple[str, ...] = ()
    compared: MessageComparison | None = None
    older: OlderMessage | None = None

    @property
    def is_tried(self) -> bool:
        """Whether the engine tried it."""
        return bool(self.node or self.ours)


class AgreementFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison in figures: bound pods by ``standings``, pending pods by ``messages``.

    ``scored`` is the number of fitting nodes after which a real scheduler of this configuration stops its search; None
    if it looks at all nodes. ``n_decided`` attempts took ``seconds``. By the events, ``n_gone`` pods were preempted and
    are not in the input; ``gone`` names the first of them. ``n_finished`` pods have ended and take no room. ``doubts``:
    what decides in a real cluster and is not played, so that decisions may differ.
    """

    standings: Mapping[Standing, int]
    messages: Mapping[PendingStanding, int]
    order: Order
    n_nodes: int
    scored: int | None
    n_decided: int
    seconds: float
    gone: tuple[str, ...] = ()
    n_gone: int = 0
    n_finished: int = 0
    doubts: tuple[AnswerDoubt, ...] = ()

    @property
    def n_bound(self) -> int:
        """All bound pods."""
        return sum(self.standings.values())

    @property
    def n_pending(self) -> int:
        """All pending pods."""
        return sum(self.messages.values())

    @property
    def n_compared(self) -> int:
        """Bound pods that a scheduler of the configuration placed on a node of the input."""
        return self.n_agree + self.n_differ

    @property
    def n_agree(self) -> int:
        """Bound pods of which the real node is among the best."""
        return sum(map(self.counted, AGREEING))

    @property
    def n_differ(self) -> int:
        """Bound pods that were compared and do not agree."""
        return sum(map(self.counted, DIFFERING))

    @property
    def n_messages(self) -> int:
        """Pending pods whose real message was compared."""
        return sum(count for standing, count in self.messages.items() if standing not in NOT_COMPARED)

    @property
    def n_equal(self) -> int:
        """Pending pods of which both messages count the same."""
        return sum(self.messages.get(standing, 0) for standing in EQUAL)

    def counted(self, standing: Standing) -> int:
        """How many bound pods stand so."""
        return self.standings.get(standing, 0)


class Agreement(AgreementFigures, frozen=True, kw_only=True):
    """``bound`` and ``pending`` pods in the order of the input, with their figures."""

    bound: tuple[BoundPod, ...]
    pending: tuple[PendingPod, ...]

    @property
    def figures(self) -> AgreementFigures:
        """The figures without the pods."""
        return AgreementFigures(**{name: getattr(self, name) for name in AgreementFigures.__struct_fields__})

    @property
    def differences(self) -> tuple[BoundPod, ...]:
        """Bound pods that differ."""
        return tuple(pod for pod in self.bound if pod.differs)
