"""Where the pods of drained nodes could go, by an answer worker."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.drain import Moved
from dashboard.answers.asking import answer_deadline, ask_of_revision
from dashboard.answers.questions import DrainOf
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def revision(workspace):
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    bound = {"status": {"phase": "Running"}}
    pods = [pod(name, cpu, nodeName="a", priority=n) | bound for n, (name, cpu) in enumerate((("x", "2"), ("y", "3")))]
    return object_store.save_revision(cluster, [node("a", "8"), node("b", "4"), *pods], Saving(None))


def test_each_pod_is_tried_where_the_one_before_left_the_cluster(revision):
    question = DrainOf(nodes=("a",), pods=("default/x", "default/y"))
    first = ask_of_revision(revision, question, answer_deadline(question)).value.moved
    assert first[0] == Moved("default/y", "b", 1)
    assert (first[1].pod, first[1].node, first[1].fits) == ("default/x", "", 0)
    assert "1 Insufficient cpu, 1 node(s)" in first[1].why
    alone = DrainOf(nodes=("a",), pods=("default/x",))
    assert ask_of_revision(revision, alone, answer_deadline(alone)).value.moved == (Moved("default/x", "b", 1),)
