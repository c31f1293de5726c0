"""The outcomes of a run, as plain values to store and show. Times are virtual microseconds, -1 where unknown; amounts
of resources are the canonical integers (cpu in thousandths, others whole units)."""

from __future__ import annotations

import msgspec
import zstandard

from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.outcomes.making.model import QuotaUse, RolloutOutcome, RolloutSpan, Short
from scheduler_core.recording.quantities import lead

VERSION = 7
"""Of this format: what is stored under another one is computed again."""

PENDING, PREEMPTED, LOST, ERROR, GATED = "pending", "preempted", "lost", "error", "gated"
WAITING, BOUND, COMPLETED, DELETED = "permit", "bound", "completed", "deleted"
KINDS = (PENDING, ERROR, PREEMPTED, LOST, GATED, WAITING, BOUND, COMPLETED, DELETED)
"""How a pod can have ended, what needs a look first. A pod has exactly one.

``pending``: has no node; ``error``: its last attempt failed by an error, or a plugin raised; ``preempted``: evicted for
another pod, or being evicted; ``lost``: went with its node; ``gated``: has scheduling gates; ``permit``: waits at
Permit; ``bound``: is bound; ``completed``: ran to its end; ``deleted``: removed otherwise.
"""
UNPLACED = (PENDING, ERROR, GATED, WAITING)
"""The kinds of pods that are there and have no node."""
_LEVEL, _MAX_BYTES = 3, 1 << 30


class Part(msgspec.Struct, frozen=True, array_like=True):
    """A part of a sentence; ``strong`` ones are emphasised."""

    text: str
    strong: bool = False


class Scarce(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a resource is requested on the nodes that the selectors of a group's pods allow.

    ``where`` names these nodes, "" for all of them.
    """

    resource: str
    where: str
    requested: int
    allocatable: int


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Pods that ended in one way for one reason. ``id`` is the same in every summary of the run.

    ``plugins`` refused or failed them, those that refused most nodes first. ``hopeless``: no change of what runs on the
    nodes helps. ``too_large``: the resource of which the first of its pods asks most beyond any node, "" where that is
    not the reason. ``under_way``: the run goes on and has not decided yet. ``n_pods`` and ``longest`` (wait, -1 where
    none is known) are over its pods; ``why`` is the index of the pod that waits longest.
    """

    id: str
    kind: str
    title: str
    evidence: tuple[Part, ...] = ()
    plugins: tuple[str, ...] = ()
    scarce: Scarce | None = None
    hopeless: bool = False
    too_large: str = ""
    under_way: bool = False
    n_pods: int = 0
    longest: int = -1
    why: int = -1


class Owner(msgspec.Struct, frozen=True, array_like=True):
    """The workload that owns pods: ``title`` as "Deployment web", or "train-*" for pods without an owner."""

    namespace: str
    title: str
    is_owner: bool


class SmallestShortfall(msgspec.Struct, frozen=True, array_like=True):
    """The smallest amount of the scarce resource that a pod lacks on any node, and on how many nodes it lacks that."""

    resource: str
    missing: int
    nodes: int


class PodOutcome(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One pod of the run. ``uid`` is "" for the first of its name; ``requests`` an index into ``Outcomes.requests``.

    ``group`` and ``owner`` are indexes; ``cycle`` is its last attempt (0: none), ``wait`` from its arrival in the queue
    until it was bound or left, or so far where it ``still_waits``; ``spent`` is where that went, in the order of
    records.PARTS, from ``came`` on. ``ties`` is how many nodes had the best total when it was placed; ``total`` and
    ``second`` are -1 where nothing was scored or there was no runner-up. ``by``: who preempted it, or which node it was
    lost with. ``preempted_in``: the cycle that made it a victim, 0 where none did.
    """

    pod: str
    group: int
    owner: int
    requests: int
    priority: int = 0
    uid: str = ""
    attempts: int = 0
    cycle: int = 0
    wait: int = -1
    node: str = ""
    ties: int = 0
    total: int = -1
    second: int = -1
    by: str = ""
    nearest: SmallestShortfall | None = None
    preempted_in: int = 0
    still_waits: bool = False
    spent: tuple[int, ...] = ()
    came: int = -1

    @property
    def margin(self) -> int | None:
        """The winner's lead, None where there was no other."""
        return lead(self.total, self.second)


class CloseCall(msgspec.Struct, frozen=True, array_like=True):
    """A placement that was drawn or won narrowly: the index of its pod, its cycle, and the figures as in PodOutcome."""

    pod: int
    cycle: int
    ties: int
    total: int
    second: int

    @property
    def margin(self) -> int | None:
        """The winner's lead, None where there was no other."""
        return lead(self.total, self.second)


class Placements(msgspec.Struct, frozen=True, kw_only=True):
    """How narrowly the run placed pods (recording.quantities): ``n`` placements, of which ``ties`` were drawn and
    ``narrow`` won by a small lead, each in the order of the cycles; ``alone`` had no second node."""

    n: int = 0
    ties: list[CloseCall] = []
    narrow: list[CloseCall] = []
    alone: int = 0


class Line(msgspec.Struct, frozen=True):
    """A resource over time: its amounts at the samples, and at the end how it is spread.

    ``requested`` and ``allocatable`` have one value per sample; ``deviation`` is the standard deviation over nodes of
    the requested share (0..1) at the end.
    """

    resource: str
    requested: list[int]
    allocatable: list[int]
    deviation: float

    @property
    def share(self) -> float | None:
        """The share requested at the end, None where no node has the resource."""
        return self.requested[-1] / self.allocatable[-1] if self.allocatable and self.allocatable[-1] else None


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """Samples over the run: time, number of events before, lengths of the queue's lanes (``peaks`` has the longest),
    resources, scarcest first, and devices of classes, by what claims have of what there is."""

    at: list[int]
    seq: list[int]
    lanes: dict[str, list[int]]
    peaks: dict[str, int]
    resources: list[Line]
    devices: list[Line] = []


class Room(msgspec.Struct, frozen=True, array_like=True):
    """A group of nodes at the end: ``free`` of the resource, on how many of its ``nodes`` a whole unit is free, and how
    many pending pods' selectors allow some of its nodes: a pod counts in each group that it may go to."""

    name: str
    free: int
    fitting: int
    nodes: int
    allowed: int


class Fragmentation(msgspec.Struct, frozen=True, kw_only=True):
    """Room that is left of the scarcest resource; ``unit`` is what the pods ask for most often.

    ``label`` is the node label that groups the nodes, "" where all are one group.
    """

    resource: str
    unit: int
    label: str
    rooms: list[Room]


class Waits(msgspec.Struct, frozen=True, kw_only=True):
    """Waits of the run's bindings: median, 95th percentile, maximum; those of pending pods so far. -1 for none."""

    p50: int = -1
    p95: int = -1
    longest: int = -1
    pending_p50: int = -1
    pending_longest: int = -1


class WaitOfPriority(msgspec.Struct, frozen=True, array_like=True):
    """The pods of one priority that came to the queue: how many, and where their wait went, in the order of
    records.PARTS. ``name`` is that of the PriorityClass, "" where none has this value."""

    priority: int
    name: str
    pods: int
    spent: tuple[int, ...]


class PreemptionTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What preemption did: decisions, how many found victims, pods evicted, violated budgets; ``refused`` is
    [(reason, nodes)] of the last decision that found no candidate."""

    tries: int = 0
    successful: int = 0
    victims: int = 0
    violations: int = 0
    refused: list[tuple[str, int]] = []
    message: str = ""


class PluginFailures(msgspec.Struct, frozen=True, array_like=True):
    """How often a plugin raised one type of exception at a point; ``message`` and ``seq`` are the first's."""

    plugin: str
    point: str
    error: str
    message: str
    seq: int
    count: int


class Outcomes(msgspec.Struct, kw_only=True):
    """A run at event ``seq``. Groups come in the order of KINDS, the largest first; ``pods`` in order of arrival."""

    seq: int
    at: int
    cycles: int
    n_nodes: int
    counts: dict[str, int]
    groups: list[Group]
    owners: list[Owner]
    requests: list[tuple[tuple[str, int], ...]]
    pods: list[PodOutcome]
    short: list[Short]
    n_short: int
    series: Series
    fragmentation: Fragmentation | None
    waits: Waits
    bindings: int
    """How many pods the run bound, whatever became of them; ``counts`` has those that are bound at the end."""
    placements: Placements
    by_priority: list[WaitOfPriority]
    """By falling priority."""
    evictions: PreemptionTotals
    failures: list[PluginFailures]
    """Exceptions of plugins, the most frequent first."""
    n_failures: int
    attempts: dict[str, list[int]]
    """{"bound", "pending": how many pods had one attempt, two, three or more}."""
    doubts: tuple[AnswerDoubt, ...] = ()
    """What may falsify it."""
    has_admission: bool = False
    """Whether quotas or ranges of limits are there and played."""
    quotas: list[QuotaUse] = []
    rollouts: list[RolloutOutcome] | None = None
    """Those that are unfinished at the end; None where none are played, or the run goes on."""
    spans: list[RolloutSpan] = []
    """All that the run began, in order of time."""


_decode = msgspec.msgpack.Decoder(Outcomes).decode


def encode_outcomes(outcomes: Outcomes) -> bytes:
    """The summary as compressed MessagePack."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(outcomes))


def decode_outcomes(blob: bytes) -> Outcomes:
    """The summary again. Raises ValueError for damaged bytes and those of another version."""
    try:
        return _decode(zstandard.ZstdDecompressor().decompress(blob, max_output_size=_MAX_BYTES))
    except (zstandard.ZstdError, msgspec.MsgspecError) as error:
        raise ValueError(f"the summary cannot be read: {error}") from error
