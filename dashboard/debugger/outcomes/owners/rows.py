"""Owners without all their pods, as the outcomes of a run have them: refused pods, unfinished rollouts."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.outcomes.address import NEVER_MADE, OWNER_OUTCOMES, STUCK_ROLLOUT
from dashboard.debugger.outcomes.labels import wait
from dashboard.debugger.outcomes.rows import OpenRolloutRow, OwnerRow, QuotaMeter, Row
from dashboard.debugger.panels.rollout import rollout_panel, updated
from scheduler_core.api.quantity import shortest_quantity as quota_amount
from scheduler_core.explain.not_created.by_input import numbers
from scheduler_core.recording.times import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.debugger.outcomes.address import OutcomesView
    from scheduler_core.explain.outcomes import Outcomes
    from scheduler_core.explain.outcomes.making.model import RolloutOutcome, Short

KINDS = {
    "ResourceQuota": "Quota",
    "LimitRange": "Limit range",
    "RuntimeClass": "Runtime class",
    "PriorityClass": "Priority class",
}


@dataclass(frozen=True)
class OwnerLink:
    """An owner with the page that says why: `meta` is how many pods were never made, or how many are updated; `names`
    are those that it goes by, its ReplicaSet's among them. `style` is (meaning, glyph)."""

    key: str
    title: str
    url: str
    meta: str
    names: tuple[str, ...]
    style: tuple[str, str]


def owner_url(slug: str, number: int, owner: str) -> str:
    """Return the address of the page that says why the owner (namespace/name) lacks pods."""
    path = reverse("debugger:why_owner", kwargs={"slug": slug, "number": number})
    return f"{path}?{urlencode({'of': owner}, safe='/')}"


def stuck(outcomes: Outcomes) -> list[RolloutOutcome]:
    """Return the rollouts that do not go on, without those that wait on purpose."""
    return [one for one in outcomes.rollouts or () if one.is_stuck]


def refused(outcomes: Outcomes) -> list[Short]:
    """Return the owners of pods that admission refused to the end, without those whose rollout says so."""
    rolling = {one.state.title for one in stuck(outcomes)}
    return [one for one in outcomes.short if one.code and one.workload not in rolling]


def owner_links(outcomes: Outcomes, slug: str, number: int) -> list[OwnerLink]:
    """Return the owners in the order of the outcomes: rollouts, then refused pods."""
    rollouts = [
        OwnerLink(
            key=one.key,
            title=one.state.title,
            url=owner_url(slug, number, one.key),
            meta=f"{updated(one.state)} updated",
            names=(one.key,),
            style=("unsched", "refresh") if one.is_stuck else ("wait", "pause"),
        )
        for one in outcomes.rollouts or ()
    ]
    others = [
        OwnerLink(
            key=one.key,
            title=one.workload,
            url=owner_url(slug, number, one.key),
            meta=f"{grouped(one.unmade)} never made",
            names=(one.key, one.maker.partition(" ")[2]),
            style=("backoff", "ring"),
        )
        for one in refused(outcomes)
    ]
    return rollouts + others


def neighbours(links: Sequence[OwnerLink], owner: str) -> tuple[str, str]:
    """Return the addresses of the owners before and after this one, "" at the ends and for one that is not listed."""
    at = next((i for i, one in enumerate(links) if one.key == owner), None)
    if at is None:
        return "", ""
    return links[at - 1].url if at else "", links[at + 1].url if at + 1 < len(links) else ""


# ---------------------------------------------------------------- rows of the table


def owner_rows(outcomes: Outcomes, view: OutcomesView) -> list[Row]:
    """Return the rows of owners that pass the view's filters: rollouts, each with what it opens to, then refusals."""
    if view.waited or view.outcome not in ("", *OWNER_OUTCOMES):
        return []
    query, rows = view.q.casefold(), list[Row]()
    if view.outcome != NEVER_MADE:
        for one in stuck(outcomes):
            if query in f"{one.state.title} {one.text}".casefold():
                rows += _rollout_rows(outcomes, view, one)
    if view.outcome != STUCK_ROLLOUT:
        given = refused(outcomes) if not view.outcome else [one for one in outcomes.short if one.code]
        rows += [_refused_row(outcomes, view, one) for one in given if query in f"{one.workload} {one.by}".casefold()]
    return rows


def n_unmade(outcomes: Outcomes) -> int:
    """Return how many pods admission refused to the end."""
    return sum(one.unmade for one in outcomes.short if one.code)


def _rollout_rows(outcomes: Outcomes, view: OutcomesView, one: RolloutOutcome) -> list[Row]:
    panel, row_id = rollout_panel(one.state), f"w{zlib.crc32(one.state.key.encode()):08x}"
    pods = [pod for pod in outcomes.pods if pod.pod in one.pods]
    groups = [outcomes.groups[pod.group] for pod in pods]
    older = sum(revision.made for revision in one.state.revisions[:-1])
    condition, is_open = one.state.condition, row_id in view.open
    since = condition.since if condition is not None and panel.is_late else -1
    row = OwnerRow(
        id=row_id,
        title=panel.title,
        meaning="unsched",
        glyph="refresh",
        evidence=f"{plural(older, 'pod is', 'pods are')} of the older template. The strategy allows {panel.allowed}."
        if panel.allowed
        else f"{plural(older, 'pod is', 'pods are')} of the older template.",
        number=panel.updated,
        unit="updated",
        meter=None,
        plugin=next((group.plugins[0] for group in groups if group.plugins), ""),
        wait=wait(max((pod.wait for pod in pods), default=outcomes.at - since if since >= 0 else -1)),
        why=owner_url(view.slug, view.number, one.key),
        toggle=view.toggled(row_id),
        is_open=is_open,
    )
    remedies = f"{_answers(view, 'owner-moves')}?{urlencode({'of': one.key}, safe='/')}"
    return [row, OpenRolloutRow(f"{row_id}.open", panel, remedies)] if is_open else [row]


def _answers(view: OutcomesView, name: str) -> str:
    return reverse("debugger:why_owner_answer", kwargs={"slug": view.slug, "number": view.number, "name": name})


def _refused_row(outcomes: Outcomes, view: OutcomesView, one: Short) -> OwnerRow:
    kind, _, name = one.by.partition("/")
    who = f"{KINDS[kind]} {name}" if kind in KINDS and name else "Admission"
    pods = f"{plural(one.unmade, 'pod')} of {one.key}" if one.maker else one.workload
    made = f"{grouped(one.made)} of {plural(one.desired, 'pod is', 'pods are')} made. " if one.desired > 1 else ""
    times = f" {grouped(one.refused)} times since {clock(one.since)}" if one.refused > 1 else ""
    return OwnerRow(
        id=f"m{zlib.crc32(one.workload.encode()):08x}",
        title=f"{who} refuses {pods}",
        meaning="backoff",
        glyph="ring",
        evidence=f"{made}{one.maker or 'The pod'} was refused{times}. What does not exist is not pending.",
        number=grouped(one.unmade),
        unit="never made",
        meter=_meter(outcomes, one, name) if kind == "ResourceQuota" else None,
        plugin=kind,
        wait=wait(outcomes.at - one.since if one.since >= 0 else -1),
        why=owner_url(view.slug, view.number, one.key),
    )


def _meter(outcomes: Outcomes, one: Short, quota: str) -> QuotaMeter | None:
    """The resource of the quota that is used up most, of those that the pods ask for."""
    asked = {part.partition("=")[0] for part in numbers(one.message).get("requested", "").split(",")}
    uses = [use for use in outcomes.quotas if use.quota == quota and use.hard and (use.resource in asked or not asked)]
    if not uses:
        return None
    most = max(uses, key=lambda use: use.used / use.hard)
    used, hard = quota_amount(most.resource, most.used), quota_amount(most.resource, most.hard)
    return QuotaMeter(most.resource, f"{used} of {hard}", min(1.0, most.used / most.hard))
