"""Comparisons and ranges in words."""

from __future__ import annotations

from scheduler_core.explain.rivals import texts
from scheduler_core.explain.rivals.model import RequestRange, RequestTrial, Rival, RivalRefusal, Rivalry, WeightRange


def test_titles():
    assert texts.title("a", "b", is_winner=True, is_drawn=False) == "Why a and not b"
    assert texts.title("b", "a", is_winner=False, is_drawn=False) == "b beside a"
    assert texts.title("a", "b", is_winner=True, is_drawn=True) == "Drawn, not decided"
    assert texts.title("a", "", is_winner=True, is_drawn=False) == "Why a"


def test_a_lead_names_its_parts_the_largest_first():
    assert texts.lead_words([("P", 4), ("Q", -5), ("R", 11), ("S", 0)], 484) == (
        "The lead of 10: R +11, Q \N{MINUS SIGN}5, P +4"
    )
    assert texts.lead_words([("P", -4)], 10) == "It is behind by 4: P \N{MINUS SIGN}4"
    assert texts.lead_words([("P", 3), ("Q", -3)], 10) == "Equal totals: P +3, Q \N{MINUS SIGN}3"
    assert texts.lead_words([("P", 0)], 1484) == "No plugin told them apart: both have 1,484"


def test_a_draw_says_among_how_many():
    rivalry = Rivalry("ns/p", 1, "b", ("a", "b", "c"), 3, 3, (), (), None)
    assert texts.drawn_words(rivalry) == "b was drawn from 3 nodes with the best total"
    assert texts.drawn_words(Rivalry("ns/p", 1, "b", ("b",), 3, 3, (), (), None)) == ""


def test_how_a_node_stands():
    assert texts.rival_words(Rival("a", 484, 1, of=4)) == "484 points, rank 1 of 4 that fit"
    refusal = (RivalRefusal("P", ("short text",), "needs 6 cpu, 1 free"),)
    refused = Rival("a", 469, 5, refusals=refusal, of=7, is_computed=True, beside=480)
    assert texts.rival_words(refused) == (
        "refused by P: needs 6 cpu, 1 free; "
        "had it been let through it would have 469 points, rank 5 of 7 (computed now); "
        "scores are normalised over all scored nodes, so that the first node then has 480"
    )
    missed = Rival("a", 469, 1, of=7, is_computed=True, looked_at=False, unknown="enough were found")
    assert texts.rival_words(missed) == (
        "not looked at: enough were found; asked now, it fits; "
        "had it been looked at it would have 469 points, rank 1 of 7 (computed now)"
    )
    only = Rival("a", 200, 1, of=2, is_computed=True, unknown="it was the only one")
    assert texts.rival_words(only) == (
        "not scored: it was the only one; "
        "had all compared nodes been let through it would have 200 points, rank 1 of 2 (computed now)"
    )
    assert texts.rival_words(Rival("a", None, 0, absent="did not exist then")) == "did not exist then"


def test_ranges_of_weights():
    def said(least, most, below=(), above=(), below_lead=None, above_lead=None):
        weight_range = WeightRange("P", 2, least, most, 100, below, above, below_lead, above_lead)
        return texts.weight_words(weight_range, "w")

    assert said(0, 100) == "every weight, 0 to 100"
    assert said(1, 100, below=("a",), below_lead=1) == "from 1 up; at 0 a by 1"
    assert said(0, 2, above=("a", "w"), above_lead=3) == "up to 2; at 3 a draw of 2 with it"
    assert said(2, 2, ("a", "b"), ("c",), None, 7) == "2 alone; at 1 a draw of 2 others, at 3 c by 7"


def test_ranges_of_requests():
    def said(least, most, below=(), above=(), in_time=True):
        request_range = RequestRange("cpu", 600, least, most, 100, 8000, below, above, 9, in_time)
        return texts.request_words(request_range, "w")

    assert said(0, 8000) == "0 to 8"
    assert said(0, 4000) == "0 to 4; at 4.1 no node fits"
    assert said(300, 4000, ("a",), ("a", "b")) == "0.3 to 4; at 0.2 a, at 4.1 a draw of 2 others"
    assert said(600, 600, ("a",), ("w", "a")) == "0.6 alone; at 0.5 a, at 0.7 a draw of 2 with it"
    larger = RequestRange("cpu", 600, 0, 4800, 100, 4800, is_whole=False)
    assert texts.request_words(larger, "w") == "0 to 4.8; larger ones were not tried"
    assert said(500, 4000, in_time=False) == "0.5 to 4; not tried further in time"
    assert said(500, 4000, above=("a",), in_time=False) == "0.5 to 4; at 4.1 a, not tried further in time"


def test_what_a_trial_found():
    def said(**fields):
        return texts.trial_words(RequestTrial({}, {}, **fields))

    assert said(winner="a", tied=("a",), lead=4, stays=True, n_fit=3) == "a stays by 4"
    assert said(winner="b", tied=("b",), lead=4, n_fit=3) == "b would win by 4"
    assert said(winner="b", tied=("b",), n_fit=1) == "b would win, the only node that fits"
    assert said(winner="b", tied=("a", "b"), n_fit=3) == "A draw of 2 nodes; here b"
    assert said(winner="b", tied=("a", "b"), stays=True) == "A draw of 2 nodes, the same nodes as before; here b"
    assert said(failure="0/3 nodes are available.") == "No node fits. 0/3 nodes are available."
