"""What the real scheduler decided, held against the state just before, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from scheduler_core.explain.agreement.model import BoundPod, PendingPod

What = Literal["binding", "message"]
Verdict = Literal["agree", "chance", "differ", "not_comparable"]
"""``agree``: a scheduler of these rules decides so on this state. ``chance``: it could, by a draw among equals or by
where its search of nodes began. ``differ``: it could not. ``not_comparable``: see Apart."""
VERDICTS: tuple[Verdict, ...] = ("agree", "chance", "differ", "not_comparable")
Cause = Literal["version", "configuration", "missing kind", "chance", "order", "gap", "no cause found"]
"""Why a decision differs. In this order they are looked at; the first that explains it alone is named."""
CAUSES: tuple[Cause, ...] = ("version", "configuration", "missing kind", "chance", "order", "gap", "no cause found")
Apart = Literal[
    "", "static", "other_scheduler", "no_node", "gap", "clocks", "came_bound", "unread", "gated", "undecided"
]
"""Why a decision is not compared: a kubelet runs the pod, no profile has its schedulerName, its node is not known, the
decision lies inside a gap of a kind that it depends on, only an event tells of it that nothing but its clock puts among
the changes, the pod came with its node, its object could not be read, it has scheduling gates by its object, the
attempt failed with an error."""


class CauseTest(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at for a cause, and what that gave. ``tested``: an attempt was made under it. ``explains``: the
    real decision follows with it; ``possible``: it may be the cause and cannot be tested."""

    cause: Cause
    subject: str = ""
    result: str = ""
    tested: bool = False
    explains: bool = False
    possible: bool = False


class HeldDecision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One decision of the real scheduler beside ours, on the state just before it.

    ``number`` from 0 in their order, ``at`` in seconds since 1970, ``change``: how many changes of the bundle came
    before. ``node``: the real node, "" for a message. ``standing``: of a binding as in agreement (Standing), of a
    message as there (PendingStanding), "" where it is not compared. ``ours``: our best nodes, the first of ``n_best``.
    ``repeats``: how often the same message came again. ``real_nominated`` and ``real_victims`` are what preemption
    really chose, ``nominated`` and ``victims`` ours. ``bound`` and ``pending`` have the details of what differs.
    """

    number: int
    at: float
    change: int
    pod: str
    uid: str = ""
    what: What
    verdict: Verdict
    cause: Cause | Literal[""] = ""
    apart: Apart = ""
    node: str = ""
    standing: str = ""
    ours: tuple[str, ...] = ()
    n_best: int = 0
    n_fitting: int = 0
    repeats: int = 0
    real_nominated: str = ""
    nominated: str = ""
    real_victims: tuple[str, ...] = ()
    victims: tuple[str, ...] = ()
    bound: BoundPod | None = None
    pending: PendingPod | None = None
    tests: tuple[CauseTest, ...] = ()

    @property
    def agrees_in_all(self) -> bool:
        """Whether a scheduler of our rules may decide so."""
        return self.verdict in ("agree", "chance")


class FreeRunDivergence(msgspec.Struct, frozen=True, kw_only=True):
    """The first placement of a free run that is not the real one. ``number``: how many were the same before; ``real``
    and ``ours``: the nodes, "" where the pod was not placed; ``at``: seconds since the beginning, in the run;
    ``cycle`` and ``seq``: the run's, of a pod that it placed; ``tied``: how many nodes shared the best total there;
    ``decision``: number of the real binding, None where there was none."""

    pod: str
    real: str
    ours: str
    number: int
    at: float
    cycle: int = 0
    seq: int = 0
    tied: int = 1
    decision: int | None = None


class AgreementHour(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions of an hour that were compared, and how many of them a scheduler of our rules may make; ``began`` in
    seconds since 1970."""

    began: float
    bindings: int = 0
    equal_bindings: int = 0
    messages: int = 0
    equal_messages: int = 0


class GapRow(msgspec.Struct, frozen=True, kw_only=True):
    """A gap of the bundle: its code, sentence, kind ("" for all), and from when to when (None: to the end)."""

    code: str
    text: str
    kind: str = ""
    since: float
    until: float | None = None


class Reality(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison. ``server_version`` is the cluster's, ``follows`` ours; ``configuration``: whose it is, in words.

    ``verdicts`` and ``causes`` count decisions by what ("binding", "message"), ``hours`` by the hour: those with a
    decision that was compared. ``n_only_one``: agreeing bindings where
    one node fitted; ``n_untested``: differing decisions beyond those whose causes are tried. ``n_nodes`` at the end.
    ``problems``: objects that could not be read, ``n_problems`` of them.
    """

    began: float
    ended: float
    server_version: str
    follows: str
    configuration: str
    decisions: tuple[HeldDecision, ...] = ()
    divergence: FreeRunDivergence | None = None
    free_run: str = ""
    gaps: tuple[GapRow, ...] = ()
    versions: tuple[tuple[float, str], ...] = ()
    n_changes: int = 0
    n_nodes: int = 0
    n_only_one: int = 0
    n_untested: int = 0
    verdicts: Mapping[str, Mapping[str, int]] = {}
    causes: Mapping[str, int] = {}
    apart: Mapping[str, int] = {}
    hours: tuple[AgreementHour, ...] = ()
    problems: tuple[str, ...] = ()
    n_problems: int = 0
    seconds: float = 0.0

    def counted(self, what: What, *verdicts: Verdict) -> int:
        """How many decisions of this kind have one of these verdicts; of all where none is given."""
        counts = self.verdicts.get(what, {})
        return sum(counts.get(name, 0) for name in verdicts or VERDICTS)

    @property
    def figures(self) -> Reality:
        """The same without the decisions."""
        return msgspec.structs.replace(self, decisions=())
