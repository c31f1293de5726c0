"""Candidates made of one edit, and of several at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.remedies.candidates.candidate import (
    SHOWN_NODES,
    PodEdit,
    followed_by,
    leaving_words,
    of_pod,
    of_state,
)
from scheduler_core.explain.remedies.model import CORDON, GATE, PODS_GONE, REQUEST, VOLUME, ProposedEdit
from scheduler_core.testing.builders import make_node, make_pod

if TYPE_CHECKING:
    from scheduler_core.api.objects import Pod

POD = make_pod("p")


def edit(kind: str, subject: str, size: float = 1.0, **fields: str) -> PodEdit:
    def make(pod: Pod) -> Pod:
        return msgspec.structs.replace(pod, labels={**pod.labels, subject: "done"})

    return ProposedEdit(kind, subject, **fields), f"change {subject}", size, make


def test_an_edit_of_the_pod_has_the_code_and_the_actor_of_its_kind() -> None:
    made = of_pod(POD, [edit(REQUEST, "cpu", 0.25)], ["a", "b", "c", "d"])
    assert made is not None
    one = made.remedy
    assert (one.kind, one.code, one.actor, one.size, one.text) == (
        "request", "REQUEST_LESS", "workload", 0.25, "Change cpu",
    )  # fmt: skip
    assert (one.nodes, one.n_nodes) == (("a", "b", "c"), 4)
    assert len(one.nodes) == SHOWN_NODES
    assert made.changes.pod is not None
    assert made.changes.pod.labels == {"cpu": "done"}


def test_a_code_that_an_edit_names_is_kept() -> None:
    made = of_pod(POD, [edit(REQUEST, "gpu", code="REQUEST_OTHER")])
    assert made is not None
    assert (made.remedy.code, made.remedy.edits[0].code) == ("REQUEST_OTHER", "REQUEST_OTHER")


def test_several_edits_are_one_change_of_whoever_comes_last() -> None:
    made = of_pod(POD, [edit(REQUEST, "cpu", 0.25), edit(VOLUME, "data", 3.0, code="DROP_VOLUME")])
    assert made is not None
    assert (made.remedy.actor, made.remedy.size) == ("storage", 3.25)
    assert [one.code for one in made.remedy.edits] == ["REQUEST_LESS", "DROP_VOLUME"]


def test_one_edit_is_named_once() -> None:
    once = of_pod(POD, [edit(GATE, "g"), edit(GATE, "g")])
    assert once is not None
    assert [one.subject for one in once.remedy.edits] == ["g"]


def test_an_edit_that_cannot_be_made_is_no_candidate() -> None:
    proposed, text, size, _ = edit(REQUEST, "cpu")
    assert of_pod(POD, [(proposed, text, size, lambda pod: None)]) is None


def test_one_change_after_another_keeps_what_both_did() -> None:
    first = of_state(
        ProposedEdit(PODS_GONE, "x"), "let x leave n", 1.0, Changes(gone=("a/x",), nodes=(make_node("n"),)), ["n"]
    )
    larger = make_node("n", cpu="8")
    second = of_state(ProposedEdit(CORDON, "n"), "uncordon n", 1.0, Changes(gone=("a/y",), nodes=(larger,)), ["n"])
    both = followed_by(first, second)
    assert (both.changes.gone, both.changes.nodes) == (("a/x", "a/y"), (larger,)), "the later version of a node"
    assert both.changes.pod is None
    assert (both.remedy.text, both.remedy.size) == (f"{first.remedy.text} and {second.remedy.text.lower()}", 2.0)
    nominating = msgspec.structs.replace(second, nominates=True)
    assert followed_by(first, nominating).nominates


@pytest.mark.parametrize(
    ("pods", "sentence"),
    [("ab", "let a, b leave n"), ("abcde", "let a, b, c and 2 more leave n")],
)
def test_words(pods: str, sentence: str) -> None:
    assert leaving_words(list(pods), "n") == sentence
