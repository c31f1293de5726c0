"""Addresses of dashboard.review."""

from __future__ import annotations

from django.urls import path

from dashboard.review import asking_views, form_views, page_views, views
from dashboard.review.drafts import views as draft_views
from dashboard.review.on_changes import views as change_views
from dashboard.review.reading import views as attention_views
from dashboard.review.suggesting import views as suggesting_views

app_name = "review"
REVIEWS = "w/<slug:slug>/reviews"
RUN = "w/<slug:slug>/runs/<int:number>"
THREAD = "w/<slug:slug>/threads/<int:thread_id>"
DRAFT = "w/<slug:slug>/comment-drafts/<int:draft_id>"
COMMENT = "w/<slug:slug>/comments/<int:comment_id>"
# What a review has wherever it is: {end of the address: (view, end of its name)}.
OF_A_REVIEW = {
    "parts": (page_views.parts, "parts"),
    "findings": (page_views.findings, "findings"),
    "record.md": (page_views.record_file, "record"),
    "ask": (form_views.ask, "ask"),
    "verdict": (form_views.give_verdict, "give_verdict"),
    "withdraw": (form_views.withdraw, "withdraw"),
    "close": (form_views.close, "close"),
    "reopen": (form_views.reopen_review, "reopen_review"),
    "viewed": (form_views.viewed, "viewed"),
    "mute": (attention_views.mute, "mute"),
    "mark": (attention_views.mark, "mark"),
    "fields/comment": (form_views.open_field_thread, "open_field_thread"),
}
urlpatterns = [
    path(f"{REVIEWS}/", views.reviews, name="list"),
    path(f"{REVIEWS}/inbox", views.inbox, name="inbox"),
    path(f"{REVIEWS}/new/", asking_views.new, name="new"),
    path(f"{REVIEWS}/new/text", asking_views.new_of_text, name="new_of_text"),
    path(f"{REVIEWS}/new/ask", asking_views.ask_new, name="ask_new"),
    path(f"{REVIEWS}/changes/threads", change_views.change_threads, name="change_threads"),
    path(f"{REVIEWS}/changes/comment", change_views.comment, name="comment_on_change"),
    path(f"{REVIEWS}/<int:review>/", page_views.review, name="review"),
    *(path(f"{REVIEWS}/<int:review>/{end}", view, name=f"review_{name}") for end, (view, name) in OF_A_REVIEW.items()),
    path(f"{RUN}/review/", page_views.run_review, name="run"),
    *(path(f"{RUN}/review/{end}", view, name=name) for end, (view, name) in OF_A_REVIEW.items()),
    path(f"{RUN}/review/threads/new", form_views.open_thread, name="open_thread"),
    path(f"{RUN}/review/marks", views.marks, name="marks"),
    path(f"{RUN}/cycles/<int:cycle>/threads/", views.cycle_threads, name="cycle_threads"),
    path(f"{RUN}/threads/", views.thing_threads, name="thing_threads"),
    path(f"{THREAD}/", views.thread, name="thread"),
    path(f"{THREAD}/reply", form_views.reply, name="reply"),
    path(f"{THREAD}/resolve", form_views.resolve, name="resolve"),
    path(f"{THREAD}/reopen", form_views.reopen, name="reopen"),
    path(f"{COMMENT}/edit", form_views.edit, name="edit"),
    path(f"{COMMENT}/react", form_views.react, name="react"),
    path(f"{COMMENT}/effect/", suggesting_views.effect, name="effect"),
    path(f"{COMMENT}/versions/", views.versions, name="versions"),
    path(f"{DRAFT}/edit", draft_views.edit, name="edit_draft"),
    path(f"{DRAFT}/discard", draft_views.discard, name="discard_draft"),
    path("w/<slug:slug>/people.json", views.people, name="people"),
]
