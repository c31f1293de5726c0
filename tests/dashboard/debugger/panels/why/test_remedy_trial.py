"""What a page says of a remedy that was tried."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.why.remedy_trial import SHOWN_EDITS, trial_block
from scheduler_core.explain.remedies import model
from scheduler_core.explain.remedies.model import ProposedEdit, Remedy
from scheduler_core.explain.remedies.single import NodeTotal, RemedyTrial

EDIT = ProposedEdit(model.REQUEST, "cpu", "4", "2")


def tried(remedy=None, **fields):
    return trial_block(RemedyTrial(pod="shop/web", seq=9, n_nodes=5, n_fit_before=0, remedy=remedy, **fields))


def remedy(**fields):
    return Remedy(model.REQUEST, "Request 2 cpu", fields.pop("edits", (EDIT,)), 0.5, seconds=0.002, **fields)


def figures(block):
    return {one.label: (one.value, one.sub) for one in block.figures}


def test_a_pod_that_fits_goes_to_a_node_with_its_total_and_the_next():
    block = tried(
        remedy(node="n-1", n_fit=3, tied=1), chosen=NodeTotal("n-1", 461), next=NodeTotal("n-2", 455), most=600
    )
    assert (block.meaning, block.took, block.node) == ("bound", "2 ms", "n-1")
    assert [(one.label, one.value) for one in block.figures] == [
        ("nodes that fit", "0 → 3"),
        ("total", "461 of 600"),
        ("evictions", "none"),
    ]
    assert "n-2 with 455" in figures(block)["total"][1]
    assert [(edit.subject.split(), edit.text) for edit in block.edits] == [(["request", "cpu", "of", "web"], "4 → 2")]


def test_a_draw_says_of_how_many_and_a_single_node_is_not_scored():
    drawn = tried(remedy(node="n-1", n_fit=3, tied=3), chosen=NodeTotal("n-1", 461), most=600)
    assert (figures(drawn)["total"][0], " 3 " in figures(drawn)["total"][1]) == ("461 of 600", True)
    assert figures(tried(remedy(node="n-1", n_fit=1, tied=1)))["total"][0] == "none"


def test_preemption_names_who_goes_and_budgets_that_are_broken():
    block = tried(remedy(node="n-1", victims=("shop/a", "shop/b", "shop/c", "shop/d"), budgets=("shop/db",)))
    assert (block.meaning, block.node) == ("nomin", "n-1")
    count, who = figures(block)["evictions"]
    assert count == "4 pods"
    assert who.startswith("a, b, c and")
    assert who.endswith("shop/db")
    assert figures(block)["total"][0] == "none"


def test_a_change_that_is_not_enough_says_what_refuses():
    block = tried(remedy(failure="5 Insufficient cpu."))
    assert (block.meaning, block.node) == ("unsched", "")
    assert block.title.endswith("5 Insufficient cpu.")


def test_what_the_tape_has_no_answer_to_is_unknown():
    block = tried(remedy(status=model.UNKNOWN, unanswered="filter of extenders[0]"))
    assert (block.meaning, block.node) == ("backoff", "")
    assert block.title.endswith("filter of extenders[0].")
    block = tried(remedy(node="n-1", n_fit=3, unanswered="prioritize of extenders[0]"))
    assert (block.meaning, block.node) == ("bound", "n-1")
    assert block.title.endswith("prioritize of extenders[0].")


def test_a_change_that_is_not_made_up_tried_nothing():
    block = tried()
    assert (block.figures, block.edits, block.took) == ((), (), "")
    assert "nothing was tried" in block.title


def test_edits_of_nodes_name_the_node_and_many_are_counted():
    edits = tuple(ProposedEdit(model.LABEL, f"zone-{n}", "", "a", "n-1") for n in range(SHOWN_EDITS + 2))
    block = tried(remedy(edits=edits, node="n-1", n_fit=1))
    assert (len(block.edits), block.more_edits) == (SHOWN_EDITS, 2)
    assert block.edits[0].subject == "label zone-0 of n-1"
    cordon = tried(remedy(edits=(ProposedEdit(model.CORDON, model.CORDON, "", "", "n-1"),), node="n-1", n_fit=1))
    assert cordon.edits[0].subject == "cordon of n-1"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("4", "2", "4 → 2"),
        ("", "48 cpu", "+ 48 cpu"),
        ("zone=a", "", "\N{MINUS SIGN} zone=a"),
        ("there", "", "dropped"),
        ("there", "gone", "gone"),
        ("", "", ""),
    ],
)
def test_an_edit_says_what_comes_what_goes_and_what_changes(before, after, shown):
    block = tried(remedy(edits=(ProposedEdit(model.SELECTOR, "zone", before, after),), node="n-1", n_fit=1))
    assert block.edits[0].text == shown


def test_an_edit_of_several_operations_is_said_once():
    block = tried(remedy(node="n-1", n_fit=1, edits=(EDIT, EDIT)))
    assert (len(block.edits), block.more_edits) == (1, 0)


ASKED = "filter of extenders[0]"


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (remedy(node="n-1", n_fit=3), "It fits. web would go to n-1."),
        (remedy(node="n-1"), "No node has room, but preemption makes it on n-1."),
        (remedy(failure="5 Insufficient cpu."), "It does not fit: 5 Insufficient cpu."),
        (remedy(status=model.UNKNOWN, unanswered=ASKED), f"Unknown: the tape has no answer to {ASKED}."),
        (
            remedy(node="n-1", n_fit=3, unanswered=ASKED),
            f"It fits. Where it would go is unknown: the tape has no answer to {ASKED}.",
        ),
    ],
)
def test_words(made, sentence):
    assert tried(made).title == sentence


N_1 = NodeTotal("n-1", 461)


@pytest.mark.parametrize(
    ("label", "made", "totals", "sentence"),
    [
        ("total", remedy(node="n-1", n_fit=3, tied=3), {"chosen": N_1}, "drawn from 3 equals"),
        ("total", remedy(node="n-1", n_fit=1, tied=1), {}, "one node fits: not scored"),
        ("total", remedy(node="n-1"), {}, "no node to score"),
        ("total", remedy(node="n-1", n_fit=1, tied=1), {"chosen": N_1}, "no other node fits"),
        (
            "total",
            remedy(node="n-1", n_fit=3, tied=1),
            {"chosen": N_1, "next": NodeTotal("n-2", 455)},
            "next: n-2 with 455",
        ),
        ("evictions", remedy(node="n-1", n_fit=3), {}, "no preemption needed"),
        (
            "evictions",
            remedy(node="n-1", victims=("shop/a", "shop/b", "shop/c", "shop/d"), budgets=("shop/db",)),
            {},
            "a, b, c and others; against budget shop/db",
        ),
    ],
)
def test_words_of_a_figure(label, made, totals, sentence):
    assert figures(tried(made, **totals, most=600))[label][1] == sentence
