"""The objects of a followed cluster as contents of a revision: read as an import is, without those that have errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings

from dashboard.clusters.importing.saving import load_all, without_errors
from dashboard.clusters.revisions.contents import Contents
from dashboard.clusters.revisions.object_keys import stored_form
from dashboard.following.moments.folded import read_objects
from scheduler_core.api.unplayed import InputGap
from scheduler_core.explain.agreement import scheduler_events
from scheduler_core.manifests import Limits, ManifestSource, load_cluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.clusters.models import Following
    from scheduler_core.explain.agreement import SchedulerEvent
    from scheduler_core.manifests import LoadResult


@dataclass(frozen=True)
class FollowedContents:
    """The contents, the real scheduler's events about them, how many objects are left out because of errors, and how
    all was read."""

    contents: Contents
    events: Sequence[SchedulerEvent]
    left_out: int
    loaded: LoadResult


def read_followed(following: Following) -> FollowedContents:
    """Return the objects as of the moment that is folded."""
    loaded = load_followed(following)
    events = scheduler_events(loaded.events)
    if loaded.ok:
        manifests, is_named = stored_form(loaded.manifests)
        read = loaded if is_named else load_all(manifests, loaded.unplayed)
        return FollowedContents(Contents(manifests, read), events, 0, read)
    valid = without_errors(loaded)
    valid.loaded.unplayed.gaps.append(_left_out(valid.left_out))
    return FollowedContents(Contents(valid.manifests, valid.loaded), events, valid.left_out, valid.loaded)


def load_followed(following: Following) -> LoadResult:
    """Return the objects as an import of them would be read."""
    items = b",\n".join(bytes(one) for one in read_objects(following))
    data = b'{"apiVersion":"v1","kind":"List","items":[\n' + items + b"\n]}"
    return load_cluster([ManifestSource("collected objects", data)], Limits(max_bytes=settings.UPLOAD_MAX_BYTES))


def _left_out(n: int) -> InputGap:
    which = "1 object with errors is left out" if n == 1 else f"{n:,} objects with errors are left out"
    return InputGap(code="LEFT_OUT", text=f"{which}: where there are pods among them, nodes seem to have more room")
