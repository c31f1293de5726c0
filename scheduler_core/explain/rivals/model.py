"""Comparisons of nodes as answers: plain values that page, command line and API show alike."""

from __future__ import annotations

import msgspec

from scheduler_core.engine.trials.trial import Points


class RivalRefusal(msgspec.Struct, frozen=True):
    """A filter plugin that refuses a node: the reasons that it gave, and ``text`` with the numbers behind them."""

    plugin: str
    reasons: tuple[str, ...]
    text: str = ""


class ScoreInputs(msgspec.Struct, frozen=True):
    """What went into a score plugin's formula on one node: a line each in ``texts``, the same ``short`` for a narrow
    column. ``difference`` says where the raw score computed now is not the recorded one."""

    plugin: str
    short: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    difference: str = ""


class Rival(msgspec.Struct, frozen=True):
    """One of the nodes that are compared.

    ``total``, ``points`` and ``inputs`` (one for each score plugin) are those recorded; where ``is_computed``, they are
    those of an attempt made now in which the node is scored although the cycle did not score it; ``is_together``: all
    compared nodes are let through in it, as no other fits. ``total`` is None where that was not possible either;
    ``unknown`` says why the cycle did not score it, or why nothing can. ``rank`` is 1 for the best total, among ``of``
    nodes; equal totals have one rank (0: not scored). ``refusals`` are those recorded, or computed now for a node that
    was not ``looked_at``. ``beside`` is the first node's total in the attempt in which this one was scored, where it is
    another than the recorded one. ``absent`` says why the cycle did not have the node, "" where it had it.
    ``difference``: what filters say now is not what was recorded.
    """

    node: str
    total: int | None
    rank: int
    points: tuple[Points, ...] = ()
    refusals: tuple[RivalRefusal, ...] = ()
    unknown: str = ""
    of: int = 0
    inputs: tuple[ScoreInputs, ...] = ()
    is_computed: bool = False
    is_together: bool = False
    looked_at: bool = True
    beside: int | None = None
    absent: str = ""
    difference: str = ""

    @property
    def fits(self) -> bool:
        """Whether every filter let the node through."""
        return not self.refusals and not self.absent


class Lead(msgspec.Struct, frozen=True):
    """What one plugin adds to the lead of the first node over the second, in weighted points."""

    plugin: str
    points: int


class Rivalry(msgspec.Struct, frozen=True):
    """``rivals`` in the order asked for; ``leads`` of the first over the second, which add up to ``lead`` (None where
    one of them was not scored).

    ``winner`` ("" where no node was found) was drawn among ``tied``, the nodes of the best total in the order of the
    draw, where these are several. ``n_scored`` nodes were scored, of ``n_nodes``; ``without`` names the plugins of
    which each alone, left out, would have given others the best total. ``difference`` says where the attempt made now
    is not what the cycle recorded; recorded numbers are shown then too.
    """

    pod: str
    cycle: int
    winner: str
    tied: tuple[str, ...]
    n_scored: int
    n_nodes: int
    rivals: tuple[Rival, ...]
    leads: tuple[Lead, ...]
    lead: int | None
    without: tuple[str, ...] = ()
    difference: str = ""

    @property
    def is_drawn(self) -> bool:
        """Whether no plugin decided but the draw."""
        return len(self.tied) > 1


class WeightRange(msgspec.Struct, frozen=True):
    """The weights of one plugin, all others as they are, from ``least`` to ``most`` in which the winner stays.

    ``below`` and ``above`` are the nodes of the best total one step outside, empty at the end of the weights looked at
    (0 and ``limit``); ``below_lead`` and ``above_lead`` what they are ahead of the next, None where all are equal.
    """

    plugin: str
    weight: int
    least: int
    most: int
    limit: int
    below: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    below_lead: int | None = None
    above_lead: int | None = None


class RequestRange(msgspec.Struct, frozen=True):
    """The requests of one resource, all else as it is, from ``least`` to ``most`` in which the winner stays.

    Amounts are canonical integers ``request`` + k * ``step`` from ``lowest`` to ``limit``; each from ``least`` to
    ``most`` was tried, and one step outside too: ``below`` and ``above`` are the nodes of the best total there, empty
    where none fits or nothing lies outside. ``is_whole``: no node can allocate more than ``limit``. ``in_time`` False:
    the deadline came first, and the range is no wider than what was tried. ``unanswered``, below and above, are
    requests that are not on the run's tape: what extenders would say one step outside is unknown, so the range ends
    there.
    """

    resource: str
    request: int
    least: int
    most: int
    step: int
    limit: int
    below: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    n_tried: int = 0
    in_time: bool = True
    lowest: int = 0
    is_whole: bool = True
    unanswered: tuple[str, str] = ("", "")


class RequestRanges(msgspec.Struct, frozen=True):
    """The range of each request of the pod that a cycle placed on ``winner`` ("" and no ranges where it found none)."""

    pod: str
    winner: str
    ranges: tuple[RequestRange, ...] = ()


class WhyNode(msgspec.Struct, frozen=True):
    """All that is said of why a cycle took one node and not another: the nodes beside each other, and the ranges of
    weights and requests in which the winner stays (none where fewer than two nodes were scored, or none was found)."""

    rivalry: Rivalry
    weights: tuple[WeightRange, ...] = ()
    requests: tuple[RequestRange, ...] = ()


class TriedNode(msgspec.Struct, frozen=True):
    """A node in an attempt with other requests and weights: its total, or the plugin that refused it and why."""

    node: str
    total: int | None
    plugin: str = ""
    reason: str = ""


class RequestTrial(msgspec.Struct, frozen=True):
    """What the engine decides for the pod with other requests and weights.

    ``winner`` was drawn among ``tied`` nodes where these are several, and is ``lead`` points ahead of the next (None
    where there is none); "" where none of the nodes fits, ``failure`` then says why. ``stays``: the same nodes have the
    best total as without the changes. ``held`` are resources whose request cannot be changed so: overhead, pod-level
    requests or a resize in place decide on it. ``unanswered`` is the request to extenders that is not on the run's
    tape, so that the decision is unknown.
    """

    requests: dict[str, int]
    weights: dict[str, int]
    winner: str = ""
    tied: tuple[str, ...] = ()
    lead: int | None = None
    stays: bool = False
    n_fit: int = 0
    nodes: tuple[TriedNode, ...] = ()
    failure: str = ""
    held: tuple[str, ...] = ()
    unanswered: str = ""
