"""From a remedy that was tried to a branch with the same change."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from dashboard.clusters.models import Draft
from dashboard.review.models import Comment, CommentDraft
from dashboard.runs import execution
from dashboard.runs.models import Cycle, PluginScore, Run, RunBranch
from tests.dashboard.debugger.page_text import text

pytestmark = pytest.mark.django_db
REMEDY = "Request 2 cpu"


@pytest.fixture
def remedy_of(part, viewer):
    """A function that returns the text of the first remedy of the refused cycle."""

    def remedy_of():
        address = re.search(r'hx-get="([^"]*/answers/remedy/[^"]*)"', part().content.decode()).group(1)
        return html.unescape(address)

    return remedy_of


@pytest.fixture
def post(run, cycle_of):
    """A function that sends the form as a person."""

    def post(person, remedy, **fields):
        address = reverse("debugger:why_run_on", args=["team", run.number])
        return person.post(address, {"cycle": cycle_of("never-0").number, "remedy": remedy, **fields})

    return post


def test_the_branch_does_what_was_tried(remedy_of, editor, run, cycle_of):
    shown = editor.get(remedy_of()).content.decode()
    fields = dict(re.findall(r'name="(cycle|remedy|once)"\s+value="([^"]*)"', shown))
    fields = {name: html.unescape(value) for name, value in fields.items()}
    node = re.search(r"It fits. never-0 would go to ([\w-]+)\.", shown).group(1)
    address = reverse("debugger:why_run_on", args=["team", run.number])
    answers = [editor.post(address, fields) for _ in range(2)]
    branch = RunBranch.objects.get()
    point = reverse("debugger:branch_point", args=["team", branch.run.number])
    query = urlencode({"pod": "default/never-0", "cycle": fields["cycle"]})
    assert {answer["Location"] for answer in answers} == {f"{point}?{query}"}
    assert (branch.origin_id, branch.run.name) == (run.pk, fields["remedy"][:120])
    while execution.work():
        pass
    made, cycle = Run.objects.get(pk=branch.pk), cycle_of("never-0")
    assert made.state == "finished", made.error
    decided = Cycle.objects.get(run=made, number=cycle.number)
    assert (decided.pod, decided.outcome, decided.node) == ("default/never-0", "scheduled", node)
    assert branch.asked_seq == cycle.first_seq


def test_what_was_tried_is_put_into_a_draft_of_the_run_s_revision(remedy_of, editor, run, post):
    shown = editor.get(remedy_of()).content.decode()
    fields = dict(re.findall(r'name="(cycle|remedy|once)"\s+value="([^"]*)"', shown))
    fields = {name: html.unescape(value) for name, value in fields.items()}
    address = reverse("debugger:why_into_draft", args=["team", run.number])
    answers = [editor.post(address, fields) for _ in range(2)]
    draft = Draft.objects.get()
    operation = draft.operations.get()
    assert (draft.base_id, operation.name, operation.author) == (run.revision_id, fields["remedy"], editor.user)
    assert {answer["Location"] for answer in answers} == {
        reverse("clusters:draft", args=["team", draft.cluster.slug, draft.pk])
    }
    assert [change.name for change in operation.changes.all()] == ["never-0"]


def test_who_may_not_edit_clusters_puts_nothing_into_a_draft(remedy_of, viewer, run, cycle_of):
    address = reverse("debugger:why_into_draft", args=["team", run.number])
    fields = {"cycle": cycle_of("never-0").number, "remedy": REMEDY}
    assert viewer.post(address, fields).status_code == 403
    assert not Draft.objects.exists()


def test_who_may_not_start_runs_sees_no_button_and_is_refused(remedy_of, viewer, stranger, anonymous, post, run):
    address = reverse("debugger:why_run_on", args=["team", run.number])
    assert f'action="{address}"' not in viewer.get(remedy_of()).content.decode()
    for person, status in ((viewer, 403), (stranger, 404), (anonymous, 302)):
        assert post(person, REMEDY).status_code == status
    assert not RunBranch.objects.exists()


@pytest.mark.parametrize("fields", [{"cycle": ""}, {"cycle": "99999"}, {"cycle": "x"}, {"remedy": ""}])
def test_what_is_not_there_is_refused(post, editor, fields):
    assert post(editor, **{"remedy": REMEDY, **fields}).status_code in (400, 404)
    assert not RunBranch.objects.exists()


def test_a_change_that_finds_no_node_or_no_worker_begins_nothing(post, editor, worker_stub):
    answer = post(editor, REMEDY)
    assert answer.status_code == 409
    assert "No answer worker" in text(answer)
    assert not RunBranch.objects.exists()


def test_a_change_that_no_remedy_is_begins_nothing(post, editor):
    answer = post(editor, "Ask for the moon")
    assert answer.status_code == 409
    assert "finds no node" in text(answer)
    assert not RunBranch.objects.exists()


@pytest.fixture
def decided(plain_run):
    """The first cycle of a run that one node won by points."""
    return Cycle.objects.filter(run_id=plain_run.pk, margin__gt=0).order_by("number").first()


def test_moved_weights_are_the_configuration_of_the_branch(editor, viewer, plain_run, decided):
    address = reverse("debugger:weights_run_on", args=["team", plain_run.number])
    fields = {"cycle": decided.number, "weights": "NodeResourcesFit:7,NodeResourcesBalancedAllocation:0"}
    page = reverse("debugger:why_node", args=["team", plain_run.number])
    assert f'action="{address}"' in editor.get(page, {"cycle": decided.number}).content.decode()
    assert f'action="{address}"' not in viewer.get(page, {"cycle": decided.number}).content.decode()
    assert viewer.post(address, fields).status_code == 403
    answer = editor.post(address, fields)
    branch = RunBranch.objects.get()
    point = reverse("debugger:branch_point", args=["team", branch.run.number])
    assert answer["Location"] == f"{point}?{urlencode({'pod': decided.pod, 'cycle': decided.number})}"
    assert branch.run.name.split(", ") == [
        f"NodeResources{one}" for one in ("BalancedAllocation weighs 0", "Fit weighs 7")
    ]
    while execution.work():
        pass
    made = Run.objects.get(pk=branch.pk)
    assert made.state == "finished", made.error
    begins = RunBranch.objects.get().seq
    later = PluginScore.objects.filter(
        run=made, cycle__in=Cycle.objects.filter(run=made, first_seq__gt=begins).values("number")
    )
    weights = dict(later.values_list("plugin", "weight"))
    assert weights["NodeResourcesFit"] == 7
    assert "NodeResourcesBalancedAllocation" not in weights
    assert weights["TaintToleration"] == 3


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"weights": ""}, "No weight was moved"),
        ({"weights": "NodeName:3"}, "NodeName is no score plugin of profile default-scheduler"),
        ({"weights": "NodeResourcesFit:many"}, "whole number"),
        ({"weights": "NodeResourcesFit:-3"}, "whole number"),
        ({"cycle": "0"}, "cycle"),
        ({"cycle": "77777"}, "no such cycle"),
    ],
)
def test_weights_that_cannot_be_are_refused(editor, plain_run, decided, fields, message):
    address = reverse("debugger:weights_run_on", args=["team", plain_run.number])
    answer = editor.post(address, {"cycle": decided.number, "weights": "NodeResourcesFit:7", **fields})
    assert answer.status_code in (400, 404, 422)
    assert message in text(answer)
    assert not RunBranch.objects.exists()


def test_a_change_that_was_asked_about_is_that_of_the_branch(editor, viewer, run, cycle_of):
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").order_by("-number").first()
    query = {"pod": "default/never-0", "cycle": cycle.number, "would": "grow-node full-a cpu=80"}
    part = reverse("debugger:why_would", args=["team", run.number])
    assert "would/run-on/" not in viewer.get(part, query).content.decode()
    shown = editor.get(part, query).content.decode()
    form = shown[shown.index("would/run-on/") :]
    fields = {
        name: html.unescape(re.search(rf'name="{name}"\s+value="([^"]*)"', form).group(1))
        for name in ("pod", "seq", "change")
    }
    address = reverse("debugger:change_run_on", args=["team", run.number])
    assert viewer.post(address, fields).status_code == 403
    assert editor.post(address, fields).status_code == 302
    branch = RunBranch.objects.get()
    assert branch.run.name == fields["change"] == query["would"]
    while execution.work():
        pass
    made = Run.objects.get(pk=branch.pk)
    assert made.state == "finished", made.error
    last = Cycle.objects.filter(run=made, pod="default/never-0").order_by("-number").first()
    assert (last.outcome, last.node) == ("scheduled", "full-a")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"change": "grow-node nobody cpu=80"}, 409),
        ({"change": "explode everything"}, 409),
        ({"change": ""}, 404),
        ({"pod": "default/small-0"}, 409),
        ({"pod": ""}, 404),
        ({"seq": "99999999"}, 404),
        ({"seq": "x"}, 400),
    ],
)
def test_a_change_that_cannot_be_made_begins_nothing(editor, run, fields, status):
    address = reverse("debugger:change_run_on", args=["team", run.number])
    usual = {"pod": "default/never-0", "seq": run.head.seq, "change": "grow-node full-a cpu=80"}
    assert editor.post(address, usual | fields).status_code == status
    assert not RunBranch.objects.exists()


# ---------------------------------------------------------------- suggested in a thread


def suggested_at(person, answer):
    """Return the form that the answer leads to: (where it posts to, its fields)."""
    page = person.get(answer["Location"]).content.decode()
    form = re.search(r'<form\s+class="thread new-thread".*?</form>', page, re.DOTALL)[0]
    fields = dict(re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', form))
    chosen = re.search(r'<option\s+value="(\d+)"\s+selected', form)
    action = re.search(r'hx-post="([^"]*)"', form)[1]
    return action, {name: html.unescape(value) for name, value in fields.items()} | {"suggest": chosen[1]}


def test_a_remedy_is_suggested_in_a_thread_on_the_decision(remedy_of, editor, run, cycle_of):
    shown = editor.get(remedy_of()).content.decode()
    assert 'value="suggest"' in shown
    fields = dict(re.findall(r'name="(cycle|remedy|once)"\s+value="([^"]*)"', shown))
    fields = {name: html.unescape(value) for name, value in fields.items()} | {"then": "suggest"}
    address, number = reverse("debugger:why_run_on", args=["team", run.number]), cycle_of("never-0").number
    answers = [editor.post(address, fields) for _ in range(2)]
    branch = RunBranch.objects.get()
    threads = reverse("review:cycle_threads", args=["team", run.number, number])
    assert {answer["Location"] for answer in answers} == {f"{threads}?suggest={branch.run.number}"}
    action, form = suggested_at(editor, answers[0])
    assert editor.post(action, form | {"text": "This would do."}).status_code == 302
    comment = Comment.objects.get()
    assert (comment.thread.run_id, comment.thread.cycle) == (run.pk, number)
    assert (comment.suggested_id, comment.text) == (branch.pk, "This would do.")


def test_a_suggestion_can_be_kept_as_a_draft(remedy_of, editor, run, cycle_of):
    text = html.unescape(re.search(r'name="remedy"\s+value="([^"]*)"', editor.get(remedy_of()).content.decode())[1])
    address = reverse("debugger:why_run_on", args=["team", run.number])
    fields = {"cycle": cycle_of("never-0").number, "remedy": text, "then": "suggest"}
    action, form = suggested_at(editor, editor.post(address, fields))
    assert editor.post(action, form | {"text": "Later.", "keep": "draft"}).status_code == 302
    assert CommentDraft.objects.get().suggested_id == RunBranch.objects.get().pk


def test_an_own_change_is_suggested_on_the_pods_last_attempt(editor, run, cycle_of):
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").order_by("-number").first()
    fields = {"pod": "default/never-0", "seq": run.head.seq, "change": "grow-node full-a cpu=80", "then": "suggest"}
    answer = editor.post(reverse("debugger:change_run_on", args=["team", run.number]), fields)
    branch = RunBranch.objects.get().run
    threads = reverse("review:cycle_threads", args=["team", run.number, cycle.number])
    assert answer["Location"] == f"{threads}?suggest={branch.number}"
    assert suggested_at(editor, answer)[1]["suggest"] == str(branch.number)


def test_nothing_else_follows_a_branch(editor, run, cycle_of):
    fields = {"cycle": cycle_of("never-0").number, "remedy": "x", "then": "elsewhere"}
    assert editor.post(reverse("debugger:why_run_on", args=["team", run.number]), fields).status_code in (400, 409)
    assert not RunBranch.objects.exists()


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("has_worker", "sentence"),
    [
        (True, "With this change the pod finds no node, so there is nothing to go on with."),
        (False, "No answer worker has tried the change yet. Try again in a moment."),
    ],
)
def test_words(post, editor, request, has_worker, sentence):
    if not has_worker:
        request.getfixturevalue("worker_stub")
    assert sentence in text(post(editor, "Ask for the moon"))


def test_words_of_the_buttons(remedy_of, editor, plain_run, decided, run):
    weights = reverse("debugger:why_node", args=["team", plain_run.number])
    own = reverse("debugger:why_would", args=["team", run.number])
    query = {"pod": "default/never-0", "would": "grow-node full-a cpu=80"}
    for address, sentences in (
        (remedy_of(), ("Run on with this change", "Suggest it in a thread")),
        (f"{weights}?cycle={decided.number}", ("Run on with these weights", "Suggest it in a thread")),
        (f"{own}?{urlencode(query)}", ("Run on with this change", "Suggest it in a thread")),
    ):
        page_text = text(editor.get(address))
        assert [one for one in sentences if one not in page_text] == []
