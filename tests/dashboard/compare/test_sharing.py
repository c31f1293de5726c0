"""What is sent of a comparison: short addresses and a few lines."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.urls import reverse

from dashboard.answers import asking
from dashboard.answers.answering.comparing.sides import FiguresAnswer
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import Answer, WaitsFor
from dashboard.common.problems import Conflict
from dashboard.compare import sharing
from dashboard.compare.page import ComparisonPage
from dashboard.compare.pod_rows import TITLES
from dashboard.compare.sharing import comparison_note, short_path
from scheduler_core.compare.pods import MOVED
from tests.dashboard.role_tables import assert_each_role_gets_its_answer

pytestmark = pytest.mark.django_db
SITE = "https://site.example"


@pytest.mark.parametrize(
    ("query", "short"),
    [
        ({}, "/w/team/compare/1/2/"),
        ({"a_cycle": 2, "b_cycle": 3}, "/w/team/compare/1/2/c/2/3/"),
        ({"a_cycle": 2}, "/w/team/compare/1/2/c/2/0/"),
        ({"a_seq": 5}, "/w/team/compare/?a=1&b=2&a_seq=5"),
        ({"all": 1}, "/w/team/compare/?a=1&b=2&all=1"),
        ({"q": "x"}, "/w/team/compare/?a=1&b=2&q=x"),
        ({"page": 2}, "/w/team/compare/?a=1&b=2&page=2"),
    ],
)
def test_a_short_address_leads_to_the_full_one(asked, viewer, query, short):
    full = asked(**query).url()
    assert short_path(asked(**query)) == short
    if short != full:
        assert viewer.get(short)["Location"] == full
        assert viewer.get(full).status_code == 200


@pytest.mark.parametrize("path", ["1/2/", "1/2/c/2/3/", "note.txt?a=1&b=2", "note.md?a=1&b=2"])
def test_members_have_them_and_nobody_else(people, run, other, path):
    works = 200 if "note" in path else 302
    assert_each_role_gets_its_answer(
        people, "viewer", works, lambda person, role: person.get(f"/w/team/compare/{path}")
    )


def test_runs_of_another_workspace_are_not_found(stranger, owner, run, other):
    assert stranger.get("/w/elsewhere/compare/1/2/").status_code == 404
    assert stranger.get("/w/elsewhere/compare/note.md?a=1&b=2").status_code == 404
    assert owner.get("/w/team/compare/1/99/").status_code == 404
    assert owner.get("/w/team/compare/1/99999999999999999999/").status_code == 400
    assert owner.get("/w/team/compare/note.html?a=1&b=2").status_code == 404
    assert owner.post("/w/team/compare/note.md?a=1&b=2").status_code == 405


def test_a_note_says_where_they_part_and_how_many_pods_differ(asked):
    lines = comparison_note(asked(), SITE).as_text().splitlines()
    assert [part in lines[0] for part in ("1 of Prod r1", "2 of Larger r1")] == [True, True]
    assert lines[1].startswith("First divergence: event ")
    assert lines[2].startswith("A ")
    assert lines[3].startswith("B ")
    assert any(line.startswith("Cause: ") and "cluster" in line for line in lines)
    counts = ComparisonPage(asked(), {}).figures.answer.value.groups
    assert any(line.startswith(f"{sum(counts.values())} of 9 ") for line in lines)
    assert {f"{TITLES[group]}: {n}" for group, n in counts.items()} <= set(lines)
    assert lines[-1] == f"{SITE}/w/team/compare/1/2/"


def test_where_the_cursors_stand_both_decisions_are_told(asked, cycle_of):
    lines = comparison_note(asked(a_cycle=cycle_of("never-0").number), SITE).as_text().splitlines()
    assert any(line.startswith("A, attempt 1 of default/never-0: Nothing fits") for line in lines)
    assert any(line.startswith("B, attempt 1 of default/never-0: spare") for line in lines)


def test_the_same_run_twice_is_the_same(asked, run):
    lines = comparison_note(asked(b=run.number), SITE).as_text().splitlines()
    assert lines[1] == ComparisonPage(asked(b=run.number), {}).first.same_text
    assert lines[2].startswith("0 of ")


def test_what_is_not_read_in_time_is_refused_with_the_way_out(asked, monkeypatch):
    monkeypatch.setattr(sharing, "NOTE_SECONDS", 0.05)
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: AskResult(waits_for=WaitsFor.WORKER))
    with pytest.raises(Conflict, match="still being read"):
        comparison_note(asked(), SITE)


def test_the_page_has_the_short_link_and_both_forms(viewer, run, other):
    page = viewer.get("/w/team/compare/?a=1&b=2").content.decode()
    assert 'data-copy-text="http://testserver/w/team/compare/1/2/"' in page
    for form in ("txt", "md"):
        assert f'href="{reverse("compare:note", args=["team", form])}?a=1&amp;b=2"' in page


def test_words(asked):
    lines = comparison_note(asked(), SITE).as_text().splitlines()
    n = sum(ComparisonPage(asked(), {}).figures.answer.value.groups.values())
    sentences = ["A run 1 of Prod r1 against B run 2 of Larger r1", f"{n} of 9 pods differ"]
    assert [one for one in sentences if one not in lines] == []


@pytest.mark.parametrize("turns", [0, 2])
def test_pods_are_counted_in_turns_that_end_with_the_time_of_a_note(monkeypatch, turns):
    now, asked_for = [100.0], []

    class Page:
        def __init__(self, asked, query, left):
            asked_for.append((query["turn"], left))
            now[0] += 0.4 * sharing.NOTE_SECONDS
            answer = Answer(FiguresAnswer(reached=1, total=1, n_pods=7, groups={MOVED: 2}), 1.0)
            outcome = Answer(FiguresAnswer(reached=1, total=2), 1.0)
            panel = SimpleNamespace(outcome=outcome)
            self.figures = SimpleNamespace(panel=panel, answer=answer if len(asked_for) > turns else None)

    monkeypatch.setattr(sharing, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(sharing, "ComparisonPage", Page)
    lines = list(sharing._pods(None))
    assert lines == [("2 of 7 pods differ",), (f"{TITLES[MOVED]}: 2",)]
    assert [turn for turn, _ in asked_for] == [str(n) for n in range(turns + 1)]
    lefts = [left / sharing.NOTE_SECONDS for _, left in asked_for]
    assert lefts == pytest.approx([1.0, 0.6, 0.2][: turns + 1])
    turns = 9
    with pytest.raises(Conflict):
        list(sharing._pods(None))
