"""The reader's list of changes: collected on pages of why and by hand, tried together, and run on."""

from __future__ import annotations

import html
import re

import pytest
from django.urls import reverse

from dashboard.answers.asking import answer_deadline, ask
from dashboard.answers.questions import RemediesOf
from dashboard.debugger.branches.list_views import question_of
from dashboard.runs import execution
from dashboard.runs.branches import change_lists
from dashboard.runs.models import ChangeList, Cycle, Run, RunBranch

pytestmark = pytest.mark.django_db
LABELLED = """apiVersion: v1
kind: Node
metadata: {name: full-a, labels: {tier: gold}}
status: {allocatable: {cpu: "4", memory: 64Gi, pods: "110"}}
"""


@pytest.fixture
def add(run, editor):
    """A function that posts to one of the addresses of the list."""

    def add(name, person=editor, **fields):
        return person.post(reverse(f"debugger:{name}", args=["team", run.number]), fields)

    return add


@pytest.fixture
def remedy(run, cycle_of):
    """The text of the first remedy that was verified for the refused pod."""
    question = RemediesOf(cycle_of("never-0").number)
    return ask(run, question, answer_deadline(question)).value.verified[0].text


def page(person, run, **query):
    """The page of the list."""
    return person.get(reverse("debugger:branch", args=["team", run.number], query=query))


def own(run):
    """The list's row."""
    return ChangeList.objects.get(run=run)


def answer_of(row):
    """What a worker says of it."""
    question = question_of(row.run, row)
    return ask(row.run, question, answer_deadline(question)).value


def test_remedies_and_own_changes_are_tried_together_and_run_on(add, run, editor, remedy, cycle_of):
    cycle = cycle_of("never-0")
    assert add("list_remedy", cycle=cycle.number, remedy=remedy).status_code == 302
    assert add("list_own", pod="default/never-0", seq=run.head.seq, change="tolerate gpu=yes").status_code == 302
    row = own(run)
    assert (row.seq, row.cycle, row.pod, len(row.active)) == (cycle.first_seq, cycle.number, "default/never-0", 2)
    tried = answer_of(row)
    assert (tried.can_be_made, tried.n_fit_before, bool(tried.node)) == (True, 0, True)
    shown = page(editor, run, cycle=cycle.number).content.decode()
    assert html.escape(f"on {tried.node}") in shown
    address = reverse("debugger:branch", args=["team", run.number], query={"cycle": cycle.number})
    once = re.search(r'name="once"\s+value="([^"]*)"', shown).group(1)
    answers = [editor.post(address, {"do": "run", "name": "both", "once": once}) for _ in range(2)]
    branch = RunBranch.objects.get()
    assert {answer.status_code for answer in answers} == {302}
    assert (branch.origin_id, branch.asked_seq, len(branch.changes), branch.run.name) == (
        *(run.pk, cycle.first_seq, 2, "both"),
    )
    assert not ChangeList.objects.exists(), "what was run on is no list any more"
    while execution.work():
        pass
    decided = Cycle.objects.get(run=branch.run, number=cycle.number)
    assert (decided.pod, decided.node) == ("default/never-0", tried.node)
    led = editor.get(answers[0]["Location"])["Location"]
    assert led.endswith(f"/runs/{branch.run.number}/?cycle={cycle.number}&pod=default%2Fnever-0")


def test_what_is_written_in_the_form_is_added_beside_what_it_changes(add, run, editor, cycle_of):
    cycle = cycle_of("never-0")
    address = reverse("debugger:branch", args=["team", run.number], query={"cycle": cycle.number})
    answer = editor.post(address, {"do": "add", "objects": LABELLED, "gone": "Node full-b\n", "draw": "smallest"})
    assert answer.status_code == 302, answer.context["form"].errors
    assert answer["Location"] == address
    titles = [entry["title"] for entry in own(run).entries]
    assert titles == ["Node full-a put", "Node full-b deleted", "policies: draw smallest"]
    assert any("tier" in path for path, _, _ in own(run).entries[0]["fields"])
    assert answer_of(own(run)).can_be_made
    bad = editor.post(address, {"do": "add", "gone": "Node nowhere"})
    assert (bad.status_code, len(own(run).entries)) == (422, 3)


def test_an_entry_is_left_out_brought_back_and_removed(add, run, editor, remedy, cycle_of):
    cycle = cycle_of("never-0").number
    add("list_remedy", cycle=cycle, remedy=remedy)
    add("list_own", pod="default/never-0", seq=run.head.seq, change="tolerate gpu=yes")
    versions = [own(run).version]
    for do, active in (("leave-out", [2]), ("bring-back", [1, 2]), ("leave-out", [2]), ("remove", [2])):
        add("list_edit", entry=1, do=do)
        versions.append(own(run).version)
        assert [entry["number"] for entry in own(run).active] == active
    assert versions == sorted(set(versions)), "no two states of a list share a version"
    assert add("list_edit", entry=1, do="remove").status_code == 404
    assert add("list_edit", entry=2, do="nothing").status_code == 400
    add("list_edit", do="discard")
    assert not ChangeList.objects.exists()
    assert page(editor, run, cycle=cycle).status_code == 200


def test_a_list_has_one_place_to_which_words_move_and_objects_do_not(add, run, editor, cycle_of):
    add("list_own", pod="default/never-0", seq=run.head.seq, change="tolerate gpu=yes")
    place, other = own(run).cycle, cycle_of("small-0").number
    answer = page(editor, run, cycle=other)
    assert answer["Location"].endswith(f"/branch/?cycle={place}")
    address = reverse("debugger:branch", args=["team", run.number], query={"cycle": other})
    assert editor.post(address, {"do": "add", "gone": "Node full-b"}).status_code == 422
    add("list_own", pod="default/small-0", seq=cycle_of("never-0").last_seq, change="grow-node full-a cpu=64")
    assert [entry["texts"] for entry in own(run).entries][:1] == [["tolerate gpu=yes"]]


def test_a_change_that_cannot_be_made_has_its_reason_and_holds_the_run_back(add, run, editor):
    add("list_own", pod="default/never-0", seq=run.head.seq, change="tolerate gpu=yes")
    add("list_own", pod="default/never-0", seq=run.head.seq, change="tolerate gpu=yes")
    tried = answer_of(own(run))
    assert [bool(made.problem) for made in tried.entries] == [False, True]
    address = reverse("debugger:branch", args=["team", run.number], query={"cycle": own(run).cycle})
    assert html.escape(tried.entries[1].problem) in page(editor, run, cycle=own(run).cycle).content.decode()
    assert editor.post(address, {"do": "run"}).status_code == 422
    assert not RunBranch.objects.exists()


def test_weights_are_added_with_their_profile(add, run, cycle_of):
    cycle = cycle_of("small-0")
    add("list_weights", cycle=cycle.number, weights="NodeResourcesFit:7")
    assert own(run).entries[0]["changes"][0]["weights"] == {"NodeResourcesFit": 7}
    tried = answer_of(own(run))
    assert (tried.can_be_made, bool(tried.node)) == (True, True)
    assert add("list_weights", cycle=cycle.number).status_code == 404


@pytest.mark.parametrize("name", ["list_remedy", "list_own", "list_weights", "list_edit"])
def test_viewers_and_others_change_no_list(name, add, viewer, stranger):
    assert [add(name, person=one, cycle=1).status_code for one in (viewer, stranger)] == [403, 404]
    assert not ChangeList.objects.exists()


def test_a_list_is_its_owner_s_and_bounded(add, run, owner, monkeypatch):
    add("list_own", pod="default/never-0", seq=run.head.seq, change="tolerate gpu=yes")
    assert change_lists.own_list(owner.member, run) is None
    monkeypatch.setattr(change_lists, "MOST_CHANGES", 1)
    assert add("list_own", pod="default/never-0", seq=run.head.seq, change="remove-gates").status_code in (400, 409)
    monkeypatch.setattr(change_lists, "MOST_CHANGES", 2)
    monkeypatch.setattr(change_lists, "MOST_BYTES", 10)
    assert add("list_own", pod="default/never-0", seq=run.head.seq, change="request cpu=1").status_code == 400
    assert len(own(run).entries) == 1


def test_a_list_changes_a_run_that_goes_on(add, run, editor):
    Run.objects.filter(pk=run.pk).update(state="paused")
    address = reverse("debugger:change", args=["team", run.number])
    answer = editor.post(address, {"do": "add", "gone": "Node full-b"})
    assert (answer["Location"], own(run).seq) == (address, None)
    assert page(editor, run, cycle=1)["Location"] == address
    assert answer_of(own(run)).can_be_made
    Run.objects.filter(pk=run.pk).update(state="finished")
    assert page(editor, run, seq=run.head.seq).status_code == 200, "it is run on from where the run ended"
    Run.objects.filter(pk=run.pk).update(state="paused")
    assert editor.post(address, {"do": "run"})["Location"] == reverse("debugger:run", args=["team", run.number])
    assert [one["action"] for one in run.changes.get().changes] == ["delete"]
    assert not ChangeList.objects.exists()
