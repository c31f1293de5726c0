"""A pod's story in a few lines: what the tab lists up to the cursor."""

from __future__ import annotations

import pytest

from dashboard.common.problems import NotFound
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.sharing import story
from dashboard.debugger.sharing.decision import recorded_page
from dashboard.debugger.sharing.story import story_note

pytestmark = pytest.mark.django_db
SITE = "https://site.example"


def page(run, **query):
    return recorded_page(cursor_of(run, "team", {name: str(value) for name, value in query.items()}))


def noted(run, **query):
    return story_note(page(run, **query), SITE).as_text().splitlines()


def test_it_has_every_line_of_the_tab_up_to_the_cursor(run, cycle_of):
    at = {"seq": run.head.seq, "pod": "default/big-0"}
    lines, shown = noted(run, **at), page(run, **at).pod.history_lines
    assert len(lines) == len(shown) + 3
    for line, one in zip(lines[1:], shown, strict=False):
        assert f"{one.title}, {one.detail}" in line
    assert "1 victim leaves" in "".join(lines)
    assert lines[0].startswith("default/big-0: 2 attempts ")


def test_what_comes_after_the_cursor_is_not_told(run, cycle_of):
    cycle = cycle_of("never-0")
    lines = noted(run, seq=cycle.first_seq, pod="default/never-0")
    assert lines[0].startswith("default/never-0: 0 attempts")
    assert lines[0].endswith(f" {cycle.first_seq}")
    assert not any("attempt 1" in line for line in lines)


def test_of_a_long_story_the_last_lines_stay(run, monkeypatch):
    monkeypatch.setattr(story, "MOST_LINES", 1)
    lines = noted(run, seq=run.head.seq, pod="default/big-0")
    assert lines[1].endswith(" lines before these")
    assert len(lines) == 5


def test_a_pod_without_a_record_says_so_and_no_pod_is_refused(run):
    assert len(noted(run, seq=run.head.seq, pod="default/nobody")) == 4
    with pytest.raises(NotFound):
        noted(run, seq=0)


@pytest.mark.parametrize(
    ("pod", "sentences"),
    [
        ("big-0", ["default/big-0: 2 attempts up to event ", "1 victim leaves, decided by"]),
        ("nobody", ["Nothing of this pod is recorded up to here."]),
    ],
)
def test_words(run, pod, sentences):
    lines = "\n".join(noted(run, seq=run.head.seq, pod=f"default/{pod}"))
    assert [one for one in sentences if one not in lines] == []
