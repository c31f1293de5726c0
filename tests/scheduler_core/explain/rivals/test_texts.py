"""Comparisons and ranges in words."""

from __future__ import annotations

import pytest

from scheduler_core.explain.rivals.model import RequestRange, RequestTrial, Rival, RivalRefusal, Rivalry, WeightRange
from scheduler_core.explain.rivals.texts import (
    drawn_words,
    lead_words,
    request_words,
    rival_words,
    title,
    trial_words,
    weight_words,
)


def drawn(*tied: str) -> str:
    return drawn_words(Rivalry("ns/p", 1, "b", tied, 3, 3, (), (), None))


def weights(least, most, below=(), above=(), below_lead=None, above_lead=None) -> str:
    return weight_words(WeightRange("P", 2, least, most, 100, below, above, below_lead, above_lead), "w")


def requests(least, most, below=(), above=(), in_time=True) -> str:
    return request_words(RequestRange("cpu", 600, least, most, 100, 8000, below, above, 9, in_time), "w")


def trial(**fields) -> str:
    return trial_words(RequestTrial({}, {}, **fields))


REFUSAL = (RivalRefusal("P", ("short text",), "needs 6 cpu, 1 free"),)
REFUSED = Rival("a", 469, 5, refusals=REFUSAL, of=7, is_computed=True, beside=480)
MISSED = Rival("a", 469, 1, of=7, is_computed=True, looked_at=False, unknown="enough were found")
ONLY = Rival("a", 200, 1, of=2, is_computed=True, unknown="it was the only one")


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        (title("a", "b", is_winner=True, is_drawn=False), "Why a and not b"),
        (title("b", "a", is_winner=False, is_drawn=False), "b beside a"),
        (title("a", "b", is_winner=True, is_drawn=True), "Drawn, not decided"),
        (title("a", "", is_winner=True, is_drawn=False), "Why a"),
        (lead_words([("P", 4), ("Q", -5), ("R", 11), ("S", 0)], 484), "The lead of 10: R +11, Q \N{MINUS SIGN}5, P +4"),
        (lead_words([("P", -4)], 10), "It is behind by 4: P \N{MINUS SIGN}4"),
        (lead_words([("P", 3), ("Q", -3)], 10), "Equal totals: P +3, Q \N{MINUS SIGN}3"),
        (lead_words([("P", 0)], 1484), "No plugin told them apart: both have 1,484"),
        (drawn("a", "b", "c"), "b was drawn from 3 nodes with the best total"),
        (drawn("b"), ""),
        (rival_words(Rival("a", 484, 1, of=4)), "484 points, rank 1 of 4 that fit"),
        (rival_words(REFUSED),
         "refused by P: needs 6 cpu, 1 free; had it been let through it would have 469 points, rank 5 of 7 "
         "(computed now); scores are normalised over all scored nodes, so that the first node then has 480"),
        (rival_words(MISSED),
         "not looked at: enough were found; asked now, it fits; had it been looked at it would have 469 points, "
         "rank 1 of 7 (computed now)"),
        (rival_words(ONLY),
         "not scored: it was the only one; had all compared nodes been let through it would have 200 points, rank 1 "
         "of 2 (computed now)"),
        (rival_words(Rival("a", None, 0, absent="did not exist then")), "did not exist then"),
        (weights(0, 100), "every weight, 0 to 100"),
        (weights(1, 100, below=("a",), below_lead=1), "from 1 up; at 0 a by 1"),
        (weights(0, 2, above=("a", "w"), above_lead=3), "up to 2; at 3 a draw of 2 with it"),
        (weights(2, 2, ("a", "b"), ("c",), None, 7), "2 alone; at 1 a draw of 2 others, at 3 c by 7"),
        (requests(0, 8000), "0 to 8"),
        (requests(0, 4000), "0 to 4; at 4.1 no node fits"),
        (requests(300, 4000, ("a",), ("a", "b")), "0.3 to 4; at 0.2 a, at 4.1 a draw of 2 others"),
        (requests(600, 600, ("a",), ("w", "a")), "0.6 alone; at 0.5 a, at 0.7 a draw of 2 with it"),
        (request_words(RequestRange("cpu", 600, 0, 4800, 100, 4800, is_whole=False), "w"),
         "0 to 4.8; larger ones were not tried"),
        (requests(500, 4000, in_time=False), "0.5 to 4; not tried further in time"),
        (requests(500, 4000, above=("a",), in_time=False), "0.5 to 4; at 4.1 a, not tried further in time"),
        (trial(winner="a", tied=("a",), lead=4, stays=True, n_fit=3), "a stays by 4"),
        (trial(winner="b", tied=("b",), lead=4, n_fit=3), "b would win by 4"),
        (trial(winner="b", tied=("b",), n_fit=1), "b would win, the only node that fits"),
        (trial(winner="b", tied=("a", "b"), n_fit=3), "A draw of 2 nodes; here b"),
        (trial(winner="b", tied=("a", "b"), stays=True), "A draw of 2 nodes, the same nodes as before; here b"),
        (trial(failure="0/3 nodes are available."), "No node fits. 0/3 nodes are available."),
        (trial(unanswered="filter"), "Unknown: the tape has no answer to filter"),
    ],
)  # fmt: skip
def test_words(sentence, text):
    assert sentence == text
