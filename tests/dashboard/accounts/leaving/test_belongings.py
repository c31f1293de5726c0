"""Each model belongs to a workspace, or is named with what it holds: a new one cannot be forgotten."""

from __future__ import annotations

from django.apps import apps

from dashboard.accounts.leaving.belongings import (
    OF_NO_WORKSPACE,
    label,
    references_to_people,
    referring_first,
    rows_of_workspace,
    ways_to_workspace,
)
from dashboard.accounts.leaving.removing import PERSON_COLUMNS, WRITTEN
from dashboard.accounts.models import Member, Workspace
from dashboard.review.models import CommentVersion
from dashboard.runs.models import RecordingChunk

MODELS = {label(model): model for model in apps.get_models(include_auto_created=True)}


def test_every_model_belongs_to_a_workspace_or_says_what_it_holds():
    reached = {label(model) for model in ways_to_workspace()}
    assert MODELS.keys() - reached - {"accounts.Workspace"} == OF_NO_WORKSPACE.keys()


def test_every_reference_to_a_person_is_of_rows_that_go_with_them_or_has_no_person_then():
    endings = {
        (label(model), field.name): (field.remote_field.on_delete.__name__, field.null)
        for model, fields in references_to_people().items()
        for field in fields
    }
    assert len(endings) > 30
    # None where a token belongs to the workspace; that of a person goes with them.
    assert endings.pop(("accounts.AccessToken", "owner")) == ("CASCADE", True)
    assert set(endings.values()) == {("CASCADE", False), ("SET_NULL", True)}


def test_every_column_with_the_number_of_a_person_is_named():
    columns = {
        (name, field.name)
        for name, model in MODELS.items()
        for field in model._meta.fields
        if not field.is_relation and field.name in {"person", "asked_by", "user_id", "owner_id", "author_id"}
    }
    assert columns == set(PERSON_COLUMNS.items())


def test_every_text_that_somebody_leaves_in_a_review_is_named():
    fields = {name: {field.name: field for field in model._meta.fields} for name, model in MODELS.items()}
    texts = {name for name, of in fields.items() if name.startswith("review.") and "text" in of}
    goes_with_them = {name for name in texts if "author" in fields[name] and not fields[name]["author"].null}
    assert goes_with_them == {"review.CommentDraft"}
    assert texts - goes_with_them - {"review.ReviewRecord"} == WRITTEN.keys()


def test_a_model_comes_before_the_one_that_it_leads_to():
    order = referring_first()
    for model, (_field, parent) in ways_to_workspace().items():
        assert parent is Workspace or order.index(model) < order.index(parent)


def test_a_recording_and_an_earlier_comment_are_found_by_their_ways():
    ways = ways_to_workspace()
    assert ways[RecordingChunk][0] == "run"
    assert ways[CommentVersion][0] == "comment"


def test_rows_are_those_of_one_workspace(owner, stranger, workspace):
    members = rows_of_workspace(Member, workspace)
    assert [member.user for member in members] == [owner.user]
