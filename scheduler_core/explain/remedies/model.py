"""Remedies as answers: plain values that page, command line and API show alike."""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.manifests.writing.json_edits import JsonEdit

REQUEST, TOLERATION, SELECTOR, CONSTRAINT, PORT = "request", "toleration", "selector", "constraint", "port"
LABEL, CORDON, BIGGER_NODE, NEW_NODE = "label", "cordon", "bigger node", "new node"
PODS_GONE, PRIORITY, CONDITION = "pods gone", "priority", "condition"
TAINT, VOLUME, VOLUME_LIMIT, DEVICES, GATE = "taint", "volume", "volume limit", "device claim", "scheduling gate"
GANG, SCHEDULER, WAITING, STRATEGY = "gang", "scheduler name", "waiting", "rollout strategy"
QUOTA, LIMITS, CLASS = "quota", "limit range", "class"
VERIFIED, NOT_ENOUGH, NOT_TRIED, UNKNOWN = "verified", "not enough", "not tried", "unknown"


class ProposedEdit(msgspec.Struct, frozen=True):
    """One change: of the pod tried or of ``node``; ``before`` and ``after`` in words, "" for what was or is not there.

    ``kind`` is one of the constants of this module, ``subject`` what is changed: a resource, a label, a topology key, a
    claim (namespace/name), a volume. ``code`` is the published kind of remedy (codes.py). ``op``, ``object``, ``path``
    and ``value`` are the edit of the object itself, once it was tried (proposed_edits.py).
    """

    kind: str
    subject: str
    before: str = ""
    after: str = ""
    node: str = ""
    code: str = ""
    op: str = ""
    object: str = ""
    path: str = ""
    value: Any = None

    @property
    def as_json(self) -> JsonEdit:
        """The edit of the object alone, as ``--would``, branches and drafts take it."""
        return JsonEdit(self.op, self.object, self.path, self.value)  # type: ignore[arg-type]


class Remedy(msgspec.Struct, frozen=True):
    """A change that was, or could have been, tried.

    ``kind``: that of its first edit. ``text`` says the change in a sentence part. ``nodes`` are names of equal nodes
    for which it was made up, the first of ``n_nodes``. ``size`` as in the room's head. ``status``: VERIFIED, NOT_ENOUGH
    (tried in vain), NOT_TRIED or UNKNOWN (it asks extenders for what the run's tape has no answer for). ``node`` is
    what the engine chose, or the node that preemption nominates (then ``victims`` go), ``tied`` among how many it was
    drawn, ``n_fit`` how many nodes fit. ``failure`` is the engine's message where it was not enough. ``unanswered`` is
    the request that is not on the tape: of an unknown remedy what would have to be known, of a verified one what would
    have decided among the nodes that fit. ``budgets`` are the disruption budgets (namespace/name) that do not allow all
    pods that leave to be evicted: these can be deleted, or preempted as a last choice. ``seconds`` is what trying it
    took.
    """

    kind: str
    text: str
    edits: tuple[ProposedEdit, ...]
    size: float
    nodes: tuple[str, ...] = ()
    n_nodes: int = 0
    status: str = NOT_TRIED
    node: str = ""
    tied: int = 0
    n_fit: int = 0
    victims: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    failure: str = ""
    unanswered: str = ""
    seconds: float = 0.0
    code: str = ""
    """The published kind of its first edit."""
    actor: str = ""
    """Who can carry it out."""
    opens: tuple[str, ...] = ()
    """The first nodes that fit then."""
    reading: int = 0
    """Which reading of the cause it removes: 0 the cause, 1 the first after it."""
    assumed: str = ""
    """What was assumed to try it: "Ready=True"."""
    then: str = ""
    """What a whole run then came to, where it was tried by one: "the rollout then ends", "not enough"."""


class Remedies(msgspec.Struct, frozen=True):
    """The answer for one pod: what is ``verified``, what was tried and is ``not_enough`` or ``unknown``, and what was
    ``not_tried`` as the deadline came or enough others were; each by reading of the cause, actor and size.

    ``fits``: the pod fits as it is, so that nothing was looked for. ``unanswered``: the request of the attempt without
    changes that is not on the tape, so that it is unknown whether the pod fits as it is. ``seq`` is how many events led
    to the state, ``failure`` what the attempt without changes ended with; ``in_time`` False where the deadline cut the
    search short. ``left_to``: why nothing was tried, where what the pod waits for is not played.
    """

    pod: str
    seq: int
    fits: bool
    failure: str
    verified: tuple[Remedy, ...] = ()
    not_enough: tuple[Remedy, ...] = ()
    unknown: tuple[Remedy, ...] = ()
    not_tried: tuple[Remedy, ...] = ()
    in_time: bool = True
    seconds: float = 0.0
    unanswered: str = ""
    left_to: str = ""
