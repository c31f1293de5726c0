"""Everything that the page shows of a pending pod, computed once per request and only where it is used."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.answers.panel import AnswerPanel, Asking
from dashboard.answers.questions import WouldHelpOf
from dashboard.clusters.revisions.reported_pods import report_on
from dashboard.debugger.inputs.facts import facts_kept
from dashboard.debugger.outcomes.spent import SpentBar, spent_bar
from dashboard.debugger.outcomes.summary_cache import summary_of
from dashboard.debugger.page import CursorPage, answer_address
from dashboard.debugger.why.own_change import FIRST, GATED_FIRST, ChangePanel, change_form
from dashboard.debugger.why.siblings import Siblings, outcome_of, pending_siblings
from scheduler_core.explain.pending.own_change import WAITING
from scheduler_core.explain.real_report import RealReport, real_report
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dashboard.debugger.outcomes.summary_cache import Summary
    from dashboard.debugger.why.address import WhyCursor
    from scheduler_core.explain.outcomes.model import PodOutcome


# At most this many nodes are offered for a change.
OFFERED = 12
# A page is not held longer by an answer that comes late: it shows what is recorded, and the part asks again.
PATIENCE_SECONDS = 0.2


def would_address(cursor: WhyCursor) -> Callable[[str], str]:
    """Return a function that gives the URL at which the page's part for a change asks again; it has one question."""
    place = reverse("debugger:why_would", args=[cursor.slug, cursor.run.number])
    return lambda _: f"{place}?{cursor.url().partition('?')[2]}"


class PendingPage:
    """The panels that the page has beside those of the debugger's: `page`, which reads no inputs.

    It asks for the cause before it is sent, unless it `is_part`: only a part is shown, which does without.
    """

    def __init__(self, cursor: WhyCursor, is_part: bool = False) -> None:
        asking = Asking(cursor.run, answer_address(cursor), patience=PATIENCE_SECONDS)
        self.cursor = cursor
        self.page = CursorPage(cursor, facts_kept, asking, asks_at_once=not is_part)

    @cached_property
    def summary(self) -> Summary:
        """How the run's pods ended; empty while outcomes are still being summed up."""
        return summary_of(self.page.run)

    @cached_property
    def outcome(self) -> PodOutcome | None:
        """How the pod ended, None while that is not known yet."""
        outcomes, selected = self.summary.outcomes, self.page.moment.selection
        return outcome_of(outcomes, selected.pod, selected.uid) if outcomes is not None and selected.pod else None

    @cached_property
    def siblings(self) -> Siblings | None:
        """The pods pending for the same reason; None where the pod's end needs no attention or is not known yet."""
        outcomes = self.summary.outcomes
        if outcomes is None or self.outcome is None:
            return None
        return pending_siblings(outcomes, self.cursor.slug, self.page.run.number, self.outcome)

    @cached_property
    def real_report(self) -> ShownRealReport | None:
        """What the real scheduler said of the pod, None where the input has no message of it."""
        return shown_real_report(self.page)

    @property
    def owner(self) -> str:
        """Return the pod's owner, as in "Deployment web"; "" where it has none, or that is not known yet."""
        outcomes = self.summary.outcomes
        if outcomes is None or self.outcome is None:
            return ""
        owner = outcomes.owners[self.outcome.owner]
        return owner.title if owner.is_owner else ""

    @property
    def pill(self) -> tuple[str, str, str]:
        """Return meaning and text of the pod's state at the cursor, as in "unschedulable 5 min 31 s so far"; empty
        before the run has begun."""
        standing, waited = self.page.pod.standing, self.page.pod.waited
        if standing is None:
            return "", "", ""
        wait = "" if waited is None else f"{span(waited)}{' so far' if standing.still_waits else ''}"
        return standing.meaning, f"{standing.word} {wait}".strip(), standing.glyph

    @property
    def spent(self) -> SpentBar | None:
        """Where the pod's wait went; None where it did not wait, or that is not known yet."""
        return spent_bar(self.outcome) if self.outcome is not None else None

    @property
    def is_earlier(self) -> bool:
        """Whether the cursor is before the end of what is summed up."""
        outcomes = self.summary.outcomes
        return outcomes is not None and self.cursor.seq < outcomes.seq

    @property
    def is_asked_of_changes(self) -> bool:
        """Whether changes can be tried: the pod waits in the queue at the cursor, with no attempt under way."""
        moment, cycle = self.page.moment, self.page.attempt.cycle
        entry = moment.state.queue.get(moment.selection.pod)
        return entry is not None and entry.lane in WAITING and (cycle is None or cycle.is_done)

    @property
    def would_url(self) -> str:
        """The URL of the part that shows the answer for the change in the address; "" where the address names none."""
        return would_address(self.cursor)("would") if self.is_asked_of_changes and self.cursor.would else ""

    def change_panel(self, query: Mapping[str, str], asking: Asking | None = None) -> ChangePanel | None:
        """The form for the reader's own change, filled from the address; None where the pod does not wait. The question
        is sent only with `asking`.
        """
        if not self.is_asked_of_changes:
            return None
        moment, frame = self.page.moment, self.page.attempt.frame
        offered = tuple(frame.names[row] for row in frame.refused[:OFFERED]) if frame else ()
        text = "" if query.get("fields") else self.cursor.would
        is_gated = moment.state.queue[moment.selection.pod].lane == "gated"
        form = change_form(query, text, offered, GATED_FIRST if is_gated else FIRST)
        action = self.cursor.url(would="")
        if asking is None or not form.text or form.bad:
            return ChangePanel(form, action)
        question = WouldHelpOf(moment.selection.pod, self.cursor.seq, form.text)
        return ChangePanel(form, action, AnswerPanel.of(asking, question))

    @property
    def form(self) -> ChangePanel | None:
        """The form as the page first shows it; its question is sent once the page is at rest."""
        return self.change_panel({})

    @property
    def capacity_url(self) -> str:
        """Return the address that asks which node group would let the pod run in the cluster."""
        revision = self.cursor.run.revision
        query = urlencode({"pod": self.page.moment.selection.pod, "r": revision.number}, safe="/")
        return f"{reverse('capacity:page', args=[self.cursor.slug, revision.cluster.slug])}?{query}"

    @property
    def is_pending(self) -> bool:
        """Return whether the shown attempt has found no node by the cursor."""
        cycle = self.page.attempt.cycle
        return cycle is None or not cycle.is_done or cycle.row.outcome != "scheduled"


# ---------------------------------------------------------------- what the real scheduler said


@dataclass(frozen=True)
class ShownRealReport:
    """The comparison, and the address of that of all pods."""

    real: RealReport
    agreement_url: str


def shown_real_report(page: CursorPage) -> ShownRealReport | None:
    """Return what the real scheduler said of the page's pod; None where the input has no message of it."""
    selected, run = page.moment.selection, page.run
    if not selected.pod or selected.uid:
        # A pod that is not the first of its name in the run is none of the input.
        return None
    report = report_on(run.revision, selected.namespace, selected.name)
    if report is None:
        return None
    cycle = page.attempt.cycle
    ours = cycle.finished.message if cycle is not None and cycle.finished is not None else ""
    node = cycle.row.node if cycle is not None and cycle.row.outcome == "scheduled" else ""
    real = real_report(report, ours, node, page.attempt.n_nodes)
    if real is None:
        return None
    cluster = run.revision.cluster
    return ShownRealReport(real, reverse("agreement:page", args=[cluster.workspace.slug, cluster.slug]))
