"""The remedies for a pod that the engine tried, with their outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.common.pages.numbers import duration, grouped, plural
from dashboard.debugger.labels import listed, split_key
from scheduler_core.explain.remedies import model

if TYPE_CHECKING:
    from scheduler_core.explain.remedies.model import Remedies, Remedy

# So many are listed.
SHOWN = 12
SHOWN_NAMES = 3
_ICONS = {
    model.REQUEST: "box",
    model.TOLERATION: "plug",
    model.SELECTOR: "edit",
    model.CONSTRAINT: "edit",
    model.PORT: "plug",
    model.LABEL: "edit",
    model.CORDON: "lock",
    model.BIGGER_NODE: "server",
    model.NEW_NODE: "server",
    model.PODS_GONE: "eject",
    model.PRIORITY: "eject",
    model.TAINT: "plug",
}


@dataclass(frozen=True)
class RemedyRow:
    """One change: `text` says it, `sub` on which nodes and what the engine then chose, `fits` how many nodes fit.

    `try_url` shows all that the engine decides with it.
    """

    icon: str
    text: str
    sub: str
    fits: str
    meaning: str
    word: str
    glyph: str
    try_url: str


@dataclass(frozen=True)
class RemedyList:
    """The answer: `best` is the smallest change that the engine verified, None if there is none.

    `fits`: the pod fits without a change; `note` is a remark on the search, `more` the number of unlisted remedies.
    """

    fits: bool
    best: RemedyRow | None
    rows: list[RemedyRow]
    more: int
    note: str
    took: str


def remedy_list(answer: Remedies, seconds: float, try_url: str, *, has_tape: bool = False) -> RemedyList:
    """Return the rows of verified changes, then of those of which the tape does not know what extenders would say;
    changes that did not help are only counted.

    `try_url` shows the trial of the remedy named in its query, `has_tape` says that extenders are answered by a tape.
    """
    listed_ones = [*answer.verified, *answer.unknown]
    rows = [_row(one, try_url) for one in listed_ones[:SHOWN]]
    return RemedyList(
        fits=answer.fits,
        best=rows[0] if answer.verified else None,
        rows=rows,
        more=len(listed_ones) - len(rows),
        note=_note(answer, has_tape=has_tape),
        took=duration(seconds),
    )


def _note(answer: Remedies, *, has_tape: bool) -> str:
    parts = []
    if answer.unanswered:
        parts.append(f"Whether it fits as it is, is unknown: the tape has no answer to {answer.unanswered}.")
    if not answer.verified and answer.unknown:
        parts.append("No change is known to let it fit.")
    elif not answer.verified and not answer.fits:
        subject = "No change that was tried" if answer.not_tried else "No change that is known of here"
        parts.append(f"{subject} lets it fit.")
    if answer.not_enough:
        parts.append(f"{plural(len(answer.not_enough), 'other change was', 'other changes were')} tried in vain.")
    if not answer.in_time:
        parts.append(f"The time ended before {plural(len(answer.not_tried), 'more change')} could be tried.")
    elif answer.not_tried:
        parts.append(f"{plural(len(answer.not_tried), 'larger change was', 'larger changes were')} not tried.")
    if answer.unknown:
        parts.append(
            f"Whether {plural(len(answer.unknown), 'change')} would be enough is unknown:"
            " the tape has no answer to what extenders would be asked."
        )
    if has_tape and answer.verified:
        parts.append("The tape answers as the extenders did while it was recorded: they do not know of a change.")
    return " ".join(parts)


def _row(one: Remedy, try_url: str) -> RemedyRow:
    is_unknown = one.status == model.UNKNOWN
    return RemedyRow(
        icon=_ICONS.get(one.kind, "edit"),
        text=one.text,
        sub=_sub(one),
        fits=plural(one.n_fit, "node fits", "nodes fit") if one.n_fit and not is_unknown else "",
        meaning="backoff" if is_unknown else "bound",
        word="unknown" if is_unknown else "verified",
        glyph="alert" if is_unknown else "check",
        try_url=f"{try_url}&{urlencode({'remedy': one.text})}",
    )


def _sub(one: Remedy) -> str:
    parts = []
    if one.n_nodes > 1:
        more = ", \N{HORIZONTAL ELLIPSIS}" if one.n_nodes > SHOWN_NAMES else ""
        parts.append(f"the same on {grouped(one.n_nodes)} nodes: {', '.join(one.nodes[:SHOWN_NAMES])}{more}")
    if one.victims:
        names = [split_key(pod)[1] for pod in one.victims]
        victims = listed(names) if len(names) <= SHOWN_NAMES else plural(len(names), "pod")
        parts.append(f"then {victims} would leave {one.node}")
    elif one.unanswered and one.node:
        parts.append(f"which of the nodes it gets is unknown: the tape has no answer to {one.unanswered}")
    elif one.unanswered:
        parts.append(f"the tape has no answer to {one.unanswered}")
    elif one.node:
        drawn = f", drawn from {grouped(one.tied)}" if one.tied > 1 else ""
        parts.append(f"it then goes to {one.node}{drawn}")
    if one.budgets:
        does = "does" if len(one.budgets) == 1 else "do"
        parts.append(f"disruption budget {listed(list(one.budgets))} {does} not allow the eviction")
    return "; ".join(parts)
