"""Branch from here: the form at a cursor, who may use it, and what it makes."""

from __future__ import annotations

import html
import re
import time
from types import SimpleNamespace

import pytest
from django.urls import reverse

from dashboard.clusters.revisions import object_store
from dashboard.debugger.branches import views
from dashboard.documents import store
from dashboard.documents.models import Timeline
from dashboard.runs import execution
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import Cycle, Run, RunBranch
from tests.dashboard.debugger.page_text import text
from tests.dashboard.run_helpers import cluster_of, node, pod

pytestmark = pytest.mark.django_db
NODE = """apiVersion: v1
kind: Node
metadata: {name: extra}
status: {allocatable: {cpu: "128", memory: 64Gi, pods: "110"}}
"""


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch):
    """Nobody works but the test."""
    monkeypatch.setattr(views, "PATIENCE_SECONDS", 0.0)


@pytest.fixture
def form(run):
    """A function that opens the form at a cursor, or sends it."""

    def form(person, fields=None, of=None, **query):
        address = reverse("debugger:branch", args=["team", (of or run).number], query=query)
        return person.get(address) if fields is None else person.post(address, fields)

    return form


def yaml_in(response):
    """What stands in the field of objects."""
    return html.unescape(re.search(r'name="objects".*?>\n(.*?)</textarea>', response.content.decode(), re.S)[1])


def worked(number):
    """The run when a worker has worked."""
    while execution.work():
        pass
    run = Run.objects.select_related("head", "branch").get(number=number)
    assert run.state == "finished", run.error
    return run


def test_from_a_decision_the_branch_begins_before_it_and_opens_where_it_begins(form, editor, viewer, run, cycle_of):
    cycle = cycle_of("never-0")
    place = form(editor, cycle=cycle.number).context["place"]
    assert (place.has_choice, place.chosen, place.cycle.pk) == (True, "before", cycle.pk)
    response = form(editor, {"where": "before", "objects": NODE, "name": "room"}, cycle=cycle.number)
    made = RunBranch.objects.get()
    pod = "pod=default%2Fnever-0"
    point = f"{reverse('debugger:branch_point', args=['team', made.run.number])}?{pod}&cycle={cycle.number}"
    assert response["Location"] == point
    assert (made.origin, made.asked_seq, made.run.name, made.run.seed) == (run, cycle.first_seq, "room", run.seed)
    assert viewer.get(point)["Location"] == f"{reverse('debugger:run', args=['team', made.run.number])}?{pod}"
    branched = worked(made.run.number)
    opened = viewer.get(point)["Location"]
    assert opened.endswith(f"?cycle={cycle.number}&{pod}")
    assert viewer.get(point.partition("?")[0])["Location"].endswith(f"?seq={branched.branch.seq + 1}")
    assert viewer.get(opened).context["page"].moment.selection.pod == "default/never-0"
    assert viewer.get(viewer.get(point)["Location"]).status_code == 200
    decided = Cycle.objects.get(run=branched, pod="default/never-0", outcome="scheduled")
    assert (decided.number, decided.node) == (cycle.number, "extra")


def test_a_cursor_inside_of_a_cycle_says_where_the_branch_begins(form, editor, run, cycle_of):
    cycle = cycle_of("never-0")
    response = form(editor, seq=cycle.first_seq + 1)
    place = response.context["place"]
    assert (place.has_choice, place.is_inside, place.cycle.pk) == (False, True, cycle.pk)
    form(editor, {"objects": NODE, "where": "here"}, seq=cycle.first_seq + 1)
    assert RunBranch.objects.get().asked_seq == cycle.first_seq


@pytest.mark.slow
def test_the_form_of_changes_is_asked_for_where_the_branch_begins_and_is_there(form, editor, run):
    places = [
        {},
        *({"cycle": cycle.number} for cycle in Cycle.objects.filter(run=run)),
        *({"seq": seq} for seq in range(0, run.head.seq, 5)),
    ]
    urls = {url for place in places if (url := form(editor, **place).context["would_url"])}
    assert urls
    for url in urls:
        seq = re.search(r"seq=(\d+)", url)[1]
        assert editor.get(url).context["cursor"].seq == int(seq)


def test_the_same_form_sent_twice_makes_one_branch(form, editor):
    once = re.search(r'name="once"\s+value="([^"]+)"', form(editor, seq=5).content.decode())[1]
    answers = [form(editor, {"objects": NODE, "once": once}, seq=5) for _ in range(2)]
    assert RunBranch.objects.count() == 1
    assert len({answer["Location"] for answer in answers}) == 1


def test_an_object_as_of_the_cursor_is_edited(form, editor, run, cycle_of):
    cycle = cycle_of("never-0")
    first = form(editor, {"do": "edit", "kind": "Pod", "object_name": "default/never-0"}, cycle=cycle.number)
    edited = yaml_in(first)
    assert "never-0" in edited
    again = {"do": "edit", "kind": "Node", "object_name": "full-a", "objects": edited}
    both = yaml_in(form(editor, again, cycle=cycle.number))
    assert both.count("---") == 1
    assert both.startswith(edited.rstrip())
    form(editor, {"objects": edited.replace("64", "1")}, cycle=cycle.number)
    branched = worked(RunBranch.objects.get().run.number)
    assert [change["action"] for change in branched.branch.changes] == ["put"]
    assert branched.recording_hash != run.recording_hash


def test_a_deletion_is_taken_over_and_made(form, editor, run):
    taken = form(editor, {"do": "delete", "kind": "Node", "object_name": "full-a"}, seq=5)
    assert "Node full-a\n</textarea>" in taken.content.decode()
    form(editor, {"gone": "Node full-a\n\nPodDisruptionBudget none/such"}, seq=5)
    assert not RunBranch.objects.exists()
    form(editor, {"gone": "Node full-a\n"}, seq=5)
    expected = {"action": "delete", "object": {"kind": "Node", "metadata": {"name": "full-a"}}}
    assert RunBranch.objects.get().changes == [expected]


WRONG = [
    ({}, "Nothing is changed yet"),
    ({"objects": NODE.replace('"128"', "many")}, "Node extra: status.allocatable"),
    ({"objects": "kind: ["}, "line"),
    ({"gone": "Cat tom"}, 'line 1: "Cat" is no kind'),
    ({"gone": "Node n-99"}, "line 1: the run has no Node n-99 at the cursor"),
    ({"gone": "Pod"}, "Which Pod?"),
    ({"configuration": "nowhere"}, "does not exist in this workspace"),
    ({"configuration": "text", "configuration_text": "kind: Cat"}, "Cat"),
    ({"draw": "lots"}, 'draw: "lots" is no choice'),
    ({"cycle_ms": "soon"}, 'cycle_ms: "soon" is no number'),
    ({"cycle_ms": "nan"}, 'cycle_ms: "nan" is no number'),
    ({"stay_s": "0"}, "unschedulable_stay_us must be at least 1"),
    ({"entry": "x"}, "is no entry of the timeline"),
    ({"entry": "3"}, "no entry of the timeline"),
    ({"do": "edit", "kind": "Pod", "object_name": "default/nobody"}, "has no Pod default/nobody at the cursor"),
    ({"do": "edit", "kind": "Cat", "object_name": "tom"}, "is no kind of object"),
    ({"do": "delete", "kind": "Node", "object_name": "n-99"}, "The run has no Node n-99"),
]


@pytest.mark.parametrize(("fields", "message"), WRONG)
def test_what_is_wrong_names_its_place_and_keeps_what_was_written(form, editor, fields, message):
    response = form(editor, {"name": "mine", **fields}, seq=5)
    assert response.status_code == 422
    assert message in html.unescape(text(response))
    assert 'value="mine"' in response.content.decode()
    assert not RunBranch.objects.exists()


def test_configuration_and_policies_hold_from_the_branch_on(form, editor, run):
    fields = {"configuration": "defaults", "draw": "smallest", "cycle_ms": "2"}
    form(editor, fields, seq=5)
    branch = RunBranch.objects.get()
    assert [change["action"] for change in branch.changes] == ["configure", "set_policies"]
    assert branch.changes[1]["policies"] == {"draw": "smallest", "cycle_us": 2_000}
    worked(branch.run.number)


@pytest.fixture
def timed(execute, workspace):
    """A run with a node that comes and a pod that comes later."""
    timeline = Timeline.objects.create(workspace=workspace, name="T", slug="t")
    entries = [
        {"at": "20ms", "action": "put", "object": node("late-node", "32")},
        {"at": "30ms", "action": "put", "object": pod("late-pod", "1")},
    ]
    revision = store.save_timeline(timeline, {"entries": entries}, object_store.Saving(None))
    return execute(cluster_of(3, 40), slug="timed", schedule="timeline", timeline=revision)


def test_an_entry_that_had_come_is_switched_off_before_it_came(form, editor, timed):
    shown = text(form(editor, of=timed, seq=timed.head.seq))
    assert "put Node late-node" in shown
    form(editor, {"entry": ["0"]}, of=timed, seq=timed.head.seq)
    branch = RunBranch.objects.get()
    assert branch.asked_seq < timed.head.seq
    branched = worked(branch.run.number)
    assert not Cycle.objects.filter(run=branched, node="late-node").exists()
    assert Cycle.objects.filter(run=branched, pod="default/late-pod").exists()


def test_an_object_of_an_earlier_branch_is_edited_as_that_put_it(form, editor, run):
    first = branch_run(editor.member, run, Branching(5, [{"action": "put", "object": node("extra", "77")}]))
    first = worked(first.number)
    fields = {"do": "edit", "kind": "Node", "object_name": "extra"}
    assert "77" in yaml_in(form(editor, fields, of=first, seq=first.head.seq))


def test_who_may_not_start_runs_sees_no_button_and_is_refused(form, viewer, reviewer, stranger, anonymous, look, run):
    assert "/branch/" not in look(run, seq=5).content.decode()
    for person in (viewer, reviewer):
        assert form(person, seq=5).status_code == 403
        sent = form(person, {"objects": NODE}, seq=5)
        assert sent.status_code == 403
    assert form(stranger, seq=5).status_code == 404
    assert form(anonymous, seq=5).status_code == 302
    assert not RunBranch.objects.exists()


def test_of_another_engine_s_recording_it_is_said_what_to_do(form, editor, run):
    Run.objects.filter(pk=run.pk).update(engine_version="0.1/old")
    response = form(editor, {"objects": NODE}, seq=5)
    assert response.status_code == 422
    assert response.context["problem"]
    assert not RunBranch.objects.exists()


def test_a_run_that_is_no_branch_has_no_such_place(viewer, run):
    assert viewer.get(reverse("debugger:branch_point", args=["team", run.number])).status_code == 404


def test_the_button_leads_to_the_form_of_the_cursor(editor, run):
    page = editor.get(reverse("debugger:run", args=["team", run.number]), {"seq": 5}).content.decode()
    address = html.unescape(re.search(r'href="([^"]*/branch/[^"]*)"[^>]*data-key="Shift\+B"', page, re.S)[1])
    assert address == reverse("debugger:branch", args=["team", run.number]) + "?seq=5"


def test_words(form, editor, run, cycle_of):
    cycle = cycle_of("never-0")
    before = text(form(editor, cycle=cycle.number))
    assert f"Before cycle {cycle.number}, which decides about default/never-0" in before
    assert f"is inside cycle {cycle.number}" in text(form(editor, seq=cycle.first_seq + 1))
    Run.objects.filter(pk=run.pk).update(engine_version="0.1/old")
    assert "Run it again first" in text(form(editor, {"objects": NODE}, seq=5))


def test_the_way_to_the_place_of_a_branch_waits_until_a_worker_prepared_it(editor, run, cycle_of, monkeypatch):
    change = {"action": "set_policies", "policies": {"draw": "smallest"}}
    made = branch_run(editor.member, run, Branching(cycle_of("never-0").first_seq, (change,))).number
    slept = []

    def work(seconds):
        slept.append(seconds)
        worked(made)

    monkeypatch.setattr(views, "PATIENCE_SECONDS", 60.0)
    monkeypatch.setattr(views, "time", SimpleNamespace(sleep=work, monotonic=time.monotonic))
    where = editor.get(reverse("debugger:branch_point", args=["team", made]))["Location"]
    assert slept == [views.BETWEEN_LOOKS]
    assert where.endswith(f"?seq={RunBranch.objects.get().begins + 1}")
