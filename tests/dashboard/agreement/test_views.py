"""The page of agreement: computed by a worker, shown by address, filtered, taken along, and logs."""

from __future__ import annotations

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.agreement import computing
from dashboard.agreement.models import AgreementResult
from dashboard.answers.answering import agreement as answering
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from tests.dashboard.agreement.conftest import HERE, MESSAGE, PAGE, dump
from tests.dashboard.answers import here
from tests.dashboard.helpers import strict_html
from tests.dashboard.run_helpers import node, pod

LINE = '"Plugin scored node for pod" pod="default/{}" plugin="{}" node="{}" score={}\n'


def waiting_page(person, query=""):
    """Return the page of a comparison that a worker has not begun; it asks again by itself."""
    response = person.get(f"{PAGE}{query}")
    assert response.context["report"] is None
    assert response.context["result"].claimed_at is None
    assert not response.context["asked"].waits
    return strict_html(response)


def test_a_page_asks_a_worker_once_and_shows_what_it_found_at_once_from_then_on(editor, viewer, dumped, woken):
    waits = waiting_page(editor)
    assert 'hx-trigger="load delay:500ms"' in waits
    strict_html(viewer.get(PAGE))
    assert woken == [computing.TASK]
    assert computing.work()
    assert not computing.work()
    page = strict_html(viewer.get(PAGE))
    assert "1 of 2 <small" in page
    assert "load delay" not in page
    assert woken == [computing.TASK]


def test_the_part_for_htmx_is_the_comparison_alone(editor, computed):
    part = editor.get(PAGE, headers={"HX-Request": "true"}).content.decode().strip()
    assert part.startswith('<div class="agree" id="agreement">')


def test_another_configuration_is_another_comparison_and_is_kept_in_the_address(editor, computed, woken):
    waiting_page(editor, "?config=preset:pack-gpus")
    assert computing.work()
    page = strict_html(editor.get(f"{PAGE}?config=preset:pack-gpus"))
    assert '<option value="preset:pack-gpus" selected>' in " ".join(page.split())
    assert AgreementResult.objects.count() == 2
    assert editor.get(f"{PAGE}?config=nothing").status_code == 404


def test_another_revision_is_another_comparison(editor, computed, save):
    save(dump()[:3])
    waiting_page(editor)
    assert "1 of 2 <small" in strict_html(editor.get(f"{PAGE}?r=1"))


def test_everything_is_decided_again_on_demand(editor, viewer, computed, woken):
    assert editor.post(f"{PAGE}again").headers["Location"] == PAGE
    waiting_page(editor)
    assert computing.work()
    assert "1 of 2 <small" in strict_html(editor.get(PAGE))
    assert viewer.post(f"{PAGE}again").status_code == 403


def test_a_pasted_log_is_compared_score_by_score(editor, viewer, save, woken):
    save([node("node-a"), node("node-b"), pod("web", "1")])
    log = LINE.format("web", "NodeResourcesFit", "node-a", 96) + LINE.format("web", "NodeResourcesFit", "node-b", 5)
    there = editor.post(f"{PAGE}log", {"text": f"I1 {log}{LINE.format('web', 'X', 'node-a', 'much')}"})
    page = there.headers["Location"]
    assert page.startswith(f"{PAGE}?log=")
    assert computing.work()
    shown = strict_html(viewer.get(page))
    assert "scores differ" in shown
    assert "<b>Line 3</b>" in shown
    assert "score is no whole number" in shown
    file = SimpleUploadedFile("scheduler.log", log.encode())
    assert editor.post(f"{PAGE}log", {"log": file}).headers["Location"] != page
    assert viewer.post(f"{PAGE}log", {"text": log}).status_code == 403
    assert editor.post(f"{PAGE}log", {"text": "  "}).status_code == 400
    assert editor.get(f"{PAGE}?log=99").status_code == 404


def test_strangers_see_nothing(stranger, anonymous, dumped, woken):
    assert stranger.get(PAGE).status_code == 404
    assert anonymous.get(PAGE).status_code == 302
    assert woken == []


def test_an_answer_worker_decides_what_takes_a_moment_and_nobody_else_is_woken(editor, dumped, woken, answer_worker):
    answer_worker.ask = here.ask
    page = strict_html(editor.get(PAGE))
    assert "1 of 2 <small" in page
    assert woken == []
    answer_worker.ask = None
    assert "1 of 2 <small" in strict_html(editor.get(PAGE))


def test_the_tab_counts_what_agrees_once_somebody_compared(editor, dumped, woken, answer_worker):
    answer_worker.ask = here.ask
    assert "1/2" not in strict_html(editor.get(f"{HERE}nodes/"))
    strict_html(editor.get(PAGE))
    assert re.search(r'count-agreement"\s*>1/2</span>', strict_html(editor.get(f"{HERE}nodes/")))


def test_the_messages_of_the_pods_that_are_shown_are_copied_together(editor, dumped, woken, answer_worker):
    answer_worker.ask = here.ask
    page = strict_html(editor.get(PAGE))
    both = html.unescape(re.search(r'id="both-messages"[^>]*>([^<]*)<', page).group(1))
    lines = both.splitlines()
    assert lines[lines.index("default/wide") + 1] == f"real: {MESSAGE}"
    assert lines[lines.index("default/wide") + 2].startswith("ours: 0/2 nodes")
    assert "default/fits\nreal:" in both
    assert "ours: fits node-a" in both


def test_a_page_waits_for_an_answer_worker_that_is_busy_and_says_so(editor, dumped, woken, answer_worker):
    answer_worker.ask = lambda _asked: AskResult(waits_for=WaitsFor.OTHERS, place=3)
    page = strict_html(editor.get(PAGE))
    assert "3 in line" in page
    again = re.search(r'hx-get="([^"]*until=\d+)"', page).group(1)
    answer_worker.ask = lambda _asked: AskResult(waits_for=WaitsFor.RESULT)
    assert "7 objects" in strict_html(editor.get(again))
    assert woken == []
    waiting_page(editor, "?until=1000")
    assert woken == [computing.TASK]


def test_what_takes_longer_than_a_moment_is_a_background_task(editor, dumped, woken, answer_worker, monkeypatch):
    answer_worker.ask = here.ask
    monkeypatch.setattr(answering, "LONGEST_SECONDS", 0.0)
    waiting_page(editor)
    assert woken == [computing.TASK]
    assert computing.work()
    assert "1 of 2 <small" in strict_html(editor.get(PAGE))


def test_many_objects_are_a_background_task_from_the_beginning(editor, dumped, woken, answer_worker, monkeypatch):
    answer_worker.ask = None
    monkeypatch.setattr(computing, "MOST_IN_A_MOMENT", 6)
    waiting_page(editor)
    assert woken == [computing.TASK]


def test_what_another_engine_found_is_not_shown_while_an_answer_worker_decides_anew(
    editor, dumped, woken, answer_worker, monkeypatch
):
    answer_worker.ask = here.ask
    strict_html(editor.get(PAGE))
    monkeypatch.setattr(computing, "MADE_BY", "next")
    answer_worker.ask = lambda _asked: AskResult(waits_for=WaitsFor.RESULT)
    assert "agree-fig" not in strict_html(editor.get(PAGE))
    answer_worker.ask = here.ask
    assert "1 of 2 <small" in strict_html(editor.get(PAGE))
    assert AgreementResult.objects.get().engine_version == "next"


def test_words(editor, dumped, woken):
    assert "Waiting for a worker that decides the pods again." in strict_html(editor.get(PAGE))


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (AskResult(waits_for=WaitsFor.OTHERS, place=3), "Waiting for the answer worker, 3 in line"),
        (AskResult(waits_for=WaitsFor.RESULT), "An answer worker decides the pods of 7 objects again"),
    ],
)
def test_words_of_an_answer_worker(editor, dumped, woken, answer_worker, result, sentence):
    answer_worker.ask = lambda _asked: result
    assert sentence in strict_html(editor.get(PAGE))
