"""What the dialogs show of an answer."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.placing import DrainAnswer, Moved
from dashboard.answers.outcomes import Answer, TooLate
from dashboard.clusters.by_hand.drain import DrainPlan
from dashboard.fit.places import SHOWN, DrainPanel, PlacesPanel, node_refusal
from scheduler_core.explain.fit import Fit, RefusalGroup

GROUP = RefusalGroup(plugin="NodeName", reasons=("no",), nodes=1)
FIT = Fit(pod="a/b", nodes=("n-2", "n-10", "m"), group_of=(0, -1, -1), totals=(-1, 7, 9), groups=(GROUP,))


def test_nodes_that_fit_come_first_by_their_points_and_the_best_is_chosen():
    panel = PlacesPanel(Answer(FIT, 0.0, False), "a/b", "")
    assert [(one.node, one.total, one.refusal) for one in panel.places] == [
        ("m", "9", ""),
        ("n-10", "7", ""),
        ("n-2", "", "NodeName: no"),
    ]
    assert [one.is_chosen for one in panel.places] == [True, False, False]
    assert [one.node for one in PlacesPanel(Answer(FIT, 0.0, False), "a/b", "", "N-").places] == ["n-10", "n-2"]


def test_a_refusal_is_the_engines_or_that_it_says_nothing():
    assert node_refusal(Answer(FIT, 0.0, False), "m") == ""
    assert node_refusal(Answer(FIT, 0.0, False), "n-2") == "NodeName: no"
    assert "not known" in node_refusal(TooLate(), "m")
    assert node_refusal(Answer(Fit(pod="a/b", gated="gated by x"), 0.0, False), "m") == "gated by x"


def test_pods_that_would_wait_come_first():
    answer = DrainAnswer((Moved("a", "m", 2), Moved("b", "", 0, "no room")))
    panel = DrainPanel(Answer(answer, 0.0, False), DrainPlan([], []), "")
    assert ([one.pod for one in panel.moved], panel.n_stuck) == (["b", "a"], 1)
    assert DrainPanel(TooLate(), DrainPlan([], []), "").moved == ()


@pytest.mark.parametrize(("n_nodes", "more"), [(0, 0), (SHOWN, 0), (SHOWN + 1, 1), (SHOWN + 40, 40)])
def test_nodes_that_are_not_shown_are_counted(n_nodes, more):
    names = tuple(f"n-{n}" for n in range(n_nodes))
    fit = Fit(pod="a/b", nodes=names, group_of=(-1,) * n_nodes, totals=(5,) * n_nodes)
    panel = PlacesPanel(Answer(fit, 0.0, False), "a/b", "")
    assert (len(panel.places), panel.more) == (n_nodes - more, more)
