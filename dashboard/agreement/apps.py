"""The app of dashboard.agreement."""

from __future__ import annotations

from django.apps import AppConfig

from dashboard.common.registering import Registers


class AgreementConfig(Registers, AppConfig):
    """Names the app."""

    name = "dashboard.agreement"
    label = "agreement"

    def register(self) -> None:
        """Tell clusters' pages what their tab counts, and workers what waits beside runs; models are there only now."""
        from dashboard.agreement import computing
        from dashboard.agreement.reality import computing as reality
        from dashboard.agreement.reality.keeping import prepare
        from dashboard.agreement.why_views import prepare_answer
        from dashboard.clusters.importing.bundle_saving import register_keeper
        from dashboard.clusters.importing.jobs import register_next_page
        from dashboard.clusters.revisions.page_context import register_agreement
        from dashboard.runs.lifecycle import other_work
        from dashboard.runs.origins import register_reality

        register_agreement(computing.agreeing)
        register_next_page("why", prepare_answer)
        work = other_work.OtherWork("agreement", computing.is_waiting, computing.work, computing.wake)
        other_work.register(work)
        register_keeper(prepare)
        register_reality(reality.page_of)
        other_work.register(other_work.OtherWork("reality", reality.is_waiting, reality.work, reality.wake))
