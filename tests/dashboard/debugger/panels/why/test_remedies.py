"""What would let a pod fit, in words: what was verified, what is not enough, and what was not tried in time."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.debugger.panels.why.remedies import (
    ACTOR_STYLES,
    OTHER_READINGS,
    SHOWN,
    edit_lines,
    remedy_list,
)
from scheduler_core.explain.remedies import model
from scheduler_core.explain.remedies.model import ProposedEdit, Remedies, Remedy
from scheduler_core.framework.contracts.obstacles import ACTORS
from tests.dashboard.debugger.panels.why.causes.diagnoses import CORDON, CPU, cause, hidden

URL = "/try/?cycle=3"
ASKED = "filter of extenders[0]"


def remedy(text, status=model.VERIFIED, kind=model.REQUEST, **more):
    return Remedy(kind, text, (ProposedEdit(kind, "cpu"),), 0.5, status=status, **more)


def test_the_smallest_verified_change_is_the_next_step_and_what_is_not_enough_is_only_counted():
    answer = Remedies(
        "default/p",
        5,
        fits=False,
        failure="x",
        verified=(remedy("request 2 cpu", node="a", tied=3, n_fit=3),),
        not_enough=(remedy("priority 5", model.NOT_ENOUGH, model.PRIORITY, failure="No preemption victims found"),),
    )
    panel = remedy_list(answer, 0.25, URL)
    assert panel.best.text == "request 2 cpu"
    assert (panel.best.effect, panel.best.sub) == ("bound on a", "drawn from 3")
    assert panel.best.fits == "3 nodes fit"
    assert [(row.text, row.word) for row in panel.rows] == [("request 2 cpu", "verified")]
    assert panel.note.startswith("1 other change")
    assert panel.took == "250 ms"


def test_remedies_of_the_cause_come_by_actor_and_those_of_other_readings_behind_them():
    diagnosis = hidden()
    several = (
        remedy("ask for less", actor="workload", node="a", code="REQUEST_LESS"),
        remedy("let x leave", actor="cluster", node="b"),
        remedy("uncordon", actor="cluster", node="a"),
        remedy("tolerate it", actor="workload", node="c", reading=1),
    )
    panel = remedy_list(Remedies("default/p", 5, fits=False, failure="x", verified=several), 0.1, URL, diagnosis)
    assert [(group.title, len(group.rows)) for group in panel.groups] == [
        ("Workload", 1),
        ("Cluster", 2),
        (OTHER_READINGS, 1),
    ]
    assert ["".join(one.text for one in row.letters) for row in panel.rows] == ["A", "A", "A", "AB"]
    assert (panel.best.code, panel.best.actor) == ("REQUEST_LESS", "workload")


def test_of_equal_sets_a_remedy_has_the_letters_of_the_one_that_opens_its_node():
    equal = cause(CORDON, opens=("d",))
    diagnosis = msgspec.structs.replace(hidden(), cause=cause(CPU, opens=("a",), either=(equal,)))
    several = (remedy("one", node="a"), remedy("other", node="d"))
    panel = remedy_list(Remedies("default/p", 5, fits=False, failure="x", verified=several), 0.1, URL, diagnosis)
    assert ["".join(one.text for one in row.letters) for row in panel.rows] == ["A", "C"]


def test_what_was_assumed_is_said_and_without_a_place_to_try_there_is_no_address():
    assumed = remedy("bring it back", actor="node-lifecycle", assumed="Ready=True", node="a")
    panel = remedy_list(Remedies("default/p", 5, fits=False, failure="x", verified=(assumed,)), 0.1, "")
    assert (panel.best.actor, panel.best.assumed, panel.best.try_url) == ("node", "Ready=True", "")
    assert panel.best.outcome == "with Ready=True: bound on a"


def test_a_budget_in_the_way_of_an_eviction_is_named():
    gone = remedy("let x leave a", kind=model.PODS_GONE, node="a", budgets=("shop/db",))
    panel = remedy_list(Remedies("default/p", 5, fits=False, failure="x", verified=(gone,)), 1.0, URL)
    assert "budget shop/db" in panel.rows[0].sub


def test_equal_nodes_are_one_line_and_victims_are_named():
    same = remedy("enlarge a node", kind=model.BIGGER_NODE, nodes=("a", "b", "c", "d"), n_nodes=17, node="a", n_fit=1)
    gone = remedy("priority 9", kind=model.PRIORITY, node="a", victims=("shop/x", "shop/y"))
    panel = remedy_list(Remedies("default/p", 5, fits=False, failure="x", verified=(same, gone)), 1.0, URL)
    assert (panel.rows[1].word, panel.rows[1].effect) == ("makes room", "nominated to a"), "it was not bound"
    head, _, names = panel.rows[0].sub.partition(": ")
    assert head.endswith(" 17 nodes")
    assert names.split(", ") == ["a", "b", "c", "\N{HORIZONTAL ELLIPSIS}"]
    assert "x and y" in panel.rows[1].sub


def test_what_was_not_found_or_not_tried_in_time_is_said():
    nothing = remedy_list(Remedies("default/p", 5, fits=False, failure="x"), 0.1, URL)
    assert (nothing.best, bool(nothing.note)) == (None, True)
    left = tuple(remedy(f"change {i}", model.NOT_TRIED) for i in range(4))
    cut = remedy_list(Remedies("default/p", 5, fits=False, failure="x", not_tried=left, in_time=False), 0.1, URL)
    assert "4 more changes" in cut.note
    assert cut.rows == []
    many = tuple(remedy(f"change {i}", node="a") for i in range(SHOWN + 4))
    panel = remedy_list(Remedies("default/p", 5, fits=False, failure="x", verified=many, not_tried=left), 0.1, URL)
    assert (len(panel.rows), panel.more) == (SHOWN, 4)
    assert panel.note.startswith("4 larger changes")


def test_what_the_tape_does_not_know_is_listed_as_unknown_and_is_no_next_step():
    asked = ASKED
    scored = remedy("ask for 2 cpu", node="a", tied=2, n_fit=2, unanswered="prioritize of extenders[0]")
    unknown = remedy("uncordon b", model.UNKNOWN, model.CORDON, n_fit=1, unanswered=asked)
    answer = Remedies("default/p", 5, fits=False, failure="x", unknown=(unknown,))
    panel = remedy_list(answer, 0.1, URL, has_tape=True)
    assert panel.best is None
    (row,) = panel.rows
    assert (row.word, row.meaning, row.fits) == ("unknown", "backoff", "")
    assert row.sub.endswith(asked)
    assert "1 change" in panel.note
    answer = Remedies("default/p", 5, fits=False, failure="x", verified=(scored,), unknown=(unknown,), unanswered=asked)
    panel = remedy_list(answer, 0.1, URL, has_tape=True)
    assert [one.word for one in panel.rows] == ["verified", "unknown"]
    assert scored.unanswered in panel.best.sub
    assert asked in panel.note


def test_each_actor_of_the_core_has_a_name_and_a_glyph_in_the_order_of_proposals():
    assert tuple(ACTOR_STYLES) == ACTORS
    assert all(name and glyph for name, glyph in ACTOR_STYLES.values())


def edit(op, object, path, value=None):
    return ProposedEdit(model.CONSTRAINT, "x", op=op, object=object, path=path, value=value)


def test_an_operation_names_the_field_with_a_short_value_and_its_object():
    pod = "v1/Pod/default/web"
    lines = edit_lines(
        [
            edit("set", pod, "/spec/topologySpreadConstraints/0/maxSkew", 2),
            edit("remove", pod, "/spec/volumes/1"),
            edit("set", pod, "/spec/affinity", {"nodeAffinity": {}}),
            edit("set", "v1/Node//a", "/status/allocatable/nvidia.com~1gpu", "8"),
            edit("remove", pod, ""),
        ]
    )
    assert [(one.op, one.field, one.object) for one in lines] == [
        ("set", "maxSkew: 2", "Pod default/web"),
        ("remove", "volumes[1]", "Pod default/web"),
        ("set", "affinity", "Pod default/web"),
        ("set", "nvidia.com/gpu: 8", "Node a"),
        ("remove", "Pod default/web", "Pod default/web"),
    ]


def test_each_is_said_once_and_one_that_was_not_tried_is_not():
    same = edit("remove", "apps/v1/Deployment/shop/web", "/spec")
    (line,) = edit_lines([same, same, ProposedEdit(model.REQUEST, "cpu")])
    assert line.object == "Deployment shop/web"


def answer_of(**fields):
    return Remedies("default/p", 5, fits=False, failure="x", **fields)


LEFT = tuple(remedy(f"change {i}", model.NOT_TRIED) for i in range(4))
BOUND = remedy("request 2 cpu", node="a", n_fit=1)
VAIN = remedy("priority 5", model.NOT_ENOUGH, model.PRIORITY)
UNKNOWN = remedy("uncordon b", model.UNKNOWN, model.CORDON, n_fit=1, unanswered=ASKED)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (answer_of(), "No change that is known of here lets it fit."),
        (
            answer_of(not_tried=LEFT, in_time=False),
            "No change that was tried lets it fit. The time ended before 4 more changes could be tried.",
        ),
        (answer_of(verified=(BOUND,), not_enough=(VAIN,)), "1 other change was tried in vain."),
        (answer_of(verified=(BOUND,), not_tried=LEFT), "4 larger changes were not tried."),
        (
            answer_of(unknown=(UNKNOWN,)),
            "No change is known to let it fit."
            " Whether 1 change would be enough is unknown: the tape has no answer to what extenders would be asked.",
        ),
        (
            answer_of(verified=(BOUND,), unanswered=ASKED),
            f"Whether it fits as it is, is unknown: the tape has no answer to {ASKED}.",
        ),
    ],
)
def test_words_of_a_search(answer, sentence):
    assert remedy_list(answer, 0.1, URL).note == sentence


def test_words_of_a_search_that_a_tape_answers():
    note = remedy_list(answer_of(verified=(BOUND,)), 0.1, URL, has_tape=True).note
    assert note == "The tape answers as the extenders did while it was recorded: they do not know of a change."


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (
            remedy("let x leave a", kind=model.PODS_GONE, node="a", budgets=("shop/db",)),
            "disruption budget shop/db does not allow the eviction",
        ),
        (
            remedy("enlarge", kind=model.BIGGER_NODE, nodes=("a", "b", "c", "d"), n_nodes=17, node="a", n_fit=1),
            "fits on 17 nodes: a, b, c, \N{HORIZONTAL ELLIPSIS}",
        ),
        (
            remedy("priority 9", kind=model.PRIORITY, node="a", victims=("shop/x", "shop/y")),
            "then x and y would leave a",
        ),
        (
            remedy("request 2 cpu", node="a", tied=2, n_fit=2, unanswered=ASKED),
            f"which of the nodes it gets is unknown: the tape has no answer to {ASKED}",
        ),
        (UNKNOWN, f"the tape has no answer to {ASKED}"),
    ],
)
def test_words(one, sentence):
    is_unknown = one.status == model.UNKNOWN
    answer = answer_of(**{"unknown" if is_unknown else "verified": (one,)})
    assert sentence in remedy_list(answer, 0.1, URL).rows[0].sub
