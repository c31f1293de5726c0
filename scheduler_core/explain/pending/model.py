"""The answers about a pending pod as typed, plain structs; ``msgspec.to_builtins`` makes JSON of them.

Times are virtual microseconds, pods namespace/name, amounts canonical integers.
"""

from __future__ import annotations

import msgspec

from scheduler_core.explain.outcomes.model import Part
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.recording.events import Refusal

NOT_CREATED, GONE_BEFORE = "not created", "gone before the run"
STUCK, ON_PURPOSE = "rollout stuck", "rollout waits on purpose"
WITHOUT_TIME = (NOT_CREATED, GONE_BEFORE)
"""States of what is no part of the run, whose clock says nothing of them."""


class PendingAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt: its cycle with first and last seq, how it ended, who was first to refuse how many nodes, and what
    had brought the pod back: the event and the plugin whose hint let it through, past the backoff that it sat out; ""
    for one that came back from its backoff alone."""

    number: int
    cycle: int
    first_seq: int
    last_seq: int
    at: int
    outcome: str
    n_nodes: int
    node: str = ""
    message: str = ""
    plugins: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    woken_by: str = ""
    woken_plugin: str = ""


class Between(msgspec.Struct, frozen=True, kw_only=True):
    """What changed between attempt ``after`` and attempt ``before``, ``span_us`` of virtual time later: ``changes`` of
    objects in words, none where none happened; ``verdicts`` says how the refusals differ, "" where either attempt
    refused no node. Without ``is_read`` too much happened for its events to be read."""

    after: int
    before: int
    span_us: int
    changes: tuple[str, ...]
    same_verdicts: bool
    verdicts: str
    is_read: bool = True

    @property
    def text(self) -> str:
        """What happened, in one sentence part."""
        if not self.is_read:
            return "more happened than is read here"
        return "; ".join(self.changes) or "nothing happened to nodes and pods"


class ResourceRange(msgspec.Struct, frozen=True):
    """What the pod asks of a resource, and the least and the most that is free of it on the nodes of a group: below 0
    where more is promised to nominated pods than there is."""

    resource: str
    asked: int
    least_free: int
    most_free: int


class RefusedNodeGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes with equal obstacles: ``title`` says these, ``plugin`` is the first that refuses them, ``reasons`` its own
    words. ``shared`` is what the nodes have in common.

    ``unresolvable``: evicting pods would not help. ``hidden``: plugins that refuse these nodes as well; ``only`` nodes
    are refused by nothing else. The other fields are those of answers before causes were data, and empty.
    """

    plugin: str
    reasons: tuple[str, ...]
    nodes: tuple[str, ...]
    title: str
    detail: str = ""
    shared: str = ""
    unresolvable: bool = False
    only: int = 0
    hidden: tuple[tuple[str, int], ...] = ()
    resource: str = ""
    free: ResourceRange | None = None

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)


class DominantReason(msgspec.Struct, frozen=True):
    """The cause in the form that answers had before causes were data: ``title`` is its sentence, ``plugin`` the first
    that it is of. The other fields are empty."""

    title: str
    parts: tuple[Part, ...] = ()
    next_step: str = ""
    plugin: str = ""
    attempts: int = 0
    of: int = 0
    over: str = ""


class Taker(msgspec.Struct, frozen=True, kw_only=True):
    """Pods of one owner and priority that were placed since: how many, what they request, in which cycles.

    Cycle 0 stands for placements without the scheduler's doing.
    """

    owner: str
    priority: int
    pods: tuple[str, ...]
    requested: dict[str, int]
    cycles: tuple[int, ...]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """Who took the room on ``nodes`` since ``since_seq``; ``pods`` counts slots as resource "pods".

    For every resource ``before`` + sum of ``takers`` - ``left`` = ``now``. ``left`` is of pods that were there and are
    not any more.
    """

    nodes: tuple[str, ...]
    since_seq: int
    seq: int
    takers: tuple[Taker, ...]
    before: dict[str, int]
    left: dict[str, int]
    now: dict[str, int]
    allocatable: dict[str, int]
    gone: tuple[str, ...] = ()


class PodNode(msgspec.Struct, frozen=True):
    """A pod in a graph of preemptions; ``preempted``: it is a victim in it. ``priority``: None for a pod that neither
    the inputs nor the recording have."""

    pod: str
    preempted: bool
    priority: int | None = None


class Preempted(msgspec.Struct, frozen=True):
    """An edge: a pod preempted another on a node, in which cycle and by which event."""

    preemptor: str
    victim: str
    node: str
    cycle: int
    seq: int


class PreemptionGraph(msgspec.Struct, frozen=True):
    """Preemptors and victims across cycles, edges in order of their seqs."""

    nodes: tuple[PodNode, ...] = ()
    edges: tuple[Preempted, ...] = ()


class Timer(msgspec.Struct, frozen=True):
    """A timer that brings the pod back, or ends its wait; ``left_us`` of virtual time from the cursor."""

    kind: str
    at: int
    left_us: int
    since: int
    text: str = msgspec.field(name="words")  # the name in the JSON of the command line


class Waker(msgspec.Struct, frozen=True):
    """A cluster event for which plugins that refused the pod registered; those of ``hinting`` look at the objects and
    may pass it over, the others let every such event bring the pod back."""

    event: str
    resource: str
    plugins: tuple[str, ...]
    hinting: tuple[str, ...]


class HintsAsked(msgspec.Struct, frozen=True, kw_only=True):
    """What the hints answer to one kind of change, tried with every object of the cluster: ``waking`` names the
    first of the ``count`` of ``of`` objects whose change would bring the pod back. That it fits then is not said.

    AssignedPodDelete: a pod leaves its node. NodeAdd: a node comes with labels, taints and capacity of one that is
    there.
    """

    event: str
    waking: tuple[str, ...]
    count: int
    of: int

    @property
    def text(self) -> str:
        """ "deleting 3 of 16 placed pods would wake it, the other 13 would not" """
        thing, what = ("node", "adding a node like") if self.event == "NodeAdd" else ("placed pod", "deleting")
        if self.count in (0, self.of):
            would = "would wake it" if self.count else "would not wake it"
            return f"{what} {'any of ' if self.of > 1 else ''}the {plural(self.of, thing)} {would}"
        left = self.of - self.count
        return f"{what} {self.count:,} of {self.of:,} {thing}s would wake it, the other {left:,} would not"


class Wakes(msgspec.Struct, frozen=True, kw_only=True):
    """What brings the pod back: where it is in the queue, timers, events, and what the hints say of objects there."""

    pod: str
    lane: str
    timers: tuple[Timer, ...] = ()
    events: tuple[Waker, ...] = ()
    plugins: tuple[str, ...] = ()
    asked: tuple[HintsAsked, ...] = ()
    # The command line's JSON has it under this name.
    text: str = msgspec.field(default="", name="words")
    not_by: tuple[str, ...] = ()
    """What people expect to wake it and does not, each with its reason."""


class WhyPending(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer at a cursor. ``state``: "pending", "placed", "decided" (by the input, and not bound),
    "gone", "gated", "untried" or "unknown", or NOT_CREATED of a workload whose pods admission refused, STUCK or
    ON_PURPOSE of one whose rollout is unfinished, or GONE_BEFORE of a pod that is gone by the input."""

    pod: str
    seq: int
    at: int
    state: str
    because: DominantReason
    attempts: tuple[PendingAttempt, ...] = ()
    between: tuple[Between, ...] = ()
    groups: tuple[RefusedNodeGroup, ...] = ()
    message: str = ""
    node: str = ""
