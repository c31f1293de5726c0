"""Why an owner lacks pods: admission refused them, or its rollout does not go on. A page of its own, as of the head."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import Access, workspace_view
from dashboard.answers.panel import AskedPart, Asking
from dashboard.answers.questions import OwnerOf, OwnerRemedies
from dashboard.common.http.params import text_param
from dashboard.common.pages.keys import as_json, footer_keys
from dashboard.common.problems import BadQuery, NotFound
from dashboard.debugger.cursor.cursor import NAME_LIMIT
from dashboard.debugger.keys import OWNER_KEYS
from dashboard.debugger.outcomes.owners.rows import OwnerLink, neighbours, owner_links
from dashboard.debugger.outcomes.summary_cache import summary_of
from dashboard.debugger.panels.rollout import RolloutPanel, rollout_panel
from dashboard.debugger.panels.why.causes.sentence import CauseView, cause_view
from dashboard.debugger.panels.why.causes.stages import StageStep, stage_strip
from dashboard.debugger.panels.why.remedies import RemedyList, remedy_list
from dashboard.debugger.why.address import MOMENTS
from dashboard.runs.actions import find_run
from scheduler_core.explain.diagnosis.model import Diagnosis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from dashboard.answers.answering.owners import OwnerAnswer
    from dashboard.answers.outcomes import Answer
    from dashboard.runs.models import Run
    from scheduler_core.explain.pending.tries import Tries

# The page is not held longer by an answer that comes late: the part asks again.
PATIENCE_SECONDS = 0.2
PARTS = {
    "owner": "debugger/why/owner/_answer.html",
    "owner-remedies": "debugger/why/_remedies.html",
    "owner-report": "debugger/why/_report.html",
    "owner-moves": "debugger/rollouts/_moves.html",
}
STATES = {
    "not created": ("backoff", "ring"),
    "rollout stuck": ("unsched", "refresh"),
    "rollout waits on purpose": ("wait", "pause"),
}


@dataclass(frozen=True)
class OwnerReport:
    """The answer as the template reads it: `state` is (meaning, glyph, word)."""

    state: tuple[str, str, str]
    stages: tuple[StageStep, ...]
    cause: CauseView | None
    tries: Tries | None
    rollout: RolloutPanel | None
    seq: int


class OwnerPage:
    """What the page shows of an owner, named namespace/name: `asked` has the parts that an answer worker computes."""

    def __init__(self, run: Run, slug: str, owner: str, asking: Asking) -> None:
        self.run = run
        self.slug = slug
        self.owner = owner
        self.asking = asking

    @property
    def asked(self) -> OwnerPage:
        """Return where templates of remedies look for their part."""
        return self

    @cached_property
    def answer(self) -> AskedPart[OwnerReport | None]:
        """The cause with what is known of the tries or the rollout."""
        return AskedPart(self.asking, OwnerOf(self.owner, self.run.head.seq), lambda answer: _report(answer.value))

    @cached_property
    def remedies(self) -> AskedPart[RemedyList]:
        """What would let the pods be made, or the rollout go on; each is tried by a whole run."""
        return AskedPart(self.asking, OwnerRemedies(self.owner, self.run.head.seq), _remedies)

    @property
    def moves_again(self) -> str:
        """Return where the opened rollout of the outcomes asks for its remedies again, as the same asker."""
        panel = self.remedies.panel
        query = panel.again.partition("?")[2] if panel is not None else ""
        return f"{self.asking.address('owner-moves').partition('?')[0]}?{query}"

    @cached_property
    def report(self) -> AskedPart[str]:
        """All that is said of it, as the lines that the command *why* prints."""
        place = replace(self.asking, address=lambda _: self.asking.address("owner-report"))
        return AskedPart(place, self.remedies.question, lambda answer: answer.value)

    @cached_property
    def others(self) -> list[OwnerLink]:
        """The owners of the run that have such a page."""
        outcomes = summary_of(self.run).outcomes
        return owner_links(outcomes, self.slug, self.run.number) if outcomes is not None else []

    @property
    def beside(self) -> tuple[str, str]:
        """Return the addresses of the owners before and after this one, "" at the ends."""
        return neighbours(self.others, self.owner)

    @property
    def name(self) -> str:
        """Return the owner's name without its namespace."""
        return self.owner.partition("/")[2]

    @property
    def namespace(self) -> str:
        """Return its namespace."""
        return self.owner.partition("/")[0]


def _report(answer: OwnerAnswer | None) -> OwnerReport | None:
    if answer is None:
        return None
    cause, state = answer.cause, STATES.get(answer.state, ("none", "dot"))
    stages = stage_strip(cause.stage, cause.codes[0], 0, is_post_filtered=False) if cause is not None else ()
    return OwnerReport(
        state=(*state, answer.state),
        stages=() if answer.rollout is not None else stages,
        cause=None if cause is None else cause_view(Diagnosis(cause=cause), cause.opens.count),
        tries=answer.tries,
        rollout=rollout_panel(answer.rollout) if answer.rollout is not None else None,
        seq=answer.seq,
    )


def _remedies(answer: Answer) -> RemedyList:
    of_owner: OwnerAnswer | None = answer.value
    if of_owner is None or of_owner.remedies is None:
        return RemedyList(fits=False, best=None, groups=(), more=0, note="Nothing is to be changed here.", took="")
    return remedy_list(of_owner.remedies, answer.seconds, "", goal="is enough")


@workspace_view()
def page(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Why ?of=NAMESPACE/NAME lacks pods or does not roll out."""
    run = find_run(access.workspace, number)
    shown = _page(run, access.workspace.slug, request.GET, PATIENCE_SECONDS)
    context = _context(run, shown)
    context |= {"tab": "outcomes", "declared_keys": as_json(OWNER_KEYS), "footer_keys": footer_keys(OWNER_KEYS)}
    return render(request, "debugger/why/owner/page.html", context)


@workspace_view()
def answer(request: HttpRequest, access: Access, number: int, name: str) -> HttpResponse:
    """Return the part with the answer to the question `name`; waits a while for it."""
    if name not in PARTS:
        raise NotFound(f"There is no question {name[:40]}; questions are {', '.join(PARTS)}.")
    run = find_run(access.workspace, number)
    shown = _page(run, access.workspace.slug, request.GET)
    return render(request, PARTS[name], _context(run, shown) | {"is_part": True})


def address_of_owner(run: Run, slug: str, query: Mapping[str, str]) -> str:
    """Return the page of the owner that ?pod= names instead of a pod, where the summary of the run has it as one that
    lacks pods; "" for all else."""
    pod = text_param(query, "pod", NAME_LIMIT)
    outcomes = summary_of(run).outcomes if pod and not any(name in query for name in MOMENTS) else None
    if outcomes is None or any(one.pod == pod for one in outcomes.pods):
        return ""
    return next((one.url for one in owner_links(outcomes, slug, run.number) if pod in one.names), "")


def _page(run: Run, slug: str, query: Mapping[str, str], patience: float | None = None) -> OwnerPage:
    owner = text_param(query, "of", NAME_LIMIT)
    if owner.count("/") != 1 or not all(owner.split("/")):
        raise BadQuery(f'"of" must be NAMESPACE/NAME of a workload or a pod, not "{owner[:80]}".')
    named = urlencode({"of": owner}, safe="/")
    asking = Asking(run, lambda name: f"{reverse('debugger:why_owner_answer', args=[slug, run.number, name])}?{named}")
    asks = asking.again(query) if patience is None else Asking(run, asking.address, patience=patience)
    return OwnerPage(run, slug, owner, asks)


def _context(run: Run, shown: OwnerPage) -> dict[str, Any]:
    return {"run": run, "page": shown}
