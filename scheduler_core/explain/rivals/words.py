"""Comparisons of nodes and ranges in words: what the page and the command line say alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.outcomes.words import plural, short
from scheduler_core.explain.rivals.model import RequestRange, RequestTrial, Rival, Rivalry, WeightRange

MINUS = "\N{MINUS SIGN}"


def title(first: str, second: str, is_winner: bool, is_drawn: bool) -> str:
    """The heading: which node, and which not. ``is_drawn``: both had the best total."""
    if is_drawn:
        return "Drawn, not decided"
    if not second:
        return f"Why {first}"
    return f"Why {first} and not {second}" if is_winner else f"{first} beside {second}"


def lead_words(leads: Iterable[tuple[str, int]], total: int) -> str:
    """Where the lead of one node over another comes from, by (plugin, points); ``total`` is the first one's."""
    found = [(plugin, points) for plugin, points in leads if points]
    lead = sum(points for _, points in found)
    parts = ", ".join(f"{plugin} {signed(points)}" for plugin, points in sorted(found, key=lambda one: -abs(one[1])))
    if not parts:
        return f"No plugin told them apart: both have {total:,}"
    who = f"The lead of {lead:,}" if lead > 0 else f"It is behind by {-lead:,}" if lead else "Equal totals"
    return f"{who}: {parts}"


def signed(value: int) -> str:
    """A change with its sign: "+6", a true minus, "0"."""
    return f"+{value:,}" if value > 0 else f"{MINUS}{-value:,}" if value else "0"


def drawn_words(found: Rivalry) -> str:
    """That the winner was drawn, and among how many; "" where it was not."""
    if not found.is_drawn:
        return ""
    return f"{found.winner} was drawn from {plural(len(found.tied), 'node')} with the best total"


def rival_words(rival: Rival) -> str:
    """How a node stands in the cycle, or what it would have had."""
    if rival.absent:
        return rival.absent
    if rival.total is not None and not rival.is_computed:
        return f"{rival.total:,} points, rank {rival.rank:,} of {rival.of:,} that fit"
    told = [standing(rival)]
    if rival.total is not None:
        told.append(would_words(rival))
    if beside := beside_words(rival):
        told.append(beside)
    return "; ".join(told)


def standing(rival: Rival) -> str:
    """Why the cycle did not score the node."""
    why = "; ".join(f"{one.plugin}: {one.text or '; '.join(one.reasons)}" for one in rival.refusals)
    if not rival.looked_at:
        now = f"asked now, it is refused by {why}" if why else "asked now, it fits"
        return f"not looked at: {rival.unknown}; {now}"
    if why:
        return f"refused by {why}{f'; {rival.unknown}' if rival.unknown else ''}"
    return f"not scored: {rival.unknown}" if rival.unknown else "scored"


def would_words(rival: Rival) -> str:
    """What the node would have had, in the attempt made now."""
    would = "had it been let through"
    if rival.is_together or (rival.fits and rival.looked_at):
        would = "had all compared nodes been let through"
    elif rival.fits:
        would = "had it been looked at"
    return f"{would} it would have {rival.total or 0:,} points, rank {rival.rank:,} of {rival.of:,} (computed now)"


def beside_words(rival: Rival) -> str:
    """That the first node has another total where this one is scored too; "" where it has not."""
    if rival.beside is None:
        return ""
    return f"scores are normalised over all scored nodes, so that the first node then has {rival.beside:,}"


def weight_words(found: WeightRange, winner: str) -> str:
    """The weights in which the winner stays: "from 1 up; at 0 worker-a-1 by 1"."""
    if not found.below and not found.above:
        return f"every weight, 0 to {found.limit:,}"
    parts = []
    if found.below:
        parts.append(f"at {found.least - 1:,} {best_words(found.below, found.below_lead, winner)}")
    if found.above:
        parts.append(f"at {found.most + 1:,} {best_words(found.above, found.above_lead, winner)}")
    return f"{_where(found)}; {', '.join(parts)}"


def _where(found: WeightRange) -> str:
    if not found.above:
        return f"from {found.least:,} up"
    if found.least == found.most:
        return f"{found.least:,} alone"
    return f"up to {found.most:,}" if not found.below else f"{found.least:,} to {found.most:,}"


def best_words(tied: Sequence[str], lead: int | None, winner: str) -> str:
    """What has the best total: "worker-a-1 by 1", "a draw of 2 others"."""
    if len(tied) > 1:
        return f"a draw of {len(tied):,} {'with it' if winner in tied else 'others'}"
    return tied[0] if lead is None else f"{tied[0]} by {lead:,}"


def request_words(found: RequestRange, winner: str) -> str:
    """The requests in which the winner stays: "0.1 to 3.4; at 3.5 worker-c-1", all amounts in one unit."""
    outside = [found.least - found.step, found.most + found.step]
    least, most, below, above = amounts(found.resource, found.least, found.most, *outside)
    parts = []
    if found.least > found.lowest and (found.in_time or found.below):
        parts.append(f"at {below} {_at(found.below, winner)}")
    if found.most < found.limit and (found.in_time or found.above):
        parts.append(f"at {above} {_at(found.above, winner)}")
    if found.most == found.limit and not found.is_whole:
        parts.append("larger ones were not tried")
    if not found.in_time:
        parts.append("not tried further in time")
    where = f"{least} alone" if least == most else f"{least} to {most}"
    return f"{where}; {', '.join(parts)}" if parts else where


def _at(tied: Sequence[str], winner: str) -> str:
    return best_words(tied, None, winner) if tied else "no node fits"


def request_title(found: RequestRange) -> str:
    """The request as it is: "cpu 0.6"."""
    return f"{short(found.resource)} {amounts(found.resource, found.request)[0]}"


def trial_words(found: RequestTrial) -> str:
    """What the engine decides with other requests and weights."""
    if not found.winner:
        return f"No node fits. {found.failure}"
    if len(found.tied) > 1:
        same = ", the same nodes as before" if found.stays else ""
        return f"A draw of {len(found.tied):,} nodes{same}; here {found.winner}"
    lead = "" if found.lead is None else f" by {found.lead:,}"
    if found.n_fit == 1:
        lead = ", the only node that fits"
    return f"{found.winner} {'stays' if found.stays else 'would win'}{lead}"
