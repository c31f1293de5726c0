"""The app of dashboard.review."""

from __future__ import annotations

from functools import partial

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Names the app, and has the sockets of all pages count what waits for their readers."""

    name = "dashboard.review"
    label = "review"

    def ready(self) -> None:
        """Register the count of the inbox."""
        from dashboard.live.feed.counts import register_count
        from dashboard.review.context import INBOX_LIMIT
        from dashboard.review.queries import count_waiting

        register_count("inbox", partial(count_waiting, limit=INBOX_LIMIT))
