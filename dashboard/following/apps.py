"""The app of dashboard.following."""

from __future__ import annotations

from django.apps import AppConfig

from dashboard.common.registering import Registers


class FollowingConfig(Registers, AppConfig):
    """Names the app."""

    name = "dashboard.following"
    label = "following"

    def register(self) -> None:
        """Offer the scope of collectors, and tell clusters' pages and workers what is followed; models are there only
        now."""
        from dashboard.clusters import sweeping
        from dashboard.clusters.revisions.page_context import register_following
        from dashboard.documents.store import addresses_of_timelines
        from dashboard.following.comparing import working as comparing
        from dashboard.following.live_page.page import live_url
        from dashboard.following.receiving.scopes import register_scope
        from dashboard.following.workers import queue, working
        from dashboard.runs.lifecycle import other_work

        register_scope()
        register_following(live_url)
        sweeping.register_holder("timelines", addresses_of_timelines)
        other_work.register(other_work.OtherWork(queue.NAME, queue.is_waiting, working.work, queue.wake))
        other_work.register(other_work.OtherWork(comparing.NAME, comparing.is_waiting, comparing.work, comparing.wake))
