"""The forms of a member's own attention, on the page of a review."""

from __future__ import annotations

import pytest

from dashboard.review.models import MutedReview, ReadMark

pytestmark = pytest.mark.django_db


def test_a_review_is_muted_and_heard_of_again_from_its_page(viewer, thread):
    page = f"/w/team/runs/{thread.run.number}/review/"
    assert 'value="1" data-key="Shift+M"' in viewer.get(page).content.decode().replace("\n", " ")
    assert viewer.post(f"{page}mute", {"muted": "1"})["Location"] == page
    assert "Unmute" in viewer.get(page).content.decode()
    assert "You mute this review" in viewer.get("/w/team/reviews/").content.decode()
    viewer.post(f"{page}mute", {"muted": "0"})
    assert not MutedReview.objects.exists()


def test_a_thread_that_is_marked_as_unread_leads_to_the_list_so_that_it_stays_so(viewer, thread):
    page = f"/w/team/runs/{thread.run.number}/review/"
    viewer.get(page)
    assert viewer.post(f"{page}mark", {"read": "0", "thread": str(thread.pk)})["Location"] == "/w/team/reviews/"
    assert ReadMark.objects.get(thread=thread, member=viewer.member).comment_id == thread.last_comment_id - 1
    assert viewer.post(f"{page}mark", {"read": "1"})["Location"] == page
    assert ReadMark.objects.get(thread=thread, member=viewer.member).comment_id == thread.last_comment_id


@pytest.mark.parametrize(("form", "data"), [("mute", {"muted": "x"}), ("mark", {"read": "0", "thread": "x"})])
def test_what_is_no_answer_is_refused(viewer, thread, form, data):
    assert viewer.post(f"/w/team/runs/{thread.run.number}/review/{form}", data).status_code == 400


def test_a_run_without_a_review_has_nothing_to_mute(viewer, run):
    assert viewer.post(f"/w/team/runs/{run.number}/review/mute", {"muted": "1"}).status_code == 409
    assert "Shift+M" not in viewer.get(f"/w/team/runs/{run.number}/review/").content.decode()
