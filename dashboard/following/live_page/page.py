"""The Live page of a followed cluster: what its parts show."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.core.exceptions import ObjectDoesNotExist
from django.urls import reverse
from django.utils import timezone

from dashboard.common.http.params import choice_param, text_param
from dashboard.following.live_page import collector
from dashboard.following.live_page.chosen_moments import HOUR, ChosenMoments
from dashboard.following.live_page.comparison import ShownComparison, shown_comparison
from dashboard.following.live_page.grouping import BY, PendingGroup, groups
from dashboard.following.live_page.strip import change_strip
from dashboard.following.moments import changes
from dashboard.following.moments.revisions import PERIODIC
from dashboard.following.moments.versions import changes_of_version, server_version
from dashboard.following.workers.overview import Overview, read_overview

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from dashboard.clusters.models import Cluster, FollowedRevision, Following
    from dashboard.following.live_page.strip import ChangeStrip
    from dashboard.following.moments.changes import KindChanges
    from dashboard.following.workers.overview import PendingCause

ORDER_LENGTH = 4_000
MOMENT_LENGTH = 20
SHOWN_KINDS = 40


def live_url(cluster: Cluster) -> str:
    """Return the address of the Live page, "" for a cluster that no collector follows."""
    if find_following(cluster) is None:
        return ""
    return reverse("following:live", args=[cluster.workspace.slug, cluster.slug])


def find_following(cluster: Cluster) -> Following | None:
    """Return how the cluster is followed, None where it is not."""
    try:
        following: Following = cluster.following
    except ObjectDoesNotExist:
        return None
    return following


@dataclass(frozen=True)
class PendingCauseRow:
    """A cause of pending pods, with the name of its row."""

    key: str
    cause: PendingCause

    @property
    def since(self) -> datetime | None:
        """Return when the oldest of its pods was made."""
        return None if self.cause.since is None else collector.moment(self.cause.since)


class LivePage:
    """What the page shows of a followed cluster, by the query of its address.

    `since` and `until` are those of ChosenMoments, `by` one of BY. `order` are keys of causes whose order is kept, with
    hyphens.
    """

    def __init__(self, following: Following, query: Mapping[str, str]) -> None:
        self.following = following
        self.cluster = following.cluster
        self._query = query
        self.now = timezone.now().timestamp()

    @cached_property
    def state(self) -> collector.CollectorState:
        """Return the state of the collector."""
        return collector.collector_state(self.following)

    @cached_property
    def seen(self) -> str:
        """Return what names all that the page shows, but for how long ago something was."""
        row = self.following
        parts = (row.version, row.next_number, row.collection, row.overview_at, row.problem, row.followed_version)
        hour = int(self.now // HOUR)
        newest = row.moments.values_list("pk", flat=True).first()
        shown = (*parts, self.state, hour, newest, self.comparison.seen)
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]

    @cached_property
    def comparison(self) -> ShownComparison:
        """Return what the engine agrees with."""
        return shown_comparison(self.following)

    @cached_property
    def overview(self) -> Overview | None:
        """Return what is pending and why, as computed last."""
        return read_overview(self.following)

    @property
    def as_of(self) -> datetime | None:
        """Return the moment that the overview is of."""
        return None if self.overview is None else collector.moment(self.overview.moment)

    @cached_property
    def causes(self) -> list[PendingCauseRow]:
        """Return the causes, most pods first, in the order that the query keeps."""
        rows = [] if self.overview is None else [PendingCauseRow(_key(one), one) for one in self.overview.causes]
        order = text_param(self._query, "order", ORDER_LENGTH).split("-")
        places = {key: n for n, key in enumerate(order) if key}
        return sorted(rows, key=lambda row: places.get(row.key, len(places))) if places else rows

    @property
    def by(self) -> str:
        """Return what pending pods are grouped by."""
        return choice_param(self._query, "by", BY, BY[0])

    @property
    def by_query(self) -> str:
        """Return the end of a query that keeps what pods are grouped by."""
        return "" if self.by == BY[0] else f"&by={self.by}"

    @property
    def since_query(self) -> str:
        """Return the end of a query that keeps the moments that are compared."""
        chosen = {name: text_param(self._query, name, MOMENT_LENGTH) for name in ("since", "until")}
        return "".join(f"&{name}={quote(value)}" for name, value in chosen.items() if value)

    @cached_property
    def groups(self) -> list[PendingGroup]:
        """Return pending pods by owner or age."""
        return [] if self.overview is None else groups(self.overview.causes, self.by, self.now)

    @property
    def n_moved(self) -> int:
        """Return how many causes stand elsewhere than by their number of pods."""
        plain = [] if self.overview is None else [_key(one) for one in self.overview.causes]
        return sum(row.key != key for row, key in zip(self.causes, plain, strict=True))

    @cached_property
    def gaps(self) -> list[collector.ShownGap]:
        """Return the gaps of the last day, and what is missing as a whole."""
        return collector.gaps(self.following)

    @property
    def n_gaps(self) -> int:
        """Return how many of them are times."""
        return sum(not gap.is_lasting for gap in self.gaps)

    @property
    def n_missing(self) -> int:
        """Return how many of them are missing as a whole."""
        return len(self.gaps) - self.n_gaps

    @cached_property
    def moments(self) -> list[FollowedRevision]:
        """Return the hours and first listings that are kept, newest first."""
        return list(self.following.moments.filter(kind__in=PERIODIC).select_related("revision__cluster"))

    @cached_property
    def chosen(self) -> ChosenMoments:
        """Return the moments that the table of changes compares."""
        return ChosenMoments(self.moments, self._query, self.now)

    @cached_property
    def changed(self) -> list[KindChanges]:
        """Return what changed between the moments, by kind."""
        base, end = self.chosen.base, self.chosen.end
        if base is None:
            return []
        of = (
            changes.since(base.revision, self.following)
            if end is None
            else changes.between(base.revision, end.revision)
        )
        return of[:SHOWN_KINDS]

    @property
    def n_changed(self) -> int:
        """Return how many objects came, went or changed since then."""
        return sum(one.total for one in self.changed)

    @property
    def knows_managers(self) -> bool:
        """Return whether the collector sends who changed objects."""
        return any(one.managers for one in self.changed)

    @cached_property
    def strip(self) -> ChangeStrip:
        """Return the changes by the hour."""
        latest = (0, 0, 0)
        if self.moments and self.following.generation:
            counts = [one.counts for one in changes.since(self.moments[0].revision, self.following)]
            latest = (sum(one[0] for one in counts), sum(one[1] for one in counts), sum(one[2] for one in counts))
        ends = [None if one is None else one.moment for one in (self.chosen.base, self.chosen.end)]
        return change_strip(self.following, self.moments, self.now, latest, (ends[0], ends[1]))

    @cached_property
    def versions(self) -> list[tuple[datetime, str]]:
        """Return the versions of the control plane with the moment of each, the newest last."""
        return [(collector.moment(at), version) for at, version in changes_of_version(self.following)]

    @property
    def version(self) -> str:
        """Return the version that the control plane has now."""
        return server_version(self.following)

    @property
    def is_behind(self) -> bool:
        """Return whether comparisons follow an older version than the control plane has."""
        return bool(self.version) and self.version != self.following.followed_version

    def context(self) -> dict[str, Any]:
        """Return what the templates show."""
        return {"live": self, "following": self.following, "facts": collector.facts(self.following)}


def _key(cause: PendingCause) -> str:
    return collector.row_key(cause.text)
