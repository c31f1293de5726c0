"""Reality in words."""

from __future__ import annotations

import pytest

from scheduler_core.explain.reality.model import CauseTest, FreeRunDivergence, HeldDecision
from scheduler_core.explain.reality.texts import divergence_text, headline, standing_words, test_words, word

test_words.__test__ = False  # type: ignore[attr-defined]
FACTS = {"number": 0, "at": 1.0, "change": 0, "pod": "shop/p"}
VERSION = CauseTest(
    cause="version",
    subject="1.36.2 by the API server",
    result="equal by the rules of 1.36.2",
    tested=True,
    explains=True,
)
ORDER = CauseTest(cause="order", subject="1 change within 100 ms", result="equal before shop/q on a", tested=True)


def binding(**fields: object) -> HeldDecision:
    return HeldDecision(**FACTS, what="binding", node="a", **fields)  # type: ignore[arg-type]


def message(**fields: object) -> HeldDecision:
    return HeldDecision(**FACTS, what="message", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "shown", "sentence"),
    [
        (binding(verdict="agree", standing="same"), "same node", "Both take a."),
        (
            binding(verdict="chance", cause="chance", standing="tied", n_best=3),
            "among our best",
            "The real scheduler took a, one of 3 nodes with our best total.",
        ),
        (
            binding(verdict="differ", cause="order", standing="lower", ours=("b",), tests=(VERSION, ORDER)),
            "order",
            "The real scheduler took a, ours takes b: order, equal before shop/q on a.",
        ),
        (
            binding(verdict="differ", cause="version", standing="lower", ours=("b",), tests=(VERSION,)),
            "version",
            "The real scheduler took a, ours takes b: by the rules of 1.36.2, which the cluster had then.",
        ),
        (
            binding(verdict="differ", cause="no cause found", standing="refused", tests=(ORDER,)),
            "no cause found",
            "The real scheduler took a, ours refuses every node: no cause found.",
        ),
        (
            binding(verdict="not_comparable", apart="static"),
            "not comparable",
            "Not comparable: a kubelet runs it, no scheduler placed it.",
        ),
        (
            message(verdict="agree", standing="equal", repeats=2, real_nominated="b"),
            "message equal",
            "Both find no node, for the same reasons. Both nominate b. It came 2 more times.",
        ),
        (
            message(verdict="differ", standing="fits", ours=("b",), cause="no cause found", tests=(ORDER,)),
            "no cause found",
            "The real scheduler found no node, ours takes b: no cause found.",
        ),
        (
            message(verdict="differ", standing="nomination_differs", real_nominated="b", cause=""),
            "differs",
            "Both find no node; the real scheduler nominates b, ours none: its causes were not tried.",
        ),
    ],
)
def test_sentences(one: HeldDecision, shown: str, sentence: str) -> None:
    assert word(one) == shown
    assert headline(one) == sentence
    assert standing_words(one) != "nomination_differs"


def test_a_cause_and_a_divergence_are_one_line_each() -> None:
    assert test_words(ORDER) == "Order of arrivals: 1 change within 100 ms; equal before shop/q on a (tried)"
    drawn = FreeRunDivergence(pod="p", real="a", ours="b", number=2, at=1.0, cycle=7, tied=3)
    assert divergence_text(drawn, "").endswith("It was drawn among 3 nodes with the best total.")
    pending = FreeRunDivergence(pod="p", real="a", ours="", number=1, at=1.0)
    assert "still pending" in divergence_text(pending, "")
    assert divergence_text(None, "too long") == "No free run: too long."
