"""One side: what came of an attempt, in the words of what its cycle recorded."""

from __future__ import annotations

import pytest

from dashboard.compare.address import ComparedRun
from dashboard.compare.decisions.side import side_at, side_without

pytestmark = pytest.mark.django_db


@pytest.fixture
def side(run, cycle_of):
    """A function that returns the side at the first cycle of a pod."""
    return lambda pod: side_at("team", ComparedRun(run), "A", cycle_of(pod).number)


def test_a_pod_that_fits_nowhere(side, run):
    shown = side("never-0")
    assert shown.text.startswith("Nothing fits: 0 of 3 nodes. ")
    assert shown.pill == ("unsched", "unschedulable")
    assert shown.url.startswith(f"/w/team/runs/{run.number}/?")
    assert (shown.name, shown.attempt) == ("never-0", 1)


def test_a_pod_that_preempts_names_its_victims_node_and_how_it_was_chosen(side):
    shown = side("big-0")
    assert shown.pill[0] == "nomin"
    assert shown.pill[1] in shown.text
    assert shown.candidates[0].is_chosen


def test_a_pod_that_is_placed_names_its_node_and_points(side):
    shown = side("small-0")
    assert shown.pill == ("win", shown.row.node)
    assert shown.text.startswith(f"{shown.row.node}, ")


def test_a_pod_that_was_scored_says_with_how_many_points(plain_run):
    texts = [side_at("team", ComparedRun(plain_run), "A", number).text for number in range(1, 31)]
    assert any("among 5 nodes" in text for text in texts)
    assert any("ahead of node-" in text for text in texts)


def test_the_other_run_without_the_attempt_says_what_became_of_the_pod(side, run, cycle_of):
    there, short = side("never-0"), cycle_of("never-0")
    missing = side_without("team", ComparedRun(run, 3), "B", there)
    assert (missing.letter, missing.url, missing.row) == ("B", "", None)
    under_way = side_without("team", ComparedRun(run, short.first_seq + 1), "B", there)
    assert under_way.text.endswith("attempt 1.")
    ended = side_without("team", ComparedRun(run, short.last_seq + 1), "B", there)
    assert ended.text.endswith("ended unschedulable.")


@pytest.mark.parametrize(
    ("ends_at", "sentence"),
    [
        ("", "B never tried this pod."),
        ("first_seq", "B ends in the middle of its attempt 1."),
        ("last_seq", "B has no attempt 1 of it. Its last one, 1, ended unschedulable."),
    ],
)
def test_words(side, run, cycle_of, ends_at, sentence):
    end = getattr(cycle_of("never-0"), ends_at) + 1 if ends_at else 3
    assert side_without("team", ComparedRun(run, end), "B", side("never-0")).text == sentence
