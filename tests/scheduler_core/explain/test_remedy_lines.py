from __future__ import annotations

from scheduler_core.explain.remedies.model import CORDON, PRIORITY, UNKNOWN, VERIFIED, ProposedEdit, Remedies, Remedy
from scheduler_core.explain.report_lines import remedy_lines


def remedy(text: str, kind: str = CORDON, **fields: object) -> Remedy:
    given = {"status": VERIFIED, "actor": "cluster", **fields}
    return Remedy(kind, text, (ProposedEdit(kind, kind),), 1.0, **given)  # type: ignore[arg-type]


def test_a_pod_that_fits_needs_none() -> None:
    assert list(remedy_lines(Remedies("a/p", 1, fits=True, failure="")))[1].startswith("REMEDIES: none needed")


def test_each_says_what_the_engine_then_did() -> None:
    verified = (
        remedy("Uncordon n", node="n", n_fit=1),
        remedy("Raise the priority", PRIORITY, node="n", victims=("a/b",), budgets=("a/x",), actor="workload"),
    )
    lines = list(remedy_lines(Remedies("a/p", 1, fits=False, failure="x", verified=verified, in_time=False)))
    assert lines[1].endswith("; 0 more were not tried in time")
    assert lines[2:] == [
        "cluster: Uncordon n: 1 node fits; n",
        "workload: Raise the priority: it then preempts a/b on n, against the disruption budget a/x",
    ]


def test_what_was_assumed_is_said_before_what_fits() -> None:
    mended = (remedy("Bring back node n", node="n", n_fit=1, assumed="Ready=True"),)
    lines = list(remedy_lines(Remedies("a/p", 1, fits=False, failure="x", verified=mended)))
    assert lines[2] == "cluster: Bring back node n: with Ready=True, 1 node fits; n"


def test_what_the_tape_does_not_know_comes_last_and_is_counted() -> None:
    unknown = tuple(remedy(f"change {i}", status=UNKNOWN, unanswered="that") for i in range(10))
    scored = (remedy("Uncordon n", node="n", n_fit=2, unanswered="scores"),)
    answer = Remedies("a/p", 1, fits=False, failure="x", verified=scored, unknown=unknown, unanswered="this")
    lines = list(remedy_lines(answer))
    assert (
        lines[2] == "cluster: Uncordon n: 2 nodes fit; which one it gets is unknown, the tape has no answer to scores"
    )
    assert lines[3] == "whether it fits as it is, is unknown: the tape has no answer to this"
    assert lines[4] == "change 0: unknown, the tape has no answer to that"
    assert lines[-1] == "… and 2 more of which the tape does not know"
