"""Answers about a cluster at rest: one kept state, long ones in turns, and what cannot be asked."""

from __future__ import annotations

import json
import time

import pytest

from dashboard.answers.answering.capacity import drained, how_many, not_needed, which_groups
from dashboard.answers.answering.cluster_source import ClusterSource
from dashboard.answers.answering.sessions import Sessions
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.questions import DrainedOf, GroupsOf, RoomOf, UnneededOf
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import saving
from dashboard.clusters.importing.saving import ImportTarget
from dashboard.clusters.uploads.opening import Upload
from dashboard.runs.inputs import InputError
from tests.dashboard.capacity.conftest import shop
from tests.dashboard.runs.conftest import save

__all__ = ["save"]


def limit():
    return TimeLimit(time.monotonic() + 60)


@pytest.fixture
def source(save):
    return ClusterSource(save(shop()), Sessions(1 << 40))


def test_a_long_answer_goes_on_from_turn_to_turn_on_one_state(source):
    part = which_groups(source, GroupsOf(), TimeLimit(0.0))
    assert not part.table.is_complete
    rest = which_groups(source, GroupsOf(turn=1), limit())
    assert (rest.table.is_complete, [one.name for one in rest.groups]) == (True, ["general", "gpu"])
    first = not_needed(source, UnneededOf(), TimeLimit(0.0))
    assert (first.done, first.total, first.is_complete) == (1, 3, False)
    last = not_needed(source, UnneededOf(turn=1), limit())
    assert (last.n_free, last.codes, last.is_complete) == (1, {"SHORT_CPU": 2}, True)
    assert source.sessions.made == 1


def test_more_of_the_largest_controller_are_counted_where_none_is_named(source):
    answer = how_many(source, RoomOf(), limit())
    assert (answer.asked.owner, answer.fitting.count) == ("ReplicaSet/etl", 0)
    assert [one.owner for one in answer.offers][:2] == ["ReplicaSet/etl", "ReplicaSet/web"]


def test_chosen_nodes_stand_first_and_others_by_their_name(source):
    answer = drained(source, DrainedOf(nodes=("t-0",), text="g-"), limit())
    assert [(one.name, one.group, one.pods) for one in answer.nodes] == [
        ("t-0", "gpu", 0), ("g-0", "general", 2), ("g-1", "general", 1),
    ]  # fmt: skip
    assert answer.drain.order == {}


@pytest.mark.parametrize(
    ("ask", "question"),
    [
        (which_groups, GroupsOf(pod="default/web-0")),
        (which_groups, GroupsOf(likes=("nowhere",))),
        (which_groups, GroupsOf(groups="- 1")),
        (which_groups, GroupsOf(groups="{}\n---\n{}")),
        (which_groups, GroupsOf(groups="{")),
        (how_many, RoomOf(pod="default/nobody")),
        (drained, DrainedOf(nodes=("nowhere",))),
    ],
)
def test_what_is_not_there_is_said_and_the_state_stays(source, ask, question):
    with pytest.raises(InputError):
        ask(source, question, limit())
    assert len(source.sessions) == 1


def test_a_pool_without_a_known_shape_and_the_autoscalers_words_are_said(editor):
    event = {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "etl-0"}, "reason": "NotTriggerScaleUp",
        "source": {"component": "cluster-autoscaler"}, "message": "no group", "lastTimestamp": "2026-05-01T10:00:00Z",
    }  # fmt: skip
    pool = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "far"}}
    needs = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["x1"]}]
    pool["spec"] = {"template": {"spec": {"requirements": needs}}}
    dump = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*shop(), pool, event]}).encode()
    draft = imports.new_draft(editor.member, [Upload("dump.json", dump)])
    revision = saving.save(editor.member, draft, ImportTarget(None, "prod"))
    answer = which_groups(ClusterSource(revision, Sessions(1 << 40)), GroupsOf(), limit())
    assert list(answer.words) == ["default/etl-0"]
    assert ["far" in one.name for one in answer.unknown] == [True]
