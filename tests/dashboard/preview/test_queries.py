"""Which results somebody sees, and that those of before are read."""

from __future__ import annotations

import zlib

import pytest

from dashboard.accounts.models import User
from dashboard.common.problems import NotFound
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.preview.models import PreviewResult
from dashboard.preview.queries import changes_in, result_numbered, results_for, saved_as
from dashboard.runs.actions import Launch, create_run, delete_run
from dashboard.runs.lifecycle import waiting
from tests.dashboard.preview.conftest import PACKING

# As the first version of this table stored it.
FIRST_FORM = b"""{"cycles":[1,1],"is_complete":true,"is_partial":false,
"ended":["nothing waits","nothing waits"],"n_pods":2,
"groups":{"moved":1},"pods":[{"pod":"default/new","uid":"","number":0,"group":"moved","fields":["node"],
"a":{"outcome":"bound","node":"b","wait":0,"evicted":"","attempts":1,"cycle":1},
"b":{"outcome":"bound","node":"a","wait":0,"evicted":"","attempts":1,"cycle":1}}],"messages":[""],"divergence":null,
"figures":[{"n_pending":0,"n_evicted":0,"n_used":2,"n_empty":0},{"n_pending":0,"n_evicted":0,"n_used":1,"n_empty":1}],
"left_out":["runs without TargetLoadPacking: scores differ"]}"""


@pytest.fixture
def configuration(editor):
    """A saved configuration with one revision."""
    return save_config(editor.member, None, NewText("Packing", PACKING)).config


def stored(person, revision, **fields):
    member = person.member
    fields = {"key": f"{PreviewResult.objects.count()}", "size": 1, "data": b"", "text": b"", **fields}
    return PreviewResult.objects.create(workspace=member.workspace, revision=revision, author=member.user, **fields)


def test_results_of_the_page_and_of_saved_texts_are_listed_newest_first(editor, revision, configuration):
    asked = stored(editor, revision, document=configuration)
    same_text = stored(editor, revision, text_sha256=configuration.revisions.get().sha256)
    stored(editor, revision, text_sha256="another")
    assert results_for(editor.member, configuration) == [same_text, asked]


def test_what_was_computed_by_itself_is_in_its_authors_list_alone(editor, viewer, revision, configuration):
    stored(editor, revision, document=configuration, is_automatic=True)
    assert len(results_for(editor.member, configuration)) == 1
    assert results_for(viewer.member, configuration) == []


def test_a_result_of_another_workspace_is_not_there(editor, revision, stranger):
    result = stored(editor, revision)
    assert result_numbered(editor.member.workspace, result.pk) == result
    with pytest.raises(NotFound):
        result_numbered(stranger.user.memberships.get().workspace, result.pk)


def test_a_result_of_a_run_that_is_being_deleted_is_not_there(editor, revision, configuration, monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    run = create_run(editor.member, Launch(revision, schedule="pending"))
    stored(editor, revision, run=run, document=configuration)
    delete_run(editor.member, run)
    assert results_for(editor.member, configuration) == []


def test_the_saved_revision_with_the_text_is_named(editor, revision, configuration):
    saved = configuration.revisions.get()
    assert saved_as(stored(editor, revision, text_sha256=saved.sha256)) == saved
    assert saved_as(stored(editor, revision, text_sha256="another")) is None


def test_a_list_reads_neither_texts_nor_pods(editor, revision, configuration, django_assert_num_queries):
    for _ in range(3):
        stored(editor, revision, document=configuration)
    member = editor.member
    with django_assert_num_queries(1) as queries:
        assert [str(one.revision) for one in results_for(member, configuration)] == ["Prod r1"] * 3
    assert '"data"' not in queries[0]["sql"]


def test_a_result_of_the_first_form_is_read():
    changes = changes_in(PreviewResult(data=zlib.compress(FIRST_FORM)))
    assert (changes.groups, changes.pods[0].a.node, changes.figures[1].n_empty) == ({"moved": 1}, "b", 1)


def test_a_result_outlives_its_author(editor, revision):
    result = stored(editor, revision)
    User.objects.filter(pk=editor.user.pk).delete()
    result.refresh_from_db()
    assert result.author is None
