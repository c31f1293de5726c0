"""Which cluster people last worked on: what a page begins with where no cluster is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import F, Max
from django.db.models.functions import Coalesce, Greatest

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from dashboard.clusters.models import Cluster


def recent_first(clusters: QuerySet[Cluster]) -> QuerySet[Cluster]:
    """Return the clusters by their newest revision or run, the last one first and those without any at the end."""
    saved, run = Max("revisions__created_at"), Max("revisions__runs__created_at")
    annotated = clusters.annotate(worked_on=Greatest(saved, Coalesce(run, saved)))
    return annotated.order_by(F("worked_on").desc(nulls_last=True), "name", "pk")
