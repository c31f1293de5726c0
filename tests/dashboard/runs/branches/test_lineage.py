"""Which run left which one, and the words for what was changed."""

from __future__ import annotations

import msgspec
import pytest
from django.urls import reverse

from dashboard.runs import actions
from dashboard.runs.branches.lineage import branch_tree, change_in_words, changes_in_words, list_branches, living_origin
from dashboard.runs.inputs import PROFILE, WEIGHTS, WHOLE
from dashboard.runs.models import RunBranch
from dashboard.runs.storage import deletion
from scheduler_core.simulate import WholeObjectChange
from scheduler_core.testing.builders import make_node
from tests.dashboard.runs.branches.conftest import ANOTHER_POD, CORDON

pytestmark = pytest.mark.django_db
CHANGES = [
    (CORDON, "Node node-0 changed"),
    (ANOTHER_POD, "Pod default/late put"),
    ({"action": "delete", "object": {"kind": "Pod", "metadata": {"name": "a"}}}, "Pod a deleted"),
    ({"action": "configure", "configuration": {}}, "another configuration"),
    ({"action": "configure", PROFILE: "p", WEIGHTS: {"ImageLocality": 7}}, "weights: ImageLocality 7"),
    ({"action": "set_policies", "policies": {"draw": "smallest"}}, "policies: draw smallest"),
    ({"action": "switch_off", "entry": 3}, "entry 3 of the timeline switched off"),
]


@pytest.mark.parametrize(("change", "phrase"), CHANGES)
def test_a_change_in_a_phrase(change, phrase):
    assert change_in_words(change) == phrase


def test_an_object_that_the_engine_made_up_has_its_name():
    whole = msgspec.to_builtins(WholeObjectChange.of("put", make_node("bigger")))
    assert change_in_words({"action": "put", WHOLE: whole}) == "Node bigger put"


def test_many_changes_are_counted():
    branch = RunBranch(changes=[CORDON] * 5)
    assert changes_in_words(branch) == ", ".join(["Node node-0 changed"] * 3) + "; and 2 more"


def test_the_tree_has_each_run_below_the_one_that_it_left(origin, branch, launch, editor):
    launch(2, 2)
    first = branch(origin, 100, CORDON, is_run=False, name="first")
    second = branch(origin, 50, is_run=False)
    cluster = origin.revision.cluster
    assert [(one.depth, one.run.number) for one in branch_tree(cluster)] == [
        (0, origin.number),
        (1, first.number),
        (1, second.number),
    ]
    assert branch_tree(cluster)[1].words == "Node node-0 changed"
    assert list_branches(origin) == [first, second]
    assert living_origin(first) == origin
    actions.delete_run(editor.member, origin)
    assert living_origin(actions.find_run(origin.workspace, first.number)) is None
    while deletion.delete_some():
        pass
    assert [(one.depth, one.run.number) for one in branch_tree(cluster)] == [(0, first.number), (0, second.number)]


def test_a_cluster_without_branches_has_no_tree(origin):
    assert branch_tree(origin.revision.cluster) == []


def test_pages_link_both_ways(origin, branch, viewer, editor):
    made = branch(origin, 100, CORDON, name="cordoned")
    place = f'{reverse("debugger:run", args=["team", origin.number])}?seq={made.branch.begins}"'
    shown = viewer.get(reverse("debugger:outcomes", args=["team", made.number])).content.decode()
    assert place in shown
    assert "Node node-0 changed" in shown
    back = reverse("debugger:branch_point", args=["team", made.number])
    assert back in viewer.get(reverse("debugger:outcomes", args=["team", origin.number])).content.decode()
    listed = viewer.get(reverse("runs:list", args=["team"])).content.decode()
    assert place in listed
    assert 'id="tree"' not in listed
    of_cluster = viewer.get(reverse("runs:list", args=["team"]), {"cluster": "prod"}).content.decode()
    assert 'class="tree-1"' in of_cluster
    branch(origin, 50, is_run=False)
    both = viewer.get(reverse("debugger:outcomes", args=["team", origin.number])).content.decode()
    assert "2 branches" in both
    actions.delete_run(editor.member, origin)
    gone = viewer.get(reverse("debugger:outcomes", args=["team", made.number])).content.decode()
    assert f"from run {origin.number}, deleted" in gone
