"""What the middle of a review shows: the panel of a finding or of a thread, by the address of the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dashboard.clusters.revisions.diff import diff_texts
from dashboard.review.findings.changes import change_of
from dashboard.review.findings.configuration import table_differences
from dashboard.review.findings.groups import INSPECTOR, EvidencePanel
from dashboard.review.models import OF_THINGS, Review, SubjectKind, ThreadKind

if TYPE_CHECKING:
    from dashboard.review.findings.groups import ReviewFinding
    from dashboard.review.threads import ThreadView
    from dashboard.runs.models import Run


# An event between its causes and effects, or what there is while a worker reads the events.
EVENT_PART = "#chain, [data-reading]"


@dataclass(frozen=True)
class EvidenceTab:
    """A tab above the evidence: where it leads."""

    label: str
    url: str
    is_current: bool


@dataclass(frozen=True)
class Evidence:
    """The evidence of a finding or thread: parts of other pages, or a `template` of the review's own with `shown`.

    `url` is the page that shows all of it. `cycles` are those that it is about; `field` is
    the one of a diff that a thread names.
    """

    key: str
    title: str
    more: str
    meaning: str
    glyph: str
    url: str
    panels: tuple[EvidencePanel, ...] = ()
    at: int = 0
    template: str = ""
    shown: Any = None
    cycles: tuple[tuple[int, int], ...] = ()
    thread: int = 0
    field: str = ""

    @property
    def panel(self) -> EvidencePanel | None:
        """Return the panel that is open, None where the review has one of its own."""
        return self.panels[self.at] if self.panels else None

    @property
    def page_url(self) -> str:
        """Return the page that shows what the open panel is a part of."""
        return self.panel.url if self.panel is not None else self.url

    @property
    def tabs(self) -> list[EvidenceTab]:
        """Return a tab for each panel where there are several."""
        if len(self.panels) < 2:
            return []
        return [
            EvidenceTab(panel.label, f"?finding={self.key}&panel={number}", number == self.at)
            for number, panel in enumerate(self.panels)
        ]


def evidence_of(of: Run | Review, finding: ReviewFinding, at: int = 0) -> Evidence:
    """Return the evidence of a finding with its panel number `at` open."""
    template, shown = ("", None) if finding.panels else _own_panel(of, finding)
    return Evidence(
        key=finding.key,
        title=finding.what,
        more=finding.more,
        meaning=finding.meaning,
        glyph=finding.glyph,
        url=finding.url,
        panels=finding.panels,
        at=at if at < len(finding.panels) else 0,
        template=template,
        shown=shown,
        cycles=finding.cycles,
    )


def evidence_of_thread(of: Run | Review, view: ThreadView, finding: ReviewFinding | None) -> Evidence:
    """Return the panel of what a thread speaks of; `finding` is the one that it names, None where it is gone."""
    thread = view.thread
    if finding is not None:
        return replace(evidence_of(of, finding), thread=thread.pk, field=thread.field)
    if thread.run is None or thread.kind == ThreadKind.FIELD:
        return Evidence(
            key=thread.finding,
            title="Not among the findings any more",
            more=thread.fact,
            meaning="none",
            glyph="comment",
            url="",
            template="review/evidence/_gone.html",
            thread=thread.pk,
        )
    is_event = thread.kind == ThreadKind.EVENT
    pod = thread.pod or (view.row.pod if view.row and not is_event else "")
    return Evidence(
        key="",
        title=pod.rpartition("/")[2] or f"{view.about[0].upper()}{view.about[1:]}",
        more=f"{f'{view.about} ' if pod else ''}of run {thread.run.number}",
        meaning="cursor",
        glyph="comment",
        url=view.thing_url,
        panels=(EvidencePanel(f"Run {thread.run.number}", view.thing_url, EVENT_PART if is_event else INSPECTOR),),
        cycles=((thread.run.pk, thread.cycle),) if thread.cycle else (),
        thread=thread.pk,
    )


def _own_panel(of: Run | Review, finding: ReviewFinding) -> tuple[str, Any]:
    """Return the template and what it shows for a finding that no other page has a panel for."""
    if not isinstance(of, Review):
        return "review/evidence/_text.html", None
    if of.kind in OF_THINGS:
        return "review/evidence/_change.html", change_of(of, finding.key)
    if of.kind == SubjectKind.CONFIGURATION and finding.key.startswith("field:"):
        before, after = of.proposal["before_text"], of.proposal["after_text"]
        fields = table_differences(before, after)
        return "review/evidence/_fields.html", {"fields": fields, "text": diff_texts(before, after)}
    return "review/evidence/_text.html", None
