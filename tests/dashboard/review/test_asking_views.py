"""The form that asks for a review of something other than a run, and where it is reached from."""

from __future__ import annotations

import pytest

from dashboard.review.models import Review
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.review.conftest import make_run
from tests.dashboard.review.pages import page

TEXT = PACKING.replace("weight: 1", "weight: 3")


@pytest.mark.slow
def test_each_page_leads_to_the_form(two_runs, draft, configuration, editor, viewer):
    ways = {
        "/w/team/compare/?a=1&b=2": "/w/team/reviews/new/?a=1&amp;b=2",
        f"/w/team/clusters/drafted/drafts/{draft.pk}/": f"/reviews/new/?cluster=drafted&amp;draft={draft.pk}",
        "/w/team/clusters/drafted/diff/?from=0&to=1": "/reviews/new/?cluster=drafted&amp;revision=1&amp;base=0",
        "/w/team/configurations/fit/": "/reviews/new/?configuration=fit&amp;revision=1",
    }
    for address, to in ways.items():
        assert to in page(editor, address), address
    assert 'formaction="/w/team/reviews/new/text"' in page(editor, "/w/team/configurations/fit/")
    assert "reviews/new" not in page(viewer, "/w/team/configurations/fit/")


def test_a_text_that_is_not_saved_goes_through_the_form(configuration, editor):
    form = editor.post("/w/team/reviews/new/text", {"thing": "fit", "text": TEXT}).content.decode()
    assert "Fit r2 →" in form
    assert "weight: 3" in form
    sent = {"configuration": "fit", "before": "fit@2", "text": TEXT, "title": "Three?", "on": ""}
    url = editor.post("/w/team/reviews/new/ask", sent)["Location"]
    assert Review.objects.get().proposal["after_text"] == TEXT
    assert "Three?" in page(editor, url)


def test_a_form_that_is_refused_comes_back_as_it_was_sent(workspace, run, editor):
    make_run(workspace, 2)
    sent = {"a": "1", "b": "2", "title": "Mine", "description": "Keep me", "reviewers": "@nobody", "needed": "2"}
    response = editor.post("/w/team/reviews/new/ask", {**sent, "role": "editor", "asker_counts": "on"})
    html = response.content.decode()
    assert response.status_code == 400
    assert "called @nobody" in html
    for part in ('value="Mine"', "Keep me", "@nobody</textarea>", 'value="2"', "checked"):
        assert part in html
    assert not Review.objects.exists()


@pytest.mark.parametrize("text", ["", "kind: Pod"])
def test_a_text_that_is_no_configuration_is_refused(configuration, editor, text):
    assert editor.post("/w/team/reviews/new/text", {"thing": "", "text": text}).status_code == 400


def test_a_draft_is_put_up_with_a_word_on_who_sees_it(draft, editor):
    form = page(editor, f"/w/team/reviews/new/?cluster=drafted&draft={draft.pk}")
    assert "Everybody in this workspace will see what the draft" in form
