"""What the Live page says of agreement: the newest comparison that is there, and what becomes of the next one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from django.urls import reverse

from dashboard.agreement.models import CollectedBundle, FollowedComparison, RealityResult
from dashboard.agreement.reality import computing
from dashboard.following.live_page.agreement_chart import agreement_chart
from dashboard.following.live_page.collector import moment
from scheduler_core.explain.reality.texts import divergence_text

if TYPE_CHECKING:
    from datetime import datetime

    from dashboard.clusters.models import Following
    from dashboard.following.live_page.agreement_chart import AgreementChart
    from scheduler_core.explain.reality import Reality


@dataclass(frozen=True)
class ShownComparison:
    """`done` is the newest comparison that is there, None before it; `is_computing`: a newer one is under way;
    `is_on`: it is made again by the hour; `problem`: why there is none; `url`: of the page with all decisions."""

    done: RealityResult | None
    is_computing: bool
    is_on: bool
    problem: str
    url: str

    @cached_property
    def figures(self) -> Reality | None:
        """Return the figures of the comparison; read on demand: an open page often asks what is new."""
        return None if self.done is None else computing.read_figures(self.done)

    @property
    def as_of(self) -> datetime | None:
        """Return the end of what was compared."""
        return None if self.figures is None else moment(self.figures.ended)

    @property
    def seen(self) -> str:
        """Return what names all that is shown."""
        done = None if self.done is None else (self.done.pk, self.done.made_at)
        return repr((done, self.is_computing, self.is_on, self.problem))

    @property
    def n_bindings(self) -> int:
        """Return how many bindings were compared."""
        return 0 if self.figures is None else self.figures.counted("binding", "agree", "chance", "differ")

    @property
    def n_equal(self) -> int:
        """Return how many of them are the engine's too, or among its best."""
        return 0 if self.figures is None else self.figures.counted("binding", "agree", "chance")

    @property
    def n_messages(self) -> int:
        """Return how many messages were compared."""
        return 0 if self.figures is None else self.figures.counted("message", "agree", "chance", "differ")

    @property
    def n_equal_messages(self) -> int:
        """Return how many of them are equal."""
        return 0 if self.figures is None else self.figures.counted("message", "agree", "chance")

    @property
    def causes(self) -> list[tuple[str, int]]:
        """Return (cause, how many decisions differ by it), most first."""
        return [] if self.figures is None else sorted(self.figures.causes.items(), key=lambda one: (-one[1], one[0]))

    @cached_property
    def chart(self) -> AgreementChart | None:
        """Return agreement by the hour."""
        return None if self.figures is None else agreement_chart(self.figures)

    @property
    def divergence(self) -> str:
        """Return the first placement of a free run that is another one, in words."""
        return "" if self.figures is None else divergence_text(self.figures.divergence, self.figures.free_run)


def shown_comparison(following: Following) -> ShownComparison:
    """Return what is known of a followed cluster."""
    cluster = following.cluster
    comparison = FollowedComparison.objects.filter(cluster=cluster).first()
    bundles = CollectedBundle.objects.filter(cluster=cluster, is_followed=True).values_list("pk", flat=True)
    results = RealityResult.objects.filter(bundle__in=list(bundles)).defer("data").order_by("-bundle_id", "-made_at")
    newest, done = results.first(), results.exclude(data=None).first()
    failed = newest.error if newest is not None else ""
    is_on = comparison is not None and comparison.due_at is not None
    return ShownComparison(
        done=done,
        is_computing=newest is not None and newest != done and not failed,
        is_on=is_on,
        problem=(comparison.problem if comparison is not None else "") or failed,
        url=reverse("agreement:reality", args=[cluster.workspace.slug, cluster.slug]),
    )
