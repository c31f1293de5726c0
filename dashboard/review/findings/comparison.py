"""What differs between two runs: the first divergence with its cause, and pods that end otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.answers.questions import DivergenceOf, FiguresCompared, PodsCompared
from dashboard.review import links
from dashboard.review.findings.groups import (
    GROUP_LIMIT,
    EvidencePanel,
    FindingGroup,
    Gathered,
    ReviewFinding,
)
from dashboard.review.findings.pods import GROUPS_OF_PODS, cause_of, decisions_of, ends_of, key_of, name_of
from dashboard.runs.queries import cycle_at_seq

if TYPE_CHECKING:
    from dashboard.answers.answering.comparing.sides import PodsAnswer
    from dashboard.review.findings.asked import AnswerClock
    from dashboard.runs.models import Run
    from scheduler_core.compare import Divergence

TURN_SECONDS = 0.5
BOTH = "#cmp-both"


def between(a: Run, b: Run, slug: str, clock: AnswerClock, turn: int = 0) -> Gathered:
    """Return what differs between two runs, as far as it is computed, from turn number `turn` of reading them."""
    sides = (b.pk, b.created_at.isoformat(), a.head.seq, b.head.seq)
    first = clock.of_run(a, lambda _: DivergenceOf(*sides))
    groups = [first_divergence(a, b, slug, first.value.divergence)] if first.value else []
    figures = clock.of_run(a, lambda n: FiguresCompared(*sides, turn=n, seconds=TURN_SECONDS), turn)
    if figures.value is None:
        return Gathered(_with_findings(groups), figures.note, figures.turn, figures.is_waiting)
    for name, (title, meaning, glyph) in GROUPS_OF_PODS.items():
        if not (total := figures.value.groups.get(name, 0)):
            continue
        pods = clock.of_run(
            a,
            lambda n, name=name: PodsCompared(  # type: ignore[misc]
                *sides, turn=n, seconds=TURN_SECONDS, group=name, size=GROUP_LIMIT
            ),
        )
        if pods.value is None:
            return Gathered(_with_findings(groups), pods.note, figures.turn, pods.is_waiting)
        findings = _pods(a, b, slug, pods.value, (meaning, glyph))
        groups.append(FindingGroup(title, findings, total))
    note = "" if first.value else first.note
    return Gathered(_with_findings(groups), note, figures.turn, first.is_waiting)


def first_divergence(a: Run, b: Run, slug: str, divergence: Divergence | None, title: str = "") -> FindingGroup:
    """Return the group of the first event that differs; an empty one where all are the same."""
    title = title or "First divergence"
    if divergence is None:
        return FindingGroup(title)
    cycles = [cycle_at_seq(run, min(divergence.seq + 1, run.head.seq)) for run in (a, b)]
    a_cycle, b_cycle = (row.number if row else 0 for row in cycles)
    pod = next((side.pod for side in (divergence.b, divergence.a) if side is not None and side.pod), "")
    what = f"Event {divergence.seq:,}{f': {pod}' if pod else ''}"
    one = ReviewFinding(
        "first-divergence",
        "cursor",
        "branch",
        what,
        f"{decisions_of(divergence)}{cause_of(divergence)}",
        short=cause_of(divergence),
        **at_pair(a, b, slug, a_cycle, b_cycle),
    )
    return FindingGroup(title, [one], 1)


def at_pair(a: Run, b: Run, slug: str, a_cycle: int, b_cycle: int) -> dict[str, Any]:
    """Return the address of both cycles beside each other, and its panels as evidence; 0 for no cycle."""
    query = {"a": a.number, "b": b.number}
    query |= {name: cycle for name, cycle in (("a_cycle", a_cycle), ("b_cycle", b_cycle)) if cycle}
    url = f"{reverse('compare:page', kwargs={'slug': slug})}?{urlencode(query)}"
    alone = [
        EvidencePanel(f"{letter} run {run.number}", f"{links.cycle_url(slug, run.number, cycle)}&tab=why")
        for letter, run, cycle in (("A", a, a_cycle), ("B", b, b_cycle))
        if cycle
    ]
    cycles = [(run.pk, cycle) for run, cycle in ((a, a_cycle), (b, b_cycle)) if cycle]
    return {"url": url, "panels": (EvidencePanel("Both", url, BOTH), *alone), "cycles": tuple(cycles)}


def _pods(a: Run, b: Run, slug: str, answer: PodsAnswer, look: tuple[str, str]) -> list[ReviewFinding]:
    findings = []
    for one, pair in zip(answer.pods, answer.firsts, strict=True):
        a_cycle, b_cycle = (pair.a, pair.b) if pair else (end.cycle if end else 0 for end in (one.a, one.b))
        at = ", ".join(f"cycle {cycle:,} in {letter}" for letter, cycle in (("A", a_cycle), ("B", b_cycle)) if cycle)
        said = f"{ends_of(one)}{f'; {at}' if at else ''}"
        findings.append(ReviewFinding(key_of(one), *look, name_of(one), said, **at_pair(a, b, slug, a_cycle, b_cycle)))
    return findings


def _with_findings(groups: list[FindingGroup]) -> list[FindingGroup]:
    return [group for group in groups if group.findings]
