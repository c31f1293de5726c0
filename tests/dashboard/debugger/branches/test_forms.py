"""What is written in the form, as changes."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.clusters.editor.object_text import check_text
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.contents import read_contents
from dashboard.debugger.branches.forms import (
    EMPTY_CONFIGURATION,
    BranchForm,
    NotEditable,
    branch_place,
    editable_text,
    is_there,
    named,
    offered_kinds,
)
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.documents import store
from dashboard.documents.models import SchedulerConfig
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import Cycle
from tests.dashboard.debugger.branches.test_views import worked
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import node

pytestmark = pytest.mark.django_db
TEXT = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 3\n"


@pytest.fixture
def changes_of(run):
    """A function that returns the changes and errors of fields."""

    def changes_of(**fields):
        data = QueryDict(mutable=True)
        for name, value in fields.items():
            data.setlist(name, value if isinstance(value, list) else [value])
        form = BranchForm.of(page_of(run, seq=5), data)
        return form.changes(), form.errors

    return changes_of


def test_configurations_are_chosen_or_written(changes_of, workspace):
    assert changes_of(configuration="defaults")[0] == [{"action": "configure", "configuration": EMPTY_CONFIGURATION}]
    [written], errors = changes_of(configuration="text", configuration_text=TEXT)
    assert (written["configuration"]["parallelism"], errors) == (3, {})
    config = SchedulerConfig.objects.create(workspace=workspace, name="Mine", slug="mine")
    store.save_text(config, TEXT.replace("3", "4"), object_store.Saving(None))
    [saved], errors = changes_of(configuration="mine")
    assert (saved["configuration"]["parallelism"], errors) == (4, {})


def test_all_kinds_of_changes_come_in_one_order(changes_of):
    fields = {"gone": "Node full-a", "draw": "smallest", "job_s": "1.5", "max_replacements": "7", "entry": ["2", "0"]}
    changes, errors = changes_of(**fields, configuration="defaults")
    assert errors == {}
    assert [one["action"] for one in changes] == ["delete", "configure", "set_policies", "switch_off", "switch_off"]
    assert changes[2]["policies"] == {"draw": "smallest", "job_running_us": 1_500_000, "max_replacements": 7}
    assert [one["entry"] for one in changes[3:]] == [2, 0]


def test_several_objects_are_put_in_their_order(changes_of):
    text = "\n---\n".join(f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: n-{n}}}" for n in range(3))
    changes, errors = changes_of(objects=text)
    assert [one["object"]["metadata"]["name"] for one in changes] == ["n-0", "n-1", "n-2"]
    assert errors == {}


def test_each_field_has_its_own_errors(changes_of):
    changes, errors = changes_of(objects="a: [", gone="Pod", draw="x", entry=["-1"])
    assert changes == []
    assert sorted(errors) == ["entry", "gone", "objects", "policies"]


def at(run, where=None, **query):
    """The place that a cursor and a choice mean."""
    cursor = cursor_of(run, "team", {name: str(value) for name, value in query.items()})
    return branch_place(cursor, {} if where is None else {"where": where})


def test_at_a_decision_it_is_before_it_unless_said_otherwise(run, cycle_of):
    cycle = cycle_of("never-0")
    for where, seq in ((None, cycle.first_seq), ("before", cycle.first_seq), ("here", cycle.last_seq + 1)):
        place = at(run, where, cycle=cycle.number)
        assert (place.seq, place.has_choice, place.is_inside) == (seq, True, False)
    assert at(run, "nowhere", cycle=cycle.number).seq == cycle.first_seq


def test_inside_of_a_cycle_there_is_no_choice(run, cycle_of):
    cycle = cycle_of("never-0")
    for seq in (cycle.first_seq, cycle.first_seq + 1, cycle.last_seq):
        place = at(run, "here", seq=seq)
        assert (place.seq, place.cycle, place.is_inside, place.has_choice) == (cycle.first_seq, cycle, True, False)


def test_between_cycles_it_is_the_cursor(run):
    first = Cycle.objects.get(run=run, number=1)
    place = at(run, seq=first.first_seq - 2)
    assert (place.seq, place.cycle, place.has_choice) == (first.first_seq - 2, None, False)


def test_before_a_cycle_is_where_the_engine_begins_the_branch(run, cycle_of, editor):
    cycle = cycle_of("never-0")
    change = {"action": "put", "object": node("extra", "77")}
    made = worked(branch_run(editor.member, run, Branching(at(run, cycle=cycle.number).seq, [change])).number)
    before = Cycle.objects.get(run=made, number=cycle.number - 1)
    assert before.last_seq < made.branch.seq <= cycle.first_seq


def test_a_name_has_a_kind_and_where_it_lives_in_one_its_namespace():
    assert named("Pod", "web").path == "default/web"
    assert named("Pod", " shop/web ").path == "shop/web"
    assert named("Node", "n").path == "n"
    for kind, name in (("Cat", "tom"), ("Node", " "), ("Pod", "shop/")):
        with pytest.raises(NotEditable):
            named(kind, name)


def test_a_pod_has_its_node_once_it_is_bound(run, cycle_of):
    cycle = cycle_of("big-0")
    key = named("Pod", "big-0")
    assert "nodeName" not in editable_text(page_of(run, seq=cycle.first_seq), key)
    assert "nodeName: full-" in editable_text(page_of(run, seq=run.head.seq), key)


def test_a_node_keeps_its_amounts_when_its_text_is_put_as_it_is(run, editor):
    page = page_of(run, seq=5)
    text = editable_text(page, named("Node", "full-a"))
    assert "allocatable" in text
    checked = check_text(text, read_contents(run.revision).by_key)
    assert checked.errors == []
    same = {"action": "put", "object": checked.manifests[0]}
    made = worked(branch_run(editor.member, run, Branching(5, [same])).number)
    assert (made.head.bound, made.head.pending) == (run.head.bound, run.head.pending)


def test_what_is_gone_or_was_never_there_cannot_be_edited(run):
    page = page_of(run, seq=run.head.seq)
    [gone] = page.moment.state.gone
    for name, message in ((gone, "is gone at the cursor"), ("default/nobody", "has no Pod default/nobody")):
        with pytest.raises(NotEditable, match=message):
            editable_text(page, named("Pod", name))
        assert not is_there(page, named("Pod", name))
    assert is_there(page, named("PriorityClass", "high"))


def test_a_pod_of_a_workload_says_why_it_has_no_text(execute):
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": template}
    workload = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec}
    run = execute([node("n"), workload], slug="made")
    page = page_of(run, seq=run.head.seq)
    [name] = page.moment.state.placements
    with pytest.raises(NotEditable, match=name):
        editable_text(page, named("Pod", name))
    assert is_there(page, named("Pod", name))


def test_what_a_branch_put_is_there_from_then_on_until_it_is_deleted(run, editor):
    key = named("Node", "extra")
    put = {"action": "put", "object": node("extra", "77")}
    first = worked(branch_run(editor.member, run, Branching(5, [put])).number)
    begins = first.branch.seq
    with pytest.raises(NotEditable):
        editable_text(page_of(first, seq=begins), key)
    assert "77" in editable_text(page_of(first, seq=begins + 1), key)
    gone = {"action": "delete", "object": {"kind": "Node", "metadata": {"name": "extra"}}}
    second = worked(branch_run(editor.member, first, Branching(first.head.seq, [gone])).number)
    with pytest.raises(NotEditable):
        editable_text(page_of(second, seq=second.head.seq), key)


def test_kinds_of_the_cluster_come_first(run):
    kinds = offered_kinds(page_of(run, seq=0))
    assert kinds[:2] == ["Pod", "Node"]
    assert len(kinds) == len(set(kinds))


@pytest.mark.parametrize(
    ("name", "most", "policy", "unit"),
    [
        ("job_s", 86_400, "job_running_us", 1_000_000),
        ("stay_s", 86_400, "unschedulable_stay_us", 1_000_000),
        ("cycle_ms", 86_400_000, "cycle_us", 1_000),
    ],
)
def test_a_time_is_a_day_at_most(changes_of, name, most, policy, unit):
    [change], errors = changes_of(**{name: str(most)})
    assert (change["policies"], errors) == ({policy: most * unit}, {})
    for wrong in (str(most + 1), "-1", "soon"):
        changes, errors = changes_of(**{name: wrong})
        assert (changes, list(errors)) == ([], ["policies"])


def test_a_branch_may_follow_another_version_with_its_gates(changes_of):
    [change], errors = changes_of(kubernetes="1.37", gates=" TaintTolerationComparisonOperators=false ")
    assert (change["policies"], errors) == (
        {"kubernetes": "1.37", "gates": "TaintTolerationComparisonOperators=false"},
        {},
    )
    assert "is no choice" in str(changes_of(kubernetes="newest")[1]["policies"])
    assert "has no feature gate" in str(changes_of(kubernetes="1.36", gates="NoSuchGate=true")[1]["policies"])
