"""Parts of the page that answer workers compute: each is requested separately until its answer arrives."""

from __future__ import annotations

from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.shortcuts import render
from django.urls import reverse

from dashboard.accounts.access import Access, workspace_view
from dashboard.answers.panel import AnswerPanel, Asking
from dashboard.answers.questions import MOST_CYCLES, REMEDY_LENGTH, MissingInCycles, RemedyTried
from dashboard.common.http.params import INT32_MAX, WHOLE, shown, text_param
from dashboard.common.problems import BadQuery, NotFound
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.inputs.facts import facts_kept
from dashboard.debugger.page import CursorPage, answer_address
from dashboard.debugger.panels.cycle_list import refused_lines
from dashboard.debugger.panels.why.remedy_trial import trial_block
from dashboard.runs.actions import find_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse

    from dashboard.debugger.cursor.cursor import Cursor

# {name of the question: the part that shows its answer, and where the page has it}
PARTS = {
    "why": ("debugger/why/_cause.html", attrgetter("why.part")),
    "refused-there": ("debugger/why/_cause.html", attrgetter("why.part")),
    "untried": ("debugger/why/_cause.html", attrgetter("why.part")),
    "facts": ("debugger/why/_facts.html", attrgetter("asked.facts")),
    "wakes": ("debugger/why/_wakes.html", attrgetter("asked.wakes")),
    "doubts": ("debugger/why/_placed_doubts.html", attrgetter("asked.doubts")),
    "report": ("debugger/why/_report.html", attrgetter("asked.report")),
    "no-preemption": ("debugger/why/_no_preemption.html", attrgetter("asked.no_preemption")),
    "chains": ("debugger/why/_chains.html", attrgetter("asked.chains")),
    "pod-devices": ("debugger/why/_devices.html", attrgetter("asked.devices")),
    "room": ("debugger/why/_room.html", attrgetter("asked.room")),
    "remedies": ("debugger/why/_remedies.html", attrgetter("asked.remedies")),
    "untried-remedies": ("debugger/why/_remedies.html", attrgetter("asked.remedies")),
    "victims": ("debugger/why/_victims.html", attrgetter("asked.victims")),
}


def page_of_parts(cursor: Cursor, query: Mapping[str, str]) -> CursorPage:
    """Return the page of a request for a part: it asks answer workers and reads no inputs itself."""
    asking = Asking(cursor.run, answer_address(cursor)).again(query)
    return CursorPage(cursor, facts_kept, asking, asks_at_once=True)


@workspace_view()
def answer(request: HttpRequest, access: Access, number: int, name: str) -> HttpResponse:
    """Return the part with the answer to the question `name` at the cursor; waits a while for the answer."""
    run = find_run(access.workspace, number)
    if name not in PARTS:
        raise NotFound(f"There is no question {name[:40]}; questions are {', '.join(PARTS)}.")
    template, part_in = PARTS[name]
    cursor = cursor_of(run, access.workspace.slug, request.GET)
    page = page_of_parts(cursor, request.GET)
    if part_in(page).panel is None:
        raise NotFound("Nothing is to be asked here.")
    context = {"run": run, "cursor": cursor, "view": cursor.view, "page": page, "is_part": True}
    return render(request, template, context)


@workspace_view()
def tried(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the engine's decision of the cursor's attempt with the remedy whose text is ?remedy=."""
    run = find_run(access.workspace, number)
    page = page_of_parts(cursor_of(run, access.workspace.slug, request.GET), request.GET)
    text = text_param(request.GET, "remedy", REMEDY_LENGTH)
    if page.attempt.cycle is None or not page.asked.remedies.url or not text:
        raise NotFound("Nothing is to be tried here.")
    place, query = page.why.asking.address("remedy"), urlencode({"remedy": text})
    asking = Asking(run, lambda _: f"{place}&{query}").again(request.GET)
    panel = AnswerPanel.of(asking, RemedyTried(page.attempt.cycle.row.number, text))
    block = None if panel.answer is None else trial_block(panel.answer.value)
    target = f"tried-{sha256(text.encode()).hexdigest()[:12]}"
    context = {"run": run, "panel": panel, "block": block, "target": target}
    context |= {"cycle": page.attempt.cycle.row.number, "remedy": text}
    return render(request, "debugger/why/_tried.html", context)


@workspace_view()
def missing_in_cycles(request: HttpRequest, access: Access, number: int) -> HttpResponse:
    """Return the reasons of the refused ?cycles=3,5 of a list with the missing amounts, once they are known."""
    run = find_run(access.workspace, number)
    cycles = _cycle_numbers(request.GET)
    place = reverse("debugger:cycles_missing", args=[access.workspace.slug, number])
    asking = Asking(run, lambda _: f"{place}?cycles={','.join(map(str, cycles))}").again(request.GET)
    panel = AnswerPanel.of(asking, MissingInCycles(cycles))
    answer = panel.answer
    rows = refused_lines(run, list(cycles), answer.value.cycles) if answer is not None else []
    return render(request, "debugger/cycles/_missing.html", {"run": run, "panel": panel, "rows": rows})


def _cycle_numbers(query: Mapping[str, str]) -> tuple[int, ...]:
    """The numbers of cycles in ?cycles=; raises BadQuery."""
    texts = text_param(query, "cycles", 11 * MOST_CYCLES).split(",")
    if len(texts) > MOST_CYCLES:
        raise BadQuery(f'"cycles" may name at most {MOST_CYCLES} cycles; this names {len(texts)}.')
    for text in texts:
        if not WHOLE.fullmatch(text) or not 1 <= int(text) <= INT32_MAX:
            raise BadQuery(f'"cycles" must be numbers of cycles with commas between them, not "{shown(text)}".')
    return tuple(sorted({int(text) for text in texts}))
