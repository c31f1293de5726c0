"""The strip: its paths, its legend, and where its steps lead."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from dashboard.compare.strip import VIEW, Strip

pytestmark = pytest.mark.django_db


def test_every_attempt_has_a_cell_of_its_side(page):
    strip = page().strip
    boxes = [box for _, path in strip.paths for box in re.findall(r"M([\d.]+) (\d+)h", path)]
    assert len(boxes) == sum(strip.answer.n_attempts)
    assert all(0 <= float(x) < VIEW for x, _ in boxes)


def test_the_legend_counts_every_pair_once(page):
    strip = page().strip
    assert sum(one.n for one in strip.legend) >= max(strip.answer.n_attempts)
    assert {one.kind for one in strip.legend} == set(strip.answer.kinds)


def test_steps_lead_on_and_back_to_the_same_place(page, asked):
    first = page(a_cycle=1).strip
    on = first.attempt_steps[1].url
    assert on
    back = page(a_cycle=re.search(r"a_cycle=(\d+)", on)[1]).strip.attempt_steps[0].url
    assert back == asked().at(1, 0)
    assert first.attempt_steps[0].url == ""


def test_free_cursors_step_each_by_itself(page):
    strip = page(a_cycle=1, b_cycle=2).strip
    assert "a_cycle=2&b_cycle=3" in strip.attempt_steps[1].url
    assert strip.own_step("a", -1) == ""
    assert "a_cycle=2&b_cycle=2" in strip.own_step("a", 1)
    assert "a_cycle=1&b_cycle=1" in strip.own_step("b", -1)
    last = page(a_cycle=strip.answer.n_attempts[0], b_cycle=strip.answer.n_attempts[1]).strip
    assert last.attempt_steps[1].url == ""


def test_what_is_said_of_the_place(page, run):
    assert re.fullmatch(r"difference 1 of \d+", page().strip.place_text)
    assert page(b=run.number).strip.place_text == "no attempt differs"
    assert page(b=run.number).strip.first_url == ""


def test_many_attempts_share_cells_of_the_heaviest_kind(asked):
    from dashboard.answers.answering.comparing.attempts import CELLS, AlignedAnswer, Alignment, _strip
    from dashboard.compare.strip import Strip
    from scheduler_core.compare import Attempt
    from scheduler_core.compare.attempts import KINDS, PLACED_IN_ONE

    a = [Attempt(n, f"x/{n}", "", 1, "scheduled", "node") for n in range(1, 1001)]
    b = [
        Attempt(n, f"x/{n}", "", 1, "unschedulable" if n == 500 else "scheduled", "" if n == 500 else "node")
        for n in range(1, 901)
    ]
    alignment = Alignment(a, b)
    strips = _strip(alignment, CELLS, "a"), _strip(alignment, CELLS, "b")
    assert len(strips[0]) == CELLS
    assert len(strips[1]) == CELLS * 900 // 1000
    assert strips[0].count(str(KINDS.index(PLACED_IN_ONE))) == strips[1].count(str(KINDS.index(PLACED_IN_ONE))) == 1
    answer = AlignedAnswer(
        n_attempts=(1000, 900),
        kinds={},
        strips=strips,
        per_cell=2.5,
        links=(),
        at=alignment.pair(499),
        before=None,
        after=None,
        difference_before=None,
        difference_after=None,
        first=None,
        difference=1,
        n_differences=1,
    )
    assert Strip(asked(), answer).cursor.count("M") == 3


@pytest.mark.parametrize(
    ("at", "steps"),
    [
        ((1, 1), {"A": ("", {"a_cycle": 2, "b_cycle": 1}), "B": ("", {"a_cycle": 1, "b_cycle": 2})}),
        ((3, 2), {"A": ({"a_cycle": 2, "b_cycle": 2}, ""), "B": ({"a_cycle": 3, "b_cycle": 1}, "")}),
        ((2, 0), {"A": ("", ""), "B": ("", "")}),
        ((0, 2), {"A": ("", ""), "B": ("", "")}),
    ],
)
def test_one_side_steps_by_itself_where_both_stand_at_an_attempt(at, steps):
    pair = SimpleNamespace(a=at[0], b=at[1])
    answer = SimpleNamespace(at=pair, strips=("000", "00"), n_attempts=(3, 2))
    assert Strip(SimpleNamespace(url=lambda **changed: changed), answer).own_steps == steps
