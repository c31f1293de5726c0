"""The doubts of a run and how its last sentence names them."""

from __future__ import annotations

from scheduler_core.explain.doubts.answer import BOUND, doubts_about, doubts_of_run, mode_doubt, with_doubts
from tests.scheduler_core.explain.doubts.inputs import inputs, made, node, pod

QUOTA = made("v1", "ResourceQuota", "compute", "a")


def test_every_pod_is_bound_of_those_that_the_input_says_exist():
    doubts = doubts_of_run(inputs(QUOTA, pod()), waits=False)
    said = with_doubts(f"{BOUND}; 1 pod is gone", doubts)
    assert said == (
        "every pod is bound, of those that this input says exist; ResourceQuota a/compute is not played; 1 pod is gone"
    )


def test_other_ends_and_ends_without_doubts_stay_as_they_are():
    doubts = doubts_of_run(inputs(QUOTA, pod()), waits=True)
    assert with_doubts("1 stays pending", doubts) == "1 stays pending"
    assert with_doubts(BOUND, ()) == BOUND
    assert with_doubts(BOUND, [mode_doubt(2)]) == BOUND
    versions = doubts_of_run(inputs(node("n", "v1.33.0"), pod()), waits=True)
    assert with_doubts(BOUND, versions) == BOUND


def test_only_three_are_named_in_the_sentence():
    kinds = ["Rollout", "CloneSet", "Fleet", "Squad", "Herd"]
    spec = {"template": {"spec": {"containers": []}}}
    doubts = doubts_of_run(
        inputs(*[made("acme.io/v1", kind, "x", "a", spec=spec) for kind in kinds], pod()), waits=False
    )
    assert len(doubts) == 5
    assert "2 doubts more" in with_doubts(BOUND, doubts)


def test_a_pod_that_is_scheduled_from_scratch_may_be_elsewhere():
    quota, there = made("acme.io/v1", "Fleet", "f", "a", spec={"template": {"spec": {"containers": []}}}), pod(node="n")
    answers = {mode: doubts_about(given := inputs(quota, there, schedule=mode), given.objects.pods[0], waits=False)
             for mode in ("pending", "all")}  # fmt: skip
    assert (len(answers["pending"]), len(answers["all"])) == (0, 1)
