"""The outcomes page: what it says of a run, its parts, its states, its downloads."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from dashboard.debugger.outcomes import summary_cache
from dashboard.debugger.outcomes.rows import GroupRow
from dashboard.runs import actions, execution, preparing, sessions
from dashboard.runs.actions import Launch
from dashboard.runs.models import Run, RunOutcomes, State
from tests.dashboard.run_helpers import cluster_of, node

pytestmark = pytest.mark.django_db


def test_a_run_s_pods_are_grouped_by_how_they_ended_those_that_need_a_look_first(visit, run):
    response = visit(run)
    page = response.content.decode()
    assert page.index("Needs a look:") < page.index("Bound:")
    groups = {group.kind: group for group in response.context["summary"].outcomes.groups}
    assert set(groups) == {"pending", "gated", "preempted", "bound"}
    assert groups["pending"].too_large == "cpu"
    for kind in ("pending", "gated", "preempted"):
        assert f'id="r-{groups[kind].id}"' in page
    assert "64 cpu" in page
    assert "example.org/hold" in page


def test_totals_filter_and_the_address_says_so(visit, run):
    response = visit(run, outcome="gated")
    page = response.content.decode()
    assert 'aria-pressed="true"' in page
    groups = [row for row in response.context["table"].rows() if isinstance(row, GroupRow)]
    assert [(row.word, row.pods) for row in groups] == [("gated", 1)]
    assert groups[0].title in page
    assert "never-0" not in page


def test_a_group_opens_to_its_owner_and_pods_and_a_pod_leads_to_its_last_attempt(visit, run):
    outcomes = summary_cache.summary_of(run).outcomes
    group = next(group for group in outcomes.groups if group.hopeless)
    page = visit(run).content.decode()
    opened = page.split(f'id="r-{group.id}"')[1].split('hx-get="')[1].split('"')[0].replace("&amp;", "&")
    assert group.id in opened
    part = visit(run, part="oc-list", open=opened.partition("open=")[2]).content.decode()
    assert part.lstrip().startswith("<section")
    assert "/why/?pod=default/never-0" in part


def test_a_bad_query_is_a_clear_400_and_a_stranger_sees_nothing(visit, run, stranger):
    assert visit(run, outcome="lucky").status_code == 400
    assert visit(run, n=10**9).status_code == 400
    url = reverse("debugger:outcomes", kwargs={"slug": "team", "number": run.number})
    assert stranger.get(url).status_code == 404


def test_every_pod_bound_is_one_line(visit, plain_run):
    page = visit(plain_run).content.decode()
    assert page.count('class="oc-done"') == 1
    assert "Needs a look" not in page


def test_a_run_without_pods_has_no_table(visit, execute):
    response = visit(execute([node("a")]))
    assert response.context["summary"].outcomes.pods == []
    assert "data-row=" not in response.content.decode()


def test_a_run_that_waits_for_a_worker_has_rows_that_say_so_and_ask_again(visit, plain_run, editor):
    run = actions.create_run(editor.member, Launch(plain_run.revision))
    response = visit(run)
    assert (response.context["summary"].outcomes, response.context["summary"].progress) == (None, None)
    page = response.content.decode()
    assert "oc-skeleton" in page
    assert 'hx-trigger="load delay:500ms"' in page


def test_a_run_that_failed_before_its_first_event_says_why(visit, plain_run, editor):
    run = actions.create_run(editor.member, Launch(plain_run.revision))
    Run.objects.filter(pk=run.pk).update(state=State.FAILED, error="inputs unreadable")
    assert "inputs unreadable" in visit(run).content.decode()


def summed_up(visit, run):
    """Return the outcomes on the page once a worker has prepared what it asks for."""
    visit(run)
    preparing.work()
    return visit(run).context["summary"].outcomes


def test_a_live_run_shows_what_there_is_and_more_when_asked_again(visit, plain_run, editor, monkeypatch):
    advance = sessions.RunSession.advance
    monkeypatch.setattr(sessions.RunSession, "advance", lambda self, *limits: advance(self, max_cycles=10))
    monkeypatch.setattr(execution.waiting, "others", lambda run, seconds: True)
    run = actions.create_run(editor.member, Launch(plain_run.revision))
    execution.work()
    first = summed_up(visit, run)
    execution.work()
    assert visit(run).context["summary"].outcomes.seq == first.seq
    second = summed_up(visit, run)
    assert 0 < first.counts["bound"] < second.counts["bound"]
    assert sum(first.counts.values()) == sum(second.counts.values()) == 30
    html = visit(run).content.decode()
    assert "data-socket" in html
    # Figures of a run that goes on are of a moment, not of its end.
    assert ">at the end<" not in html


def test_an_old_run_without_a_stored_summary_is_computed_and_stored(visit, run):
    RunOutcomes.objects.filter(run_id=run.pk).delete()
    response = visit(run)
    assert response.context["summary"].progress.is_waiting
    assert 'hx-trigger="load delay:500ms"' in response.content.decode()
    preparing.work()
    assert visit(run).context["summary"].outcomes.counts["pending"] == 1
    assert RunOutcomes.objects.filter(run_id=run.pk, seq=run.head.seq).exists()


def test_markdown_and_csv_have_every_group_and_pod_of_the_view(viewer, run):
    def fetch(form, **query):
        kwargs = {"slug": "team", "number": run.number, "form": form}
        return viewer.get(reverse("debugger:outcomes_export", kwargs=kwargs), query)

    text = fetch("md").content.decode()
    assert "64 cpu" in text
    answer = fetch("csv", outcome="pending")
    assert answer["Content-Disposition"] == f'attachment; filename="run-{run.number}-outcomes.csv"'
    lines = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert {line["pod"] for line in lines} == {"never-0"}
    assert fetch("pdf").status_code == 404


def test_the_page_takes_few_queries_once_it_is_summed_up(visit, run, django_assert_max_num_queries):
    visit(run)
    with django_assert_max_num_queries(14):
        visit(run)


def test_hostile_names_stay_text(visit, execute):
    run = execute(cluster_of(1, 1), name='<img src=x onerror="alert(1)">')
    page = visit(run).content.decode()
    assert "<img src=x" not in page


@pytest.mark.parametrize(
    ("query", "sentences"),
    [
        (
            {},
            [
                "Larger than any node",
                "never-0 asks 64 cpu, the largest has 16",
                "Scheduling gate example.org/hold",
                "Preempted and not replaced",
            ],
        ),
    ],
)
def test_words(visit, run, query, sentences):
    page = visit(run, **query).content.decode()
    assert [one for one in sentences if one not in page] == []


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("all bound", "Every pod is bound"),
        ("no pods", "The run has no pods"),
        ("queued", "The run waits for a worker."),
        ("not summed up", "Waiting for a worker that sums up"),
    ],
)
def test_words_of_what_there_is_no_table_for(visit, execute, plain_run, editor, kind, sentence):
    run = plain_run
    if kind == "no pods":
        run = execute([node("a")])
    elif kind == "queued":
        run = actions.create_run(editor.member, Launch(plain_run.revision))
    elif kind == "not summed up":
        RunOutcomes.objects.filter(run_id=run.pk).delete()
    assert sentence in visit(run).content.decode()
