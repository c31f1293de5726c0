"""Comparisons of nodes and ranges in words: what the page and the command line say alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.outcomes.texts import plural, short
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
    nonzero = [(plugin, points) for plugin, points in leads if points]
    lead = sum(points for _, points in nonzero)
    parts = ", ".join(f"{plugin} {signed(points)}" for plugin, points in sorted(nonzero, key=lambda one: -abs(one[1])))
    if not parts:
        return f"No plugin told them apart: both have {total:,}"
    who = f"The lead of {lead:,}" if lead > 0 else f"It is behind by {-lead:,}" if lead else "Equal totals"
    return f"{who}: {parts}"


def signed(value: int) -> str:
    """A change with its sign: "+6", a true minus, "0"."""
    return f"+{value:,}" if value > 0 else f"{MINUS}{-value:,}" if value else "0"


def drawn_words(rivalry: Rivalry) -> str:
    """That the winner was drawn, and among how many; "" where it was not."""
    if not rivalry.is_drawn:
        return ""
    return f"{rivalry.winner} was drawn from {plural(len(rivalry.tied), 'node')} with the best total"


def rival_words(rival: Rival) -> str:
    """How a node stands in the cycle, or what it would have had."""
    if rival.absent:
        return rival.absent
    if rival.total is not None and not rival.is_computed:
        return f"{rival.total:,} points, rank {rival.rank:,} of {rival.of:,} that fit"
    parts = [standing(rival)]
    if rival.total is not None:
        parts.append(would_words(rival))
    if beside := beside_words(rival):
        parts.append(beside)
    return "; ".join(parts)


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
    """The points that the node would have had, by the attempt made now."""
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


def weight_words(weight_range: WeightRange, winner: str) -> str:
    """The weights in which the winner stays: "from 1 up; at 0 worker-a-1 by 1"."""
    if not weight_range.below and not weight_range.above:
        return f"every weight, 0 to {weight_range.limit:,}"
    parts = []
    if weight_range.below:
        parts.append(f"at {weight_range.least - 1:,} {best_words(weight_range.below, weight_range.below_lead, winner)}")
    if weight_range.above:
        parts.append(f"at {weight_range.most + 1:,} {best_words(weight_range.above, weight_range.above_lead, winner)}")
    return f"{_where(weight_range)}; {', '.join(parts)}"


def _where(weight_range: WeightRange) -> str:
    if not weight_range.above:
        return f"from {weight_range.least:,} up"
    if weight_range.least == weight_range.most:
        return f"{weight_range.least:,} alone"
    return (
        f"up to {weight_range.most:,}" if not weight_range.below else f"{weight_range.least:,} to {weight_range.most:,}"
    )


def best_words(tied: Sequence[str], lead: int | None, winner: str) -> str:
    """What has the best total: "worker-a-1 by 1", "a draw of 2 others"."""
    if len(tied) > 1:
        return f"a draw of {len(tied):,} {'with it' if winner in tied else 'others'}"
    return tied[0] if lead is None else f"{tied[0]} by {lead:,}"


_UNKNOWN = "unknown, as the tape has no answer of the extenders for it"


def request_words(request_range: RequestRange, winner: str) -> str:
    """The requests in which the winner stays: "0.1 to 3.4; at 3.5 worker-c-1", all amounts in one unit."""
    outside = [request_range.least - request_range.step, request_range.most + request_range.step]
    least, most, below, above = amounts(request_range.resource, request_range.least, request_range.most, *outside)
    parts = []
    if request_range.least > request_range.lowest and (request_range.in_time or request_range.below):
        parts.append(f"at {below} {_UNKNOWN if request_range.unanswered[0] else _at(request_range.below, winner)}")
    if request_range.most < request_range.limit and (request_range.in_time or request_range.above):
        parts.append(f"at {above} {_UNKNOWN if request_range.unanswered[1] else _at(request_range.above, winner)}")
    if request_range.most == request_range.limit and not request_range.is_whole:
        parts.append("larger ones were not tried")
    if not request_range.in_time:
        parts.append("not tried further in time")
    where = f"{least} alone" if least == most else f"{least} to {most}"
    return f"{where}; {', '.join(parts)}" if parts else where


def _at(tied: Sequence[str], winner: str) -> str:
    return best_words(tied, None, winner) if tied else "no node fits"


def request_title(request_range: RequestRange) -> str:
    """The request as it is: "cpu 0.6"."""
    return f"{short(request_range.resource)} {amounts(request_range.resource, request_range.request)[0]}"


def trial_words(trial: RequestTrial) -> str:
    """The decision that the engine takes with other requests and weights, in words."""
    if trial.unanswered:
        return f"Unknown: the tape has no answer to {trial.unanswered}"
    if not trial.winner:
        return f"No node fits. {trial.failure}"
    if len(trial.tied) > 1:
        same = ", the same nodes as before" if trial.stays else ""
        return f"A draw of {len(trial.tied):,} nodes{same}; here {trial.winner}"
    lead = "" if trial.lead is None else f" by {trial.lead:,}"
    if trial.n_fit == 1:
        lead = ", the only node that fits"
    return f"{trial.winner} {'stays' if trial.stays else 'would win'}{lead}"
