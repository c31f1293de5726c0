"""Branches of runs with claims: what would follow if a claim or a pod that uses it had been deleted."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.compare.comparison import RunToCompare, comparison
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.stores import MemoryStore
from scheduler_core.simulate import InputChange, Policies, RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.consequences.claim_runs import claim, cluster, user
from tests.scheduler_core.engine.consequences.test_claims import GIVEN


def inputs_of(objects: ClusterObjects, **policies: Any) -> RunInputs:
    return RunInputs(objects=objects, policies=Policies(kubernetes="1.36", **policies))


def recorded(inputs: RunInputs) -> RecordingReader:
    session = RunSession.start(inputs)
    store, going = MemoryStore(session.initial_keyframe()), True
    while going:
        going = not session.advance(max_cycles=1)
        store.add(session.cut_chunk())
    return RecordingReader(store)


def bound_in(session: RunSession) -> set[str]:
    return {pod.name for pod in session.simulation.world.pods.values() if pod.node_name}


def branched(inputs: RunInputs, *gone: Any) -> RunSession:
    """The branch at the end of the run in which these objects are deleted; executed from the start it is the same."""
    origin = recorded(inputs)
    n = origin.head_seq()
    changes = [InputChange(seq=n, action="delete", object=one) for one in gone]
    session, _ = RunSession.branch(inputs, n, changes, origin.keyframe_bytes)
    session.advance()
    for cached in (True, False):
        again = RunSession.start(session.inputs, cached=cached)
        again.advance()
        assert again.recording_hash() == session.recording_hash()
    return session


def test_a_deleted_pod_frees_the_device_of_its_own_claim() -> None:
    inputs = inputs_of(cluster(user("a", template="one"), user("b", template="one")))
    session = branched(inputs, make_pod("a"))
    assert bound_in(session) == {"b"}
    claims = session.simulation.context.cluster.listers.resource_claims
    assert [one.owner_references[0].name for one in claims.values()] == ["b"]


def test_a_deleted_claim_that_nobody_reserves_frees_its_device() -> None:
    held = claim("held", allocation=GIVEN)
    inputs = inputs_of(cluster(user("b", "other"), resource_claims=[held, claim("other")]))
    assert bound_in(branched(inputs, held)) == {"b"}


def test_a_deleted_claim_that_a_pod_uses_frees_its_device_with_that_pod() -> None:
    objects = cluster(user("a", "held"), user("b", "other"), resource_claims=[claim("held"), claim("other")])
    assert bound_in(branched(inputs_of(objects), claim("held"))) == {"a"}
    assert bound_in(branched(inputs_of(objects), claim("held"), make_pod("a"))) == {"b"}


@pytest.mark.parametrize(("claims", "expected"), [("play", {"b"}), ("ignore", set())])
def test_without_the_controller_a_deleted_pod_leaves_its_claim_as_it_was(claims: str, expected: set[str]) -> None:
    objects = cluster(user("a", "held"), user("b", "other"), resource_claims=[claim("held"), claim("other")])
    assert bound_in(branched(inputs_of(objects, claims=claims), make_pod("a"))) == expected


def test_a_branch_may_stop_playing_the_controller() -> None:
    inputs = inputs_of(cluster(user("a", template="one"), user("b", template="one")))
    origin = recorded(inputs)
    n = origin.head_seq()
    ignoring = InputChange(seq=n, action="set_policies", object=Policies(kubernetes="1.36", claims="ignore"))
    session, _ = RunSession.branch(
        inputs, n, [ignoring, InputChange(seq=n, action="delete", object=make_pod("a"))], origin.keyframe_bytes
    )
    events: list[Any] = []
    session.observe(lambda seq, event: events.append(event))
    session.advance()
    assert bound_in(session) == set()
    assert any(isinstance(e, ev.InputsChanged) for e in events)


def test_a_comparison_says_that_the_policy_parts_two_runs() -> None:
    playing, ignoring = (inputs_of(cluster(user("a", template="one")), claims=c) for c in ("play", "ignore"))
    sides = [RunToCompare(inputs, recorded(inputs)) for inputs in (playing, ignoring)]
    compared = comparison(*sides)
    assert compared.divergence is not None
    assert any("claims" in str(one) for one in compared.inputs)
    assert comparison(sides[0], RunToCompare(playing, recorded(playing))).divergence is None


def test_a_trial_takes_no_devices_from_claims() -> None:
    here = NodeSelector((NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", ("n0",)),)),))
    held = claim("held", allocation=msgspec.structs.replace(GIVEN, node_selector=here))
    objects = cluster(user("p", "held", cpu="3"), resource_claims=[held], nodes=2)
    objects.nodes[0] = make_node("n0", cpu="1")
    session = RunSession.start(inputs_of(objects))
    session.simulation.step()
    before = session.simulation.recorder.head_seq
    trial = Trials(session.simulation).attempt("default/p")
    assert "deallocation of ResourceClaim completed" in trial.failure
    assert session.simulation.context.cluster.listers.resource_claims["default/held"] is held
    assert session.simulation.recorder.head_seq == before
    session.advance()
    assert bound_in(session) == {"p"}


def test_profiles_see_what_another_one_set_aside() -> None:
    objects = cluster(user("a", "c"), user("b", "d", scheduler_name="other"), resource_claims=[claim("c"), claim("d")])
    profiles = Profile(), Profile(scheduler_name="other")
    inputs = msgspec.structs.replace(inputs_of(objects), configuration=SchedulerConfiguration(profiles=profiles))
    session = RunSession.start(inputs)
    session.advance()
    assert bound_in(session) == {"a"}
