from __future__ import annotations

import msgspec
import pytest

from scheduler_core.explain.remedies.model import CORDON, PRIORITY, UNKNOWN, VERIFIED, ProposedEdit, Remedies, Remedy
from scheduler_core.explain.report_lines import remedy_lines


def remedy(text: str, kind: str = CORDON, **fields: object) -> Remedy:
    given = {"status": VERIFIED, "actor": "cluster", **fields}
    return Remedy(kind, text, (ProposedEdit(kind, kind),), 1.0, **given)  # type: ignore[arg-type]


NONE = Remedies("a/p", 1, fits=False, failure="x")
UNCORDON = remedy("Uncordon n", node="n", n_fit=1)
BRING_BACK = remedy("Bring back node n", node="n", n_fit=1, assumed="Ready=True")
RAISE = remedy("Raise the priority", PRIORITY, node="n", victims=("a/b",), budgets=("a/x",), actor="workload")
NOT_SCORED = remedy("Uncordon n", node="n", n_fit=2, unanswered="scores")
HEAD = "REMEDIES that the engine tried and found to be enough, those of the cause first, by who can act"
NOT_KNOWN = remedy("change", status=UNKNOWN, unanswered="that")


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        ({"fits": True}, ["REMEDIES: none needed; it fits on the state that its last attempt left"]),
        ({"verified": (UNCORDON, RAISE), "in_time": False},
         [f"{HEAD}; 0 more were not tried in time", "cluster: Uncordon n: 1 node fits; n",
          "workload: Raise the priority: it then preempts a/b on n, against the disruption budget a/x"]),
        ({"verified": (BRING_BACK,)}, [HEAD, "cluster: Bring back node n: with Ready=True, 1 node fits; n"]),
        ({"verified": (NOT_SCORED,), "unknown": (NOT_KNOWN,), "unanswered": "this"},
         [HEAD, "cluster: Uncordon n: 2 nodes fit; which one it gets is unknown, the tape has no answer to scores",
          "whether it fits as it is, is unknown: the tape has no answer to this",
          "change: unknown, the tape has no answer to that"]),
        ({}, [HEAD, "none was found"]),
        ({"left_to": "it is gone"}, ["REMEDIES: none was tried; it is gone"]),
    ],
    ids=["it fits", "not all in time", "what was assumed", "what is not on the tape", "none found", "none tried"],
)  # fmt: skip
def test_words(fields: dict[str, object], lines: list[str]) -> None:
    assert list(remedy_lines(msgspec.structs.replace(NONE, **fields)))[1:] == lines


def test_what_the_tape_does_not_know_comes_last_and_is_counted() -> None:
    *shown, last = list(remedy_lines(msgspec.structs.replace(NONE, unknown=(NOT_KNOWN,) * 10)))
    assert len([line for line in shown if line.startswith("change: ")]) == 8
    assert "and 2 more" in last
