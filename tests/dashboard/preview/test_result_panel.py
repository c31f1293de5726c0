"""A result in words: figures, groups, pages of pods, limits."""

from __future__ import annotations

import zlib

import msgspec
import pytest

from dashboard.answers.answering.comparing.run_figures import RunFigures
from dashboard.answers.answering.comparing.what_changes import WhatChanges
from dashboard.clusters.models import Cluster, Revision
from dashboard.preview.models import PreviewResult
from dashboard.preview.result_panel import GROUP_LABELS, ROWS, ResultPanel, subject_label
from dashboard.runs.models import Run
from scheduler_core.compare import PodDifference, PodEnd
from scheduler_core.compare.pods import GROUPS, MOVED, ONLY_B, PLACED_A, PLACED_B


def panel(group="", start=0, **fields):
    changes = WhatChanges(**{"cycles": (7, 7), "is_complete": True, **fields})
    data = zlib.compress(msgspec.json.encode(changes))
    return ResultPanel(PreviewResult(before_label="the defaults", data=data), group, start)


def end(node, outcome="bound"):
    return PodEnd(outcome, node, 0, "", 1, 1)


def moved(name):
    return PodDifference(f"default/{name}", "", 0, MOVED, ("node",), end("a"), end("b"))


PENDING = PodDifference("default/y", "", 0, PLACED_A, ("node", "outcome"), end("a"), end("", "pending"))


def test_every_group_of_a_comparison_has_words():
    assert set(GROUP_LABELS) == set(GROUPS)


def test_rows_say_both_ends_and_what_the_scheduler_said():
    shown = panel(pods=(PENDING, moved("x")), messages=("0/1 nodes", ""), groups={PLACED_A: 1, MOVED: 1})
    assert [(row.before, row.after, row.message) for row in shown.rows] == [
        ("a", "pending", "0/1 nodes"),
        ("a", "b", ""),
    ]
    assert shown.n_different == 2
    assert [chip.label for chip in shown.chips] == [GROUP_LABELS[PLACED_A], GROUP_LABELS[MOVED]]
    assert (shown.span, shown.previous, shown.next, shown.n_unlisted) == ("1 to 2 of 2", "", "", 0)


def test_a_group_is_listed_alone_and_its_chip_leads_back_to_all():
    shown = panel(MOVED, pods=(PENDING, moved("x")), messages=("", ""), groups={PLACED_A: 1, MOVED: 1})
    assert [row.pod for row in shown.rows] == ["default/x"]
    assert [(chip.is_pressed, chip.query) for chip in shown.chips] == [
        (False, "group=placed+only+in+A"),
        (True, "group="),
    ]


def test_a_plugin_that_made_the_difference_has_a_column_where_one_is_known():
    pods, groups = (moved("x"), moved("y")), {MOVED: 2}
    shown = panel(pods=pods, messages=("", ""), decided=("NodeResourcesFit +9", ""), groups=groups)
    assert shown.has_deciders
    assert [row.decided_by for row in shown.rows] == ["NodeResourcesFit +9", ""]
    assert not panel(pods=pods, messages=("", ""), groups=groups).has_deciders


def test_pages_lead_to_those_before_and_behind_and_what_is_not_listed_is_counted():
    pods = tuple(moved(f"p{i}") for i in range(3 * ROWS))
    shown = panel(start=ROWS, pods=pods, messages=("",) * len(pods), groups={MOVED: 100})
    assert (shown.previous, shown.next) == ("group=&start=0", f"group=&start={2 * ROWS}")
    assert len(shown.rows) == ROWS
    assert shown.n_unlisted == 40


@pytest.mark.parametrize(("is_partial", "n"), [(False, 0), (True, 2)])
def test_a_limit_is_said_of_each_run(is_partial, n):
    limits = panel(ended=("the limit", "nothing waits"), is_partial=is_partial).limits
    assert limits == ["with the defaults: the limit", "with this text: nothing waits"][:n]


def test_figures_of_both_runs_say_where_they_differ():
    both = (RunFigures(3, 0, 4, 1), RunFigures(1, 0, 5, 0))
    changed = panel(figures=both, groups={MOVED: 6}, unplaced={PLACED_B: -3, ONLY_B: 1}).figures[0]
    assert changed.why.split(", ") == ["\N{MINUS SIGN}3 newly placed", "+1 newly made"]
    shown = panel(figures=both, groups={MOVED: 6}).figures
    assert [(one.before, one.after, one.differs) for one in shown] == [
        (3, 1, True),
        (0, 0, False),
        (4, 5, True),
        (1, 0, True),
        (None, 6, False),
    ]
    assert panel().figures == []


def test_a_subject_is_a_revision_or_a_run_on_it():
    revision = Revision(cluster=Cluster(name="Prod"), number=3)
    assert subject_label(PreviewResult(revision=revision)) == "Prod r3"
    assert subject_label(PreviewResult(revision=revision, run=Run(number=7))).split(" on ") == ["run 7", "Prod r3"]


@pytest.mark.parametrize(("group", "sentence"), [(PLACED_A, "newly without a node"), (MOVED, "on another node")])
def test_words(group, sentence):
    assert panel(groups={group: 1}).chips[0].label == sentence
