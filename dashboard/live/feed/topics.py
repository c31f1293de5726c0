"""Announcing that something that open pages show has changed, and asking what changed since a version.

A version is a number of its workspace that only grows. What changed is a set of topics without contents: pages fetch
what they may see. So nothing private can leave by the feed, and one that was away needs no list of single changes.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from django.db import transaction
from django.db.models import F

from dashboard.accounts.models import Feed
from dashboard.live import hints
from dashboard.live.models import ChangedTopic

# A socket that missed more hears that everything may have changed.
TOPICS_NAMED = 200


class TopicChanges(NamedTuple):
    """The feed's version, and the topics that changed after the version asked for; None for all of them."""

    version: int
    topics: frozenset[str] | None


def own_topic(member_id: int) -> str:
    """Return the topic of what only this member sees change, such as what they have read; others are not told."""
    return f"member:{member_id}"


def announce(workspace_id: int, *topics: str) -> None:
    """Raise the version of the workspace's feed for these topics, in the transaction of what changed them.

    Call it after all other locks of the transaction: every writer of the workspace waits for this one then.
    """
    with transaction.atomic(savepoint=False):
        if not Feed.objects.filter(workspace_id=workspace_id).update(version=F("version") + 1):
            Feed.objects.bulk_create([Feed(workspace_id=workspace_id)], ignore_conflicts=True)
            Feed.objects.filter(workspace_id=workspace_id).update(version=F("version") + 1)
        version = version_of(workspace_id)
        rows = [ChangedTopic(workspace_id=workspace_id, name=name, version=version) for name in sorted(set(topics))]
        ChangedTopic.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["workspace", "name"], update_fields=["version"]
        )
        transaction.on_commit(partial(hints.feed_moved, workspace_id))


def version_of(workspace_id: int) -> int:
    """Return the feed's version, 0 before the first change."""
    return Feed.objects.filter(workspace_id=workspace_id).values_list("version", flat=True).first() or 0


def changes_since(workspace_id: int, version: int) -> TopicChanges:
    """Return what changed after `version`; one that the feed has not reached (of another database) says nothing."""
    # Read before the topics: what is committed between the two is sent twice, never left out.
    now = version_of(workspace_id)
    if version > now:
        return TopicChanges(now, None)
    newer = ChangedTopic.objects.filter(workspace_id=workspace_id, version__gt=version)
    topics = list(newer.values_list("name", flat=True)[: TOPICS_NAMED + 1])
    return TopicChanges(now, None if len(topics) > TOPICS_NAMED else frozenset(topics))
