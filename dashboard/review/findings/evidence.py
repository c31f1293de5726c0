"""What the middle of a review shows: the panel of a finding or of a thread, by the address of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.clusters.revisions.diff import diff_texts
from dashboard.review.findings.cluster import change_of
from dashboard.review.findings.configuration import table_differences
from dashboard.review.findings.groups import EvidencePanel
from dashboard.review.models import Review, SubjectKind

if TYPE_CHECKING:
    from dashboard.review.findings.groups import ReviewFinding
    from dashboard.review.threads import ThreadView
    from dashboard.runs.models import Run


@dataclass(frozen=True)
class EvidenceTab:
    """A tab above the evidence: where it leads."""

    label: str
    url: str
    is_current: bool


@dataclass(frozen=True)
class Evidence:
    """The evidence of a finding or thread: parts of other pages, or a `template` of the review's own with `shown`.

    `url` is the page that shows all of it. `cycles` are those that it is about.
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


def evidence_of_thread(view: ThreadView) -> Evidence:
    """Return the inspector at the cursor of a thread."""
    thread = view.thread
    url, _, _ = view.url.partition("#")
    url = url.replace("tab=threads", f"tab={'matrix' if thread.node or thread.plugin else 'why'}")
    pod = view.row.pod if view.row else ""
    return Evidence(
        key="",
        title=pod.rpartition("/")[2] or f"Cycle {thread.cycle:,}",
        more=", ".join(filter(None, (f"cycle {thread.cycle:,} of run {thread.run.number}", view.pin))),
        meaning="cursor",
        glyph="comment",
        url=url,
        panels=(EvidencePanel(f"Run {thread.run.number}", url),),
        cycles=((thread.run_id, thread.cycle),),
        thread=thread.pk,
    )


def _own_panel(of: Run | Review, finding: ReviewFinding) -> tuple[str, Any]:
    """Return the template and what it shows for a finding that no other page has a panel for."""
    if not isinstance(of, Review):
        return "review/evidence/_text.html", None
    if of.kind == SubjectKind.CLUSTER:
        return "review/evidence/_change.html", change_of(of, finding.key)
    if of.kind == SubjectKind.CONFIGURATION and finding.key.startswith("field:"):
        before, after = of.proposal["before_text"], of.proposal["after_text"]
        fields = table_differences(before, after)
        return "review/evidence/_fields.html", {"fields": fields, "text": diff_texts(before, after)}
    return "review/evidence/_text.html", None
