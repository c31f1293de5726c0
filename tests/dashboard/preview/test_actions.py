"""Who may ask what a configuration would change, and what is stored of the result."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Role
from dashboard.answers import asking, computing
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import Waiting, WaitsFor
from dashboard.clusters.configurations.actions import save_config
from dashboard.clusters.documents.actions import NewText
from dashboard.common.problems import Forbidden
from dashboard.preview import actions
from dashboard.preview.actions import Turn, ask_what_changes
from dashboard.preview.models import PreviewResult
from dashboard.preview.queries import changes_in, text_of
from dashboard.preview.subject import subject_named
from dashboard.runs.actions import Launch, create_run, delete_run
from dashboard.runs.lifecycle import waiting
from dashboard.runs.storage import deletion
from tests.dashboard.preview.conftest import PACKING

PRESSED, BY_ITSELF = Turn(), Turn(is_automatic=True)


@pytest.fixture(autouse=True)
def _nobody_runs(monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda name: None)


@pytest.fixture
def ask(editor, revision):
    """Ask as the editor on the cluster, or what is named."""

    def ask(text=PACKING, turn=PRESSED, on="cluster:prod", before="default", person=editor):
        member = person.member
        return ask_what_changes(member, subject_named(member.workspace, on, before, text), turn)

    return ask


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.EDITOR])
def test_those_who_may_edit_get_a_result_and_others_are_refused(editor, ask, role):
    type(editor.member).objects.filter(pk=editor.member.pk).update(role=role)
    if role == Role.EDITOR:
        assert isinstance(ask(), PreviewResult)
    else:
        with pytest.raises(Forbidden):
            ask()
        assert not PreviewResult.objects.exists()


def test_a_result_is_shown_again_without_a_worker(ask, editor, monkeypatch):
    first = ask()
    computing.sessions.cache_clear()
    monkeypatch.setattr(asking, "_transport", lambda: pytest.fail("a worker was asked"))
    again = ask()
    assert (again.pk, again.made_at, again.author) == (first.pk, first.made_at, editor.user)
    assert text_of(again) == PACKING
    assert changes_in(again).pods[0].pod == "default/new"
    assert changes_in(again).divergence is not None


def test_what_is_not_complete_is_not_stored(ask, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: AskResult(waits_for=WaitsFor.RESULT))
    assert ask() == Waiting(WaitsFor.RESULT)
    assert not PreviewResult.objects.exists()


def test_of_what_was_computed_by_itself_the_last_one_stays(ask):
    pressed = ask()
    one, two = (ask(f"{PACKING}# {n}\n", BY_ITSELF) for n in (1, 2))
    assert set(PreviewResult.objects.values_list("pk", flat=True)) == {pressed.pk, two.pk}
    assert one.pk != two.pk
    ask(f"{PACKING}# 2\n")
    ask(f"{PACKING}# 3\n", BY_ITSELF)
    assert PreviewResult.objects.count() == 3


def test_the_oldest_make_room_for_new_ones(ask, monkeypatch):
    monkeypatch.setattr(actions, "MOST_RESULTS", 2)
    results = [ask(f"{PACKING}# {n}\n").pk for n in range(3)]
    assert sorted(PreviewResult.objects.values_list("pk", flat=True)) == results[1:]
    monkeypatch.setattr(actions, "MOST_BYTES", 1)
    last = ask(f"{PACKING}# 3\n")
    assert list(PreviewResult.objects.all()) == [last]


def test_other_workspaces_lose_nothing(ask, stranger, monkeypatch):
    theirs = PreviewResult.objects.get(pk=ask().pk)
    theirs.pk, theirs.workspace = None, stranger.user.memberships.get().workspace
    theirs.save()
    monkeypatch.setattr(actions, "MOST_RESULTS", 1)
    ask(f"{PACKING}# 1\n")
    assert PreviewResult.objects.filter(pk=theirs.pk).exists()


def test_results_go_with_their_run_and_their_cluster(ask, editor, revision):
    run = create_run(editor.member, Launch(revision, schedule="pending"))
    of_run, of_cluster = ask(on=f"run:{run.number}"), ask()
    delete_run(editor.member, run)
    while deletion.delete_some():
        pass
    assert list(PreviewResult.objects.all()) == [of_cluster]
    assert of_run.run == run
    revision.cluster.delete()
    assert not PreviewResult.objects.exists()


def test_a_subject_that_was_deleted_while_it_was_computed_is_said(ask, editor, revision, monkeypatch):
    monkeypatch.setattr(actions, "_row", _refused)
    assert ask().text == actions.GONE


def _refused(*_arguments):
    raise actions.IntegrityError


def test_a_result_belongs_to_the_configuration_whose_page_asked(ask, editor):
    saved = save_config(editor.member, None, NewText("Packing", PACKING))
    assert ask(before="packing@1", text=f"{PACKING}# 1\n").document == saved.config
    assert ask().document is None
