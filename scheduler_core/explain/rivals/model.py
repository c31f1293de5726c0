"""Comparisons of nodes as answers: plain values that page, command line and API show alike."""

from __future__ import annotations

import msgspec

from scheduler_core.engine.trials.trial import Points


class RivalRefusal(msgspec.Struct, frozen=True):
    """A filter plugin that refuses a node, and the reasons that it gave."""

    plugin: str
    reasons: tuple[str, ...]


class Rival(msgspec.Struct, frozen=True):
    """One of the nodes that are compared.

    ``total`` and ``points`` (one for each score plugin) are those recorded; where ``refusals`` has some, they are what
    the node would have had. ``total`` is None where it was not scored: no other node fitted, or
    scoring it failed (then ``unknown`` says how). ``rank`` is 1 for the best total, equal ranks tie (0: not scored).
    """

    node: str
    total: int | None
    rank: int
    points: tuple[Points, ...] = ()
    refusals: tuple[RivalRefusal, ...] = ()
    unknown: str = ""

    @property
    def fits(self) -> bool:
        """Whether every filter let the node through."""
        return not self.refusals


class Lead(msgspec.Struct, frozen=True):
    """What one plugin adds to the lead of the first node over the second, in weighted points."""

    plugin: str
    points: int


class Rivalry(msgspec.Struct, frozen=True):
    """``rivals`` in the order asked for; ``leads`` of the first over the second, which add up to ``lead`` (None where
    one of them was not scored).

    ``winner`` was drawn among ``tied``, the nodes of the best total, where these are several. ``n_scored`` nodes were
    scored, of ``n_nodes``; ``without`` names the plugins of which each alone, left out, would have given others the
    best total.
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

    @property
    def is_drawn(self) -> bool:
        """Whether no plugin decided but the draw."""
        return len(self.tied) > 1


class WeightRange(msgspec.Struct, frozen=True):
    """The weights of one plugin, all others as they are, from ``least`` to ``most`` in which the winner stays.

    ``below`` and ``above`` are the nodes of the best total one step outside, empty at the end of the weights looked at
    (0 and ``limit``).
    """

    plugin: str
    weight: int
    least: int
    most: int
    limit: int
    below: tuple[str, ...] = ()
    above: tuple[str, ...] = ()


class RequestRange(msgspec.Struct, frozen=True):
    """The requests of one resource, all else as it is, from ``least`` to ``most`` in which the winner stays.

    Amounts are canonical integers in steps of ``step``. One step outside was tried: ``below`` and ``above`` are the
    nodes of the best total there, empty where none fits or, at ``least`` 0 and at ``most`` = ``limit``, where nothing
    lies outside. Between the amounts that were tried (``n_tried``) others might differ. ``in_time`` False: the deadline
    came first, and the range is no wider than what was tried.
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
