"""What was and is computed, as a configuration's page lists it."""

from __future__ import annotations

from django.db.models.functions import Now

from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.preview import computing
from dashboard.preview.models import Computation
from dashboard.preview.pages import preview_list_for
from dashboard.runs.actions import Launch, create_run
from tests.dashboard.preview.conftest import PACKING

CHANGED = f"{PACKING}# 1\n"


def test_one_that_is_computed_is_listed_until_its_result_is(ask, editor, viewer, no_worker):
    config = save_config(editor.member, None, NewText("Packing", PACKING)).config
    assert preview_list_for(viewer.member, config).last_on == ""
    ask(CHANGED, before="packing@1")
    going = preview_list_for(viewer.member, config)
    assert ([one.state for one in going.progress], going.is_going, going.results) == (["waiting"], True, [])
    assert going.last_on == "cluster:prod"
    computing.work()
    done = preview_list_for(viewer.member, config)
    assert (done.progress, done.is_going, len(done.results)) == ([], False, 1)
    assert preview_list_for(viewer.member, None).results == []


def test_what_failed_is_listed_and_what_was_cancelled_is_not(ask, editor, no_worker):
    ask()
    Computation.objects.update(ended_at=Now(), error="no memory")
    (failed,) = preview_list_for(editor.member, None).progress
    assert failed.text == "No memory"
    assert not preview_list_for(editor.member, None).is_going
    Computation.objects.update(error="", is_cancelled=True)
    assert preview_list_for(editor.member, None).progress == []


def test_what_was_begun_by_itself_is_in_its_authors_list_alone(ask, editor, owner, no_worker):
    ask(is_automatic=True)
    assert len(preview_list_for(editor.member, None).progress) == 1
    assert preview_list_for(owner.member, None).progress == []


def test_the_run_that_was_asked_about_last_is_named(ask, editor, revision, no_worker):
    run = create_run(editor.member, Launch(revision, schedule="pending"))
    ask(on=f"run:{run.number}")
    assert preview_list_for(editor.member, None).last_on == f"run:{run.number}"
