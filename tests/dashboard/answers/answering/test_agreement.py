"""A cluster compared with its real scheduler by an answer worker: all of it within a moment, or nothing."""

from __future__ import annotations

import pytest

from dashboard.answers.answering import agreement
from dashboard.answers.answering.agreement import compute_agreement
from dashboard.answers.answering.cluster_source import ClusterSource
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.asking import answer_deadline, ask_of_revision
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import AgreementOf
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from scheduler_core.api.unplayed import Unplayed, UnplayedObject, encoded
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def revision(workspace):
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    held = [pod(f"p-{i}", "1", nodeName="a") | {"status": {"phase": "Running"}} for i in range(3)]
    return object_store.save_revision(cluster, [node("a", "4"), node("b", "1"), *held, pod("wide", "9")], Saving(None))


def ask(revision, **fields):
    question = AgreementOf(**fields)
    return ask_of_revision(revision, question, answer_deadline(question))


def test_every_pod_of_a_small_cluster_is_decided(revision):
    answer = ask(revision)
    assert isinstance(answer, Answer), answer
    assert not answer.is_partial
    assert (answer.value.pods.n_bound, answer.value.pods.n_pending) == (3, 1)
    assert {pod.pod for pod in answer.value.pods.bound} == {"default/p-0", "default/p-1", "default/p-2"}


def test_what_the_revision_holds_and_is_not_played_is_a_doubt(revision):
    # As revisions hold them that were made before limit ranges were played.
    small = UnplayedObject(api_version="v1", kind="LimitRange", namespace="default", name="small")
    held = encoded(Unplayed(objects=[small], counts={"v1/LimitRange": 1}))
    saving = Saving(None, unplayed=object_store.put_blob(revision.cluster.workspace_id, held))
    newer = object_store.save_revision(revision.cluster, [node("a", "4"), pod("p", "1", nodeName="a")], saving)
    assert [one.objects.names for one in ask(newer).value.pods.doubts] == [("v1/LimitRange/default/small",)]
    assert ask(revision).value.pods.doubts == ()


def test_a_configuration_that_does_not_exist_is_said(revision):
    assert isinstance(ask(revision, config="nobody"), Failed)


def test_what_takes_longer_is_given_up_and_said_to_be_no_whole_answer(revision, monkeypatch):
    monkeypatch.setattr(agreement, "LONGEST_SECONDS", 0.0)
    answer = ask(revision)
    assert answer.is_partial
    assert answer.value.pods is None


def test_it_ends_when_nobody_waits_any_more(revision):
    limit = TimeLimit(float("inf"), lambda: True)
    assert compute_agreement(ClusterSource(revision, None), AgreementOf(), limit).pods is None
    assert limit.was_hit
