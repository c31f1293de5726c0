"""The pages of a draft of a timeline."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.documents.models import TimelineDraft
from dashboard.documents.store import read_timeline
from dashboard.documents.timelines import kind
from dashboard.documents.timelines.drafts import page
from tests.dashboard.documents.timelines.arrivals.some_entries import rush, stored

DAY = "/w/team/timelines/day/"
DRAFT = f"{DAY}draft/"


@pytest.fixture
def day(editor):
    """The timeline "day", whose first two entries are shifted by a minute in a draft."""
    timeline = stored(editor.member, rush()).timeline
    sent = {"base": 1, "do": "shift", "by": "1m", "before": "2001ms"}
    assert editor.post(f"{DAY}change", sent)["Location"].startswith(DRAFT)
    return timeline


def flat(answer):
    return " ".join(answer.content.decode().split())


def test_the_draft_has_a_bar_with_what_it_changes_and_the_saved_page_leads_to_it(editor, day):
    answer = editor.get(DRAFT)
    bar = answer.context["draft_bar"]
    assert [(chip.mark, chip.label) for chip in bar.chips] == [("~", "3 entries")]
    assert (bar.undo.number, bar.redo, bar.urls.leave) == (1, None, DAY)
    assert f'action="{DRAFT}undo"' in flat(answer)
    saved = editor.get(DAY)
    assert saved.context["own_draft"].n_edits == 1
    assert ('value="shift"' in flat(saved), f'href="{DRAFT}"' in flat(saved)) == (False, True)
    editor.post(f"{DRAFT}undo")
    assert 'value="shift"' in flat(editor.get(DAY))


def test_the_bar_is_sent_again_once_it_changed(editor, day):
    assert editor.get(f"{DRAFT}bar", {"seen": 1}).status_code == 204
    assert 'id="draftbar"' in flat(editor.get(f"{DRAFT}bar", {"seen": 0}))


def test_the_arrivals_of_the_draft_are_chosen_as_a_part(editor, day):
    part = editor.get(DRAFT, {"q": "web-2"}, headers={"HX-Request": "true"})
    assert part["HX-Push-Url"] == f"{DRAFT}?q=web-2"
    assert [at for _, at in part.context["arrivals"].table.items] == ["62s"]


def test_the_changes_are_reviewed_and_saved_with_a_message(editor, day):
    page = editor.get(f"{DRAFT}changes/", {"what": "changed"})
    assert [one.times for one in page.context["lines"]] == [["1s", "61s"], ["2s", "62s"], ["2s", "62s"]]
    assert editor.get(f"{DRAFT}changes/", {"what": "added"}).context["lines"] == []
    answer = editor.post(f"{DRAFT}save", {"version": 1, "message": "later"})
    assert answer["Location"] == DAY
    newest = day.revisions.first()
    assert (newest.number, newest.message) == (2, "later")
    assert read_timeline(newest)["entries"][0]["at"] == "61s"
    assert editor.get(f"{DRAFT}changes/")["Location"] == editor.get(DRAFT)["Location"] == DAY


def test_saved_and_run_leads_to_the_form_of_its_run(editor, cluster, day):
    Cluster.objects.update(name="day")
    day.name = "day arrivals"
    day.save()
    to = editor.post(f"{DRAFT}save", {"version": 1, "then": "run"})["Location"]
    assert editor.get(to).context["form"].timeline_revision.number == 2


def test_what_others_saved_is_named_before_it_is_saved_over(editor, owner, day):
    owner.post(f"{DAY}change", {"base": 1, "do": "remove"})
    owner.post(f"{DRAFT}save", {"message": "emptied"})
    page = editor.get(f"{DRAFT}changes/")
    assert "emptied" in flat(page)
    assert 'name="over" value="2"' in flat(page)
    assert editor.post(f"{DRAFT}save", {"version": 1}).status_code == 409
    assert editor.post(f"{DRAFT}save", {"version": 1, "over": 2})["Location"] == DAY


def test_discarding_leads_back_to_what_is_saved(editor, day):
    assert editor.post(f"{DRAFT}discard")["Location"] == DAY
    assert editor.post(f"{DRAFT}undo").status_code == 404
    assert editor.get(DRAFT)["Location"] == DAY


def test_viewers_have_no_draft(editor, viewer, day):
    assert viewer.get(DRAFT).status_code == 403
    assert viewer.post(f"{DRAFT}save").status_code == 403
    assert viewer.get(DAY).context["own_draft"] is None


def test_an_edit_costs_what_it_changes(editor, day, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(kind, "MAX_EDITABLE_ENTRIES", 1)
    with django_assert_max_num_queries(22):
        editor.post(f"{DAY}change", {"version": 1, "do": "shift", "by": "1s", "q": "web-3"})
    sizes = [len(one.hunks) for one in day.drafts.get().operations.all()]
    assert sizes[1] < sizes[0]
    assert day.revisions.count() == 1


def test_the_team_is_asked_for_a_review_of_the_draft_and_comments_stand_beside_its_changes(editor, day):
    shown = flat(editor.get(f"{DRAFT}changes/"))
    draft = TimelineDraft.objects.get()
    assert f"/reviews/new/?timeline=day&amp;draft={draft.pk}" in shown
    assert f"/reviews/new/?timeline=day&amp;draft={draft.pk}" in flat(editor.get(DRAFT))
    line = editor.get(f"{DRAFT}changes/").context["lines"][0]
    about = {"timeline": "day", "draft": draft.pk, "finding": f"object:{line.anchor}"}
    beside = "/w/team/reviews/changes/threads"
    assert f'hx-get="{beside}?timeline=day&amp;draft={draft.pk}"' in shown
    assert line.named.key.label in flat(editor.get(beside, about))
    editor.post("/w/team/reviews/changes/comment", {**about, "text": "is a minute enough?"})
    assert "is a minute enough?" in flat(editor.get(beside, {"timeline": "day", "draft": draft.pk}))
    editor.post(f"{DRAFT}undo")
    assert "outdated" in flat(editor.get(beside, {"timeline": "day", "draft": draft.pk}))
    assert "Ask for a review" not in flat(editor.get(DRAFT))


def test_a_draft_of_very_many_changes_is_shown_without_comments(editor, day, monkeypatch):
    monkeypatch.setattr(page, "MOST_NAMED", 2)
    shown = editor.get(f"{DRAFT}changes/")
    assert len(shown.context["lines"]) == 3
    assert (shown.context["change_query"], "data-finding" in flat(shown)) == ("", False)
