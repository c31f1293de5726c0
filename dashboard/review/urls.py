"""Addresses of dashboard.review."""

from __future__ import annotations

from django.urls import path

from dashboard.review import form_views, views

app_name = "review"
RUN = "w/<slug:slug>/runs/<int:number>"
THREAD = "w/<slug:slug>/threads/<int:thread_id>"
COMMENT = "w/<slug:slug>/comments/<int:comment_id>"
urlpatterns = [
    path("w/<slug:slug>/reviews/", views.reviews, name="list"),
    path("w/<slug:slug>/reviews/inbox", views.inbox, name="inbox"),
    path("w/<slug:slug>/reviews/<int:review>/", views.review, name="review"),
    path(f"{RUN}/review/", views.run_review, name="run"),
    path(f"{RUN}/review/record.md", views.record_file, name="record"),
    path(f"{RUN}/review/ask", form_views.ask, name="ask"),
    path(f"{RUN}/review/verdict", form_views.give_verdict, name="give_verdict"),
    path(f"{RUN}/review/withdraw", form_views.withdraw, name="withdraw"),
    path(f"{RUN}/review/threads/new", form_views.open_thread, name="open_thread"),
    path(f"{RUN}/review/viewed", form_views.viewed, name="viewed"),
    path(f"{RUN}/review/marks", views.marks, name="marks"),
    path(f"{RUN}/cycles/<int:cycle>/threads/", views.cycle_threads, name="cycle_threads"),
    path(f"{THREAD}/", views.thread, name="thread"),
    path(f"{THREAD}/reply", form_views.reply, name="reply"),
    path(f"{THREAD}/resolve", form_views.resolve, name="resolve"),
    path(f"{THREAD}/reopen", form_views.reopen, name="reopen"),
    path(f"{COMMENT}/edit", form_views.edit, name="edit"),
    path(f"{COMMENT}/react", form_views.react, name="react"),
    path(f"{COMMENT}/versions/", views.versions, name="versions"),
    path("w/<slug:slug>/people.json", views.people, name="people"),
]
