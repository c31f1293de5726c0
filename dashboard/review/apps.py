"""The app of dashboard.review."""

from __future__ import annotations

from functools import partial

from django.apps import AppConfig

from dashboard.common.registering import Registers


class ReviewConfig(Registers, AppConfig):
    """Names the app, and has the sockets of all pages count what waits for their readers."""

    name = "dashboard.review"
    label = "review"

    def register(self) -> None:
        """Register the count of the inbox, and hear of new names of runs."""
        from dashboard.live.feed.counts import register_count
        from dashboard.review.context import INBOX_LIMIT
        from dashboard.review.feed import announce_name
        from dashboard.review.reading.counting import count_waiting_for_each
        from dashboard.runs.models.run import renamed

        register_count("inbox", partial(count_waiting_for_each, limit=INBOX_LIMIT))
        renamed.connect(announce_name, dispatch_uid="names of runs in reviews")
